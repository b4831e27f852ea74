"""The locks of the brain and of a folder of memory files: the kernel keeps them, so none is ever stale."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress

from brain.files.errors import LockedError, WriteError
from brain.files.kernel_lock import open_folder, poll, try_lock

_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_PAUSE = 0.02


class BrainLock:
    """``with BrainLock(path, wait=10.0):`` holds an exclusive lock on the file at ``path``.

    ``wait`` is the longest time in seconds to wait for another owner, then ``LockedError`` is raised with its
    pid. The file stays where it is (removing it would let two owners in) and holds the last owner's pid for
    people; only the kernel's lock counts. ``WriteError`` when the file cannot be made or is no regular file.
    """

    def __init__(self, path: str, *, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._descriptor = -1
        self._holder: int | None = None

    def __enter__(self) -> BrainLock:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        if not poll(self._attempt, time.monotonic() + self._wait, _PAUSE):
            raise LockedError(self._path, self._holder, self._wait)
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def renew(self) -> bool:
        """Take the lock again where its file was removed meanwhile; whether that was so.

        ``LockedError`` when another process holds the file that stands there now, ``WriteError`` as at first:
        then it is ours no more.
        """
        if self._descriptor >= 0 and self._is_current():
            return False
        self._close()
        self.__enter__()
        return True

    def _open(self) -> int:
        try:
            descriptor = os.open(self._path, _FLAGS, 0o600)
        except OSError as error:
            raise WriteError.of(self._path, error) from None
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            raise WriteError(self._path, "not a regular file")
        if mode & 0o600 != 0o600:  # just made, under an odd umask: the next owner could not open it
            os.fchmod(descriptor, 0o600)
        return descriptor

    def _attempt(self) -> bool:
        while True:
            self._descriptor = self._open()
            try:
                locked = try_lock(self._descriptor)
            except OSError as error:
                self._close()
                raise WriteError.of(self._path, error) from None
            if locked and self._is_current():
                self._sign()
                return True
            self._holder = None if locked else self._owner()
            self._close()
            if not locked:
                return False

    def _is_current(self) -> bool:
        """Whether the locked file still stands under its name: a lock on a removed file protects nothing."""
        mine = os.fstat(self._descriptor)
        try:
            named = os.lstat(self._path)
        except OSError:
            return False
        return (mine.st_dev, mine.st_ino) == (named.st_dev, named.st_ino)

    def _sign(self) -> None:
        # The pid is a courtesy to whoever waits; a full disk must not turn it into a failure.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def _owner(self) -> int | None:
        try:
            words = os.pread(self._descriptor, 32, 0).split()
        except OSError:
            return None
        return int(words[0]) if words and words[0].isdigit() else None

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class FolderLock:
    """``with FolderLock(folder, wait=10.0):`` keeps our other processes out of the files of ``folder``.

    It leaves nothing behind. Waits up to ``wait`` seconds, then ``LockedError``; ``WriteError`` when the
    folder cannot be opened. Where the file system or the platform has no lock for folders, nobody is kept
    out, and what a writer compares before it replaces is the only guard, as it always is against editors.
    """

    def __init__(self, folder: str, *, wait: float) -> None:
        self._folder = folder
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> FolderLock:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        try:
            self._descriptor = open_folder(self._folder)
        except OSError as error:
            raise WriteError.of(self._folder, error) from None
        taken = False
        try:
            taken = poll(self._attempt, time.monotonic() + self._wait, _PAUSE)
        finally:
            if not taken:
                os.close(self._descriptor)
        if not taken:
            raise LockedError(self._folder, None, self._wait)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _attempt(self) -> bool:
        try:
            return try_lock(self._descriptor)
        except OSError:
            return True
