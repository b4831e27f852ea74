"""What a reader saw of the disk while it read one project: the doors to names, and who listens at them.

Every question about a name goes through here (a file's content through ``scanner.reading``, which tells what
it opened). While somebody listens, each answer is noted with what the system says of the thing at that
moment, so that "would the same questions get the same answers now" is one ``lstat`` a name. While nobody
listens a door costs a tenth of a microsecond. A test takes care that no reader asks the system by itself.
"""

from __future__ import annotations

import os
import stat as kinds
from array import array
from collections.abc import Mapping, Sequence

from scanner import away
from scanner.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr

Signature = tuple[int, int, int, int, int, int]
"""Device, inode, mode, size, and the times of the last change of content and of anything, nanoseconds."""

ABSENT: Signature = (0, 0, 0, 0, 0, 0)
"""Stands for a name at which there is nothing."""

_NOTHING_THERE = (FileNotFoundError, NotADirectoryError)

Signed = tuple[bytes, bytes]
"""Names joined by NUL, and the signatures of all of them in the same order, as machine words."""

Name = str | bytes
"""An absolute path; bytes as the system has them where a whole work tree is asked."""


class Seen(Value):
    """What one look over tracked paths showed that counts, in a form that costs little to keep.

    ``files`` are those of a date that counts, ``listed`` the folders in which new files were looked for: each
    pair holds the names, joined by NUL, and their signatures as machine words. ``replaced`` are folders that
    are none any more, ``closed`` what permissions hide, both joined by NUL.
    """

    __slots__ = ("closed", "files", "listed", "replaced")

    def __init__(self, files: Signed, listed: Signed, replaced: bytes = b"", closed: bytes = b"") -> None:
        self.files = files
        self.listed = listed
        self.replaced = replaced
        self.closed = closed


class Glance(Value):
    """One look over a work tree's tracked paths, by which the next one is judged.

    ``names`` and ``folders`` (also those on the way) are what was asked for, relative to ``work_tree``; dates
    after ``since`` (epoch seconds) counted; ``written_ns`` is the date of the index.
    """

    __slots__ = ("folders", "names", "seen", "since", "work_tree", "written_ns")

    def __init__(
        self,
        work_tree: str,
        asked: tuple[Sequence[bytes], Sequence[bytes]],
        since: float,
        written_ns: int,
        seen: Seen,
    ) -> None:
        self.work_tree = work_tree
        self.names, self.folders = asked
        self.since = since
        self.written_ns = written_ns
        self.seen = seen


class Reads:
    """Everything that was seen while it listened.

    ``own`` are signatures of names themselves, ``followed`` of what they lead to, ``resolved`` the real paths
    that were asked for, ``glances`` the looks over work trees. Of the dates that were held against the clock
    ``latest`` is the latest not after ``horizon``, ``next`` the first after it. ``asks_roots`` tells that the
    roots of the scan decided something; ``is_sound`` is false once something was seen that no signature can
    tell again.
    """

    __slots__ = (
        "asks_roots",
        "followed",
        "glances",
        "horizon",
        "is_sound",
        "latest",
        "next",
        "own",
        "resolved",
    )

    def __init__(self, horizon: float = float("inf")) -> None:
        self.horizon = horizon
        self.own: dict[Name, Signature] = {}
        self.followed: dict[Name, Signature] = {}
        self.resolved: dict[str, str] = {}
        self.glances: list[Glance] = []
        self.latest = float("-inf")
        self.next = float("inf")
        self.asks_roots = False
        self.is_sound = True

    def note(self, seen: dict[Name, Signature], path: Name, found: Signature) -> None:
        """Keep the first signature of a name; a second one that differs cannot be told again."""
        if seen.setdefault(path, found) != found:
            self.is_sound = False


_listening: Reads | None = None


class listening:  # noqa: N801 - it reads as a verb: ``with listening(reads):``
    """While the block runs, ``reads`` hears every door; what listened before hears nothing of it."""

    __slots__ = ("_before", "_reads")

    def __init__(self, reads: Reads | None) -> None:
        self._reads = reads
        self._before: Reads | None = None

    def __enter__(self) -> None:
        global _listening
        self._before, _listening = _listening, self._reads

    def __exit__(self, *_: object) -> None:
        global _listening  # noqa: PLW0603 - readers stand six calls below whoever listens
        _listening = self._before


