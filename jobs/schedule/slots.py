"""Slots: the days, weeks and hours that a job stands for, and the moment at which each begins.

A slot is named by the calendar of its zone, never by a moment: ``2026-11-30`` for a daily job, year and ISO
week (``2026-W`` and 49) for a weekly one, ``2026-11-30T06`` on the grid of UTC hours for one every so many
hours. So each local day has exactly one run, whatever the clock does that night: where it is put back, the
first occurrence of the time counts, where it is put forward past the time, the first moment after the gap.
A day that an island left out when it changed sides of the date line has no slot.

Nothing here counts step by step: ten years more cost nothing more.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from jobs.schedule.text import DAILY, DAY_SECONDS, EVERY, WEEKLY, Schedule
from scanner.value import dataclass

Offset = Callable[[float], int]
"""Seconds by which local time is ahead of UTC at a moment in epoch seconds."""

# The last second of the year 9999: a slot later than that has no name.
_FIRST, _LAST = 0.0, 253_402_300_799.0
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_LAST_DAY = date.max.toordinal() - _EPOCH_DAY
# Clocks of a place differ by some hours over the years; by this much only where a day was left out.
_A_DAY_LESS = 18 * 3600

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})")
_HOUR = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2})")


@dataclass(frozen=True, slots=True)
class Slot:
    """One turn of a job; ``id`` is unique within the job."""

    job: str
    id: str


def newest_slot(schedule: Schedule, now: float, job: str = "") -> Slot:
    """The last slot that has begun at ``now`` (epoch seconds)."""
    return Slot(job, _identifier(schedule, _newest(schedule, min(max(now, _FIRST), _LAST))))


def next_slot(schedule: Schedule, now: float, job: str = "") -> Slot:
    """The first slot that begins after ``now`` (epoch seconds); the newest where the calendar ends."""
    now = min(max(now, _FIRST), _LAST)
    number, step = _number_near(schedule, now), _step(schedule)
    while _begin(schedule, number - step) > now:
        number -= step
    while _begin(schedule, number) <= now or not _exists(schedule, number):
        number += step
    if number > _last_number(schedule) or _begin(schedule, number) > _LAST:
        number = _newest(schedule, now)
    return Slot(job, _identifier(schedule, number))


def instant(slot: Slot, schedule: Schedule) -> float:
    """When ``slot`` begins, in epoch seconds; ``ValueError`` for a slot of another kind of schedule."""
    number = _number(schedule, slot.id)
    if number is None:
        raise ValueError(f"{slot.id} is no slot of {schedule.text!r}")
    return _begin(schedule, number)


def count_between(schedule: Schedule, older: Slot, newer: Slot) -> int:
    """How many slots lie between the two, neither of them counted; 0 if they are not of this schedule."""
    return max(0, (steps_between(schedule, older, newer) or 0) - 1)


def steps_between(schedule: Schedule, older: Slot, newer: Slot) -> int | None:
    """How many turns ``newer`` comes after ``older``; negative if before, None if not of this schedule."""
    first, last = _number(schedule, older.id), _number(schedule, newer.id)
    if first is None or last is None:
        return None
    if schedule.kind == DAILY and first < last:
        offset = _offset_of(schedule)
        last -= offset(last * DAY_SECONDS) - offset(first * DAY_SECONDS) > _A_DAY_LESS
    # A grid of hours that was changed has slots of both grids: what is not a whole turn later is later too.
    return -((first - last) // _step(schedule))


# -- numbers of slots: days, weeks or hours since 1970 -------------------------------------------------------


def _number_near(schedule: Schedule, now: float) -> int:
    """The number of a slot that begins at ``now``, or is at most a few away from one that does."""
    if schedule.kind == EVERY:
        return int(now // 3600 // schedule.hours) * schedule.hours
    days = int((now + _offset_of(schedule)(now)) // DAY_SECONDS) + 1
    return days if schedule.kind == DAILY else _week_of(days)


def _newest(schedule: Schedule, now: float) -> int:
    number, step = min(_number_near(schedule, now), _last_number(schedule)), _step(schedule)
    while _begin(schedule, number) > now or not _exists(schedule, number):
        number -= step
    return number


def _last_number(schedule: Schedule) -> int:
    """The number of the last slot on a day that the calendar knows."""
    if schedule.kind == EVERY:
        return int(_LAST // 3600 // schedule.hours) * schedule.hours
    return _LAST_DAY if schedule.kind == DAILY else (_LAST_DAY + 3 - (schedule.weekday or 0)) // 7


def _exists(schedule: Schedule, number: int) -> bool:
    """Whether any clock ever showed the day of a daily slot; a week is there even where its day is not."""
    if schedule.kind != DAILY:
        return True
    offset = _offset_of(schedule)
    return _day_at(_begin(schedule, number), offset) == number or (
        # At its time it may be the next day already, by an hour that does not come.
        _day_at(_first_moment(number * DAY_SECONDS, offset), offset) == number
    )


def _day_at(moment: float, offset: Offset) -> int:
    return int((moment + offset(moment)) // DAY_SECONDS)


def _step(schedule: Schedule) -> int:
    return schedule.hours if schedule.kind == EVERY else 1


def _begin(schedule: Schedule, number: int) -> float:
    if schedule.kind == EVERY:
        return number * 3600.0
    day = number if schedule.kind == DAILY else number * 7 - 3 + (schedule.weekday or 0)
    return _first_moment(day * DAY_SECONDS + schedule.minute * 60, _offset_of(schedule))


def _identifier(schedule: Schedule, number: int) -> str:
    if schedule.kind == EVERY:
        moment = datetime.fromtimestamp(number * 3600, UTC)
        return f"{moment.date().isoformat()}T{moment.hour:02d}"
    if schedule.kind == DAILY:
        return date.fromordinal(number + _EPOCH_DAY).isoformat()
    year, week, _ = date.fromordinal(number * 7 - 3 + _EPOCH_DAY).isocalendar()
    return f"{year:04d}-W{week:02d}"


def _number(schedule: Schedule, identifier: str) -> int | None:
    """The number of the slot that is called ``identifier``; None if it is none of this kind of schedule."""
    pattern = {DAILY: _DAY, WEEKLY: _WEEK, EVERY: _HOUR}[schedule.kind]
    found = pattern.fullmatch(identifier)
    if found is None:
        return None
    parts = [int(part) for part in found.groups()]
    try:
        if schedule.kind == WEEKLY:
            return _week_of(date.fromisocalendar(parts[0], parts[1], 1).toordinal() - _EPOCH_DAY)
        days = date(*parts[:3]).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    return days if schedule.kind == DAILY else days * 24 + parts[3]


def _week_of(days: int) -> int:
    """The number of the week, from Monday, of a day since 1970-01-01, which was a Thursday."""
    return (days + 3) // 7


# -- clocks --------------------------------------------------------------------------------------------------


def _first_moment(local: int, offset: Offset) -> float:
    """The first moment at which a clock that started a day before shows ``local`` or more.

    ``local`` is in seconds since 1970 on that clock. So an hour that comes twice counts the first time, and
    one that does not come at all begins with the moment after the gap.
    """
    before, after = offset(local - DAY_SECONDS), offset(local + DAY_SECONDS)
    early = local - before
    if before == after or offset(early) == before:
        return float(early)
    late = local - after
    if offset(late) == after:
        return float(late)
    return float(_change(late, early, offset))


def _change(start: int, stop: int, offset: Offset) -> int:
    """The first second with the offset of ``stop``, by halving; between the two the offset changes once."""
    wanted = offset(stop)
    while stop - start > 1:
        middle = (start + stop) // 2
        if offset(middle) == wanted:
            stop = middle
        else:
            start = middle
    return stop


def _offset_of(schedule: Schedule) -> Offset:
    if schedule.zone is None:
        return _system_offset
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - start-up: 12 ms, only where a zone is named

    zone = ZoneInfo(schedule.zone)

    def offset(moment: float) -> int:
        # The last day may be one of the year 10000 there.
        shift = datetime.fromtimestamp(min(moment, _LAST - DAY_SECONDS), zone).utcoffset()
        return 0 if shift is None else shift // timedelta(seconds=1)

    return offset


def _system_offset(moment: float) -> int:
    return time.localtime(moment).tm_gmtoff
