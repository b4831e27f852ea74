"""Runs a job exactly once a slot, whoever asks and however often, and writes down how it ended.

Lock, look again whether the slot is open, record the beginning, run, record the end. A beginning without an
end and without an owner of the lock is a crash, which the next run writes down.
"""

from __future__ import annotations

import os
import time

from jobs import __version__
from jobs.crashes import mark_crashed
from jobs.ending import Ending, carry_out
from jobs.errors import DONE, FAILED, LOCKED, PARTIAL, ExpectedError
from jobs.machine import boot_id, host_name, passing_time, system_zone
from jobs.registry import CancelToken, JobContext, JobResult, job_named
from jobs.run_ledger import GLANCE_SECONDS, LedgerError, append_run, lock_path, read_runs
from jobs.run_record import CANCELLED, DAEMON, OK, SKIPPED, START, Run, RunLedger
from jobs.run_record import FAILED as FAILED_STATE
from jobs.run_record import PARTIAL as PARTLY
from jobs.sandbox import probe
from jobs.schedule.due import MAX_ATTEMPTS, Due, clock_suspicion, due, retry_at, turn
from jobs.schedule.slots import newest_slot
from jobs.stopping import Stopping
from jobs.telling import Audience
from reports.view import iso_time
from scanner.project import Problem
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.registry import Job
    from jobs.run_settings import RunSettings

NOTHING_DUE = "nothing-due"
TERMINATED = 143
"""The exit code of a run that a signal ended: 128 and the number of SIGTERM."""

_EXIT_CODES = {OK: DONE, PARTLY: PARTIAL, NOTHING_DUE: DONE, SKIPPED: LOCKED, CANCELLED: TERMINATED}


@dataclass(frozen=True, slots=True)
class RunReport:
    """What became of one wish to run a job.

    ``state`` is one of the ledger's, or ``nothing-due``; ``skipped`` means that another run holds the lock.
    ``result`` is what the job handed back, if it came so far. ``problems`` are the job's and the run's own.
    ``stopped``: a signal asked this process to end, whatever came of the run.
    """

    job: str
    slot: str
    state: str
    run: str = ""
    missed_slots: int = 0
    duration: float | None = None
    result: JobResult | None = None
    problems: tuple[Problem, ...] = ()
    message: str = ""
    stopped: bool = False

    @property
    def exit_code(self) -> int:
        """0 done or nothing due, 1 failed, 3 in part, 75 locked, 143 ended by a signal."""
        return _EXIT_CODES.get(self.state, FAILED)


def run_job(
    name: str, settings: RunSettings, *, trigger: str = "manual", if_due: bool = False, force: bool = False
) -> RunReport:
    """Run the job called ``name`` if its newest slot is open; what became of it.

    With ``if_due`` a slot that failed waits for its pause and is given up after three attempts; with
    ``force`` it is run even if it is done. Whatever a job does is in the report. ``UsageError`` for an
    unknown job, ``ExpectedError`` when nobody can tell whether the slot is open.
    """
    job = job_named(name)
    one = _OneRun(job, settings, trigger, if_due=if_due, force=force)
    ledger = _read(settings.scan.state)
    # A run that never ended may be under way or have crashed: only the lock tells.
    is_open = any(run.state == START for run in ledger.of(name))
    if not is_open and one.turn(ledger) is None:
        return one.nothing_due(ledger)
    from brain.files.errors import LockedError, WriteError  # noqa: PLC0415 - start-up: often nothing is due
    from brain.files.lock import BrainLock  # noqa: PLC0415 - as above

    try:
        with BrainLock(lock_path(settings.scan.state, name), wait=GLANCE_SECONDS):
            return one.locked()
    except LockedError as error:
        owner = f"process {error.pid}" if error.pid else "another process"
        return one.report(SKIPPED, message=f"{owner} is running it")
    except WriteError as error:
        raise ExpectedError(
            "state-unwritable",
            f"{name} was not run",
            str(error),
            "Runs are kept apart by a lock in that folder: mend its permissions.",
            path=error.path,
        ) from None


