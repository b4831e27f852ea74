"""What is asked of an indexing, and what it decided: values only."""

from __future__ import annotations

from collections.abc import Callable

from brain.files.outline import Json
from brain.files.reading import Seen
from brain.problem import Problem
from brain.project_cards import Facts, Portfolio
from brain.value import Value


class Change(Value):
    """What an indexing means for one project.

    ``kind`` is ``new``, ``changed``, ``same``, ``moved``, ``missing`` or ``returned``; ``differences`` are
    (key, old, new), without the date of the scan. A project that was missing before stays in the list, with
    none. ``old_path`` is where a moved project was before, else empty.
    """

    __slots__ = ("differences", "file", "kind", "name", "old_path", "path")

    def __init__(
        self,
        kind: str,
        path: str,
        name: str,
        file: str,
        differences: tuple[tuple[str, Json, Json], ...] = (),
        *,
        old_path: str = "",
    ) -> None:
        self.kind = kind
        self.path = path
        self.name = name
        self.file = file
        self.differences = differences
        self.old_path = old_path


class CardWrite:
    """The new bytes of the card ``file``.

    With ``aside`` the old file is kept under another name. With ``source`` the card bore that name before:
    the file is renamed, then written.
    """

    __slots__ = ("aside", "data", "file", "seen", "source")

    def __init__(
        self,
        file: str,
        data: bytes,
        seen: Seen | None,
        *,
        aside: bool = False,
        source: tuple[str, Seen] | None = None,
    ) -> None:
        self.file = file
        self.data = data
        self.seen = seen
        self.aside = aside
        self.source = source


class Request:
    """What a plan was asked for, so that it can be made anew against a brain that changed meanwhile."""

    __slots__ = ("exists", "facts", "now", "real_path", "roots")

    def __init__(
        self,
        facts: tuple[Facts, ...],
        now: str,
        roots: tuple[str, ...],
        exists: Callable[[str], bool],
        real_path: Callable[[str], str],
    ) -> None:
        self.facts = facts
        self.now = now
        self.roots = roots
        self.exists = exists
        self.real_path = real_path


class Plan:
    """What an indexing will do.

    ``changes`` are ordered by path; ``cards`` and ``index`` hold the exact bytes to write, ``index`` is None
    when the page is right as it stands.
    """

    __slots__ = ("cards", "changes", "index", "portfolio", "problems", "request")

    def __init__(
        self,
        portfolio: Portfolio,
        request: Request,
        problems: tuple[Problem, ...],
        *,
        changes: tuple[Change, ...] = (),
        cards: tuple[CardWrite, ...] = (),
        index: bytes | None = None,
    ) -> None:
        self.changes = changes
        self.cards = cards
        self.index = index
        self.problems = problems
        self.portfolio = portfolio
        self.request = request

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be written."""
        return not self.cards and self.index is None
