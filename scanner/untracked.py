"""New files of a work tree: what its index does not know and no rule ignores.

Bounded, and never through a link, into another repository, into a tool's own store, into what was generated,
or into another file system.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence

from scanner import trace
from scanner.ignore import IgnoreFile, IgnoreStack, parse_ignore, read_ignore
from scanner.junk import is_junk
from scanner.mounts import Mounts
from scanner.project import Problem
from scanner.prune import (
    ALWAYS,
    SUSPECT_ENDING,
    SUSPECT_START,
    SUSPECTS,
    pruned_by_content,
    pruned_by_name,
)

FOLDERS_CAP = 2_000
ENTRIES_CAP = 20_000
"""What is looked at in one project beyond its tracked folders."""

RULES_CAP = 1024 * 1024
_PER_LINE = 64
"""What is read of all ignore files of one project, in bytes, and what each line counts for on top: taking
apart 2,000 lines takes 0.1 s, however short they are."""

_PROBLEMS = 20
"""How many folders, or ignore files, of one project are named that could not be read."""

_ALWAYS = frozenset(map(os.fsencode, ALWAYS))


class WorkTreeRules:
    """The ignore rules of one work tree, each file read when a path below it is asked for."""

    def __init__(
        self,
        work_tree: str,
        base: Sequence[IgnoreFile],
        exclude: str = "",
        *,
        fold: bool = False,
        stored: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        """``base``: the user's rules, lowest precedence first; ``exclude``: the path of a file stronger than
        those; ``fold``: letters count the same in either case; ``stored`` gives an ignore file that is not
        there, by its path relative to the work tree.
        """
        self._work_tree = work_tree
        self._stored = stored
        self._base = base
        self._exclude = exclude
        self._fold = fold
        self._stacks: dict[str, IgnoreStack | None] = {}
        self._problems: list[Problem] = []
        self._left = RULES_CAP

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be used of the files that were asked."""
        if self.is_spent:
            text = "the project has more rules than are asked about its files: some were not used"
            return (*self._problems, Problem("ignore-line", "warning", self._work_tree, text))
        return tuple(self._problems)

    @property
    def is_spent(self) -> bool:
        """Whether rules were left unused because there are too many: more looks new than is."""
        root = self._stacks.get("")
        return self._left < 0 or (root is not None and root.is_spent)

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
                own = self._read_inside(f"{folder}/.gitignore")
                self._stacks[folder] = above.enter(folder, own)
        return self._stacks[folder]

    def _root(self) -> IgnoreStack:
        stack = IgnoreStack.of(self._base, fold=self._fold)
        if self._exclude:
            stack = stack.enter("", self._read(self._exclude))
        return stack.enter("", self._read_inside(".gitignore"))

    def _read_inside(self, path: str) -> IgnoreFile | None:
        rules = self._read(f"{self._work_tree}/{path}")
        if rules is None and (data := self._stored(path)) and not trace.lexists(f"{self._work_tree}/{path}"):
            return parse_ignore(data, path, fold=self._fold)
        return rules

    def _read(self, path: str) -> IgnoreFile | None:
        if self._left < 0:
            return None
        rules = read_ignore(path, fold=self._fold)
        if rules is not None:
            self._left -= len(rules.data) + _PER_LINE * rules.data.count(b"\n")
            if rules.faults and len(self._problems) < _PROBLEMS:
                self._problems += rules.problems
        return rules


