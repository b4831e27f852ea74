"""The memory of a project and its brain, as jobs and commands work on it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain.locate import Brain, locate_brain
from brain.portfolio import read_portfolio
from jobs.settings import MemorySettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.archive import Part
    from brain.entries.add import Added
    from brain.initialise import Initialised, InitPlan
    from brain.memory_status import MemoryStatus
    from brain.problem import Problem as BrainProblem

MEMORY = os.path.join(".agents", "memory")

# How long a command waits for another writer: one writes for milliseconds, so that longer means trouble.
LOCK_SECONDS = 2.0


def linked_brain(settings: MemorySettings) -> Brain:
    """The brain that belongs to the project: the one that was named, else by the five rules."""
    return locate_brain(
        settings.project, home=settings.home, environ=settings.environ, override=settings.override
    )


def indexed_projects(settings: MemorySettings) -> list[tuple[str, str]]:
    """Name and path of every project of the index; those that went missing too."""
    return [(card.name, card.path) for card in read_portfolio(settings.index_brain).cards]


def status(settings: MemorySettings, brain: Brain) -> MemoryStatus:
    """The state of project memory and ``brain``."""
    from brain.memory_status import memory_status  # noqa: PLC0415 - start-up: only for the status

    return memory_status(settings.project, brain, now=settings.now)


class Exported:
    """An export that was written.

    ``parts`` are in it, ``redacted`` counts the secrets that were replaced, ``problems`` name what is not.
    """

    __slots__ = ("file", "parts", "problems", "redacted")

    def __init__(
        self, file: str, parts: tuple[Part, ...], redacted: int, problems: tuple[BrainProblem, ...]
    ) -> None:
        self.file = file
        self.parts = parts
        self.redacted = redacted
        self.problems = problems


def export(settings: MemorySettings, brain: Brain, *, output: str | None, redact: bool) -> Exported:
    """Write the brain and the facts of the project's ledgers into one Markdown file.

    ``output`` is the absolute path of a folder or of the file itself, None for the project's folder. Raises
    ``NoBrainError``, and ``WriteError`` when the file cannot be written.
    """
    from brain.archive import archive_name, collect, place  # noqa: PLC0415 - start-up: only to export
    from reports.export import export_markdown  # noqa: PLC0415 - as above

    archive = collect(brain, settings.project)
    text, redacted = export_markdown(archive, settings.now, redact=redact)
    folder, name = output or settings.project, archive_name(settings.now)
    if not os.path.isdir(folder):
        folder, name = os.path.split(folder)
    file = place(folder, name, text.encode())
    return Exported(file, archive.parts, redacted, archive.problems)


def plan(settings: MemorySettings, *, user: str | None, language: str | None) -> InitPlan:
    """What is missing in project and brain; a person who does not say their name is called as they log in."""
    from brain.initialise import plan_init  # noqa: PLC0415 - start-up: only to initialise

    environ = settings.environ
    return plan_init(
        settings.project,
        linked_brain(settings),
        now=settings.now,
        user=user or environ.get("USER") or environ.get("LOGNAME") or "",
        language=language or "English",
    )


def dry(planned: InitPlan) -> Initialised:
    """What carrying out the plan would create and keep."""
    from brain.initialise import Initialised  # noqa: PLC0415 - as above

    return Initialised(
        tuple(one.path for one in planned.creates), planned.keeps, planned.notes, planned.problems
    )


def initialise(planned: InitPlan) -> Initialised:
    """Carry out the plan."""
    from brain.initialise import apply_init  # noqa: PLC0415 - as above

    return apply_init(planned, wait=LOCK_SECONDS)


def fields_of(kind: str) -> tuple[str, ...]:
    """The canonical names of the fields that an entry of ``kind`` (decisions, lessons, patterns) has."""
    from brain.entries.fields import words  # noqa: PLC0415 - start-up: only to add an entry

    return words().kinds[kind].fields


def add(settings: MemorySettings, kind: str, title: str, fields: Mapping[str, str]) -> Added:
    """Add an entry to the project's memory, dated today (UTC)."""
    from brain.entries.add import add_entry  # noqa: PLC0415 - as above

    return add_entry(
        os.path.join(settings.project, MEMORY),
        kind,
        title,
        fields,
        now=settings.now,
        base=settings.project,
        project=os.path.basename(settings.project),
        wait=LOCK_SECONDS,
    )
