"""Starts the jobs of the daemon, one at a time, each as a process, and sees how it ends."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from jobs.crashes import close_crashed
from jobs.errors import DONE, FAILED, LOCKED, PARTIAL, USAGE
from jobs.processes import Child, ProcessError, start
from jobs.registry import JOBS
from jobs.run_ledger import LedgerError, read_last_runs
from jobs.run_settings import RunSettings
from jobs.runner import TERMINATED
from jobs.schedule.due import due
from jobs.stopping import GRACE_SECONDS
from jobs.telling import TELLING_SECONDS, Audience
from reports.view import iso_time
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.run_record import Run

TICK_SECONDS = 30.0
STOP_SECONDS = 20.0

# A run ends itself at its deadline, and before and after it those who are configured are told; one that goes
# on for this much longer never will.
_PAST_DEADLINE = GRACE_SECONDS + 2 * TELLING_SECONDS + 120.0

# A job that was killed because the daemon ends is told of as well, as long as a manager lets it.
_LAST_WORDS_SECONDS = 5.0

# A job that ended and is still due has told the ledger nothing, or not in the part of it that is read here.
_PAUSE, _LONGEST_PAUSE = 60.0, 3600.0

_OWN_WORDS = (DONE, FAILED, USAGE, PARTIAL, LOCKED, TERMINATED)


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """How the daemon works.

    ``read`` gives the settings of the runs, afresh each time, or raises ``ExpectedError``. A job is started
    with ``command`` and what ``zecher`` takes, in ``environ``. ``ahead`` are the seconds by which its clock
    is ahead of the system's; ``fixed_clock`` says that somebody wanted it so, and the jobs are told the
    time. ``say`` takes lines for people, ``warn`` those that nobody may miss.
    """

    read: Callable[[], RunSettings]
    command: Sequence[str]
    environ: Mapping[str, str]
    say: Callable[[str], None]
    warn: Callable[[str], None]
    options: Sequence[str] = ()
    ahead: float = 0.0
    fixed_clock: bool = False
    tick: float = TICK_SECONDS
    stop_seconds: float = STOP_SECONDS


@dataclass(slots=True)
class _Running:
    """The job that is under way: its process, and since when on the clock that nobody sets."""

    job: str
    child: Child
    since: float
    asked: bool = False


@dataclass(slots=True)
class _Patience:
    """How often a job was started for a slot, and before when (monotonic) it is not started again."""

    slot: str = ""
    starts: int = 0
    until: float = 0.0


class JobProcess:
    """The one job that runs at a time.

    In the order of their registration: after a night's sleep the weekly report waits for the nightly's
    findings instead of for its locks.
    """

    def __init__(self, settings: DaemonSettings) -> None:
        self._settings = settings
        self._running: _Running | None = None
        self._patience: dict[str, _Patience] = {}
        self._telling: list[threading.Thread] = []

    @property
    def name(self) -> str:
        """The job that is under way; empty while there is none."""
        return "" if self._running is None else self._running.job

    def start_first(self, runs: RunSettings, now: float) -> None:
        """Start the first job that is due at ``now``, unless one is under way."""
        if self._running is not None:
            return
        ledger = read_last_runs(runs.scan.state)
        for name, schedule in runs.schedules.items():
            found = due(name, schedule, now, ledger.runs)
            if found is not None and self._may_start(name, found.slot.id) and self._start(name, now):
                return

    def _may_start(self, name: str, slot: str) -> bool:
        patience = self._patience.setdefault(name, _Patience())
        if patience.slot != slot:
            self._patience[name] = _Patience(slot)
            return True
        return time.monotonic() >= patience.until

    def _start(self, name: str, now: float) -> bool:
        patience = self._patience[name]
        pause = min(_LONGEST_PAUSE, _PAUSE * 2.0 ** min(patience.starts, 10))
        patience.starts += 1
        patience.until = time.monotonic() + pause
        clock = ("--now", iso_time(now)) if self._settings.fixed_clock else ()
        words = (*self._settings.command, "run", name, "--if-due", *self._settings.options, *clock)
        try:
            child = start(words, self._settings.environ)
        except ProcessError as error:
            self._settings.warn(f"{name} could not be started: {error} [daemon-start]")
            return False
        self._running = _Running(name, child, time.monotonic())
        self._settings.say(f"{name} is due: process {child.pid}")
        return True

    def reap(self, runs: RunSettings, now: float) -> None:
        """See whether the job under way has ended, or should have long since; a crash is written down."""
        running = self._running
        if running is None:
            return
        code = running.child.code()
        if code is not None:
            self._running = None
            # One that was asked to end before it could listen had not begun.
            if code not in _OWN_WORDS and not (running.asked and code == -signal.SIGTERM):
                self._crashed(running, runs, now, f"its process ended with {_ending(code)}")
            return
        job = JOBS.get(running.job)
        if job is not None and time.monotonic() - running.since > job.deadline_s + _PAST_DEADLINE:
            self._kill(running, runs, now, "it did not end at its deadline")

    def ask_to_stop(self) -> None:
        """Ask the job under way to end; ``reap`` sees when it has."""
        if self._running is not None:
            self._settings.say(f"stopping: {self._running.job} is asked to end")
            self._running.asked = True
            self._running.child.ask_to_stop()

    def end(self, runs: RunSettings, now: float) -> None:
        """End the job under way, if it still is, by force, and let be told what there is to tell."""
        if self._running is not None:
            why = f"it did not end within {self._settings.stop_seconds:g} s"
            self._kill(self._running, runs, now, why)
        limit = time.monotonic() + _LAST_WORDS_SECONDS
        for thread in self._telling:
            thread.join(max(0.0, limit - time.monotonic()))

    def _kill(self, running: _Running, runs: RunSettings, now: float, why: str) -> None:
        self._running = None
        ended = running.child.kill()
        what = "was killed" if ended else "cannot be killed: it waits for a disk that does not answer"
        self._crashed(running, runs, now, f"{why} and {what}")

    def _crashed(self, running: _Running, runs: RunSettings, now: float, why: str) -> None:
        """Nobody else will write down how it ended; where even that fails, the next run does."""
        self._settings.warn(f"{running.job}: {why} [run-crashed]")
        try:
            crashed = close_crashed(running.job, runs.scan.state, now, why)
        except LedgerError as error:
            self._settings.warn(f"{error} [ledger-write]")
            return
        if crashed:
            self._tell(crashed, runs)

    def _tell(self, crashed: Sequence[Run], runs: RunSettings) -> None:
        """Tell of it beside the main thread: a hook may take longer than the manager waits for a sign."""
        audience = Audience(runs.configuration, self._settings.environ, runs.scan.state)

        def tell() -> None:
            for problem in audience.hear_of_crashes(crashed):
                self._settings.warn(f"{problem.message} [{problem.code}]")

        self._telling = [thread for thread in self._telling if thread.is_alive()]
        thread = threading.Thread(target=tell, name="telling", daemon=True)
        thread.start()
        self._telling.append(thread)

    def forget_pauses(self) -> None:
        """Start what is due, however often that was of no use: something has changed."""
        self._patience.clear()


def _ending(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"
