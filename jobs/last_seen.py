"""What the last job that looked at the memories saw, for commands that do not look themselves."""

from __future__ import annotations

from jobs.snapshots import latest_snapshot
from reports.snapshot import Snapshot

_JOBS = ("nightly", "weekly")


def last_seen(state: str, now: float) -> Snapshot | None:
    """The newest stored snapshot that knows how the memories were; None where no job looked yet."""
    found = [latest_snapshot(state, job, now, other_than="")[0] for job in _JOBS]
    known = [one for one in found if one is not None and one.health is not None]
    return max(known, key=lambda one: one.taken, default=None)
