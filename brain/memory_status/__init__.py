"""How a project's memory and its brain are: BMAD+'s own figure, and beside it whether the memory is valid.

BMAD+ asks whether names exist; a folder called ``decisions.md`` passes. Our checks ask whether each file can
be read, is well-formed and says more than its template, whether ledgers are whole, the record of the brain
true and the context current. Everything is read, nothing written.
"""

from __future__ import annotations

from brain.locate import Brain
from brain.memory_status.brain_part import brain_status
from brain.memory_status.project_part import project_status
from brain.memory_status.values import (
    BrainStatus,
    Check,
    FileStatus,
    LedgerStatus,
    MemoryStatus,
    ProjectStatus,
    Score,
)

__all__ = [
    "BrainStatus",
    "Check",
    "FileStatus",
    "LedgerStatus",
    "MemoryStatus",
    "ProjectStatus",
    "Score",
    "memory_status",
]


def memory_status(project: str, brain: Brain, *, now: float) -> MemoryStatus:
    """The state of the memory of ``project`` (an absolute path) and of its ``brain``.

    ``now`` is in epoch seconds. Never raises: what cannot be read is a check that fails, with the reason.
    """
    mine, linked = project_status(project, brain, now=now), brain_status(brain)
    parts = [score for score in (mine.compatible, linked.compatible) if score]
    return MemoryStatus(
        project=mine,
        brain=linked,
        compatible=Score(sum(one.passed for one in parts), sum(one.total for one in parts))
        if parts
        else None,
    )
