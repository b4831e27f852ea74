"""The scheduler of Zecher's own: asks the ledger what is due, and starts each job as a process of its own.

The library keeps the time of the next slot and wakes the main thread, which does all else. So does a tick on
the clock that nobody sets, for a machine that slept or whose clock was changed; what is due is told by the
ledger alone, however often somebody asks. A signal is a byte in a pipe: no handler does anything.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped] # it has no types
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped] # as above
from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped] # as above

from brain.wording import duration
from jobs.errors import DONE, INTERRUPTED, LOCKED, PARTIAL, USAGE, ExpectedError
from jobs.errors import FAILED as FAILED_CODE
from jobs.processes import Child, ProcessError, start
from jobs.registry import JOBS
from jobs.run_ledger import LedgerError, read_last_runs
from jobs.runner import TERMINATED, RunSettings, close_crashed
from jobs.schedule.due import due
from jobs.schedule.slots import instant, next_slot
from reports.view import iso_time
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from jobs.notify_socket import NotifySocket
    from jobs.schedule.text import Schedule

TICK_SECONDS = 30.0
STOP_SECONDS = 20.0
DRIFT_SECONDS = 60.0
LOCK_NAME = "daemon"

# A run ends itself at its deadline; one that has not done so this much later never will.
_PAST_DEADLINE = 120.0

# A job that ended and is still due has told the ledger nothing, or not in the part of it that is read here.
_PAUSE, _LONGEST_PAUSE = 60.0, 3600.0

_OWN_WORDS = (DONE, FAILED_CODE, USAGE, PARTIAL, LOCKED, TERMINATED)
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_SIGNALS = (*_ENDING, signal.SIGCHLD)


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


class SlotTrigger(BaseTrigger):  # type: ignore[misc] # a class without types
    """Wakes at the beginning of each slot, by our arithmetic: the library's loses nights and doubles others.

    ``ahead`` are the seconds by which our clock is ahead of the system's, which the library looks at.
    """

    def __init__(self, schedule: Schedule, ahead: float = 0.0) -> None:
        self._schedule = schedule
        self._ahead = ahead

    def get_next_fire_time(self, _: datetime | None, now: datetime) -> datetime:
        """The beginning of the first slot after ``now``; slots that were missed are counted by the ledger."""
        slot = next_slot(self._schedule, now.timestamp() + self._ahead)
        moment = datetime.fromtimestamp(instant(slot, self._schedule), UTC)
        return moment - timedelta(seconds=self._ahead)


@dataclass(slots=True)
class _Running:
    """The job that is under way: its process, and since when on the clock that nobody sets."""

    job: str
    child: Child
    since: float


@dataclass(slots=True)
class _Patience:
    """How often a job was started for a slot, and before when (monotonic) it is not started again."""

    slot: str = ""
    starts: int = 0
    until: float = 0.0


class Daemon:
    """``Daemon(settings, notify).run()`` goes on until a signal asks it to end; the exit code.

    One job runs at a time, in the order of their registration: after a night's sleep the weekly report waits
    for the nightly's findings instead of for its locks.
    """

    def __init__(self, settings: DaemonSettings, notify: NotifySocket) -> None:
        self._settings = settings
        self._notify = notify
        self._runs = settings.read()
        self._library = BackgroundScheduler(timezone=UTC, executors={"default": DebugExecutor()})
        self._running: _Running | None = None
        self._patience: dict[str, _Patience] = {}
        self._stop = 0
        self._reload = False
        self._drift = 0.0
        self._ears, self._bell = os.pipe()
        for end in (self._ears, self._bell):
            os.set_blocking(end, False)
        self._tick = settings.tick
        if notify.watchdog_s:
            self._tick = min(self._tick, notify.watchdog_s / 2)

    @property
    def state(self) -> str:
        """The state folder, where the ledger and the locks are."""
        return self._runs.scan.state

    def run(self) -> int:
        """Wait, look, start, until SIGTERM or SIGINT; 0, or 130 after SIGINT.

        The last thing that a process does: from then on it ignores what asks it to end.
        """
        for number in _SIGNALS:
            signal.signal(number, _only_wake)
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        # The command that started all this looked for no rubbish; what goes on for months must.
        gc.collect()
        gc.freeze()
        gc.enable()
        try:
            self._begin()
            while not self._stop:
                self._look()
                self._wait(self._tick)
        finally:
            self._end()
            signal.set_wakeup_fd(-1)
            # The end is clean by now: one more wish for it must not make it look otherwise.
            for number in _ENDING:
                signal.signal(number, signal.SIG_IGN)
            os.close(self._ears)
            os.close(self._bell)
        return INTERRUPTED if self._stop == signal.SIGINT else DONE

    # -- the main thread -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._library.start()
        self._plan()
        self._drift = time.time() - time.monotonic()
        self._notify.ready(self._status())
        self._settings.say(f"started: {self._status()}")

    def _look(self) -> None:
        """One turn: whatever happened since the last one is seen here."""
        time.tzset()  # the zone of the system may have moved with its owner
        if self._reload:
            self._reload = False
            self._read_again()
        self._notice_clock()
        self._reap()
        if self._running is None:
            self._start_first()
        self._notify.alive(self._status())

    def _wait(self, seconds: float) -> None:
        """Until a signal, a slot or ``seconds`` have passed."""
        ready, _, _ = select.select([self._ears], [], [], seconds)
        heard = os.read(self._ears, 4096) if ready else b""
        for number in heard:
            if number in (signal.SIGTERM, signal.SIGINT):
                self._stop = self._stop or number
            elif number == signal.SIGHUP:
                self._reload = True

    def _wake(self) -> None:
        """Called by the library, in its thread, when a slot begins."""
        with suppress(OSError):  # a full pipe wakes as well
            os.write(self._bell, b"\0")

    def _plan(self) -> None:
        for name, schedule in self._runs.schedules.items():
            self._library.add_job(
                self._wake,
                SlotTrigger(schedule, self._settings.ahead),
                id=name,
                misfire_grace_time=None,
                coalesce=True,
                max_instances=1,
                replace_existing=True,
            )

    def _read_again(self) -> None:
        self._notify.reloading()
        try:
            self._runs = self._settings.read()
        except ExpectedError as error:
            self._settings.warn(
                f"the configuration is not used, the one before is: {error.what}: {error.why} [{error.code}]"
            )
        else:
            self._plan()
            self._patience.clear()
            self._settings.say("the configuration was read again")
        self._notify.ready(self._status())

    def _notice_clock(self) -> None:
        drift = time.time() - time.monotonic()
        moved = drift - self._drift
        # Held against the last look: what time servers correct in months is no change of the clock.
        self._drift = drift
        if abs(moved) > DRIFT_SECONDS:
            way = "on" if moved > 0 else "back"
            self._settings.say(f"the machine slept or its clock was changed: {duration(abs(moved))} {way}")
            # A slot that was planned by the clock before may now lie hours away.
            self._plan()
        self._library.wakeup()

    def _now(self) -> float:
        return time.time() + self._settings.ahead

    def _status(self) -> str:
        if self._running is not None:
            return f"{self._running.job} is running"
        now = self._now()
        following = [
            (instant(next_slot(schedule, now), schedule), name)
            for name, schedule in self._runs.schedules.items()
        ]
        moment, name = min(following)
        return f"idle, {name} is next at {iso_time(moment)}"

    # -- the jobs --------------------------------------------------------------------------------------------

    def _start_first(self) -> None:
        """Start the first job that is due."""
        ledger, now = read_last_runs(self._runs.scan.state), self._now()
        for name, schedule in self._runs.schedules.items():
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

    def _reap(self) -> None:
        """See whether the job under way has ended, or should have long since."""
        running = self._running
        if running is None:
            return
        code = running.child.code()
        if code is not None:
            self._running = None
            if code not in _OWN_WORDS:
                self._crashed(running, f"its process ended with {_ending(code)}")
            return
        job = JOBS.get(running.job)
        if job is not None and time.monotonic() - running.since > job.deadline_s + _PAST_DEADLINE:
            self._running = None
            running.child.kill()
            self._crashed(running, "it did not end at its deadline and was killed")

    def _crashed(self, running: _Running, why: str) -> None:
        """Nobody else will write down how it ended; where even that fails, the next run does."""
        self._settings.warn(f"{running.job}: {why} [run-crashed]")
        try:
            close_crashed(running.job, self._runs.scan.state, self._now(), why)
        except LedgerError as error:
            self._settings.warn(f"{error} [ledger-write]")

    # -- the end ---------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Ask the job under way to end, wait for it, end it by force; nothing is left running."""
        self._notify.stopping("stopping")
        if self._library.running:
            self._library.shutdown(wait=False)
        self._reap()
        running = self._running
        if running is not None:
            self._settings.say(f"stopping: {running.job} is asked to end")
            running.child.ask_to_stop()
            limit = time.monotonic() + self._settings.stop_seconds
            while running.child.code() is None and time.monotonic() < limit:
                # Each signal wakes; further ones ask for what is happening already.
                self._notify.alive("stopping")
                self._wait(max(0.0, min(1.0, limit - time.monotonic())))
            self._reap()
        if self._running is not None:
            running, self._running = self._running, None
            running.child.kill()
            self._crashed(running, f"it did not end within {self._settings.stop_seconds:g} s and was killed")
        self._settings.say("stopped")


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """A handler has to be there for the number to be written into the pipe; the main loop does the rest."""


def _ending(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"
