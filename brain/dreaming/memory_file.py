"""``MEMORY.md`` as dreaming sees it: items of its own, each known by a digest; all else is a person's.

An item is a line ``<!-- zecher:promoted ID run=RUN sha=DIGEST -->`` with a bullet right below it, under a
heading ``## Promoted from daily notes (YYYY-MM-DD)``. A bullet that no longer has the digest was edited: it
belongs to a person from then on. Lines of people are never changed, moved or removed by anything here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256

from brain.display import display
from brain.value import dataclass

NAME = "MEMORY.md"
BUDGET = 10_000
"""Characters of the file, as OpenClaw counts them: half of what it injects of one file."""

TITLE = b"# Long-Term Memory"
ARCHIVE_TITLE = b"# Moved out of MEMORY.md"
OLDEST, EXPIRED, SUPERSEDED = "oldest", "expired", "superseded"
"""Why an item was moved to the archive."""

RUN_NAME = r"\d{8}T\d{6}Z-\d{1,6}"

_HEADING = re.compile(rb"## Promoted from daily notes \((\d{4}-\d\d-\d\d)\)")
_MARKER = re.compile(
    rb"<!-- zecher:promoted ([0-9a-f]{12}) run=(%s) sha=([0-9a-f]{8}) -->" % RUN_NAME.encode()
)
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_TAIL = re.compile(r" \[score=[^\]]*\]$")

Line = tuple[bytes, bytes]
"""A line without its end, and the end."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """A claim to be written: its id, its text (one line), and what the bullet says of it in brackets.

    ``supersedes`` are the ids of items that no longer hold with it.
    """

    id: str
    text: str
    note: str
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An item of ours that nobody edited.

    ``line`` is that of its marker, from 1; ``text`` what it says without the brackets; ``day`` that of its
    heading, empty where a person took the heading away.
    """

    id: str
    run: str
    line: int
    text: str
    day: str
    marker: bytes
    bullet: bytes


@dataclass(frozen=True, slots=True)
class Archived:
    """An item that moves to the archive, and why."""

    item: Item
    why: str


@dataclass(frozen=True, slots=True)
class Planned:
    """What the file would hold, what was added and archived on the way, and what found no room.

    ``data`` is None where nothing changes. ``size`` counts the characters afterwards, ``human`` those that
    nobody but a person can take away; ``is_over``: these alone are more than the budget.
    """

    data: bytes | None
    added: tuple[Promotion, ...] = ()
    archived: tuple[Archived, ...] = ()
    left_out: tuple[Promotion, ...] = ()
    size: int = 0
    human: int = 0
    is_over: bool = False


def characters(data: bytes) -> int:
    """How long a reader in JavaScript takes the text to be: signs beyond the first 65,536 count twice."""
    return len(data.decode("utf-8", "replace").encode("utf-16-le", "replace")) // 2


def items_of(data: bytes) -> tuple[Item, ...]:
    """The items in the file that nobody edited, in its order."""
    return tuple(one for one, _ in _items(_lines(data)))


def human_lines(data: bytes) -> list[bytes]:
    """What people wrote: all lines but our items, headings that stand over nothing else, and blank ones."""
    lines = _lines(data)
    gone = _removed(lines, [place for _, place in _items(lines)])
    return [text for number, (text, _) in enumerate(lines) if number not in gone and text.strip()]


def plan(
    data: bytes | None,
    promotions: Sequence[Promotion],
    *,
    day: str,
    run: str,
    budget: int = BUDGET,
    expired: Collection[str] = (),
) -> Planned:
    """The file with ``promotions`` (the best first) under the heading of ``day``, within ``budget``.

    ``data`` is None where there is no file. What stands there already is not added again. Items that are
    ``expired`` (by id) or superseded by what is added are archived, then the oldest until all fits; of
    promotions for which that makes no room the last are left out. Where the text of people alone is over the
    budget nothing is done.
    """
    old = data or b""
    lines = _lines(old)
    found = _items(lines)
    base = _without(lines, [place for _, place in found], data)
    human = characters(base)
    if human > budget:
        return Planned(None, left_out=tuple(promotions), size=characters(old), human=human, is_over=True)
    present = {item.id for item, _ in found}
    wanted = [one for one in promotions if one.id not in present]
    added = list(wanted)
    while added and characters(_with(base, data, added, day, run)) > budget:
        added.pop()
    superseded = {one for promotion in added for one in promotion.supersedes}
    archived: dict[int, Archived] = {}
    for item, place in found:
        if item.id in superseded or item.id in expired:
            archived[place] = Archived(item, SUPERSEDED if item.id in superseded else EXPIRED)
    oldest = iter(sorted(found, key=lambda one: _age(one[0])))
    new = _with(_without(lines, archived, data), data, added, day, run)
    while characters(new) > budget:
        item, place = next(oldest)
        if place not in archived:
            archived[place] = Archived(item, OLDEST)
            new = _with(_without(lines, archived, data), data, added, day, run)
    return Planned(
        new if added or archived else None,
        tuple(added),
        tuple(archived[place] for place in sorted(archived)),
        tuple(wanted[len(added) :]),
        characters(new),
        human,
    )


