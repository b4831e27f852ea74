"""What the heading of a decision says: its identifier, its date, its title, its status, what replaced it."""

from __future__ import annotations

import re
from functools import lru_cache

from brain.health.dates import find_date, leading_date
from brain.health.fields import is_placeholder, plain, status_of
from brain.health.words import fold
from brain.value import dataclass

_IDENTIFIER = re.compile(
    r"\W{0,4}(?:(?P<id>(?:ADR|DEC|DR|AD|TD|ARCH|RFC|D)[-_ #]{0,2}(?P<number>\d{1,6}))"
    r"|(?:decision|entscheidung|d[e\u00e9]cision)[ ]#?(?P<word>\d{1,6}))(?![\w.]\w)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\W{0,3}(\d{1,4})(?:[.):]|[ ]?[\u2013\u2014-])(?=\s)")
_STRUCK = re.compile(r"~~(.+?)~~")
_SEPARATORS = " \t:.,;|\u00b7\u2013\u2014-"
_REPLACED = re.compile(
    r"(?:superseded|superceded|replaced|obsoleted)[ _-]by"
    r"|(?:ersetzt|abgeloest|abgelost|ueberholt|uberholt) durch"
    r"|(?:remplace|supplante)e?s? par"
)
_REPLACES = re.compile(
    r"(?<!\w)(?:supersedes|supercedes|replaces|loest|ersetzt|remplace)(?!\w)(?! (?:durch|par|by|nicht))"
)
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\(([^()\s]{1,400})\)")
_REFERENCE = re.compile(r"(?<![\w-])(?:ADR|DEC|DR|AD|TD|ARCH|RFC|D)[-_ #]?\d{1,6}(?!\w)", re.IGNORECASE)
_BRACKET = re.compile(r"[\[(]([^\[\]()]{2,60})[\])]\s*$")
_TAIL = re.compile(r"\s[\u2013\u2014|-]{1,2}\s+([^\u2013\u2014|]{2,60})$")
_ARCHIVED = re.compile(
    r"(?<!\\)\[(?:archived|archiviert|archiv\u00e9e?)(?!\w)[^\]\n]{0,60}\](?!\()", re.IGNORECASE
)
_MOST = 20


@dataclass(slots=True)
class Name:
    """The parts of a heading; ``opens`` is 2 where an identifier or a date opens an entry, 1 for a number."""

    identifier: str
    number: int | None
    date: str | None
    title: str
    status: str
    superseded_by: tuple[str, ...]
    opens: int


def read_name(text: str) -> Name:
    """The heading ``text`` taken apart; a placeholder in the place of a date or a number opens nothing."""
    known = _read_name(text)
    return Name(
        known.identifier,
        known.number,
        known.date,
        known.title,
        known.status,
        known.superseded_by,
        known.opens,
    )


def opens_entry(text: str) -> bool:
    """Whether the heading ``text`` opens an entry by itself: with an identifier or a date."""
    return _read_name(text).opens == 2


@lru_cache(maxsize=512)
def _read_name(text: str) -> Name:
    struck = _STRUCK.match(text.strip())
    rest = _STRUCK.sub(r"\1", text) if "~~" in text else text
    archived = _ARCHIVED.search(rest) if "[" in rest else None
    if archived:
        rest = f"{rest[: archived.start()].rstrip()} {rest[archived.end() :].lstrip()}".strip()
    identifier, number, opens = "", None, 0
    found = _IDENTIFIER.match(rest)
    if found:
        identifier, number = (found["id"] or ""), int(found["number"] or found["word"])
        identifier = identifier or f"{number}"
        rest, opens = rest[found.end() :], 2
    date = None
    leading = leading_date(rest)
    dated = leading or find_date(rest[-40:])
    if leading:
        date, rest, opens = leading[0], rest[leading[2] :], 2
        rest = re.sub(r"^(?:/\d{1,2})?(?:[ T]\d{1,2}:\d\d(?::\d\d)?)?\s*\]?", "", rest)
        if not identifier and (found := _IDENTIFIER.match(rest)) and found["id"]:
            identifier, number = found["id"], int(found["number"])
            rest = rest[found.end() :]
    elif dated:
        date = dated[0]
        rest = _without_date(rest)
    numbered = _NUMBERED.match(rest) if not opens else None
    if numbered:
        number, rest, opens = int(numbered[1]), rest[numbered.end() :], 1
    title, status, by = _without_status(rest.strip(_SEPARATORS))
    if struck and not status:
        status = "superseded"
    if archived:
        status = "archived"
    if opens and not date and not title and is_placeholder(text):
        opens = 0
    return Name(identifier, number, date, title.strip(_SEPARATORS), status, by, opens)