def signature(status: os.stat_result) -> Signature:
    """What tells one state of a file or folder from another."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def signed(found: Mapping[bytes, Signature]) -> Signed:
    """Names and signatures, joined. ``OverflowError`` for an inode beyond 63 bits."""
    numbers = array("q", [number for one in found.values() for number in one])
    return b"\0".join(found), numbers.tobytes()


def lstat(path: Name) -> os.stat_result:
    """As ``os.lstat``."""
    if away.current is not None:
        _keep_away(path, follow=False)
    reads = _listening
    if reads is None:
        return os.lstat(path)
    return _asked(reads, path, follow=False)


def lstat_below(work_tree: str, path: Name, root: int) -> os.stat_result:
    """As ``os.lstat`` of a path relative to ``work_tree``, whose folder is open as ``root``."""
    reads = _listening
    if reads is None:
        return os.lstat(path, dir_fd=root)
    return _asked(reads, f"{work_tree}/{os.fsdecode(path)}", follow=False)


def stat(path: str) -> os.stat_result:
    """As ``os.stat``."""
    if away.current is not None:
        _keep_away(path)
    reads = _listening
    if reads is None:
        return os.stat(path)
    return _asked(reads, path, follow=True)


def exists(path: str) -> bool:
    """Whether ``path`` leads to anything; as cheap as it gets while nobody listens."""
    if away.current is not None and is_away(path):
        return False
    reads = _listening
    if reads is None:
        return os.access(path, os.F_OK)
    return _is_there(reads, path, follow=True)


def lexists(path: str) -> bool:
    """Whether there is anything at ``path``, be it a link that leads nowhere."""
    if away.current is not None and is_away(path, follow=False):
        return False
    reads = _listening
    if reads is None:
        return os.path.lexists(path)
    return _is_there(reads, path, follow=False)


def is_folder(path: str) -> bool:
    """As ``os.path.isdir``: a link to a folder is one."""
    if away.current is not None and is_away(path):
        return False
    reads = _listening
    if reads is None:
        return os.path.isdir(path)
    try:
        return kinds.S_ISDIR(_asked(reads, path, follow=True).st_mode)
    except (OSError, ValueError):
        return False


def listdir(path: AnyStr) -> list[AnyStr]:
    """As ``os.listdir``."""
    if away.current is not None:
        _keep_away(path)
    if _listening is not None:
        _is_there(_listening, path, follow=True)
    return os.listdir(path)


def scandir(path: str) -> os._ScandirIterator[str]:
    """As ``os.scandir``; of an entry only its name and its kind are told by the folder that holds it."""
    if away.current is not None:
        _keep_away(path)
    if _listening is not None:
        _is_there(_listening, path, follow=True)
    return os.scandir(path)


def saw_folder(path: str) -> None:
    """Note a folder that somebody else listed a moment ago."""
    reads = _listening
    if reads is None:
        return
    if not _is_there(reads, path, follow=False) or kinds.S_ISLNK(reads.own[path][2]):
        _is_there(reads, path, follow=True)


def readlink(path: AnyStr) -> AnyStr:
    """As ``os.readlink``."""
    if away.current is not None:
        _keep_away(path, follow=False)
    if _listening is not None:
        _is_there(_listening, path, follow=False)
    return os.readlink(path)


def realpath(path: str) -> str:
    """As ``os.path.realpath``; what leads away is resolved no further than to there."""
    if away.current is not None and path.startswith("/"):
        near = away.current.near(path)
        if is_away(near, follow=False):
            return near
    real = os.path.realpath(path)
    if _listening is not None and _listening.resolved.setdefault(path, real) != real:
        _listening.is_sound = False
    return real


def is_away(path: Name, *, follow: bool = True) -> bool:
    """Whether ``path`` (or, to ``follow``, what it leads to) lies where nothing may be asked.

    No signature can tell later what is there: of a reading that was told so nothing is kept. Bytes are names
    in a work tree, whose readers know the mounts below it.
    """
    there = away.current
    if there is None or isinstance(path, bytes):
        return False
    if not (there.is_led_to(path) if follow else there.holds(path)):
        return False
    unsound()
    return True


def opened(path: str, status: os.stat_result) -> None:
    """Note a file that was opened by its own name, never through a link."""
    reads = _listening
    if reads is not None:
        reads.note(reads.own, path, signature(status))


def refused(path: str) -> None:
    """Note a file that could not be opened: what stands in the way is seen by asking for its name."""
    reads = _listening
    if reads is None:
        return
    status = _is_there(reads, path, follow=False)
    if status and not _explains_a_refusal(reads.own[path]):
        reads.is_sound = False


def dated(when: float) -> None:
    """Note a date that was held against the clock: at another time it may count otherwise."""
    reads = _listening
    if reads is None:
        return
    if when <= reads.horizon:
        reads.latest = max(reads.latest, when)
    else:
        reads.next = min(reads.next, when)


def asks_roots() -> None:
    """Note that the roots of the scan decided something: under other roots it may be otherwise."""
    if _listening is not None:
        _listening.asks_roots = True


def glanced(glance: Glance) -> None:
    """Note one look over the tracked paths of a work tree."""
    if _listening is not None:
        _listening.glances.append(glance)


def listens() -> bool:
    """Whether anybody listens: what costs something to be told need not be gathered otherwise."""
    return _listening is not None


def unsound() -> None:
    """Note that something was seen that no signature can tell again."""
    if _listening is not None:
        _listening.is_sound = False


def _keep_away(path: Name, *, follow: bool = True) -> None:
    if is_away(path, follow=follow):
        raise away.FarAwayError(os.fsdecode(path))


def _asked(reads: Reads, path: Name, *, follow: bool) -> os.stat_result:
    seen = reads.followed if follow else reads.own
    try:
        status = os.stat(path) if follow else os.lstat(path)
    except _NOTHING_THERE:
        if follow:
            # Nothing at all, or a link that leads nowhere yet: no folder tells when its target comes.
            _is_there(reads, path, follow=False)
        reads.note(seen, path, ABSENT)
        raise
    except (OSError, ValueError):
        reads.is_sound = False
        raise
    reads.note(seen, path, signature(status))
    return status


def _is_there(reads: Reads, path: Name, *, follow: bool) -> bool:
    try:
        _asked(reads, path, follow=follow)
    except (OSError, ValueError):
        return False
    return True


def _explains_a_refusal(found: Signature) -> bool:
    """Whether what stands at a name is refused for what it is, not for who asks."""
    return not kinds.S_ISREG(found[2])
