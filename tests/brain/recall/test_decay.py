"""How events fade, and which times are understood."""

from __future__ import annotations

import pytest

from brain.javascript_math import half_to_the
from brain.recall.decay import half_lives
from tests.support import DAY, NOW


def decay(ts: object, now: float) -> float:
    return half_to_the(half_lives(ts, now))


@pytest.mark.parametrize(("days", "factor"), [(0, 1.0), (30, 0.5), (60, 0.25), (90, 0.125), (-18, 1.0)])
def test_an_event_loses_half_its_weight_every_thirty_days_and_gains_nothing_from_the_future(
    days: float, factor: float
) -> None:
    assert decay((NOW - days * DAY) * 1000, NOW) == factor


@pytest.mark.parametrize("ts", [None, "", "yesterday", True, [], {}, "2026-13-01", "2026-01-01T25:00Z"])
def test_a_time_that_says_nothing_fades_nothing(ts: object) -> None:
    assert decay(ts, NOW) == 1.0


def test_times_without_end_neither_crash_nor_count() -> None:
    assert decay(-(10**400), NOW) == 0.0
    assert decay(10**400, NOW) == 1.0
    assert decay(float("-inf"), NOW) == 0.0
