"""Cards of the index as rows and as JSON, in the shape of a scanned project."""

from __future__ import annotations

from brain.portfolio import Card
from reports.document import Document, located
from reports.snapshot import Noted
from reports.table import Row
from reports.view import parse_iso_time


def labels_of(card: Card) -> tuple[str, ...]:
    """All stacks of a card, the main one first."""
    listed = card.extras.get("stacks")
    others = [label for label in listed if isinstance(label, str)] if isinstance(listed, list) else []
    return tuple(dict.fromkeys([card.stack, *others] if card.stack else others))


def flags_of(card: Card) -> tuple[str, ...]:
    """The flags that the last scan stored, and ``pinned`` where a person overruled it."""
    stored = card.extras.get("flags")
    flags = [flag for flag in stored if isinstance(flag, str)] if isinstance(stored, list) else []
    if pins_of(card):
        flags.append("pinned")
    return tuple(flags)


def pins_of(card: Card) -> list[str]:
    """Which facts a person pinned."""
    return [key for key in ("name", "stack", "status") if card.extras.get(f"pinned_{key}") is not None]


def card_row(card: Card, noted: Noted | None = None) -> Row:
    """One card as a row; ``noted`` is what the last job saw of it."""
    risk = noted.risk if noted is not None else None
    return Row(
        status=card.status or "unknown",
        name=card.name,
        stack=card.stack,
        when=parse_iso_time(_text(card, "last_activity")),
        source=_text(card, "activity_source") or "",
        branch="",
        flags=flags_of(card),
        path=card.path,
        memory=noted.health.percent if noted is not None and noted.health is not None else None,
        next_step=noted.next_step if noted is not None else "",
        unpushed=risk.only_here if risk is not None else 0,
        changed=risk.changed if risk is not None else 0,
        stashes=risk.stashes if risk is not None else 0,
    )


def card_document(card: Card, noted: Noted | None = None) -> Document:
    """One card with the keys of a scanned project; what only a scan knows is null or empty.

    ``noted`` is what the last job saw of it.
    """
    remote = _text(card, "remote")
    return {
        "id": _text(card, "id"),
        **located(card.path),
        "name": card.name,
        "stack": card.stack,
        "stacks": [
            {"label": label, "role": None, "evidence": None, "confidence": None} for label in labels_of(card)
        ],
        "status": card.status or "unknown",
        "status_reason": None,
        "last_activity": _text(card, "last_activity"),
        "activity_source": _text(card, "activity_source"),
        "activity_confidence": None,
        "vcs": {"kind": "git", "remote": remote} if card.has_git else None,
        "git": None,
        "has_git": card.has_git,
        "bmad_installed": card.bmad_installed,
        "agent_files": [],
        "memory": [],
        "workspace": None,
        "members": [],
        "flags": list(flags_of(card)),
        "package_manager": None,
        "toolchains": {},
        "description": None,
        "health": None
        if noted is None or noted.health is None
        else {
            "percent": noted.health.percent,
            "errors": noted.health.errors,
            "warnings": noted.health.warnings,
            "tokens": noted.health.tokens,
        },
        "next_step": (noted.next_step or None) if noted is not None else None,
        "at_risk": at_risk_document(card),
        "last_scanned": card.last_scanned or None,
        "first_seen": _text(card, "first_seen"),
        "missing_since": card.missing_since or None,
        "pinned": pins_of(card),
        "card": card.file,
    }


def at_risk_document(card: Card) -> Document | None:
    """The lasting part of the work at risk, as the last scan that asked found it; changed files are none."""
    what = card.extras.get("at_risk")
    if not isinstance(what, list) or not what:
        return None
    return {
        "what": [kind for kind in what if isinstance(kind, str)],
        "commits": _count(card, "commits_only_here"),
        "stashes": _count(card, "stashes"),
        "since": _text(card, "at_risk_since"),
    }


def _count(card: Card, key: str) -> int:
    value = card.extras.get(key)
    return value if isinstance(value, int) else 0


def _text(card: Card, key: str) -> str | None:
    value = card.extras.get(key)
    return value if isinstance(value, str) and value else None
