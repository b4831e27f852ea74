"""Replaces files so that each holds its old or its new content, whatever happens in between.

A batch is staged first (every new content durable under a temporary name); until then it can be called off,
and nothing was published. Then each file is replaced under the condition that what stands there is still what
was read, then each folder is made durable once; no signal stops this halfway.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from errno import EMLINK, ENOSYS, EOPNOTSUPP, EPERM

from brain.files.errors import ChangedError, WriteError
from brain.files.reading import Seen, UnreadableError, inside, read_seen, stamp_of
from brain.files.unbroken import Unbroken

Ask = Callable[[], None]
"""Asked between two files while nothing is published yet; raises where the writing shall end."""

FILE_MODE = 0o600
FOLDER_MODE = 0o700
LEFTOVER_AGE = 3600.0

# Descriptors that are open at once while a batch is staged: far below the smallest usual limit of 256.
_CHUNK = 64
# What a file system says that has no hard links: FAT, some network shares, some containers.
_NO_LINKS = (EPERM, ENOSYS, EOPNOTSUPP, EMLINK)
_SWEPT = r".+\.yaml|(?:projects-index|decisions|lessons|patterns|context)\.md|\.brain-link"
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Write:
    """New content for the file at ``path``.

    ``seen`` is what was read there (None: nothing stood there); if it no longer holds, the write does not
    happen. With ``aside`` the old file is first moved to that name instead of being replaced. With
    ``source``, a path and what was read there, that file is first given the name ``path`` and then replaced:
    at every moment one of the two names holds all that it held.
    """

    __slots__ = ("aside", "data", "path", "seen", "source")

    def __init__(
        self,
        path: str,
        data: bytes,
        seen: Seen | None,
        aside: str | None = None,
        source: tuple[str, Seen] | None = None,
    ) -> None:
        self.path = path
        self.data = data
        self.seen = seen
        self.aside = aside
        self.source = source


class _Staged:
    """A write whose new content is durable under ``temporary``."""

    __slots__ = ("target", "temporary", "write")

    def __init__(self, write: Write, target: str, temporary: str) -> None:
        self.write = write
        self.target = target
        self.temporary = temporary


class OutsideError(Exception):
    """A link that leads out of the folder that may be written."""

    def __init__(self, path: str, target: str) -> None:
        super().__init__(f"{path} is a link that leads outside: {target}")
        self.path = path
        self.target = target


def make_folder(path: str) -> None:
    """Make the folder ``path`` and its parent where they are missing, durable and open to the owner only.

    The parent's own folder must exist: a home that is not there is an error, not something to invent.
    """
    parent = os.path.dirname(path)
    for folder in (parent, path):
        if os.path.isdir(folder):
            continue
        try:
            os.mkdir(folder, FOLDER_MODE)
            os.chmod(folder, FOLDER_MODE)
        except OSError as error:
            if not os.path.isdir(folder):  # another writer may have been faster
                raise WriteError.of(folder, error) from None
        try:
            sync_folder(os.path.dirname(folder))
        except WriteError as error:
            raise WriteError(folder, error.reason) from None  # an empty folder is nothing stored yet


def resolve(path: str, base: str) -> str:
    """Where a write to ``path`` really goes: through a link, if that stays inside ``base`` (a real path)."""
    if not os.path.islink(path):
        return path
    target = os.path.realpath(path)
    if not inside(target, base):
        raise OutsideError(path, target)
    return target


def replace_all(
    writes: Sequence[Write], base: str, *, ask: Ask | None = None, unbroken: Unbroken | None = None
) -> int:
    """Carry out ``writes`` in their order and return how many files were replaced.

    Folders are made durable once each, a folder's files before the next folder's. ``ChangedError`` when
    a file is no longer what was read (the writes before it stand), ``WriteError`` when the system refuses,
    ``OutsideError`` for a link out of ``base``, and what ``ask`` raises, which is asked until the first file
    is replaced. No temporary file of this call survives an error. Signals wait from the first replacement
    to the end of this call; with ``unbroken`` of the caller until that ends.
    """
    with Unbroken() as own:
        return _replace_all(writes, base, ask or _go_on, unbroken or own)


def sync_folder(path: str) -> None:
    """Make the names in the folder ``path`` durable; ``WriteError`` says: stored, but not confirmed."""
    try:
        descriptor = os.open(path or ".", os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise WriteError.of(path, error, stored=True) from None


def is_temporary(name: str) -> bool:
    """Whether ``name`` is one that this module gives to a file before it replaces another."""
    return _owner(name, _SWEPT) is not None


def leftovers(folder: str, targets: str) -> list[tuple[str, int]]:
    """Path of each temporary file in ``folder``, and the pid of the process that made it.

    ``targets`` is a pattern for the names of the files that they were to replace. Whether they are litter,
    the caller knows: by its lock, their age, or their process.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = ((name, _owner(name, targets)) for name in names if name.endswith(".tmp"))
    return [(os.path.join(folder, name), pid) for name, pid in found if pid is not None]


