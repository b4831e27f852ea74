"""New files of a work tree: what its index does not know and no rule ignores.

Bounded, and never through a link, into another repository or into a tool's own store.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from functools import lru_cache

from scanner.ignore import IgnoreFile, IgnoreStack, read_ignore
from scanner.junk import is_junk
from scanner.prune import pruned_by_content

FOLDERS_CAP = 2_000
ENTRIES_CAP = 20_000
"""What is looked at in one project beyond its tracked folders."""


class WorkTreeRules:
    """The ignore rules of one work tree, each file read when a path below it is asked for."""

    def __init__(self, work_tree: str, base: Sequence[IgnoreFile], exclude: str = "") -> None:
        """``base``: lowest precedence first; ``exclude``: the path of one more file, stronger than those."""
        self._work_tree = work_tree
        self._base = base
        self._exclude = exclude
        self._stacks: dict[str, IgnoreStack | None] = {}

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether ``path``, relative to the work tree, or a folder above it, is ignored."""
        stack = self._inside(path.rpartition("/")[0])
        return stack is None or stack.ignores(path, is_folder=is_folder)

    def _inside(self, folder: str) -> IgnoreStack | None:
        """The stack of a folder, or ``None`` where the folder itself is ignored."""
        if not self._stacks:
            self._stacks[""] = self._root()
        if folder not in self._stacks:
            above = self._inside(folder.rpartition("/")[0])
            if above is None or above.ignores(folder, is_folder=True):
                self._stacks[folder] = None
            else:
                own = read_ignore(f"{self._work_tree}/{folder}/.gitignore")
                self._stacks[folder] = above.enter(folder, own)
        return self._stacks[folder]

    def _root(self) -> IgnoreStack:
        exclude = read_ignore(self._exclude) if self._exclude else None
        base = [*self._base, exclude] if exclude is not None else self._base
        return IgnoreStack.of(base).enter("", read_ignore(self._work_tree + "/.gitignore"))


class NewFiles:
    """Collects files by date: ``found`` holds pairs of time and path relative to ``work_tree``.

    No ignored folder is entered; whether a file itself is ignored is left to be asked of those that matter.
    Only times after ``since`` and not after ``high`` count. ``truncated`` tells that a cap was reached.
    """

    def __init__(
        self, work_tree: str, rules: WorkTreeRules, prune: frozenset[str], since: float, high: int
    ) -> None:
        self.found: list[tuple[float, bytes]] = []
        self.truncated = False
        self._work_tree = work_tree
        self._root = os.fsencode(work_tree) + b"/"
        self._rules = rules
        self._prune = _encoded(prune)
        self._since = since
        self._high = high
        self._folders = 0
        self._entries = 0

    def look_at(self, path: bytes) -> None:
        """Take a file that the index does not know, or all such files below a folder."""
        waiting = [path]
        while waiting:
            folder = self._look_at_one(waiting.pop())
            if folder is not None:
                waiting += self._entries_of(folder)

    def _look_at_one(self, path: bytes) -> bytes | None:
        """Keep ``path`` if it is a file of the wanted time; hand it back if it is a folder to enter."""
        name = path[path.rfind(b"/") + 1 :]
        if name in self._prune or name == b".git" or is_junk(name):
            return None
        try:
            status = os.lstat(self._root + path)
        except OSError:
            return None
        if stat.S_ISDIR(status.st_mode):
            return path
        if self._since < status.st_mtime <= self._high and (
            stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
        ):
            self.found.append((status.st_mtime, path))
        return None

    def _entries_of(self, folder: bytes) -> list[bytes]:
        relative = os.fsdecode(folder)
        if self._rules.ignores(relative, is_folder=True):
            return []
        self._folders += 1
        if self._folders > FOLDERS_CAP or self._entries > ENTRIES_CAP:
            self.truncated = True
            return []
        try:
            names = os.listdir(self._root + folder)
        except OSError:
            return []
        # A repository of its own has its own dates; a cache or an environment has none.
        if b".git" in names or pruned_by_content(
            f"{self._work_tree}/{relative}", {os.fsdecode(name) for name in names}
        ):
            return []
        self._entries += len(names)
        if self._entries > ENTRIES_CAP:
            self.truncated = True
            del names[ENTRIES_CAP:]
        return [folder + b"/" + name for name in sorted(names, reverse=True)]


@lru_cache(maxsize=8)
def _encoded(names: frozenset[str]) -> frozenset[bytes]:
    return frozenset(map(os.fsencode, names))
