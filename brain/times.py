"""Times as JavaScript writes and reads them, in UTC."""

from __future__ import annotations

import re
import time

DAY_MS = 86_400_000
# ECMAScript's date-time format; BMAD+ writes 2026-01-01T00:00:00.000Z.
_TIME = (
    r"([+-][0-9]{6}|[0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2}))?)?"
)


def iso_time(now: float) -> str:
    """``now`` (epoch seconds) with milliseconds: ``2026-10-19T02:13:48.840Z``."""
    seconds, thousandths = divmod(round(now * 1000), 1000)
    moment = time.gmtime(seconds)
    return f"{_date(moment)}T{time.strftime('%H:%M:%S', moment)}.{thousandths:03d}Z"


def utc_date(now: float) -> str:
    """The day of ``now`` (epoch seconds): ``2026-10-19``."""
    return _date(time.gmtime(now))


def milliseconds(ts: object) -> float | None:
    """The moment in epoch milliseconds; None for what is neither a number nor an ISO date or date-time.

    A date-time without a zone is taken as UTC: the zone of the machine that reads must not change a score.
    """
    if isinstance(ts, int | float) and not isinstance(ts, bool):
        try:
            return float(ts)
        except OverflowError:
            return float("inf") if ts > 0 else float("-inf")
    found = re.fullmatch(_TIME, ts) if isinstance(ts, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, _, sign, zone_hour, zone_minute = found.groups()
    days = _days(int(year), int(month or 1), int(day or 1))
    clock = _clock(int(hour or 0), int(minute or 0), int(second or 0), fraction or "")
    zone = _clock(int(zone_hour or 0), int(zone_minute or 0), 0, "")
    if days is None or clock is None or zone is None or zone >= DAY_MS:
        return None
    return float(days * DAY_MS + clock + (zone if sign == "-" else -zone))


def _clock(hour: int, minute: int, second: int, fraction: str) -> int | None:
    """Milliseconds since midnight; 24:00 is the next one. Digits after the thousandths are cut off."""
    midnight = hour == 24 and not minute and not second and not fraction.strip("0")
    if minute > 59 or second > 59 or not (hour < 24 or midnight):
        return None
    return ((hour * 60 + minute) * 60 + second) * 1000 + int(fraction[:3].ljust(3, "0"))


def _days(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 in the Gregorian calendar, in both directions.

    A day that its month lacks runs over into the next one, as in the original: 30 February is 2 March.
    """
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    if month <= 2:  # years that begin in March have the odd day at their end
        year -= 1
        month += 12
    leap_days = year // 4 - year // 100 + year // 400
    return year * 365 + leap_days + (153 * (month - 3) + 2) // 5 + day - 719_469


def _date(moment: time.struct_time) -> str:
    # The C library leaves the noughts out before a year of three digits.
    return f"{moment.tm_year:04d}-{moment.tm_mon:02d}-{moment.tm_mday:02d}"
