"""Changes one file of notes: entries go to its end as archived, or get fields; all else stays byte for byte.

Every result is read again and compared with what it should say; where it says anything else, the change is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain.consolidate.values import ARCHIVED
from brain.entries import escape
from brain.entries.add import labels_of
from brain.entries.document import Document, Entry, Field
from brain.entries.edit import insert
from brain.entries.fields import is_placeholder, normalised
from brain.entries.reader import read_entries

# What an entry says of itself, not of its matter: it stays with the entry that says it.
_OWN = frozenset({"status", "date", "superseded_by"})
_BULLET = re.compile(rb"[ ]{0,3}[-*+][ \t]+")
_HEADING = re.compile(rb"#{1,6}[ \t]+")
_LINE_END = re.compile(rb"\r\n|\r|\n")

Said = tuple[str, tuple[tuple[str, str], ...]]


class RefusedError(Exception):
    """A change that is not made, in words; the files stay as they are."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A field that an entry gets: its bytes as they stand elsewhere; with one ``key`` two mean the same."""

    key: str
    raw: bytes
    label: str
    value: str


def additions(kept: Entry, poorer: Entry, data: bytes, newline: bytes) -> tuple[Addition, ...]:
    """The fields that only ``poorer`` has, an entry of ``data``, with the line ends of the other file."""
    known = {_key(field) for field in kept.fields if not is_placeholder(field.value)}
    found: dict[str, Addition] = {}
    for field in poorer.fields:
        key = _key(field)
        if field.name in _OWN or key in known or key in found or is_placeholder(field.value):
            continue
        raw = newline.join(_LINE_END.split(data[field.span[0] : field.span[1]]))
        found[key] = Addition(key, raw, field.label, field.value)
    return tuple(found.values())


def _key(field: Field) -> str:
    return field.name or normalised(field.label)


def rewritten(
    data: bytes,
    document: Document,
    moves: Mapping[int, str],
    adds: Mapping[int, Sequence[Addition]],
) -> bytes:
    """``data`` with entries archived and extended; both are named by their places in ``document.entries``.

    An entry of ``moves`` goes behind everything else with ``[ARCHIVED]`` in its heading; its text there names
    what took its place, empty for nothing. One of ``adds`` gets the fields behind its last one.
    ``RefusedError`` where the result would not say exactly that.
    """
    pieces: list[bytes] = []
    tails: list[tuple[bytes, bytes]] = []
    at = 0
    for place, entry in enumerate(document.entries):
        start, stop = entry.span
        if place in moves:
            end = _behind_blanks(data, start, stop)
            pieces.append(data[at:start])
            block = _extended(data[start:stop], entry, _note(document, moves[place]), document.newline)
            tails.append((data[stop:end], _marked(block)))
            at = end
        elif place in adds:
            pieces += (
                data[at:start],
                _extended(data[start:stop], entry, [one.raw for one in adds[place]], document.newline),
            )
            at = stop
    new = b"".join((*pieces, data[at:]))
    for blanks, block in tails:
        new += _gap(new, blanks, document.newline) + block
    _verify(document, read_entries(new, document.kind), moves, adds)
    return new


def _behind_blanks(data: bytes, start: int, stop: int) -> int:
    """Where the blank lines behind an entry end that go with it.

    None do where the line above it is not blank: a rule below them would make a heading of that line.
    """
    above = _LINE_END.split(data[:start])
    if len(above) > 1 and above[-2].removeprefix(b"\xef\xbb\xbf").strip():
        return stop
    found = re.compile(rb"(?:[ \t]*(?:\r\n|\r|\n))+").match(data, stop)
    return found.end() if found else stop


def _note(document: Document, named: str) -> list[bytes]:
    if not named:
        return []
    label = labels_of(document)["superseded_by"]
    return [f"- **{label}**: {escape.one_line(named)}".encode()]


def _marked(block: bytes) -> bytes:
    found = _HEADING.match(block)
    if found is None:
        raise RefusedError("its heading cannot be marked as archived")
    return insert(block, found.end(), f"{ARCHIVED} ".encode())


def _extended(block: bytes, entry: Entry, fields: Sequence[bytes], newline: bytes) -> bytes:
    """The bytes of an entry with more fields behind its last one, or at its end where it has none."""
    if not fields:
        return block
    last = entry.fields[-1] if entry.fields else None
    body = block.rstrip(b"\r\n")
    offset = last.span[1] - entry.span[0] if last is not None else len(body)
    before = block[last.span[0] - entry.span[0] : offset] if last is not None else b""
    for raw in fields:
        close = _BULLET.match(before) is not None and _BULLET.match(raw) is not None
        added = newline * (1 if close else 2) + raw
        block = insert(block, offset, added)
        offset += len(added)
        before = raw
    return block


def _gap(new: bytes, blanks: bytes, newline: bytes) -> bytes:
    """What stands between ``new`` and an archived entry: a blank line, that which came along if one did."""
    text = new.removeprefix(b"\xef\xbb\xbf")
    if not text:
        return blanks
    lead = b"" if text.endswith((b"\n", b"\r")) else newline
    is_blank = not lead and not text.splitlines()[-1].strip()
    return lead + (blanks or (b"" if is_blank else newline))


# -- proof --------------------------------------------------------------------------------------------------


def _verify(
    before: Document, after: Document, moves: Mapping[int, str], adds: Mapping[int, Sequence[Addition]]
) -> None:
    if not after.readable:
        raise RefusedError(f"the file would not be readable: {after.problems[0].message}")
    unfinished = next((one for one in after.problems if one.code.endswith("-open")), None)
    if unfinished is not None:
        raise RefusedError(f"line {unfinished.line}: {unfinished.message}")
    stay = [
        _said(entry, [(one.label, one.value) for one in adds.get(place, ())])
        for place, entry in enumerate(before.entries)
        if place not in moves
    ]
    gone = [
        _archived(before, entry, moves[place]) for place, entry in enumerate(before.entries) if place in moves
    ]
    same = (
        [*stay, *gone] == [_said(entry) for entry in after.entries]
        and all(entry.archived for entry in after.entries[len(stay) :])
        and [(one.level, one.text) for one in before.headings]
        == [(one.level, one.text) for one in after.headings]
        and (before.bom, _front(before)) == (after.bom, _front(after))
    )
    if not same:
        raise RefusedError("the structure of the file would hide an entry or change another one")


def _said(entry: Entry, more: Sequence[tuple[str, str]] = ()) -> Said:
    return entry.heading, (*((field.label, field.value) for field in entry.fields), *more)


def _archived(document: Document, entry: Entry, named: str) -> Said:
    more = [(labels_of(document)["superseded_by"], escape.one_line(named))] if named else []
    heading, fields = _said(entry, more)
    return f"{ARCHIVED} {heading}".strip(), fields


def _front(document: Document) -> object:
    return document.front_matter.span if document.front_matter is not None else None
