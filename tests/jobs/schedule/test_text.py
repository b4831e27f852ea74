from __future__ import annotations

import pytest

from jobs.schedule.text import Schedule, ScheduleError, parse_schedule


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("daily 03:17", Schedule("daily", "03:17")),
        (" Daily  3:17 ", Schedule("daily", "03:17")),
        ("daily 00:00", Schedule("daily", "00:00")),
        ("weekly sun 04:23", Schedule("weekly", "04:23", 6)),
        ("weekly MON 23:59", Schedule("weekly", "23:59", 0)),
        ("weekly wednesday 12:00", Schedule("weekly", "12:00", 2)),
        ("every 6h", Schedule("every", hours=6)),
        ("every 1 hour", Schedule("every", hours=1)),
        ("every 168 hours", Schedule("every", hours=168)),
    ],
)
def test_a_schedule_is_read_as_a_person_writes_it(text: str, schedule: Schedule) -> None:
    assert parse_schedule(text) == schedule


@pytest.mark.parametrize("text", ["daily 03:17", "weekly sun 04:23", "every 6h"])
def test_a_schedule_is_written_as_it_is_read(text: str) -> None:
    assert parse_schedule(text).text == text


@pytest.mark.parametrize(
    ("text", "period"), [("daily 03:17", 86_400), ("weekly sun 04:23", 604_800), ("every 6h", 21_600)]
)
def test_a_schedule_knows_its_period(text: str, period: int) -> None:
    assert parse_schedule(text).period == period


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("0 3 * * *", "is a line for cron, whose weekdays nobody agrees on"),
        ("0 9 * * 1", "is a line for cron"),
        ("@daily", 'write "daily 03:17"'),
        ("03:17", 'say how often: "daily 03:17"'),
        ("dayly 03:17", "did you mean daily?"),
        ("daily", 'write "daily 03:17"'),
        ("daily 25:00", "'25:00' is no time of day: from 00:00 to 23:59"),
        ("daily 24:00", "from 00:00 to 23:59"),
        ("daily 03:60", "from 00:00 to 23:59"),
        ("daily 3am", "write it with 24 hours, like 03:17"),
        ("daily \u0660\u0663:\u0661\u0667", "write it with 24 hours, like 03:17"),
        ("weekly 04:23", 'write "weekly sun 04:23"'),
        ("weekly 0 04:23", "'0' is no weekday: mon, tue, wed, thu, fri, sat, sun"),
        ("weekly sondag 04:23", "(did you mean sunday?)"),
        ("every 0h", "from 1h to 168h"),
        ("every 169h", "from 1h to 168h"),
        ("every 6", 'write "every 6h"'),
        ("every 30m", 'write "every 6h"'),
        ("", 'write "daily 03:17"'),
        ("daily 03:17 " + "x" * 1000, 'write "daily 03:17"'),
    ],
)
def test_what_is_no_schedule_is_answered_with_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule(text)

    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC", "Etc/GMT+5"])
def test_a_schedule_may_name_its_zone(zone: str) -> None:
    assert parse_schedule("daily 03:17", zone).zone == zone


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("Europe/Berln", "did you mean Europe/Berlin?"),
        ("berlin", "did you mean Europe/Berlin?"),
        ("new york", "did you mean America/New_York?"),
        ("../../etc/passwd", "write it like Europe/Berlin"),
        ("/etc/localtime", "write it like Europe/Berlin"),
        ("", "write it like Europe/Berlin"),
        ("Europe", "is no time zone"),
        ("x\0y", "is no time zone"),
        ("Mars/Olympus", "is no time zone"),
    ],
)
def test_an_unknown_zone_is_answered_with_its_nearest(zone: str, hint: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule("daily 03:17", zone)

    assert hint in str(caught.value)
