"""Finds what a memory says is open: marks, labels, restrictions with an end, open points of the handover.

Nothing is inferred from prose. Files are read, never changed; the texts are free of secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from brain.health import roles
from brain.health.dates import day_of, find_date
from brain.health.fields import is_none, is_placeholder
from brain.health.handover import bare_line
from brain.health.labels import ITEM as LIST_ITEM
from brain.health.limit_fields import (
    OWNER,
    alternatives,
    entry_above,
    fields_around,
    without_fields,
)
from brain.health.plain import memory_files, trigger, word_set
from brain.health.restrictions import restrictions
from brain.loops.due import due_in, loop_id, without, words
from brain.loops.values import BLOCKER, ITEM, QUESTION, RESTRICTION, Loop
from brain.resume.quoting import items
from brain.resume.sources import sources
from brain.secrets import redact
from brain.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Heading, Page
    from brain.health.parsed import ParsedMemory
    from brain.health.restrictions import Restriction
    from brain.health.values import MemoryFile

MOST = 500
"""So many loops of one project are told."""

TEXT_CAP = 200
_LONGEST = 4096
_OWNER_CAP = 40
_BESIDE = (roles.LEDGER, roles.IMPORT, roles.WORKSPACE, roles.IDENTITY)
_TEXTS = (".md", ".mdc", ".markdown", ".txt")
_AT = re.compile(r"(?<!\w)@([^\W\d]\w{0,39})")
_STRUCK = re.compile(r"~~.*~~[.!]?$")


def loops_of(parsed: ParsedMemory) -> tuple[Loop, ...]:
    """Every loop of a memory, each text once, by file and line; their states are not judged yet.

    A text that stands twice is known from the place that says more of what it is: an item with a day or a
    label before an open point of the handover, that before a restriction.
    """
    found: dict[str, Loop] = {}
    for one in _all(parsed):
        known = found.get(one.id)
        if known is None:
            found[one.id] = one
        elif known.due is None and one.due is not None:
            found[one.id] = replace(known, due=one.due, owner=known.owner or one.owner)
        if len(found) >= MOST:
            break
    return tuple(sorted(found.values(), key=lambda one: (one.file, one.line, one.id)))


def _all(parsed: ParsedMemory) -> Iterator[Loop]:
    made = _Maker(parsed)
    for file in memory_files(parsed):
        if file.role not in _BESIDE and file.path.lower().endswith(_TEXTS) and _may_tell(file.data):
            yield from _of_file(made, file)
    yield from _of_handovers(made)
    yield from _of_restrictions(made)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the loops of one memory."""

    parsed: ParsedMemory

    def loop(self, kind: str, page: Page, line: int, text: str) -> Loop | None:
        """The loop that ``text`` (without secrets) tells in ``line``; None where it says nothing."""
        _, day, bare = due_in(text)
        return self.made(kind, page, line, _sayable(bare), day=day)

    def made(
        self, kind: str, page: Page, line: int, text: str, *, day: date | None, known_by: str = ""
    ) -> Loop | None:
        """The loop of ``text`` that is due on ``day``; ``known_by`` is the text without its day."""
        memory = self.parsed.memory
        if not text or is_placeholder(text) or is_none(text) or _STRUCK.fullmatch(text):
            return None
        project = memory.identifier or memory.path
        return Loop(
            id=loop_id(project, known_by or text),
            kind=kind,
            text=text if len(text) <= TEXT_CAP else text[: TEXT_CAP - 1].rstrip() + "\u2026",
            file=page.path,
            line=line,
            due=day,
            owner=_owner(page, line),
            project=project,
            path=memory.path,
            name=memory.name,
        )


def _sayable(text: str) -> str:
    return " ".join(text.split()).strip(" \t,;-\u2013\u2014")


def _clean(text: str) -> str:
    """A line without secrets. It is cut far behind what is shown, so that no piece of one is left."""
    return redact(text[:_LONGEST]).text


def _owner(page: Page, line: int) -> str:
    fields = fields_around(page, line)
    told = next((one.value for one in fields if one.name == OWNER and one.value), "")
    if not told and (named := _AT.search(page.lines[line][:_LONGEST])):
        told = named[1]
    return _sayable(_clean(told))[:_OWNER_CAP]


# -- items with a day, and labels ----------------------------------------------------------------------------


@cache
def _kinds() -> dict[str, str]:
    return {word: kind for kind, some in words()["labels"].items() for word in some}


@cache
def _triggers() -> frozenset[bytes]:
    return frozenset(map(trigger, _kinds()))


