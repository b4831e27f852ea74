"""The state of a memory as text and as a document: BMAD+'s figure, and beside it what is valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.memory_status import (
    BrainStatus,
    Check,
    FileStatus,
    LedgerStatus,
    MemoryStatus,
    ProjectStatus,
    Score,
)
from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, iso_time, safe_display
from scanner.value import dataclass

_SIGNS = {True: "✓", False: "✗"}


@dataclass(frozen=True, slots=True)
class Healthy:
    """How healthy a memory is: the weighted share of passed rules, None where none applied, and findings."""

    percent: int | None = None
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    silenced: int = 0


@dataclass(frozen=True, slots=True)
class Healths:
    """How healthy project and brain are; ``percent`` is that of both together."""

    project: Healthy
    brain: Healthy
    percent: int | None = None


def status_text(status: MemoryStatus, healths: Healths, home: str, index: str = "") -> str:
    """Both parts check by check, then both figures. ``home`` is written as ``~``; empty: paths are whole.

    ``index`` says in a line how the search index stands; empty: nothing of it.
    """
    project, brain = status.project, status.brain
    place = f"{below_home(brain.path, home)} ({brain.type}, {safe_display(brain.source)})"
    lines = [
        f"project  {below_home(project.path, home)}: {_words(healths.project)}",
        *_check_lines(project.checks, project.files),
        f"brain    {place}: {_words(healths.brain)}",
        *_check_lines(brain.checks, brain.files),
        *([f"index    {index}"] if index else []),
        f"health   {_health(status, healths)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _words(health: Healthy) -> str:
    """As in ``72% healthy, 1 error, 2 warnings``."""
    counts = ((health.errors, "error"), (health.warnings, "warning"), (health.infos, "hint"))
    found = [plural(count, word) for count, word in counts if count]
    return ", ".join([_percent(health.percent), *found])


def _percent(percent: int | None) -> str:
    return "nothing to judge" if percent is None else f"{percent}% healthy"


def _check_lines(checks: Sequence[Check], files: Sequence[FileStatus]) -> list[str]:
    by_path = {file.path: file for file in files if file.name in {check.name for check in checks}}
    width = max((len(check.name) for check in checks), default=0)
    return [
        f"  {_SIGNS[check.ok]} {safe_display(check.name):<{width}}  {_said(check, by_path.get(check.path))}"
        for check in checks
    ]


def _said(check: Check, file: FileStatus | None) -> str:
    if not check.ok or file is None or file.name != check.name:
        return safe_display(check.why)
    date = (iso_time(file.modified) or "")[:10]
    return ", ".join(part for part in (safe_display(check.why), f"changed {date}" if date else "") if part)


def _health(status: MemoryStatus, healths: Healths) -> str:
    mine = _percent(healths.percent)
    if status.compatible is None:
        return f"{mine}; BMAD+ shows no figure here"
    theirs = status.compatible
    part = "" if status.brain.compatible or not status.brain.present else ", the project alone"
    return f"{theirs.percent}% as BMAD+ counts ({theirs.passed} of {theirs.total}{part}), {mine}"


def status_document(status: MemoryStatus, healths: Healths) -> Document:
    """``data`` of ``zecher.memory.status``; ``compatible`` is null where BMAD+ shows no figure."""
    return {
        "project": _project_document(status.project, healths.project),
        "brain": _brain_document(status.brain, healths.brain),
        "compatible": _score(status.compatible),
        "percent": healths.percent,
    }


def _counts(health: Healthy) -> Document:
    return {
        "errors": health.errors,
        "warnings": health.warnings,
        "infos": health.infos,
        "silenced": health.silenced,
    }


def _project_document(project: ProjectStatus, health: Healthy) -> Document:
    link = project.link
    return {
        **located(project.path),
        "present": project.present,
        "files": [_file_document(file) for file in project.files],
        "percent": health.percent,
        "findings": _counts(health),
        "sessions": project.sessions,
        "ledgers": [_ledger_document(ledger) for ledger in project.ledgers],
        "link": None
        if link is None
        else {"brain": link.brain, "type": link.type, "linked_at": link.linked_at, "damaged": link.damaged},
        "context_date": project.context_date or None,
        "context_is_stale": project.context_is_stale,
        "compatible": _score(project.compatible),
        "checks": [_check_document(check) for check in project.checks],
    }


def _brain_document(brain: BrainStatus, health: Healthy) -> Document:
    return {
        **located(brain.path),
        "type": brain.type,
        "source": brain.source,
        "present": brain.present,
        "files": [_file_document(file) for file in brain.files],
        "projects": brain.projects,
        "percent": health.percent,
        "findings": _counts(health),
        "has_index": brain.has_index,
        "entry_point": brain.entry_point,
        "compatible": _score(brain.compatible),
        "checks": [_check_document(check) for check in brain.checks],
    }


def _file_document(file: FileStatus) -> Document:
    return {
        "name": file.name,
        "exists": file.exists,
        "entries": file.entries,
        "valid": file.valid,
        "modified": iso_time(file.modified),
        "headings": file.headings,
        "newest": file.newest or None,
        "why": file.why or None,
    }


def _ledger_document(ledger: LedgerStatus) -> Document:
    return {
        "name": ledger.name,
        "records": ledger.records,
        "damaged": list(ledger.damaged),
        "why": ledger.why or None,
    }


def _check_document(check: Check) -> Mapping[str, object]:
    return {"name": check.name, "ok": check.ok, "why": check.why, **located(check.path)}


def _score(score: Score | None) -> Document | None:
    if score is None:
        return None
    return {"passed": score.passed, "total": score.total, "percent": score.percent}
