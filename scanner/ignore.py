"""What ignore files say about a path: git's rules to the letter, bounded against hostile patterns.

Source: gitignore(5) and the behaviour of ``git check-ignore``, against which the tests compare. Each line is
asked in the cheapest way that is exact: names, prefixes and suffixes as sets and tuples; texts between stars
in their order; classes of characters as pathspec compiles them, whose import (20 ms) is paid only where such
a line is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from scanner.ignore_text import as_git_sees
from scanner.project import Problem
from scanner.reading import UnreadableError, read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.ignore_rules import Parsed

IGNORE_CAP = 64 * 1024
"""What is read of one ignore file, in bytes; the rest is reported and not used."""

EFFORT = 20_000_000
"""What all questions to the files below one root may cost, in twentieths of a microsecond at most: 0.7 s in
the worst case found. A name costs 100 where rules are ordinary, 32,000 where 2,000 lines have three stars."""


class IgnoreFile:
    """The rules of one ignore file, last line first.

    ``faults`` pairs a reason with the numbers of the lines that are not used for it. ``cost`` is what one
    question costs at most, in the unit of ``EFFORT``.
    """

    __slots__ = ("cost", "data", "faults", "file_blocks", "folder_blocks", "source")

    def __init__(self, source: str, data: bytes, parsed: Parsed) -> None:
        self.source = source
        self.data = data
        self.faults, self.file_blocks, self.folder_blocks, self.cost = parsed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """One warning per reason, with the numbers of the lines."""
        return tuple(
            Problem("ignore-line", "warning", self.source, f"{_numbered(numbers)} not used: {reason}")
            for reason, numbers in self.faults
        )

    def verdict(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """Whether ``path`` (below this file's folder, ending in ``name``) is ignored; ``None``: no word."""
        for block in self.folder_blocks if is_folder else self.file_blocks:
            ignored, names, starts, ends, paths, parents, trees, name_patterns, path_patterns = block
            if (
                name in names
                or name.endswith(ends)
                or name.startswith(starts)
                or path in paths
                or path.startswith(trees)
                or (parents and path[: -len(name) - 1] in parents)
                or (name_patterns and any(pattern.matches(name) for pattern in name_patterns))
                or (path_patterns and any(pattern.matches(path) for pattern in path_patterns))
            ):
                return ignored
        return None


def parse_ignore(data: bytes, source: str, *, fold: bool = False) -> IgnoreFile:
    """The rules in ``data``; never raises. ``source`` is the file's path, for its problems.

    Only the first 64 KiB and 2,000 lines are used. With ``fold``, letters count the same in either case; the
    paths must then be folded as well (``as_git_sees``).
    """
    from scanner.ignore_rules import parse_rules  # noqa: PLC0415 - start-up: 2 ms, where no rule is asked

    data = data[: IGNORE_CAP + 1]
    return IgnoreFile(source, data, parse_rules(data.lower() if fold else data, IGNORE_CAP))


def read_ignore(path: str, *, fold: bool = False) -> IgnoreFile | None:
    """The rules of the ignore file at ``path``; ``None`` where git would read none: a link, an empty file."""
    try:
        data = read_head(path, IGNORE_CAP + 1)
    except UnreadableError:
        return None
    return parse_ignore(data, path, fold=fold) if data else None


class _Effort:
    """What the questions to untrusted rules may still cost."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = EFFORT


_Frame = tuple[str, IgnoreFile, int]
"""A folder's path with its slash, the rules in it, and what is taken from the effort for each question."""


class IgnoreStack:
    """All ignore files that speak about one folder, nearest first.

    Immutable but for one count that all stacks of a root share: once the questions to the files that were
    entered have cost too much, these files are silent. Those of ``of`` come from the user and never are.
    """

    __slots__ = ("_effort", "_fold", "_frames")

    def __init__(
        self, frames: tuple[_Frame, ...] = (), effort: _Effort | None = None, *, fold: bool = False
    ) -> None:
        self._frames = frames
        self._effort = effort or _Effort()
        self._fold = fold

    @classmethod
    def of(cls, base: Sequence[IgnoreFile], *, fold: bool = False) -> IgnoreStack:
        """A stack for the root of a work tree; ``base``: lowest precedence first, the user's own files.

        ``fold``: letters count the same in either case, as where git's ``core.ignoreCase`` is set.
        """
        if fold:
            base = [parse_ignore(rules.data, rules.source, fold=True) for rules in base]
        return cls(tuple(("", rules, 0) for rules in reversed(base)), fold=fold)

    @property
    def is_spent(self) -> bool:
        """Whether the rules were too many for the names that they were asked about."""
        return self._effort.left < 0

    def enter(self, relative_folder: str, rules: IgnoreFile | None) -> IgnoreStack:
        """The stack inside ``relative_folder`` (empty for the root), whose own ignore file is ``rules``."""
        if rules is None or not rules.folder_blocks:
            return self
        prefix = as_git_sees(relative_folder, fold=self._fold) + "/" if relative_folder else ""
        return IgnoreStack(((prefix, rules, rules.cost), *self._frames), self._effort, fold=self._fold)

    def ignores(self, relative_path: str, *, is_folder: bool) -> bool:
        """Whether ``relative_path`` (from the root, ``/`` between names) is ignored.

        Holds only if no folder above it is ignored: the caller never enters such a folder.
        """
        if not self._frames:
            return False
        return self._verdict(as_git_sees(relative_path, fold=self._fold), is_folder=is_folder)

    def ignores_path(self, relative_path: str, *, is_folder: bool) -> bool:
        """The same for a single question: an ignored folder above decides."""
        path = as_git_sees(relative_path, fold=self._fold)
        folders = [path[:at] for at, character in enumerate(path) if character == "/"]
        return any(self._verdict(folder, is_folder=True) for folder in folders) or self._verdict(
            path, is_folder=is_folder
        )

    def _verdict(self, path: str, *, is_folder: bool) -> bool:
        name = path[path.rfind("/") + 1 :]
        effort = self._effort
        for prefix, rules, cost in self._frames:
            if path.startswith(prefix):
                effort.left -= cost
                if cost and effort.left < 0:
                    continue
                verdict = rules.verdict(path[len(prefix) :], name, is_folder=is_folder)
                if verdict is not None:
                    return verdict
        return False


def _numbered(numbers: Sequence[int], most: int = 20) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"
