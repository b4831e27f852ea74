"""What ignore files say about a path: git's rules to the letter, bounded against hostile patterns.

Source: gitignore(5) and the behaviour of ``git check-ignore``, against which the tests compare. Each line is
asked in the cheapest way that is exact: names, prefixes and suffixes as sets and tuples; texts between stars
in their order; classes of characters as pathspec compiles them, whose import (20 ms) is paid only where such
a line is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scanner.ignore_glob import ClassGlob, Glob, PathGlob, has_large_class, name_globs, spellings
from scanner.ignore_pattern import FOLDERS, NEWLINE, STAR, Line, Segment, UnusableLineError, parse_line
from scanner.project import Problem
from scanner.reading import UnreadableError, read_head

IGNORE_CAP = 64 * 1024
LINES_CAP = 2000
"""What is read of one ignore file, in bytes and lines; the rest is reported and not used."""

CLASSES_CAP = 200
"""How many lines of one file may hold classes that cannot be unfolded: compiling one takes 0.3 ms."""

EFFORT = 10_000_000
"""What all questions to the files below one root may cost, in twentieths of a microsecond at most. Ordinary
rules cost 100 for a name: 2,000 lines with stars that are asked about 2,000 names reach the end."""

_Block = tuple[
    bool,  # what it means to be found here: ignored, or taken back by a negated line
    frozenset[str],  # names
    tuple[str, ...],  # starts of names
    tuple[str, ...],  # ends of names
    frozenset[str],  # paths
    frozenset[str],  # folders whose direct entries are meant
    tuple[str, ...],  # folders, with a slash, below which all is meant
    "tuple[Glob | ClassGlob, ...]",  # patterns over the name
    tuple[PathGlob, ...],  # patterns over the path
]

_Faults = tuple[tuple[str, tuple[int, ...]], ...]
_Parsed = tuple[_Faults, tuple[_Block, ...], tuple[_Block, ...], int]


@dataclass(slots=True, repr=False, eq=False)
class IgnoreFile:
    """The rules of one ignore file, last line first.

    ``faults`` pairs a reason with the numbers of the lines that are not used for it. ``cost`` is what one
    question costs at most, in the unit of ``EFFORT``.
    """

    source: str
    data: bytes
    faults: _Faults
    file_blocks: tuple[_Block, ...]
    folder_blocks: tuple[_Block, ...]
    cost: int

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
    data = data[: IGNORE_CAP + 1]
    return IgnoreFile(source, data, *_parse(data.lower() if fold else data))


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


def as_git_sees(path: str, *, fold: bool = False) -> str:
    """A path as patterns compare it: one character for each byte, ASCII letters small with ``fold``."""
    if not path.isascii():
        raw = os.fsencode(path)
        path = (raw.lower() if fold else raw).decode("latin-1")
    elif fold:
        path = path.lower()
    return path.replace("\n", NEWLINE) if "\n" in path else path


def _numbered(numbers: Sequence[int], most: int = 20) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"


@lru_cache(maxsize=256)
def _parse(data: bytes) -> _Parsed:
    """Cached by the bytes: many repositories of one person hold the same ignore file."""
    faults: dict[str, list[int]] = {}
    lines: list[Line] = []
    raw_lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(data) > IGNORE_CAP:
        faults[f"the file is larger than {IGNORE_CAP} bytes"] = [len(raw_lines)]
        raw_lines.pop()
    if len(raw_lines) > LINES_CAP:
        faults[f"the file has more than {LINES_CAP} lines"] = list(range(LINES_CAP + 1, len(raw_lines) + 1))
    classes = 0
    for number, raw in enumerate(raw_lines[:LINES_CAP], start=1):
        try:
            line = parse_line(raw.removesuffix(b"\r"))
        except UnusableLineError as error:
            faults.setdefault(str(error), []).append(number)
            continue
        if line is None:
            continue
        is_large = any(map(has_large_class, line.alternatives))
        classes += is_large
        if is_large and classes > CLASSES_CAP:
            faults.setdefault(f"more than {CLASSES_CAP} lines with classes of characters", []).append(number)
        else:
            lines.append(line)
    blocks = _blocks(lines)
    reasons = tuple((reason, tuple(numbers)) for reason, numbers in faults.items())
    cost = sum(map(_cost, blocks))
    return reasons, _blocks(line for line in lines if not line.folders_only), blocks, cost


def _blocks(lines: Iterable[Line]) -> tuple[_Block, ...]:
    """Neighbouring lines of one sign are one block: whichever of them matches, the answer is the same."""
    groups: list[tuple[bool, list[Line]]] = []
    for line in lines:
        if not groups or groups[-1][0] != line.negated:
            groups.append((line.negated, []))
        groups[-1][1].append(line)
    return tuple(_block(not negated, group) for negated, group in reversed(groups))


def _block(ignored: bool, lines: Sequence[Line]) -> _Block:
    texts: dict[str, list[str]] = {}
    name_patterns: list[Glob | ClassGlob] = []
    path_patterns: list[PathGlob] = []
    for line in lines:
        for segments in line.alternatives:
            kind, found = _question(line.anchored, segments)
            if kind == "name-glob":
                name_patterns += name_globs(segments[-1])
            elif kind == "path-glob":
                path_patterns.append(PathGlob(segments))
            else:
                texts.setdefault(kind, []).extend(found)
    return (
        ignored,
        frozenset(texts.get("name", ())),
        tuple(texts.get("start", ())),
        tuple(texts.get("end", ())),
        frozenset(texts.get("path", ())),
        frozenset(texts.get("parent", ())),
        tuple(texts.get("tree", ())),
        tuple(name_patterns),
        tuple(path_patterns),
    )


def _cost(block: _Block) -> int:
    """What asking ``block`` costs at most: 0.6 us in itself, 25 ns for each start or end of a name."""
    _, _, starts, ends, _, _, trees, name_patterns, path_patterns = block
    plain = 12 + (len(starts) + len(ends) + len(trees)) // 2
    return plain + sum(one.cost for one in (*name_patterns, *path_patterns))


def _question(anchored: bool, segments: tuple[Segment, ...]) -> tuple[str, Sequence[str]]:
    """The cheapest exact way to ask for ``segments``: its kind, and the texts to compare with, if any."""
    if not anchored or (len(segments) == 2 and segments[0] == FOLDERS):
        return _name_question(segments[-1])
    if segments[-2:] == (FOLDERS, STAR):
        if folders := spellings(segments[:-2]):
            return "tree", [folder + "/" if folder else "" for folder in folders]
    elif segments[-1] == STAR:
        if folders := spellings(segments[:-1]):
            return "parent", folders
    elif paths := spellings(segments):
        return "path", paths
    return "path-glob", ()


def _name_question(segment: Segment) -> tuple[str, Sequence[str]]:
    if names := spellings((segment,)):
        return "name", names
    if segment == STAR:
        return "end", [""]
    if segment[0] is None and (ends := spellings((segment[1:],))):
        return "end", ends
    if segment[-1] is None and (starts := spellings((segment[:-1],))):
        return "start", starts
    return "name-glob", ()
