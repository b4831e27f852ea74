"""How the dreaming of one workspace stands: its last run, what that found, when the next one is due."""

from __future__ import annotations

from jobs.config import load_configuration
from jobs.dreaming_state import WorkspaceState
from jobs.dreaming_workspaces import is_workspace
from jobs.job_status import local_time
from jobs.places import state_folder
from jobs.registry import JOBS, schedules
from jobs.schedule.slots import instant, next_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

_JOB = "dreaming"


def dreaming_facts(typed: Typed, surroundings: Surroundings, root: str) -> dict[str, object] | None:
    """How it stands for the folder ``root`` (real), as ``zecher.memory.status`` has it. Reads only.

    None where that is no workspace. ``lastRun`` is None where nothing ran there yet, ``next`` while the job
    is off; ``unchangedRuns`` counts the runs in a row that found the same.
    """
    if not is_workspace(root):
        return None
    configuration = load_configuration(surroundings, typed.text("config"))
    state = WorkspaceState(state_folder(surroundings, configuration), root)
    is_on = JOBS[_JOB].is_on(configuration)
    next_at = next_local = ""
    if is_on:
        from reports.view import iso_time  # noqa: PLC0415 - start-up: only where it is on

        schedule = schedules(configuration)[_JOB]
        moment = instant(next_slot(schedule, surroundings.now, _JOB), schedule)
        next_at, next_local = iso_time(moment) or "", local_time(moment, schedule.zone)
    last = state.last()
    return {
        "enabled": is_on,
        "autoPromote": configuration.dreaming.auto_promote,
        "lastRun": None if last is None else last.at,
        "outcome": None if last is None else last.outcome,
        "notes": 0 if last is None else last.notes,
        "claims": 0 if last is None else last.claims,
        "proposed": 0 if last is None else len(last.proposed),
        "nearMisses": 0 if last is None else last.near_misses,
        "promoted": 0 if last is None else last.promoted,
        "archived": 0 if last is None else last.archived,
        "unchangedRuns": 0 if last is None else last.unchanged,
        "size": None if last is None else last.size,
        "staged": len(state.staged()),
        "next": next_at or None,
        "nextLocal": next_local,
    }
