"""The lock of a project's ledgers: shared with BMAD+ by a file, and proof against crashes among ourselves.

BMAD+ keeps others out with the mere presence of ``.bmad/memory/writer.lock``. A process that dies leaves it
there, and nobody can tell that from a slow one. So we hold the kernel's lock on the folder first: it dies
with its owner. Our ``writer.lock`` is a second name (a hard link) of ``.writer.lock.zecher``; whoever holds
the kernel's lock and finds the two names on one file knows that the process that made them is dead.
"""

from __future__ import annotations

import os
import stat
import time
from _thread import get_ident
from contextlib import suppress
from errno import EBADF, EINVAL, EMLINK, ENOLCK, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM

from brain.files.atomic import FILE_MODE, make_folder, sync_folder
from brain.files.errors import MemError, OccupiedError, WriteError
from brain.files.javascript_json import to_compact
from brain.files.kernel_lock import is_running, open_folder, poll, try_lock
from brain.files.links import refuse_links
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER

SHARED = "writer.lock"
OWN = ".writer.lock.zecher"

_NO_FLOCK = (EBADF, EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP)  # some network file systems want a writable file
_NO_LINKS = (EPERM, EOPNOTSUPP, ENOSYS, EMLINK)
_CAP = 4096  # bytes; the file holds one short line
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

# How many times this process and thread hold the lock of a project: the outermost owner gives it back.
_depths: dict[tuple[int, int, str], int] = {}


class Owner:
    """Who holds ``writer.lock``, as far as it says so: ``pid``, ``hostname`` and ``token`` or None.

    ``age_seconds`` is the file's age. ``alive`` is None when that cannot be known from here. ``is_ours`` says
    that a Zecher process made it; the next writer clears such a one away by itself once its owner is dead.
    ``seen`` is None when the lock is not a small regular file.
    """

    __slots__ = ("age_seconds", "alive", "hostname", "is_ours", "path", "pid", "seen", "token")

    def __init__(self, path: str, seen: Seen | None, age_seconds: float, *, is_ours: bool) -> None:
        written = _object(seen.data if seen else None)
        pid, hostname, token = written.get("pid"), written.get("hostname"), written.get("token")
        self.path = path
        self.seen = seen
        self.pid = pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None
        self.hostname = hostname if isinstance(hostname, str) else None
        self.token = token if isinstance(token, str) else None
        self.age_seconds = age_seconds
        self.alive = _is_alive(self.pid, self.hostname)
        self.is_ours = is_ours