def sweep(folder: str, *, now: float, targets: str = _SWEPT) -> int:
    """Remove temporary files that a killed writer left in ``folder`` more than an hour before ``now``.

    ``now`` is in epoch seconds; ``targets`` is a pattern for the names of the files that they replace;
    the caller holds the lock. Returns how many were removed.
    """
    return sum(_sweep_one(path, now) for path, _ in leftovers(folder, targets))


def _owner(name: str, targets: str) -> int | None:
    """The pid in the name of a temporary file for one of ``targets``; None for any other name."""
    import re  # noqa: PLC0415 - start-up: 4 ms that only a sweep needs

    found = re.fullmatch(rf"\.(?:{targets})\.([0-9]{{1,18}})\.[0-9a-f]{{8}}\.tmp", name)
    return int(found.groups()[-1]) if found else None


def _sweep_one(path: str, now: float) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or now - status.st_mtime < LEFTOVER_AGE:
        return False
    return _remove(path)


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _go_on() -> None:
    """Nobody calls it off."""


def _replace_all(writes: Sequence[Write], base: str, ask: Ask, unbroken: Unbroken) -> int:
    staged: list[_Staged] = []
    try:
        for start in range(0, len(writes), _CHUNK):
            _stage_chunk(writes[start : start + _CHUNK], base, staged, ask)
        ask()
        unbroken.begin()
        return _replace(staged)
    finally:
        unbroken.begin()  # who stops the run for the second time must not stop the tidying
        for leftover in staged:
            _remove(leftover.temporary)


def _stage_chunk(writes: Sequence[Write], base: str, staged: list[_Staged], ask: Ask) -> None:
    """Write all files of a chunk before the first is synced: the system then stores them together."""
    opened: list[tuple[int, str]] = []
    try:
        for write in writes:
            ask()
            target = resolve(write.path, base)
            temporary = _temporary_name(target)
            try:
                descriptor = os.open(temporary, _CREATE, FILE_MODE)
            except OSError as error:
                raise WriteError.of(write.path, error) from None
            opened.append((descriptor, write.path))
            staged.append(_Staged(write, target, temporary))
            _fill(descriptor, write, target)
        for descriptor, path in opened:
            ask()
            try:
                os.fsync(descriptor)
            except OSError as error:
                raise WriteError.of(path, error) from None
    finally:
        _close_all(opened)


def _close_all(opened: Iterable[tuple[int, str]]) -> None:
    failed: WriteError | None = None
    for descriptor, path in opened:
        try:
            os.close(descriptor)
        except OSError as error:  # some network file systems report a failed write only here
            failed = failed or WriteError.of(path, error)
    if failed:
        raise failed


