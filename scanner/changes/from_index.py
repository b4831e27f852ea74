"""Rule files that stand in the index only: git takes them from there where the work tree has none."""

from __future__ import annotations

import os
from bisect import bisect_left

from scanner.git.index import Index
from scanner.git.objects import ObjectStore
from scanner.git.problems import ProblemLog
from scanner.git.repository import Repository


class StoredFiles:
    """The files of an index by path, of which the first 64 KiB are read."""

    __slots__ = ("_index", "_repository")

    def __init__(self, repository: Repository, index: Index) -> None:
        self._repository = repository
        self._index = index

    def text_of(self, path: str) -> bytes | None:
        """What the index holds at ``path``; ``None`` where that is no file, or cannot be read."""
        return self._text_of(path, unwanted_only=False)

    def text_of_unwanted(self, path: str) -> bytes | None:
        """The same, but only of a file that is not wanted in the work tree (``skip-worktree``)."""
        return self._text_of(path, unwanted_only=True)

    def _text_of(self, path: str, *, unwanted_only: bool) -> bytes | None:
        name = os.fsencode(path)
        position = bisect_left(self._index.names, name)
        if self._index.names[position : position + 1] != [name]:
            return None
        entry = self._index.entry(position)
        if entry.stage or (unwanted_only and not entry.skip_worktree):
            return None
        store = ObjectStore(self._repository.common_dir + "/objects", ProblemLog())
        try:
            found = store.start_of(entry.oid)
        finally:
            store.close()
        return found[1] if found is not None and found[0] == "blob" else None