class WriterLock:
    """``with WriterLock(project, wait=2.0):`` keeps every other writer of the project's ledgers out.

    ``project`` is the real path of the project's folder, which exists; ``.bmad/memory`` below it is made when
    it is missing. ``wait`` and ``pause`` are seconds: how long to wait for another owner, and between looks.
    ``OccupiedError`` when it stays, ``MemError`` when the lock cannot be made. A thread that holds the lock
    may take it again.
    """

    def __init__(self, project: str, wait: float = 2.0, pause: float = 0.01) -> None:
        self._project = project
        self._wait = wait
        self._pause = pause
        self._path = os.path.join(project, *LEDGER_FOLDER.split("/"), SHARED)
        self._folder = -1
        self._has_kernel_lock = False
        self._came = 0.0
        self._content = b""
        self._key = (0, 0, "")

    def __enter__(self) -> WriterLock:  # noqa: PYI034 - start-up: Self would import typing, 3 ms
        self._key = (os.getpid(), get_ident(), self._project)
        if self._key not in _depths:
            self._acquire()
        _depths[self._key] = _depths.get(self._key, 0) + 1
        return self

    def __exit__(self, *_: object) -> None:
        _depths[self._key] -= 1
        if not _depths[self._key]:
            del _depths[self._key]
            self._leave()

    def _acquire(self) -> None:
        self._came = time.monotonic()
        deadline = self._came + self._wait
        self._content = _content()
        try:
            self._folder = _open_folder(self._project)
            self._lock_folder(deadline)
            if self._has_kernel_lock:
                _clear(self._folder)
                _write_new(OWN, self._content, self._folder)
            self._take(deadline)
        except BaseException as error:
            self._leave()
            if isinstance(error, OSError):
                raise MemError(str(WriteError.of(self._path, error))) from None
            raise

    def _lock_folder(self, deadline: float) -> None:
        """Take the kernel's lock on the folder, where the file system knows such a lock for folders."""
        if not poll(self._try_kernel_lock, deadline, self._pause):
            owner = Owner(self._path, _seen(self._folder, SHARED), 0.0, is_ours=True)
            raise OccupiedError(self._path, owner.pid, owner.hostname, None, alive=True)

    def _try_kernel_lock(self) -> bool:
        taken = _try_lock(self._folder)
        self._has_kernel_lock = taken is True
        return taken is not False

    def _take(self, deadline: float) -> None:
        """Put our name on ``writer.lock`` as soon as nobody else's stands there."""
        if not poll(self._try_name, deadline, self._pause):
            raise self._occupied()

    def _try_name(self) -> bool:
        try:
            if not (self._has_kernel_lock and _link(self._folder)):
                _write_new(SHARED, self._content, self._folder)
        except FileExistsError:
            return False
        return True

    def _occupied(self) -> MemError:
        # Our own file was made when we came: by the file system's own clock the lock was as old then.
        made, own = _status(self._folder, SHARED), _status(self._folder, OWN)
        if made and not stat.S_ISREG(made.st_mode):
            return MemError(_odd(self._path))
        waited = time.monotonic() - self._came
        age = max(own.st_mtime - made.st_mtime + waited, 0.0) if made and own else None
        owner = Owner(self._path, _seen(self._folder, SHARED), 0.0, is_ours=False)
        return OccupiedError(self._path, owner.pid, owner.hostname, age, alive=owner.alive)

    def _leave(self) -> None:
        """Take our names away; where that fails, the next writer does it. What was written stays written."""
        if self._folder < 0:
            return
        with suppress(OSError):
            if self._has_kernel_lock:
                _clear(self._folder)
            elif (seen := _seen(self._folder, SHARED)) and seen.data == self._content:
                os.unlink(SHARED, dir_fd=self._folder)
        os.close(self._folder)
        self._folder = -1
        self._has_kernel_lock = False