class NewFiles:
    """Collects files by date: ``found`` holds pairs of time and path relative to ``work_tree``.

    No ignored folder is entered; whether a file itself is ignored is left to be asked of those that matter.
    Only times after ``since`` and not after ``high`` count; nothing at or below a path in ``mounted`` is
    asked. ``truncated`` tells that a cap was reached, ``closed`` which folders may not be read.
    """

    def __init__(
        self,
        work_tree: str,
        rules: WorkTreeRules,
        since: float,
        high: int,
        mounted: Collection[bytes] = (),
    ) -> None:
        self.found: list[tuple[float, bytes]] = []
        self.truncated = False
        self.closed: set[bytes] = set()
        self._work_tree = work_tree
        self._root = os.fsencode(work_tree) + b"/"
        self._rules = rules
        self._since = since
        self._high = high
        self._mounted = mounted
        self._folders = 0
        self._entries = 0

    def look_into(self, folder: bytes, known: set[bytes], siblings: Sequence[bytes] | None = None) -> None:
        """Take the files of a folder, and of the folders in it, whose paths are not ``known``.

        ``siblings`` are the names in the folder, where they were read already.
        """
        if siblings is None:
            siblings = self._list(folder)
        start = folder + b"/" if folder else b""
        paths = self._within_cap(sorted(set(map(start.__add__, siblings)) - known))
        waiting = [(path, siblings) for path in reversed(paths)]
        while waiting:
            path, siblings = waiting.pop()
            if self._is_entered(path, siblings):
                names = self._entries_of(path)
                waiting += [(path + b"/" + name, names) for name in reversed(names)]

    def _is_entered(self, path: bytes, siblings: Sequence[bytes]) -> bool:
        """Whether ``path`` is a folder to enter. A file of the wanted time is kept."""
        name = path[path.rfind(b"/") + 1 :]
        if name in _ALWAYS or is_junk(name) or path in self._mounted:
            return False
        try:
            status = trace.lstat(self._root + path)
        except OSError:
            return False
        if stat.S_ISDIR(status.st_mode):
            return not _is_generated(os.fsdecode(name), siblings)
        trace.dated(status.st_mtime)
        if self._since < status.st_mtime <= self._high and (
            stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
        ):
            self.found.append((status.st_mtime, path))
        return False

    def _entries_of(self, folder: bytes) -> list[bytes]:
        relative = os.fsdecode(folder)
        if self._rules.ignores(relative, is_folder=True):
            return []
        self._folders += 1
        if self._folders > FOLDERS_CAP or self._entries > ENTRIES_CAP:
            self.truncated = True
            return []
        names = self._list(folder)
        # A repository of its own has its own dates; a cache or an environment has none.
        if b".git" in names or pruned_by_content(
            f"{self._work_tree}/{relative}", {os.fsdecode(name) for name in names}
        ):
            return []
        return self._within_cap(sorted(names))

    def _within_cap(self, entries: list[bytes]) -> list[bytes]:
        left = max(0, ENTRIES_CAP - self._entries)
        self._entries += len(entries)
        if len(entries) <= left:
            return entries
        self.truncated = True
        return entries[:left]

    def _list(self, folder: bytes) -> list[bytes]:
        try:
            return trace.listdir(self._root + folder)
        except PermissionError:
            self.closed.add(folder)
        except OSError:
            pass  # it went away, or is none any more
        return []


def mounted_below(folder: str, mounts: Mounts | None) -> frozenset[bytes]:
    """The paths, relative to ``folder``, at which other file systems are mounted below it."""
    if mounts is None:
        return frozenset()
    start = len(folder.rstrip("/")) + 1
    return frozenset(os.fsencode(point[start:]) for point in mounts.others_below(folder))


def unreadable_folders(work_tree: str, closed: Collection[bytes]) -> Iterator[Problem]:
    """A problem for each of the folders, relative to ``work_tree``; not for more than twenty."""
    for folder in sorted(closed)[:_PROBLEMS]:
        yield Problem(
            "unreadable-folder",
            "warning",
            f"{work_tree}/{os.fsdecode(folder)}".rstrip("/"),
            "Permission denied: what was worked on in it is not known",
            "Give yourself read and search permission, or exclude the folder.",
        )


def _is_generated(name: str, siblings: Sequence[bytes]) -> bool:
    """Whether a folder holds what a tool wrote, judged by its name and what stands beside it."""
    is_suspect = name in SUSPECTS or name.startswith(SUSPECT_START) or name.endswith(SUSPECT_ENDING)
    return is_suspect and pruned_by_name(name, {os.fsdecode(one) for one in siblings}) is not None
