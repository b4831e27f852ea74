"""Where other file systems are mounted, so that the walk can leave them alone without touching them.

A dead network mount hangs whoever asks the kernel about it, even for its device number. The mount table
answers from memory. Format: ``proc_pid_mountinfo(5)``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice, takewhile

from scanner.reading import UnreadableError, read_head
from scanner.value import dataclass, field

_TABLE = "/proc/self/mountinfo"
_TABLE_CAP = 4 * 1024 * 1024

# File systems on which an inode number from a directory read names a folder for good within one mount. Others
# (btrfs subvolumes, overlays, network file systems) repeat or invent numbers: there the folder is asked.
_STABLE_INODES = frozenset({"ext2", "ext3", "ext4", "xfs", "f2fs", "tmpfs"})

# File systems whose server or program may be gone: then whoever asks anything there hangs. Every other kind
# that starts with "fuse." is one too.
_FAR = frozenset(
    """
    nfs nfs3 nfs4 cifs smb smb3 smbfs ncpfs afs coda ceph glusterfs lustre beegfs davfs webdav fuse 9p drvfs
    autofs
    """.split()  # noqa: SIM905 - a table of words reads best as words
)

# Drives of Windows as its subsystem for Linux shows them.
_SLOW = frozenset({"9p", "drvfs"})

_AUTOMOUNT = "autofs"

# Where a file may be a mere placeholder for what lies in a cloud, and how large one without a block may be
# and yet be whole: NTFS keeps small ones beside their names, and so do other disks that a FUSE program shows
# as they are.
_INLINE_NTFS = 1024
_INLINE = 4096
_PLACEHOLDERS = {
    **dict.fromkeys(("9p", "drvfs", "cifs", "smb3", "smbfs"), _INLINE_NTFS),
    **dict.fromkeys(
        ("fuse.sshfs", "fuse.bindfs", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"), _INLINE
    ),
}

_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(slots=True)
class Mount:
    """One mounted file system: ``device`` is ``major:minor``, ``kind`` its type, ``point`` where it stands.

    ``stable_inodes`` says whether a directory read's inode numbers can stand for identity.
    """

    device: str
    stable_inodes: bool
    kind: str = ""
    point: str = ""

    @property
    def is_far(self) -> bool:
        """Whether asking it may hang. The system's own root is never far: we run from it."""
        return self.point != "/" and (self.kind in _FAR or self.kind.startswith("fuse."))

    @property
    def is_slow(self) -> bool:
        """Whether it is a drive of Windows, seen from Linux."""
        return self.point != "/" and self.kind in _SLOW

    @property
    def is_automount(self) -> bool:
        """Whether nothing is mounted there until somebody asks."""
        return self.kind == _AUTOMOUNT

    @property
    def whole_without_blocks(self) -> int | None:
        """How large a file without a block may be and yet be whole; None where none is a placeholder."""
        if self.kind in _PLACEHOLDERS:
            return _PLACEHOLDERS[self.kind]
        return 0 if self.kind == "fuse" or self.kind.startswith("fuse.") else None


@dataclass(slots=True)
class Mounts:
    """The mount table by mount point; empty where the system has none to read."""

    by_point: dict[str, Mount] = field(default_factory=dict)
    _ordered: list[str] = field(default_factory=list)

    def of(self, path: str) -> Mount | None:
        """The mount that the absolute ``path`` lies on."""
        while path:
            if mount := self.by_point.get(path):
                return mount
            path = path.rpartition("/")[0]
        return self.by_point.get("/")

    def others_below(self, path: str) -> list[str]:
        """The points below the absolute ``path`` at which another device than its own is mounted."""
        if not self._ordered:
            self._ordered = sorted(self.by_point)
        start = path.rstrip("/") + "/"
        points = islice(self._ordered, bisect_left(self._ordered, start), None)
        below = list(takewhile(lambda point: point.startswith(start), points))
        if not below:
            return below
        own = self.of(path)
        return [point for point in below if own is None or self.by_point[point].device != own.device]


def read_mounts(table: str = _TABLE) -> Mounts:
    """The system's mount table; empty on systems without one (then nothing is left out by device name)."""
    try:
        text = read_head(table, _TABLE_CAP).decode("utf-8", "surrogateescape")
    except UnreadableError:
        return Mounts()
    return Mounts(dict(filter(None, map(_parse, text.splitlines()))))


def _parse(line: str) -> tuple[str, Mount] | None:
    fields = line.split(" ")
    try:
        device, point = fields[2], fields[4]
        kind = fields[fields.index("-", 6) + 1]
    except (IndexError, ValueError):
        return None
    point = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), point)
    return point, Mount(device, kind in _STABLE_INODES, kind, point)
