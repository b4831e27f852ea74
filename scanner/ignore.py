"""What ignore files say about a path: git's rules to the letter, bounded against hostile patterns.

Source: gitignore(5) and the behaviour of ``git check-ignore``, against which the tests compare. Each line is
asked in the cheapest way that is exact: names, prefixes and suffixes as sets and tuples; whatever is left as
one anchored pattern of pathspec, whose import (20 ms) is paid only where such a line is asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from scanner.ignore_pattern import (
    ANY,
    FOLDERS,
    NEWLINE,
    STAR,
    Line,
    Segment,
    UnusableLineError,
    parse_line,
)
from scanner.project import Problem
from scanner.reading import UnreadableError, read_head

IGNORE_CAP = 64 * 1024
LINES_CAP = 2000
"""What is read of one ignore file, in bytes and lines; the rest is reported and not used."""

_END = "\0"
"""Stands at the end of every path and pattern that pathspec sees. No name holds it, so a pattern for ``a``
cannot match ``a/b``: whether a folder hides what is below it is the walk's question, not the pattern's."""

_SPELLINGS = 16
"""Into how many literals a line with small character classes is unfolded (``*.py[cod]`` has three)."""


class _Globs:
    """Patterns that need a regular expression, compiled when the first path is held against them."""

    __slots__ = ("_patterns", "_searches")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._searches: tuple[Callable[[str], object], ...] | None = None

    def match(self, text: str) -> bool:
        if self._searches is None:
            self._searches = tuple(_compile(pattern).search for pattern in self._patterns)
        marked = text + _END
        return any(search(marked) for search in self._searches)


_Block = tuple[
    bool,  # what it means to be found here: ignored, or taken back by a negated line
    frozenset[str],  # names
    tuple[str, ...],  # starts of names
    tuple[str, ...],  # ends of names
    frozenset[str],  # paths
    frozenset[str],  # folders whose direct entries are meant
    tuple[str, ...],  # folders, with a slash, below which all is meant
    _Globs | None,  # patterns over the name
    _Globs | None,  # patterns over the path
]


@dataclass(slots=True, repr=False, eq=False)
class IgnoreFile:
    """The rules of one ignore file, last line first.

    ``faults`` pairs a reason with the numbers of the lines that are not used for it.
    """

    source: str
    faults: tuple[tuple[str, tuple[int, ...]], ...]
    file_blocks: tuple[_Block, ...]
    folder_blocks: tuple[_Block, ...]

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
            ignored, names, starts, ends, paths, parents, trees, name_globs, path_globs = block
            if (
                name in names
                or name.endswith(ends)
                or name.startswith(starts)
                or path in paths
                or path.startswith(trees)
                or (parents and path[: -len(name) - 1] in parents)
                or (name_globs is not None and name_globs.match(name))
                or (path_globs is not None and path_globs.match(path))
            ):
                return ignored
        return None


def parse_ignore(data: bytes, source: str) -> IgnoreFile:
    """The rules in ``data``; never raises. ``source`` is the file's path, for its problems.

    Only the first 64 KiB and 2,000 lines are used.
    """
    faults, file_blocks, folder_blocks = _parse(data[: IGNORE_CAP + 1])
    return IgnoreFile(source, faults, file_blocks, folder_blocks)


def read_ignore(path: str) -> IgnoreFile | None:
    """The rules of the ignore file at ``path``; ``None`` where git would read none: a link, an empty file."""
    try:
        data = read_head(path, IGNORE_CAP + 1)
    except UnreadableError:
        return None
    return parse_ignore(data, path) if data else None


class IgnoreStack:
    """All ignore files that speak about one folder, nearest first. Immutable."""

    __slots__ = ("_frames",)

    def __init__(self, frames: tuple[tuple[str, IgnoreFile], ...] = ()) -> None:
        self._frames = frames

    @classmethod
    def of(cls, base: Sequence[IgnoreFile]) -> IgnoreStack:
        """A stack for the root of a work tree; ``base``: lowest precedence first (global, info/exclude)."""
        return cls(tuple(("", rules) for rules in reversed(base)))

    def enter(self, relative_folder: str, rules: IgnoreFile | None) -> IgnoreStack:
        """The stack inside ``relative_folder`` (empty for the root), whose own ignore file is ``rules``."""
        if rules is None or not rules.folder_blocks:
            return self
        prefix = as_git_sees(relative_folder) + "/" if relative_folder else ""
        return IgnoreStack(((prefix, rules), *self._frames))

    def ignores(self, relative_path: str, *, is_folder: bool) -> bool:
        """Whether ``relative_path`` (from the root, ``/`` between names) is ignored.

        Holds only if no folder above it is ignored: the caller never enters such a folder.
        """
        if not self._frames:
            return False
        path = as_git_sees(relative_path)
        return self._verdict(path, is_folder=is_folder)

    def ignores_path(self, relative_path: str, *, is_folder: bool) -> bool:
        """The same for a single question: an ignored folder above decides."""
        path = as_git_sees(relative_path)
        folders = [path[:at] for at, character in enumerate(path) if character == "/"]
        return any(self._verdict(folder, is_folder=True) for folder in folders) or self._verdict(
            path, is_folder=is_folder
        )

    def _verdict(self, path: str, *, is_folder: bool) -> bool:
        name = path[path.rfind("/") + 1 :]
        for prefix, rules in self._frames:
            if path.startswith(prefix):
                verdict = rules.verdict(path[len(prefix) :], name, is_folder=is_folder)
                if verdict is not None:
                    return verdict
        return False


def as_git_sees(path: str) -> str:
    """A path as patterns compare it: one character for each byte."""
    if not path.isascii():
        path = os.fsencode(path).decode("latin-1")
    return path.replace("\n", NEWLINE) if "\n" in path else path


def _numbered(numbers: Sequence[int], most: int = 20) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"


_Parsed = tuple[tuple[tuple[str, tuple[int, ...]], ...], tuple[_Block, ...], tuple[_Block, ...]]


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
    for number, raw in enumerate(raw_lines[:LINES_CAP], start=1):
        try:
            line = parse_line(raw.removesuffix(b"\r"))
        except UnusableLineError as error:
            faults.setdefault(str(error), []).append(number)
        else:
            if line is not None:
                lines.append(line)
    reasons = tuple((reason, tuple(numbers)) for reason, numbers in faults.items())
    return reasons, _blocks(line for line in lines if not line.folders_only), _blocks(lines)


def _blocks(lines: Iterable[Line]) -> tuple[_Block, ...]:
    """Neighbouring lines of one sign are one block: whichever of them matches, the answer is the same."""
    groups: list[tuple[bool, list[Line]]] = []
    for line in lines:
        if not groups or groups[-1][0] != line.negated:
            groups.append((line.negated, []))
        groups[-1][1].append(line)
    return tuple(_block(not negated, group) for negated, group in reversed(groups))


def _block(ignored: bool, lines: Sequence[Line]) -> _Block:
    kinds: dict[str, list[str]] = {}
    for line in lines:
        for segments in line.alternatives:
            kind, texts = _question(line.anchored, segments)
            kinds.setdefault(kind, []).extend(texts)
    name_globs, path_globs = kinds.get("name-glob"), kinds.get("path-glob")
    return (
        ignored,
        frozenset(kinds.get("name", ())),
        tuple(kinds.get("start", ())),
        tuple(kinds.get("end", ())),
        frozenset(kinds.get("path", ())),
        frozenset(kinds.get("parent", ())),
        tuple(kinds.get("tree", ())),
        _Globs(name_globs) if name_globs else None,
        _Globs(path_globs) if path_globs else None,
    )


def _question(anchored: bool, segments: tuple[Segment, ...]) -> tuple[str, Sequence[str]]:
    """The cheapest exact way to ask for ``segments``: its kind, and the texts to compare with."""
    if not anchored or (len(segments) == 2 and segments[0] == FOLDERS):
        return _name_question(segments[-1])
    if segments[-2:] == (FOLDERS, STAR):
        if folders := _spellings(segments[:-2]):
            return "tree", [folder + "/" if folder else "" for folder in folders]
    elif segments[-1] == STAR:
        if folders := _spellings(segments[:-1]):
            return "parent", folders
    elif paths := _spellings(segments):
        return "path", paths
    return "path-glob", [_pathspec_text(segments)]


def _name_question(segment: Segment) -> tuple[str, Sequence[str]]:
    if names := _spellings((segment,)):
        return "name", names
    if segment == STAR:
        return "end", [""]
    if segment[0] is None and (ends := _spellings((segment[1:],))):
        return "end", ends
    if segment[-1] is None and (starts := _spellings((segment[:-1],))):
        return "start", starts
    return "name-glob", [_pathspec_text((segment,))]


def _spellings(segments: tuple[Segment, ...]) -> list[str]:
    """All literal texts that ``segments`` can be, or nothing where there are stars or too many."""
    choices: list[str] = []
    total = 1
    for segment in segments:
        choices.append("/")
        for item in segment:
            if item is None:
                return []
            choice = chr(item) if isinstance(item, int) else "".join(map(chr, sorted(item)))
            total *= len(choice)
            if total > _SPELLINGS:
                return []
            choices.append(choice)
    return ["".join(letters)[1:] for letters in product(*choices)]


def _pathspec_text(segments: tuple[Segment, ...]) -> str:
    """One anchored, positive pattern in the small dialect that every pathspec release reads the same way."""
    names = ("**" if segment == FOLDERS else "".join(map(_item_text, segment)) for segment in segments)
    return "/" + "/".join(names) + _END


def _item_text(item: int | frozenset[int] | None) -> str:
    if item is None:
        return "*"
    if isinstance(item, int):
        return "\\" + chr(item) if chr(item) in "\\*?[]" else chr(item)
    return "?" if item == ANY else _class_text(item)


def _class_text(members: frozenset[int]) -> str:
    """A positive character class without escapes: pathspec hands it to ``re`` as it stands.

    A closing bracket goes first, else NUL (which no name holds) keeps ``^`` and ``!`` from going first; a
    hyphen goes last; nothing that ``re`` reserves for set operations stands twice or ends a range.
    """
    special = set(map(ord, "]-[^!&~|\\"))
    ranges: list[list[int]] = []
    for code in sorted(members - special):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    texts = [chr(low) if low == high else f"{chr(low)}-{chr(high)}" for low, high in ranges]
    first = "]" if ord("]") in members else _END
    others = [chr(code) for code in map(ord, "[^!&~|\\-") if code in members]
    return "[" + first + "".join(texts + others) + "]"


def _compile(text: str) -> re.Pattern[str]:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - start-up: 20 ms

    (pattern,) = GitIgnoreSpec.from_lines([text]).patterns
    compiled: re.Pattern[str] | None = pattern.regex
    return _without_backtracking(compiled) if compiled else re.compile(r"(?!)")


_ANY_FOLDERS = "(?:/.+)?"


def _without_backtracking(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The same pattern, where each ``**`` but the last takes the first place that fits and tries no other.

    The first place leaves the most of the path to what follows, so nothing is lost. Six of them against a
    path of 80 folders took 7.5 s before.
    """
    head, *middles = pattern.pattern.split(_ANY_FOLDERS)
    if len(middles) < 2:
        return pattern
    last = middles.pop()
    tried = "".join(f"(?>(?:/.+?)??{middle}(?=/))" for middle in middles)
    return re.compile(f"{head}{tried}{_ANY_FOLDERS}{last}")
