"""The line of memory health over 26 weeks, broken where no run was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby

from brain.wording import plural
from reports.charts.row import Row
from scanner.value import dataclass

_LEFT, _WIDTH, _TOP, _HEIGHT = 34.0, 270.0, 12.0, 120.0
_WEEKS = 26
_STEP = _WIDTH / (_WEEKS - 1)


@dataclass(frozen=True, slots=True)
class Trend:
    """A line over 26 weeks that breaks where no run was.

    ``lines`` are the points of each piece, ``dots`` the weeks that are known as (x, y, words), ``gaps`` are
    (x, width) of stretches without a run, ``ticks`` are (x, ISO week), ``last`` is (x, y, per cent).
    """

    lines: tuple[str, ...]
    dots: tuple[tuple[float, float, str], ...]
    gaps: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    last: tuple[float, float, int] | None
    sentence: str
    rows: tuple[Row, ...]


def trend(known: Sequence[tuple[str, int]], today: date) -> Trend:
    """Per cent by ISO week (``%G-W%V``) over the 26 weeks that end with that of ``today``.

    Weeks before the first known one are no gap: nobody ran anything then. View box 320 x 160.
    """
    weeks = _last_weeks(today)
    found = {week: min(100, max(0, value)) for week, value in known if week in weeks}
    places = {week: round(_LEFT + _STEP * place, 1) for place, week in enumerate(weeks)}
    first = next((place for place, week in enumerate(weeks) if week in found), len(weeks))
    lines, gaps = _pieces(weeks[first:], found, places)
    dots = tuple((places[week], _height_of(value), f"{week}: {value}%") for week, value in found.items())
    newest = max(found, default="")
    return Trend(
        lines=tuple(lines),
        dots=dots,
        gaps=tuple(gaps),
        ticks=tuple((places[weeks[place]], weeks[place][5:]) for place in (0, 8, 17, 25)),
        last=(places[newest], _height_of(found[newest]), found[newest]) if newest else None,
        sentence=_way(found, len(weeks) - first - len(found)),
        rows=tuple(
            (week, f"{found[week]}%" if week in found else "no run") for week in reversed(weeks[first:])
        ),
    )


def _pieces(
    weeks: Sequence[str], found: Mapping[str, int], places: Mapping[str, float]
) -> tuple[list[str], list[tuple[float, float]]]:
    """The lines between weeks that follow each other, and the stretches between them."""
    lines: list[str] = []
    gaps: list[tuple[float, float]] = []
    for known, run in groupby(weeks, key=lambda week: week in found):
        piece = list(run)
        if not known:
            gaps.append((round(places[piece[0]] - _STEP / 2, 1), round(_STEP * len(piece), 1)))
        elif len(piece) > 1:
            lines.append(" ".join(f"{places[week]:g},{_height_of(found[week]):g}" for week in piece))
    return lines, gaps


def _height_of(value: int) -> float:
    return round(_TOP + _HEIGHT * (100 - value) / 100, 1)


def _last_weeks(today: date) -> list[str]:
    mondays = (today - timedelta(weeks=back) for back in reversed(range(_WEEKS)))
    return [f"{year}-W{week:02d}" for year, week, _ in (day.isocalendar() for day in mondays)]


def _way(found: Mapping[str, int], missing: int) -> str:
    if not found:
        return "Memory health was not measured yet."
    first, newest = min(found), max(found)
    gaps = f"; no run in {plural(missing, 'week')}" if missing else ""
    if first == newest:
        return f"Memory health is {found[newest]}% in {newest}, the first week measured{gaps}."
    if found[first] == found[newest]:
        return f"Memory health is {found[newest]}%, as it was in {first}{gaps}."
    verb = "rose" if found[newest] > found[first] else "fell"
    return f"Memory health {verb} from {found[first]}% in {first} to {found[newest]}% in {newest}{gaps}."
