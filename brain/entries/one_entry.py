"""Reads one entry from its lines: the heading's date, title and marks, the fields, the status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from brain.entries.document import Entry, EntryProblem, Field
from brain.entries.fields import LABEL_ENDS, Status, field_name, is_placeholder, read_status, words
from brain.entries.lines import (
    BLANK,
    CODE,
    COMMENT,
    LIVE,
    RAW,
    Line,
    PlainLines,
    is_rule,
    shown,
    texts_of,
)

_DATE = (
    r"(?:(?P<y>[0-9]{4})[-/](?P<m>[0-9]{1,2})[-/](?P<d>[0-9]{1,2})"
    r"|(?P<D>[0-9]{1,2})\.(?P<M>[0-9]{1,2})\.(?P<Y>[0-9]{4}))(?![0-9])"
)
# A range's second day and a time of day may follow.
_LEADING_DATE = re.compile(rf"[\[(]?{_DATE}(?:/[0-9]{{1,2}})?(?:[T ][0-9][0-9:.]{{3,14}}Z?)?[\])]?(?!\w)")
_TRAILING_DATE = re.compile(rf"[\[(]{_DATE}[\])]$")
# What most headings begin with, a day that every month has: the same at a third of the cost.
_USUAL_DATE = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]) [\u2014\u2013-] (?=[^\W_])"
)
_SAMPLE_DATE = re.compile(r"YYYY-MM-DD|JJJJ-MM-TT|AAAA-MM-JJ")
_BLANKS = r"[ \t\u00a0\u202f]*"
_COLON = r"[:\uff1a]"
# Bold labels, with the colon inside or outside the bold run, or the run ended by a full stop.
BOLD_LABEL = re.compile(
    rf"(?:\*\*|__)(?P<label>[^*_\n]{{1,60}}?){_BLANKS}"
    rf"(?:[:\uff1a.](?:\*\*|__)(?![*_])(?:{_BLANKS}{_COLON})?|(?:\*\*|__){_BLANKS}{_COLON}){_BLANKS}"
)
# The same for a word of letters, which is what most labels are: a fourth of the time.
_USUAL_LABEL = re.compile(
    rf"\*\*(?P<label>[^\W\d_]{{1,60}}+)(?:\*\*:|:\*\*(?![*_])(?:{_BLANKS}{_COLON})?){_BLANKS}"
)
_LABEL_CAP = 60
# A field as most are written, with the lines that continue it: a bullet, one word in bold, a text. Whatever
# could mean anything else is left to the walk from line to line: it takes five times as long.
_USUAL_FIELD = re.compile(
    r"[-*+] \*\*(?P<label>[^\W\d_]++(?:[ -][^\W\d_]++)*+)(?:\*\*:|:\*\*) (?P<value>[^\s:\uff1a][^\n]*+)"
    r"(?P<more>(?:\n(?:[A-Za-z][^\n:\uff1a]*+| {2,3}[A-Za-z][^\n]*+))*+)(?P<gap>\n*+)"
)
PLAIN_LABEL = re.compile(rf"(?P<label>[^\W\d_][^:\uff1a*`\n]{{0,40}}?){_BLANKS}{_COLON}(?:[ \t\u00a0]+|$)")
_BULLET = re.compile(r"[-*+][ \t]+")
# Possessive: a line may be a megabyte of blanks, and giving them back one by one takes hours.
_SUBHEADING = re.compile(r"#{4,6}[ \t]++(?P<label>[^#\n]++)[ \t#]*+$")


class _Open:
    """A field while its lines are collected. ``shape`` is bullet, paragraph or heading."""

    __slots__ = ("gap", "is_empty", "label", "last", "line", "name", "parts", "shape", "value_start")

    def __init__(self, name: str | None, label: str, line: Line, shape: str, value_at: int) -> None:
        self.name = name
        self.label = label
        self.line = line
        self.shape = shape
        self.value_start = line.at(value_at)
        self.parts = [line.text[value_at:].strip()]
        self.is_empty = not self.parts[0]
        self.last = line
        self.gap = False  # whether the line before was blank

    def take(self, line: Line) -> None:
        if self.is_empty and line.kind != BLANK:
            self.value_start = line.start
            self.is_empty = not line.text.strip()
        self.parts.append(line.text)
        self.gap = line.kind == BLANK
        if not self.gap:
            self.last = line

    def field(self) -> Field:
        value = self.parts[0]
        if len(self.parts) > 1:
            value = "\n".join(part for part in (value, _dedented(self.parts[1:])) if part)
        end = self.last.end
        return Field(
            self.name,
            shown(self.label),
            shown(value.strip()),
            self.line.number,
            (self.line.start, end),
            (min(self.value_start, end), end),
        )


def read_entry(
    lines: Sequence[Line], level: int, heading: str, kind: str, problems: list[EntryProblem]
) -> Entry:
    """The entry whose heading is the first of ``lines``; what is odd about it is added to ``problems``."""
    fields = read_fields(lines)
    archived, rest = _without_mark(_without_closing(heading))
    date, title, complaint = _dated(rest)
    by_name = {field.name: field for field in fields if field.name}
    named = by_name.get("date")
    if named and (date is None or kind == "patterns"):
        date = _dated(named.value)[0] or date
    if isinstance(lines, PlainLines):
        number, span = lines.number, lines.span()
    else:
        number, span = lines[0].number, (lines[0].start, lines[-1].stop)
    if complaint:
        problems.append(EntryProblem("entry-date", number, complaint))
    status = _status(by_name.get("status"), problems)
    replaced = by_name.get("superseded_by")
    successor = (
        replaced.value if replaced and not is_placeholder(replaced.value) else None
    ) or status.superseded_by
    if not title:
        problems.append(EntryProblem("entry-untitled", number, "the entry's heading has no title"))
    elif is_placeholder(title) or _SAMPLE_DATE.search(heading):
        problems.append(
            EntryProblem("entry-placeholder", number, "the heading is a template's, not an entry's")
        )
    return Entry(
        heading,
        title,
        date,
        archived or status.name == "archived",
        fields,
        status.name,
        successor,
        number,
        span,
        level,
    )


def read_fields(lines: Sequence[Line]) -> tuple[Field, ...]:
    """The labelled values among the lines below a heading, which is the first of them, in their order."""
    usual = _usual_fields(lines)
    return usual if usual is not None else _any_fields(lines[1:])


def _usual_fields(lines: Sequence[Line]) -> tuple[Field, ...] | None:
    """The fields where the lines below the heading hold nothing but usual ones; else None.

    Lines that are not live need no second look: what hides them begins with a line of another form.
    """
    if not isinstance(lines, PlainLines):
        texts, number = texts_of(lines), lines[0].number
        starts, ends = [line.start for line in lines], [line.end for line in lines]
    else:
        texts, starts, ends, number = lines.texts, lines.starts, lines.ends, lines.number
    text = "\n".join(texts[1:])
    at = len(text) - len(text.lstrip("\n"))
    index = at + 1
    found = []
    while at < len(text):
        match = _USUAL_FIELD.match(text, at)
        if match is None:
            return None
        label, value, more, gap = match.groups()
        if len(label) > _LABEL_CAP:
            return None
        line, start = number + index, starts[index]
        value_start = start + match.start(2) - at
        value = value.strip()
        if more:
            wrapped = more[1:].split("\n")
            index += len(wrapped)
            value = "\n".join((value, _dedented(wrapped)))
        end = ends[index]
        index += len(gap)
        if not label.isascii():
            value_start += len(label.encode()) - len(label)
        found.append(Field(field_name(label), label, shown(value), line, (start, end), (value_start, end)))
        at = match.end()
    return tuple(found)


def _any_fields(lines: Sequence[Line]) -> tuple[Field, ...]:
    found: list[Field] = []
    current: _Open | None = None
    for line in lines:
        opened = _opens(line) if line.kind == LIVE else None
        if opened is None and current and _continues(current, line):
            current.take(line)
            continue
        if current:
            found.append(current.field())
        current = opened
    if current:
        found.append(current.field())
    return tuple(found)


def _opens(line: Line) -> _Open | None:
    text, start = line.text, 0
    if text[0].isspace():
        if line.indent > 3:
            return None
        start = len(text) - len(text.lstrip())
    sign = text[start : start + 1]
    if sign == "#":
        return _opens_below(line, start)
    bullet = _BULLET.match(text, start) if sign in ("-", "*", "+") else None
    at = bullet.end() if bullet else start
    shape = "bullet" if bullet else "paragraph"
    is_bold = text.startswith(("**", "__"), at)
    if is_bold and (bold := _USUAL_LABEL.match(text, at) or BOLD_LABEL.match(text, at)):
        label = bold["label"].strip(LABEL_ENDS)
        return _Open(field_name(label), label, line, shape, bold.end())
    if start or (":" not in text and "\uff1a" not in text):
        return None
    plain = PLAIN_LABEL.match(text, at)
    if plain and (name := field_name(plain["label"])):
        return _Open(name, plain["label"], line, shape, plain.end())
    return None


def _opens_below(line: Line, start: int) -> _Open | None:
    """The field that a heading of level 4 to 6 names."""
    heading = _SUBHEADING.match(line.text, start)
    label = heading["label"].rstrip(" \t") if heading else ""
    name = field_name(label) if label else None
    return _Open(name, label, line, "heading", len(line.text)) if name else None


def _continues(current: _Open, line: Line) -> bool:
    """Whether ``line`` still belongs to the value that is being collected."""
    if line.kind == BLANK or line.indent >= 2:
        return True
    text = line.text
    if line.kind == LIVE and text[0].isalpha():
        return not current.gap or _goes_below(current)
    if line.kind in (CODE, RAW):
        return not current.gap or current.shape != "bullet"
    if line.kind == COMMENT or is_rule(text) or text.startswith("#"):
        return False
    return _goes_below(current) or (not current.gap and not _BULLET.match(text))


def _goes_below(current: _Open) -> bool:
    """Whether the value stands below the label, whatever form its lines have."""
    return current.shape == "heading" or (current.shape == "paragraph" and current.is_empty)


def _dedented(lines: list[str]) -> str:
    if len(lines) == 1:
        return lines[0].lstrip(" ").rstrip()
    widths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    width = min(widths, default=0)
    return "\n".join(line[width:].rstrip() for line in lines).strip("\n")


def _without_closing(heading: str) -> str:
    """A heading without the ``#`` signs that may close it."""
    kept = heading.rstrip("#")
    return kept.strip(" \t") if not kept or kept[-1] in " \t" else heading.strip(" \t")


