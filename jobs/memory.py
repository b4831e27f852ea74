"""The memory of a project and its brain, as jobs and commands work on it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain.folders import PROJECT_MEMORY
from brain.locate import Brain, locate_brain
from jobs.config import load_configuration
from jobs.errors import ExpectedError, UsageError
from jobs.places import brain_override, index_brain
from jobs.surroundings import Surroundings
from jobs.typed import Typed
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.archive import Part
    from brain.entries.add import Added
    from brain.initialise import Initialised, InitPlan
    from brain.memory_status import MemoryStatus
    from brain.problem import Problem as BrainProblem

# How long a command waits for another writer: one writes for milliseconds, so that longer means trouble.
LOCK_SECONDS = 2.0

_PROJECT_MARKS = (".git", ".agents", ".bmad", ".notarium")


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What a command needs that works on the memory of one project and its brain.

    ``project`` is the real path of an existing folder: links that lead to it are resolved here, once; links
    below it are refused by the brain. ``named`` is its absolute path as the person wrote it, for the question
    which brain lies above it. ``index_brain`` holds the index; ``override`` is (path, source) of the
    brain that was named, which then wins over the five rules.
    """

    project: str
    named: str
    index_brain: str
    override: tuple[str, str] | None
    environ: Mapping[str, str]
    home: str
    now: float


def memory_settings(typed: Typed, surroundings: Surroundings) -> MemorySettings:
    """For the project that ``-d`` names, else the current folder; ``ExpectedError`` if that is none."""
    configuration = load_configuration(surroundings, typed.text("config"))
    return MemorySettings(
        project=project_folder(typed, surroundings),
        named=_named(typed, surroundings),
        index_brain=index_brain(typed, surroundings, configuration),
        override=brain_override(typed, surroundings, configuration),
        environ=surroundings.environ,
        home=surroundings.home,
        now=surroundings.now,
    )


def project_folder(typed: Typed, surroundings: Surroundings) -> str:
    """The real path of the folder that ``-d`` names, else of the current one."""
    named = _named(typed, surroundings)
    if not os.path.isdir(named):
        raise ExpectedError(
            "project-missing",
            f"{named} is not a folder",
            "the memory of a project stands in its folder",
            "Check the path, or name the project with -d.",
            path=named,
        )
    return os.path.realpath(named)


def project_around(typed: Typed, surroundings: Surroundings) -> str:
    """The folder that ``-d`` names, else the project that the current folder is, or lies in.

    That is the nearest folder upwards that is a repository or has a memory, else the nearest that is a
    project of the index; where there is none, and in the home or above it, the current folder itself. Raises
    as ``project_folder``.
    """
    here = project_folder(typed, surroundings)
    if typed.text("directory"):
        return here
    folders = _upwards(here, os.path.realpath(surroundings.home))
    for folder in folders:
        if any(os.path.lexists(os.path.join(folder, mark)) for mark in _PROJECT_MARKS):
            return folder
    known = _indexed_folders(typed, surroundings) if folders else frozenset()
    return next((folder for folder in folders if folder in known), here)


def _upwards(folder: str, home: str) -> list[str]:
    """``folder`` and those above it, none that is the home or lies above it."""
    found = []
    while folder != home and not home.startswith(folder.rstrip(os.sep) + os.sep):
        found.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return found


def _indexed_folders(typed: Typed, surroundings: Surroundings) -> frozenset[str]:
    from brain.portfolio import read_portfolio  # noqa: PLC0415 - start-up: 25 ms, where no mark tells

    brain = index_brain(typed, surroundings, load_configuration(surroundings, typed.text("config")))
    return frozenset(os.path.realpath(card.path) for card in read_portfolio(brain).cards)


def around(settings: MemorySettings, typed: Typed, surroundings: Surroundings) -> MemorySettings:
    """``settings`` for the project around the current folder, as ``project_around`` finds it."""
    project = project_around(typed, surroundings)
    return settings if project == settings.project else replace(settings, project=project, named=project)


def refuse_no_project(settings: MemorySettings) -> None:
    """``ExpectedError`` for what nobody means by a project: the home, what is above it, a shared folder."""
    project, home = settings.project, os.path.realpath(settings.home)
    shared = os.stat(project).st_mode & 0o1002 == 0o1002
    if shared or project == home or home.startswith(project.rstrip(os.sep) + os.sep):
        raise ExpectedError(
            "project-none",
            "nothing was written",
            f"{project} is no project",
            "Go to the project, or name it: --project=NAME or -d PATH.",
            path=project,
        )


def _named(typed: Typed, surroundings: Surroundings) -> str:
    named = typed.text("directory")
    if named == "":
        # A variable in a script that was never set: another folder than this one was meant.
        raise UsageError(
            "empty-path", "an empty -d", "it names no folder", "Name a folder, or leave -d out for this one."
        )
    return surroundings.absolute(named or ".")


def linked_brain(settings: MemorySettings) -> Brain:
    """The brain that belongs to the project: the one that was named, else by the five rules.

    As in BMAD+ a folder ``_brain`` is looked for above the path that was written, not above the real one.
    """
    return locate_brain(
        settings.named, home=settings.home, environ=settings.environ, override=settings.override
    )


def indexed_projects(settings: MemorySettings) -> list[tuple[str, str]]:
    """Name and path of every project of the index; those that went missing too."""
    from brain.portfolio import read_portfolio  # noqa: PLC0415 - start-up: most commands need no index

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
    from jobs.claims import with_claims  # noqa: PLC0415 - as above
    from reports.export import export_markdown  # noqa: PLC0415 - as above

    archive = collect(brain, settings.project)
    archive = with_claims(archive, os.path.realpath(brain.path), (settings.project,), settings.now)
    text, redacted = export_markdown(archive, settings.now, redact=redact)
    folder, name = output or settings.project, archive_name(settings.now)
    if not os.path.isdir(folder):
        folder, name = os.path.split(folder)
    file = place(folder, name, text.encode(), replaces=not archive.problems)
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
        os.path.join(settings.project, PROJECT_MEMORY),
        kind,
        title,
        fields,
        now=settings.now,
        base=settings.project,
        project=os.path.basename(settings.project),
        wait=LOCK_SECONDS,
    )
