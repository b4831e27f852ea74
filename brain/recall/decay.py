"""How old an event is: it loses half its weight every 30 days, from its time to the clock of the call."""

from __future__ import annotations

from brain.times import DAY_MS, milliseconds

HALF_LIFE_DAYS = 30.0


def half_lives(ts: object, now: float) -> float:
    """The age of an event of time ``ts`` at ``now`` (epoch seconds) in units of 30 days.

    ``ts`` is ISO text or epoch milliseconds. A time to come, missing or not understood has no age: 0.
    """
    when = milliseconds(ts)
    present = round(now * 1000)
    if when is None or present <= when:
        return 0.0
    return (present - when) / DAY_MS / HALF_LIFE_DAYS
