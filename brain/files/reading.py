"""Reads one file of the brain: regular files only, never waiting, capped, and remembers what was seen."""

from __future__ import annotations

import os
import stat
from errno import ELOOP, EMLINK

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)

Stamp = tuple[int, int, int]


class Seen:
    """What stood under a name when it was read: its stamp, and its bytes unless it could not be read.

    ``stamp`` is (modification time in ns, size, inode). A writer compares both before it replaces a file.
    ``closed`` says that the system or a link kept us out: nobody knows what it holds, so it is never touched.
    """

    __hash__ = None  # type: ignore[assignment] # compared, never a key
    __slots__ = ("closed", "data", "stamp")

    def __init__(self, stamp: Stamp, data: bytes | None, *, closed: bool = False) -> None:
        self.stamp = stamp
        self.data = data
        self.closed = closed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and (self.stamp, self.data) == (other.stamp, other.data)


class UnreadableError(Exception):
    """A file that will not be read. ``code``: not-regular, link, too-large, missing, permission, io."""

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message


def stamp_of(status: os.stat_result) -> Stamp:
    """The part of a file's status that changes when somebody saves it."""
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def read_seen(path: str, cap: int, *, folder: int | None = None) -> Seen:
    """The bytes and the stamp of a regular file of at most ``cap`` bytes; ``UnreadableError`` for all else.

    ``path`` is taken relative to the open directory ``folder`` when that is given. A link is not followed.
    """
    try:
        descriptor = os.open(path, _FLAGS, dir_fd=folder)
    except OSError as error:
        raise _refusal(path, error) from None
    except ValueError:
        raise UnreadableError("missing", path, "the name holds a NUL byte") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("not-regular", path, "not a regular file")
        if status.st_size > cap:
            raise UnreadableError("too-large", path, f"{status.st_size} bytes, more than the cap of {cap}")
        return Seen(stamp_of(status), _read(descriptor, path, status.st_size, cap))
    except OSError as error:
        raise _refusal(path, error) from None
    finally:
        os.close(descriptor)


def inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies below it, both taken as they are written."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _read(descriptor: int, path: str, size: int, cap: int) -> bytes:
    # One byte more than the size says: an answer of just that size is the whole file, without asking again.
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    while len(data) <= cap and (more := os.read(descriptor, cap + 1 - len(data))):
        data += more
    if len(data) > cap:
        raise UnreadableError("too-large", path, f"grew past the cap of {cap} bytes while it was read")
    return data


def _refusal(path: str, error: OSError) -> UnreadableError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return UnreadableError("missing", path, "no such file")
    if error.errno in (ELOOP, EMLINK):
        return UnreadableError("link", path, "a symbolic link, which is not followed")
    if isinstance(error, PermissionError):
        return UnreadableError("permission", path, "permission denied")
    return UnreadableError("io", path, error.strerror or str(error))
