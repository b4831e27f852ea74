"""The newest real edit in a work tree, found without running, locking or writing anything.

An edit is a file that differs from what the index records (its date or size differ *and* its content does),
a staged file that differs from the newest commit, or a file that git neither tracks nor ignores. Its date is
the file's own. A touched file, a checkout, a pull, an ignored build and editor litter are none. A deleted
file has no date left, and its folder's date is nobody's: it does not count.

The order of the questions makes it cheap: one ``lstat`` for each tracked file and each folder that holds
some; only what is newer than ``since`` is looked at, newest first, until the first real edit. A folder is
listed for new files only if an entry came or went after ``since``, the root always.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scanner.content import Contents
from scanner.git.index import Entry, Index, load_index
from scanner.git.objects import ObjectStore
from scanner.git.problems import ProblemLog
from scanner.git.repository import Repository
from scanner.git.trees import CommittedTree, UnknownTreeError
from scanner.ignore import IgnoreFile
from scanner.junk import is_junk
from scanner.newest_file import NewestFile, newest_file
from scanner.project import Problem
from scanner.untracked import NewFiles, WorkTreeRules

__all__ = ["Edit", "NewestFile", "newest_edit", "newest_file"]

DAY = 86_400
"""How far after ``now`` a file's date may lie and still count: clocks differ; a wrong one says nothing."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The newest real edit.

    ``when`` is epoch seconds, ``path`` relative to the work tree; ``kind`` is ``modified``, ``untracked`` or
    ``staged``. ``may_be_modified`` counts newer files of which it cannot be told without running a program or
    reading too much. ``truncated`` tells that there were more new files than are looked at.
    """

    when: float | None = None
    path: str = ""
    kind: str = ""
    may_be_modified: int = 0
    truncated: bool = False
    problems: tuple[Problem, ...] = ()


def newest_edit(
    repository: Repository,
    *,
    since: float,
    now: float,
    prune: frozenset[str],
    index: Index | None = None,
    excludes: Sequence[IgnoreFile] = (),
) -> Edit:
    """The newest edit after ``since`` and not after ``now`` plus a day (epoch seconds).

    ``prune`` names folders that are never entered for new files; ``index`` saves reading it again;
    ``excludes`` are ignore rules weaker than the repository's own, such as the user's.
    """
    if repository.work_tree is None:
        return Edit()
    problems: tuple[Problem, ...] = ()
    if index is None:
        index, problems = load_index(repository)
    if index is None and (problems or repository.head().oid is not None):
        # Without an index every file would look new.
        return Edit(problems=problems)
    try:
        root = os.open(repository.work_tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        text = error.strerror or str(error)
        return Edit(problems=(Problem("work-tree-unreadable", "warning", repository.work_tree, text),))
    try:
        return _Search(repository, repository.work_tree, index, since, now).run(root, prune, excludes)
    finally:
        os.close(root)


_Candidate = tuple[float, bytes, int, os.stat_result | None]
"""A file that is new enough: its date, its path, its place in the index (or -1) and what ``lstat`` said."""


class _Search:
    def __init__(
        self, repository: Repository, work_tree: str, index: Index | None, since: float, now: float
    ) -> None:
        self.repository = repository
        self.work_tree = work_tree
        self.index = index
        self.since = since
        self.high = int(now) + DAY
        self.staging = _Staging(repository, index)
        self._contents: Contents | None = None

    @property
    def contents(self) -> Contents:
        if self._contents is None:
            repository = self.repository
            self._contents = Contents(self.work_tree, repository.common_dir, repository.object_format)
        return self._contents

    def run(self, root: int, prune: frozenset[str], excludes: Sequence[IgnoreFile]) -> Edit:
        names = self.index.names if self.index is not None else []
        folders = _with_folders_above(self.index.folders if self.index is not None else ())
        changed, replaced = _look_at_folders(folders, root, self.since)
        candidates = _look_at_files(names, root, self.since, self.high)
        if replaced:
            candidates = [one for one in candidates if not one[1].startswith(replaced)]
        rules = WorkTreeRules(self.work_tree, excludes, self.repository.info_file("exclude"))
        new = NewFiles(self.work_tree, rules, prune, self.since, self.high)
        known = {*names, *(folder[:-1] for folder in folders)}.difference(place[:-1] for place in replaced)
        place = os.fsencode(self.work_tree) + b"/"
        for folder in changed:
            for path in sorted(_entries(place, folder) - known):
                new.look_at(path)
        candidates += [(when, path, -1, None) for when, path in new.found]
        return self.newest_of(candidates, rules, truncated=new.truncated)

    def newest_of(self, candidates: list[_Candidate], rules: WorkTreeRules, *, truncated: bool) -> Edit:
        """The newest candidate that is an edit. A staged one may date from before its file's date."""
        when, path, kind = self.since, b"", ""
        unknown = 0
        for one in sorted(candidates, key=lambda one: (-one[0], one[1])):
            if one[0] <= when:
                break
            found, date = self.judge(one, rules)
            if found == "unknown":
                unknown += 1
            elif found and date > when:
                when, path, kind = date, one[1], found
        return Edit(when if kind else None, os.fsdecode(path), kind, unknown, truncated)

    def judge(self, one: _Candidate, rules: WorkTreeRules) -> tuple[str, float]:
        """What kind of edit a candidate is (empty: none, or ``unknown``), and its date."""
        when, path, position, status = one
        if self.index is None or status is None:
            ignored = rules.ignores(os.fsdecode(path), is_folder=False)
            return ("" if ignored else "untracked"), when
        if self.index.looks_unchanged(position, status):
            if not self.staging.possible:
                return "", 0.0
            return self.staging.kind_of(self.index.entry(position)), when
        entry = self.index.entry(position)
        if not _is_compared(entry):
            return "", 0.0
        if entry.intent_to_add:
            return "modified", when
        differs = self.contents.differs(entry, self.index.oids_of(position), status)
        if differs is None:
            return "unknown", 0.0
        if differs:
            return "modified", when
        # The file was touched after it was staged: only the index knows when that was.
        return self.staging.kind_of(entry), entry.mtime_s + entry.mtime_ns / 1e9


