"""The one door to foreign files for the scanner: regular files only, never through a link, capped."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from errno import ELOOP, EMLINK

from scanner import away, trace

MANIFEST_CAP = 256 * 1024

INLINE_CAP = 4096
"""File systems may keep so small a file beside its name, without a block: it is not far away."""

_DATALESS = 0x40000000
"""The flag of macOS for a file whose content lies elsewhere (``SF_DATALESS``)."""

_RECALLED = 0x1000 | 0x40000 | 0x400000
"""The same for Windows: ``FILE_ATTRIBUTE_OFFLINE``, ``_RECALL_ON_OPEN`` and ``_RECALL_ON_DATA_ACCESS``."""

FLAGS_PLACEHOLDERS = hasattr(os.stat_result, "st_flags") or hasattr(os.stat_result, "st_file_attributes")
"""Whether the system tells of each file and folder whether it is one."""

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
    ``permission``, ``placeholder`` (its content lies in a cloud), ``far-away`` (on a file system that is not
    entered), ``io`` (anything else that the system said).
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
    if away.current is not None or _clouds is not None:
        _refuse_unopened(path)
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
    if away.current is not None or _clouds is not None:
        _refuse_unopened(path)
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


def is_placeholder(status: os.stat_result, whole: int | None = INLINE_CAP) -> bool:
    """Whether reading the file would fetch it from somewhere first (an entry of a cloud drive).

    Where the system has no flag for that, a file with a size and no block is one, if it is larger than
    ``whole`` bytes: file systems keep small ones beside their names. ``None``: there are none here.
    """
    flags = getattr(status, "st_flags", None)
    if flags is not None:
        return bool(flags & _DATALESS)
    attributes = getattr(status, "st_file_attributes", None)
    if attributes is not None:
        return bool(attributes & _RECALLED)
    return whole is not None and status.st_size > whole and getattr(status, "st_blocks", 1) == 0


class Clouds:
    """Where files may be placeholders, and how many were ``met`` and left unopened.

    ``places`` pairs folders with the size up to which a file without a block is whole. A system that flags
    placeholders has them anywhere.
    """

    __slots__ = ("_starts", "met")

    def __init__(self, places: Iterable[tuple[str, int]]) -> None:
        self._starts = tuple((f"{folder.rstrip('/')}/", whole) for folder, whole in places)
        self.met = 0

    @property
    def are_there(self) -> bool:
        """Whether any file can be a placeholder at all."""
        return bool(self._starts) or FLAGS_PLACEHOLDERS

    def refuse(self, path: str) -> None:
        """Raise ``UnreadableError`` where ``path`` is a placeholder."""
        whole = next((size for start, size in self._starts if path.startswith(start)), None)
        if whole is None and not FLAGS_PLACEHOLDERS:
            return
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            return  # whoever opens it learns what is wrong
        if stat.S_ISREG(status.st_mode) and is_placeholder(status, whole):
            self.met += 1
            trace.unsound()  # fetching it may leave all dates as they are
            raise UnreadableError("placeholder", path, "its content lies in a cloud and is not fetched")


class heeding:  # noqa: N801 - it reads as a verb: ``with heeding(clouds):``
    """While the block runs, placeholders in ``clouds`` are not opened."""

    __slots__ = ("_before", "_clouds")

    def __init__(self, clouds: Clouds) -> None:
        self._clouds = clouds if clouds.are_there else None
        self._before: Clouds | None = None

    def __enter__(self) -> None:
        global _clouds
        self._before, _clouds = _clouds, self._clouds

    def __exit__(self, *_: object) -> None:
        global _clouds  # noqa: PLW0603 - readers stand far below whoever knows the mounts
        _clouds = self._before


_clouds: Clouds | None = None


def _refuse_unopened(path: str) -> None:
    if trace.is_away(path, follow=False):
        raise UnreadableError("far-away", path, away.MESSAGE)
    if _clouds is not None:
        _clouds.refuse(path)


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
