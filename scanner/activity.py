"""When somebody last worked on a project: the newest trace of human work, and where it was seen.

No single source is right. Of fifteen ordinary cases a folder's own date is right in seven, the commit at HEAD
in nine, the newest commit on any branch in eleven. The newest of these is right in all: commits on HEAD, on
every local branch, in the stash and in linked worktrees; reflog lines that record own work; files that really
differ from what was committed. Never: folder dates, the index's date, fetches, clones, checkouts.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanner import trace
from scanner.git import Repository
from scanner.project import Activity
from scanner.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.reflog import ReflogEntry

# A clock may be a little ahead of ours; what lies further in the future is a mistake, not work.
FUTURE_TOLERANCE = 86_400.0
# Before there was version control on any desk: a date that a tool made up.
_EPOCH_ERA = 10 * 365 * 86_400.0

_FIRST_PARENT_STEPS = 200
_DETAIL_CAP = 120
_RANK = {"commit": 0, "worktree": 1, "stash": 2, "reflog": 3, "edit": 4, "file": 5}


class Trace(Value):
    """One dated sign of work: epoch seconds, its source (see ``Activity``) and what it was, in words."""

    __slots__ = ("detail", "source", "when")

    def __init__(self, when: float, source: str, detail: str) -> None:
        self.when = when
        self.source = source
        self.detail = detail


class History(Value):
    """What a repository's own records say, before its files are looked at.

    ``own_work`` is the newest line of a reflog that says that somebody worked here.
    """

    __slots__ = ("flags", "own_work", "traces")

    def __init__(
        self, traces: tuple[Trace, ...], flags: tuple[str, ...], own_work: ReflogEntry | None = None
    ) -> None:
        self.traces = traces
        self.flags = flags
        self.own_work = own_work

    @property
    def newest(self) -> float:
        """The newest date, or minus infinity."""
        return max((trace.when for trace in self.traces), default=float("-inf"))


def read_history(repository: Repository, now: float) -> History:
    """The dated traces in the repository's commits and reflogs; future dates replaced by sane ancestors."""
    limit = now + FUTURE_TOLERANCE
    flags: list[str] = []
    traces: list[Trace] = []
    seen: set[str] = set()
    for oid, source, detail in _tips(repository):
        if oid in seen:
            continue
        seen.add(oid)
        when = _date_of(repository, oid, limit, flags)
        if when is not None:
            traces.append(Trace(when, source, detail))
    entry = repository.newest_own_work(limit)
    if entry is not None:
        source = "stash" if entry.ref == "refs/stash" else "reflog"
        traces.append(Trace(float(entry.time), source, entry.message.partition(":")[0][:40]))
    if not traces and not flags:
        flags.append("no-commits" if repository.head().oid is None else "damaged")
    return History(tuple(traces), tuple(dict.fromkeys(flags)), entry)


def _date_of(repository: Repository, oid: str, limit: float, flags: list[str]) -> float | None:
    """The date of a commit, or that of a sane one before it; ``None`` where there is none up to ``limit``."""
    commit = repository.commit(oid)
    if commit is None:
        return None
    when = commit.committer_time
    trace.dated(when)
    if not _EPOCH_ERA <= when <= limit:
        flags.append("future-date" if when > limit else "epoch-date")
        sane = repository.first_sane_commit(oid, _EPOCH_ERA, limit, _FIRST_PARENT_STEPS)
        if sane is not None:
            when = sane.committer_time
    return float(when) if when <= limit else None


def _tips(repository: Repository) -> list[tuple[str, str, str]]:
    """Object name, source and detail of each commit that may be the newest."""
    tips: list[tuple[str, str, str]] = []
    head = repository.head()
    if head.oid:
        tips.append((head.oid, "commit", f"on {head.branch}" if head.branch else "on a detached HEAD"))
    tips += [
        (oid, "commit", f"on {name.removeprefix('refs/heads/')}")
        for name, oid in repository.local_heads().items()
    ]
    stash = repository.stash()
    if stash:
        tips.append((stash, "stash", ""))
    tips += [
        (tree.head.oid, "worktree", f"in {tree.path.rpartition('/')[2]}")
        for tree in repository.worktrees()
        if tree.head.oid
    ]
    return tips


def decide(traces: Iterable[Trace], flags: tuple[str, ...] = (), *, confidence: str = "high") -> Activity:
    """The newest trace wins; of equal dates the more direct source; the next source stands as runner-up."""
    ordered = sorted(traces, key=lambda trace: (-trace.when, _RANK[trace.source]))
    if not ordered:
        future = "future-date" in flags
        detail = "all dates lie in the future" if future else "nothing was ever committed or edited"
        return Activity(detail=detail, flags=flags)
    first = ordered[0]
    second = next((trace for trace in ordered if trace.source != first.source), None)
    if "epoch-date" in flags and first.when < _EPOCH_ERA:
        confidence = "low"
    elif "future-date" in flags and confidence == "high":
        confidence = "medium"
    return Activity(
        when=first.when,
        source=first.source,
        confidence=confidence,
        detail=first.detail if len(first.detail) <= _DETAIL_CAP else f"{first.detail[: _DETAIL_CAP - 1]}…",
        runner_up=(second.when, second.source) if second is not None else None,
        flags=flags,
    )
