"""The changes of one work tree: the index against the newest commit, the files against the index, new files.

The same as ``git status --porcelain=v2 --untracked-files=normal --ignore-submodules=all --no-renames``: a
renamed file is one that is gone and one that is new. What git would have to start a program for (a filter)
is told as ``may_be_modified``.

A clean work tree costs one ``lstat`` for each tracked file and one read of each folder that holds some.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from scanner import trace
from scanner.changes.folders import read_folders
from scanner.changes.from_index import StoredFiles
from scanner.changes.tracked import compare, takes_what_is_there
from scanner.git.index import Index, load_index
from scanner.git.repository import Repository
from scanner.ignore import IgnoreFile
from scanner.mounts import Mounts
from scanner.project import Problem
from scanner.seen_files import SeenFiles
from scanner.untracked import WorkTreeRules, mounted_below, unreadable_folders
from scanner.value import dataclass

_Load = Callable[[Repository], "tuple[Index | None, tuple[Problem, ...]]"]


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed paths of a work tree, relative to it and ordered by their bytes.

    ``staged``: the index differs from the newest commit. ``modified`` (content, mode or type) and
    ``deleted``: the work tree differs from the index; a path may be staged as well. ``untracked``: neither
    tracked nor ignored; a folder that holds nothing tracked is one path, which ends in a slash.
    ``conflicted``: a merge left it so, and nothing else is said of it. ``may_be_modified``: only a program
    could tell, or more than the budget would have to be read. ``intent_to_add``: announced to the index only.

    ``oldest`` and ``newest`` are the dates of the changed files that are still there, epoch seconds; in a new
    folder those of its first files count. ``truncated``: not everything was looked at.
    """

    staged: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()
    may_be_modified: tuple[str, ...] = ()
    intent_to_add: tuple[str, ...] = ()
    oldest: float | None = None
    newest: float | None = None
    truncated: bool = False
    problems: tuple[Problem, ...] = ()


