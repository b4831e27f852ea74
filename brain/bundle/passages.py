"""The part of a text that answers, cut where a sentence, a list item or a block ends.

A fenced block stays whole or is left out. Only where a single sentence is longer than the room it is cut
between words, and between characters only where hundreds of them stand without a blank.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from unicodedata import combining

from brain.bundle.tokens import affordable, tokens
from brain.search.analyser import terms
from brain.value import Value

ELLIPSIS = "[…]"
"""Stands on a line of its own where text was left out, and within a line where a sentence was cut."""

_LEAST = 12
"""Tokens for which a passage is not worth its heading."""
_NO_WORD = 200
"""Characters without a blank that are no word."""
_BEFORE = 80

_OPENS = re.compile(r"[ \t]{0,12}(?P<fence>`{3,}|~{3,})")
_BEGINS = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||>)")
_SENTENCE = re.compile(
    r"(?:\w{3}|[)\]\"'`%*»“”])[.!?…]+[\"'`)\]»“”*_]*(?=\s+[^\sa-zß-öø-ÿ])|[\u3002\uff01\uff1f]+[\u300d\u300f\uff09]*"
)
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


class Passage(Value):
    """A part of a text: its lines ``first`` to ``last``, from 0, and whether anything ``is_cut`` away."""

    __slots__ = ("first", "is_cut", "last", "text")

    def __init__(self, text: str, first: int, last: int, *, is_cut: bool) -> None:
        self.text = text
        self.first = first
        self.last = last
        self.is_cut = is_cut


class _Unit:
    """What is not cut: from ``start`` to ``end`` of the text."""

    __slots__ = ("end", "is_fence", "start")

    def __init__(self, start: int, end: int, *, is_fence: bool) -> None:
        self.start = start
        self.end = end
        self.is_fence = is_fence


def passage(text: str, room: int, matched: Collection[str] = ()) -> Passage | None:
    """The passage of ``text`` that takes at most ``room`` tokens, around the densest of ``matched``.

    ``matched`` are terms of the analyser; without one the beginning is taken. None where nothing fits.
    """
    if tokens(text) <= room:
        return Passage(text, 0, text.count("\n"), is_cut=False)
    room -= 2 * tokens(f"{ELLIPSIS}\n")
    if room < _LEAST:
        return None
    units = [unit for block in _blocks(text) for unit in _sentences(text, block)]
    order = _densest(text, units, matched)
    for at in order:
        unit = units[at]
        if tokens(text[unit.start : unit.end]) <= room:
            first, last = _grown(text, units, at, room)
            return _shown(text, units[first].start, units[last].end)
    for at in order:
        if not units[at].is_fence:
            start, end = _between_words(text, units[at], room, matched)
            if end > start:
                return _shown(text, start, end)
    return None


def _blocks(text: str) -> Iterator[_Unit]:
    """Fenced blocks, list items, headings, rows of tables, paragraphs."""
    start: int | None = None
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        opens = _OPENS.match(line)
        if fence:
            if opens and opens["fence"].startswith(fence) and not line[opens.end() :].strip():
                yield _Unit(start or 0, end, is_fence=True)
                start, fence = None, ""
        elif opens or not line.strip() or _BEGINS.match(line):
            if start is not None:
                yield _Unit(start, at, is_fence=False)
            start = at if line.strip() else None
            fence = opens["fence"] if opens else ""
        elif start is None:
            start = at
        at = end
    if start is not None:
        yield _Unit(start, at, is_fence=bool(fence))


def _sentences(text: str, block: _Unit) -> Iterator[_Unit]:
    if block.is_fence:
        yield block
        return
    start = block.start
    for match in _SENTENCE.finditer(text, block.start, block.end):
        if text[start : match.end()].strip():
            yield _Unit(start, match.end(), is_fence=False)
            start = match.end()
    if text[start : block.end].strip():
        yield _Unit(start, block.end, is_fence=False)


def _densest(text: str, units: list[_Unit], matched: Collection[str]) -> list[int]:
    """The units, those with the most different matched terms first, then as they stand."""
    if not matched:
        return list(range(len(units)))
    counts = []
    for unit in units:
        ordered, more = terms(text[unit.start : unit.end])
        counts.append(len({term for term in (*ordered, *more) if term in matched}))
    return sorted(range(len(units)), key=lambda at: -counts[at])


def _grown(text: str, units: list[_Unit], at: int, room: int) -> tuple[int, int]:
    """First and last of the units around ``at`` that fit together."""
    first = last = at
    grows = True
    while grows:
        grows = False
        if last + 1 < len(units) and tokens(text[units[first].start : units[last + 1].end]) <= room:
            last += 1
            grows = True
        if first > 0 and tokens(text[units[first - 1].start : units[last].end]) <= room:
            first -= 1
            grows = True
    return first, last


def _between_words(text: str, unit: _Unit, room: int, matched: Collection[str]) -> tuple[int, int]:
    """Start and end of the words of one long sentence that fit, from a little before the first match."""
    start = unit.start
    found = _first_match(text, unit, matched)
    if found - start > affordable(text[start : unit.end], room) - _BEFORE:
        near = text.find(" ", max(start, found - _BEFORE), found)
        start = near + 1 if near >= 0 else max(start, found)
    end = start + affordable(text[start : unit.end], room)
    if end >= unit.end:
        return start, unit.end
    blank = max(text.rfind(sign, start, end + 1) for sign in " \n\t")
    if blank > start:
        return start, blank
    if text.find(" ", start, min(start + _NO_WORD, unit.end)) >= 0:
        return start, start
    while end > start and (combining(text[end]) or text[end] in _JOINERS or text[end - 1] == "\u200d"):
        end -= 1
    return (start, end) if end - start >= _NO_WORD or not text[start:end].isascii() else (start, start)


def _first_match(text: str, unit: _Unit, matched: Collection[str]) -> int:
    for word in re.finditer(r"\S+", text[unit.start : unit.end]):
        ordered, more = terms(word.group()[:400])
        if any(term in matched for term in (*ordered, *more)):
            return unit.start + word.start()
    return unit.start


def _shown(text: str, start: int, end: int) -> Passage:
    kept = text[start:end]
    lead = len(kept) - len(kept.lstrip("\n"))
    first = text.count("\n", 0, start + lead)
    kept = kept[lead:].rstrip()
    if text[:start].strip():
        line_start = text.rfind("\n", 0, start + lead) + 1
        kept = f"{ELLIPSIS} {kept.lstrip()}" if text[line_start:start].strip() else f"{ELLIPSIS}\n{kept}"
    last = text.count("\n", 0, start + len(text[start:end].rstrip()))
    if text[end:].strip():
        line_end = text.find("\n", end - 1)
        within = text[end : line_end if line_end >= 0 else len(text)].strip() and text[end - 1] != "\n"
        kept = f"{kept} {ELLIPSIS}" if within else f"{kept}\n{ELLIPSIS}"
    return Passage(kept, first, last, is_cut=True)
