"""What a job saw, kept for the next one to compare with: one file a run in ``snapshots`` of the state folder.

A file is compact JSON, named ``<job>-<time>.json`` after the moment at which it was taken, so that names tell
the order. Anybody may delete one: the next report then compares with an older one, or with none.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from brain.files.atomic import make_folder
from brain.files.errors import WriteError
from brain.files.reading import UnreadableError, read_seen
from jobs.places import SNAPSHOTS
from jobs.publishing import CAP, put
from jobs.registry import Output
from jobs.snapshot_format import parse_snapshot, snapshot_bytes
from reports.snapshot import Snapshot
from reports.view import iso_time, parse_iso_time
from scanner.project import Problem

FOLDER = SNAPSHOTS
KEPT = {"nightly": 21, "weekly": 30}
"""How many are kept of each job: three weeks of nights, half a year of weeks. Of any other job 30."""

LEAST_AGE = 5 * 86_400.0
"""Seconds: a weekly snapshot that is younger tells of this week, not of the last one."""

_TRIED = 10
_NAME = re.compile(r"([a-z][a-z0-9-]*)-(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)\.json")


def latest_snapshot(
    state: str, job: str, now: float, *, other_than: str, least_age: float = 0.0
) -> tuple[Snapshot | None, tuple[Problem, ...]]:
    """The newest snapshot of ``job`` from before ``now`` (epoch seconds), and the files that made no sense.

    That of the slot ``other_than`` does not count, so that a run that is repeated compares with what its
    first attempt compared with. ``least_age`` is in seconds.
    """
    problems: list[Problem] = []
    tried = 0
    for name, taken in reversed(_names(state, job)):
        if taken > now - least_age:
            continue
        path = os.path.join(state, FOLDER, name)
        try:
            snapshot = parse_snapshot(read_seen(path, CAP).data or b"")
        except (UnreadableError, ValueError) as error:
            problems.append(_damaged(path, str(error)))
            tried += 1
            if tried == _TRIED:
                break
            continue
        if snapshot.slot != other_than:
            return snapshot, tuple(problems)
    return None, tuple(problems)


def write_snapshot(state: str, snapshot: Snapshot) -> Output:
    """Keep ``snapshot``, durable, and remove the oldest ones of its job beyond the number that is kept.

    The folders are made where they are missing, but for the home. ``WriteError`` when the system refuses.
    """
    make_folder(os.path.dirname(state))
    make_folder(os.path.join(state, FOLDER))
    stamp = iso_time(snapshot.taken)
    if stamp is None:
        raise WriteError(os.path.join(state, FOLDER), "the clock shows a year that no calendar has")
    name = f"{snapshot.job}-{stamp.replace('-', '').replace(':', '')}.json"
    written = put(os.path.join(state, FOLDER, name), snapshot_bytes(snapshot))
    for old, _ in _names(state, snapshot.job)[: -KEPT.get(snapshot.job, 30)]:
        if old != name:
            with suppress(OSError):  # it is tried again at the next run
                os.unlink(os.path.join(state, FOLDER, old))
    return written


def _names(state: str, job: str) -> list[tuple[str, float]]:
    """The names of the job's snapshots with their moments, oldest first."""
    try:
        names = os.listdir(os.path.join(state, FOLDER))
    except OSError:
        return []
    found = []
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None or match[1] != job:
            continue
        _, year, month, hour, minute, second = match.groups()
        taken = parse_iso_time(f"{year}-{month}-{hour}:{minute}:{second}")
        if taken is not None:
            found.append((name, taken))
    return sorted(found)


def _damaged(path: str, why: str) -> Problem:
    return Problem(
        "snapshot-damaged",
        "warning",
        path,
        f"what an earlier run saw cannot be used: {why}",
        "Nothing has to be done: an older one is compared with. The file may be deleted.",
    )
