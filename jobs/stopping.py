"""Ends a run that takes too long or that a signal asks to end: first with a question, then by force.

The question is the cancel token, which a job looks at between two projects. Whoever does not look within
fifteen seconds is interrupted wherever it is; what it was writing is whole or not there, as after any error.
"""

from __future__ import annotations

import signal
import threading

from jobs.registry import CANCELLED, TIMEOUT, CancelledRun, CancelToken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# A system that shuts down waits for twenty seconds and more; a job gets most of them.
GRACE_SECONDS = 15.0
_AGAIN_SECONDS = 2.0


class Stopping:
    """``with Stopping(token):`` SIGTERM and SIGHUP cancel ``token`` instead of ending the process.

    What runs between ``watch`` and ``rest`` is interrupted with ``CancelledRun`` when it goes on for
    ``grace`` seconds after that, and again every two seconds. Outside the main thread, where no signal
    arrives, nothing is done.
    """

    def __init__(self, token: CancelToken, *, grace: float = GRACE_SECONDS) -> None:
        self._token = token
        self._grace = grace
        self._before: dict[int, object] = {}
        self._watching = False

    def __enter__(self) -> Stopping:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) != signal.SIG_IGN:  # started with nohup: the terminal may go
                    self._before[number] = signal.signal(number, self._on_signal)
            self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._on_alarm)
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # what signal.signal gave us

    def watch(self, deadline_s: float) -> None:
        """Ask what runs from here on to end after ``deadline_s`` seconds; by now if somebody asked before."""
        if self._before:
            self._watching = True
            signal.setitimer(signal.ITIMER_REAL, self._grace if self._token.reason else deadline_s)

    def rest(self) -> None:
        """What runs from here on is interrupted no more; may be called twice."""
        self._watching = False  # an alarm that arrives from here on is none of ours
        if self._before:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._ask(CANCELLED)

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if not self._watching:
            return
        if not self._token.reason:
            self._ask(TIMEOUT)
            return
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        raise CancelledRun(self._token.reason)

    def _ask(self, reason: str) -> None:
        """Cancel once: a storm of signals must not put off the end."""
        if self._token.reason:
            return
        self._token.cancel(reason)
        if self._watching:
            signal.setitimer(signal.ITIMER_REAL, self._grace)