def archive_with(data: bytes | None, archived: Iterable[Archived], *, day: str, run: str) -> bytes:
    """The archive with these items at its end, each whole; one that stands there already is not repeated."""
    held = data or b""
    newline = _newline(held)
    added = b""
    for one in archived:
        block = one.item.marker + newline + one.item.bullet + newline
        if block in held or block in added:
            continue
        head = f"<!-- zecher:archived {day} run={run} why={one.why} -->".encode()
        added += newline + head + newline + block
    if not added:
        return held
    if not held:
        return ARCHIVE_TITLE + newline + added
    return held + (b"" if held.endswith(b"\n") else newline) + added


def without_run(data: bytes, run: str) -> tuple[bytes, tuple[Item, ...]]:
    """The file without the items of ``run`` that nobody edited, and these."""
    lines = _lines(data)
    found = [(item, place) for item, place in _items(lines) if item.run == run]
    if not found:
        return data, ()
    return _without(lines, [place for _, place in found], data), tuple(item for item, _ in found)


def with_items(data: bytes, items: Sequence[Item]) -> bytes:
    """The file with these items again, as they were, each under the heading of its day."""
    present = {(one.id, one.run) for one in items_of(data)}
    for day in dict.fromkeys(one.day for one in items):
        blocks = [
            (one.marker, one.bullet) for one in items if one.day == day and (one.id, one.run) not in present
        ]
        if blocks:
            data = _with_blocks(data, blocks, day or _day_of(items[0].run))
    return data


def bullet_of(promotion: Promotion) -> bytes:
    """The line that stands for the claim."""
    text = display(promotion.text).replace("\n", " ")
    return f"- {text} [{display(promotion.note)}]".encode("utf-8", "replace")


def text_of(bullet: bytes) -> str:
    """What a bullet of ours says, without what stands in its brackets."""
    return _TAIL.sub("", bullet.decode("utf-8", "replace").removeprefix("- "))


# -- lines --------------------------------------------------------------------------------------------------


def open_ends(data: bytes) -> tuple[int, ...]:
    """The lines, from 1, of a comment and of a block of code that nothing closes before the end."""
    found = []
    comment = data.rfind(b"<!--")
    if comment > data.rfind(b"-->"):
        found.append(data.count(b"\n", 0, comment) + 1)
    lines = _lines(data)
    fenced = _fenced(lines)
    loose = (at for at, (text, _) in enumerate(lines) if at not in fenced and _FENCE.match(text))
    found += [at + 1 for at, _ in zip(loose, range(1), strict=False)]
    return tuple(sorted(found))


def _lines(data: bytes) -> list[Line]:
    found: list[Line] = []
    for raw in _split(data):
        end = b"\r\n" if raw.endswith(b"\r\n") else b"\n" if raw.endswith(b"\n") else b""
        found.append((raw[: len(raw) - len(end)], end))
    return found


def _split(data: bytes) -> list[bytes]:
    """Lines end with LF or CRLF; a CR alone ends none."""
    parts = data.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def _newline(data: bytes) -> bytes:
    windows = data.count(b"\r\n")
    return b"\r\n" if windows and windows * 2 > data.count(b"\n") else b"\n"


def _items(lines: Sequence[Line]) -> list[tuple[Item, int]]:
    """Each item, and the place of its marker."""
    found = []
    day = ""
    fenced = _fenced(lines)
    for place, (text, _) in enumerate(lines):
        if place in fenced:
            continue
        if text.startswith(b"#"):
            heading = _HEADING.fullmatch(text)
            day = heading[1].decode() if heading else ""
        item = _item(lines, place, day)
        if item is not None:
            found.append((item, place))
    return found


