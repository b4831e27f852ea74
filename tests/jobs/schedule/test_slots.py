from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.schedule.slots import Slot, count_between, instant, newest_slot, next_slot, steps_between
from jobs.schedule.text import WEEKDAYS, Schedule, parse_schedule
from tests.timing import processor_seconds

# Those whose clocks did the oddest things, and some whose clocks never move.
ZONES = (
    *("Europe/Berlin", "Europe/London", "Europe/Helsinki", "America/Los_Angeles", "America/St_Johns"),
    *("America/Santiago", "America/Havana", "Asia/Beirut", "Africa/Cairo", "Africa/Casablanca"),
    *("Australia/Lord_Howe", "Pacific/Chatham", "Asia/Kathmandu", "UTC"),
)
TIMES = tuple(f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in (0, 30))
DAYS = tuple(date(2025, 1, 1) + timedelta(days) for days in range(730))


def moment(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def utc(epoch: float) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M")


def turns(schedule: Schedule, now: float, count: int) -> list[tuple[str, str]]:
    found = []
    for _ in range(count):
        slot = next_slot(schedule, now)
        now = instant(slot, schedule)
        found.append((slot.id, utc(now)))
    return found


def test_slots_are_named_by_day_week_and_hour() -> None:
    now = moment("2026-11-30T07:00:00")

    assert newest_slot(parse_schedule("daily 03:17"), now, "nightly") == Slot("nightly", "2026-11-30")
    assert newest_slot(parse_schedule("weekly mon 04:23"), now, "weekly") == Slot("weekly", "2026-W49")
    assert newest_slot(parse_schedule("every 6h"), now, "sweep") == Slot("sweep", "2026-11-30T06")


def test_before_its_time_the_slot_of_the_day_before_is_the_newest() -> None:
    schedule = parse_schedule("daily 03:17")
    begin = moment("2026-11-30T03:17:00")

    assert newest_slot(schedule, begin - 0.001).id == "2026-11-29"
    assert newest_slot(schedule, begin).id == "2026-11-30"
    assert next_slot(schedule, begin - 0.001).id == "2026-11-30"
    assert next_slot(schedule, begin).id == "2026-12-01"


def test_a_week_belongs_to_its_iso_year() -> None:
    schedule = parse_schedule("weekly sun 04:23", "Europe/Berlin")

    assert turns(schedule, moment("2026-12-21T00:00:00"), 3) == [
        ("2026-W52", "2026-12-27T03:23"),
        ("2026-W53", "2027-01-03T03:23"),
        ("2027-W01", "2027-01-10T03:23"),
    ]


@pytest.mark.parametrize(
    ("text", "zone", "slot", "begins"),
    [
        # The hour that does not come: the first moment after it.
        ("daily 02:30", "Europe/Berlin", "2025-03-30", "2025-03-30T01:00"),
        ("daily 02:00", "Europe/Berlin", "2025-03-30", "2025-03-30T01:00"),
        ("daily 03:00", "Europe/Berlin", "2025-03-30", "2025-03-30T01:00"),
        ("daily 00:00", "America/Santiago", "2025-09-07", "2025-09-07T04:00"),
        ("daily 02:15", "Australia/Lord_Howe", "2025-10-05", "2025-10-04T15:30"),
        # The hour that comes twice: the first time.
        ("daily 02:30", "Europe/Berlin", "2025-10-26", "2025-10-26T00:30"),
        ("daily 03:00", "Europe/Berlin", "2025-10-26", "2025-10-26T02:00"),
        ("daily 01:45", "Australia/Lord_Howe", "2025-04-06", "2025-04-05T14:45"),
        # The days around them are ordinary ones.
        ("daily 02:30", "Europe/Berlin", "2025-03-31", "2025-03-31T00:30"),
        ("daily 00:00", "Europe/Berlin", "2025-03-31", "2025-03-30T22:00"),
        # The day after the one that an island left out.
        ("daily 03:17", "Pacific/Apia", "2011-12-31", "2011-12-30T13:17"),
    ],
)
def test_where_the_clock_is_changed_a_slot_begins_once(text: str, zone: str, slot: str, begins: str) -> None:
    assert utc(instant(Slot("", slot), parse_schedule(text, zone))) == begins


# Islands that changed sides of the date line, and the day that they left out.
LEFT_OUT = (
    ("Pacific/Apia", date(2011, 12, 30)),
    ("Pacific/Fakaofo", date(2011, 12, 30)),
    ("Pacific/Kwajalein", date(1993, 8, 21)),
    ("Pacific/Kiritimati", date(1994, 12, 31)),
)


@pytest.mark.parametrize(("zone", "left_out"), LEFT_OUT)
def test_a_day_that_was_left_out_has_no_slot_and_every_other_has_one(zone: str, left_out: date) -> None:
    days = [left_out + timedelta(near) for near in range(-4, 5) if near]
    for text in TIMES:
        schedule = parse_schedule(f"daily {text}", zone)
        begins = [instant(Slot("", day.isoformat()), schedule) for day in days]

        assert [datetime.fromtimestamp(begin, ZoneInfo(zone)).date() for begin in begins] == days
        assert [newest_slot(schedule, begin).id for begin in begins] == [day.isoformat() for day in days]
        assert [newest_slot(schedule, begin - 1).id for begin in begins[1:]] == [
            day.isoformat() for day in days[:-1]
        ]
        assert [slot for slot, _ in turns(schedule, begins[0] - 1, 8)] == [day.isoformat() for day in days]


@pytest.mark.parametrize(("zone", "left_out"), LEFT_OUT)
def test_a_day_that_was_left_out_was_not_missed(zone: str, left_out: date) -> None:
    schedule = parse_schedule("daily 03:17", zone)
    before, after = (Slot("", (left_out + timedelta(near)).isoformat()) for near in (-1, 1))

    assert steps_between(schedule, before, after) == 1
    assert steps_between(schedule, Slot("", "1990-01-01"), Slot("", "1990-01-03")) == 2
    assert count_between(schedule, Slot("", "1980-01-01"), Slot("", "2026-11-30")) == 17_135 - 2


@pytest.mark.parametrize(("zone", "left_out"), LEFT_OUT)
def test_the_week_of_a_day_that_was_left_out_has_its_slot(zone: str, left_out: date) -> None:
    schedule = parse_schedule(f"weekly {WEEKDAYS[left_out.weekday()]} 04:23", zone)
    year, week, _ = left_out.isocalendar()
    day_after = datetime.combine(left_out + timedelta(1), datetime.min.time(), ZoneInfo(zone))

    assert instant(Slot("", f"{year}-W{week:02d}"), schedule) == day_after.timestamp()


def test_a_day_whose_time_does_not_come_before_its_end_has_its_slot_all_the_same() -> None:
    """In Nuuk the last hour of that day was left out."""
    schedule = parse_schedule("daily 23:30", "America/Nuuk")

    assert turns(schedule, moment("2024-03-29T12:00:00"), 3) == [
        ("2024-03-29", "2024-03-30T01:30"),
        ("2024-03-30", "2024-03-31T01:00"),
        ("2024-03-31", "2024-04-01T00:30"),
    ]


@pytest.mark.parametrize(
    ("text", "zone", "now", "newest", "following"),
    [
        ("daily 03:17", None, "9999-12-31T00:00:00", "9999-12-30", "9999-12-31"),
        ("daily 03:17", None, "9999-12-31T12:00:00", "9999-12-31", "9999-12-31"),
        ("daily 03:17", "Pacific/Kiritimati", "9999-12-31T23:59:59", "9999-12-31", "9999-12-31"),
        ("daily 23:59", "Pacific/Pago_Pago", "9999-12-31T23:59:59", "9999-12-30", "9999-12-30"),
        ("weekly sun 04:23", "Europe/Berlin", "9999-12-20T12:00:00", "9999-W50", "9999-W51"),
        ("weekly sun 04:23", "Europe/Berlin", "9999-12-31T12:00:00", "9999-W51", "9999-W51"),
        ("every 6h", None, "9999-12-31T12:00:00", "9999-12-31T12", "9999-12-31T18"),
        ("every 6h", None, "9999-12-31T23:00:00", "9999-12-31T18", "9999-12-31T18"),
    ],
)
def test_the_calendar_has_a_last_slot(
    text: str, zone: str | None, now: str, newest: str, following: str
) -> None:
    schedule = parse_schedule(text, zone or "UTC")

    assert newest_slot(schedule, moment(now)).id == newest
    assert next_slot(schedule, moment(now)).id == following


def test_no_week_is_lost_where_the_clock_is_put_forward() -> None:
    schedule = parse_schedule("weekly mon 00:00", "Europe/Berlin")

    assert turns(schedule, moment("2025-03-20T00:00:00"), 3) == [
        ("2025-W13", "2025-03-23T23:00"),
        ("2025-W14", "2025-03-30T22:00"),
        ("2025-W15", "2025-04-06T22:00"),
    ]


def test_every_six_hours_is_a_grid_of_utc_hours_in_every_zone() -> None:
    schedule = parse_schedule("every 6h", "Australia/Lord_Howe")

    assert turns(schedule, moment("2026-11-30T03:17:00"), 3) == [
        ("2026-11-30T06", "2026-11-30T06:00"),
        ("2026-11-30T12", "2026-11-30T12:00"),
        ("2026-11-30T18", "2026-11-30T18:00"),
    ]


@pytest.mark.parametrize("zone", ZONES)
def test_every_local_day_has_exactly_one_run(zone: str, full: bool) -> None:
    """The short form looks at the days around each change of the clock, the long form at every day."""
    clock = ZoneInfo(zone)
    looked = list(DAYS if full else _days_of_change(clock))
    assert full or zone in ("UTC", "Asia/Kathmandu") or len(looked) >= 16
    for text in TIMES:
        schedule = parse_schedule(f"daily {text}", zone)
        for day in looked:
            begin = instant(Slot("", day.isoformat()), schedule)
            # Begins on that day and on no other, at its time or in the first moment after a gap.
            shown = datetime.fromtimestamp(begin, clock)
            assert (shown.date(), shown.fold) == (day, 0)
            assert shown.strftime("%H:%M") >= text
            # Before that moment the day before is the newest, from then on this one: one run each.
            assert newest_slot(schedule, begin - 1).id == (day - timedelta(1)).isoformat()
            assert newest_slot(schedule, begin).id == day.isoformat()


@pytest.mark.parametrize("zone", ZONES)
def test_the_days_of_two_years_begin_one_after_the_other_each_on_its_own_date(zone: str) -> None:
    clock = ZoneInfo(zone)
    count = 0
    for text in TIMES:
        schedule = parse_schedule(f"daily {text}", zone)
        begins = [instant(Slot("", day.isoformat()), schedule) for day in DAYS]
        assert all(later - earlier >= 22 * 3600 for earlier, later in pairwise(begins))
        assert [datetime.fromtimestamp(begin, clock).date() for begin in begins] == list(DAYS)
        count += len(begins)
    assert count * 12 >= 418_752


def _days_of_change(clock: ZoneInfo) -> Iterator[date]:
    def offset(day: date) -> timedelta | None:
        return datetime(day.year, day.month, day.day, tzinfo=clock).utcoffset()

    for day in DAYS[3:-3]:
        if any(offset(day + timedelta(near)) != offset(day + timedelta(near + 1)) for near in (-2, -1, 0, 1)):
            yield day


_SCHEDULES = st.one_of(
    st.builds(lambda hour, minute: f"daily {hour}:{minute:02d}", st.integers(0, 23), st.integers(0, 59)),
    st.builds(
        lambda day, hour, minute: f"weekly {day} {hour}:{minute:02d}",
        *(st.sampled_from(WEEKDAYS), st.integers(0, 23), st.integers(0, 59)),
    ),
    st.builds(lambda hours: f"every {hours}h", st.integers(1, 168)),
)
_NAMED_ZONES = st.one_of(st.none(), st.sampled_from(sorted(available_timezones())))


@settings(deadline=None, max_examples=400)
@given(_SCHEDULES, _NAMED_ZONES, st.floats(0, 4_000_000_000))
def test_now_lies_between_the_newest_slot_and_the_next(text: str, zone: str | None, now: float) -> None:
    schedule = parse_schedule(text, zone)
    newest, following = newest_slot(schedule, now), next_slot(schedule, now)

    assert instant(newest, schedule) <= now < instant(following, schedule)
    assert steps_between(schedule, newest, following) == 1
    assert newest_slot(schedule, instant(following, schedule)) == following


@settings(deadline=None)
@given(_SCHEDULES, st.one_of(st.floats(allow_nan=False), st.integers(-(10**18), 10**18)))
def test_no_clock_is_too_wrong_for_a_slot(text: str, now: float) -> None:
    schedule = parse_schedule(text)
    newest, following = newest_slot(schedule, now), next_slot(schedule, now)

    assert instant(newest, schedule) < instant(following, schedule) or (
        newest == following and now > 253_401_000_000
    )


def test_without_a_zone_the_clock_of_the_system_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = parse_schedule("daily 02:30")
    before = instant(Slot("", "2025-10-26"), schedule)
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        after = instant(Slot("", "2025-10-26"), schedule)
    finally:
        monkeypatch.undo()
        time.tzset()

    assert (utc(before), utc(after)) == ("2025-10-26T02:30", "2025-10-26T00:30")


@pytest.mark.parametrize(
    ("text", "older", "newer", "between"),
    [
        ("daily 03:17", "2026-11-29", "2026-11-30", 0),
        ("daily 03:17", "2026-11-27", "2026-11-30", 2),
        ("daily 03:17", "2026-11-30", "2026-11-27", 0),
        ("weekly sun 04:23", "2026-W52", "2027-W01", 1),
        ("every 6h", "2026-11-30T00", "2026-11-30T18", 2),
        ("daily 03:17", "2026-W52", "2026-11-30", 0),
        ("daily 03:17", "2026-02-30", "2026-11-30", 0),
        ("daily 03:17", "nonsense", "2026-11-30", 0),
    ],
)
def test_the_slots_between_two_are_counted(text: str, older: str, newer: str, between: int) -> None:
    assert count_between(parse_schedule(text), Slot("", older), Slot("", newer)) == between


@pytest.mark.parametrize("text", ["daily 03:17", "weekly sun 04:23", "every 1h"])
def test_ten_years_are_counted_in_under_a_millisecond(text: str) -> None:
    schedule = parse_schedule(text, "Europe/Berlin")
    now = moment("2026-11-30T07:00:00")
    newest_slot(schedule, now)

    def count() -> int:
        older, newer = newest_slot(schedule, now), newest_slot(schedule, now + 10 * 365.25 * 86_400)
        return count_between(schedule, older, newer)

    assert count() + 1 == int(10 * 365.25 * 86_400 // schedule.period)
    assert processor_seconds(count, rounds=20) < 0.001  # 0.05 ms; weeks one after the other: 22 ms


def test_a_slot_of_another_kind_of_schedule_has_no_beginning() -> None:
    with pytest.raises(ValueError, match="is no slot of 'daily 03:17'"):
        instant(Slot("", "2026-W49"), parse_schedule("daily 03:17"))
