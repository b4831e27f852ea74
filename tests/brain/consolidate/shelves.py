"""Notes for the tests of consolidating: written to disk, read as the program reads them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from brain.consolidate.audit import audit
from brain.consolidate.books import read_books
from brain.consolidate.planning import Planned, plan
from brain.consolidate.values import Book, Notes, Proposal

DAY = date(2026, 11, 30)
MEMORY = ".agents/memory"

RULE = "pass the time in as a parameter, never read the clock inside a function, not even once"


def lay(base: Path, files: Mapping[str, bytes], *, in_brain: bool = False) -> Notes:
    """A memory with these files of notes: names below ``.agents/memory``, or paths below ``base``."""
    for name, data in files.items():
        path = base / name if in_brain or "/" in name else base / MEMORY / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Notes(str(base), base.name, "" if in_brain else base.name, in_brain)


def books(*memories: Notes) -> tuple[Book, ...]:
    found, problems = read_books(memories)
    assert problems == ()
    return found


def proposals(*memories: Notes, brain: Notes | None = None) -> tuple[Proposal, ...]:
    return audit(books(*memories), DAY, brain=brain)


def carried(
    *memories: Notes, brain: Notes | None = None, action: str = ""
) -> tuple[Planned, dict[str, bytes]]:
    """The plan for all proposals (of ``action``), and the new content of each file by its relative path."""
    found = [one for one in proposals(*memories, brain=brain) if not action or one.action == action]
    planned = plan(books(*memories), found, DAY.isoformat())
    return planned, {change.file: change.new for change in planned.changes}