class _OneRun:
    """One wish to run a job, from the first look at the ledger to the last line in it."""

    def __init__(self, job: Job, settings: RunSettings, trigger: str, *, if_due: bool, force: bool) -> None:
        self._job = job
        self._settings = settings
        self._schedule = settings.schedules[job.name]
        self._trigger = trigger
        self._if_due = if_due
        self._force = force
        self._state = settings.scan.state
        self._now = settings.moment()
        self._slot = newest_slot(self._schedule, self._now, job.name)
        self._audience = Audience(settings.configuration, settings.surroundings.environ, self._state)
        self._problems: list[Problem] = []

    def turn(self, ledger: RunLedger) -> Due | None:
        """The turn that this run would take; None when there is nothing to do."""
        if self._if_due and not self._force:
            return due(self._job.name, self._schedule, self._now, ledger.runs)
        mine = ledger.of(self._job.name)
        if not self._force and any(run.is_done for run in mine if run.slot == self._slot.id):
            return None
        return turn(self._slot, self._schedule, self._now, mine)

    def nothing_due(self, ledger: RunLedger) -> RunReport:
        """Says so, and why."""
        tried = ledger.attempts(self._job.name, self._slot.id)
        if any(run.is_done for run in tried):
            why = f"its run for {self._slot.id} is done"
        elif len(tried) >= MAX_ATTEMPTS:
            why = f"its run for {self._slot.id} failed {len(tried)} times and was given up"
            why += f"; zecher run {self._job.name} tries it once more"
        else:
            why = f"its run for {self._slot.id} failed and is tried again at {iso_time(retry_at(tried))}"
        return self.report(NOTHING_DUE, message=why)

    def locked(self) -> RunReport:
        """The run itself; the lock of the job is ours."""
        token = CancelToken()
        # From here to the last word a signal is a wish, not an end.
        with Stopping(token) as stopping:
            ledger = self._without_crashed(stopping)
            # Between the first look and the lock another run may have done it.
            chosen = self.turn(ledger)
            if chosen is None:
                return replace(self.nothing_due(ledger), stopped=stopping.asked)
            if stopping.asked:
                return self.report(CANCELLED, message="it was asked to end before it began")
            return self._run(chosen, ledger, token, stopping)

    def report(self, state: str, *, message: str = "") -> RunReport:
        """What became of it when nothing was run."""
        return RunReport(
            self._job.name, self._slot.id, state, problems=tuple(self._problems), message=message
        )

    def _without_crashed(self, stopping: Stopping) -> RunLedger:
        """The ledger, in which what crashed before is written down by now, and told."""
        name = self._job.name
        ledger = _read(self._state)
        if ledger.unusable:
            self._warn("ledger-set-aside", f"{ledger.unusable}; it is moved aside and a new one begun")
        try:
            crashed = mark_crashed(name, self._state, ledger, self._now)
        except LedgerError as error:
            crashed = ()
            self._warn("ledger-write", str(error), path=error.path)
        if not crashed:
            return ledger
        ledger = _read(self._state)
        for run in crashed:
            self._warn("run-crashed", f"the run for {run.slot} that process {run.pid} began has crashed")
            self._problems += self._audience.hear(run, ledger.of(name), stopping=stopping)
        return ledger

    def _run(self, chosen: Due, ledger: RunLedger, token: CancelToken, stopping: Stopping) -> RunReport:
        context = self._context(chosen, ledger, token)
        begun = self._beginning(context, chosen)
        if not self._record(begun) and self._trigger == DAEMON:
            # It asks twice a minute: what leaves no line would be run again and again.
            return self.report(FAILED_STATE, message="its beginning could not be written down")
        running, passing = time.monotonic(), passing_time()
        ending = carry_out(self._job, context, stopping)
        ended = _ended(begun, ending, lasted=time.monotonic() - running, passed=passing_time() - passing)
        self._record(ended)
        if ending.interrupt is not None:
            raise ending.interrupt
        told = self._audience.hear(ended, ledger.of(self._job.name), ending.message, stopping)
        found = ending.result.problems if ending.result else ()
        return RunReport(
            job=self._job.name,
            slot=context.slot,
            state=ending.state,
            run=context.run,
            missed_slots=context.missed_slots,
            duration=ended.duration,
            result=ending.result,
            problems=(*self._problems, *found, *ending.problems(self._job.name), *told),
            message=ending.message,
            stopped=stopping.asked,
        )

    def _beginning(self, context: JobContext, chosen: Due) -> Run:
        return Run(
            run=context.run,
            job=context.job,
            slot=context.slot,
            trigger=chosen.trigger if chosen.trigger and self._if_due else self._trigger,
            state=START,
            start=self._settings.moment(),
            zone=self._schedule.zone or system_zone(self._settings.surroundings.environ, self._now),
            pid=os.getpid(),
            boot_id=boot_id(),
            host=host_name(self._settings.surroundings.environ),
            version=__version__,
            config_sha=self._settings.config_sha,
            missed_slots=chosen.missed_slots,
            sandbox=probe(self._settings.scan.home),
        )

    def _context(self, chosen: Due, ledger: RunLedger, token: CancelToken) -> JobContext:
        suspicion = clock_suspicion(self._now, ledger.runs)
        if suspicion:
            self._warn(
                "clock-suspicious",
                f"{suspicion}: nothing is archived or deleted by its age",
                fix="Look at the clock of this machine. It is believed again after eight runs.",
            )
        return JobContext(
            job=self._job.name,
            run=f"{self._job.name}-{os.urandom(8).hex()}",
            slot=chosen.slot.id,
            now=self._settings.scan.now,
            settings=self._settings.scan,
            configuration=self._settings.configuration,
            surroundings=self._settings.surroundings,
            cancel=token,
            clock_suspicious=bool(suspicion),
            missed_slots=chosen.missed_slots,
            last_ok=ledger.last_ok(self._job.name),
        )

    def _record(self, run: Run) -> bool:
        """A ledger that cannot be written costs no run its result: the next one mends the ledger."""
        try:
            append_run(self._state, run)
        except LedgerError as error:
            self._warn("ledger-write", str(error), path=error.path)
            return False
        return True

    def _warn(self, code: str, message: str, *, path: str = "", fix: str = "") -> None:
        problem = Problem(code, "warning", path, message, fix)
        if problem not in self._problems:  # the end of a run meets the same full disk as its beginning
            self._problems.append(problem)


def _ended(begun: Run, ending: Ending, *, lasted: float, passed: float) -> Run:
    """The last line of a run: its first one with how it ended, ``passed`` seconds later."""
    result = ending.result
    return replace(
        begun,
        state=ending.state,
        end=begun.start + passed,
        duration=lasted,
        counts=dict(result.counts) if result else {},
        outputs=tuple((one.path, one.sha256, one.bytes) for one in result.outputs) if result else (),
        error_type=ending.error_type,
        error=ending.error,
    )


def _read(state: str) -> RunLedger:
    """The ledger; one that is no file of ours counts as empty, for the next line moves it aside."""
    try:
        return read_runs(state)
    except LedgerError as error:
        if error.is_foreign:
            return RunLedger(unusable=str(error), is_foreign=True)
        raise ExpectedError(
            "ledger-unreadable",
            "nobody can tell what is due",
            str(error),
            "Mend the permissions of the ledger of the runs.",
            path=error.path,
        ) from None
