"""How single files came to be what they are, and what was committed since."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from scanner.history.lines import changed_lines
from scanner.history.scope import AllBut, OnePath
from scanner.history.source import CONTENT_CAP, FOLDER, LINK, MODULE, Entry, Source, UnknownHistoryError
from scanner.history.values import Change, FileHistory, FolderHistory, Recorded
from scanner.history.walk import touching, touching_since

CHANGES = 10
"""So many changes of a file tell how it grows."""

DRIFT_LIMIT = 500
"""More commits than that are not counted."""

_EARLIER = 50
_FOLDERS = 2_000


class Files:
    """Questions about files and about commits that they name; ``handover_files`` do not count as work.

    Of each file the last ``changes`` are told: older ones may lie anywhere, and each commit costs a look.
    """

    def __init__(self, source: Source, handover_files: Sequence[str], changes: int = CHANGES) -> None:
        self._source = source
        self._changes = changes
        self._work = AllBut(source, handover_files)
        self._since: dict[str, tuple[int, int | None] | None] = {}

    def history(self, path: str, *, wants_earlier: bool) -> FileHistory:
        """The history of one file; what cannot be told is left out."""
        head = self._source.head()
        if head is None:
            return FileHistory(path)
        at = OnePath(self._source, path)
        changes: list[Change] = []
        contents: dict[bytes, None] = {}
        with suppress(UnknownHistoryError):
            for oid in touching(self._source, head, at):
                if len(changes) < self._changes:
                    changes.append(self._change(oid, at))
                if wants_earlier:
                    content = self._source.content(at.entry(self._source.commit(oid).tree))
                    if content:
                        contents[content] = None
                if len(changes) >= self._changes and (not wants_earlier or len(contents) >= _EARLIER):
                    break
        since = self._work_since(changes[0].commit, head) if changes else None
        return FileHistory(path, tuple(changes), *(since or (0, None)), tuple(contents)[:_EARLIER])

    def folder(self, path: str, present: frozenset[str], endings: tuple[str, ...]) -> FolderHistory:
        """The files of ``path`` that are not among the names ``present``; only names with ``endings``."""
        head = self._source.head()
        if head is None:
            return FolderHistory(path)
        gone: list[tuple[str, bytes, frozenset[str]]] = []
        try:
            missing = {
                name: told
                for name, told in self._once_in(OnePath(self._source, path), head).items()
                if name not in present and name.lower().endswith(endings)
            }
            here = self._everything(self._source.commit(head).tree) if missing else ()
            for name, (entry, beside) in missing.items():
                if os.fsencode(name) in here or entry[1] in here:
                    continue
                content = self._source.content(entry)
                if content and len(gone) < _EARLIER:
                    gone.append((name, content, beside))
        except UnknownHistoryError:
            return FolderHistory(path, tuple(gone), known=False)
        return FolderHistory(path, tuple(gone))

    def _once_in(self, at: OnePath, head: str) -> dict[str, tuple[Entry, frozenset[str]]]:
        """Each file that stood in a folder: its last entry, and all names that stood there then."""
        found: dict[str, tuple[Entry, frozenset[str]]] = {}
        for oid in touching(self._source, head, at):
            mode, raw = at.entry(self._source.commit(oid).tree) or (b"", b"")
            if mode == FOLDER:
                entries = {os.fsdecode(name): entry for name, entry in self._source.tree(raw.hex()).items()}
                for name in entries.keys() - found.keys():
                    if entries[name][0] not in (FOLDER, LINK, MODULE):
                        found[name] = entries[name], frozenset(entries)
        return dict(sorted(found.items()))

    def _everything(self, tree: str) -> set[bytes]:
        """The names of all files of a tree and of their contents, as far as so many folders tell."""
        found: set[bytes] = set()
        pending = [tree]
        for _ in range(_FOLDERS):
            if not pending:
                break
            for name, (mode, raw) in self._source.tree(pending.pop()).items():
                if mode == FOLDER:
                    pending.append(raw.hex())
                else:
                    found |= {name, raw}
        return found

    def recorded(self, name: str) -> Recorded:
        """The commit ``name``, or the one whose name begins so, against the history of ``HEAD``."""
        shallow = self._source.repository.shallow
        found = self._source.named(name.lower())
        if len(found) != 1:
            return Recorded(name, known=None if found or shallow else False)
        head = self._source.head()
        ancestor = self._reaches(head, found[0]) if head is not None else False
        if not ancestor:
            return Recorded(name, known=True, ancestor=None if shallow else ancestor)
        since = self._work_since(found[0], head) if head is not None else None
        return Recorded(name, known=True, ancestor=True, drift=since[0] if since is not None else None)

    def _reaches(self, head: str, oid: str) -> bool | None:
        from scanner.git.graph import Graph  # noqa: PLC0415 - start-up: most files name no commit

        graph = Graph(self._source.repository)
        try:
            ahead = graph.compare(oid, head).ahead
        finally:
            graph.close()
        return None if ahead is None else ahead == 0

    def _work_since(self, base: str, head: str) -> tuple[int, int | None] | None:
        """How many commits after ``base`` are work, and when the newest of them was made."""
        if base not in self._since:
            self._since[base] = None
            with suppress(UnknownHistoryError):
                found = touching_since(self._source, base, head, self._work, DRIFT_LIMIT)
                newest = max((self._source.commit(oid).committer_time for oid in found), default=None)
                self._since[base] = (len(found), newest)
        return self._since[base]

    def _change(self, oid: str, at: OnePath) -> Change:
        commit = self._source.commit(oid)
        parents = self._source.parents(oid)
        after = at.entry(commit.tree)
        before = at.entry(self._source.commit(parents[0]).tree) if parents else None
        new = self._source.content(after)
        size = len(new) if new is not None else CONTENT_CAP + 1
        old = self._source.content(before) if before != after else new
        added, deleted = changed_lines(old, new) if old is not None and new is not None else (0, 0)
        return Change(oid, commit.committer_time, added, deleted, size)
