"""Which projects a person said to skip: remembered in the state folder, can be undone."""

from __future__ import annotations

import binascii
import os
from collections.abc import Iterable

from brain.files.atomic import Write, make_folder, replace_all
from brain.files.reading import Seen, UnreadableError, read_seen
from reports.document import located, to_json
from scanner.project import Problem
from scanner.value import dataclass, field

FILE_NAME = "skipped.json"
_CAP = 4 * 1024 * 1024
_SCHEMA = "zecher.skipped"


@dataclass(frozen=True, slots=True)
class Skips:
    """The remembered decisions. ``paths`` maps the path of a skipped project to the time of the decision.

    ``seen`` is what was read, so that a write can tell whether somebody else saved since.
    """

    path: str
    paths: dict[str, str] = field(default_factory=dict)
    seen: Seen | None = None
    problems: tuple[Problem, ...] = ()


def read_skips(state: str) -> Skips:
    """The decisions in the ``state`` folder; none when there is no file, a problem when it makes no sense."""
    path = os.path.join(state, FILE_NAME)
    try:
        seen = read_seen(path, _CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return Skips(path)
        return Skips(path, problems=(_damaged(path, error.message),))
    paths = _parse(seen.data or b"")
    if paths is None:
        return Skips(path, seen=seen, problems=(_damaged(path, "it does not hold what Zecher wrote"),))
    return Skips(path, paths, seen)


def save_skips(skips: Skips, *, add: Iterable[str] = (), remove: Iterable[str] = (), when: str) -> Skips:
    """Remember and forget decisions; raises ``brain.files.errors.WriteError`` and its siblings.

    A damaged file is moved aside to ``skipped.json.corrupt-<time>``, never overwritten.
    """
    gone = set(remove)
    paths = {path: since for path, since in skips.paths.items() if path not in gone}
    for path in add:
        paths.setdefault(path, when)
    document: dict[str, object] = {
        "schema": _SCHEMA,
        "schema_version": 1,
        "skipped": [{**located(path), "since": paths[path]} for path in sorted(paths)],
    }
    folder = os.path.dirname(skips.path)
    # In a fresh home the XDG folder around it may be missing as well.
    make_folder(os.path.dirname(folder))
    make_folder(folder)
    aside = f"{skips.path}.corrupt-{when.replace(':', '')}" if skips.problems and skips.seen else None
    replace_all([Write(skips.path, to_json(document).encode(), skips.seen, aside)], os.path.realpath(folder))
    return read_skips(folder)


def _parse(data: bytes) -> dict[str, str] | None:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where something was skipped

    try:
        document = json.loads(data)
        return {_path(entry): str(entry["since"]) for entry in document["skipped"]}
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        return None


def _path(entry: dict[str, object]) -> str:
    coded = entry.get("path_b64")
    return os.fsdecode(binascii.a2b_base64(str(coded), strict_mode=True)) if coded else str(entry["path"])


def _damaged(path: str, why: str) -> Problem:
    return Problem(
        "skips-damaged",
        "warning",
        path,
        f"the remembered skips cannot be used: {why}",
        "Nothing is skipped. The file is moved aside when the next skip is remembered.",
    )
