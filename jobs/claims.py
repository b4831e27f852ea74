"""The claims of pages of knowledge, as a part of an export: a line of JSON for each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime

from brain.archive import Archive, Part
from brain.health.gather import gather_with_evidence
from brain.health.today import Today
from brain.knowledge.digest import digest


def with_claims(archive: Archive, brain: str, projects: Iterable[str], now: float) -> Archive:
    """``archive`` and the claims of the pages of ``brain`` and of ``projects`` (paths of folders), if any."""
    today = Today(datetime.fromtimestamp(now, UTC).date())
    parts = []
    for path, kind in ((brain, "brain"), *((path, "project") for path in projects)):
        gathered = gather_with_evidence(path, kind=kind, wants_probes=False)
        lines = digest(gathered.parsed.knowledge, today.reached).decode("utf-8", "replace")
        if lines:
            name = "the brain" if kind == "brain" else os.path.basename(path.rstrip(os.sep))
            parts.append(Part(f"Claims of {name}", "claims", lines.rstrip("\n"), path))
    return Archive((*archive.parts, *parts), archive.problems) if parts else archive
