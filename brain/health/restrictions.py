"""What must not be done for a time, and whether that time is over: rules ``r-*``.

A memory may say it in a form that machines read (``expires: 2026-12-01``, in the text or in front matter) or
in a sentence (``do not deploy until 2026-12-01``). Plain prose stays legal: it is information at most, unless
it names a day that is past.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache

from brain.health import roles
from brain.health.dates import day_of, find_date
from brain.health.finding import count, finding
from brain.health.plain import trigger, word_set
from brain.health.values import INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

SOON = 7
# What assistants read in every session: what is over misleads them there.
_LASTING = (roles.LONG_TERM, roles.TOOL_MEMORY, roles.ENTRY, roles.IMPORT, roles.NOTES, roles.BANK)
# Where sentences of restrictions live; instruction files are full of rules that have no end on purpose, so
# that there only what forbids up to a day in full is one.
_TOOL = (roles.LONG_TERM, roles.TOOL_MEMORY)
_INSTRUCTIONS = (roles.ENTRY, roles.IMPORT)
_BROKEN_DAY = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d")
_GAP = r"[ \t*_`]*"


@dataclass(frozen=True, slots=True)
class Restriction:
    """A line that limits something in time.

    ``labelled`` tells that it has the form that machines read, ``value`` what stands there for the day.
    ``day`` is the day on which it ends, None where none can be read. ``relative`` is the word that names a
    day only for whoever read it when it was written. ``owned`` tells that it says by whose word, ``firm``
    that it is no mere telling of what was: it has the form, or forbids before it names its end.
    """

    file: MemoryFile
    line: int
    text: str
    labelled: bool
    value: str
    day: date | None
    relative: str
    owned: bool
    firm: bool = True


@dataclass(frozen=True, slots=True)
class _Words:
    """``restrictions.toml`` as patterns for lower-cased lines, and the words that a text needs for any."""

    expires: re.Pattern[str]
    owner: re.Pattern[str]
    untrusted: re.Pattern[str]
    forbids: re.Pattern[str]
    until: re.Pattern[str]
    over: re.Pattern[str]
    relative: re.Pattern[str]
    labels: frozenset[bytes]
    limits: frozenset[bytes]


@cache
def _words() -> _Words:
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where a memory is examined

    with open(os.path.join(os.path.dirname(__file__), "restrictions.toml"), "rb") as file:
        table = tomli.load(file)
    labels, until = table["labels"], table["until"]["words"]
    start = r"(?:^[ \t>]*(?:[-*+][ \t]+)?|[`(\[{;|][ \t]*|[.,][ \t]+)[*_]{0,3}"
    trust = _any(labels["trust"])
    ends = _any(labels["expires"])
    return _Words(
        expires=re.compile(rf"{start}(?:{ends}){_GAP}[:=]{_GAP}(?P<value>[^`|;)\]}}\n]*)"),
        owner=re.compile(rf"(?<!\w)(?:{_any(labels['owner'])}){_GAP}[:=]|(?<!\w)@\w+"),
        untrusted=re.compile(rf"{start}(?:{trust}){_GAP}[:=]{_GAP}untrusted\b"),
        forbids=_pattern(table["forbids"]["words"]),
        until=_pattern(until),
        over=_pattern(table["over"]["words"]),
        relative=_pattern(table["relative"]["words"]),
        labels=frozenset(map(trigger, (*labels["expires"], *labels["trust"]))),
        limits=frozenset(map(trigger, until)),
    )


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", "[ _-]") for word in sorted(words, key=len, reverse=True))


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(words)})(?!\w)")


def day_in(text: str) -> date | None:
    """The first day that ``text`` names in full, None without."""
    found = find_date(text)
    return day_of(found[0]) if found else None


def restrictions(parsed: ParsedMemory) -> Iterator[Restriction]:
    """Every restriction of what assistants read in every session, without what is archived or replaced."""
    words = _words()
    if (words.labels | words.limits).isdisjoint(parsed.words.words):
        return
    seen: set[int | str] = set()
    for role in _LASTING:
        for file in parsed.files(role):
            key = file.stamp[2] or file.path
            if not file.data or key in seen:
                continue
            seen.add(key)
            found = word_set(file.data)
            speaks = role in _TOOL or (role in _INSTRUCTIONS and b"20" in file.data)
            if not words.labels.isdisjoint(found) or (speaks and not words.limits.isdisjoint(found)):
                yield from _of_file(parsed, file, words)


def _of_file(parsed: ParsedMemory, file: MemoryFile, words: _Words) -> Iterator[Restriction]:
    page, over = parsed.page(file), _over(parsed, file)
    for number, text in (*_front_lines(page), *enumerate(page.visible)):
        if not text or number in over:
            continue
        folded = text.lower()
        match = words.expires.search(folded)
        owned = words.owner.search(folded) is not None
        if match:
            value = match["value"].strip(" *_\"'")
            relative = words.relative.search(value)
            if value and value[0] not in "<{[":
                yield Restriction(
                    file,
                    number,
                    text,
                    labelled=True,
                    value=value,
                    day=day_in(value),
                    relative=relative[0] if relative else "",
                    owned=owned,
                )
        elif file.role in _TOOL or (file.role in _INSTRUCTIONS and "20" in folded):
            sentence = _sentence(file, number, text, words)
            if sentence and (file.role in _TOOL or (sentence.day and sentence.firm)):
                yield sentence


def _sentence(file: MemoryFile, number: int, text: str, words: _Words) -> Restriction | None:
    """What a sentence forbids up to an end, None where it does not, or says itself that this is over."""
    folded = text.lower()
    limit = words.until.search(folded)
    if limit is None or not words.forbids.search(folded):
        return None
    after = folded[limit.end() :]
    found = find_date(after)
    if found and words.over.search(after, found[2]):
        return None
    relative = words.relative.search(after)
    return Restriction(
        file,
        number,
        text,
        labelled=False,
        value="",
        day=day_of(found[0]) if found else None,
        relative=relative[0] if relative else "",
        owned=words.owner.search(folded) is not None,
        firm=words.forbids.search(folded, max(0, limit.start() - 80), limit.end()) is not None,
    )


def _front_lines(page: Page) -> Iterator[tuple[int, str]]:
    if page.front_matter is not None:
        for number, text in enumerate(page.lines[2:], 2):
            if text.rstrip() in ("---", "..."):
                return
            yield number, text


def _over(parsed: ParsedMemory, file: MemoryFile) -> set[int]:
    """The lines of entries that are archived or replaced."""
    document = parsed.notes.get(file.path)
    if document is None:
        return set()
    return {
        line
        for entry in document.entries
        if entry.archived or entry.status in ("superseded", "archived", "deprecated", "rolled-back")
        for line in range(entry.line, entry.line + file.data.count(b"\n", *entry.span) + 1)
    }


def _expired(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    found = [one for one in restrictions(parsed) if one.day]
    if not found:
        return None
    fix = "Remove or archive it, or give it a new day if it still holds."
    return [
        finding(
            parsed,
            WARNING if one.firm else INFO,
            "r-expired",
            f"A restriction ended on {one.day} and still stands.",
            fix,
            file=one.file.path,
            line=one.line,
            anchor=_anchor(one),
            since=str(one.day),
        )
        for one in found
        if one.day and today.reached(one.day, 1)
    ]


def _soon(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    found = [one for one in restrictions(parsed) if one.day]
    if not found:
        return None
    fix = "Decide whether it ends then, and what may be done from that day on."
    return [
        finding(
            parsed,
            INFO,
            "r-soon",
            f"A restriction ends on {one.day}.",
            fix,
            file=one.file.path,
            line=one.line,
            anchor=_anchor(one),
        )
        for one in found
        if one.day and today.reached(one.day, -SOON) and not today.reached(one.day, 1)
    ]


def _dateless(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = [one for one in restrictions(parsed) if not one.day]
    if not found:
        return None
    fix = "Write the day in full, YYYY-MM-DD: a memory is read on other days than it is written."
    return [
        finding(
            parsed,
            WARNING if one.labelled else INFO,
            "r-date",
            f'A restriction ends "{one.relative}", which no later reader can resolve.'
            if one.relative
            else "A restriction names an end that is no day.",
            fix,
            file=one.file.path,
            line=one.line,
            anchor=_anchor(one),
        )
        for one in found
        if one.relative or (one.labelled and _BROKEN_DAY.search(one.value))
    ]


def _endless(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = [one for one in restrictions(parsed) if not one.labelled]
    if not found:
        return None
    by_file: dict[str, list[int]] = {}
    for one in found:
        if not (one.day or one.relative or one.owned):
            by_file.setdefault(one.file.path, []).append(one.line)
    fix = "Add what ends it and who may say so: expires: YYYY-MM-DD, owner: NAME."
    return [
        finding(
            parsed,
            INFO,
            "r-open",
            f"{count(len(lines), 'restriction')} without a day and an owner, the first in line {lines[0]}.",
            fix,
            file=path,
            line=lines[0],
        )
        for path, lines in by_file.items()
    ]


def _untrusted(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    words = _words()
    files = [file for role in (*_TOOL, roles.ENTRY) for file in parsed.files(role) if file.data]
    if not files:
        return None
    return [
        finding(
            parsed,
            WARNING,
            "r-untrusted",
            "A text that is marked as untrusted stands where every session believes it.",
            "Have its owner check it and mark it as reviewed, or move it out.",
            file=file.path,
            line=number,
        )
        for file in files
        if b"untrusted" in file.data
        for number, text in enumerate(parsed.page(file).visible)
        if "untrusted" in text and words.untrusted.search(text.lower())
    ]


def _anchor(one: Restriction) -> str:
    return " ".join(one.text.split())[:120]


RULES = (
    Rule("r-expired", MEDIUM, "No restriction stands longer than it holds.", _expired),
    Rule("r-soon", LOW, "No restriction ends within a week.", _soon),
    Rule("r-date", LOW, "Restrictions name days in full.", _dateless),
    Rule("r-open", LOW, "Restrictions say when they end, or by whose word.", _endless),
    Rule("r-untrusted", MEDIUM, "Nothing untrusted stands in what every session believes.", _untrusted),
)
