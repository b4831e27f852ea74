"""One line of an ignore file, taken apart as git takes it apart.

Source: gitignore(5), and git's matching as observed through ``git check-ignore``. Git works on bytes and has
corners that no library has: ``?`` is one byte, ``[a/b]`` never matches a slash, ``a/b**/c`` matches ``a/bc``.
Text here is bytes decoded as Latin-1, so that one character is one byte.
"""

from __future__ import annotations

import re

from scanner.ignore_text import NEWLINE
from scanner.value import dataclass

LINE_CAP = 256

_SLASH = 0x2F
_STARS_PER_SEGMENT = 3
_DOUBLE_STARS = 6

Item = int | frozenset[int] | None
"""A character that must be there, a set of which one must be there, or ``None``: any number but no slash."""

Segment = tuple[Item, ...]

STAR: Segment = (None,)
FOLDERS: Segment = (None, None)
"""The segment ``**``: any number of folders, also none."""

ANY = frozenset({*range(1, 256), ord(NEWLINE)} - {_SLASH, 0x0A})

_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "  \t\t",
    "cntrl": "\x01\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "  \t\n\r\r",
    "upper": "AZ",
    "xdigit": "09AFaf",
}
"""First and last characters of the ranges in each named class; ASCII only, as in git."""


class UnusableLineError(ValueError):
    """A line that matches nothing in git either, or that we refuse for its cost; the text is the reason."""


@dataclass(slots=True)
class Line:
    """What one line asks for.

    ``anchored`` patterns are held against the path below the ignore file's folder, the others against the
    name alone. Each of ``alternatives`` is a list of path segments; the line matches where one of them does.
    """

    negated: bool
    folders_only: bool
    anchored: bool
    alternatives: tuple[tuple[Segment, ...], ...]


def parse_line(raw: bytes) -> Line | None:
    """The pattern in ``raw`` (without its line end), ``None`` for a blank line or a comment.

    Raises ``UnusableLineError`` for a line that cannot match or that would cost too much.
    """
    if not raw or raw.startswith(b"#"):
        return None
    if len(raw) > LINE_CAP:
        raise UnusableLineError(f"longer than {LINE_CAP} bytes")
    text = _without_trailing_spaces(raw.partition(b"\0")[0].decode("latin-1"))
    if not text:
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    anchored = "/" in text
    items, glue = _items(text.removeprefix("/"), anchored=anchored)
    alternatives = tuple(_segments(spelling) for spelling in _spellings(items, glue))
    return Line(negated, folders_only, anchored, alternatives)


def _without_trailing_spaces(text: str) -> str:
    kept = text.rstrip(" ")
    if kept == text:
        return text
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 else kept


_Items = list[Item | str]
"""Items with two marks between them: ``/`` ends a segment, ``**`` stands for whole folders."""


def _items(text: str, *, anchored: bool) -> tuple[_Items, int]:
    """The items of a pattern, and where a ``**`` hangs on a literal start (``foo**/bar``), or -1."""
    items: _Items = []
    glue = -1
    at = 0
    literal = True
    while at < len(text):
        if text[at] == "*":
            end = at + len(text[at:]) - len(text[at:].lstrip("*"))
            opens = at == 0 or text[at - 1] == "/"
            # Git compares a literal start on its own and matches the rest as a new pattern, which then begins
            # with this ``**``: that is why it may hang on a name.
            stars = _stars(text, end) if anchored and end - at > 1 and (opens or literal) else [None]
            if stars != [None] and not opens and text[end : end + 1] != "\\":
                glue = len(items)
                stars = [None]
            items += stars
            literal, at = False, end
        else:
            literal = literal and text[at] not in "?[\\"
            item, at = _item(text, at)
            items.append(item)
    return items, glue


def _stars(text: str, end: int) -> _Items:
    """What two or more stars before ``end`` stand for, by what follows them."""
    if end == len(text):
        return ["**", "/", None]
    if text[end] == "/":
        return ["**"]
    # An escaped slash takes away the reading "no folder at all".
    return [None, "/", "**"] if text[end : end + 2] == "\\/" else [None]


def _item(text: str, at: int) -> tuple[Item | str, int]:
    character = text[at]
    if character == "?":
        return ANY, at + 1
    if character == "[":
        return _bracket(text, at + 1)
    if character == "\\":
        at += 1
        if at == len(text):
            raise UnusableLineError("ends in a lone backslash")
        character = text[at]
    return ("/" if character == "/" else ord(character)), at + 1


_BRACKET_MEMBER = re.compile(
    r"\[:(?P<name>[^\]]*):\]"
    r"|\\(?P<escaped>.)"
    r"|(?P<plain>[^\\])",
    re.DOTALL,
)


def _bracket(text: str, at: int) -> tuple[Item, int]:
    """The set after an opening bracket at ``at - 1``, and where it ends."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    members: set[int] = set()
    previous = 0
    first = True
    while first or text[at : at + 1] != "]":
        first = False
        found = _BRACKET_MEMBER.match(text, at)
        if found is None:
            raise UnusableLineError("a bracket is not closed")
        at = found.end()
        if found["plain"] == "-" and previous and text[at : at + 1] not in ("", "]"):
            end, at = _range_end(text, at)
            members.update(range(previous, end + 1))
            previous = 0
        elif found["name"] is not None:
            if found["name"] not in _CLASSES:
                raise UnusableLineError("an unknown character class")
            bounds = _CLASSES[found["name"]]
            for low, high in zip(bounds[::2], bounds[1::2], strict=True):
                members.update(range(ord(low), ord(high) + 1))
            previous = 0
        else:
            previous = ord(found["escaped"] or found["plain"])
            members.add(previous)
    if 0x0A in members:
        members.add(ord(NEWLINE))
    chosen = ANY - members if negated else ANY & members
    if not chosen:
        raise UnusableLineError("a bracket holds no character")
    return (next(iter(chosen)) if len(chosen) == 1 else chosen), at + 1


def _range_end(text: str, at: int) -> tuple[int, int]:
    if text[at] == "\\":
        at += 1
        if at == len(text):
            raise UnusableLineError("a bracket is not closed")
    return ord(text[at]), at + 1


def _spellings(items: _Items, glue: int) -> list[_Items]:
    if glue < 0:
        return [items]
    start, rest = items[:glue], items[glue + 1 :]
    while rest[:2] == ["/", "**"]:
        rest = rest[2:]
    if rest == ["/"]:
        return [start]
    if rest in ([], ["/", None]):
        return [[*start, None], [*start, None, "/", "**", "/", None]]
    return [[*start, *rest[1:]], [*start, None, "/", "**", *rest]]


def _segments(items: _Items) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    segment: list[Item] = []
    for item in [*items, "/"]:
        if not isinstance(item, str):
            segment.append(item)
        elif item == "**":
            segment += FOLDERS
        else:
            _close(segments, tuple(segment))
            segment = []
    if segments.count(FOLDERS) > _DOUBLE_STARS:
        raise UnusableLineError(f"more than {_DOUBLE_STARS} double stars")
    return tuple(segments)


def _close(segments: list[Segment], segment: Segment) -> None:
    if not segment:
        raise UnusableLineError("an empty name matches nothing")
    if segment == FOLDERS:
        if segments[-1:] != [FOLDERS]:
            segments.append(segment)
        return
    if segment.count(None) > _STARS_PER_SEGMENT:
        raise UnusableLineError(f"more than {_STARS_PER_SEGMENT} stars in one name")
    segments.append(segment)