def _temporary_name(target: str) -> str:
    folder, base = os.path.split(target)
    stem = os.fsdecode(os.fsencode(base)[-200:])
    return os.path.join(folder, f".{stem}.{os.getpid()}.{os.urandom(4).hex()}.tmp")


def _fill(descriptor: int, write: Write, target: str) -> None:
    try:
        _take_over(descriptor, write.source[0] if write.source else target)
        rest = memoryview(write.data)
        while rest:
            # A nearly full disk takes a part without an error; only the count tells.
            rest = rest[os.write(descriptor, rest) :]
        if os.fstat(descriptor).st_size != len(write.data):
            raise WriteError(write.path, "the file system stored fewer bytes than it was given")
    except OSError as error:
        raise WriteError.of(write.path, error) from None


def _take_over(descriptor: int, target: str) -> None:
    """Give the new file the mode and, for root, the owner of the one that it replaces."""
    try:
        old = os.stat(target, follow_symlinks=False)
    except OSError:
        os.fchmod(descriptor, FILE_MODE)
        return
    regular = stat.S_ISREG(old.st_mode)
    if regular and os.geteuid() == 0:
        with suppress(OSError):  # a root without that right (a container) writes as itself
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) if regular else FILE_MODE)


def _replace(staged: list[_Staged]) -> int:
    count = 0
    folder = ""
    try:
        while staged:
            one = staged[0]
            here = os.path.dirname(one.target)
            if folder and here != folder:
                sync_folder(folder)
            folder = here
            _replace_one(one)
            staged.pop(0)
            count += 1
    finally:
        if count:
            sync_folder(folder)
    return count


def _replace_one(one: _Staged) -> None:
    _compare(one.write, one.target)
    try:
        if one.write.source:
            _rename_source(one.write, one.write.source[0], one.target)
            os.replace(one.temporary, one.target)
            return
        if one.write.aside:
            os.rename(one.target, one.write.aside)
        if one.write.seen is not None or not _publish(one):
            os.replace(one.temporary, one.target)
    except OSError as error:
        raise WriteError.of(one.write.path, error) from None


def _publish(one: _Staged) -> bool:
    """Give the new content a name that nobody has taken; False where the file system knows no links."""
    try:
        os.link(one.temporary, one.target, follow_symlinks=False)
    except FileExistsError:
        raise ChangedError(one.write.path) from None
    except OSError as error:
        if error.errno in _NO_LINKS:
            return False
        raise
    _remove(one.temporary)
    return True


def _rename_source(write: Write, source: str, target: str) -> None:
    """Give the file at ``source`` the name ``target``; both names exist until the new one is durable.

    What stands at ``target`` already was read and may be replaced. Where it is the same file under its second
    name, as a rename leaves it that was killed halfway, only the old name goes.
    """
    if write.seen is not None and write.source and write.seen.stamp != write.source[1].stamp:
        os.rename(source, target)
        return
    if write.seen is None:
        try:
            os.link(source, target, follow_symlinks=False)
        except FileExistsError:
            raise ChangedError(write.path) from None
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.rename(source, target)
            return
    sync_folder(os.path.dirname(target))
    os.unlink(source)


def _compare(write: Write, target: str) -> None:
    """Refuse to replace anything but what was read: an editor may have saved since."""
    _compare_one(target, write.seen, write.path)
    if write.source:
        _compare_one(*write.source, write.source[0])


def _compare_one(target: str, seen: Seen | None, path: str) -> None:
    try:
        status = os.lstat(target)
    except FileNotFoundError:
        if seen is None:
            return
        raise ChangedError(path) from None
    except OSError as error:
        raise WriteError.of(path, error) from None
    if seen is None or stamp_of(status) != seen.stamp:
        raise ChangedError(path)
    if seen.data is not None and _bytes_of(target, len(seen.data)) != seen.data:
        raise ChangedError(path)


def _bytes_of(path: str, size: int) -> bytes | None:
    try:
        return read_seen(path, size).data
    except UnreadableError:
        return None