def _without_mark(heading: str) -> tuple[bool, str]:
    if "[" not in heading:
        return False, heading
    mark = re.search(rf"(?i)(?<!\\)\[(?:{words().archived})(?![\w])[^\]\n]{{0,60}}\](?!\()", heading)
    if mark is None:
        return False, heading
    return True, " ".join((heading[: mark.start()] + heading[mark.end() :]).split())


@cache
def _separator() -> re.Pattern[str]:
    """One sign, or a run of it, between date and title: what follows is the title's own, as in "-5 °C"."""
    return re.compile(r"[ \t]*(?:([\u2014\u2013:|·-])\1*)?[ \t]*")


def _dated(text: str) -> tuple[str | None, str, str]:
    """(date, the text without it, what is wrong with the date) of a heading or a date field."""
    if usual := _USUAL_DATE.match(text):
        return text[:10], text[usual.end() :].strip(), ""
    found = _LEADING_DATE.match(text)
    if found:
        rest = text[found.end() :]
        rest = rest[_separator().match(rest).end() :]  # type: ignore[union-attr] # it matches nothing, too
    else:
        found = _TRAILING_DATE.search(text)
        if found is None:
            return None, text, ""
        rest = text[: found.start()].rstrip(" \t")
    year, month, day = map(int, found.group("y", "m", "d") if found["y"] else found.group("Y", "M", "D"))
    if not _exists(year, month, day):
        return None, rest.strip(), f"there is no such date: {found.group().strip()}"
    return f"{year:04}-{month:02}-{day:02}", rest.strip(), ""


def _exists(year: int, month: int, day: int) -> bool:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= days[month - 1]


_NO_STATUS = Status(None, None)


def _status(field: Field | None, problems: list[EntryProblem]) -> Status:
    if field is None:
        return _NO_STATUS
    status = read_status(field.value)
    if status.unclear == "several":
        problems.append(
            EntryProblem(
                "status-unchosen", field.line, f"more than one status is left standing: {field.value[:80]}"
            )
        )
    elif status.unclear:
        problems.append(
            EntryProblem("status-unknown", field.line, f"not a known status: {field.value[:80] or 'nothing'}")
        )
    return status
