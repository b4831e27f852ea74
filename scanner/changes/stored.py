"""Whether a file has the content of its object, judged by git's rules for what it stores of a file.

Git changes bytes on their way into an object: line ends and ``$Id$``, by gitattributes(5) and
``core.autocrlf``; a filter or an encoding needs a program, which is never run: then it cannot be told, but
for a large file store's pointer, which is written anew from the content.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha1, sha256

from scanner import trace
from scanner.changes.from_index import StoredFiles
from scanner.content import FILE_CAP, PROJECT_CAP, lfs_pointer
from scanner.git.attributes import Attributes
from scanner.git.entry import LINK, Entry
from scanner.git.index import Index
from scanner.git.repository import Repository
from scanner.reading import UnreadableError, is_placeholder, read_optional

_IDENT = re.compile(rb"\$Id(?::[^$\n]*)?\$")
_CONTROL = bytes(code for code in (*range(32), 127) if code not in (8, 9, 10, 12, 13, 27))
"""Bytes that no text holds, by the measure of git (``convert.c``: tabs, page ends and escapes are text)."""


class Stored:
    """Compares the files of one work tree with their objects; ``is_spent``: some were too much to read."""

    def __init__(self, repository: Repository, work_tree: str, index: Index) -> None:
        self._root = work_tree + "/"
        stored = StoredFiles(repository, index).text_of
        self._attributes = Attributes(work_tree, repository.info_file("attributes"), stored)
        self._autocrlf = (repository.config.get("core.autocrlf") or "false").lower()
        self._digest = sha256 if repository.object_format == "sha256" else sha1
        self._left = PROJECT_CAP
        self.is_spent = False

    def is_same(self, name: bytes, raw_oid: bytes, status: os.stat_result) -> bool:
        """Whether a regular file holds the object byte for byte, and nothing that git would change in it.

        The short way: no rule is asked for. Where it says no, ``differs`` knows.
        """
        if not self._attributes.are_silent_in(name.rpartition(b"/")[0]):
            return False
        data = self._read(name, status)
        return (
            data is not None
            and self._digest(b"blob %d\0" % len(data) + data).digest() == raw_oid
            and b"\r\n" not in data
        )

    def _read(self, name: bytes, status: os.stat_result) -> bytes | None:
        """The content of a regular file, where it lies here and is not too much."""
        size = status.st_size
        if size > FILE_CAP or size > self._left:
            self.is_spent = True
            return None
        if is_placeholder(status):
            return None
        self._left -= size
        try:
            return read_optional(self._root + os.fsdecode(name), FILE_CAP)
        except UnreadableError:
            return None

    def differs(self, entry: Entry, status: os.stat_result) -> bool | None:
        """Whether the content of a file, as ``lstat`` saw it, is another than that of ``entry``."""
        if stat.S_ISLNK(status.st_mode):
            try:
                return self._blob(trace.readlink(os.fsencode(self._root) + entry.name)) != entry.oid
            except OSError:
                return None
        data = self._read(entry.name, status)
        if data is None:
            return None
        if entry.kind == LINK:
            return self._blob(data) != entry.oid
        return self._file_differs(entry, data)

    def _file_differs(self, entry: Entry, data: bytes) -> bool | None:
        rules = self._attributes.rules(entry.name)
        conversion = rules.get("filter") or rules.get("working-tree-encoding")
        if conversion == "lfs":
            # What is a pointer already stays one.
            return None if entry.oid not in (self._blob(data), self._blob(lfs_pointer(data))) else False
        if conversion is not None:
            return None
        return all(self._blob(spelling) != entry.oid for spelling in self._spellings(data, rules))

    def _spellings(self, data: bytes, rules: dict[str, str | None]) -> Iterator[bytes]:
        """What git may store for ``data``.

        A guess at text holds only where the object has no line ends of two bytes: of the two spellings the
        right one is that which fits.
        """
        text, eol = rules.get("text") or rules.get("crlf"), rules.get("eol")
        ident = rules.get("ident") == "set"
        is_binary = text == "unset" or (text is None and eol is None and self._autocrlf not in _TEXT_VALUES)
        is_guess = text == "auto" or (text is None and eol is None)
        if is_binary or is_guess or b"\r\n" not in data:
            yield _without_id(data) if ident else data
        if is_binary or b"\r\n" not in data:
            return
        if is_guess:
            if looks_binary(data):
                return
            unified = data.replace(b"\r", b"")
        else:
            unified = data.replace(b"\r\n", b"\n")
        yield _without_id(unified) if ident else unified

    def _blob(self, data: bytes) -> str:
        return self._digest(b"blob %d\0" % len(data) + data).hexdigest()


_TEXT_VALUES = frozenset(("true", "yes", "on", "1", "input"))


def looks_binary(data: bytes) -> bool:
    """Whether git would not take ``data`` for text: a NUL, a lone carriage return, too many odd bytes."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    ends = data.count(b"\n") + data.count(b"\r")
    odd = len(data) - len(data.translate(None, _CONTROL))
    printable = len(data) - ends - odd
    if data.endswith(b"\x1a"):
        odd -= 1  # the end of a file in older systems
    return printable >> 7 < odd


def _without_id(data: bytes) -> bytes:
    return _IDENT.sub(b"$Id$", data)
