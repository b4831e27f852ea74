"""A lock on a folder of memory files: it leaves nothing behind and dies with its owner."""

from __future__ import annotations

import os
import time
from errno import EACCES, EAGAIN, EWOULDBLOCK

from brain.files.errors import LockedError, WriteError

_FLAGS = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
_PAUSE = 0.01


class FolderLock:
    """``with FolderLock(folder, wait=10.0):`` keeps our other processes out of the files of ``folder``.

    Waits up to ``wait`` seconds, then ``LockedError``; ``WriteError`` when the folder cannot be opened. Where
    the file system or the platform has no lock for folders, nobody is kept out, and what a writer compares
    before it replaces is the only guard, as it always is against editors.
    """

    def __init__(self, folder: str, *, wait: float) -> None:
        self._folder = folder
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> FolderLock:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        try:
            self._descriptor = os.open(self._folder, _FLAGS)
        except OSError as error:
            raise WriteError.of(self._folder, error) from None
        try:
            self._take()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _take(self) -> None:
        try:
            import fcntl  # noqa: PLC0415 - the module does not exist on every system that can read a brain
        except ImportError:
            return
        deadline = time.monotonic() + self._wait
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (EACCES, EAGAIN, EWOULDBLOCK):
                    return
            else:
                return
            if time.monotonic() >= deadline:
                raise LockedError(self._folder, None, self._wait)
            time.sleep(_PAUSE)