def work_tree_changes(
    repository: Repository,
    *,
    load: _Load = load_index,
    excludes: Sequence[IgnoreFile] = (),
    mounts: Mounts | None = None,
    seen: SeenFiles | None = None,
) -> Changes:
    """The changes in the work tree of ``repository``; none where it has no work tree.

    ``load`` gives the index, where it may have been read already; ``excludes`` are ignore rules weaker than
    the repository's own, such as the user's, lowest precedence first. What another file system of ``mounts``
    covers is never asked anything, and is never a change. What ``seen`` has of the tracked files is not asked
    again.
    """
    work_tree = repository.work_tree
    if work_tree is None or repository.is_bare:
        return Changes()
    # Its tracked files and folders are asked for by the hundred: whoever keeps the answer compares them all.
    trace.saw_folder(work_tree)
    index, problems = load(repository)
    if index is None and problems:
        return Changes(truncated=True, problems=problems)
    try:
        root = os.open(work_tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        text = error.strerror or str(error)
        problem = Problem("work-tree-unreadable", "warning", work_tree, text)
        return Changes(truncated=True, problems=(problem,))
    try:
        return _look(
            repository, work_tree, root, index or _nothing(), excludes=excludes, mounts=mounts, seen=seen
        )
    finally:
        os.close(root)


def _look(
    repository: Repository,
    work_tree: str,
    root: int,
    index: Index,
    *,
    excludes: Sequence[IgnoreFile],
    mounts: Mounts | None,
    seen: SeenFiles | None,
) -> Changes:
    unfolding: tuple[Problem, ...] = ()
    if index.sparse_folders:
        index, unfolding = _with_present_folders(repository, work_tree, root, index)
    fold = repository.config.is_true("core.ignoreCase")
    compose = sys.platform == "darwin" and repository.config.is_true("core.precomposeUnicode")
    stored = StoredFiles(repository, index).text_of_unwanted
    exclude = repository.info_file("exclude")
    rules = WorkTreeRules(work_tree, excludes, exclude, fold=fold, stored=stored)
    mounted = mounted_below(work_tree, mounts)
    folders = read_folders(work_tree, root, index, rules, mounted, fold=fold, compose=compose, seen=seen)
    compared = compare(
        repository, work_tree, root, index, mounted=mounted, replaced=folders.replaced, seen=seen
    )
    staged, problems = _staged(repository, index, compared.conflicted)
    dates = [*folders.dates, *_dates_of({*staged, *compared.on_disk()}, work_tree, root)]
    closed = _outermost(folders.closed | compared.closed)
    return Changes(
        staged=_paths(staged),
        modified=_paths(compared.modified),
        deleted=_paths(compared.deleted),
        untracked=_paths(folders.untracked),
        conflicted=_paths(compared.conflicted),
        may_be_modified=_paths(compared.unknown),
        intent_to_add=_paths(compared.announced),
        oldest=min(dates, default=None),
        newest=max(dates, default=None),
        truncated=bool(folders.truncated or compared.truncated or problems or unfolding),
        problems=(*unfolding, *problems, *unreadable_folders(work_tree, closed), *rules.problems),
    )


def _with_present_folders(
    repository: Repository, work_tree: str, root: int, index: Index
) -> tuple[Index, tuple[Problem, ...]]:
    """``index`` with the files of those sparse folders that stand in the work tree all the same."""
    from scanner.changes.staged import unfolded  # noqa: PLC0415 - start-up, few repositories have such folders
    from scanner.git.trees import UnknownTreeError  # noqa: PLC0415 - as above

    present = [folder for folder in index.sparse_folders if _exists(work_tree, folder[:-1], root)]
    if not present or not takes_what_is_there(repository):
        return index, ()
    trace.unsound()  # these files stand in no index
    try:
        return unfolded(repository, index, present), ()
    except UnknownTreeError as error:
        text = f"the tree {error} cannot be read: what changed in a sparse folder is not known"
        return index, (Problem("git-tree-unreadable", "warning", repository.path, text),)


def _exists(work_tree: str, path: bytes, root: int) -> bool:
    try:
        trace.lstat_below(work_tree, path, root)
    except OSError:
        return False
    return True


def _staged(
    repository: Repository, index: Index, conflicted: Iterable[bytes]
) -> tuple[list[bytes], tuple[Problem, ...]]:
    """The paths at which the index differs from the newest commit; why that could not be told."""
    head = repository.head().oid
    commit = repository.commit(head) if head is not None else None
    if commit is not None and commit.tree == index.root_tree:
        return [], ()
    from scanner.changes.staged import staged_paths  # noqa: PLC0415 - start-up: 1 ms, where something may be staged

    if head is not None and commit is None:
        text = "the newest commit cannot be read: what is staged is not known"
        return [], (Problem("git-commit-unreadable", "warning", repository.path, text),)
    return staged_paths(repository, index, commit.tree if commit is not None else None, frozenset(conflicted))


def _dates_of(paths: Iterable[bytes], work_tree: str, root: int) -> list[float]:
    dates: list[float] = []
    for path in paths:
        try:
            dates.append(trace.lstat_below(work_tree, path, root).st_mtime)
        except OSError:
            continue  # staged, and deleted after that
    return dates


def _outermost(closed: set[bytes]) -> set[bytes]:
    """The folders that hide something; not those that are hidden themselves."""
    return {folder for folder in closed if closed.isdisjoint(_above(folder))}


def _above(folder: bytes) -> Iterator[bytes]:
    """All folders above one; the last is the root, which is empty."""
    while folder:
        folder = folder.rpartition(b"/")[0]
        yield folder


def _paths(found: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(map(os.fsdecode, sorted(found)))


def _nothing() -> Index:
    """The index of a repository without one: git takes it for empty."""
    return Index(0, [], [], b"", 20)
