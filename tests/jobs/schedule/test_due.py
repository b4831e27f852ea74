from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobs.run_ledger import Run
from jobs.schedule.due import BUILD_DATE, Due, clock_suspicion, due, retry_at
from jobs.schedule.slots import Slot
from jobs.schedule.text import parse_schedule
from scanner.value import replace
from tests.support import DAY, NOW

NIGHTLY = parse_schedule("daily 03:17")
MINUTE = 60.0


def ran(slot: str, state: str = "ok", *, at: float = NOW, lasted: float = 4.0, job: str = "nightly") -> Run:
    end = None if state == "start" else at + lasted
    return Run(f"{job}-{slot}-{at}", job, slot, "timer", state, at, end, lasted)


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_without_any_run_the_newest_slot_is_due_and_nothing_was_missed() -> None:
    assert due("nightly", NIGHTLY, NOW, ()) == Due(Slot("nightly", "2026-11-30"), 1, 0, "")


@pytest.mark.parametrize("state", ["ok", "partial"])
def test_a_slot_that_is_done_is_not_due(state: str) -> None:
    assert due("nightly", NIGHTLY, NOW + 3600, [ran("2026-11-30", state)]) is None


def test_what_another_job_did_is_nothing_to_this_one() -> None:
    assert due("nightly", NIGHTLY, NOW, [ran("2026-11-30", job="weekly")]) is not None


def test_a_machine_that_was_off_at_three_catches_up_at_nine_for_that_day() -> None:
    runs = [ran("2026-11-29", at=NOW - DAY)]

    assert due("nightly", NIGHTLY, moment("2026-11-30T09:00"), runs) == Due(
        Slot("nightly", "2026-11-30"), 1, 0, "catchup"
    )


def test_an_hourly_cron_line_is_no_catch_up() -> None:
    found = due("nightly", NIGHTLY, moment("2026-11-30T04:17"), [])

    assert found is not None
    assert found.trigger == ""


def test_older_slots_are_one_run_and_are_counted() -> None:
    found = due("nightly", NIGHTLY, NOW, [ran("2026-11-20", at=NOW - 10 * DAY)])

    assert found == Due(Slot("nightly", "2026-11-30"), 1, 9, "")


def test_a_slot_that_failed_was_not_missed() -> None:
    runs = [ran("2026-11-20", at=NOW - 10 * DAY), ran("2026-11-28", "failed", at=NOW - 2 * DAY)]
    found = due("nightly", NIGHTLY, NOW, runs)

    assert found is not None
    assert found.missed_slots == 1


def test_slots_of_another_schedule_do_not_count_as_missed() -> None:
    runs = [ran("2026-W20", at=NOW - 100 * DAY), ran("2026-11-30T00", at=NOW - 3600), ran("rubbish", at=NOW)]
    found = due("nightly", NIGHTLY, NOW, runs)

    assert found == Due(Slot("nightly", "2026-11-30"), 1, 0, "")


@pytest.mark.parametrize("state", ["failed", "timeout", "cancelled"])
def test_a_failure_is_tried_again_after_five_minutes_then_after_ten_then_no_more(state: str) -> None:
    runs = [ran("2026-11-30", state)]
    assert due("nightly", NIGHTLY, NOW + 4 + 5 * MINUTE - 1, runs) is None
    second = due("nightly", NIGHTLY, NOW + 4 + 5 * MINUTE, runs)
    assert second is not None
    assert second.attempt == 2

    runs.append(ran("2026-11-30", state, at=NOW + 6 * MINUTE))
    assert due("nightly", NIGHTLY, NOW + 4 + 16 * MINUTE - 1, runs) is None
    third = due("nightly", NIGHTLY, NOW + 4 + 16 * MINUTE, runs)
    assert third is not None
    assert third.attempt == 3

    runs.append(ran("2026-11-30", state, at=NOW + 17 * MINUTE))
    assert due("nightly", NIGHTLY, NOW + 23 * 3600, runs) is None


def test_the_next_slot_has_three_attempts_of_its_own() -> None:
    runs = [ran("2026-11-30", "failed", at=NOW + place * 20 * MINUTE) for place in range(3)]
    found = due("nightly", NIGHTLY, NOW + DAY, runs)

    assert found == Due(Slot("nightly", "2026-12-01"), 1, 0, "")


def test_after_a_crash_nobody_waits_but_the_attempt_counts() -> None:
    found = due("nightly", NIGHTLY, NOW + 5, [ran("2026-11-30", "crashed")])

    assert found is not None
    assert found.attempt == 2


def test_a_run_without_an_end_counts_as_an_attempt() -> None:
    found = due("nightly", NIGHTLY, NOW + 5, [ran("2026-11-30", "start")])

    assert found is not None
    assert found.attempt == 2


def test_a_run_that_was_skipped_is_no_attempt() -> None:
    found = due("nightly", NIGHTLY, NOW, [ran("2026-11-30", "skipped")] * 5)

    assert found is not None
    assert found.attempt == 1


def test_a_failure_that_ended_after_the_clock_was_read_pauses_as_well() -> None:
    assert due("nightly", NIGHTLY, NOW, [ran("2026-11-30", "failed", at=NOW, lasted=90)]) is None


def test_a_failure_in_the_far_future_pauses_nothing() -> None:
    found = due("nightly", NIGHTLY, NOW, [ran("2026-11-30", "failed", at=NOW + 3650 * DAY)])

    assert found is not None
    assert found.attempt == 2


def test_the_moment_of_the_next_try_is_known() -> None:
    assert retry_at([ran("2026-11-30", "failed")] * 2) == NOW + 4 + 10 * MINUTE


# -- the clock -----------------------------------------------------------------------------------------------


def test_a_clock_that_goes_on_day_by_day_is_believed() -> None:
    runs = [ran("x", at=NOW - place * DAY) for place in range(20, 0, -1)]

    assert clock_suspicion(NOW, runs) == ""
    assert clock_suspicion(NOW, ()) == ""


def test_a_clock_that_was_put_back_by_an_hour_is_believed() -> None:
    assert clock_suspicion(NOW - 3600, [ran("x", at=NOW)]) == ""


def test_a_clock_that_went_back_by_more_than_a_day_is_not() -> None:
    assert "went back by more than a day" in clock_suspicion(NOW - DAY - 1, [ran("x", at=NOW)])


def test_a_machine_that_rested_for_a_year_is_believed_one_that_jumped_ten_is_not() -> None:
    assert clock_suspicion(NOW + 399 * DAY, [ran("x", at=NOW)]) == ""
    assert "more than 400 days" in clock_suspicion(NOW + 3650 * DAY, [ran("x", at=NOW)])


def test_a_clock_twenty_years_ahead_of_this_version_is_never_believed() -> None:
    assert "twenty years ahead" in clock_suspicion(BUILD_DATE + 21 * 366 * DAY, ())


def test_ten_years_forth_and_back_are_doubted_until_eight_runs_agree() -> None:
    """A clock that jumps must archive nothing, neither while it is wrong nor when it is right again."""
    runs = [ran("x", at=NOW - place * DAY) for place in range(9, 0, -1)]
    runs.append(ran("x", at=NOW + 3650 * DAY))
    doubts = []
    for night in range(10):
        doubts.append(bool(clock_suspicion(NOW + night * DAY, runs)))
        runs.append(ran("x", at=NOW + night * DAY))

    assert doubts == [True] * 8 + [False] * 2


def test_what_was_skipped_says_nothing_of_the_clock() -> None:
    assert clock_suspicion(NOW, [replace(ran("x"), state="skipped", start=NOW + 3650 * DAY)]) == ""
