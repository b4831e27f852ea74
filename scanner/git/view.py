"""A window on one regular file: small ones are held in memory, large ones are read piece by piece.

Nothing is mapped: a file that is cut while it is mapped would end the process with SIGBUS, and three short
reads (fan-out, bucket, offset) find an object in an index of any size.
"""

from __future__ import annotations

import os

from scanner.reading import open_regular


class FileView:
    """Bytes of a file by offset. ``size`` is what the file had when it was opened."""

    __slots__ = ("_data", "_descriptor", "path", "size")

    def __init__(self, path: str, *, whole_up_to: int = 0) -> None:
        """Open ``path``; ``FileNotFoundError`` or ``UnreadableError`` as ``scanner.reading.open_regular``."""
        descriptor, size = open_regular(path)
        self.path = path
        self.size = size
        self._data: bytes | None = None
        self._descriptor = descriptor
        if size <= whole_up_to:
            self._data = self.read(0, size)
            self.close()

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes at ``offset``; fewer, or none, where the file ends or cannot be read."""
        if offset < 0 or length <= 0 or offset >= self.size:
            return b""
        if self._data is not None:
            return self._data[offset : offset + length]
        if self._descriptor < 0:
            return b""
        try:
            return os.pread(self._descriptor, min(length, self.size - offset), offset)
        except OSError:
            return b""

    def close(self) -> None:
        """Give the descriptor back; what is held in memory stays readable."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        # __init__ may have failed before the slot was set.
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()
