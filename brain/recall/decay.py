"""How an event fades: half its weight every 30 days, reckoned from its time to the clock of the call."""

from __future__ import annotations

from brain.javascript_math import half_to_the
from brain.times import DAY_MS, milliseconds

HALF_LIFE_DAYS = 30.0


def decay(ts: object, now: float) -> float:
    """The factor for an event of time ``ts`` at ``now``: 0.5 to the power of its age in half-lives."""
    return half_to_the(half_lives(ts, now))


def half_lives(ts: object, now: float) -> float:
    """The age of an event of time ``ts`` at ``now`` (epoch seconds) in units of 30 days.

    ``ts`` is ISO text or epoch milliseconds. A time to come, missing or not understood has no age: 0.
    """
    when = milliseconds(ts)
    present = round(now * 1000)
    if when is None or present <= when:
        return 0.0
    return (present - when) / DAY_MS / HALF_LIFE_DAYS
