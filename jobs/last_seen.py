"""What the last job that looked at the memories saw, for commands that do not look themselves."""

from __future__ import annotations

from jobs.snapshots import latest_snapshot
from reports.snapshot import Noted, Snapshot
from scanner.value import replace

_JOBS = ("nightly", "weekly")


def last_noted(state: str, now: float) -> dict[str, Noted]:
    """What the last jobs saw of each project, by path: its memory, and what exists only here.

    The newest snapshot counts; where its job did not look at the memories, the newest that knows them adds
    what it knows.
    """
    newest = max(_stored(state, now), key=lambda one: one.taken, default=None)
    seen = {one.path: one for one in newest.projects} if newest is not None else {}
    healthy = last_seen(state, now) if newest is not None and newest.health is None else None
    for one in healthy.projects if healthy is not None else ():
        if one.path in seen:
            seen[one.path] = replace(seen[one.path], health=one.health, next_step=one.next_step)
    return seen


def last_seen(state: str, now: float) -> Snapshot | None:
    """The newest stored snapshot that knows how the memories were; None where no job looked yet."""
    known = [one for one in _stored(state, now) if one.health is not None]
    return max(known, key=lambda one: one.taken, default=None)


def _stored(state: str, now: float) -> list[Snapshot]:
    """The newest snapshot of each job."""
    found = [latest_snapshot(state, job, now, other_than="")[0] for job in _JOBS]
    return [one for one in found if one is not None]
