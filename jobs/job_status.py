"""Gathers how the jobs stand: the ledger, the locks, the schedules, the scheduler of the system."""

from __future__ import annotations

import os
import time

from jobs.deadman import is_dead, lateness
from jobs.notices import failures_in_a_row
from jobs.registry import JOBS, schedules
from jobs.run_ledger import CRASHED, DAEMON_LOCK, START, LedgerError, RunLedger, ledger_path, read_runs
from jobs.schedule.due import clock_suspicion, due, turn
from jobs.schedule.slots import instant, newest_slot, next_slot
from reports.jobs import RUNNING, DaemonState, JobsStatus, JobState, LedgerState, SchedulerState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.config_values import Configuration
    from jobs.run_record import Run
    from jobs.schedule.text import Schedule
    from jobs.surroundings import Surroundings


def jobs_status(configuration: Configuration, surroundings: Surroundings, state: str) -> JobsStatus:
    """How every job stands by the ledger in the folder ``state``. Reads only.

    A ledger that cannot be read is told in its own state, and every job then counts as never run.
    """
    ledger = read_ledger(state)
    now = surroundings.now
    planned = schedules(configuration)
    return JobsStatus(
        jobs=tuple(job_state(name, planned[name], ledger, now, state) for name in planned),
        off=tuple(name for name in JOBS if name not in planned),
        scheduler=scheduler_state(surroundings),
        daemon=daemon_state(state),
        ledger=ledger_state(ledger, now, state),
        sandbox=next((run.sandbox for run in reversed(ledger.runs) if run.sandbox), ""),
        clock=clock_suspicion(now, ledger.runs),
    )


def read_ledger(state: str) -> RunLedger:
    """The ledger; one that cannot be read is empty and says why."""
    try:
        return read_runs(state)
    except LedgerError as error:
        return RunLedger(unusable=error.reason, is_foreign=error.is_foreign)


def ledger_state(ledger: RunLedger, now: float, state: str) -> LedgerState:
    """How the ledger in the folder ``state`` stands, and what to do where it cannot be used."""
    fix = ""
    if ledger.unusable:
        moved = "Nothing to do: the next run moves it aside and begins a new one."
        fix = moved if ledger.is_foreign else "Mend its permissions, then run zecher jobs."
    return LedgerState(
        ledger_path(state),
        len(ledger.runs),
        ledger.damaged,
        ledger.duplicates,
        ledger.future(now),
        ledger.unusable,
        fix,
    )


def job_state(name: str, schedule: Schedule, ledger: RunLedger, now: float, state: str) -> JobState:
    """How the job called ``name`` stands at ``now``."""
    runs = ledger.of(name)
    last, good = ledger.last_try(name), ledger.last_ok(name)
    upcoming = next_slot(schedule, now, name)
    late = lateness(name, schedule, now, runs)
    begins = instant(upcoming, schedule)
    outcome, holder = (None, None) if last is None else _outcome(last, state)
    return JobState(
        job=name,
        schedule=schedule.text + (f" {schedule.zone}" if schedule.zone else ""),
        next_slot=upcoming.id,
        next_at=begins,
        next_local=local_time(begins, schedule.zone),
        last_ok=None if good is None else _ended(good),
        last_try=None if last is None else last.start if outcome == RUNNING else _ended(last),
        outcome=outcome,
        slot="" if last is None else last.slot,
        trigger="" if last is None else last.trigger,
        error="" if last is None else ": ".join(filter(None, (last.error_type, last.error))),
        duration=None if last is None else last.duration,
        median=ledger.median_duration(name),
        late_by=late,
        missed_slots=_missed(name, schedule, now, runs),
        failures=failures_in_a_row(runs),
        is_due=outcome != RUNNING and due(name, schedule, now, runs) is not None,
        dead=is_dead(late, schedule),
        holder=holder,
        untold=() if last is None else last.untold,
    )


def scheduler_state(surroundings: Surroundings) -> SchedulerState | None:
    """What of the system starts the jobs; None where nothing of ours is installed."""
    from jobs.scheduler import current_state  # noqa: PLC0415 - start-up: only who asks for it pays

    found = current_state(surroundings)
    if found is None:
        return None
    return SchedulerState(found.kind, found.runs, found.active, found.lingering)


def daemon_state(state: str) -> DaemonState | None:
    """The daemon of this state folder, whoever started it; None while none runs."""
    held, pid = lock_holder(state, DAEMON_LOCK)
    return DaemonState(pid) if held else None


def local_time(moment: float, zone: str | None) -> str:
    """``Tue 2026-12-01 03:17`` on the clock of ``zone``, else of the system."""
    if zone is None:
        return time.strftime("%a %Y-%m-%d %H:%M", time.localtime(moment))
    from datetime import datetime  # noqa: PLC0415 - start-up: only where a zone is named
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - as above

    return datetime.fromtimestamp(moment, ZoneInfo(zone)).strftime("%a %Y-%m-%d %H:%M")


def _ended(run: Run) -> float:
    return run.start if run.end is None else run.end


def _missed(name: str, schedule: Schedule, now: float, runs: Sequence[Run]) -> int:
    """The slots that nobody tried: before the newest while that is untried, else before the last run."""
    slot = newest_slot(schedule, now, name)
    if runs and runs[-1].slot == slot.id:
        return runs[-1].missed_slots
    return turn(slot, schedule, now, runs).missed_slots


def _outcome(run: Run, state: str) -> tuple[str, int | None]:
    """How ``run`` ended; one without an end is running if the lock of its job is held, else it crashed."""
    if run.state != START:
        return run.state, None
    held, pid = lock_holder(state, run.job)
    return (RUNNING, pid or run.pid or None) if held else (CRASHED, None)


def lock_holder(state: str, job: str) -> tuple[bool, int | None]:
    """Whether a process holds the lock ``job``, and its number; nothing is made where there is no lock.

    For an instant the question itself holds the lock: who wants it in earnest waits for longer than that.
    """
    from brain.files.kernel_lock import try_lock  # noqa: PLC0415 - start-up: rarely a run is open

    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC
    try:
        descriptor = os.open(os.path.join(state, "locks", f"{job}.lock"), flags)
    except OSError:
        return False, None
    try:
        if try_lock(descriptor):
            return False, None
        words = os.pread(descriptor, 32, 0).split()
        return True, int(words[0]) if words and words[0].isdigit() else None
    except OSError:
        return False, None
    finally:
        os.close(descriptor)
