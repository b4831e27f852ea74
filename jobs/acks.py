"""Which findings, and which unsaved work, a person said to be silent about: kept in the state folder."""

from __future__ import annotations

import binascii
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from brain.files.atomic import Write, make_folder, replace_all
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.health.silence import Ack
from reports.document import located, to_json
from scanner.project import Problem
from scanner.value import dataclass, replace

FILE_NAME = "acks.json"
MOST = 10_000
_CAP = 8 * 1024 * 1024
_SCHEMA = "zecher.acks"


@dataclass(frozen=True, slots=True)
class Said:
    """One silence, and when it was said (``YYYY-MM-DDThh:mm:ssZ``).

    ``identifier`` is that of its project, by which it is known again elsewhere; empty where there was none.
    """

    ack: Ack
    since: str
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class Acks:
    """The remembered silences, ordered by code and project.

    ``seen`` is what was read, so that a write can tell whether somebody else saved since.
    """

    path: str
    said: tuple[Said, ...] = ()
    seen: Seen | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def acks(self) -> tuple[Ack, ...]:
        """The silences alone."""
        return tuple(one.ack for one in self.said)


def read_acks(state: str) -> Acks:
    """The silences in the ``state`` folder; none when there is no file, a problem when it makes no sense."""
    path = os.path.join(state, FILE_NAME)
    try:
        seen = read_seen(path, _CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return Acks(path)
        return Acks(path, problems=(_damaged(path, error.message),))
    said = _parse(seen.data or b"")
    if said is None:
        return Acks(path, seen=seen, problems=(_damaged(path, "it does not hold what Zecher wrote"),))
    return Acks(path, said, seen)


def followed(acks: Acks, identifiers: Mapping[str, str]) -> Acks:
    """The same silences, those of projects that moved at their present paths.

    ``identifiers`` are those of the known projects by path. A silence follows its project when its folder is
    gone and one project alone has the identifier: clones of a repository share theirs.
    """
    places: dict[str, list[str]] = {}
    for path, identifier in identifiers.items():
        places.setdefault(identifier, []).append(path)
    said = []
    for one in acks.said:
        found = places.get(one.identifier, []) if one.identifier else []
        if len(found) == 1 and found[0] != one.ack.project and not os.path.isdir(one.ack.project):
            ack = one.ack
            one = Said(Ack(ack.code, found[0], ack.until, ack.reason), one.since, one.identifier)  # noqa: PLW2901 - the same silence
        said.append(one)
    return replace(acks, said=tuple(sorted(said, key=lambda one: _key(one.ack))))


def silenced_work(state: str, now: float, identifiers: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Path and code of what nobody wants to be told of at ``now`` (epoch seconds).

    The path is empty for a code that is silenced everywhere. Unsaved work is silenced in one project at a
    time: a silence everywhere is never about it. ``identifiers`` as for ``followed``.
    """
    today = datetime.fromtimestamp(now, UTC).date()
    acks = followed(read_acks(state), identifiers).acks
    return frozenset((ack.project, ack.code) for ack in acks if ack.holds(today))


def add_ack(acks: Acks, ack: Ack, *, when: str, identifier: str = "") -> Acks:
    """Remember a silence in place of one for the same code and project, which has this ``identifier``.

    Raises ``brain.files.errors.WriteError`` and its siblings; ``ValueError`` when there are too many.
    """
    others = [one for one in acks.said if _key(one.ack) != _key(ack)]
    if len(others) >= MOST:
        raise ValueError(f"more than {MOST} silences")
    return _saved(acks, [*others, Said(ack, when, identifier)], when)


def remove_ack(acks: Acks, code: str, project: str, *, when: str) -> Acks:
    """Forget the silence for exactly this code and project, if there is one; raises as ``add_ack``."""
    return _saved(acks, [one for one in acks.said if _key(one.ack) != (code, project)], when)


def _saved(acks: Acks, said: Iterable[Said], when: str) -> Acks:
    ordered = sorted(said, key=lambda one: _key(one.ack))
    document: dict[str, object] = {
        "schema": _SCHEMA,
        "schema_version": 1,
        "acks": [_entry(one) for one in ordered],
    }
    folder = os.path.dirname(acks.path)
    # In a fresh home the XDG folder around it may be missing as well.
    make_folder(os.path.dirname(folder))
    make_folder(folder)
    aside = f"{acks.path}.corrupt-{when.replace(':', '')}" if acks.problems and acks.seen else None
    replace_all([Write(acks.path, to_json(document).encode(), acks.seen, aside)], os.path.realpath(folder))
    return read_acks(folder)


def _entry(one: Said) -> dict[str, object]:
    ack = one.ack
    where = located(ack.project) if ack.project else {"path": ""}
    until = ack.until.isoformat() if ack.until is not None else None
    known = {"id": one.identifier} if one.identifier else {}
    return {"code": ack.code, **where, **known, "until": until, "reason": ack.reason, "since": one.since}


def _key(ack: Ack) -> tuple[str, str]:
    return (ack.code, ack.project)


def _parse(data: bytes) -> tuple[Said, ...] | None:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where something was silenced

    try:
        entries = json.loads(data)["acks"]
        return tuple(_said(entry) for entry in entries[:MOST])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        return None


def _said(entry: dict[str, object]) -> Said:
    coded, until = entry.get("path_b64"), entry.get("until")
    path = os.fsdecode(binascii.a2b_base64(str(coded), strict_mode=True)) if coded else str(entry["path"])
    day = date.fromisoformat(str(until)) if until is not None else None
    ack = Ack(str(entry["code"]), path, day, str(entry.get("reason") or ""))
    return Said(ack, str(entry["since"]), str(entry.get("id") or ""))


def _damaged(path: str, why: str) -> Problem:
    return Problem(
        "acks-damaged",
        "warning",
        path,
        f"the remembered silences cannot be used: {why}",
        "Nothing is silenced. The file is moved aside when the next silence is remembered.",
    )
