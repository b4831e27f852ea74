"""The heat map of commits: 53 weeks of seven days."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise

from brain.wording import plural
from reports.charts.row import Row
from scanner.value import dataclass

_STEP = 12
"""From one cell of the heat map to the next; a cell takes all but the gap of 2."""
_WEEKS_OF_YEAR, _WEEKS_OF_HALF = 53, 27
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Cell:
    """One day: ``level`` is 0 to 4, ``words`` say the day and its count."""

    x: int
    y: int
    level: int
    words: str


@dataclass(frozen=True, slots=True)
class Half:
    """Half a year: ``empty`` draws the days without a commit at once, ``months`` are (x, name)."""

    width: int
    empty: str
    cells: tuple[Cell, ...]
    months: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """53 weeks of 7 days, Monday first, in two halves; ``levels`` are the shades as (counts, 0 to 4)."""

    halves: tuple[Half, Half]
    levels: tuple[tuple[str, int], ...]
    sentence: str
    rows: tuple[Row, ...]


def heat_map(days: Mapping[str, int], today: date) -> HeatMap:
    """Commits by day (``YYYY-MM-DD``) over the 53 weeks that end with that of ``today``.

    No day at all means that nobody counted.
    """
    monday = today - timedelta(days=today.weekday() + 7 * (_WEEKS_OF_YEAR - 1))
    length = (today - monday).days + 1
    year = [(day := monday + timedelta(days=n), max(0, days.get(day.isoformat(), 0))) for n in range(length)]
    bounds = _bounds([count for _, count in year if count])
    halves = (
        _half(year[: 7 * _WEEKS_OF_HALF], bounds),
        _half(year[7 * _WEEKS_OF_HALF :], bounds),
    )
    most = max(count for _, count in year)
    sentence = _busiest(year) if days else "Commits were not counted yet."
    return HeatMap(halves, _levels(bounds, most), sentence, _week_rows(year))


def _bounds(counts: Sequence[int]) -> tuple[int, ...]:
    """The lowest count of each shade: quarters of the days with commits, each bound a different number."""
    ordered = sorted(counts)
    if not ordered:
        return ()
    found = [ordered[0]]
    for quarter in (1, 2, 3):
        bound = ordered[quarter * len(ordered) // 4]
        if bound > found[-1]:
            found.append(bound)
    return tuple(found)


def _levels(bounds: Sequence[int], most: int) -> tuple[tuple[str, int], ...]:
    ranges = pairwise([*bounds, most + 1])
    words = [f"{low}" if low == high - 1 else f"{low} to {high - 1}" for low, high in ranges]
    return (("0", 0), *((word, level) for level, word in enumerate(words, 5 - len(bounds))))


def _half(days: Sequence[tuple[date, int]], bounds: Sequence[int]) -> Half:
    empty, cells, months = [], [], []
    for place, (day, count) in enumerate(days):
        x, y = _STEP * (place // 7), _STEP * (place % 7)
        if (day.day == 1 and place < len(days) - 14) or (place == 0 and day.day <= 12):
            months.append((x, _MONTHS[day.month - 1]))
        if count:
            level = sum(count >= bound for bound in bounds) + 4 - len(bounds)
            cells.append(Cell(x, y, level, f"{day.isoformat()}: {count:,}"))
        else:
            empty.append(f"M{x} {y}h10v10h-10z")
    width = _STEP * math.ceil(len(days) / 7)
    return Half(width, "".join(empty), tuple(cells), tuple(months))


def _busiest(year: Sequence[tuple[date, int]]) -> str:
    total = sum(count for _, count in year)
    if not total:
        return "No commit in the last 53 weeks."
    busy = sum(count > 0 for _, count in year)
    day, most = max(year, key=lambda one: (one[1], one[0]))
    return f"{plural(total, 'commit')} on {busy} of {len(year)} days; most, {most:,}, on {day.isoformat()}."


def _week_rows(year: Sequence[tuple[date, int]]) -> tuple[Row, ...]:
    weeks = [year[start : start + 7] for start in range(0, len(year), 7)]
    return tuple(
        (week[0][0].isoformat(), *(f"{count}" for _, count in week), *[""] * (7 - len(week)))
        for week in reversed(weeks)
        if any(count for _, count in week)
    )
