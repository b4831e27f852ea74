"""Which file of a project plays which role in its memory: the names that people give them, best known first.

The names and their order were counted over public repositories. They are compared without regard to case.
"""

from __future__ import annotations

PROGRESS = "progress"
DECISIONS = "decisions"
ADR = "adr"
ENTRY = "entry"
IMPORT = "import"
TASKS = "tasks"
INIT = "init"
TOOL_MEMORY = "tool-memory"
BANK = "bank"
NOTES = "notes"
LEDGER = "ledger"
DAILY = "daily"
LONG_TERM = "long-term"
IDENTITY = "identity"
START = "start"

ROLES = (
    PROGRESS, DECISIONS, ADR, ENTRY, IMPORT, TASKS, INIT, NOTES, LEDGER,
    BANK, TOOL_MEMORY, LONG_TERM, DAILY, IDENTITY, START,
)  # fmt: skip
"""In the order of a memory's files. ``IMPORT`` is what an entry file imports and plays no other role,
``START`` a file that says how the project is set up and tested: a manifest, a Makefile, the README."""


def roles_of(path: str) -> dict[str, int]:
    """The roles that a file at ``path`` (relative, with ``/``) may play, each with its rank, 0 first."""
    raise NotImplementedError


def handover_paths(paths: object) -> tuple[str, ...]:
    """Those of ``paths`` whose change alone moves no code on: progress, decisions, notes, banks, ledgers."""
    raise NotImplementedError
