"""Puts what a job made into its folder: whole or not at all, and nothing that a person changed is lost.

A report ends with a seal, the digest of all before it. So a report that nobody touched is known again:
only such a one is replaced, or removed when it is old.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from brain.archive import is_ours as is_our_export
from brain.files.atomic import OutsideError, Write, leftovers, make_folder, replace_all
from brain.files.errors import ChangedError, WriteError
from brain.files.kernel_lock import is_running
from brain.files.reading import Seen, UnreadableError, read_seen
from jobs.registry import Output
from reports.view import iso_time
from scanner.project import Problem
from scanner.value import dataclass

CAP = 16 * 1024 * 1024

_SEAL = b" <!-- sealed by zecher, a changed file is kept: sha256:"
_SEAL_END = b" -->\n"
_TRIES = 5
_LAST_NUMBER = 1000
# The unit of the jobs gives them 512 MiB: a larger export of years ago is for a person to remove.
_EXPORT_CAP = 128 * 1024 * 1024

_DAILY = r"(\d{4}-\d\d-\d\d)(?:T\d\d)?(?:-\d+)?\.md"
_KEPT = (
    re.compile(rf"(?:nightly|weekly|dreaming)-{_DAILY}"),
    re.compile(r"(?:nightly|weekly|dreaming)-(\d{4}-W\d\d)(?:-\d+)?\.md"),
    re.compile(rf"bmad-brain-export-{_DAILY}"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """A file to be published as ``name``.

    One that ``is_latest`` takes the place of the one before under this very name, and what a person made of
    that is moved beside it. Any other gets ``-2`` and so on before its suffix where a changed one stands.
    """

    name: str
    data: bytes
    is_latest: bool = False


def sealed(text: str) -> bytes:
    """A report that ends with its seal."""
    data = text.rstrip("\n").encode()
    return data + _SEAL + _digest(data) + _SEAL_END


def is_ours(data: bytes) -> bool:
    """Whether ``data`` is a report of ours, every byte as it was written."""
    body, seal, rest = data.rpartition(_SEAL)
    return bool(seal) and rest == _digest(body) + _SEAL_END


def publish(folder: str, pages: Sequence[Page], *, now: float) -> tuple[Output, ...]:
    """Write ``pages`` into ``folder``, which is made where it is missing, and return once all is durable.

    The new files are all stored before the first gets its name. ``now`` (epoch seconds) names what is moved
    aside. ``WriteError`` when the system refuses, with the path and its reason.
    """
    make_folder(folder)
    base = os.path.realpath(folder)
    _sweep(base)
    for _ in range(_TRIES):
        writes = [_place(base, page, now) for page in pages]
        try:
            replace_all([write for write in writes if not _stands(write)], base)
        except ChangedError:
            continue  # somebody wrote it just now: look again whose it is
        except OutsideError as error:
            raise WriteError(error.path, str(error)) from None
        return tuple(_verified(write) for write in writes)
    raise WriteError(folder, "somebody else keeps saving its files")


def put(path: str, data: bytes) -> Output:
    """Write a file that is nobody's but ours into a folder that exists; ``WriteError`` as ``publish``."""
    base = os.path.realpath(os.path.dirname(path))
    _sweep(base)
    target = os.path.join(base, os.path.basename(path))
    for _ in range(_TRIES):
        write = Write(target, data, _seen(target, CAP))
        try:
            replace_all([write], base)
        except ChangedError:
            continue
        except OutsideError as error:
            raise WriteError(error.path, str(error)) from None
        return _verified(write)
    raise WriteError(path, "somebody else keeps saving this file")


