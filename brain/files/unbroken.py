"""What is begun is brought to its end: no signal that can be put off comes in between.

Files that belong together are replaced one after the other. Whoever stops a run between two of them leaves
some new and some old; so what asks for an end waits for those few moments.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")


class Unbroken:
    """``with Unbroken() as end:`` from ``end.begin()`` to the end of the block such signals wait.

    What came meanwhile arrives after the block. Holds for the thread that asks; where the platform cannot
    put signals off nothing is done.
    """

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: Iterable[signal.Signals | int] | None = None

    def __enter__(self) -> Unbroken:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        return self

    def begin(self) -> None:
        """Put them off from here on; may be called twice."""
        import signal  # noqa: PLC0415 - start-up: 1 ms that only a writer needs

        if self._before is None and hasattr(signal, "pthread_sigmask"):
            wanted = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
            self._before = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        import signal  # noqa: PLC0415 - as above

        before, self._before = self._before, None
        # A handler that raises does so here, when all is done.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
