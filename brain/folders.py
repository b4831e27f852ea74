"""The two folders of a project's memory, below the project, as BMAD+ names them."""

from __future__ import annotations

PROJECT_MEMORY = ".agents/memory"
"""Decisions, lessons, patterns, context and handovers, which people and agents write."""

LEDGER_FOLDER = ".bmad/memory"
"""The ledgers, which programs write."""
