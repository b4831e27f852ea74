"""Since when each finding is known: written by the jobs at night and weekly, read by whoever shows them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from brain.files.atomic import Write, make_folder, replace_all
from brain.files.reading import Seen, UnreadableError, read_seen
from scanner.project import Problem
from scanner.value import dataclass, field

FILE_NAME = "finding-ages.json"
MOST = 100_000
_CAP = 32 * 1024 * 1024
_SCHEMA = "zecher.finding-ages"

Key = tuple[str, str, str, str]
"""The identifier of the project, then ``Finding.key``: code, file, anchor."""


@dataclass(frozen=True, slots=True)
class Ages:
    """The first day (``YYYY-MM-DD``) of each finding; ``seen`` is what was read, for a write to compare."""

    path: str
    days: Mapping[Key, str] = field(default_factory=dict)
    seen: Seen | None = None
    problems: tuple[Problem, ...] = ()


def read_ages(state: str) -> Ages:
    """What the ``state`` folder knows; nothing when there is no file, a problem when it makes no sense."""
    path = os.path.join(state, FILE_NAME)
    try:
        seen = read_seen(path, _CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return Ages(path)
        return Ages(path, problems=(_damaged(path, error.message),))
    days = _parse(seen.data or b"")
    if days is None:
        return Ages(path, seen=seen, problems=(_damaged(path, "it does not hold what Zecher wrote"),))
    return Ages(path, days, seen)


def aged(ages: Ages, found: Iterable[Key], examined: Collection[str], today: str) -> dict[Key, str]:
    """The ages after a run that ``found`` these, in the projects ``examined``.

    What is new is of ``today``; what was mended is forgotten, so that it is new when it comes again. Of
    projects that were not examined all stays.
    """
    days = {key: day for key, day in ages.days.items() if key[0] not in examined}
    days.update((key, min(ages.days.get(key, today), today)) for key in found)
    return days


def save_ages(ages: Ages, days: Mapping[Key, str]) -> None:
    """Write ``days``; the oldest 100,000 where there are more. Raises ``brain.files.errors.WriteError``.

    A damaged file is moved aside first.
    """
    import json  # noqa: PLC0415 - start-up: 7 ms

    if days == ages.days and ages.seen is not None and not ages.problems:
        return
    kept = sorted(days, key=lambda key: (days[key], key))[:MOST]
    grouped: dict[str, list[list[str]]] = {}
    for identifier, code, file, anchor in sorted(kept):
        grouped.setdefault(identifier, []).append([code, file, anchor, days[identifier, code, file, anchor]])
    # In ASCII, so that the odd bytes of names come back as they were.
    text = json.dumps({"schema": _SCHEMA, "schema_version": 1, "projects": grouped}, separators=(",", ":"))
    folder = os.path.dirname(ages.path)
    make_folder(os.path.dirname(folder))
    make_folder(folder)
    aside = f"{ages.path}.corrupt" if ages.problems and ages.seen else None
    replace_all([Write(ages.path, text.encode(), ages.seen, aside)], os.path.realpath(folder))


def _parse(data: bytes) -> dict[Key, str] | None:
    import json  # noqa: PLC0415 - as above

    try:
        projects = json.loads(data)["projects"]
        return {
            (str(identifier), str(code), str(file), str(anchor)): str(day)
            for identifier, rows in projects.items()
            for code, file, anchor, day in rows
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _damaged(path: str, why: str) -> Problem:
    return Problem(
        "ages-damaged",
        "warning",
        path,
        f"since when findings are known is lost: {why}",
        "They count as new. The next nightly run writes the file anew.",
    )
