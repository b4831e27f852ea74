"""Which open loops a person closed or put off: kept in the state folder; files of memories never change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from brain.files.atomic import Write, make_folder, replace_all
from brain.files.lock import FolderLock
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.loops.states import Mark
from brain.loops.values import DONE, SNOOZED
from reports.document import to_json
from scanner.project import Problem
from scanner.value import dataclass, field

FILE_NAME = "loops.json"
MOST = 10_000
"""So many are remembered; of more the oldest are forgotten."""

_CAP = 8 * 1024 * 1024
_SCHEMA = "zecher.loop-marks"
_LOCK_SECONDS = 5.0  # one writes for milliseconds


@dataclass(frozen=True, slots=True)
class Marks:
    """What was said of loops, by their ids.

    ``seen`` is what was read, so that a write can tell whether somebody else saved since.
    """

    path: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    seen: Seen | None = None
    problems: tuple[Problem, ...] = ()


def read_marks(state: str) -> Marks:
    """The marks in the ``state`` folder; none when there is no file, a problem when it makes no sense."""
    path = os.path.join(state, FILE_NAME)
    try:
        seen = read_seen(path, _CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return Marks(path)
        return Marks(path, problems=(_damaged(path, error.message),))
    marks = _parse(seen.data or b"")
    if marks is None:
        return Marks(path, seen=seen, problems=(_damaged(path, "it does not hold what Zecher wrote"),))
    return Marks(path, marks, seen)


def change_marks(state: str, *, add: Iterable[Mark] = (), remove: Iterable[str] = (), when: str) -> Marks:
    """Remember ``add`` and forget the ids of ``remove`` in the ``state`` folder, at ``when``.

    A damaged file is moved aside to ``loops.json.corrupt-<time>``. Somebody else's marks of meanwhile stay.
    Raises ``brain.files.errors.WriteError`` and its siblings.
    """
    # In a fresh home the XDG folder around it may be missing as well.
    make_folder(os.path.dirname(state))
    make_folder(state)
    with FolderLock(state, wait=_LOCK_SECONDS):
        return _saved(read_marks(state), {one.id: one for one in add}, set(remove), when)


def day_of_now(now: float) -> date:
    """The day (UTC) on which loops are judged, that of all dates in reports."""
    return datetime.fromtimestamp(now, UTC).date()


def _saved(known: Marks, new: Mapping[str, Mark], gone: set[str], when: str) -> Marks:
    merged = {name: mark for name, mark in known.marks.items() if name not in gone} | dict(new)
    newest = sorted(merged.values(), key=lambda one: (one.since, one.id))[-MOST:]
    document: dict[str, object] = {
        "schema": _SCHEMA,
        "schema_version": 1,
        "loops": [_entry(one) for one in sorted(newest, key=lambda one: one.id)],
    }
    folder = os.path.dirname(known.path)
    aside = f"{known.path}.corrupt-{when.replace(':', '')}" if known.problems and known.seen else None
    replace_all([Write(known.path, to_json(document).encode(), known.seen, aside)], os.path.realpath(folder))
    return read_marks(folder)


def _entry(one: Mark) -> dict[str, object]:
    return {
        "id": one.id,
        "state": one.state,
        "until": one.until.isoformat() if one.until is not None else None,
        "due": one.due.isoformat() if one.due is not None else None,
        "since": one.since,
    }


def _parse(data: bytes) -> dict[str, Mark] | None:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where a loop was closed

    try:
        entries = json.loads(data)["loops"]
        return {mark.id: mark for mark in map(_mark, entries[:MOST])}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _mark(entry: dict[str, object]) -> Mark:
    name, state = entry["id"], entry["state"]
    if not isinstance(name, str) or state not in (DONE, SNOOZED):
        raise ValueError(name)
    return Mark(name, str(state), _day(entry.get("until")), _day(entry.get("due")), str(entry["since"]))


def _day(text: object) -> date | None:
    return date.fromisoformat(str(text)) if text is not None else None


def _damaged(path: str, why: str) -> Problem:
    return Problem(
        "loops-damaged",
        "warning",
        path,
        f"what was said of open loops cannot be used: {why}",
        "All of them are open again. The file is moved aside when the next one is closed or put off.",
    )
