"""What unsaved work means: the flags that stand beside a status, and a risk that is judged anew. Pure."""

from __future__ import annotations

from scanner.project import Risk, Unsaved
from scanner.value import replace

# Facts that stay until somebody works on the project, and those that each saved file may change.
LASTING_FLAGS = ("at-risk", "unpushed", "no-upstream", "upstream-gone", "stash", "detached")
PASSING_FLAGS = ("dirty", "conflicted", "behind")

_LOOSE = ("behind", "no-upstream", "upstream-gone")

DETACHED = "(detached)"
UNCOMMITTED = "uncommitted"


def changed_files(unsaved: Unsaved) -> int:
    """How many files differ from the last commit; one that is staged and changed again counts once."""
    return 0 if unsaved.risk is None else max(0, unsaved.risk.count - unsaved.only_here - unsaved.stashes)


def flags_of(unsaved: Unsaved) -> tuple[str, ...]:
    """The flags for what exists on this machine only; that of a missing remote is another's."""
    branches = [branch for branch in unsaved.branches if branch.name != DETACHED]
    holds = {
        "at-risk": unsaved.risk is not None,
        "dirty": unsaved.risk is not None and UNCOMMITTED in unsaved.risk.what,
        "conflicted": unsaved.conflicted > 0,
        "unpushed": unsaved.has_remote and unsaved.only_here > 0,
        "no-upstream": unsaved.has_remote and any(branch.upstream is None for branch in branches),
        "upstream-gone": any(branch.gone for branch in branches),
        "stash": unsaved.stashes > 0,
        "detached": len(branches) < len(unsaved.branches),
        "behind": any(branch.behind for branch in branches),
    }
    return tuple(flag for flag, held in holds.items() if held)


def loose_ends(unsaved: Unsaved) -> tuple[str, ...]:
    """What wants a look though nothing exists only here: of a project at risk, that is said already."""
    if unsaved.risk is not None:
        return ()
    ends = [flag for flag in flags_of(unsaved) if flag in _LOOSE]
    return (*ends, "may-be-modified") if unsaved.may_be_modified else tuple(ends)


def with_changes(own: Unsaved, told: Unsaved, files: int, oldest: float | None) -> Unsaved:
    """``own`` with the counts of paths that somebody else told, and its risk judged anew.

    ``files`` is how many files those are, ``oldest`` their oldest date in epoch seconds.
    """
    known = own.risk or Risk((), 0)
    others = tuple(kind for kind in known.what if kind != UNCOMMITTED)
    what = (UNCOMMITTED, *others) if files else others
    dates = [date for date in (known.since, oldest if files else None) if date is not None]
    count = files + own.only_here + own.stashes
    return replace(
        own,
        staged=told.staged,
        modified=told.modified,
        deleted=told.deleted,
        untracked=told.untracked,
        conflicted=told.conflicted,
        may_be_modified=told.may_be_modified,
        truncated=told.truncated,
        risk=Risk(what, count, min(dates, default=None)) if what else None,
    )
