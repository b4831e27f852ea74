"""How much speaks for a claim, and whether it is enough: one function, for the rank, the gate and the report.

The six components, their formulas and weights are OpenClaw's (its short-term promotion, 2026.7), without the
boost of its sweeps. What goes in is other: recalls, days of notes and marks, never what a sweep itself did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from functools import lru_cache
from math import log

from brain.dreaming.values import PLAIN, Claim, Components, Gates, Verdict

WEIGHTS = Components(
    frequency=0.24, relevance=0.30, diversity=0.15, recency=0.15, consolidation=0.10, conceptual=0.06
)
MARKS = 2
"""What a mark counts for: as one that OpenClaw stages is a lasting update and a candidate besides."""

_FREQUENT = log(11)
_ORDER = ("recurrence", "fragment", "score", "age", "promoted", "known", "contradicted", "expired")
# From as many days on its writer came back to it, which outweighs how it reads.
_CAME_BACK = 3


def judge(claim: Claim, gates: Gates, today: date, hindrances: Collection[str] = ()) -> Verdict:
    """The verdict about ``claim`` on the day ``today``.

    ``hindrances`` are the gates that a look at other claims, at MEMORY.md and at what was promoted found
    shut: ``promoted``, ``known``, ``contradicted``.
    """
    days = claim.days
    parts = components(claim, days, gates, today)
    score = score_of(parts)
    failed = set(hindrances)
    if not _recurs(claim, len(days), gates):
        # Days alone carry nothing that says nothing.
        failed.add("fragment" if len(days) >= gates.min_days else "recurrence")
    # Sums of decimals end one unit in the last place beside what a person works out.
    if score < gates.min_score - 1e-9:
        failed.add("score")
    if _age(claim, days, gates, today) > gates.max_age_days:
        failed.add("age")
    if claim.until and claim.until < today.isoformat():
        failed.add("expired")
    return Verdict(score, parts, tuple(code for code in _ORDER if code in failed))


def score_of(parts: Components) -> float:
    """The weighted sum of the components, 0 to 1."""
    return (
        WEIGHTS.frequency * parts.frequency
        + WEIGHTS.relevance * parts.relevance
        + WEIGHTS.diversity * parts.diversity
        + WEIGHTS.recency * parts.recency
        + WEIGHTS.consolidation * parts.consolidation
        + WEIGHTS.conceptual * parts.conceptual
    )


def components(claim: Claim, days: tuple[str, ...], gates: Gates, today: date) -> Components:
    """The components of a claim that was noted on ``days``."""
    marks = MARKS if claim.mark else 0
    reading = 1.0 if len(days) >= _CAME_BACK and claim.reading >= PLAIN else claim.reading
    signals = [one.score for one in claim.recalls] + [reading] * len(days) + [1.0] * marks
    queries = len({one.query for one in claim.recalls}) + marks
    grounded = len(days) + marks
    all_days = sorted({*days, *(one.day for one in claim.recalls)})
    return Components(
        frequency=frequency(len(signals)),
        relevance=_share(sum(signals) / len(signals)) if signals else 0.0,
        diversity=_share(max(queries, len(days)) / 5),
        recency=recency(_age(claim, days, gates, today), gates.half_life_days),
        consolidation=_share(max(consolidation(all_days), grounded / 3)),
        conceptual=_share(len(claim.tags) / 6),
    )


def frequency(count: int) -> float:
    """How often it was met, by its logarithm: 1 from ten times on."""
    return _share(log(1 + count) / _FREQUENT)


def recency(age: float, half_life: float) -> float:
    """1 for what is of today, half of it a half-life later."""
    return float(_share(2 ** (-age / half_life))) if half_life > 0 else 0.0


def consolidation(days: Iterable[str]) -> float:
    """How far the days, in order, lie apart: 0.2 for a single one, 1 for five over a week."""
    held = sorted(set(days))
    if len(held) < 2:
        return 0.2 * len(held)
    span = ordinal(held[-1]) - ordinal(held[0])
    return 0.55 * min(1.0, log(len(held)) / log(5)) + 0.45 * min(1.0, span / 7)


@lru_cache(maxsize=1 << 13)
def ordinal(day: str) -> int:
    """The number of the day in the calendar."""
    return date.fromisoformat(day).toordinal()


def _recurs(claim: Claim, days: int, gates: Gates) -> bool:
    if claim.mark:
        return True
    if days >= gates.min_days and claim.reading >= PLAIN:
        return True
    queries = len({one.query for one in claim.recalls})
    return len(claim.recalls) >= gates.min_recalls and queries >= gates.min_queries


def _age(claim: Claim, days: tuple[str, ...], gates: Gates, today: date) -> int:
    """Days since it was last noted or recalled; 0 for a mark that is within the highest age itself."""
    now = today.toordinal()
    newest = max(
        (*days[-1:], *(one.day for one in claim.recalls), *filter(None, (claim.marked,))), default=""
    )
    if not newest:
        return gates.max_age_days + 1
    age = max(0, now - ordinal(newest))
    if claim.mark and claim.marked and now - ordinal(claim.marked) <= gates.max_age_days:
        return 0
    return age


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