def _without_date(text: str) -> str:
    found = find_date(text[-40:])
    if found is None:
        return text
    start = len(text) - len(text[-40:]) + found[1]
    head, tail = text[:start], text[start + found[2] - found[1] :]
    return f"{head.rstrip(_SEPARATORS + '([')} {tail.lstrip(')]')}".strip()


def _without_status(title: str) -> tuple[str, str, tuple[str, ...]]:
    """(title, status, what replaced it) of a title with a status in brackets or behind a dash at its end."""
    for pattern in (_BRACKET, _TAIL):
        found = pattern.search(title)
        if found is None:
            continue
        by = replaced_by(found[1])
        status = status_of(found[1])[0] if _is_short(found[1]) or by else ""
        if by or status:
            return title[: found.start()].strip(), status or "superseded", by
    by = replaced_by(title) if "by" in title.lower() or "durch" in title or " par " in title else ()
    if by:
        found = _REPLACED.search(fold(title))
        cut = title[: found.start()] if found and len(fold(title)) == len(title) else title
        return cut.strip(_SEPARATORS + "(["), "superseded", by
    return title, "", ()


def _is_short(text: str) -> bool:
    """Whether a text is a status alone, not a part of a sentence that begins with its word."""
    return len(plain(text).split(" ")) <= 2


def replaced_by(text: str) -> tuple[str, ...]:
    """What ``text`` names after "superseded by" in one of its spellings and languages."""
    return _named_after(_REPLACED, text)


def replaces(text: str) -> tuple[str, ...]:
    """What ``text`` names after "supersedes"; the German "ersetzt" counts only with a link or identifier."""
    found = _REPLACES.search(fold(text[:1000]))
    if found is None:
        return ()
    rest = text[max(0, found.end() - 8) :]
    return (
        tuple(_targets(rest)) if _REFERENCE.search(rest) or _LINK.search(rest) or find_date(rest[:60]) else ()
    )


def named(text: str) -> tuple[str, ...]:
    """What the value of a label such as "Superseded by" names: links, identifiers, a date, or its text."""
    text = text.strip()[:1000]
    if (
        not text
        or is_placeholder(text)
        or plain(text) in ("none", "keine", "-", "n/a", "aucun", "nothing", "nichts")
    ):
        return ()
    return tuple(_targets(text)) or (plain(text)[:200],)


def _named_after(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    text = text[:1000]
    folded = fold(text).replace("_", " ")
    found = pattern.search(folded)
    if found is None:
        return ()
    # Folding may have made the text longer: an umlaut is two letters.
    rest = (
        text[max(0, found.end() - (len(folded) - len(text))) :]
        if len(folded) != len(text)
        else text[found.end() :]
    )
    rest = rest.lstrip(" :-_").split("\n", 1)[0]
    targets = _targets(rest)
    if targets:
        return tuple(targets)
    bare = rest.strip(" .)]*_~")
    return (bare[:200],) if bare and not is_placeholder(bare) else ()


def _targets(text: str) -> list[str]:
    """Targets of links, else identifiers, else a date."""
    links = [found[2] for found in _LINK.finditer(text)][:_MOST]
    if links:
        return links
    names = [found[0].strip() for found in _REFERENCE.finditer(text)][:_MOST]
    if names:
        return names
    found = find_date(text[:200])
    return [found[0]] if found else []
