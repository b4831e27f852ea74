"""The ring of statuses: parts of a whole, clockwise from the top."""

from __future__ import annotations

import math
from collections.abc import Sequence

from brain.wording import plural
from reports.charts.row import Row
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Arc:
    """One part of the ring: ``path`` draws it filled, ``share`` is in per cent, rounded."""

    label: str
    count: int
    share: int
    path: str


@dataclass(frozen=True, slots=True)
class Donut:
    """Parts of a whole, clockwise from the top."""

    total: int
    arcs: tuple[Arc, ...]
    sentence: str
    rows: tuple[Row, ...] = ()


def donut(counts: Sequence[tuple[str, int]]) -> Donut:
    """The ring of ``counts``; parts that are zero are left out. View box 160 x 160."""
    total = sum(count for _, count in counts)
    arcs, begin = [], 0.0
    for label, count in counts:
        if count:
            end = begin + count / total
            arcs.append(Arc(label, count, round(100 * count / total), _sector(begin, end)))
            begin = end
    if not total:
        return Donut(0, (), "There is no project yet.")
    told = ", ".join(f"{one.count:,} {one.label}" for one in arcs)
    rows = tuple((one.label, f"{one.count:,}", f"{one.share}%") for one in arcs)
    return Donut(total, tuple(arcs), f"Of {plural(total, 'project')}: {told}.", rows)


def _sector(begin: float, end: float, *, outer: float = 74.0, inner: float = 50.0) -> str:
    """A ring's sector between two shares of the circle; the whole circle is a ring."""
    if end - begin > 0.999_99:
        return _circle(outer, 1) + _circle(inner, 0)
    large = int(end - begin > 0.5)
    return (
        f"M{_on_circle(begin, outer)}A{outer:g} {outer:g} 0 {large} 1 {_on_circle(end, outer)}"
        f"L{_on_circle(end, inner)}A{inner:g} {inner:g} 0 {large} 0 {_on_circle(begin, inner)}z"
    )


def _circle(radius: float, turn: int) -> str:
    """A whole circle, clockwise where ``turn`` is 1; inside another that turns the other way a hole."""
    half = f"{radius:g} {radius:g} 0 0 {turn} 80"
    return f"M80 {80 - radius:g}A{half} {80 + radius:g}A{half} {80 - radius:g}z"


def _on_circle(share: float, radius: float) -> str:
    angle = 2 * math.pi * share
    return f"{_short(80 + radius * math.sin(angle))} {_short(80 - radius * math.cos(angle))}"


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