def _is_compared(entry: Entry) -> bool:
    """Whether a tracked path is a file whose content tells of work."""
    is_file = stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode)
    is_left_alone = entry.assume_valid or entry.skip_worktree
    return is_file and not is_left_alone and not is_junk(entry.name[entry.name.rfind(b"/") + 1 :])


class _Staging:
    """Whether a file as the index holds it differs from the newest commit.

    Nothing does where the index was last written as the commit's own tree, as after a commit, a checkout, a
    pull or a clone. Otherwise the commit's trees are read, those on the way to the files that are asked for.
    """

    def __init__(self, repository: Repository, index: Index | None) -> None:
        self._repository = repository
        self._root_tree = index.root_tree if index is not None else None
        self._possible: bool | None = None
        self._committed: CommittedTree | None = None

    @property
    def possible(self) -> bool:
        if self._possible is None:
            self._possible = self._differs_at_all()
        return self._possible

    def kind_of(self, entry: Entry) -> str:
        if not self.possible or not _is_compared(entry):
            return ""
        if self._committed is None:
            return "staged"
        try:
            return "" if self._committed.oid_of(entry.name) == entry.oid else "staged"
        except UnknownTreeError:
            return ""

    def _differs_at_all(self) -> bool:
        head = self._repository.head().oid
        if head is None:
            return True
        commit = self._repository.commit(head)
        if commit is None or commit.tree == self._root_tree:
            return False
        store = ObjectStore(self._repository.common_dir + "/objects", ProblemLog())
        try:
            self._committed = CommittedTree(commit.tree, store.start_of)
        except UnknownTreeError:
            return False
        return True


def _with_folders_above(folders: Iterable[bytes]) -> set[bytes]:
    """All folders on the way to a tracked file, each with its slash, without the root."""
    found: set[bytes] = set()
    for folder in folders:
        while folder and folder not in found:
            found.add(folder)
            folder = folder[: folder.rfind(b"/", 0, -1) + 1]  # noqa: PLW2901 - climbing up
    return found


def _look_at_folders(
    folders: Iterable[bytes], root: int, since: float
) -> tuple[list[bytes], tuple[bytes, ...]]:
    """The folders to list (the root, and where entries came or went since), and what is no folder now."""
    changed = [b""]
    replaced: list[bytes] = []
    for folder in folders:
        try:
            status = os.lstat(folder[:-1], dir_fd=root)
        except OSError:
            continue
        if not stat.S_ISDIR(status.st_mode):
            replaced.append(folder)
        elif status.st_mtime > since:
            changed.append(folder)
    if replaced:
        # What lies behind a link in the place of a folder is not of this work tree.
        changed = [folder for folder in changed if not folder.startswith(tuple(replaced))]
    return sorted(changed), tuple(replaced)


def _look_at_files(names: Sequence[bytes], root: int, since: float, high: int) -> list[_Candidate]:
    """The tracked files dated after ``since`` and not after ``high``: the one loop whose speed counts."""
    found: list[_Candidate] = []
    lstat = os.lstat
    for position, name in enumerate(names):
        try:
            status = lstat(name, dir_fd=root)
        except OSError:
            continue
        if since < status.st_mtime <= high:
            found.append((status.st_mtime, name, position, status))
    return found


def _entries(place: bytes, folder: bytes) -> set[bytes]:
    try:
        return set(map(folder.__add__, os.listdir(place + folder)))
    except OSError:
        return set()
