"""Small memories on a real disk."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import NOW, write

S0_NOW = 1_792_376_028.840
S0: dict[str, object] = {
    "ts": "2026-10-19T02:13:48.840Z",
    "agent": "atelier",
    "cli": "claude-code",
    "model": None,
    "task": "Design read for the Orbit landing page: one job, the loyalty card sign-up",
    "outcome": "success",
    "signals": {"ci": "pass"},
    "artifactHashes": [],
    "id": "912e91734848",
}


def event(task: str, **other: object) -> dict[str, object]:
    return {"ts": NOW * 1000, "agent": "", "task": task, "signals": {}, "id": task[:5], **other}


def journal(project: Path, *events: dict[str, object]) -> Path:
    lines = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in events)
    return write(project / ".bmad/memory/journal.ndjson", lines)


def notes(project: Path, text: str, *, name: str = "decisions.md", folder: str = ".agents/memory") -> Path:
    return write(project / folder / name, text)