def _fenced(lines: Sequence[Line]) -> set[int]:
    """The lines of code blocks that are closed: an open one would swallow what was written below it."""
    marks = [(place, mark[1]) for place, (text, _) in enumerate(lines) if (mark := _FENCE.match(text))]
    found: set[int] = set()
    end = -1
    for number, (place, opening) in enumerate(marks):
        if place <= end:
            continue
        for last, closing in marks[number + 1 :]:
            if closing.startswith(opening) and not lines[last][0].strip(b" \t`~"):
                found.update(range(place, last + 1))
                end = last
                break
    return found


def _item(lines: Sequence[Line], place: int, day: str) -> Item | None:
    marker = _MARKER.fullmatch(lines[place][0])
    if marker is None or place + 1 >= len(lines):
        return None
    bullet = lines[place + 1][0]
    if digest(bullet) != marker[3].decode():
        return None
    return Item(
        marker[1].decode(), marker[2].decode(), place + 1, text_of(bullet), day, lines[place][0], bullet
    )


def digest(bullet: bytes) -> str:
    """By which a bullet is known to be as it was written."""
    return sha256(bullet).hexdigest()[:8]


def _age(item: Item) -> tuple[str, int, int]:
    moment, _, number = item.run.partition("-")
    return moment, int(number), item.line


def _day_of(run: str) -> str:
    return f"{run[:4]}-{run[4:6]}-{run[6:8]}"


def _removed(lines: Sequence[Line], places: Iterable[int]) -> set[int]:
    """The lines that go with the items at ``places``: their own, and a heading under which nothing is left.

    With a heading go the blank lines that were written around it.
    """
    gone = {number for place in places for number in (place, place + 1)}
    for number, (text, _) in enumerate(lines):
        if not _HEADING.fullmatch(text) or number + 2 not in gone or lines[number + 1][0]:
            continue
        end = number + 2
        while end in gone:
            end += 1
        if any(text.strip() for text, _ in _section_rest(lines, end)):
            continue
        gone |= {number, number + 1}
        if number and not lines[number - 1][0]:
            gone.add(number - 1)
    return gone


def _section_rest(lines: Sequence[Line], start: int) -> Iterable[Line]:
    """The lines from ``start`` to the next heading, or the end."""
    for text, end in lines[start:]:
        if text.startswith(b"#"):
            return
        yield text, end


def _without(lines: Sequence[Line], places: Iterable[int], data: bytes | None) -> bytes:
    """The file without the items at ``places``; ``data`` is how it is now."""
    gone = _removed(lines, places)
    if not gone:
        return data or b""
    kept = [line for number, line in enumerate(lines) if number not in gone]
    return _joined(kept, ends=(data or b"").endswith(b"\n"), newline=_newline(data or b""))


def _joined(lines: Sequence[Line], *, ends: bool, newline: bytes) -> bytes:
    """The lines as a file whose last line ends as it did before."""
    if not lines:
        return b""
    whole = [text + (end or newline) for text, end in lines[:-1]]
    text, end = lines[-1]
    return b"".join(whole) + text + ((end or newline) if ends else b"")


def _with(data: bytes, old: bytes | None, added: Sequence[Promotion], day: str, run: str) -> bytes:
    if not added:
        return data
    blocks = []
    for one in added:
        bullet = bullet_of(one)
        blocks.append((f"<!-- zecher:promoted {one.id} run={run} sha={digest(bullet)} -->".encode(), bullet))
    return _with_blocks(TITLE + b"\n" if old is None else data, blocks, day)


def _with_blocks(data: bytes, blocks: Sequence[tuple[bytes, bytes]], day: str) -> bytes:
    """The file with items at the end of the section of ``day``, else in a new one at its end."""
    newline = _newline(data)
    lines = _lines(data)
    new = [(text, newline) for block in blocks for text in block]
    place = _end_of_section(lines, day)
    if place is None:
        heading = f"## Promoted from daily notes ({day})".encode()
        lead = [(b"", newline)] if lines else []
        new = [*lead, (heading, newline), (b"", newline), *new]
        place = len(lines)
    merged = [*lines[:place], *new, *lines[place:]]
    return _joined(merged, ends=data.endswith(b"\n") or not data, newline=newline)


def _end_of_section(lines: Sequence[Line], day: str) -> int | None:
    """Behind the last of the items that stand right under the heading of ``day``; None without such."""
    places = {place for _, place in _items(lines)}
    for number, (text, _) in enumerate(lines):
        heading = _HEADING.fullmatch(text)
        if heading is None or heading[1].decode() != day or number + 2 not in places or lines[number + 1][0]:
            continue
        end = number + 2
        while end in places:
            end += 2
        return end
    return None
