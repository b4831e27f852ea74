"""Quotes the fields of a source, whole or item by item, each with its own line."""

from __future__ import annotations

from brain.health.handover import bare_line, says
from brain.health.labels import ITEM
from brain.resume.values import Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from brain.health.handover import Fact
    from brain.health.page import Page
    from brain.resume.sources import Source

_REACH = 200
"""In so many lines below its first the next line of a fact stands."""


def quotation(source: Source, field: str) -> tuple[Said, ...]:
    """What the source says about ``field``, its lines joined by LF; nothing where it does not say it."""
    fact = source.handover.fields.get(field)
    if fact is None:
        return ()
    return (Said(fact.text, fact.file, fact.line, is_none=source.handover.is_none(field)),)


def items(source: Source, field: str) -> tuple[Said, ...]:
    """The same, one for each item of its list; lines that go on with an item belong to it.

    Of open points all sections count, for each may list others.
    """
    fact = source.handover.fields.get(field)
    if fact is None:
        return ()
    page, path = source.handover.page, source.path
    if source.handover.is_none(field):
        return (Said(fact.text, path, fact.line, is_none=True),)
    lines = list(_lines_of(page, fact))
    if field == "open":
        lines += [one for section in page.sections(field) for one in section.lines]
        lines = sorted(dict(lines).items())
    return tuple(_joined(page, path, lines))


def _lines_of(page: Page, fact: Fact) -> Iterator[tuple[int, str]]:
    """The lines of a fact with their numbers."""
    at = fact.line
    for part in fact.text.split("\n"):
        stop = min(at + _REACH, len(page) + 1)
        number = next((n for n in range(at, stop) if part in page.lines[n]), None)
        if number is not None:
            yield number, part
            at = number + 1


def _joined(page: Page, path: str, lines: Iterable[tuple[int, str]]) -> Iterator[Said]:

    text, first, last = "", 0, 0
    for number, line in lines:
        bare = bare_line(line)
        if not says(bare):
            continue
        goes_on = text and number == last + 1 and not ITEM.match(page.lines[number]) and line[:1] != "|"
        if goes_on:
            text += " " + bare
        else:
            if text:
                yield Said(text, path, first)
            text, first = bare, number
        last = number
    if text:
        yield Said(text, path, first)
