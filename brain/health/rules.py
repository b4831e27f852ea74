"""All rules of memory health, in the order of their families; a new family is joined here."""

from __future__ import annotations

from brain.health import (
    alike,
    bank,
    bootstrap,
    conflicts,
    decisions,
    drift,
    entry_file,
    git_state,
    init_script,
    knowledge,
    ledgers,
    lessons,
    memory_files,
    permissions,
    progress,
    references,
    restrictions,
    secrets,
    sizes,
    smuggled,
    unrecalled,
)

VERSION = 3
"""Of the rules as a whole: a cached result of another version is none."""

ALL = (
    *progress.RULES,
    *decisions.RULES,
    *entry_file.RULES,
    *init_script.RULES,
    *bootstrap.RULES,
    *git_state.RULES,
    *bank.RULES,
    *memory_files.RULES,
    *lessons.RULES,
    *ledgers.RULES,
    *knowledge.RULES,
    *references.RULES,
    *drift.RULES,
    *restrictions.RULES,
    *secrets.RULES,
    *smuggled.RULES,
    *conflicts.RULES,
    *permissions.RULES,
    *sizes.RULES,
    *unrecalled.RULES,
    *alike.RULES,
)
"""Every rule; their codes are unique, and each has its page in ``zecher explain``."""
