"""The index against the newest commit, as a whole: folders that were written as they are committed are
not read, of the others the trees are."""

from __future__ import annotations

import stat
from bisect import bisect_left
from collections.abc import Collection, Iterator

from scanner.git.entry import GITLINK
from scanner.git.index import Index
from scanner.git.objects import ObjectStore
from scanner.git.problems import ProblemLog
from scanner.git.repository import Repository
from scanner.git.trees import UnknownTreeError, read_tree
from scanner.project import Problem

_TREES = 20_000
_TREE_CAP = 4 * 1024 * 1024
"""How many trees are read of one commit, and how much of each, in bytes: some 100,000 names."""

_Content = tuple[int, str]
"""Mode, as an index keeps it, and object name."""


def staged_paths(
    repository: Repository, index: Index, tree: str | None, conflicted: Collection[bytes]
) -> tuple[list[bytes], tuple[Problem, ...]]:
    """The paths at which ``index`` differs from the commit whose root is ``tree`` (``None``: no commit yet).

    Those in conflict are left out. Where a tree cannot be read there are none, and a problem.
    """
    if tree is None and not index.sparse_folders:
        return [name for name, _ in _entries(index, conflicted, [])], ()
    store = ObjectStore(repository.common_dir + "/objects", ProblemLog())
    try:
        return _Difference(store, index).staged(tree, conflicted), ()
    except UnknownTreeError as error:
        text = f"the tree {error} cannot be read: what is staged is not known"
        return [], (Problem("git-tree-unreadable", "warning", repository.path, text),)
    finally:
        store.close()


def unfolded(repository: Repository, index: Index, folders: Collection[bytes]) -> Index:
    """``index`` with the files of the sparse ``folders`` in their place; raises ``UnknownTreeError``."""
    store = ObjectStore(repository.common_dir + "/objects", ProblemLog())
    try:
        difference = _Difference(store, index)
        files: dict[bytes, _Content] = {}
        for folder in folders:
            files.update(difference.files_below(folder, index.sparse_folders[folder]))
        return index.unfolded(files, folders)
    finally:
        store.close()


class _Difference:
    def __init__(self, store: ObjectStore, index: Index) -> None:
        self.store = store
        self.index = index
        self.written = index.written_trees()
        self.left = _TREES
        self.committed: dict[bytes, _Content] = {}
        self.same: list[tuple[int, int]] = []
        self.in_index: dict[bytes, _Content] = {}

    def staged(self, tree: str | None, conflicted: Collection[bytes]) -> list[bytes]:
        if tree is not None:
            self.read_commit(tree)
        sparse = self.index.sparse_folders
        for folder, oid in sparse.items():
            if self.committed.get(folder) != (stat.S_IFDIR, oid):
                self.in_index.update(self.files_below(folder, oid))
        self.in_index.update(_entries(self.index, conflicted, self.same))
        committed = {
            path: content
            for path, content in self.committed.items()
            if path not in conflicted and not path.endswith(b"/")
        }
        found = [
            path
            for path, content in self.in_index.items()
            if tree is None
            or (committed.get(path) != content and not _is_ignored(content, committed.get(path)))
        ]
        found += [
            path
            for path, content in committed.items()
            if path not in self.in_index and not _is_ignored(content, None)
        ]
        return found

    def read_commit(self, tree: str) -> None:
        """Fill ``committed``, and ``same`` with the stretches of the index that need no comparing."""
        sparse = self.index.sparse_folders
        names = self.index.names
        waiting = [(b"", tree)]
        while waiting:
            folder, oid = waiting.pop()
            if sparse.get(folder) == oid:
                self.committed[folder] = stat.S_IFDIR, oid
            elif self.written.get(folder) == oid:
                # Every path below a folder starts with its name and a slash; a zero follows the slash.
                self.same.append((bisect_left(names, folder), bisect_left(names, folder[:-1] + b"0")))
            else:
                waiting += self.read(folder, oid, self.committed)

    def files_below(self, folder: bytes, tree: str) -> dict[bytes, _Content]:
        found: dict[bytes, _Content] = {}
        waiting = [(folder, tree)]
        while waiting:
            waiting += self.read(*waiting.pop(), found)
        return found

    def start_of(self, oid: str) -> tuple[str, bytes] | None:
        return self.store.start_of(oid, _TREE_CAP)

    def read(self, folder: bytes, oid: str, found: dict[bytes, _Content]) -> list[tuple[bytes, str]]:
        """Put the files of one tree into ``found``; the folders in it are given back."""
        self.left -= 1
        if self.left < 0:
            raise UnknownTreeError(oid)
        folders: list[tuple[bytes, str]] = []
        for mode, name, raw in read_tree(oid, self.start_of):
            kind = _canonical(int(mode, 8))
            if kind == stat.S_IFDIR:
                folders.append((folder + name + b"/", raw.hex()))
            else:
                found[folder + name] = kind, raw.hex()
        return folders


def _entries(
    index: Index, conflicted: Collection[bytes], same: list[tuple[int, int]]
) -> Iterator[tuple[bytes, _Content]]:
    """The entries that stand for a file to commit, without the stretches that are known to be the same."""
    skipped = bytearray(len(index.names))
    for start, end in same:
        skipped[start:end] = b"\1" * (end - start)
    for position, (name, is_skipped) in enumerate(zip(index.names, skipped, strict=True)):
        if is_skipped or name in conflicted:
            continue
        entry = index.entry(position)
        if not entry.intent_to_add:
            yield name, (entry.mode, entry.oid)


def _is_ignored(one: _Content, other: _Content | None) -> bool:
    """Whether a difference is one of submodules only."""
    return one[0] == GITLINK and (other is None or other[0] == GITLINK)


def _canonical(mode: int) -> int:
    """A tree's mode as an index keeps it: old trees hold other permissions."""
    if stat.S_ISREG(mode):
        return 0o100755 if mode & 0o100 else 0o100644
    return stat.S_IFMT(mode)


__all__ = ["staged_paths", "unfolded"]
