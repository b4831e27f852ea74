"""Appends to a ledger or a note: whole and durable, or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from errno import ELOOP, EMLINK

from brain.files.atomic import FILE_MODE, sync_folder
from brain.files.errors import MemError, WriteError

_OPEN = (
    os.O_RDWR
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)

_SHORT = "the file system stored fewer bytes than it was given"


def append_line(path: str, line: bytes, *, cap: int, repair: bool) -> None:
    """Append ``line`` (without its newline) to the file at ``path`` and return once it is durable.

    The caller holds the lock of the folder, which exists. A file that is missing is made, open to its owner
    only. ``repair`` says what happens to a file whose last line was torn: its newline is put before the new
    line, or the call is refused. ``MemError`` when the file is no regular file, would grow past ``cap``
    bytes, or the system refuses; then the file is as it was before.
    """
    if b"\n" in line:
        raise ValueError("a line of a ledger holds no newline")
    append_lines(path, line + b"\n", cap=cap, repair=repair)


def append_lines(
    path: str, data: bytes, *, cap: int, repair: bool, title: bytes = b"", newline: bytes = b"\n"
) -> int:
    """As ``append_line``, for whole lines (``data`` ends with a newline); where in the file they begin.

    A file that is empty or made for them begins with ``title``. A torn last line is mended with ``newline``.
    """
    descriptor, is_new = _open(path)
    try:
        if is_new:
            os.fchmod(descriptor, FILE_MODE)  # whatever the umask took away
        size = os.fstat(descriptor).st_size
        lead = _lead(descriptor, size, path, newline if repair else b"") if size else title
        _append(descriptor, path, size, lead + data, cap=cap)
        if is_new:
            sync_folder(os.path.dirname(path))
        return size + len(lead)
    except BaseException as error:
        if is_new:  # an empty ledger that nobody asked for
            with suppress(OSError):
                os.unlink(path)
        if isinstance(error, OSError):
            error = WriteError.of(path, error)
        if isinstance(error, WriteError):
            raise MemError(str(error)) from None
        raise
    finally:
        os.close(descriptor)


def _append(descriptor: int, path: str, size: int, data: bytes, *, cap: int) -> None:
    if size + len(data) > cap:
        raise MemError(f"{path} is full: {size} bytes of at most {cap}; move it aside to begin a new one")
    try:
        # A nearly full disk takes a part without an error; only the count tells.
        if os.write(descriptor, data) != len(data) or os.fstat(descriptor).st_size != size + len(data):
            raise WriteError(path, _SHORT)  # noqa: TRY301 - what was written is taken back below
        os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def _open(path: str) -> tuple[int, bool]:
    """An open descriptor of the regular file at ``path``, and whether it was made just now."""
    try:
        try:
            descriptor = os.open(path, _OPEN)
            is_new = False
        except FileNotFoundError:
            descriptor = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, FILE_MODE)
            is_new = True
    except OSError as error:
        if error.errno in (ELOOP, EMLINK):
            raise MemError(
                f"{path} is a symbolic link, which is not followed: put the real file there"
            ) from None
        raise MemError(str(WriteError.of(path, error))) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise MemError(f"{path} is not a regular file: move it away")
    return descriptor, is_new


def _lead(descriptor: int, size: int, path: str, newline: bytes) -> bytes:
    """What has to stand before the new lines: ``newline``, if the last line has none; empty: refused."""
    if os.pread(descriptor, 1, size - 1) == b"\n":
        return b""
    if not newline:
        raise MemError(
            f"the last line of {path} is torn (no newline at its end): mend the file by hand first"
        )
    return newline
