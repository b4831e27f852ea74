"""``DREAMS.md``, the diary that people read: entries of ours between marks, appended, never overwritten.

A dream is ``<!-- zecher:dream run=RUN -->`` ... ``<!-- /zecher:dream -->``; what was worked out of notes of
the past is ``<!-- zecher:backfill day=DAY source=FILE sha=DIGEST -->`` ... ``<!-- /zecher:backfill -->``. By
its digest a backfilled entry that nobody edited is known, and only such a one is replaced or taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from brain.value import dataclass

NAMES = ("DREAMS.md", "dreams.md")
"""Its name, and the one under which it may exist already."""

TITLE = b"# Dream Diary"
FILE_CAP = 8 * 1024 * 1024

_OPENING = re.compile(rb"<!-- zecher:(dream|backfill) ([^\r\n]*?) ?-->")
_CLOSING = re.compile(rb"<!-- /zecher:(dream|backfill) -->")
_BACKFILL = re.compile(rb"day=(\d{4}-\d\d-\d\d) source=(\S+) sha=([0-9a-f]{8})")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-")
_RUN = re.compile(rb"run=(\S+)")
# OpenClaw's own: what lies between them is its, and what opens there must close.
_FOREIGN = re.compile(rb"<!--\s*(openclaw:[\w:-]+?):(start|end)\s*-->")


@dataclass(frozen=True, slots=True)
class Block:
    """An entry of ours: the bytes ``start`` to ``end`` of the file, the line it opens in, from 1.

    ``run`` is that of a dream, ``day`` and ``source`` those of a backfilled one; ``is_untouched`` says that
    nobody edited what stands between its marks.
    """

    kind: str
    start: int
    end: int
    line: int
    body: bytes
    run: str = ""
    day: str = ""
    source: str = ""
    is_untouched: bool = False


@dataclass(frozen=True, slots=True)
class Diary:
    """The entries of ours in a diary, and the lines of marks that open one and never close it."""

    blocks: tuple[Block, ...]
    unclosed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """An entry to be worked in: the day and the file of the note, the lines between the marks."""

    day: str
    source: str
    body: str


@dataclass(frozen=True, slots=True)
class Filled:
    """A diary with backfilled entries: how many are new, how many took the place of older ones of ours."""

    data: bytes
    written: int
    replaced: int


def read_diary(data: bytes) -> Diary:
    """What of a diary is ours."""
    blocks: list[Block] = []
    unclosed: list[int] = []
    foreign: dict[bytes, int] = {}
    opened: tuple[re.Match[bytes], int, int, int] | None = None
    offset = 0
    for number, raw in enumerate(data.split(b"\n"), start=1):
        text, end = raw.rstrip(b"\r"), min(offset + len(raw) + 1, len(data))
        opening, closing = _OPENING.fullmatch(text), _CLOSING.fullmatch(text)
        if opening is not None:
            if opened is not None:
                unclosed.append(opened[3])
            opened = (opening, offset, end, number)
        elif closing is not None and opened is not None and closing[1] == opened[0][1]:
            mark, start, inner, line = opened
            blocks.append(_block(mark, start, end, line, data[inner:offset]))
            opened = None
        mark_of_others = _FOREIGN.fullmatch(text)
        if mark_of_others is not None and mark_of_others[2] == b"start":
            if mark_of_others[1] in foreign:
                unclosed.append(foreign[mark_of_others[1]])
            foreign[mark_of_others[1]] = number
        elif mark_of_others is not None:
            foreign.pop(mark_of_others[1], None)
        offset = end
    if opened is not None:
        unclosed.append(opened[3])
    return Diary(tuple(blocks), tuple(sorted([*unclosed, *foreign.values()])))


def with_dream(data: bytes | None, run: str, body: str) -> bytes:
    """The diary with one more entry at its end, whatever stands there; as it is where the run has one."""
    held = data or b""
    if any(block.run == run for block in read_diary(held).blocks):
        return held
    return _appended(held, [f"<!-- zecher:dream run={run} -->", body.strip("\n"), "<!-- /zecher:dream -->"])


def last_dream(data: bytes) -> str:
    """What the last entry says, without the line that dates it; empty without one."""
    dreams = [block for block in read_diary(data).blocks if block.kind == "dream"]
    if not dreams:
        return ""
    return told(dreams[-1].body.decode("utf-8", "replace").replace("\r\n", "\n"))


def told(body: str) -> str:
    """An entry without its heading, by which two of different days can be compared."""
    return "\n".join(line for line in body.strip("\n").split("\n") if not line.startswith("## ")).strip("\n")


def with_backfill(data: bytes | None, entries: Iterable[Backfilled]) -> Filled:
    """The diary with entries for notes of the past, each once.

    One that stands there for the same note gives way if nobody edited it, else it stays beside the new one,
    unless it says the same.
    """
    held = data or b""
    written = replaced = 0
    for entry in entries:
        body = entry.body.strip("\n")
        earlier = [block for block in read_diary(held).blocks if block.source == entry.source]
        new = _canonical(body.encode("utf-8", "replace"))
        untouched = [block for block in earlier if block.is_untouched]
        written += 1
        if untouched:
            block = untouched[0]
            replaced += 1
            if _canonical(block.body) != new or block.day != entry.day:
                newline = _newline(held)
                lines = _lines_of(entry, body)
                held = held[: block.start] + b"".join(line + newline for line in lines) + held[block.end :]
            continue
        if any(_canonical(block.body) == new for block in earlier):
            continue
        held = _appended(held, [line.decode() for line in _lines_of(entry, body)])
    return Filled(held, written, replaced)


def without_backfill(data: bytes) -> tuple[bytes, tuple[Block, ...], tuple[Block, ...]]:
    """The diary without the backfilled entries that nobody edited, these, and those that stay for that."""
    diary = read_diary(data)
    ours = [block for block in diary.blocks if block.kind == "backfill"]
    gone = [block for block in ours if block.is_untouched]
    held = data
    for block in reversed(gone):
        start = block.start
        # The blank line before an entry was written with it.
        for blank in (b"\r\n\r\n", b"\n\n"):
            if held[:start].endswith(blank):
                start -= len(blank) // 2
                break
        held = held[:start] + held[block.end :]
    return held, tuple(gone), tuple(block for block in ours if not block.is_untouched)


def _block(mark: re.Match[bytes], start: int, end: int, line: int, body: bytes) -> Block:
    kind = mark[1].decode()
    if kind == "dream":
        run = _RUN.fullmatch(mark[2])
        return Block(kind, start, end, line, body, run=run[1].decode("utf-8", "replace") if run else "")
    facts = _BACKFILL.fullmatch(mark[2])
    if facts is None:
        return Block(kind, start, end, line, body)
    source = _unquoted(facts[2])
    return Block(
        kind,
        start,
        end,
        line,
        body,
        day=facts[1].decode(),
        source=source,
        is_untouched=_digest(body) == facts[3].decode(),
    )


def _quoted(path: str) -> str:
    """A path without blanks and whatever could end a comment: other bytes as ``%`` and two digits."""
    data = path.encode("utf-8", "surrogateescape")
    quoted = "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in data)
    return quoted.replace("--", "-%2D")


def _unquoted(text: bytes) -> str:
    data = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), text)
    return data.decode("utf-8", "surrogateescape")


def _lines_of(entry: Backfilled, body: str) -> list[bytes]:
    inner = body.encode("utf-8", "replace")
    mark = f"<!-- zecher:backfill day={entry.day} source={_quoted(entry.source)} sha={_digest(inner)} -->"
    return [mark.encode(), *inner.split(b"\n"), b"<!-- /zecher:backfill -->"]


def _appended(held: bytes, lines: Sequence[str]) -> bytes:
    newline = _newline(held)
    text = b"".join(line.encode("utf-8", "replace") + newline for part in lines for line in part.split("\n"))
    if not held:
        return TITLE + newline + newline + text
    return held + (b"" if held.endswith(b"\n") else newline) + newline + text


def _newline(data: bytes) -> bytes:
    windows = data.count(b"\r\n")
    return b"\r\n" if windows and windows * 2 > data.count(b"\n") else b"\n"


def _canonical(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n").strip(b"\n")


def _digest(body: bytes) -> str:
    return sha256(_canonical(body)).hexdigest()[:8]