def owner_of(project: str, now: float) -> Owner | None:
    """Who holds the lock of ``project`` at ``now`` (epoch seconds), or None.

    ``MemError`` for a link, and for a folder that cannot be looked into: nobody knows who holds that one.
    """
    path = refuse_links(project, LEDGER_FOLDER)
    try:
        folder = open_folder(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MemError(_closed(project, path, error)) from None
    try:
        status = _status(folder, SHARED)
        if status is None:
            return None
        age = max(now - status.st_mtime, 0.0)
        return Owner(os.path.join(path, SHARED), _seen(folder, SHARED), age, is_ours=_is_left_over(folder))
    except OSError as error:
        raise MemError(f"cannot look into {path}: {error.strerror}") from None
    finally:
        os.close(folder)


def release(project: str, owner: Owner) -> None:
    """Remove the lock that ``owner_of`` showed, for a person who has agreed.

    ``MemError`` when it is no longer the same, when its owner is alive, or when it is not a regular file.
    """
    path = refuse_links(project, LEDGER_FOLDER)
    try:
        folder = open_folder(path)
    except OSError as error:
        raise MemError(str(WriteError.of(owner.path, error))) from None
    try:
        if _try_lock(folder) is False:
            raise MemError(f"{owner.path} is in use right now: it stays")
        if owner.seen is None:
            raise MemError(_odd(owner.path))
        if _seen(folder, SHARED) != owner.seen:
            raise MemError(f"{owner.path} has changed meanwhile: it stays, look again")
        if _is_alive(owner.pid, owner.hostname):
            raise MemError(f"process {owner.pid} is running: its lock {owner.path} stays")
        is_ours = _is_left_over(folder)
        os.unlink(SHARED, dir_fd=folder)
        if is_ours:
            os.unlink(OWN, dir_fd=folder)
        sync_folder(path)
    except OSError as error:
        raise MemError(str(WriteError.of(owner.path, error))) from None
    except WriteError as error:
        raise MemError(str(error)) from None
    finally:
        os.close(folder)


def _open_folder(project: str) -> int:
    """A descriptor of the folder of the ledgers, which is made when it is missing."""
    if not os.path.isdir(project):
        raise MemError(f"there is no project folder {project}: make it first, or name another with -d")
    path = refuse_links(project, LEDGER_FOLDER)
    if not os.path.isdir(path):
        try:
            make_folder(path)
        except WriteError as error:
            raise MemError(_not_a_folder(project) or str(error)) from None
    return open_folder(path)


def _closed(project: str, path: str, error: OSError) -> str:
    return _not_a_folder(project) or f"cannot look into {path}: {error.strerror}"


def _not_a_folder(project: str) -> str:
    """What stands in the way where the folder of the ledgers should be; empty when nothing does."""
    for relative in (os.path.dirname(LEDGER_FOLDER), LEDGER_FOLDER):
        path = os.path.join(project, relative)
        if os.path.lexists(path) and not os.path.isdir(path):
            return f"{path} is not a folder: move it away"
    return ""


def _odd(path: str) -> str:
    return f"{path} is no file that a writer made and that can be read: look at it and remove it by hand"


def _try_lock(folder: int) -> bool | None:
    """True: the kernel's lock is ours while ``folder`` is open. False: it is taken. None: there is none."""
    try:
        return try_lock(folder)
    except OSError as error:
        if error.errno in _NO_FLOCK:
            return None
        raise


def _link(folder: int) -> bool:
    """Give our own file its second name; False where the file system knows no links."""
    try:
        os.link(OWN, SHARED, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in _NO_LINKS:
            return False
        raise
    return True


def _clear(folder: int) -> None:
    """Remove both names of a Zecher process: our own, or of one that died in here.

    Only the holder of the kernel's lock may. The name that proves whose the other is goes last.
    """
    if _is_left_over(folder):
        os.unlink(SHARED, dir_fd=folder)
    with suppress(FileNotFoundError):
        os.unlink(OWN, dir_fd=folder)


def _is_left_over(folder: int) -> bool:
    """Whether ``writer.lock`` was made by a Zecher process: both names on one file, or with one content."""
    shared, own = _status(folder, SHARED), _status(folder, OWN)
    if shared is None or own is None:
        return False
    if (shared.st_dev, shared.st_ino) == (own.st_dev, own.st_ino):
        return True
    written = _seen(folder, OWN)
    theirs = _seen(folder, SHARED)
    return bool(written and theirs and written.data and written.data == theirs.data)


def _write_new(name: str, content: bytes, folder: int) -> None:
    descriptor = os.open(name, _CREATE, FILE_MODE, dir_fd=folder)
    try:
        os.fchmod(descriptor, FILE_MODE)
        if os.write(descriptor, content) != len(content):
            raise OSError(ENOSPC, os.strerror(ENOSPC))  # noqa: TRY301 - what was made here is removed below
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _seen(folder: int, name: str) -> Seen | None:
    try:
        return read_seen(name, _CAP, folder=folder)
    except UnreadableError:
        return None


def _object(data: bytes | None) -> dict[str, object]:
    from json import loads  # noqa: PLC0415 - start-up: only a lock that is in the way is read

    try:
        value = loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _content() -> bytes:
    """What BMAD+ writes into the file: the owner and a random (version 4) UUID, compact, in this order."""
    random = bytearray(os.urandom(16))
    random[6] = random[6] & 0x0F | 0x40
    random[8] = random[8] & 0x3F | 0x80
    digits = random.hex()
    token = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return to_compact({"pid": os.getpid(), "hostname": _hostname(), "token": token}).encode()


def _hostname() -> str:
    if hasattr(os, "uname"):
        return os.uname().nodename
    import platform  # noqa: PLC0415 - start-up: only where there is no uname

    return platform.node()


def _is_alive(pid: int | None, hostname: str | None) -> bool | None:
    """Whether the process runs; None for one on another host, or where asking is not harmless."""
    return None if pid is None or hostname != _hostname() else is_running(pid)
