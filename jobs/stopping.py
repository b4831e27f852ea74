"""Ends a run that takes too long or that a signal asks to end: first with a question, then by force.

The question is the cancel token, which a job looks at between two projects. Whoever does not look within
fifteen seconds is interrupted wherever it is; what it was writing is whole or not there, as after any error.
"""

from __future__ import annotations

import signal
import threading
import time

from jobs.registry import CANCELLED, TIMEOUT, CancelledRun, CancelToken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# A system that shuts down waits for twenty seconds and more; a job gets most of them.
GRACE_SECONDS = 15.0
_AGAIN_SECONDS = 2.0
_AT_ONCE = 0.001  # a timer of 0 would be none


class Stopping:
    """``with Stopping(token):`` SIGTERM and SIGHUP cancel ``token`` instead of ending the process.

    What runs between ``watch`` and ``rest`` is interrupted with ``CancelledRun`` when it is still going on
    ``grace`` seconds after that, and again every two seconds. Outside the main thread, where no signal
    arrives, nothing is done.
    """

    def __init__(self, token: CancelToken, *, grace: float = GRACE_SECONDS) -> None:
        self._token = token
        self._grace = grace
        self._before: dict[int, object] = {}
        self._watched = token
        self._watching = False
        self._asked_at = 0.0
        self.asked = False
        """Whether a signal has asked for an end."""

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
            # None: somebody else than Python had set it, which Python cannot do.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type] # what signal.signal gave us

    def watch(self, deadline_s: float, token: CancelToken | None = None) -> None:
        """Ask what runs from here on to end after ``deadline_s`` seconds; by now if somebody asked before.

        It is asked through ``token``, else through the one of the beginning, so that what comes after a job
        whose time was over has a time of its own.
        """
        self._watched = token or self._token
        if self.asked:
            self._watched.cancel()
        if self._before:
            self._watching = True
            left = max(_AT_ONCE, self._asked_at + self._grace - time.monotonic())
            signal.setitimer(signal.ITIMER_REAL, left if self._watched.reason else deadline_s)

    def rest(self) -> None:
        """What runs from here on is interrupted no more; may be called twice."""
        self._watching = False  # an alarm that arrives from here on is none of ours
        if self._before:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if not self.asked:
            self.asked = True
            self._ask(CANCELLED)
            self._token.cancel()

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if not self._watching:
            return
        if not self._watched.reason:
            self._ask(TIMEOUT)
            return
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        raise CancelledRun(self._watched.reason)

    def _ask(self, reason: str) -> None:
        """Cancel once: a storm of signals must not put off the end."""
        if self._watched.reason:
            return
        self._watched.cancel(reason)
        self._asked_at = time.monotonic()
        if self._watching:
            signal.setitimer(signal.ITIMER_REAL, self._grace)
