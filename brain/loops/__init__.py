"""Open loops: what was written down to be done, asked, awaited or lifted, and when it is due."""

from __future__ import annotations

from brain.loops.reading import loops_of
from brain.loops.states import Mark, counted, in_order, judged
from brain.loops.values import DONE, DUE, OPEN, OVERDUE, SNOOZED, STATES, Loop

__all__ = [
    "DONE",
    "DUE",
    "OPEN",
    "OVERDUE",
    "SNOOZED",
    "STATES",
    "Loop",
    "Mark",
    "counted",
    "in_order",
    "judged",
    "loops_of",
]
