"""Names held against patterns with stars, in time that grows with the length of the name and no faster.

A star is never handed to a regular expression: with three of them, 1,500 lines against one name of 255
characters took minutes. Between two stars stands a text of fixed length; each is taken at the first place
where it fits, which leaves the most of the name to what follows, so nothing is lost by not trying another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from scanner.ignore_pattern import ANY, FOLDERS, Item, Segment

# Stands at the end of every text that pathspec sees. No name holds it, so a pattern for ``a`` cannot match
# ``a/b``: whether a folder hides what is below it is the walk's question, not the pattern's.
_END = "\0"

_SPELLINGS = 16
"""Into how many literals a line with small character classes is unfolded (``*.py[cod]`` has three)."""

_Fits = Callable[[str], object]


class Glob:
    """A name with stars between literal texts. ``cost`` is in twentieths of a microsecond, at most."""

    __slots__ = ("_first", "_last", "_least", "_middles", "cost")

    def __init__(self, texts: Sequence[str]) -> None:
        first, *middles, last = texts
        self._first = first
        self._middles = middles
        self._last = last
        self._least = sum(map(len, texts))
        self.cost = 8 + 4 * len(self._middles)

    def matches(self, name: str) -> bool:
        """Whether the whole ``name`` fits."""
        if len(name) < self._least or not name.startswith(self._first) or not name.endswith(self._last):
            return False
        at, end = len(self._first), len(name) - len(self._last)
        for middle in self._middles:
            at = name.find(middle, at, end)
            if at < 0:
                return False
            at += len(middle)
        return True


class ClassGlob:
    """A name with character classes that are too large to unfold, with or without stars between.

    The classes are pathspec's to read: ``GitIgnoreSpec`` compiles each text between stars, when the first
    name is held against it.
    """

    __slots__ = ("_fits", "_pieces", "cost")

    def __init__(self, pieces: Sequence[Segment]) -> None:
        self._pieces = pieces
        self._fits: list[_Fits] | None = None
        self.cost = 40 + 1_600 * len(pieces[1:-1])

    def matches(self, name: str) -> bool:
        """Whether the whole ``name`` fits."""
        lengths = [len(piece) for piece in self._pieces]
        if len(name) < sum(lengths) or (len(lengths) == 1 and len(name) != lengths[0]):
            return False
        if self._fits is None:
            self._fits = [_compiled(piece) for piece in self._pieces]
        at, end = lengths[0], len(name) - lengths[-1]
        if not self._fits[0](name[:at] + _END) or not self._fits[-1](name[end:] + _END):
            return False
        for fits, length in zip(self._fits[1:-1], lengths[1:-1], strict=True):
            places = range(at, end - length + 1)
            place = next((place for place in places if fits(name[place : place + length] + _END)), -1)
            if place < 0:
                return False
            at = place + length
        return True


class Names:
    """Any of a few literal names."""

    __slots__ = ("_names", "cost")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)
        self.cost = 2

    def matches(self, name: str) -> bool:
        """Whether ``name`` is one of them."""
        return name in self._names


class Either:
    """What fits any of several patterns."""

    __slots__ = ("_patterns", "cost")

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = patterns
        self.cost: int = sum(4 + pattern.cost for pattern in patterns)

    def matches(self, name: str) -> bool:
        """Whether ``name`` fits one of them."""
        return any(pattern.matches(name) for pattern in self._patterns)


class PathGlob:
    """A path: one pattern for each of its names, and ``**`` for any number of folders between them."""

    __slots__ = ("_groups", "_least", "cost")

    def __init__(self, segments: Sequence[Segment]) -> None:
        groups: list[list[Pattern]] = [[]]
        for segment in segments:
            if segment == FOLDERS:
                groups.append([])
            else:
                groups[-1].append(_name_pattern(segment))
        self._groups = groups
        self._least = sum(map(len, groups))
        # Each group between two ``**`` may be tried at every folder on the way.
        self.cost = (20 + sum(10 + one.cost for group in groups for one in group)) * (
            1 << 3 * len(groups[1:-1])
        )

    def matches(self, path: str) -> bool:
        """Whether the whole ``path`` fits."""
        names = path.split("/")
        if len(names) < self._least or (len(self._groups) == 1 and len(names) != self._least):
            return False
        first, *others = self._groups
        last = others.pop() if others else []
        at, end = len(first), len(names) - len(last)
        if not _all_match(last, names[end:]) or not _all_match(first, names[:at]):
            return False
        for group in others:
            places = range(at, end - len(group) + 1)
            fitting = (place for place in places if _all_match(group, names[place : place + len(group)]))
            place = next(fitting, -1)
            if place < 0:
                return False
            at = place + len(group)
        return True


Pattern = Names | Glob | ClassGlob | Either


def name_globs(segment: Segment) -> list[Glob | ClassGlob]:
    """What asks whether a name fits ``segment``, which holds a star or a class; any one of them decides."""
    pieces = _pieces(segment)
    choices = [spellings((piece,)) if piece else [""] for piece in pieces]
    count = 1
    for choice in choices:
        count *= len(choice)
    if len(pieces) == 1 or not 0 < count <= _SPELLINGS:
        return [ClassGlob(pieces)]
    return [Glob(texts) for texts in product(*choices)]


def has_large_class(segments: Sequence[Segment]) -> bool:
    """Whether a segment must be compiled: its classes stand for more texts than are unfolded."""
    for segment in segments:
        total = 1
        for item in segment:
            if isinstance(item, frozenset):
                total *= len(item)
        if total > _SPELLINGS:
            return True
    return False


def _name_pattern(segment: Segment) -> Pattern:
    if names := spellings((segment,)):
        return Names(names)
    globs = name_globs(segment)
    return globs[0] if len(globs) == 1 else Either(globs)


def spellings(segments: Sequence[Segment]) -> list[str]:
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


def _all_match(patterns: Sequence[Pattern], names: Sequence[str]) -> bool:
    return all(pattern.matches(name) for pattern, name in zip(patterns, names, strict=True))


def _pieces(segment: Segment) -> list[Segment]:
    """What stands between the stars."""
    pieces: list[list[Item]] = [[]]
    for item in segment:
        if item is None:
            pieces.append([])
        else:
            pieces[-1].append(item)
    return [tuple(piece) for piece in pieces]


def _compiled(piece: Segment) -> _Fits:
    if not piece:
        return bool
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - start-up: 20 ms

    text = "/" + "".join(map(_item_text, piece)) + _END
    (pattern,) = GitIgnoreSpec.from_lines([text]).patterns
    return pattern.regex.search if pattern.regex is not None else _never


def _never(_: str) -> bool:
    return False


def _item_text(item: Item) -> str:
    """One item in the small dialect that every pathspec release reads the same way."""
    if isinstance(item, int):
        return "\\" + chr(item) if chr(item) in "\\*?[]" else chr(item)
    return "?" if item is None or item == ANY else _class_text(item)


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
