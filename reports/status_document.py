"""The state of the portfolio as the document for programs."""

from __future__ import annotations

from collections.abc import Mapping

from reports.actions import Action, age_days, at_risk
from reports.document import Document, located, unsaved_document
from reports.dreaming_state import outlook_document
from reports.snapshot import Snapshot
from reports.status import LeftBehind, PortfolioStatus, details, memory_change
from reports.view import iso_time
from scanner.project import Project, Unsaved


def status_document(status: PortfolioStatus, *, now: float, home: str) -> Document:
    """``data`` of ``zecher.status``; ``nightly`` is null until it ran, ``memory`` until a job saw it."""
    risky = at_risk(status.projects)
    return {
        "portfolio": {
            "projects": sum(status.counts.values()),
            **status.counts,
            "skipped": status.skipped,
            "unversioned": status.unversioned,
            "elsewhere": status.elsewhere,
            "submodules": status.submodules,
        },
        "at_risk": {
            "ok": status.is_safe,
            "projects": [_risk_document(project, status.identifiers, now) for project in risky],
            "unknown": [located(path) for path in status.unknown],
        },
        "loose_ends": [
            {
                "id": status.identifiers.get(one.path),
                **located(one.path),
                "name": one.name,
                "flags": list(ends),
                "git": unsaved_document(one.git or Unsaved()),
            }
            for one, ends in status.loose
        ],
        "nightly": None if status.nightly is None else dict(status.nightly),
        "memory": None if status.seen is None else _memory_document(status.seen),
        "loops": dict(status.loops) or None,
        "dreaming": None if status.dreaming is None else outlook_document(status.dreaming, now),
        "orphans": [_orphan_document(one) for one in status.orphans],
        "actions": [
            _action_document(action, rank, now) for rank, action in enumerate(status.actions(home), start=1)
        ],
        "silenced": status.silenced_actions,
    }


def _memory_document(seen: Snapshot) -> Document:
    change = memory_change(seen)
    return {
        "percent": seen.health,
        "change": None if change is None else change[0],
        "compared_with": None if change is None else change[1],
        "brain_percent": None if seen.brain_health is None else seen.brain_health.percent,
        "errors": seen.finding_counts.get("error", 0),
        "warnings": seen.finding_counts.get("warning", 0),
        "silenced": seen.silenced,
        "review": len(seen.review),
        "tokens": seen.tokens,
        "as_of": iso_time(seen.taken),
        "job": seen.job,
    }


def _risk_document(project: Project, identifiers: Mapping[str, str], now: float) -> Document:
    git = project.git or Unsaved()
    since = git.risk.since if git.risk is not None else None
    return {
        "id": identifiers.get(project.path),
        **located(project.path),
        "name": project.name,
        "status": project.status.value,
        "what": list(git.risk.what) if git.risk is not None else [],
        "count": git.risk.count if git.risk is not None else 0,
        "since": iso_time(since),
        "age_days": age_days(since, now),
        "detail": list(details(git)),
        "flags": list(project.flags),
        "git": unsaved_document(git),
    }


def _action_document(action: Action, rank: int, now: float) -> Document:
    return {
        "rank": rank,
        "project": action.name,
        **located(action.path),
        "fact": action.fact,
        "why": action.why,
        "command": action.command,
        "code": action.code,
        "age": age_days(action.since, now),
        "since": iso_time(action.since),
    }


def _orphan_document(one: LeftBehind) -> Document:
    return {
        "folder": located(one.folder),
        "memory": located(one.memory),
        "files": one.files,
        "ambiguous": one.ambiguous,
        "moved_to": located(one.moved_to) if one.moved_to else None,
    }
