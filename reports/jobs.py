"""How the jobs stand: when each last ran and how that ended, when it is due, and whether anything runs it."""

from __future__ import annotations

from collections.abc import Iterator

from brain.wording import duration, plural
from reports.document import Document, located
from reports.view import iso_time, safe_display
from scanner.value import dataclass

RUNNING = "running"


@dataclass(frozen=True, slots=True)
class JobState:
    """One job. Moments are epoch seconds, lengths of time seconds.

    ``outcome`` is how the last try ended, in the words of the ledger, or ``running``, then ``holder`` is the
    process; None without any try, then ``last_try`` is None too. ``late_by`` is None where it never ran;
    ``dead`` means later than two periods. ``next_local`` is ``next_at`` on the clock of the schedule.
    ``untold`` says who could not be told of the last try.
    """

    job: str
    schedule: str
    next_slot: str
    next_at: float
    next_local: str
    last_ok: float | None = None
    last_try: float | None = None
    outcome: str | None = None
    slot: str = ""
    trigger: str = ""
    error: str = ""
    duration: float | None = None
    median: float | None = None
    late_by: float | None = None
    missed_slots: int = 0
    failures: int = 0
    is_due: bool = False
    dead: bool = False
    holder: int | None = None
    untold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchedulerState:
    """What starts the jobs; ``active`` and ``lingering`` are None where nobody can tell."""

    kind: str
    runs: str
    active: bool | None
    lingering: bool | None


@dataclass(frozen=True, slots=True)
class DaemonState:
    """The daemon that is running; ``pid`` is None where it is not named."""

    pid: int | None


@dataclass(frozen=True, slots=True)
class LedgerState:
    """How the record of runs stands: lines that tell no run, that say a thing twice, runs of the future.

    ``fix`` is what to do where it is ``unusable``.
    """

    path: str
    runs: int
    damaged: int = 0
    duplicates: int = 0
    future: int = 0
    unusable: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class JobsStatus:
    """All that ``zecher jobs`` shows; ``clock`` is why the clock is doubted, or empty.

    ``off`` are the jobs that the configuration does not turn on.
    """

    jobs: tuple[JobState, ...]
    scheduler: SchedulerState | None
    ledger: LedgerState
    sandbox: str = ""
    clock: str = ""
    daemon: DaemonState | None = None
    off: tuple[str, ...] = ()

    @property
    def dead(self) -> tuple[JobState, ...]:
        """The jobs that are more than two periods late."""
        return tuple(job for job in self.jobs if job.dead)


# -- for people -------------------------------------------------------------------------------------------


def jobs_text(status: JobsStatus, now: float) -> str:
    """The jobs, the scheduler, the sandbox and the ledger, 80 cells wide where errors allow it."""
    lines = [line for job in status.jobs for line in _job_lines(job, now)]
    lines += [_line(name, f"off: turn it on with [{name}] enabled = true") for name in status.off]
    lines += [
        _line("scheduler", scheduler_words(status.scheduler, status.daemon)),
        _line("sandbox", _SANDBOX.get(status.sandbox, "not known: no run has looked yet")),
        _line("ledger", _ledger_words(status.ledger)),
    ]
    if status.clock:
        lines.append(_line("clock", status.clock))
    return "".join(f"{safe_display(line)}\n" for line in lines)


_SANDBOX = {
    "effective": "effective: the last run could write neither home nor system, and open no socket",
    "partial": "partial: the last run could do some of what it should not",
    "none": "none: the last run could write the home and open sockets",
}


def job_words(job: JobState, now: float) -> str:
    """How the job stands, on one line: its last try, how long that took, how late it is."""
    if job.outcome is None:
        return "never ran"
    if job.outcome == RUNNING:
        said = f"running for {_since(job.last_try, now)}" + (f", process {job.holder}" if job.holder else "")
    else:
        said = f"{job.outcome} {_since(job.last_try, now)} ago"
        if job.duration is not None:
            said += f", took {duration(job.duration)}"
            said += f" (median {duration(job.median)})" if job.median is not None else ""
    if job.late_by and (job.is_due or job.dead):
        said += f"; {'DEAD: ' if job.dead else ''}late by {duration(job.late_by)}"
    return said


