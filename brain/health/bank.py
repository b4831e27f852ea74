"""Memory banks, the folder of six files that some assistants keep: one rule, ``bank-core``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from brain.health import roles
from brain.health.finding import count, finding
from brain.health.progress_history import stale
from brain.health.values import INFO, LOW, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

CORE = (
    "projectbrief.md", "productContext.md", "activeContext.md", "systemPatterns.md", "techContext.md",
    "progress.md",
)  # fmt: skip
# These follow the work; the others change rarely.
_MOVING = frozenset({"activecontext.md", "progress.md"})


def _core(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project":
        return None
    read = [
        file.path
        for role in (roles.BANK, roles.PROGRESS)
        for file in parsed.files(role)
        if posixpath.basename(posixpath.dirname(file.path)) == "memory-bank"
    ]
    if not read:
        return None
    folder = posixpath.dirname(read[0])
    paths = {path for path in (*read, *parsed.memory.names) if posixpath.dirname(path) == folder}
    there = {posixpath.basename(path).casefold() for path in paths}
    missing = [name for name in CORE if name.casefold() not in there]
    findings = []
    if missing:
        message = f"{count(len(missing), 'file')} of a memory bank's six missing: {', '.join(missing)}."
        fix = f"Write them in {folder}/, or say in the rules that this bank goes without."
        findings.append(finding(parsed, INFO, "bank-core", message, fix, file=folder))
    return [*findings, *_left_behind(parsed, folder)]


def _left_behind(parsed: ParsedMemory, folder: str) -> list[Finding]:
    git = parsed.memory.git
    if git is None or parsed.memory.status != "active":
        return []
    return [
        one
        for history in git.histories
        if history.changes
        and posixpath.dirname(history.path) == folder
        and posixpath.basename(history.path).casefold() in _MOVING
        for one in stale(parsed, history, "bank-core", INFO)
    ]


RULES = (Rule("bank-core", LOW, "The memory bank has its six files, and they keep up with the work.", _core),)
