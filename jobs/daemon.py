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
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped] # it has no types
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped] # as above
from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped] # as above

from brain.files.errors import WriteError
from brain.wording import duration
from jobs.daemon_jobs import DaemonSettings, JobProcess
from jobs.errors import DONE, INTERRUPTED, ExpectedError
from jobs.schedule.slots import instant, next_slot
from reports.view import iso_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from jobs.notify_socket import NotifySocket
    from jobs.schedule.text import Schedule

DRIFT_SECONDS = 60.0

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_SIGNALS = (*_ENDING, signal.SIGCHLD)


class SlotTrigger(BaseTrigger):  # type: ignore[misc] # a class without types
    """Wakes at the beginning of each slot, by our arithmetic: the library's loses nights and doubles others.

    ``ahead`` are the seconds by which our clock is ahead of the system's, which the library looks at.
    """

    def __init__(self, schedule: Schedule, ahead: float = 0.0) -> None:
        self._schedule = schedule
        self._ahead = ahead

    def get_next_fire_time(self, _: datetime | None, now: datetime) -> datetime | None:
        """The beginning of the first slot after ``now``; slots that were missed are counted by the ledger.

        None where the calendar ends: the library would ask for the next one without end.
        """
        slot = next_slot(self._schedule, now.timestamp() + self._ahead)
        moment = datetime.fromtimestamp(instant(slot, self._schedule), UTC) - timedelta(seconds=self._ahead)
        return moment if moment > now else None


class Daemon:
    """``Daemon(settings, notify).run()`` goes on until a signal asks it to end; the exit code."""

    def __init__(self, settings: DaemonSettings, notify: NotifySocket) -> None:
        self._settings = settings
        self._notify = notify
        self._runs = settings.read()
        self._library = BackgroundScheduler(timezone=UTC, executors={"default": DebugExecutor()})
        self._job = JobProcess(settings)
        self._stop = 0
        self._reload = False
        self._keep: Callable[[], bool] = lambda: False
        self._is_alone = True
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

    def run(self, keep: Callable[[], bool] = lambda: False) -> int:
        """Wait, look, start, until SIGTERM or SIGINT; 0, or 130 after SIGINT.

        ``keep``, called at each look, takes the lock of the daemon again where its file is gone, and says
        whether it did; ``brain.files.errors.LockedError``, which ends the daemon, where another one has it.
        The last thing that a process does: from then on it ignores what asks it to end.
        """
        self._keep = keep
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
        self._keep_alone()
        if self._reload:
            self._reload = False
            self._read_again()
        self._notice_clock()
        self._job.reap(self._runs, self._now())
        self._job.start_first(self._runs, self._now())
        self._notify.alive(self._status())

    def _keep_alone(self) -> None:
        """Whoever removes the state folder removes the lock in it, and another daemon could start."""
        try:
            if self._keep():
                self._settings.say("its lock was removed, and is taken again")
        except WriteError as error:
            if self._is_alone:
                self._settings.warn(f"its lock was removed and cannot be taken again: {error}")
            self._is_alone = False
        else:
            self._is_alone = True

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
            self._job.forget_pauses()
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
        if self._job.name:
            return f"{self._job.name} is running"
        now = self._now()
        following = [
            (instant(next_slot(schedule, now), schedule), name)
            for name, schedule in self._runs.schedules.items()
        ]
        moment, name = min(following)
        return f"idle, {name} is next at {iso_time(moment)}"

    # -- the end ---------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Ask the job under way to end, wait for it, end it by force; nothing is left running."""
        self._notify.stopping("stopping")
        if self._library.running:
            self._library.shutdown(wait=False)
        self._job.reap(self._runs, self._now())
        self._job.ask_to_stop()
        limit = time.monotonic() + self._settings.stop_seconds
        while self._job.name and time.monotonic() < limit:
            # Each signal wakes; further ones ask for what is happening already.
            self._notify.alive("stopping")
            self._wait(max(0.0, min(1.0, limit - time.monotonic())))
            self._job.reap(self._runs, self._now())
        self._job.end(self._runs, self._now())
        self._settings.say("stopped")


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """A handler has to be there for the number to be written into the pipe; the main loop does the rest."""
