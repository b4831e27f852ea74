"""Which file of a project plays which role in its memory: the names that people give them, best known first.

The names and their order were counted over public repositories. They are compared without regard to case.
"""

from __future__ import annotations

import re
from functools import lru_cache

PROGRESS = "progress"
DECISIONS = "decisions"
ADR = "adr"
ENTRY = "entry"
IMPORT = "import"
TASKS = "tasks"
INIT = "init"
NOTES = "notes"
LEDGER = "ledger"
BANK = "bank"
TOOL_MEMORY = "tool-memory"
LONG_TERM = "long-term"
DAILY = "daily"
REMEMBERED = "remembered"
WORKSPACE = "workspace"
IDENTITY = "identity"
KNOWLEDGE = "knowledge"
START = "start"

ROLES = (
    PROGRESS, DECISIONS, ADR, ENTRY, IMPORT, TASKS, INIT, NOTES, LEDGER, BANK, TOOL_MEMORY, LONG_TERM, DAILY,
    REMEMBERED, WORKSPACE, IDENTITY, KNOWLEDGE, START,
)  # fmt: skip
"""In the order of a memory's files; of the roles that a file plays the first is its own.

``IMPORT`` is what an entry file imports and plays no other role, ``START`` what says how the project is set
up and tested: a manifest, a Makefile, the README, a few test files. ``WORKSPACE`` are the pages that OpenClaw
loads besides, ``KNOWLEDGE`` those that make claims with their evidence, ``REMEMBERED`` the categories of what
was asked to be kept, in our form or in Notarium's.
"""

BANK_FOLDER = "memory-bank"
_BMAD = (".agents/memory", ".bmad/memory")
_NAMES: dict[str, tuple[str, ...]] = {
    PROGRESS: (
        "progress.md", "docs/progress.md", ".agent/progress.md", "status.md", "project_status.md", "stand.md",
        "fortschritt.md", "claude-progress.txt", "handoff.md", "handover.md", "uebergabe.md", "übergabe.md",
        "next.md", "memory-bank/activecontext.md", "memory-bank/progress.md",
    ),
    DECISIONS: (
        "decisions.md", "docs/decisions.md", "decision_log.md", "decisionlog.md", "entscheidungen.md",
        "docs/entscheidungen.md", ".agents/memory/decisions.md", ".bmad/memory/decisions.md",
        "memory-bank/decisionlog.md", "memory-bank/systempatterns.md",
    ),
    ENTRY: (
        "agents.md", "claude.md", ".claude/claude.md", "claude.local.md", "gemini.md",
        ".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules",
        "conventions.md",
    ),
    TASKS: (
        "feature_list.json", ".agent/feature_list.json", "tasks.md", "todo.md", "backlog.md", "roadmap.md",
        "memory-bank/tasks.md",
    ),
    INIT: (
        "scripts/init.sh", "init.sh", "script/setup", "script/bootstrap", "bin/setup", ".agent/init.sh",
        ".claude/settings.json",
    ),
    NOTES: tuple(
        f"{folder}/{name}.md"
        for folder in _BMAD
        for name in ("decisions", "lessons", "patterns", "context")
    ),
    LEDGER: (".bmad/memory/pattern-scores.json",),
    BANK: tuple(
        f"{BANK_FOLDER}/{name}.md"
        for name in (
            "projectbrief", "productcontext", "activecontext", "systempatterns", "techcontext", "progress",
        )
    ),
    LONG_TERM: ("memory.md",),
    WORKSPACE: ("soul.md", "user.md", "tools.md", "identity.md", "heartbeat.md", "bootstrap.md"),
    START: (
        "makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "package.json",
        "deno.json", "deno.jsonc", "pyproject.toml", "setup.cfg", "readme.md", "readme", "readme.txt",
        "readme.rst",
    ),
}  # fmt: skip
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        ENTRY,
        re.compile(
            r"\.cursor/rules/[^/]+\.mdc|\.windsurf/rules/[^/]+\.md|\.clinerules/[^/]+|\.roorules[^/]*|\.roo/rules/[^/]+"
        ),
    ),
    (NOTES, re.compile(r"(?:\.agents|\.bmad)/memory/sessions/[^/]+\.md")),
    (REMEMBERED, re.compile(r"(?:\.agents/memory/notes|\.notarium/memory(?:/[^/]+)?)/[^/]+\.md")),
    (LEDGER, re.compile(r"\.bmad/memory/[^/]+\.ndjson")),
    (DAILY, re.compile(r"memory/\d{4}-\d\d-\d\d[^/]*\.md")),
    (TOOL_MEMORY, re.compile(r"(?:~/\.claude/projects/[^/]+/)?memory/(?!\d{4}-\d\d-\d\d)[^/]+\.md")),
    (
        START,
        re.compile(
            r"(?:tests?|spec|__tests__)/(?:test_[^/]*\.py|[^/]*[._](?:test|spec)\.[a-z]{1,4}|[^/]*_test\.(?:go|py|rs|rb)|[^/]*tests?\.(?:php|java|cs|swift))"
        ),
    ),
    (
        ADR,
        re.compile(
            r"(?:docs?/adrs?|adr|docs/decisions|docs/architecture/decisions|documentation/adr|packages/[^/]+/adr)/[^/]+\.md"
        ),
    ),
)
ADR_FOLDERS = (
    "docs/adr", "doc/adr", "docs/adrs", "adr", "docs/decisions", "docs/architecture/decisions",
    "documentation/adr",
)  # fmt: skip
SOURCE_FOLDERS = ("src", "lib")
"""Folders whose names tell whether tests stand beside what they test."""
_EXACT: dict[str, dict[str, int]] = {}
for _role, _some in _NAMES.items():
    for _rank, _name in enumerate(_some):
        _EXACT.setdefault(_name, {})[_role] = _rank

_PATTERN_RANK = 100


@lru_cache(maxsize=16384)
def roles_of(path: str) -> dict[str, int]:
    """The roles that a file at ``path`` (relative, with ``/``) may play, each with its rank, 0 first."""
    folded = path.lower()
    found = dict(_EXACT.get(folded) or _EXACT.get(folded.replace("u\u0308", "\u00fc"), {}))
    for role, pattern in _PATTERNS:
        if role not in found and pattern.fullmatch(folded):
            found[role] = _PATTERN_RANK
    return found


def main_role(path: str) -> str:
    """The first role that ``path`` plays in the order of ``ROLES``, empty for none."""
    found = roles_of(path)
    # Notes are the house's own form, and a ledger is nothing else.
    for role in (NOTES, *ROLES):
        if role in found:
            return role
    return ""


def names_in(folder: str) -> frozenset[str]:
    """The folded names that have a role in ``folder``, relative and folded, empty for the project's own."""
    return _by_folder().get(folder, frozenset())


@lru_cache(maxsize=1)
def _by_folder() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for path in _EXACT:
        folder, _, name = path.rpartition("/")
        found.setdefault(folder, set()).add(name)
    return {folder: frozenset(names) for folder, names in found.items()}


def is_handover(path: str) -> bool:
    """Whether a change of ``path`` alone moves no code on: progress, decisions, notes, banks, ledgers."""
    return not _HANDED_OVER.isdisjoint(roles_of(path))


_HANDED_OVER = frozenset(
    (PROGRESS, DECISIONS, ADR, NOTES, LEDGER, BANK, TOOL_MEMORY, LONG_TERM, DAILY, REMEMBERED)
)
