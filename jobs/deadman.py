"""How late a job is, and when that means that nobody runs it any more."""

from __future__ import annotations

from jobs.run_ledger import SKIPPED
from jobs.schedule.slots import Slot, instant, next_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.run_ledger import Run
    from jobs.schedule.text import Schedule

# One slot may fall to a machine that was off; two in a row mean that nothing runs.
DEAD_PERIODS = 2


def lateness(job: str, schedule: Schedule, now: float, runs: Sequence[Run]) -> float | None:
    """Seconds since the first slot of ``job`` began that nobody did; 0 when all is done.

    Where no run was ever done, the first that was tried counts; None without any. A run for a slot of another
    kind of schedule counts by its time.
    """
    mine = [run for run in runs if run.job == job and run.state != SKIPPED]
    done = next((run for run in reversed(mine) if run.is_done), None)
    if done is not None:
        open_since = instant(next_slot(schedule, _begin(done, schedule), job), schedule)
    elif mine:
        open_since = _begin(mine[0], schedule)
    else:
        return None
    return max(0.0, now - open_since)


def is_dead(late: float | None, schedule: Schedule) -> bool:
    """Whether a job that is ``late`` seconds late is run by nobody; one that never ran is."""
    return late is None or late > DEAD_PERIODS * schedule.period


def _begin(run: Run, schedule: Schedule) -> float:
    try:
        return instant(Slot(run.job, run.slot), schedule)
    except ValueError:
        return run.start