def prune(folder: str, *, now: float, weeks: int) -> int:
    """Remove reports and exports of more than ``weeks`` weeks before ``now`` that nobody changed: how many.

    Their names tell their age. What cannot be read or removed stays.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    try:
        oldest = datetime.fromtimestamp(now, UTC).date() - timedelta(weeks=weeks)
    except (OverflowError, ValueError, OSError):
        return 0
    return sum(_removed(os.path.join(folder, name)) for name in names if _is_before(name, oldest))


def output_of(path: str, data: bytes) -> Output:
    """What the ledger keeps of a file that was written."""
    return Output(path, _digest(data).decode(), len(data))


def unwritten(error: WriteError, code: str, message: str) -> Problem:
    """A file that could not be written, as a problem."""
    return Problem(
        code,
        "error",
        error.path,
        f"{message}: {error}",
        "Check the folder, its permissions and the free space.",
    )


def _is_before(name: str, oldest: date) -> bool:
    found = next((match for pattern in _KEPT if (match := pattern.fullmatch(name))), None)
    if found is None:
        return False
    try:
        return date.fromisoformat(found[1]) < oldest
    except ValueError:
        return False


def _removed(path: str) -> bool:
    is_export = os.path.basename(path).startswith("bmad-")
    try:
        data = read_seen(path, _EXPORT_CAP if is_export else CAP).data or b""
        if not (is_our_export(data) if is_export else is_ours(data)):
            return False
        os.unlink(path)
    except (UnreadableError, OSError):
        return False
    return True


def _place(base: str, page: Page, now: float) -> Write:
    if page.is_latest:
        return _place_latest(base, page, now)
    stem, suffix = os.path.splitext(page.name)
    for number in range(1, _LAST_NUMBER + 1):
        path = os.path.join(base, page.name if number == 1 else f"{stem}-{number}{suffix}")
        seen = _seen(path, CAP)
        if seen is None or (seen.data is not None and (is_ours(seen.data) or seen.data == page.data)):
            return Write(path, page.data, seen)
    raise WriteError(os.path.join(base, page.name), f"{_LAST_NUMBER} files of that name are there already")


def _place_latest(base: str, page: Page, now: float) -> Write:
    path = os.path.join(base, page.name)
    seen = _seen(path, CAP)
    if seen is None or (seen.data is not None and (is_ours(seen.data) or seen.data == page.data)):
        return Write(path, page.data, seen)
    aside = _free_name(path, now)
    if not os.path.islink(path):
        return Write(path, page.data, seen, aside)
    try:
        os.rename(path, aside)  # a write would go through the link, to what it names
    except OSError as error:
        raise WriteError.of(path, error) from None
    return Write(path, page.data, None)


def _free_name(path: str, now: float) -> str:
    """A name beside ``path`` for what a person made of it."""
    stem, suffix = os.path.splitext(path)
    stamp = (iso_time(now) or "").replace("-", "").replace(":", "")
    names = (f"{stem}.edited-{stamp}{more}{suffix}" for more in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(name for name in names if not os.path.lexists(name))


def _seen(path: str, cap: int) -> Seen | None:
    """What stands at ``path``: None for nothing, without data where it is no file that can be read."""
    try:
        return read_seen(path, cap)
    except UnreadableError as error:
        if error.code == "missing":
            return None
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Seen((status.st_mtime_ns, status.st_size, status.st_ino), None, closed=True)


def _stands(write: Write) -> bool:
    return write.seen is not None and write.seen.data == write.data


def _verified(write: Write) -> Output:
    """What really stands there now: a run is not done before its output can be read back."""
    seen = _seen(write.path, max(CAP, len(write.data)))
    if seen is None or seen.data != write.data:
        raise WriteError(write.path, "it does not hold what was written")
    return output_of(write.path, write.data)


def _sweep(folder: str) -> None:
    """Remove what a killed run left behind: a temporary file of a process that is gone."""
    for path, pid in leftovers(folder, r"[^/]+\.(?:md|json)"):
        if is_running(pid) is False:
            with suppress(OSError):  # litter that stays is no reason to publish nothing
                os.unlink(path)


def _digest(data: bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms

    return sha256(data).hexdigest().encode()
