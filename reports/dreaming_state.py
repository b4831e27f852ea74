"""How the dreaming of a workspace stands, in a line and as a document."""

from __future__ import annotations

from collections.abc import Mapping

from brain.wording import plural
from reports.document import Document
from reports.view import safe_display


def dreaming_line(facts: Mapping[str, object]) -> str:
    """As in ``2 proposed, 5 near misses on 2026-12-01 (ok); next Wed 2026-12-02 03:47``."""
    last = facts["lastRun"]
    parts = []
    if last is None:
        parts.append("never looked at")
    else:
        parts.append(
            f"{facts['proposed']} proposed, {facts['nearMisses']} near, {facts['promoted']} promoted "
            f"on {str(last)[:10]} ({facts['outcome']})"
        )
    unchanged = facts["unchangedRuns"]
    if isinstance(unchanged, int) and unchanged:
        parts.append(f"unchanged since {plural(unchanged, 'run')}")
    parts.append(f"next {facts['nextLocal']}" if facts["enabled"] else "the job is off")
    return safe_display("; ".join(parts))


def dreaming_document(facts: Mapping[str, object]) -> Document:
    """``dreaming`` of ``zecher.memory.status``."""
    return {key: value for key, value in facts.items() if key != "nextLocal"}
