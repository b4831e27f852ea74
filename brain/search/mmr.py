"""Not the same thing twice: of notes that nearly repeat each other, the later ones stand back.

Maximal marginal relevance over the index's own terms, so that it works in every script. Notes that merely
share a subject do not repeat each other: what is below half the same is not the same at all.
"""

from __future__ import annotations

from collections.abc import Sequence

LAMBDA = 0.7
_REPETITION = 0.5


def diverse(scores: Sequence[float], terms: Sequence[frozenset[str]], count: int) -> list[int]:
    """The positions of the ``count`` notes to show, in their order; ``scores`` descend."""
    if not scores:
        return []
    top = scores[0] or 1.0
    left = list(range(len(scores)))
    worst = [0.0] * len(scores)
    chosen: list[int] = []
    while left and len(chosen) < count:
        best = max(left, key=lambda at: (LAMBDA * scores[at] / top - (1.0 - LAMBDA) * worst[at], -at))
        left.remove(best)
        chosen.append(best)
        for at in left:
            worst[at] = max(worst[at], _alike(terms[best], terms[at]))
    return chosen


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    if not one or not other or 2 * min(len(one), len(other)) < max(len(one), len(other)):
        return 0.0
    shared = len(one & other)
    alike = shared / (len(one) + len(other) - shared)
    return alike if alike >= _REPETITION else 0.0
