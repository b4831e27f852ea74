"""How an event fades: half its weight every 30 days, reckoned from its time to the clock of the call."""

from __future__ import annotations

import re

HALF_LIFE_DAYS = 30.0

_DAY_MS = 86_400_000
# ECMAScript's date-time format; BMAD+ writes 2026-01-01T00:00:00.000Z.
_TIME = (
    r"([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?"
)


def decay(ts: object, now: float) -> float:
    """The factor for an event of time ``ts`` at ``now`` (epoch seconds): 0.5 to the power of days / 30.

    ``ts`` is ISO text or epoch milliseconds. A time to come, missing or not understood fades nothing: 1.
    """
    when = milliseconds(ts)
    present = round(now * 1000)
    if when is None or present <= when:
        return 1.0
    return float(0.5 ** ((present - when) / _DAY_MS / HALF_LIFE_DAYS))


def milliseconds(ts: object) -> float | None:
    """The moment in epoch milliseconds; None for what is neither a number nor an ISO date or date-time.

    A date-time without a zone is taken as UTC: the zone of the machine that reads must not change a score.
    """
    if isinstance(ts, int | float) and not isinstance(ts, bool):
        try:
            return float(ts)
        except OverflowError:
            return float("inf") if ts > 0 else float("-inf")
    found = re.fullmatch(_TIME, ts, re.ASCII) if isinstance(ts, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, _, sign, zone_hours, zone_minutes = found.groups()
    parts = [int(part or 0) for part in (hour, minute, second, zone_hours, zone_minutes)]
    moment = _moment(int(year), int(month or 1), int(day or 1), *parts[:3], fraction or "")
    if moment is None or parts[3] > 23 or parts[4] > 59:
        return None
    offset = (parts[3] * 60 + parts[4]) * 60_000
    return float(moment + offset if sign == "-" else moment - offset)


def _moment(
    year: int, month: int, day: int, hour: int, minute: int, second: int, fraction: str
) -> int | None:
    """UTC in epoch milliseconds. A day that its month lacks runs over, as in the original: 30 February."""
    in_range = 1 <= month <= 12 and 1 <= day <= 31 and minute <= 59 and second <= 59
    midnight = hour == 24 and not minute and not second and not fraction.strip("0")
    if not in_range or not (hour <= 23 or midnight):
        return None
    milli = int(fraction[:3].ljust(3, "0"))
    days = _days(year, month) + day - 1
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli


def _days(year: int, month: int) -> int:
    """Days from 1970-01-01 to the first of a month of the Gregorian calendar, in both directions."""
    if month <= 2:  # years that begin in March have the odd day at their end
        year -= 1
        month += 12
    leap_days = year // 4 - year // 100 + year // 400
    return year * 365 + leap_days + (153 * (month - 3) + 2) // 5 - 719_468
