"""What a reader could not read, collected as values: each once, never more than a hundred."""

from __future__ import annotations

from scanner.project import Problem
from scanner.reading import UnreadableError

_LIMIT = 100


class ProblemLog:
    """The problems of one repository, in the order in which they were met."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], Problem] = {}

    def add(self, code: str, path: str, message: str) -> None:
        """Keep one problem; the same code at the same path counts once."""
        if (code, path) not in self._seen and len(self._seen) < _LIMIT:
            self._seen[code, path] = Problem(code, "warning", path, message)

    def unreadable(self, error: UnreadableError) -> None:
        """Keep a refusal of the reading door under ``git-`` and its own code."""
        self.add(f"git-{error.code}", error.path, error.message)

    @property
    def found(self) -> tuple[Problem, ...]:
        """All problems so far."""
        return tuple(self._seen.values())
