"""The projects on the dashboard: a row each in the table, and the details below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.privacy import Places
from reports.snapshot import FindingNote, Noted, RiskNote, Snapshot
from reports.view import idle, idle_days, iso_time, safe_display
from scanner.value import dataclass

STATUSES = ("active", "paused", "archived", "unknown", "missing")

Notes = Mapping[str, Sequence[tuple[str, str]]]
"""The memory of projects: by project path (file, text)."""

_STEP = 72
"""How many characters of a next step stand in the table; the details have it whole."""


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One row of the table. ``target`` is the anchor of its details, empty without any.

    ``days`` and ``pieces`` (of work at risk) are what their columns are sorted by; ``percent`` and ``tokens``
    are None where nobody measured.
    """

    target: str
    name: str
    status: str
    stack: str
    idle: str
    days: int | None
    risk: str
    pieces: int
    percent: int | None
    tokens: int | None
    next_step: str
    path: str


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """One finding: ``place`` is ``file:line``."""

    code: str
    level: str
    message: str
    place: str
    fix: str


@dataclass(frozen=True, slots=True)
class Details:
    """All about one project that the table has no room for.

    ``gist`` is what is wrong in a few words. ``more`` counts the findings beyond those shown. ``notes`` are
    (file, lines) of its memory.
    """

    target: str
    name: str
    status: str
    gist: str
    facts: tuple[tuple[str, str], ...]
    findings: tuple[ShownFinding, ...]
    more: int
    notes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Quiet:
    """A project with nothing to do: why its status is what it is."""

    target: str
    name: str
    why: str


def ordered(projects: Sequence[Noted]) -> list[Noted]:
    """As the table shows them first: by status, those worked on last before the others."""
    return sorted(
        projects,
        key=lambda one: (rank(one.status), -(one.last_activity or 0.0), one.name.casefold(), one.path),
    )


def rank(status: str) -> int:
    """The place of a status among all."""
    return STATUSES.index(status) if status in STATUSES else len(STATUSES)


def project_row(project: Noted, number: int, now: float, places: Places) -> ProjectRow:
    """The row of ``project``, the ``number``-th on the page."""
    health, risk = project.health, project.risk
    step = places.text(project.next_step)
    return ProjectRow(
        target=f"p{number}",
        name=safe_display(project.name) or "(no name)",
        status=safe_display(project.status),
        stack=safe_display(project.stack),
        idle=idle(project.last_activity, now),
        days=idle_days(project.last_activity, now),
        risk=risk_words(project),
        pieces=pieces_at_risk(risk) if risk is not None else len(project.risks),
        percent=health.percent if health is not None else None,
        tokens=health.tokens if health is not None else None,
        next_step=step if len(step) <= _STEP else step[: _STEP - 1].rstrip() + "…",
        path=places.path(project.path),
    )


def risk_words(project: Noted) -> str:
    """What exists only here, in a few words; empty when all is safe."""
    risk = project.risk
    if risk is None:
        return ", ".join(safe_display(kind) for kind in project.risks)
    words = []
    if risk.changed:
        words.append(f"{risk.changed:,}{'+' if risk.changed_capped else ''} changed")
    if risk.only_here:
        words.append(f"{risk.only_here:,}{'+' if risk.capped else ''} unpushed")
    if risk.stashes:
        words.append(plural(risk.stashes, "stash", "stashes"))
    if risk.in_progress:
        words.append(safe_display(risk.in_progress))
    if risk.no_remote:
        words.append("no remote")
    return ", ".join(words) or ", ".join(safe_display(kind) for kind in project.risks)


def pieces_at_risk(risk: RiskNote) -> int:
    """Files, commits, stashes and states that would be lost, counted together."""
    return risk.changed + risk.only_here + risk.stashes + bool(risk.in_progress) + risk.no_remote


def findings_by_project(snapshot: Snapshot) -> dict[str, list[FindingNote]]:
    """The findings by the path of their project, in their order."""
    found: dict[str, list[FindingNote]] = {}
    for finding in snapshot.findings:
        found.setdefault(finding.path, []).append(finding)
    return found


def project_details(
    project: Noted,
    number: int,
    places: Places,
    *,
    findings: Sequence[FindingNote] = (),
    notes: Sequence[tuple[str, str]] = (),
    room: int,
) -> Details | Quiet:
    """The details of ``project`` with at most ``room`` findings; a line for one with nothing to do."""
    target = f"p{number}"
    name = safe_display(project.name) or "(no name)"
    if not (findings or project.risks or project.risk or notes or len(project.next_step) > _STEP):
        return Quiet(target, name, places.text(project.reason))
    return Details(
        target=target,
        name=name,
        status=safe_display(project.status),
        gist=_gist(project, findings),
        facts=tuple(_facts(project, places)),
        findings=tuple(shown_finding(one, places) for one in findings[:room]),
        more=max(0, _counted(project, findings) - min(room, len(findings))),
        notes=tuple(
            (safe_display(file), tuple(map(safe_display, text.splitlines()))) for file, text in notes
        ),
    )


def shown_finding(finding: FindingNote, places: Places) -> ShownFinding:
    """One finding, made harmless."""
    place = f"{finding.file}:{finding.line}" if finding.file and finding.line else finding.file
    return ShownFinding(
        code=safe_display(finding.code),
        level=safe_display(finding.level),
        message=places.text(finding.message),
        place=safe_display(place),
        fix=places.text(finding.fix),
    )


def _counted(project: Noted, findings: Sequence[FindingNote]) -> int:
    health = project.health
    return max(len(findings), health.errors + health.warnings if health is not None else 0)


def _gist(project: Noted, findings: Sequence[FindingNote]) -> str:
    health = project.health
    errors = health.errors if health is not None else sum(one.level == "error" for one in findings)
    warnings = _counted(project, findings) - errors
    words = [
        plural(errors, "error") if errors else "",
        plural(warnings, "warning") if warnings > 0 else "",
        risk_words(project),
    ]
    return ", ".join(word for word in words if word)


def _facts(project: Noted, places: Places) -> list[tuple[str, str]]:
    risk, health = project.risk, project.health
    since = (iso_time(risk.since) or "")[:10] if risk is not None else ""
    others = [label for label in project.labels if label != project.stack]
    facts = [
        ("Why " + safe_display(project.status), places.text(project.reason)),
        ("Next step", places.text(project.next_step)),
        ("At risk", risk_words(project) + (f", since {since}" if since else "")),
        ("Branches", ", ".join(places.text(name) for name in risk.branches) if risk is not None else ""),
        ("Also", safe_display(", ".join(others))),
        ("Silenced", f"{health.silenced:,}" if health is not None and health.silenced else ""),
    ]
    return [(label, words) for label, words in facts if words]
