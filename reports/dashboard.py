"""The dashboard: one HTML file that needs nothing else, of what a run saw."""

from __future__ import annotations

import os
from binascii import b2a_base64
from collections.abc import Iterable
from hashlib import sha256

from brain.wording import plural
from reports.dashboard_blocks import action, brain_words, charts, heading, rules, runs, status_counts, tiles
from reports.dashboard_rows import (
    Details,
    Notes,
    Quiet,
    Room,
    cut,
    findings_by_project,
    ordered,
    project_details,
    project_row,
    shown_finding,
    usual_fixes,
)
from reports.privacy import Places
from reports.render import render_html
from reports.todo import first_things
from reports.view import safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reports.snapshot import Snapshot

SIZE = 400 * 1024
"""How many bytes the page of 500 projects may have; more projects may have more, each its part."""

_ACTIONS = 7
_ROOMS = (
    *(Room(12, 600), Room(6, 400), Room(4, 300)),
    *(Room(4, 250, fixes=False), Room(3, 160, fixes=False), Room(2, 120, fixes=False)),
    *(Room(1, 90, fixes=False), Room(1, 60, fixes=False), Room(0, 40, fixes=False)),
)
"""The room of each project's details, less and less until the page is small enough."""

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


def dashboard_html(
    snapshot: Snapshot, now: float, *, redact_paths: bool = False, notes: Notes | None = None
) -> str:
    """The page for ``snapshot`` as it reads at ``now`` (epoch seconds). The same makes the same text.

    ``redact_paths`` leaves out every path; ``notes`` (by project path) adds bodies of memories, which the
    limit of size does not count.
    """
    page = ""
    limit = SIZE * max(1.0, len(snapshot.projects) / 500) + _size_of(notes)
    for room in _ROOMS:
        page = render_html("dashboard.html.j2", **_page(snapshot, now, redact_paths, notes or {}, room))
        if len(page) * 3 < limit or len(page.encode()) <= limit:
            break
    return page


def _size_of(notes: Notes | None) -> int:
    return sum(
        2 * len(text.encode("utf-8", "replace")) for files in (notes or {}).values() for _, text in files
    )


def _page(snapshot: Snapshot, now: float, redact_paths: bool, notes: Notes, room: Room) -> dict[str, object]:
    """All that the template shows."""
    places = Places(snapshot.home, _known_paths(snapshot), redact=redact_paths)
    projects = ordered(snapshot.projects)
    findings, usual = findings_by_project(snapshot), usual_fixes(snapshot)
    details = [
        project_details(
            one,
            number,
            places,
            findings=findings.get(one.path, ()),
            usual=usual,
            notes=notes.get(one.path, ()),
            room=room,
        )
        for number, one in enumerate(projects, start=1)
    ]
    mends = [(safe_display(code), cut(places.text(fix), 600)) for code, fix in usual.items() if fix]
    first, more = first_things(snapshot.todo, _ACTIONS)
    style, script = _source("dashboard.css"), _source("dashboard.js")
    return {
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "taken": snapshot.taken,
        **heading(snapshot, now, places),
        "tiles": tiles(snapshot, projects),
        "actions": [action(one, snapshot, places) for one in first],
        "more_actions": more + max(0, len(snapshot.actions) - len(snapshot.todo)),
        "charts": charts(snapshot, projects, now),
        "counts": status_counts(projects),
        "rows": [project_row(one, number, now, places) for number, one in enumerate(projects, start=1)],
        "details": [one for one in details if isinstance(one, Details)],
        "quiet": [one for one in details if isinstance(one, Quiet)],
        "brain_words": brain_words(snapshot),
        "quiet_words": plural(sum(isinstance(one, Quiet) for one in details), "project"),
        "brain": [
            shown_finding(one, places, usual, room)
            for one in findings.get(snapshot.brain_path, ())[: room.findings]
        ],
        "mends": [] if room.fixes else mends,
        "findings_cut": room != _ROOMS[0],
        "runs": runs(snapshot, places),
        "rules": rules(snapshot),
        "version": safe_display(snapshot.tool_version),
        "redacted": redact_paths,
    }


def _known_paths(snapshot: Snapshot) -> Iterable[str]:
    yield from (project.path for project in snapshot.projects)
    yield from (snapshot.brain_path, snapshot.export)
    yield from (problem.path for problem in snapshot.problems)


def _source(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read().strip()


def _hash(text: str) -> str:
    """How a content security policy names ``text``."""
    return "sha256-" + b2a_base64(sha256(text.encode()).digest(), newline=False).decode("ascii")
