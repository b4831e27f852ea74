"""How the nights of the last week went, by the ledger of the runs, for the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jobs.registry import JobContext, schedules
from jobs.run_ledger import DONE_STATES, START, LedgerError, Run, RunLedger, read_runs
from jobs.schedule.slots import instant, newest_slot, next_slot
from reports.snapshot import RunHealth
from scanner.project import Problem

NIGHTLY = "nightly"

_NIGHTS = 7


def run_health(context: JobContext, *, missed_weeks: int) -> tuple[RunHealth, list[Problem]]:
    """The nights as the ledger knows them, or the problem that it cannot be read."""
    try:
        ledger = read_runs(context.settings.state)
    except LedgerError as error:
        problem = Problem("ledger-unreadable", "warning", error.path, str(error), "Run `zecher doctor`.")
        return RunHealth(missed_weeks=missed_weeks), [problem]
    schedule = schedules(context.configuration)[NIGHTLY]
    nights = _nights(ledger, context)
    tried = [run for _, runs in nights for run in runs]
    lasted = [run.duration for run in tried if run.duration is not None]
    last = ledger.last_ok(NIGHTLY)
    health = RunHealth(
        nights=tuple((slot, _state(runs)) for slot, runs in nights),
        median=ledger.median_duration(NIGHTLY),
        longest=max(lasted, default=None),
        counts=_counts(last.counts) if last is not None else {},
        errors=tuple((run.slot, run.error) for run in tried if run.error),
        next_run=instant(next_slot(schedule, context.now, NIGHTLY), schedule),
        missed_weeks=missed_weeks,
        damaged=ledger.damaged,
    )
    return health, []


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    words = {"scanned": "projects", "skipped": "skipped", "errors": "errors"}
    return {word: counts.get(key, 0) for word, key in words.items()}


def _nights(ledger: RunLedger, context: JobContext) -> list[tuple[str, tuple[Run, ...]]]:
    """The last seven nights, oldest first, with their runs; none from before the first run that is known.

    A night that is under way, as it is while its own report is made, has no outcome yet and does not count.
    """
    first = min((run.start for run in ledger.of(NIGHTLY)), default=None)
    if first is None:
        return []
    schedule = schedules(context.configuration)[NIGHTLY]
    slot = newest_slot(schedule, context.now, NIGHTLY)
    found: list[tuple[str, tuple[Run, ...]]] = []
    while len(found) < _NIGHTS:
        runs = ledger.attempts(NIGHTLY, slot.id)
        if not runs or any(run.state != START for run in runs):
            found.append((slot.id, runs))
        begin = instant(slot, schedule)
        if first >= begin:
            break
        slot = newest_slot(schedule, begin - 1, NIGHTLY)
    return found[::-1]


def _state(runs: Sequence[Run]) -> str:
    """How a night went: by its run that was done, else by the last one that ended."""
    done = next((run.state for run in reversed(runs) if run.state in DONE_STATES), "")
    if done:
        return done
    return "failed" if any(run.state != START for run in runs) else "none"
