"""Files that say nothing about work: what systems, editors and we ourselves leave behind.

A table to extend: each row is how a name starts and how it ends; both must hold.
"""

from __future__ import annotations

_ROWS: tuple[tuple[bytes, bytes], ...] = (
    # editors: swap, lock and backup files
    (b".", b".swp"),
    (b".", b".swo"),
    (b".", b".swn"),
    (b".", b".swm"),
    (b".", b".swx"),
    (b".", b".kate-swp"),
    (b"", b"~"),
    (b".#", b""),
    (b"#", b"#"),
    (b"~$", b""),
    (b".~lock.", b"#"),
    (b".goutputstream-", b""),
    (b"", b"___jb_tmp___"),
    (b"", b"___jb_old___"),
    # file systems and desktops
    (b"._", b""),
    (b".nfs", b""),
    (b".fuse_hidden", b""),
    (b".syncthing.", b".tmp"),
    # our own output
    (b"bmad-brain-export-", b".md"),
)

_NAMES = frozenset(
    {
        b"4913",  # vim asks with it whether a folder can be written
        b".DS_Store",
        b".localized",
        b".apdisk",
        b".directory",
        b"Icon\r",
        b"Thumbs.db",
        b"ehthumbs.db",
        b"desktop.ini",
        b"Desktop.ini",
    }
)


def is_junk(name: bytes) -> bool:
    """Whether a file of this name (the last part of its path) is no sign of work."""
    return name in _NAMES or any(name.startswith(start) and name.endswith(end) for start, end in _ROWS)
