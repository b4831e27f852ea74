"""The kernel's lock on an open file or folder: it dies with its owner and is never stale."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from errno import EACCES, EAGAIN, ENOSYS, EWOULDBLOCK

_FOLDER = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


def open_folder(path: str) -> int:
    """A descriptor of the folder at ``path``, no link followed; ``OSError`` when there is none to open."""
    return os.open(path, _FOLDER)


def try_lock(descriptor: int) -> bool:
    """Whether the exclusive lock is ours now, as long as ``descriptor`` is open.

    ``OSError`` where there is no such lock: platforms, and file systems that refuse it for this kind of file.
    """
    try:
        import fcntl  # noqa: PLC0415 - the module does not exist on every system that can read a brain
    except ImportError:
        raise OSError(ENOSYS, "the platform has no such lock") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (EACCES, EAGAIN, EWOULDBLOCK):
            return False
        raise
    return True


def poll(attempt: Callable[[], bool], deadline: float, pause: float) -> bool:
    """Whether ``attempt`` succeeded, tried at least once and until ``deadline`` (of ``time.monotonic``).

    ``pause`` are the seconds between two attempts.
    """
    while not attempt():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


def is_running(pid: int) -> bool | None:
    """Whether a process of that number runs on this machine; None where asking is not harmless."""
    if os.name != "posix":
        return None  # there the question itself would end or interrupt it
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is there, but somebody else's
    return True
