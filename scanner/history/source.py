"""Commits, trees and contents of one repository, each read once, with one budget for all questions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from scanner.git.objects import Commit, parse_commit
from scanner.git.repository import Repository
from scanner.git.trees import UnknownTreeError, read_tree

CONTENT_CAP = 1024 * 1024
"""Larger files are not read."""

_TREE_CAP = 2 * 1024 * 1024
_HEADER = 64
"""More than the type and size that stand before the content of a loose object."""

_READS = 60_000
_HELD_TREES = 4_000
_HELD_MESSAGES = 64
_HELD_CONTENTS = 4 * 1024 * 1024

Entry = tuple[bytes, bytes]
"""The mode of a tree's entry in octal digits, as git rounds it, and its raw object name."""

FOLDER, LINK, MODULE = b"40000", b"120000", b"160000"
_USUAL = frozenset((FOLDER, LINK, MODULE, b"100644", b"100755"))


class UnknownHistoryError(LookupError):
    """A part of the history is missing or damaged, or it is more than is read."""


class Source:
    """What is read of one repository. Raises ``UnknownHistoryError`` for all that cannot be told."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._reads_left = _READS
        self._commits: dict[str, Commit] = {}
        self._messages: dict[str, bytes] = {}
        self._trees: dict[str, Mapping[bytes, Entry]] = {}
        self._contents: dict[str, bytes] = {}
        self._held = 0
        self._changed_parents: Mapping[str, tuple[str, ...]] | None = None

    def head(self) -> str | None:
        """The newest commit; None where nothing was committed yet."""
        return self.repository.head().oid

    def commit(self, oid: str) -> Commit:
        """A commit with its recorded parents."""
        known = self._commits.get(oid)
        if known is not None:
            return known
        self._spend()
        kind, content = self.repository.start_of(oid) or ("", b"")
        commit = parse_commit(oid, content) if kind == "commit" else None
        if commit is None:
            raise UnknownHistoryError(oid)
        self._commits[oid] = commit
        if len(self._messages) < _HELD_MESSAGES:
            self._messages[oid] = content
        return commit

    def parents(self, oid: str) -> tuple[str, ...]:
        """The parents of a commit as git sees them: none at the edge of a shallow clone."""
        if self._changed_parents is None:
            self._changed_parents = self.repository.changed_parents()
        recorded = self.commit(oid).parents
        return self._changed_parents.get(oid, recorded) if self._changed_parents else recorded

    def raw_commit(self, oid: str) -> bytes:
        """The first 64 KiB of a commit, header and message."""
        if oid not in self._messages:
            self._spend()
            return (self.repository.start_of(oid) or ("", b""))[1]
        return self._messages[oid]

    def tree(self, oid: str) -> Mapping[bytes, Entry]:
        """The entries of a tree by name."""
        known = self._trees.get(oid)
        if known is not None:
            return known
        self._spend()
        try:
            rows = read_tree(oid, self._start_of_tree)
        except UnknownTreeError:
            raise UnknownHistoryError(oid) from None
        if len(self._trees) >= _HELD_TREES:
            self._trees.clear()
        found = {name: (mode if mode in _USUAL else _rounded(mode), raw) for mode, name, raw in rows}
        self._trees[oid] = found
        return found

    def content(self, entry: Entry | None) -> bytes | None:
        """What an entry holds, nothing for None and for a folder; None where it is more than is read."""
        if entry is None or entry[0] == FOLDER:
            return b""
        oid = entry[1].hex()
        if entry[0] == MODULE:
            return f"Subproject commit {oid}\n".encode()
        if oid not in self._contents:
            content = self._read_content(oid)
            if content is None:
                return None
            self._held += len(content)
            if self._held > _HELD_CONTENTS:
                self._contents.clear()
                self._held = len(content)
            self._contents[oid] = content
        return self._contents[oid]

    def _read_content(self, oid: str) -> bytes | None:
        self._spend()
        kind, content = self.repository.start_of(oid, CONTENT_CAP + _HEADER) or ("", b"")
        if kind != "blob":
            raise UnknownHistoryError(oid)
        if len(content) > CONTENT_CAP:
            return None
        from hashlib import sha1, sha256  # noqa: PLC0415 - start-up: 3 ms, and many questions read no file

        digest = sha1 if len(oid) == 40 else sha256
        if digest(b"blob %d\0" % len(content) + content).hexdigest() != oid:
            raise UnknownHistoryError(oid)
        return content

    def named(self, name: str) -> tuple[str, ...]:
        """The commits whose names begin with ``name``, seven digits or more."""
        found = [name] if len(name) in (40, 64) else self.repository.names_starting(name, _SAME_START)
        return tuple(oid for oid in found if (self.repository.start_of(oid) or ("",))[0] == "commit")

    def _start_of_tree(self, oid: str) -> tuple[str, bytes] | None:
        return self.repository.start_of(oid, _TREE_CAP)

    def _spend(self) -> None:
        self._reads_left -= 1
        if self._reads_left < 0:
            raise UnknownHistoryError("more than is read of one history")


_SAME_START = 16


@cache
def _rounded(mode: bytes) -> bytes:
    """Modes as git compares them: of a file only whether its owner may run it."""
    number = int(mode, 8)
    kind = number & 0o170000
    if kind == 0o100000:
        return b"100755" if number & 0o100 else b"100644"
    return {0o040000: FOLDER, 0o120000: LINK}.get(kind, MODULE)