def scheduler_words(scheduler: SchedulerState | None, daemon: DaemonState | None) -> str:
    """What starts the jobs, and whether it is alive."""
    running = (
        "" if daemon is None else "the daemon is running" + (f", process {daemon.pid}" if daemon.pid else "")
    )
    if scheduler is None:
        return f"none installed, but {running}" if running else "none installed: zecher schedule install"
    alive = {True: "active", False: "NOT ACTIVE", None: "installed, nobody can tell whether it is active"}
    said = f"{scheduler.kind} ({scheduler.runs}): {alive[scheduler.active]}"
    if scheduler.lingering is False:
        said += ", only while you are logged in"
    return f"{said}; {running}" if running else said


def _job_lines(job: JobState, now: float) -> Iterator[str]:
    yield _line(job.job, job_words(job, now))
    if job.outcome not in (None, "ok", RUNNING):
        last = "never" if job.last_ok is None else f"{_since(job.last_ok, now)} ago"
        yield _line("", f"last success: {last}")
    if job.error:
        yield _line("", f"why: {job.error}")
    yield from (_line("", f"untold: {words}") for words in job.untold)
    if job.failures > 1:
        yield _line("", f"{job.failures:,} failures in a row")
    if job.missed_slots:
        yield _line("", f"{plural(job.missed_slots, 'slot')} missed before")
    due = "due now; then " if job.is_due else ""
    yield _line("", f"next: {due}{job.next_local} ({iso_time(job.next_at)})")
    yield _line("", f"schedule: {job.schedule}")


def _ledger_words(ledger: LedgerState) -> str:
    if ledger.unusable:
        return f"unusable: {ledger.unusable}"
    counts = {
        plural(ledger.damaged, "damaged line"): ledger.damaged,
        plural(ledger.duplicates, "line that repeats", "lines that repeat"): ledger.duplicates,
        f"{plural(ledger.future, 'run')} in the future": ledger.future,
    }
    return ", ".join([plural(ledger.runs, "run"), *(words for words, count in counts.items() if count)])


def _since(when: float | None, now: float) -> str:
    return "?" if when is None else duration(now - when)


def _line(title: str, text: str) -> str:
    return f"{title:<10} {text}"


# -- for programs -----------------------------------------------------------------------------------------


def jobs_document(status: JobsStatus) -> Document:
    """``data`` of ``zecher.jobs``."""
    holders = [
        {"job": job.job, "pid": job.holder}
        for job in status.jobs
        if job.outcome == RUNNING or job.holder is not None
    ]
    return {
        "jobs": [job_document(job) for job in status.jobs],
        "off": list(status.off),
        "scheduler": None if status.scheduler is None else _scheduler_document(status.scheduler),
        "daemon": None if status.daemon is None else {"pid": status.daemon.pid},
        "sandbox": status.sandbox or None,
        "lock": holders[0] if holders else None,
        "ledger": {
            **located(status.ledger.path),
            "runs": status.ledger.runs,
            "damaged": status.ledger.damaged,
            "duplicates": status.ledger.duplicates,
            "future": status.ledger.future,
            "unusable": status.ledger.unusable or None,
        },
        "clock": status.clock or None,
    }


def job_document(job: JobState) -> Document:
    """One job as programs read it."""
    return {
        "job": job.job,
        "schedule": job.schedule,
        "last_ok": iso_time(job.last_ok),
        "last_try": iso_time(job.last_try),
        "outcome": job.outcome,
        "slot": job.slot or None,
        "trigger": job.trigger or None,
        "error": job.error or None,
        "duration_s": _rounded(job.duration),
        "median_s": _rounded(job.median),
        "next_slot": iso_time(job.next_at),
        "next_slot_id": job.next_slot,
        "next_slot_local": job.next_local,
        "due": job.is_due,
        "late_by_s": _rounded(job.late_by),
        "dead": job.dead,
        "missed_slots": job.missed_slots,
        "failures": job.failures,
        "untold": list(job.untold),
    }


def _scheduler_document(scheduler: SchedulerState) -> Document:
    return {
        "kind": scheduler.kind,
        "runs": scheduler.runs,
        "active": scheduler.active,
        "lingering": scheduler.lingering,
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
