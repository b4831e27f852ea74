"""The one door to foreign files for the scanner: regular files only, never through a link, capped."""

from __future__ import annotations

import os
import stat
from errno import ELOOP, EMLINK

from scanner import trace

MANIFEST_CAP = 256 * 1024

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


class UnreadableError(Exception):
    """A file that will not be read, with the reason as a stable ``code``.

    Codes: ``not-regular`` (pipe, device, socket, folder), ``link``, ``too-large``, ``missing``,
    ``permission``, ``io`` (anything else that the system said).
    """

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message


def read_file(path: str, cap: int = MANIFEST_CAP) -> bytes:
    """The bytes of a regular file of at most ``cap`` bytes; ``UnreadableError`` for all else.

    Opens without blocking (a pipe would wait for ever), without following a link in the last component, and
    asks the open file, not the name, what it is.
    """
    return _read(path, cap, whole=True)


def read_head(path: str, cap: int) -> bytes:
    """The first ``cap`` bytes of a regular file of any size; ``UnreadableError`` as for ``read_file``."""
    return _read(path, cap, whole=False)


def read_optional(path: str, cap: int, *, whole: bool = True) -> bytes | None:
    """As ``read_file`` (or ``read_head`` when not ``whole``), but a file that is not there is ``None``.

    For places where a missing file is the ordinary case and nothing may grow while it is read: one open, one
    stat, one read of exactly the size that the file has now.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        trace.refused(path)
        return None
    except OSError as error:
        trace.refused(path)
        raise _refusal(path, error) from None
    except ValueError:
        trace.unsound()
        raise UnreadableError("io", path, "the name holds a NUL byte") from None
    try:
        status = os.fstat(descriptor)
        trace.opened(path, status)
        size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("not-regular", path, "not a regular file")
        if size > cap:
            if whole:
                raise UnreadableError("too-large", path, f"{size} bytes, more than the cap of {cap}")
            size = cap
        data = os.read(descriptor, size)
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
    except OSError as error:
        raise _refusal(path, error) from None
    else:
        return data
    finally:
        os.close(descriptor)


def read_tail(path: str, cap: int) -> bytes | None:
    """The last ``cap`` bytes of a regular file; ``None`` when there is no such file.

    ``UnreadableError`` as for ``read_file``, but a file of any size will do.
    """
    try:
        descriptor, size = open_regular(path)
    except FileNotFoundError:
        return None
    try:
        start = max(0, size - cap)
        tail = os.pread(descriptor, size - start, start)
    except OSError as error:
        raise _refusal(path, error) from None
    else:
        return tail
    finally:
        os.close(descriptor)


def open_regular(path: str) -> tuple[int, int]:
    """An open descriptor of a regular file, which the caller closes, and its size in bytes.

    ``FileNotFoundError`` when there is no such file, ``UnreadableError`` for every other refusal.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        trace.refused(path)
        raise FileNotFoundError(path) from None
    except OSError as error:
        trace.refused(path)
        raise _refusal(path, error) from None
    except ValueError:
        trace.unsound()
        raise UnreadableError("io", path, "the name holds a NUL byte") from None
    status = os.fstat(descriptor)
    trace.opened(path, status)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status.st_size
    os.close(descriptor)
    raise UnreadableError("not-regular", path, "not a regular file")


def _read(path: str, cap: int, *, whole: bool) -> bytes:
    try:
        descriptor, size = open_regular(path)
    except FileNotFoundError as error:
        raise _refusal(path, error) from None
    try:
        if whole and size > cap:
            raise UnreadableError("too-large", path, f"{size} bytes, more than the cap of {cap}")
        return _read_up_to(descriptor, path, size, cap, whole=whole)
    except OSError as error:
        raise _refusal(path, error) from None
    finally:
        os.close(descriptor)


def _read_up_to(descriptor: int, path: str, size: int, cap: int, *, whole: bool) -> bytes:
    limit = cap + 1 if whole else cap
    data = os.read(descriptor, limit)
    if len(data) < limit and len(data) != size:
        # A short read is not yet the end: some file systems hand out less than was asked for.
        while more := os.read(descriptor, limit - len(data)):
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
