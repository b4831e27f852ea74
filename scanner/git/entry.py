"""One entry of an index: what a tracked path looked like when git last compared it.

Format: "Index entry" of gitformat-index(5).
"""

from __future__ import annotations

import struct

from scanner.value import dataclass

REGULAR, LINK, GITLINK = 0o100000, 0o120000, 0o160000
"""The kinds of entries, as ``Entry.kind``."""

_ASSUME_VALID, _EXTENDED = 0x8000, 0x4000
_SKIP_WORKTREE, _INTENT_TO_ADD = 0x4000, 0x2000

# Change time, seconds and nanoseconds of the last change of content, device, inode; mode, owner, group, size.
_STAT = struct.Struct(">I4xII4xII8xI")


@dataclass(slots=True)
class Entry:
    """One tracked path at one stage (0, or 1 to 3 in a conflict).

    ``mtime_ns`` is the part below a second, 0 where the writer keeps none. ``size`` is that of the file in
    the work tree, modulo 2**32, or 0 where git did not trust it. ``changed_s`` and ``inode`` are the change
    time and the inode, modulo 2**32.
    """

    name: bytes
    mtime_s: int
    mtime_ns: int
    mode: int
    size: int
    oid: str
    stage: int
    assume_valid: bool
    skip_worktree: bool
    intent_to_add: bool
    changed_s: int
    inode: int

    @property
    def kind(self) -> int:
        """``REGULAR``, ``LINK`` or ``GITLINK``."""
        return self.mode & 0o170000


def make_head(mode: int, oid: str) -> bytes:
    """The fixed part of an entry that is not wanted in the work tree, and was never looked at there."""
    flags = (_EXTENDED << 16 | _SKIP_WORKTREE).to_bytes(4)
    return bytes(24) + mode.to_bytes(4) + bytes(12) + bytes.fromhex(oid) + flags


def read_entry(name: bytes, head: bytes, hash_size: int) -> Entry:
    """The entry of the path ``name``; ``head`` is its fixed part."""
    changed_s, mtime_s, mtime_ns, inode, mode, size = _STAT.unpack_from(head)
    end = 40 + hash_size
    flags = head[end] << 8 | head[end + 1]
    more = head[end + 2] << 8 | head[end + 3] if flags & _EXTENDED else 0
    return Entry(
        name,
        mtime_s,
        mtime_ns,
        mode,
        size,
        head[40:end].hex(),
        flags >> 12 & 3,
        bool(flags & _ASSUME_VALID),
        bool(more & _SKIP_WORKTREE),
        bool(more & _INTENT_TO_ADD),
        changed_s,
        inode,
    )
