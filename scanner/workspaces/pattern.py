"""Path patterns as workspaces use them: ``*``, ``?``, ``[a-z]``, ``**``, ``{a,b}``, ``@(a|b)``, ``!(a)``.

The cost is bounded for any pattern: names are matched in linear time, paths in parts times segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

_LENGTH_CAP = 512
_SEGMENTS_CAP = 32
_ALTERNATIVES_CAP = 64
_PATTERNS_CAP = 2_000
_TAKEN_CAP = 100
_PARTS_CAP = 64
_WILD = frozenset("*?[")
_EXCEPT = r"!\(([^()/]*+)\)"


class Pattern:
    """One pattern for folders, relative to the project."""

    __slots__ = ("_hidden", "_segments", "base", "depth", "is_literal")

    def __init__(self, segments: Sequence[str], *, hidden: bool) -> None:
        """``hidden``: wildcards also stand for names that begin with a dot."""
        self._segments = [_segment(segment, hidden=hidden) for segment in segments]
        self._hidden = hidden
        literal = 0
        while literal < len(segments) and isinstance(self._segments[literal], str):
            literal += 1
        self.is_literal = literal == len(segments)
        self.base = "/".join(segments[:literal])
        # How many folders below the base can match; None where there is no limit.
        self.depth = None if None in self._segments else len(segments) - literal

    def matches(self, path: str) -> bool:
        """Whether the pattern stands for this folder; the project itself is the empty path."""
        parts = path.split("/") if path else []
        segments, at, part = self._segments, 0, 0
        star, resume = -1, 0
        while part < len(parts):
            if at < len(segments) and segments[at] is None:
                star, resume = at, part
                at += 1
            elif at < len(segments) and _fits(segments[at], parts[part]):
                at, part = at + 1, part + 1
            elif star >= 0 and (self._hidden or parts[resume][0] != "."):
                resume += 1
                at, part = star + 1, resume
            else:
                return False
        return all(segment is None for segment in segments[at:])


class _Wild:
    """A segment with wildcards, and what it must not be all the same."""

    __slots__ = ("_dot", "_fits", "_not")

    def __init__(self, text: str, *, hidden: bool) -> None:
        self._dot = hidden or text.startswith(".")
        unwanted = re.search(_EXCEPT, text)
        self._not: list[re.Pattern[str]] = []
        if unwanted is not None:
            head, tail = text[: unwanted.start()], text[unwanted.end() :]
            self._not = [_compiled(head + choice + tail) for choice in unwanted[1].split("|")]
            text = f"{head}*{tail}"
        self._fits = _compiled(text)

    def fits(self, name: str) -> bool:
        if name.startswith(".") and not self._dot:
            return False
        return bool(self._fits.match(name)) and not any(one.match(name) for one in self._not)


class AcrossFolders:
    """A pattern whose wildcards stand for slashes too, as some tools have it for what they leave out."""

    __slots__ = ("_fits",)

    def __init__(self, segments: Sequence[str]) -> None:
        # ``**/`` stands for no folder, too: each text is the pattern with some of them left out.
        texts = [""]
        for place, segment in enumerate(segments):
            rest = segment if place == len(segments) - 1 else f"{segment}/"
            skips = segment == "**" and rest != segment and len(texts) < _ALTERNATIVES_CAP
            texts = [*(text + rest for text in texts), *(texts if skips else ())]
        self._fits = [_compiled(text) for text in texts]

    def matches(self, path: str) -> bool:
        """Whether the pattern stands for this folder."""
        return any(one.match(path) for one in self._fits)


class Selection:
    """Folders that some patterns choose and others take away again."""

    __slots__ = ("chosen", "taken")

    def __init__(self, chosen: Iterable[Pattern], taken: Iterable[Pattern | AcrossFolders] = ()) -> None:
        self.chosen = tuple(chosen)
        self.taken = tuple(taken)

    def matches(self, path: str) -> bool:
        """Whether the folder is chosen and not taken away."""
        return any(one.matches(path) for one in self.chosen) and not self.takes(path)

    def takes(self, path: str) -> bool:
        """Whether the folder is taken away."""
        return any(one.matches(path) for one in self.taken)


def patterns(texts: Iterable[str], *, hidden: bool = False, groups: bool = True) -> list[Pattern]:
    """The patterns that ``texts`` stand for; one that leaves the project stands for none.

    ``groups``: whether ``{a,b}`` and its kin are more than characters. Where they are not, in Rust's tools, a
    closing ``**`` does not stand for the folder before it.
    """
    found = (
        Pattern([*segments, "*"] if segments[-1:] == ["**"] and not groups else segments, hidden=hidden)
        for text in texts
        if len(text) <= _LENGTH_CAP
        for choice in (_alternatives(text) if groups else (text,))
        if (segments := _segments(choice)) is not None and len(segments) <= _SEGMENTS_CAP
    )
    return list(islice(found, _PATTERNS_CAP))


def across_folders(texts: Iterable[str]) -> list[AcrossFolders]:
    """The patterns of ``texts`` whose wildcards stand for slashes too."""
    return [
        AcrossFolders(segments)
        for text in islice(texts, _TAKEN_CAP)
        if len(text) <= _LENGTH_CAP
        and (segments := _segments(text)) is not None
        and len(segments) <= _SEGMENTS_CAP
    ]


def selection(texts: Iterable[str], *, renewed: bool = True) -> Selection:
    """What a list with ``!`` means to the package managers of Node.js.

    A ``!pattern`` takes away, wherever it stands; ``renewed``: unless a later pattern names what it took.
    """
    chosen: list[str] = []
    taken: list[_Taken] = []
    for text in islice(texts, _PATTERNS_CAP):
        bare = text.lstrip("!")
        if (len(text) - len(bare)) % 2:
            if len(taken) < _TAKEN_CAP:
                taken.append(_Taken(bare))
            continue
        at = 0
        while renewed and at < len(taken):
            if taken[at].names(bare):
                del taken[at]
            at += 1  # past the next one too, where one was given back, as npm does
        chosen.append(bare)
    if renewed:
        # npm holds the patterns against each other: one that is taken away as a whole is never looked for.
        chosen = [one for one in chosen if not any(other.names(one) for other in taken)]
    return Selection(patterns(chosen), patterns((one.text for one in taken), hidden=True))


class _Taken:
    """A pattern that is taken away, which npm also holds against the other patterns as if they were paths."""

    __slots__ = ("_patterns", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # Held against a text, ``a/**`` does not stand for ``a``.
        self._patterns = patterns([text + "/*" if text.endswith("/**") else text])

    def names(self, other: str) -> bool:
        """Whether the other pattern, as a path, is taken away."""
        if self.text.endswith("/") and not other.endswith("/"):
            return False
        path = re.sub(r"^\.?/+", "", other).rstrip("/")
        return any(pattern.matches(path) for pattern in self._patterns)


def inside(path: str, base: str = "") -> str | None:
    """``path``, as written in a file of the folder ``base``, relative to the project; None if it leaves it.

    Both kinds of slashes count; "" is the project itself.
    """
    path = path.replace("\\", "/")
    if len(path) > _PARTS_CAP * 64 or path.count("/") > _PARTS_CAP:
        return None
    if path.startswith(("/", "~")) or ":" in path.partition("/")[0] or "\0" in path:
        return None
    parts = base.split("/") if base else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) if len(parts) <= _PARTS_CAP else None


def _segments(text: str) -> list[str] | None:
    """The segments of a pattern, or None where it leaves the project."""
    segments: list[str] = []
    for part in text.replace("\\", "/").lstrip("/").split("/"):
        if part == "..":
            if not segments or segments[-1] == "**":
                return None
            segments.pop()
        elif part not in ("", ".") and not (part == "**" and segments[-1:] == ["**"]):
            segments.append(part)
    return segments if "\0" not in text else None


def _segment(text: str, *, hidden: bool) -> str | _Wild | None:
    if text == "**":
        return None
    return _Wild(text, hidden=hidden) if not _WILD.isdisjoint(text) or "!(" in text else text


def _fits(segment: str | _Wild | None, name: str) -> bool:
    return segment.fits(name) if isinstance(segment, _Wild) else segment == name


def _compiled(text: str) -> re.Pattern[str]:
    from fnmatch import translate  # noqa: PLC0415 - start-up: only workspaces with wildcards need it

    return re.compile(translate(text.replace("[^", "[!")))


def _alternatives(text: str) -> list[str]:
    """``text`` with each ``{a,b}``, ``@(a|b)`` and ``?(a|b)`` replaced by what they can stand for."""
    waiting, done = [text], list[str]()
    while waiting and len(waiting) + len(done) <= _ALTERNATIVES_CAP:
        one = waiting.pop()
        found = _group(one)
        if found is None:
            done.append(one)
            continue
        start, end, choices = found
        waiting += [one[:start] + choice + one[end:] for choice in reversed(choices)]
    return done


def _group(text: str) -> tuple[int, int, list[str]] | None:
    """The first innermost group: where it starts and ends, and its choices."""
    brace = re.search(r"\{([^{}]*+)\}", text)
    if brace is not None and (choices := _choices(brace[1])):
        return brace.start(), brace.end(), choices
    group = re.search(r"([@?+*])\(([^()]*+)\)", text)
    if group is None:
        return None
    # Where a group may be repeated, once has to do.
    choices = group[2].split("|")
    return group.start(), group.end(), [*choices, ""] if group[1] in "?*" else choices


def _choices(text: str) -> list[str]:
    """What the text between two braces can stand for."""
    numbers = re.fullmatch(r"([0-9]{1,4})\.\.([0-9]{1,4})", text)
    letters = re.fullmatch(r"([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z])", text)
    if numbers is not None:
        first, last = int(numbers[1]), int(numbers[2])
        return [str(number) for number in range(first, min(last, first + _ALTERNATIVES_CAP) + 1)]
    if letters is not None:
        return [chr(code) for code in range(ord(text[0]), ord(text[-1]) + 1)]
    return text.split(",")
