"""``zecher jobs``: one look tells whether the nightly works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain.files.lock import BrainLock
from jobs.deadman import is_dead, lateness
from jobs.run_ledger import DAEMON_LOCK, Run, append_run, ledger_path, lock_path
from jobs.schedule.text import parse_schedule
from scanner.value import replace
from tests.jobs.program import Program, folder_state
from tests.support import DAY, NOW

# The slots begin at 03:17 and, on Sundays, at 04:23; it is Monday, four seconds past the first.
SLOTS = ("2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29", "2026-11-30")
DAILY = parse_schedule("daily 03:17", "UTC")


@pytest.fixture
def here(zecher: Program, tmp_path: Path) -> Program:
    """The program on a machine without any scheduler, its clock at UTC."""
    empty = tmp_path / "bin"
    empty.mkdir()
    zecher.extra |= {"TZ": "UTC", "PATH": str(empty)}
    return zecher


def state(program: Program) -> str:
    return str(program.home / ".local/state/zecher")


def a_run(
    slot: str, days: float, how: str = "ok", *, job: str = "nightly", lasted: float = 12.0, error: str = ""
) -> Run:
    """A run that began ``days`` ago; with ``start`` it has no end."""
    start = NOW - days * DAY
    ended = how != "start"
    return Run(
        run=f"{job}-{slot}-{days}",
        job=job,
        slot=slot,
        trigger="timer",
        state=how,
        start=start,
        end=start + lasted if ended else None,
        duration=lasted if ended else None,
        pid=os.getpid(),
        error_type="OSError" if error else "",
        error=error,
        sandbox="effective",
    )


def record(program: Program, *runs: Run) -> None:
    for run in runs:
        append_run(state(program), run)


WEEKLY = a_run("2026-W48", 1 - 3956 / DAY, job="weekly")


# -- what is shown -------------------------------------------------------------------------------------------


def test_before_the_first_run_it_says_that_there_was_none(here: Program) -> None:
    done = here("jobs")

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "nightly    never ran\n"
        "           next: due now; then Tue 2026-12-01 03:17 (2026-12-01T03:17:00Z)\n"
        "           schedule: daily 03:17\n"
        "weekly     never ran\n"
        "           next: due now; then Sun 2026-12-06 04:23 (2026-12-06T04:23:00Z)\n"
        "           schedule: weekly sun 04:23\n"
        "dreaming   off: turn it on with [dreaming] enabled = true\n"
        "scheduler  none installed: zecher schedule install\n"
        "sandbox    not known: no run has looked yet\n"
        "ledger     0 runs\n"
    )
    assert list(here.home.iterdir()) == []


def test_a_job_that_works_is_told_in_three_lines(here: Program) -> None:
    record(here, a_run(SLOTS[-2], 1, lasted=30.0), a_run(SLOTS[-1], 0, lasted=10.0), WEEKLY)

    lines = here("jobs").out.splitlines()

    assert lines[:3] == [
        "nightly    ok under a second ago, took 10 s (median 20 s)",
        "           next: Tue 2026-12-01 03:17 (2026-12-01T03:17:00Z)",
        "           schedule: daily 03:17",
    ]
    assert lines[-2:] == [
        "sandbox    effective: the last run could write neither home nor system, and open no socket",
        "ledger     3 runs",
    ]


def test_a_failure_says_why_and_when_it_last_worked(here: Program) -> None:
    why = "disk\x1b[2J full"
    record(here, a_run(SLOTS[-3], 2), a_run(SLOTS[-2], 1, "failed"))
    record(here, a_run(SLOTS[-2], 0.99, "failed", error=why))

    lines = here("jobs").out.splitlines()

    assert lines[:6] == [
        "nightly    failed 23 h ago, took 12 s (median 12 s); late by 1 d",
        "           last success: 1 d ago",
        "           why: OSError: disk\\x1b[2J full",
        "           2 failures in a row",
        "           next: due now; then Tue 2026-12-01 03:17 (2026-12-01T03:17:00Z)",
        "           schedule: daily 03:17",
    ]


def test_the_document_holds_the_same_for_programs(here: Program) -> None:
    record(here, a_run(SLOTS[-4], 3), WEEKLY)

    document = here("jobs", "--json").document
    nightly, weekly = document["data"]["jobs"]

    assert (document["schema"], document["ok"], document["problems"]) == ("zecher.jobs", True, [])
    assert nightly == {
        "job": "nightly",
        "schedule": "daily 03:17",
        "last_ok": "2026-11-27T03:17:16Z",
        "last_try": "2026-11-27T03:17:16Z",
        "outcome": "ok",
        "slot": "2026-11-27",
        "trigger": "timer",
        "error": None,
        "duration_s": 12.0,
        "median_s": 12.0,
        "next_slot": "2026-12-01T03:17:00Z",
        "next_slot_id": "2026-12-01",
        "next_slot_local": "Tue 2026-12-01 03:17",
        "due": True,
        "late_by_s": 2 * DAY + 4,
        "dead": True,
        "missed_slots": 2,
        "failures": 0,
        "untold": [],
    }
    assert (weekly["late_by_s"], weekly["dead"], weekly["due"]) == (0.0, False, False)
    assert (document["data"]["scheduler"], document["data"]["sandbox"]) == (None, "effective")
    assert (document["data"]["lock"], document["data"]["daemon"]) == (None, None)


def test_the_next_slot_is_shown_on_the_clock_of_the_schedule(here: Program) -> None:
    configuration = here.home / ".config/zecher/config.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text('[schedule]\nnightly = "daily 06:30"\nzone = "Asia/Kolkata"\n')

    nightly = here("jobs", "--json").data["jobs"][0]

    assert (nightly["next_slot_local"], nightly["next_slot"]) == (
        "Tue 2026-12-01 06:30",
        "2026-12-01T01:00:00Z",
    )


def test_what_the_scheduler_of_the_system_holds_is_named(here: Program, tmp_path: Path) -> None:
    entry = tmp_path / "crontab"
    entry.write_text(here("schedule", "show", "--scheduler", "cron").out)
    assert "zecher" in entry.read_text()
    program = tmp_path / "bin" / "crontab"
    program.write_text(f"#!/bin/sh\nexec /bin/cat '{entry}'\n")
    program.chmod(0o755)

    found = here("jobs", "--json").data["scheduler"]

    assert (found["kind"], found["runs"]) == ("cron", "hourly")


def test_a_daemon_is_seen_whoever_started_it(here: Program) -> None:
    with BrainLock(lock_path(state(here), DAEMON_LOCK), wait=0.0):
        data, shown = here("jobs", "--json").data, here("jobs").out

    pid = os.getpid()
    assert (data["scheduler"], data["daemon"]) == (None, {"pid": pid})
    assert f"\nscheduler  none installed, but the daemon is running, process {pid}\n" in shown
    assert "none installed: zecher schedule install" in here("jobs").out


def test_who_could_not_be_told_is_shown_with_the_last_try(here: Program) -> None:
    failed = a_run(SLOTS[-1], 0, "failed")
    record(here, failed, replace(failed, untold=("/bin/hook: the hook failed: no bus",)))

    assert here("jobs").out.splitlines()[2] == "           untold: /bin/hook: the hook failed: no bus"
    assert here("jobs", "--json").data["jobs"][0]["untold"] == ["/bin/hook: the hook failed: no bus"]


# -- what is under way, and what crashed ---------------------------------------------------------------------


def test_a_run_under_way_names_the_process_that_holds_the_lock(here: Program) -> None:
    record(here, a_run(SLOTS[-1], 0.01, "start"))
    lock = Path(state(here)) / "locks/nightly.lock"
    code = (
        "import fcntl, os, sys\n"
        "file = open(sys.argv[1], 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print(os.getpid(), file=file, flush=True)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        data = here("jobs", "--json").data
        shown = here("jobs").out.splitlines()[0]
    finally:
        holder.communicate()

    assert (data["jobs"][0]["outcome"], data["lock"]) == ("running", {"job": "nightly", "pid": holder.pid})
    assert shown == f"nightly    running for 14 min, process {holder.pid}"


def test_a_run_without_an_end_whose_lock_is_free_has_crashed(here: Program) -> None:
    record(here, a_run(SLOTS[-1], 0.01, "start"))
    before = folder_state(here.home)

    data = here("jobs", "--json").data

    assert (data["jobs"][0]["outcome"], data["lock"]) == ("crashed", None)
    assert folder_state(here.home) == before


# -- the check -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot", "days", "code"),
    [
        (SLOTS[-1], 0.0, 0),
        (SLOTS[-2], 1.0, 0),
        (SLOTS[-3], 2.0, 0),
        (SLOTS[-4], 3.0, 10),
        (SLOTS[0], 6.0, 10),
    ],
)
def test_the_check_ends_with_ten_once_a_slot_is_two_periods_late(
    here: Program, slot: str, days: float, code: int
) -> None:
    record(here, a_run(slot, days), WEEKLY)

    assert here("jobs", "--check").code == code
    assert here("jobs").code == 0


def test_the_check_ends_with_ten_where_a_job_never_ran(here: Program) -> None:
    record(here, a_run(SLOTS[-1], 0))

    assert here("jobs", "--check").code == 10


def test_tries_that_fail_do_not_keep_a_job_alive(here: Program) -> None:
    record(here, a_run(SLOTS[-4], 3), *(a_run(slot, 0.1, "failed") for slot in SLOTS[-3:]), WEEKLY)

    done = here("jobs", "--check")

    assert done.code == 10
    assert "; DEAD: late by 2 d\n" in done.out
    assert "3 failures in a row\n" in done.out


# -- hostile ledgers -----------------------------------------------------------------------------------------


def test_garbage_in_the_ledger_is_counted(here: Program) -> None:
    record(here, a_run(SLOTS[-1], 0), a_run(SLOTS[-1], 0), a_run("2027-03-01", -91, job="weekly"))
    with open(ledger_path(state(here)), "ab") as file:
        file.write(b'garbage\n{"v":1}\n')

    done = here("jobs", "--json")

    ledger = done.data["ledger"]
    assert (ledger["runs"], ledger["damaged"], ledger["duplicates"], ledger["future"]) == (2, 2, 1, 1)
    assert "2 damaged lines, 1 line that repeats, 1 run in the future" in here("jobs").out


def test_a_ledger_that_is_none_is_told_and_nothing_is_moved(here: Program) -> None:
    Path(ledger_path(state(here))).mkdir(parents=True)

    done = here("jobs")

    assert (done.code, "[ledger-unreadable]" in done.err) == (3, True)
    assert "ledger     unusable: " in done.out
    assert here("jobs", "--check").code == 10
    assert Path(ledger_path(state(here))).is_dir()


# -- how late ------------------------------------------------------------------------------------------------


def test_lateness_counts_from_the_first_slot_that_nobody_did() -> None:
    runs = (a_run(SLOTS[-4], 3), a_run(SLOTS[-3], 2, "failed"))

    assert lateness("nightly", DAILY, NOW, runs) == 2 * DAY + 4
    assert is_dead(2 * DAY + 4, DAILY)
    assert not is_dead(2 * DAY, DAILY)


def test_where_nothing_was_ever_done_lateness_counts_from_the_first_try() -> None:
    assert lateness("nightly", DAILY, NOW, (a_run(SLOTS[-2], 1, "failed"),)) == DAY + 4
    assert lateness("nightly", DAILY, NOW, ()) is None
    assert lateness("nightly", DAILY, NOW, (a_run(SLOTS[-1], 0, job="weekly"),)) is None


def test_after_a_change_of_the_schedule_the_last_run_counts_by_its_time() -> None:
    assert lateness("nightly", DAILY, NOW, (a_run("2026-11-30T03", 0.0),)) == 0.0
    assert lateness("nightly", DAILY, NOW, (a_run("2026-W40", 2.5),)) == 2 * DAY + 4


def test_a_clock_that_was_put_back_makes_nothing_late() -> None:
    assert lateness("nightly", DAILY, NOW - 400 * DAY, (a_run(SLOTS[-1], 0),)) == 0.0


def test_a_run_of_the_future_does_not_hide_that_a_job_is_late() -> None:
    runs = (a_run(SLOTS[-4], 3), a_run("2036-11-30", -3653))

    assert lateness("nightly", DAILY, NOW, runs) == 2 * DAY + 4


# -- in the state of the portfolio ---------------------------------------------------------------------------


def test_the_state_of_the_portfolio_tells_of_the_nightly_once_there_was_one(here: Program) -> None:
    assert here("status", "--json").data["nightly"] is None
    record(here, a_run(SLOTS[-2], 1))

    assert here("status", "--json").data["nightly"] == here("jobs", "--json").data["jobs"][0]
    assert "nightly    ok 23 h ago, took 12 s (median 12 s); late by 4 s" in here.at_terminal("status").out
