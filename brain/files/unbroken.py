"""What is begun is brought to its end: no signal that can be put off comes in between.

Files that belong together are replaced one after the other. Whoever stops a run between two of them leaves
some new and some old; so what asks for an end waits for those few moments.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")


class Unbroken:
    """``with Unbroken() as end:`` from ``end.begin()`` to the end of the block such signals wait.

    What came meanwhile arrives after the block. Not by a mask, which holds for one thread only: the system
    gives a signal to any, and Python's handlers run in the main one. So it is these that are put aside.
    Outside the main thread nothing is done: a signal does not interrupt what runs there.
    """

    __slots__ = ("_before", "_came")

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._came: list[int] = []

    def __enter__(self) -> Unbroken:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        return self

    def begin(self) -> None:
        """Put them off from here on; may be called twice."""
        import signal  # noqa: PLC0415 - start-up: 1 ms that only a writer needs
        import threading  # noqa: PLC0415 - as above

        if self._before or threading.current_thread() is not threading.main_thread():
            return
        for name in _NAMES:
            number = getattr(signal, name, None)
            handler = signal.getsignal(number) if number is not None else None
            # None: somebody else than Python had set it, which Python cannot do again.
            if number is not None and handler not in (None, signal.SIG_IGN):
                self._before[number] = handler
                signal.signal(number, self._note)

    def __exit__(self, *_: object) -> None:
        if not self._before:
            return
        import signal  # noqa: PLC0415 - as above

        before, self._before = self._before, {}
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # what signal.getsignal gave us
        came, self._came = list(dict.fromkeys(self._came)), []
        _raise_all(came)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._came.append(number)


def _raise_all(numbers: list[int]) -> None:
    """Let the signals arrive, each of them even where the handler of one before raises."""
    import signal  # noqa: PLC0415 - as above

    if numbers:
        try:
            signal.raise_signal(numbers[0])
        finally:
            _raise_all(numbers[1:])
