"""What the history of a repository tells of its work and of single files; starts no process, bounded.

Every question answers with less where the history is missing, damaged, cut or too long: none raises.
"""

from __future__ import annotations

from scanner.git.repository import Repository
from scanner.history.files import CHANGES, Files
from scanner.history.messages import recent_commits
from scanner.history.size import last_commit_size
from scanner.history.source import Source
from scanner.history.values import Change, CommitSize, FileHistory, FolderHistory, RecentCommit, Recorded
from scanner.value import dataclass

__all__ = [
    "Asked",
    "Change",
    "CommitSize",
    "FileHistory",
    "FolderHistory",
    "History",
    "RecentCommit",
    "Recorded",
    "commit_days",
    "history",
]

_DAYS = 371
_COMMITS = 20_000
_EPOCH = 719_163
"""The first of January 1970 as Python counts days."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: commits by full or short name, files with whether earlier contents are wanted.

    Commits that touch ``handover_files`` only are no work. ``folders`` are (path, names that stand there now,
    endings of names, folded): files of such names that stood there once are told. All paths are relative to
    the work tree. Of each file the last ``changes`` are told.
    """

    commits: tuple[str, ...] = ()
    files: tuple[tuple[str, bool], ...] = ()
    handover_files: tuple[str, ...] = ()
    recent: int = 20
    no_merges: bool = True
    changes: int = CHANGES
    folders: tuple[tuple[str, frozenset[str], tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """The answers. ``size`` is that of the newest commit, None without one."""

    head: str | None = None
    branch: str | None = None
    shallow: bool = False
    recent: tuple[RecentCommit, ...] = ()
    size: CommitSize | None = None
    recorded: tuple[Recorded, ...] = ()
    files: tuple[FileHistory, ...] = ()
    folders: tuple[FolderHistory, ...] = ()


def history(repository: Repository, asked: Asked) -> History:
    """Answer all that is ``asked`` of one repository; each object is read once."""
    source = Source(repository)
    files = Files(source, asked.handover_files, asked.changes)
    head = repository.head()
    return History(
        head=head.oid,
        branch=head.branch,
        shallow=repository.shallow,
        recent=recent_commits(source, asked.recent, no_merges=asked.no_merges) if asked.recent else (),
        size=last_commit_size(source),
        recorded=tuple(files.recorded(name) for name in asked.commits),
        files=tuple(files.history(path, wants_earlier=earlier) for path, earlier in asked.files),
        folders=tuple(files.folder(path, names, endings) for path, names, endings in asked.folders),
    )


def commit_days(repository: Repository, now: float) -> dict[str, int]:
    """How many commits were made on each of the last 371 days (``YYYY-MM-DD``, UTC, by the committer's date).

    Of all that local branches and detached heads reach, at most 20,000 commits; none of those that are dated
    later than the day after ``now`` (epoch seconds).
    """
    from datetime import date  # noqa: PLC0415 - start-up: only for reports

    from scanner.git.graph import Graph  # noqa: PLC0415 - as above

    tips = dict.fromkeys([*repository.local_heads().values(), *repository.detached_heads()])
    today = int(now // 86_400)
    graph = Graph(repository)
    try:
        dates = graph.dates(tips, (today - _DAYS + 1) * 86_400, _COMMITS)
    finally:
        graph.close()
    counts: dict[int, int] = {}
    for when in dates:
        counts[when // 86_400] = counts.get(when // 86_400, 0) + 1
    return {
        date.fromordinal(_EPOCH + day).isoformat(): counts[day] for day in sorted(counts) if day <= today + 1
    }
