"""The bodies of memories for the dashboard, where somebody asked for them: bounded, and without secrets."""

from __future__ import annotations

from collections.abc import Iterable

from brain.health import roles
from brain.health.gather import gather_with_evidence
from brain.secrets import redact
from reports.snapshot import MISSING, Snapshot
from scanner.mounts import read_mounts
from scanner.places import Places

FILE_CAP = 64 * 1024
PROJECT_CAP = 4 * FILE_CAP
TOTAL_CAP = 64 * FILE_CAP
"""How much of one file, of one project and of all is shown, in characters."""

_SHOWN = frozenset(
    (
        *(roles.PROGRESS, roles.DECISIONS, roles.ADR, roles.TASKS, roles.NOTES, roles.BANK),
        *(roles.TOOL_MEMORY, roles.LONG_TERM, roles.DAILY, roles.REMEMBERED),
    )
)
_CUT = "[cut here, the file has more]"
_LEFT_OUT = "[left out, the page has no more room]"


def memory_bodies(snapshot: Snapshot) -> dict[str, tuple[tuple[str, str], ...]]:
    """By project path, what its memory says now: (file, relative to the project; text).

    Secrets are taken out. What is longer than the limits is cut, and says so. A project that is gone, or lies
    where nothing answers, has none.
    """
    places = Places(read_mounts())
    left = TOTAL_CAP
    found = {}
    for project in snapshot.projects:
        if project.status == MISSING or not places.answers(places.near_path(project.path)):
            continue
        bodies = tuple(_bodies(project.path, min(left, PROJECT_CAP)))
        left -= sum(len(text) for _, text in bodies)
        if bodies:
            found[project.path] = bodies
    return found


def _bodies(path: str, room: int) -> Iterable[tuple[str, str]]:
    for file in gather_with_evidence(path, wants_probes=False).memory.files:
        if file.role not in _SHOWN or not file.data:
            continue
        text = _cut(_harmless(file.data), min(room, FILE_CAP))
        room = max(0, room - len(text))
        yield file.path, text


def _harmless(data: bytes) -> str:
    """The text without secrets: taken out before it is cut, for half a secret is not known as one."""
    # Only what can be shown is searched, and some more, so that no secret ends where the search does.
    return redact(data[: 8 * FILE_CAP].decode("utf-8", "replace")).text


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    kept = text[:room].rpartition("\n")[0]
    return f"{kept}\n{_CUT}" if kept else _LEFT_OUT
