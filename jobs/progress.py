"""One line of progress at a terminal: after a second, with counts and rate, gone at the end."""

from __future__ import annotations

import time
from collections.abc import Callable

from jobs.streams import Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

QUIET_SECONDS = 1.0
REDRAW_SECONDS = 0.1


class Progress:
    """Called by what takes its time, as it goes; a context manager that leaves no trace on the screen."""

    def __init__(self, streams: Streams, clock: Callable[[], float] = time.monotonic) -> None:
        self._streams = streams
        self._clock = clock
        self._shown = streams.message_is_terminal and not streams.quiet
        self._start = clock()
        self._next = self._start + QUIET_SECONDS
        self._width = 0

    def __call__(self, directories: int, projects: int) -> None:
        """``directories`` read and ``projects`` found so far."""
        now = self._due()
        if now is not None:
            rate = directories / max(now - self._start, 0.001)
            self._draw(f"scanning: {directories:,} folders, {projects:,} projects, {rate:,.0f} folders/s")

    def vectors(self, done: int, wanted: int) -> None:
        """``done`` notes of ``wanted`` have got a vector."""
        now = self._due()
        if now is not None:
            rate = done / max(now - self._start, 0.001)
            self._draw(f"reading for the meaning: {done:,} of {wanted:,} notes, {rate:,.0f} notes/s")

    def _due(self) -> float | None:
        """The clock where a line is to be shown now."""
        if not self._shown:
            return None
        now = self._clock()
        if now < self._next:
            return None
        self._next = now + REDRAW_SECONDS
        return now

    def _draw(self, line: str) -> None:
        # Blanks instead of an erase sequence: this works at a terminal that knows no sequences as well.
        self._streams.raw_message("\r" + line.ljust(self._width))
        self._width = len(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._streams.raw_message("\r" + " " * self._width + "\r")
            self._width = 0
