"""What must not be done for a time, and whether that time is over: rules ``r-*``.

A memory may say it in a form that machines read (``expires: 2026-12-01``, in the text or in front matter) or
in a sentence (``do not deploy until 2026-12-01``); the fields are those of ``brain.health.limit_fields``.
Plain prose stays legal: it is information at most, unless it names a day that is past.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache

from brain.health import roles
from brain.health.dates import day_of, find_date
from brain.health.finding import count, finding
from brain.health.limit_fields import (
    EXPIRES,
    GAP,
    NAMES,
    OWNER,
    START,
    TRUST,
    UNLOCK,
    LimitField,
    alternatives,
    fenced_lines,
    fields_around,
    fields_in,
    front_lines,
    table,
)
from brain.health.plain import look_for, trigger, word_set
from brain.health.values import INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.value import dataclass, replace

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
_BROKEN_DAY = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d|(?<![\w-])20\d\d-\d\d(?!\w)|(?<!\w)(?:q[1-4]|kw[ .]?\d{1,2}|20\d\d)(?!\w)"
)
_TRUST_WORD = re.compile(r"[^\W\d_][\w-]{1,24}")


@dataclass(frozen=True, slots=True)
class Restriction:
    """A line that limits something in time.

    ``labelled`` tells that it has the form that machines read, ``value`` what stands there for the day.
    ``day`` is the day on which it ends, None where none can be read. ``relative`` is the word that names a
    day only for whoever read it when it was written. ``owned`` tells that it says by whose word, ``firm``
    that it is no mere telling of what was: it has the form, or forbids before it names its end. ``fields``
    are those of its entry, its own first.
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
    fields: tuple[LimitField, ...] = ()

    @property
    def owner(self) -> str:
        """By whose word it holds, empty where a field does not say it."""
        return next((one.value for one in self.fields if one.name == OWNER and one.value), "")

    @property
    def unlock(self) -> str:
        """What ends it beside a day, empty where no field says it."""
        return next((one.value for one in self.fields if one.name == UNLOCK and one.value), "")


@dataclass(frozen=True, slots=True)
class _Words:
    """``restrictions.toml`` as patterns for lower-cased lines, and the words that a text needs for any."""

    expires: re.Pattern[str]
    owner: re.Pattern[str]
    trust: re.Pattern[str]
    forbids: re.Pattern[str]
    until: re.Pattern[str]
    over: re.Pattern[str]
    relative: re.Pattern[str]
    labels: frozenset[bytes]
    limits: frozenset[bytes]
    trusts: frozenset[bytes]


@cache
def _words() -> _Words:
    data = table()
    labels, until = data["labels"], data["until"]["words"]
    trust = alternatives(labels[TRUST])
    ends = alternatives((*labels[EXPIRES], *labels[UNLOCK]))
    return _Words(
        expires=re.compile(rf"{START}(?:{ends}){GAP}[:=]{GAP}(?P<value>[^`|;)\]}}\n]*)"),
        owner=re.compile(rf"(?<!\w)(?:{alternatives(labels[OWNER])}){GAP}[:=]|(?<!\w)@[^\W\d]\w*"),
        trust=re.compile(rf"{START}(?:{trust}){GAP}[:=]"),
        forbids=_pattern(data["forbids"]["words"]),
        until=_pattern(until),
        over=_pattern(data["over"]["words"]),
        relative=_pattern(data["relative"]["words"]),
        labels=frozenset(map(trigger, (*labels[EXPIRES], *labels[UNLOCK]))),
        limits=frozenset(map(trigger, until)),
        trusts=frozenset(map(trigger, labels[TRUST])),
    )


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives(words)})(?!\w)")


def triggers() -> frozenset[bytes]:
    """The words of which a memory needs one before any restriction is looked for."""
    words = _words()
    return words.labels | words.limits | words.trusts


look_for(triggers)


def day_in(text: str) -> date | None:
    """The first day that ``text`` names in full, None without."""
    found = find_date(text)
    return day_of(found[0]) if found else None


def restrictions(parsed: ParsedMemory) -> Iterator[Restriction]:
    """Every restriction of what assistants read in every session, without what is archived or replaced."""
    words = _words()
    if triggers().isdisjoint(parsed.words.telling):
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
    for number, text in _told(page):
        if number in over:
            continue
        folded = text.lower()
        match = words.expires.search(folded)
        if match:
            value = match["value"].strip(" *_\"'")
            if value and value[0] not in "<{[":
                yield _labelled(file, page, number, text, value)
        elif file.role in _TOOL or (file.role in _INSTRUCTIONS and "20" in folded):
            sentence = _sentence(file, number, text, words)
            if sentence and (file.role in _TOOL or (sentence.day and sentence.firm)):
                fields = fields_around(page, number)
                yield replace(sentence, fields=fields, owned=sentence.owned or _has(fields, OWNER))


