"""Schedules as a person writes them: ``daily 03:17``, ``weekly sun 04:23``, ``every 6h``.

Cron lines are refused on purpose: what a weekday number or a day of the month means differs from program to
program, and nobody notices until a week is lost.
"""

from __future__ import annotations

import re

from jobs.errors import nearest
from scanner.value import dataclass

DAILY, WEEKLY, EVERY = "daily", "weekly", "every"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_HOURS = 168

DAY_SECONDS = 86_400

_FORMS = 'write "daily 03:17", "weekly sun 04:23" or "every 6h"'
_LONGEST = 60
_LONG_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")


class ScheduleError(ValueError):
    """Why a text is no schedule or no zone, with what would be right: one line without a full stop."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job is due.

    ``kind`` is ``daily``, ``weekly`` or ``every``. ``time`` is ``HH:MM`` on the clock of the zone, empty for
    ``every``; ``weekday`` is 0 (Monday) to 6, None unless ``weekly``; ``hours`` is 0 unless ``every``.
    ``zone`` is a name of the time zone database, None for the zone of the system.
    """

    kind: str
    time: str = ""
    weekday: int | None = None
    hours: int = 0
    zone: str | None = None

    @property
    def minute(self) -> int:
        """Minutes from midnight to the time of day; 0 for ``every``."""
        return int(self.time[:2]) * 60 + int(self.time[3:]) if self.time else 0

    @property
    def period(self) -> int:
        """Seconds from one slot to the next, on a calendar without changes of the clock."""
        if self.kind == EVERY:
            return self.hours * 3600
        return DAY_SECONDS * (7 if self.kind == WEEKLY else 1)

    @property
    def text(self) -> str:
        """The schedule as a person writes it, without its zone."""
        if self.kind == EVERY:
            return f"every {self.hours}h"
        if self.kind == WEEKLY:
            return f"weekly {WEEKDAYS[self.weekday or 0]} {self.time}"
        return f"daily {self.time}"


def parse_schedule(text: str, zone: str | None = None) -> Schedule:
    """The schedule that ``text`` says, on the clock of ``zone``; ``ScheduleError`` names what is right."""
    if zone is not None:
        check_zone(zone)
    words = text[: _LONGEST + 1].lower().split()
    if len(text) > _LONGEST or not words:
        raise ScheduleError(_FORMS)
    kind, *rest = words
    if kind == DAILY and len(rest) == 1:
        return Schedule(DAILY, _time(rest[0]), zone=zone)
    if kind == WEEKLY and len(rest) == 2:
        return Schedule(WEEKLY, _time(rest[1]), _weekday(rest[0]), zone=zone)
    if kind == EVERY and rest:
        return Schedule(EVERY, hours=_hours("".join(rest)), zone=zone)
    raise _no_schedule(text, words)


def _no_schedule(text: str, words: list[str]) -> ScheduleError:
    if len(words) == 5 and all(re.fullmatch(r"[0-9*/,-]+", word) for word in words):
        return ScheduleError(f"{text!r} is a line for cron, whose weekdays nobody agrees on: {_FORMS}")
    if len(words) == 1 and re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", words[0]):
        return ScheduleError(f'say how often: "daily {words[0]}"')
    if words[0] == WEEKLY:
        return ScheduleError(f'{text!r} lacks its day or its time: write "weekly sun 04:23"')
    if words[0] == DAILY:
        return ScheduleError(f'{text!r} is no time of day: write "daily 03:17"')
    neighbour = nearest(words[0], [DAILY, WEEKLY, EVERY])
    hint = f" (did you mean {neighbour}?)" if neighbour and neighbour != words[0] else ""
    return ScheduleError(f"{text!r} is no schedule{hint}: {_FORMS}")


def _time(word: str) -> str:
    found = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})", word)
    if found is None:
        raise ScheduleError(f"{word!r} is no time of day: write it with 24 hours, like 03:17")
    hour, minute = int(found[1]), int(found[2])
    if hour > 23 or minute > 59:
        raise ScheduleError(f"{word!r} is no time of day: from 00:00 to 23:59")
    return f"{hour:02d}:{minute:02d}"


def _weekday(word: str) -> int:
    for names in (WEEKDAYS, _LONG_NAMES):
        if word in names:
            return names.index(word)
    neighbour = nearest(word, [*WEEKDAYS, *_LONG_NAMES])
    hint = f" (did you mean {neighbour}?)" if neighbour else ""
    raise ScheduleError(f"{word!r} is no weekday{hint}: {', '.join(WEEKDAYS)}")


def _hours(word: str) -> int:
    found = re.fullmatch(r"([0-9]{1,4}) ?(?:h|hours?)", word)
    if found is None:
        raise ScheduleError(f'{word!r} is no number of hours: write "every 6h"')
    hours = int(found[1])
    if not 1 <= hours <= MAX_HOURS:
        raise ScheduleError(f"{word!r}: from 1h to {MAX_HOURS}h")
    return hours


def check_zone(name: str) -> None:
    """``ScheduleError`` with the nearest zone unless ``name`` is one of the time zone database."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - start-up: 12 ms, only where a zone is named

    try:
        if _ZONE.fullmatch(name) and len(name) <= _LONGEST:
            ZoneInfo(name)
            return
    except (KeyError, ValueError, OSError):  # no such zone, a folder of zones, a file that is none
        pass
    raise ScheduleError(_no_zone(name))


def _no_zone(name: str) -> str:
    from zoneinfo import available_timezones  # noqa: PLC0415 - as above

    zones = sorted(available_timezones())
    if not zones:
        return f"{name!r} is not known: this machine has no time zone database; leave the zone out"
    by_word = {zone.lower(): zone for zone in zones}
    cities = {zone.lower().rpartition("/")[2]: zone for zone in zones}
    wanted = name.lower().replace(" ", "_")
    found = by_word.get(nearest(wanted, list(by_word)) or "") or cities.get(
        nearest(wanted, list(cities)) or ""
    )
    hint = f" (did you mean {found}?)" if found else ""
    return f"{name!r} is no time zone{hint}: write it like Europe/Berlin"
