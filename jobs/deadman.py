"""How late a job is, and when that means that nobody runs it any more.

Every command looks, so that a nightly run which died is not found out months later. As long as it lives that
look is one small read and no import.
"""

from __future__ import annotations

import os
import time

from jobs.config import load_configuration, may_set
from jobs.config_values import Configuration
from jobs.ledger_tail import NAME, read_tail
from jobs.places import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.run_record import Run
    from jobs.schedule.text import Schedule
    from jobs.surroundings import Surroundings

# One slot may fall to a machine that was off; two in a row mean that nothing runs.
DEAD_PERIODS = 2

_JOB = "nightly"
_DONE = (b'"state":"ok"', b'"state":"partial"')
_HOUR = 3600


def lateness(job: str, schedule: Schedule, now: float, runs: Sequence[Run]) -> float | None:
    """Seconds since the first slot of ``job`` began that nobody did; 0 when all is done.

    Where no run was ever done, the first that was tried counts; None without any. A run for a slot of another
    kind of schedule counts by its time; one that a wrong clock put into the future counts only where there
    is no other.
    """
    from jobs.run_record import SKIPPED, believed  # noqa: PLC0415 - start-up: most looks end before
    from jobs.schedule.slots import instant, next_slot  # noqa: PLC0415 - as above

    mine = believed([run for run in runs if run.job == job and run.state != SKIPPED], now)
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
    from jobs.schedule.slots import Slot, instant  # noqa: PLC0415 - as above

    try:
        return instant(Slot(run.job, run.slot), schedule)
    except ValueError:
        return run.start


# -- the line that every command prints ----------------------------------------------------------------------


def dead_line(surroundings: Surroundings, config: str | None) -> str:
    """One line that says that the nightly run is dead; empty while it lives, and where nobody started one.

    ``config`` is the value of ``--config``. Where no scheduler ever ran the job nobody waits for it. Never
    raises: where something cannot be read, the command that asks for it says so.
    """
    from jobs.errors import ExpectedError  # noqa: PLC0415 - as above

    try:
        configuration = Configuration()
        if not surroundings.variable("STATE") and may_set(surroundings, config, "state"):
            configuration = load_configuration(surroundings, config)
        state = state_folder(surroundings, configuration)
        if _lives(os.path.join(state, NAME), surroundings.now):
            return ""
        return _line(surroundings, config, state)
    except ExpectedError:
        return ""


def _lives(path: str, now: float) -> bool:
    """Whether there is no ledger, or its end tells of a good run within two periods.

    Looks at bytes only: the decoder for JSON alone would take longer. The form of a slot's name tells the
    period, save that hours count as one each; so a "no" only means that one has to look closer.
    """
    tail = read_tail(path)
    if tail is None:
        return True
    job = f'"job":"{_JOB}"'.encode()
    for line in reversed(tail.split(b"\n")):
        if job not in line or not any(done in line for done in _DONE):
            continue
        slot, start = (_field(line, key) for key in (b"slot", b"start"))
        if start > _iso(now + 24 * _HOUR):
            continue  # a wrong clock wrote that: it proves nothing until then
        hours = 7 * 24 if b"-W" in slot else 1 if b"T" in slot else 24
        return start >= _iso(now - DEAD_PERIODS * hours * _HOUR)
    return False


def _iso(moment: float) -> bytes:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(max(0.0, moment))).encode()


def _field(line: bytes, key: bytes) -> bytes:
    return line.partition(b'"' + key + b'":"')[2].partition(b'"')[0]


def _line(surroundings: Surroundings, config: str | None, state: str) -> str:
    from brain.wording import duration  # noqa: PLC0415 - as above
    from jobs.registry import schedules  # noqa: PLC0415 - as above
    from jobs.run_ledger import read_last_runs  # noqa: PLC0415 - as above
    from jobs.run_record import believed  # noqa: PLC0415 - as above

    configuration = load_configuration(surroundings, config)
    if configuration.notify.quiet_line:
        return ""
    runs = believed(read_last_runs(state).of(_JOB), surroundings.now)
    if all(run.trigger in ("manual", "") for run in runs):
        return ""
    schedule = schedules(configuration)[_JOB]
    late = lateness(_JOB, schedule, surroundings.now, runs)
    if late is None or not is_dead(late, schedule):
        return ""
    good = next((run for run in reversed(runs) if run.is_done), None)
    last = (
        "it never succeeded"
        if good is None
        else f"last success {duration(surroundings.now - good.start)} ago"
    )
    return (
        f"zecher: the nightly run is dead: late by {duration(late)}, {last} (see zecher jobs) [nightly-dead]"
    )
