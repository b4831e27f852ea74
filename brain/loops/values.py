"""What an open loop is."""

from __future__ import annotations

from datetime import date

from brain.value import dataclass

OVERDUE, DUE, OPEN, SNOOZED, DONE = "overdue", "due", "open", "snoozed", "done"
STATES = (OVERDUE, DUE, OPEN, SNOOZED, DONE)
"""The states, what wants a person first."""

RESTRICTION, ITEM, QUESTION, BLOCKER = "restriction", "item", "question", "blocker"
"""The kinds that no label names; the others are the tables of ``words.toml``."""


@dataclass(frozen=True, slots=True)
class Loop:
    """One thing that a memory says is open.

    ``id`` are eight hex digits of the project and the text without its box, marks and date: the same words
    are the same loop, wherever in the project they stand. ``kind`` is ``item``, ``question``, ``blocker``,
    ``restriction``, ``open-loop``, ``follow-up`` or ``waiting``. ``text`` is without secrets and cut.
    ``file`` is relative to the project at ``path`` (identifier ``project``, called ``name``), ``line`` counts
    from 1. ``due`` is None where no day in full is named; ``owner`` and ``unlock`` are empty where nobody
    says them. ``until`` is the day on which a snoozed one returns.
    """

    id: str
    kind: str
    text: str
    file: str
    line: int
    due: date | None = None
    owner: str = ""
    unlock: str = ""
    project: str = ""
    path: str = ""
    name: str = ""
    state: str = OPEN
    until: date | None = None
