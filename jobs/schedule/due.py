"""What is due: the newest slot that the ledger does not know as done, after a decent pause."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jobs.run_record import CRASHED, SKIPPED, START, Run
from jobs.schedule.slots import Slot, instant, newest_slot, steps_between
from jobs.schedule.text import DAY_SECONDS, Schedule
from scanner.value import dataclass

MAX_ATTEMPTS = 3
BACK_OFF = 300.0
"""Seconds after the first failed attempt; after each further one twice as long."""

# An hourly cron line starts a job up to an hour after its time, a timer adds its random delay.
CATCHUP_AFTER = 4500.0

# Two processes that read their clocks at the same time end one after the other.
_SLACK = 3600.0

# When this part was written: no clock that runs right shows a time twenty years later.
BUILD_DATE = 1_795_996_800.0  # 2026-11-30
_PLAUSIBLE_YEARS = 20 * 366 * DAY_SECONDS
_BACKWARD = DAY_SECONDS
_FORWARD = 400 * DAY_SECONDS
_BELIEVED_AFTER = 8


@dataclass(frozen=True, slots=True)
class Due:
    """A run that should begin now.

    ``attempt`` counts from 1; ``missed_slots`` are older ones that this run stands for as well; ``trigger``
    is ``catchup`` when the slot began long ago, else empty: whoever asks knows what woke him.
    """

    slot: Slot
    attempt: int
    missed_slots: int
    trigger: str


def due(job: str, schedule: Schedule, now: float, runs: Sequence[Run]) -> Due | None:
    """What is due of ``job`` at ``now``; None when its newest slot is done, given up, or pausing.

    ``runs`` are those of the ledger, of any job, in its order. A run without an end counts as an attempt:
    whether it still runs is for the lock to say.
    """
    mine = [run for run in runs if run.job == job and run.state != SKIPPED]
    slot = newest_slot(schedule, now, job)
    tried = [run for run in mine if run.slot == slot.id]
    if any(run.is_done for run in tried) or len(tried) >= MAX_ATTEMPTS:
        return None
    if tried and _pauses(tried, now):
        return None
    return turn(slot, schedule, now, mine)


def turn(slot: Slot, schedule: Schedule, now: float, runs: Sequence[Run]) -> Due:
    """A run for ``slot`` whether it is due or not; ``runs`` are those of its job."""
    tried = sum(run.slot == slot.id for run in runs)
    # Of the slots before, the newest that was tried: its failures were told, it was not missed.
    others = {run.slot for run in runs} - {slot.id}
    steps = [steps_between(schedule, Slot(slot.job, other), slot) or 0 for other in others]
    missed = min((step for step in steps if step > 0), default=1) - 1
    late = now - instant(slot, schedule) > CATCHUP_AFTER
    return Due(slot, tried + 1, missed, "catchup" if late else "")


def retry_at(runs: Sequence[Run]) -> float:
    """The moment before which the slot that ``runs`` (not empty) tried is not tried again."""
    last = runs[-1]
    ended = last.start if last.end is None else last.end
    return ended + BACK_OFF * 2.0 ** (len(runs) - 1)


def clock_suspicion(now: float, runs: Sequence[Run]) -> str:
    """Why ``now`` should not be believed, one line; empty when nothing speaks against it.

    The last eight runs and ``now`` must follow each other, a day backwards or 400 days forwards at most. So
    a wrong clock is doubted until it has been the same for eight runs, and a right one is believed again
    after as many.
    """
    if now > BUILD_DATE + _PLAUSIBLE_YEARS:
        return "the clock is more than twenty years ahead of this version of zecher"
    moments = [run.start for run in runs if run.state != SKIPPED][-_BELIEVED_AFTER:]
    # The newest jump is the one to tell of.
    for later, earlier in pairwise((now, *reversed(moments))):
        if later < earlier - _BACKWARD:
            return "the clock went back by more than a day between the last runs and now"
        if later > earlier + _FORWARD:
            return "the clock went on by more than 400 days between the last runs and now"
    return ""


def _pauses(tried: Sequence[Run], now: float) -> bool:
    """Whether the last attempt is too recent.

    After a crash nobody waits: the machine went down, and the three attempts are a bound of their own. An
    attempt in the far future tells of a clock that was put back.
    """
    last = tried[-1]
    if last.state in (START, CRASHED):
        return False
    ended = last.start if last.end is None else last.end
    return ended - _SLACK <= now < retry_at(tried)
