"""Days without work against memory health, a point a project."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from brain.wording import plural
from reports.charts.row import Row
from scanner.value import dataclass

_LEFT, _WIDTH, _TOP, _HEIGHT = 40.0, 368.0, 14.0, 190.0
_TICKS = (
    (0, "0"),
    (7, "1 week"),
    (30, "1 month"),
    (182, "6 months"),
    (730, "2 years"),
    (3650, "10 years"),
)
_IDLE_BANDS = (
    (7, "below 1 week"),
    (30, "1 to 4 weeks"),
    (182, "1 to 6 months"),
    (730, "6 months to 2 years"),
)
_HEALTH_BANDS = ((50, "below 50%"), (80, "50 to 79%"), (100, "80 to 99%"))
_LOW = 70
"""Below this per cent a memory that is worked with wants care."""


@dataclass(frozen=True, slots=True)
class Point:
    """One project of the scatter chart."""

    x: int
    y: int
    status: str
    words: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Days without work (logarithmic) against memory health.

    ``limits`` are where paused and archived begin.
    """

    points: tuple[Point, ...]
    ticks: tuple[tuple[float, str], ...]
    limits: tuple[tuple[float, str], ...]
    sentence: str
    head: Row
    rows: tuple[Row, ...]


def scatter(
    projects: Sequence[tuple[str, str, float, int]], limits: Sequence[tuple[float, str]], left_out: int
) -> Scatter:
    """``projects`` are (name, status, days without work, per cent), ``limits`` (days, what begins there).

    ``left_out`` counts the projects that have no such pair of numbers. View box 420 x 250.
    """
    longest = max([days for _, _, days, _ in projects] + [730.0])
    points = tuple(
        Point(
            round(_across(days, longest)),
            round(_down(value)),
            status,
            f"{name}: {plural(int(days), 'day')}, {value}%",
        )
        for name, status, days, value in projects
    )
    ticks = tuple((_across(days, longest), words) for days, words in _TICKS if days <= longest)
    rows = tuple(
        (words, *(f"{_between(projects, idle, health):,}" for health in _bands(_HEALTH_BANDS)))
        for words, idle in zip(_named(_IDLE_BANDS, "longer"), _bands(_IDLE_BANDS), strict=True)
    )
    return Scatter(
        points,
        ticks,
        tuple((_across(days, longest), words) for days, words in limits if 0 < days < longest),
        _neglected(projects, left_out),
        ("without work", *_named(_HEALTH_BANDS, "100%")),
        rows,
    )


def _across(days: float, longest: float) -> float:
    return round(_LEFT + _WIDTH * math.log1p(days) / math.log1p(longest), 1)


def _down(value: int) -> float:
    return round(_TOP + _HEIGHT * (100 - min(100, max(0, value))) / 100, 1)


def _bands(bands: Sequence[tuple[int, str]]) -> list[tuple[float, float]]:
    """Each band from (inclusive) to (exclusive), and the one beyond the last."""
    edges = [-math.inf, *(edge for edge, _ in bands), math.inf]
    return list(pairwise(edges))


def _named(bands: Sequence[tuple[int, str]], beyond: str) -> Row:
    return (*(words for _, words in bands), beyond)


def _between(
    projects: Sequence[tuple[str, str, float, int]], idle: tuple[float, float], health: tuple[float, float]
) -> int:
    return sum(idle[0] <= days < idle[1] and health[0] <= value < health[1] for _, _, days, value in projects)


def _neglected(projects: Sequence[tuple[str, str, float, int]], left_out: int) -> str:
    if not projects:
        return "No project has a memory that was measured."
    low = sum(status == "active" and value < _LOW for _, status, _, value in projects)
    are = "is" if low == 1 else "are"
    told = f"{low:,} of {plural(len(projects), 'project')} with a memory {are} active and below {_LOW}%"
    without = f"; {left_out:,} without one {'is' if left_out == 1 else 'are'} not drawn" if left_out else ""
    return f"{told}{without}."
