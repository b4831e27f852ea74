"""The projects on the dashboard: a row each in the table, and the details below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.privacy import Places
from reports.snapshot import FindingNote, HealthNote, Noted, RiskNote, Snapshot
from reports.view import idle, idle_days, iso_time, safe_display
from scanner.value import dataclass

STATUSES = ("active", "paused", "archived", "unknown", "missing")

Notes = Mapping[str, Sequence[tuple[str, str]]]
"""The memory of projects: by project path (file, text)."""

_STEP, _NAME, _PATH = 72, 80, 160
"""How many characters of a next step, a name, a path stand in the table; the details have a step whole."""


@dataclass(frozen=True, slots=True)
class Room:
    """What the details of one project may take: so many ``findings``, so many ``letters`` a text.

    Without ``fixes`` a finding says how to mend it only where that is not what is usual for its code.
    """

    findings: int
    letters: int
    fixes: bool = True


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
        name=shown_name(project),
        status=safe_display(project.status),
        stack=cut(safe_display(project.stack), _NAME),
        idle=idle(project.last_activity, now),
        days=idle_days(project.last_activity, now),
        risk=risk_words(project),
        pieces=pieces_at_risk(risk) if risk is not None else len(project.risks),
        percent=health.percent if health is not None else None,
        tokens=health.tokens if health is not None else None,
        next_step=cut(step, _STEP),
        path=cut(places.path(project.path), _PATH),
    )


def shown_name(project: Noted) -> str:
    """The name of ``project``, harmless and of bearable length."""
    return cut(safe_display(project.name), _NAME) or "(no name)"


def cut(text: str, letters: int) -> str:
    """``text``, or its beginning with an ellipsis where it is longer than that."""
    if len(text) <= letters:
        return text
    begun = text[: letters - 1]
    whole = begun.rpartition(" ")[0]  # between words, unless one of them is most of it
    return (whole if 2 * len(whole) > letters else begun).rstrip() + "…"


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


def usual_fixes(snapshot: Snapshot) -> dict[str, str]:
    """How findings of each code are mended: as the first of them says."""
    found: dict[str, str] = {}
    for finding in snapshot.findings:
        found.setdefault(finding.code, finding.fix)
    return dict(sorted(found.items()))


def project_details(
    project: Noted,
    number: int,
    places: Places,
    *,
    findings: Sequence[FindingNote] = (),
    usual: Mapping[str, str],
    notes: Sequence[tuple[str, str]] = (),
    room: Room,
) -> Details | Quiet:
    """The details of ``project`` as far as there is ``room``; a line for one with nothing to do."""
    target = f"p{number}"
    name = shown_name(project)
    if not (findings or project.risks or project.risk or notes or len(project.next_step) > _STEP):
        return Quiet(target, name, cut(places.text(project.reason), room.letters))
    return Details(
        target=target,
        name=name,
        status=safe_display(project.status),
        gist=_gist(project, findings),
        facts=tuple((label, cut(words, room.letters)) for label, words in _facts(project, places, room)),
        findings=tuple(shown_finding(one, places, usual, room) for one in findings[: room.findings]),
        more=max(0, sum(_counted(project, findings)) - min(room.findings, len(findings))),
        notes=tuple(
            (safe_display(file), tuple(map(safe_display, text.splitlines()))) for file, text in notes
        ),
    )


def shown_finding(finding: FindingNote, places: Places, usual: Mapping[str, str], room: Room) -> ShownFinding:
    """One finding, made harmless; ``usual`` says how findings of its code are mended, by code."""
    is_usual = usual.get(finding.code) == finding.fix
    place = f"{finding.file}:{finding.line}" if finding.file and finding.line else finding.file
    return ShownFinding(
        code=safe_display(finding.code),
        level=safe_display(finding.level),
        message=cut(places.text(finding.message), room.letters),
        place=cut(safe_display(place), room.letters),
        fix="" if is_usual and not room.fixes else cut(places.text(finding.fix), room.letters),
    )


def _counted(project: Noted, findings: Sequence[FindingNote]) -> tuple[int, int]:
    """Errors and warnings; those that were counted may be more than those that were kept."""
    errors = sum(one.level == "error" for one in findings)
    health = project.health or HealthNote()
    return max(errors, health.errors), max(len(findings) - errors, health.warnings)


def _gist(project: Noted, findings: Sequence[FindingNote]) -> str:
    errors, warnings = _counted(project, findings)
    words = [
        plural(errors, "error") if errors else "",
        plural(warnings, "warning") if warnings else "",
        risk_words(project),
    ]
    return ", ".join(word for word in words if word)


def _facts(project: Noted, places: Places, room: Room) -> list[tuple[str, str]]:
    risk, health = project.risk, project.health
    step = places.text(project.next_step)
    since = (iso_time(risk.since) or "")[:10] if risk is not None else ""
    others = [label for label in project.labels if label != project.stack]
    facts = [
        ("Why " + safe_display(project.status), places.text(project.reason)),
        ("Next step", step if min(len(step), room.letters) > _STEP else ""),
        ("At risk", risk_words(project) + (f", since {since}" if since else "")),
        ("Branches", ", ".join(places.text(name) for name in risk.branches) if risk is not None else ""),
        ("Also", safe_display(", ".join(others))),
        ("Silenced", f"{health.silenced:,}" if health is not None and health.silenced else ""),
    ]
    return [(label, words) for label, words in facts if words]
