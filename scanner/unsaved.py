"""What exists on this machine only: what ``git status`` would say, and what no remote holds, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scanner.changes import Changes, work_tree_changes
from scanner.git.index import Index, load_index
from scanner.git.repository import Repository
from scanner.ignore import IgnoreFile
from scanner.mounts import Mounts
from scanner.project import Problem, Risk, Unsaved
from scanner.seen_files import SeenFiles
from scanner.unpushed import Unpushed, unpushed

_Load = Callable[[Repository], "tuple[Index | None, tuple[Problem, ...]]"]


def unsaved_work(
    repository: Repository,
    worktrees: Sequence[Repository] = (),
    *,
    load: _Load = load_index,
    excludes: Sequence[IgnoreFile] = (),
    mounts: Mounts | None = None,
    seen: SeenFiles | None = None,
) -> tuple[Unsaved, tuple[Problem, ...]]:
    """The unsaved work of a repository and of its linked ``worktrees``, and what could not be read of it.

    ``load``, ``excludes``, ``mounts`` and ``seen`` are as for ``work_tree_changes``. Paths are counted over
    all work trees, commits and stashes once: they are shared.
    """
    trees = (repository, *worktrees)
    changes = [
        work_tree_changes(tree, load=load, excludes=excludes, mounts=mounts, seen=seen) for tree in trees
    ]
    own = unpushed(repository)
    in_progress = next(filter(None, (tree.in_progress() for tree in trees)), None)
    found = Unsaved(
        staged=_count(one.staged for one in changes),
        modified=_count((*one.modified, *one.intent_to_add) for one in changes),
        deleted=_count(one.deleted for one in changes),
        untracked=_count(one.untracked for one in changes),
        conflicted=_count(one.conflicted for one in changes),
        may_be_modified=_count(one.may_be_modified for one in changes),
        truncated=any(one.truncated for one in changes),
        branches=own.branches,
        only_here=own.only_here,
        only_here_capped=own.only_here_capped,
        stashes=own.stashes,
        oldest_stash=own.oldest_stash,
        in_progress=in_progress,
        has_remote=own.has_remote,
        risk=_risk(changes, own, in_progress),
    )
    problems = (*(problem for one in changes for problem in one.problems), *own.problems)
    return found, tuple(dict.fromkeys(problems))


def _risk(changes: Sequence[Changes], own: Unpushed, in_progress: str | None) -> Risk | None:
    """What would be lost with this machine, the gravest first; a branch that is merely behind is none."""
    files = sum(
        len({*one.staged, *one.modified, *one.deleted, *one.untracked, *one.conflicted, *one.intent_to_add})
        for one in changes
    )
    kinds = {
        "uncommitted": files > 0,
        "in-progress": in_progress is not None,
        "stash": own.stashes > 0,
        "unpushed": own.has_remote and own.only_here > 0,
        "no-remote": not own.has_remote and own.only_here > 0,
    }
    what = tuple(kind for kind, held in kinds.items() if held)
    if not what:
        return None
    dates = [date for one in changes if (date := one.oldest) is not None]
    dates += [date for date in (own.oldest_only_here, own.oldest_stash) if date is not None]
    return Risk(what, files + own.only_here + own.stashes, min(dates, default=None))


def _count(paths: Iterable[Sequence[str]]) -> int:
    return sum(map(len, paths))
