"""The observations in a category's text: where each begins and ends, and the comment that names it.

An observation is a block between blank lines. Ours end with ``<!-- zecher: 2026-11-30 k3f9 -->``: the day,
and a name that is unique in the folder; ``, 2 parts`` for one of several blocks; ``, archived 2026-12-01``
for one that no longer counts. Blocks without such a comment are observations, too, and are named by their
text.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from unicodedata import normalize

from brain.value import Value

ARCHIVE = "## [ARCHIVED]"
BLANKS = " \t\r\n"
"""What may be taken away around a text; other signs that some take for blanks are somebody's."""

_ARCHIVE = re.compile(r"#{1,6}[ \t]+\[ARCHIVED\][ \t#]*", re.IGNORECASE)
_STAMP_TEXT = (
    r"[ \t]*<!-- zecher: (?P<date>\d{4}-\d\d-\d\d) (?P<id>[0-9a-z]{4,16})(?:, (?P<parts>\d{1,3}) parts)?"
    r"(?:, archived (?P<archived>\d{4}-\d\d-\d\d))? -->[ \t]*"
)
_STAMP = re.compile(_STAMP_TEXT)
# Begun at the first blank of a run alone: a line may be a megabyte of them.
_STAMPS = re.compile(r"(?<![ \t])" + _STAMP_TEXT)
_ANY_STAMP = re.compile(r"<!--\s*zecher:", re.IGNORECASE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"[ \t]*(?:[-*+>][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_BULLET = re.compile(r"[-*+][ \t]+")
# Without letters and digits that are mistaken for each other.
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_SHORTEST = 4
_LONGEST = 16
UNNAMED = 8
"""How long the name is of an observation that has no comment."""


class Observation(Value):
    """One observation: from ``start`` to ``end`` in its text, comment and all; ``line`` counts from 1 there.

    ``text`` is what it says. ``date`` is empty for one without a comment, ``archived`` the day since when it
    does not count, empty for one that does.
    """

    __slots__ = ("archived", "date", "end", "id", "line", "parts", "start", "text")

    def __init__(
        self,
        text: str,
        *,
        id: str,  # noqa: A002 - what people call it
        line: int,
        start: int,
        end: int,
        date: str = "",
        archived: str = "",
        parts: int = 1,
    ) -> None:
        self.text = text
        self.id = id
        self.line = line
        self.start = start
        self.end = end
        self.date = date
        self.archived = archived
        self.parts = parts


class Body(Value):
    """The observations of a text, and the offset of the heading of its archive, None without one."""

    __slots__ = ("archive", "observations")

    def __init__(self, observations: tuple[Observation, ...], archive: int | None) -> None:
        self.observations = observations
        self.archive = archive


class _Block:
    """Lines without a blank one between them, or up to a comment of ours."""

    __slots__ = ("end", "line", "stamp", "start")

    def __init__(self, line: int, start: int, end: int, stamp: re.Match[str] | None) -> None:
        self.line = line
        self.start = start
        self.end = end
        self.stamp = stamp


def read(text: str, *, offset: int = 0) -> Body:
    """The observations of ``text`` from ``offset`` on, behind the front matter."""
    found: list[Observation] = []
    archive: int | None = None
    waiting: list[_Block] = []
    for block in _blocks(text, offset):
        if archive is None and _ARCHIVE.fullmatch(text[block.start : block.end]):
            archive = block.start
            found += (_unnamed(text, one) for one in waiting)
            waiting = []
        elif block.stamp is None:
            waiting.append(block)
        else:
            count = int(block.stamp["parts"] or 1)
            split = max(0, len(waiting) - count + 1)
            found += (_unnamed(text, one) for one in waiting[:split])
            found.append(_named(text, [*waiting[split:], block]))
            waiting = []
    found += (_unnamed(text, one) for one in waiting)
    return Body(tuple(one for one in found if says_something(one.text)), archive)


def says_something(text: str) -> bool:
    """Whether there is more than headings in ``text``."""
    return any(line.strip() and not _HEADING.match(line) for line in text.splitlines())


def _unnamed(text: str, block: _Block) -> Observation:
    said = text[block.start : block.end]
    return Observation(said, id=digest(said)[:UNNAMED], line=block.line, start=block.start, end=block.end)


def _named(text: str, blocks: list[_Block]) -> Observation:
    first, last = blocks[0], blocks[-1]
    stamp = last.stamp
    if stamp is None:
        raise AssertionError("the last block is the one with the comment")
    return Observation(
        text[first.start : stamp.start()].rstrip(),
        id=stamp["id"],
        line=first.line,
        start=first.start,
        end=last.end,
        date=stamp["date"],
        archived=stamp["archived"] or "",
        parts=len(blocks),
    )


def _blocks(text: str, offset: int) -> Iterator[_Block]:
    number = text.count("\n", 0, offset) + 1
    fence = ""
    begun: tuple[int, int] | None = None
    end = offset
    for found in _LINE.finditer(text, offset):
        line = found.group().rstrip("\r\n")
        stop = found.start() + len(line)
        stamp = None
        if fence:
            closing = line.strip(" \t>")
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
        elif not line.strip():
            if begun:
                yield _Block(*begun, end, None)
                begun = None
        else:
            opening = _FENCE.match(line)
            fence = opening[1] if opening else ""
            at = text.rfind("<!-- zecher: ", found.start(), stop)
            if at >= 0:
                while at > found.start() and text[at - 1] in " \t":
                    at -= 1
                stamp = _STAMP.fullmatch(text, at, stop)
        if begun is None and line.strip():
            begun = (number, found.start())
        if line.strip():
            end = stop
        if stamp and begun:
            yield _Block(*begun, end, stamp)
            begun = None
        number += 1
    if begun:
        yield _Block(*begun, end, None)


def is_archive_heading(line: str) -> bool:
    """Whether ``line`` is the heading below which stands what does not count."""
    return _ARCHIVE.fullmatch(line.strip()) is not None


def has_stamp(text: str) -> bool:
    """Whether there is something in ``text`` that a reader could take for a comment of ours."""
    return _ANY_STAMP.search(text) is not None


def without_stamps(text: str) -> str:
    """``text`` without our comments."""
    return _STAMPS.sub("", text)


def stamped(text: str, *, id: str, date: str, archived: str = "", parts: int = 0) -> str:  # noqa: A002 - as above
    """``text`` with its comment: behind its last line, or below where that line would change by it."""
    count = parts or len(list(_blocks(text, 0)))
    words = [f"{date} {id}"]
    if count > 1:
        words.append(f"{count} parts")
    if archived:
        words.append(f"archived {archived}")
    last = text.rsplit("\n", 1)[-1]
    below = (
        re.search(r"`{3,}|~{3,}", text) is not None
        or last.startswith(("    ", "\t", "<", "#"))
        or last.rstrip().endswith(("|", "\\", ">"))
        or not last.strip("-=*_ \t")
    )
    return f"{text}{chr(10) if below else ' '}<!-- zecher: {', '.join(words)} -->"


def normalised(text: str) -> str:
    """What two spellings of one fact have in common: case, blanks, a bullet and a full stop do not count."""
    folded = " ".join(normalize("NFC", text).casefold().split())
    return _BULLET.sub("", folded, count=1).rstrip(".! ") or folded


def digest(text: str) -> str:
    """A name for what ``text`` says, of 16 letters and digits: its beginning will do."""
    from hashlib import sha256  # noqa: PLC0415 - start-up: 2 ms

    raw = sha256(normalised(text).encode("utf-8", "surrogatepass")).digest()
    return "".join(_ALPHABET[byte & 31] for byte in raw[:_LONGEST])


def new_id(text: str, taken: Container[str]) -> str:
    """The shortest beginning of the digest that no other observation of the folder is called by."""
    whole = digest(text)
    for length in range(_SHORTEST, _LONGEST + 1):
        if whole[:length] not in taken:
            return whole[:length]
    number = 0
    while (other := digest(f"{text}\n{number}")) in taken:
        number += 1
    return other
