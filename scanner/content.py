"""Whether a file in a work tree still has the content of its object, decided without running anything.

Git may change bytes on their way: line ends, ``$Id$``, encodings, filters. Line ends and ``$Id$`` are undone
here; a large file store's pointer is written anew from the content; what only a program could tell is told
as unknown.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from hashlib import sha1, sha256

from scanner import trace
from scanner.git.attributes import Attributes
from scanner.git.entry import LINK, REGULAR, Entry
from scanner.reading import UnreadableError, is_placeholder, read_file

FILE_CAP = 16 * 1024 * 1024
PROJECT_CAP = 64 * 1024 * 1024
"""What is read to compare contents, in bytes."""

_IDENT = re.compile(rb"\$Id: [^$\n]*\$")


class Contents:
    """Compares the files of one work tree with their objects, within one budget."""

    def __init__(self, work_tree: str, info_attributes: str, object_format: str) -> None:
        """``info_attributes``: the path of the attribute file beside the objects, empty for none."""
        self._root = work_tree + "/"
        self._attributes = Attributes(work_tree, info_attributes)
        self._digest = sha256 if object_format == "sha256" else sha1
        self._left = PROJECT_CAP

    def differs(self, entry: Entry, oids: Collection[str], status: os.stat_result) -> bool | None:
        """Whether the file behind ``entry``, as ``lstat`` saw it, is none of ``oids``; ``None``: unknown."""
        if stat.S_ISLNK(status.st_mode):
            return entry.kind != LINK or self._link_differs(entry.name, oids)
        if not stat.S_ISREG(status.st_mode):
            # A folder in the place of a file has no date that would say anything.
            return not stat.S_ISDIR(status.st_mode)
        return self._file_differs(entry, oids, status)

    def _link_differs(self, name: bytes, oids: Collection[str]) -> bool | None:
        try:
            target = trace.readlink(os.fsencode(self._root) + name)
        except OSError:
            return None
        return self._blob(target) not in oids

    def _file_differs(self, entry: Entry, oids: Collection[str], status: os.stat_result) -> bool | None:
        size = status.st_size
        # Git records no size where it could not trust the date: then 0 says nothing.
        resized = entry.size not in (0, size & 0xFFFFFFFF)
        if is_placeholder(status):
            trace.unsound()  # it may come here without a new date
            return None
        if size > min(FILE_CAP, self._left):
            return True if resized and self._attributes.conversion(entry.name) is None else None
        self._left -= size
        try:
            data = read_file(self._root + os.fsdecode(entry.name), FILE_CAP)
        except UnreadableError:
            return None
        if any(self._blob(spelling) in oids for spelling in _spellings(data)):
            return False
        conversion = self._attributes.conversion(entry.name) if entry.kind == REGULAR else None
        if conversion is None:
            return True
        if conversion == "lfs" and self._blob(lfs_pointer(data)) in oids:
            return False
        # What a program makes of the bytes may have any size: an equal one proves nothing.
        return True if conversion == "lfs" and resized else None

    def _blob(self, data: bytes) -> str:
        return self._digest(b"blob %d\0" % len(data) + data).hexdigest()


def _spellings(data: bytes) -> Iterator[bytes]:
    """What git may have stored for ``data`` without a program's help."""
    yield data
    unified = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data
    if unified is not data:
        yield unified
    if b"$Id: " in data:
        yield _IDENT.sub(b"$Id$", data)
        yield _IDENT.sub(b"$Id$", unified)


def lfs_pointer(data: bytes) -> bytes:
    """What Git LFS stores in the place of ``data``, by its specification, "The Pointer"."""
    name = sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize {len(data)}\n".encode()