def _told(page: Page) -> Iterator[tuple[int, str]]:
    """The lines that are no samples: front matter, what a reader sees, fences of fields."""
    yield from front_lines(page)
    yield from ((number, text) for number, text in enumerate(page.visible) if text)
    yield from fenced_lines(page)


def _labelled(file: MemoryFile, page: Page, line: int, text: str, value: str) -> Restriction:
    words, fields = _words(), fields_around(page, line)
    relative = words.relative.search(value)
    return Restriction(
        file,
        line,
        text,
        labelled=True,
        value=value,
        day=day_in(value),
        relative=relative[0] if relative else "",
        owned=_has(fields, OWNER) or words.owner.search(text.lower()) is not None,
        fields=fields,
    )


def _has(fields: Iterable[LimitField], name: str) -> bool:
    return any(one.name == name and one.value for one in fields)


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


def _ownerless(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = [one for one in restrictions(parsed) if one.labelled]
    if not found:
        return None
    by_file: dict[str, list[int]] = {}
    for one in found:
        if not one.owned:
            by_file.setdefault(one.file.path, []).append(one.line)
    return [
        finding(
            parsed,
            INFO,
            "r-owner",
            f"{count(len(lines), 'restriction')} that nobody is named for, the first in line {lines[0]}.",
            "Add who may lift it: owner: NAME.",
            file=path,
            line=lines[0],
        )
        for path, lines in by_file.items()
    ]


def _trusts(parsed: ParsedMemory) -> Iterator[tuple[MemoryFile, int, LimitField]] | None:
    """Every word of trust in what sessions believe; None where there is no such file."""
    words = _words()
    files = [file for role in (*_TOOL, roles.ENTRY) for file in parsed.files(role) if file.data]
    if not files:
        return None
    if words.trusts.isdisjoint(parsed.words.telling):
        return iter(())
    telling = [file for file in files if not words.trusts.isdisjoint(word_set(file.data))]
    return (
        (file, number, one)
        for file in telling
        for number, text in _told(parsed.page(file))
        if words.trust.search(text.lower())
        for one in fields_in(text, number)
        if one.name == TRUST
    )


def _says_untrusted(one: LimitField) -> bool:
    return any(
        re.match(rf"{re.escape(word)}(?!\w)", one.value.lower()) for word in table()[TRUST]["untrusted"]
    )


def _untrusted(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = _trusts(parsed)
    if found is None:
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
        for file, number, one in found
        if _says_untrusted(one)
    ]


def _odd_trust(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    """A word of trust that nobody knows says nothing; alone in a line it may be a heading of its own kind."""
    found = list(_trusts(parsed) or ())
    if not found:
        return None
    known = {word for words in table()[TRUST].values() for word in words}
    odd = [
        (file, number, one)
        for file, number, one in found
        if _TRUST_WORD.fullmatch(one.value.rstrip(".")) and one.value.rstrip(".").lower() not in known
    ]
    return [
        finding(
            parsed,
            WARNING if _is_with_others(parsed, file, number) else INFO,
            "r-trust",
            f'Trust is said to be "{one.value[:25]}", which nobody knows.',
            "Write owner, reviewed or untrusted.",
            file=file.path,
            line=number,
        )
        for file, number, one in odd
    ]


def _is_with_others(parsed: ParsedMemory, file: MemoryFile, line: int) -> bool:
    fields = fields_around(parsed.page(file), line)
    return any(one.name in NAMES and one.name != TRUST for one in fields)


def _anchor(one: Restriction) -> str:
    return " ".join(one.text.split())[:120]


RULES = (
    Rule("r-expired", MEDIUM, "No restriction stands longer than it holds.", _expired),
    Rule("r-soon", LOW, "No restriction ends within a week.", _soon),
    Rule("r-date", LOW, "Restrictions name days in full.", _dateless),
    Rule("r-open", LOW, "Restrictions say when they end, or by whose word.", _endless),
    Rule("r-owner", LOW, "Restrictions with an end name who may lift them.", _ownerless),
    Rule("r-trust", LOW, "Words of trust are known ones.", _odd_trust),
    Rule("r-untrusted", MEDIUM, "Nothing untrusted stands in what every session believes.", _untrusted),
)
