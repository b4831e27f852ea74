"""Dates as people write them in notes and names of files: ISO, German, English, French."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

_MONTHS = (
    ("january", "januar", "janvier", "jan", "jaenner"),
    ("february", "februar", "fevrier", "feb", "fev"),
    ("march", "maerz", "mars", "mar", "marz", "mrz"),
    ("april", "avril", "apr", "avr"),
    ("may", "mai"),
    ("june", "juni", "juin", "jun"),
    ("july", "juli", "juillet", "jul", "juil"),
    ("august", "aout", "aug"),
    ("september", "septembre", "sep", "sept"),
    ("october", "oktober", "octobre", "oct", "okt"),
    ("november", "novembre", "nov"),
    ("december", "dezember", "decembre", "dec", "dez"),
)
_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_NAMES = (
    r"jan|feb|f\u00e9v|fev|mar|m\u00e4r|maer|mrz|apr|avr|may|mai|jun|jui|jul|aug|ao\u00fb|aou|sep|oct|okt|nov"
    r"|dec|d\u00e9c|dez|j\u00e4n"
)
_MONTH = rf"(?P<{{0}}>(?:{_NAMES})[^\W\d_]{{{{0,7}}}})\.?"
_DATE = re.compile(
    r"(?<![\w./])(?:"
    r"(?P<iy>[12]\d{3})(?P<sep>[-/.])(?P<im>\d{1,2})(?P=sep)(?P<id>\d{1,2})(?![\d])"
    r"|(?P<gd>\d{1,2})\.[ ]?(?P<gm>\d{1,2})\.[ ]?(?P<gy>[12]\d{3})(?!\d)"
    r"|(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>[12]\d{3}|\d\d)(?![\d/])"
    r"|(?P<cy>20\d\d)(?P<cm>[01]\d)(?P<cd>[0-3]\d)(?=[-_T]|$)"
    rf"|{_MONTH.format('n1')}[ ](?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,?[ ](?P<y1>[12]\d{{3}})(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:\.|st|nd|rd|th|er)?[ ](?:of[ ])?{_MONTH.format('n2')},?[ ]"
    r"(?P<y2>[12]\d{3})(?!\d)"
    r")",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(r"\d[\d/.-]{4}|[12]\d{3}")
_REACH = 4096  # how far into a text a date is looked for


@lru_cache(maxsize=512)
def find_date(text: str, *, day_first: bool = False) -> tuple[str, int, int] | None:
    """The first date in ``text`` as (``YYYY-MM-DD``, where it begins, where it ends); None without one.

    Of a range it is the first day. ``12/18/25`` has the month first; where both could be one there is no
    date, unless ``day_first``, as in old ADRs. A date that the calendar does not know is none.
    """
    if not _MAY_HOLD.search(text, 0, _REACH):
        return None
    for found in _DATE.finditer(text, 0, _REACH):
        when = _day_of(found, day_first=day_first)
        if when:
            return when, found.start(), found.end()
    return None


def leading_date(text: str) -> tuple[str, int, int] | None:
    """As ``find_date``, of a date that ``text`` begins with, brackets and signs aside."""
    found = find_date(text)
    if found is None or found[1] == 0:
        return found
    return None if any(sign.isalnum() for sign in text[: found[1]]) else found


def day_of(text: str) -> date | None:
    """``YYYY-MM-DD`` as a day, None for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _day_of(found: re.Match[str], *, day_first: bool) -> str | None:
    if found["iy"]:
        return _iso(int(found["iy"]), int(found["im"]), int(found["id"]))
    parts = found.groupdict()
    for year, month, day in (("gy", "gm", "gd"), ("cy", "cm", "cd")):
        if parts[year]:
            return _iso(int(parts[year]), int(parts[month]), int(parts[day]))
    for year, name, day in (("y1", "n1", "d1"), ("y2", "n2", "d2")):
        if parts[year]:
            return _iso(int(parts[year]), _month(parts[name]), int(parts[day]))
    return _slashed(int(parts["a"]), int(parts["b"]), parts["y"], day_first=day_first)


def _slashed(first: int, second: int, year: str, *, day_first: bool) -> str | None:
    if not day_first and first <= 12 and second <= 12 and first != second:
        return None
    if day_first or first > 12:
        first, second = second, first
    return _iso(int(year) + (2000 if len(year) == 2 else 0), first, second)


def _month(name: str) -> int:
    from brain.health.words import fold  # noqa: PLC0415 - only dates with a name of a month

    return _NUMBERS.get(fold(name).replace("\u0131", "i"), 0)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
