"""What consolidations changed, kept so that each can be taken back (``jobs.kept_runs``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.consolidate.books import files_of
from brain.consolidate.values import Change, Notes, Proposal
from jobs.kept_runs import KEPT, Before, KeptRuns, Kind, Run, TooMuchError, state_of
from scanner.project import Problem

__all__ = [
    "FOLDER",
    "KEPT",
    "Before",
    "Run",
    "TooMuchError",
    "mark_undone",
    "read_run",
    "runs",
    "settle",
    "state_of",
    "store",
]

FOLDER = "consolidations"

_FILES = frozenset(file for in_brain in (False, True) for file in files_of(Notes("", "", "", in_brain)))
_KIND = Kind(FOLDER, "zecher.consolidation", _FILES.__contains__)


def store(state: str, changes: Sequence[Change], done: Iterable[Proposal], when: str) -> Run:
    """Keep what the files of ``changes`` hold, durable; the oldest runs beyond the bounds are forgotten.

    Raises ``brain.files.errors.WriteError``, and ``TooMuchError`` for more than can be kept.
    """
    kept = KeptRuns(state, _KIND)
    files = tuple(Before(change.base, change.file, change.old, change.new) for change in changes)
    told = tuple((one.id, one.part.title, one.part.path) for one in done)
    return kept.store(Run(kept.next_name(when), when, told, files))


def settle(state: str, run: Run) -> Run | None:
    """What really happened of a run that ended early, None where nothing did; it is then forgotten."""
    return KeptRuns(state, _KIND).settle(run)


def mark_undone(state: str, run: Run, when: str) -> Run:
    """Remember that a run was taken back; raises ``WriteError`` and ``ChangedError``."""
    return KeptRuns(state, _KIND).mark_undone(run, when)


def runs(state: str) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """All that is kept, the newest first, and the files that make no sense."""
    return KeptRuns(state, _KIND).runs()


def read_run(state: str, name: str) -> Run:
    """The run ``name``; ``KeyError`` where there is none, ``ValueError`` for a file that makes no sense."""
    return KeptRuns(state, _KIND).read(name)
