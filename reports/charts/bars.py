"""The bars of stacks: the most frequent, and one for all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.wording import plural
from reports.charts.row import Row
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with the upper edge ``y``; ``rest`` marks the sum of all that have no bar of their own."""

    label: str
    count: int
    y: int
    width: float
    rest: bool


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from left to right, longest first, the rest last; ``height`` is that of the chart."""

    bars: tuple[Bar, ...]
    height: int
    sentence: str
    rows: tuple[Row, ...]


def bars(labels: Iterable[str], *, own: int = 10, room: float = 170.0) -> Bars:
    """A bar for each of the ``own`` most frequent labels and one for all others; ``room`` is the longest."""
    counts: dict[str, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0].casefold(), one[0]))
    shown = ordered[:own] if len(ordered) > own + 1 else ordered
    others = sum(count for _, count in ordered[len(shown) :])
    most = max([count for _, count in shown] + [others], default=1)
    found = [
        Bar(label, count, 24 * place, max(1.0, round(room * count / most, 1)), rest=False)
        for place, (label, count) in enumerate(shown)
    ]
    if others:
        kinds = len(ordered) - len(shown)
        width = max(1.0, round(room * others / most, 1))
        found.append(Bar(f"{kinds} others", others, 24 * len(shown), width, rest=True))
    rows = tuple((one.label, f"{one.count:,}") for one in found)
    return Bars(tuple(found), 24 * max(1, len(found)), _leads(ordered), rows)


def _leads(ordered: Sequence[tuple[str, int]]) -> str:
    if not ordered:
        return "No stack is known yet."
    total = sum(count for _, count in ordered)
    label, count = ordered[0]
    kinds = plural(len(ordered), "stack")
    return f"{label} leads with {count:,} of {plural(total, 'project')}; {kinds} in all."