@cache
def _label() -> re.Pattern[str]:
    """A label at the beginning of a line without its marks; what is behind it is its value."""
    label = alternatives(_kinds())
    return re.compile(
        rf"[*_]{{0,3}}(?P<label>{label})[ \t]?[*_]{{0,3}}[ \t]?[:\uff1a][*_]{{0,3}}(?:[ \t]+|$)"
        rf"|[*_]{{0,3}}(?P<bold>{label})[*_]{{0,3}}[ \t]+[\u2013\u2014][ \t]+",
        re.IGNORECASE,
    )


def _kind(label: str) -> str:
    return _kinds().get(label.lower().replace("-", " ").replace("_", " "), "")


def _may_tell(data: bytes) -> bool:
    return b"[ ]" in data or not _triggers().isdisjoint(word_set(data))


def _of_file(made: _Maker, file: MemoryFile) -> Iterator[Loop]:
    """The items and labels of one file. ``announced`` is the kind that a heading or a bare label gives."""
    page = made.parsed.page(file)
    headings = {one.line: one for one in page.headings}
    announced, indent = "", -1
    for number, line in enumerate(page.visible):
        if number in headings:
            announced, indent = _kind_of(headings[number]), -1
        elif not line.strip():
            pass
        else:
            item = LIST_ITEM.match(line)
            own = len(item[1].expandtabs(4)) if item else -1
            if indent >= 0 and own <= indent - 1:
                announced, indent = "", -1
            told = _told(made, page, number, line, announced if item else "")
            if isinstance(told, Loop):
                yield told
            elif told:
                announced, indent = told, own + 1


def _kind_of(heading: Heading) -> str:
    return _kind(heading.norm)


def _told(made: _Maker, page: Page, number: int, line: str, announced: str) -> Loop | str | None:
    """The loop of one line, or the kind of a label that announces a list, or None."""
    box = LIST_ITEM.match(line)
    is_open = box is not None and box[2] == " "
    if box is not None and box[2] not in (None, " "):
        return None
    bare = bare_line(line[:_LONGEST])
    label = _label().match(bare)
    if label is None:
        if announced:
            return made.loop(announced, page, number, _clean(bare))
        return _dated_item(made, page, number, bare) if is_open else None
    kind = _kind(label["label"] or label["bold"])
    value = bare[label.end() :].strip()
    return made.loop(kind, page, number, _clean(value)) if value else kind


def _dated_item(made: _Maker, page: Page, number: int, bare: str) -> Loop | None:
    text = _clean(bare)
    return made.loop(ITEM, page, number, text) if due_in(text)[0] else None


# -- what existing readers tell ------------------------------------------------------------------------------


def _of_handovers(made: _Maker) -> Iterator[Loop]:
    for source in sources(made.parsed):
        page = source.handover.page
        for field, kind in (("blockers", BLOCKER), ("open", QUESTION)):
            for said in items(source, field):
                box = LIST_ITEM.match(page.lines[said.line])
                if said.is_none or (box is not None and box[2] not in (None, " ")):
                    continue
                label = _label().match(said.text)
                text = said.text[label.end() :] if label else said.text
                if loop := made.loop(kind, page, said.line, _clean(text)):
                    yield loop


def _of_restrictions(made: _Maker) -> Iterator[Loop]:
    for one in restrictions(made.parsed):
        if one.day is None and not (one.labelled and one.unlock):
            continue
        page = made.parsed.page(one.file)
        text = _sayable(_subject(page, one))
        known_by = "" if one.labelled else _without_its_day(text, one)
        if loop := made.made(RESTRICTION, page, one.line, text, day=one.day, known_by=known_by):
            yield replace(loop, unlock=_clean(one.unlock)[:TEXT_CAP])


def _without_its_day(text: str, one: Restriction) -> str:
    found = find_date(text)
    is_its_day = found is not None and day_of(found[0]) == one.day
    return without(text, [found[1:]]) if found is not None and is_its_day else text


def _subject(page: Page, one: Restriction) -> str:
    """What a restriction is about: its sentence, or the entry, heading or page whose field it is."""
    if not one.labelled:
        return bare_line(_clean(one.text))
    for line in (one.text, entry_above(page, one.line)):
        text = without(bare_line(without_fields(_clean(line))), [])
        if sum(map(str.isalpha, text)) >= 3 and not is_placeholder(text):
            return text
    heading = page.heading_at(one.line) or page.title
    if heading is not None:
        return _clean(heading.text)
    front = page.front_matter
    named = front.text("name") if front is not None and not front.complaint else ""
    return _clean(named) or page.path
