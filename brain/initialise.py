"""Makes what a memory lacks: first a plan of names and bytes, then the same plan carried out.

What stands under a name, whatever it is, is kept byte for byte, the record of the brain included. Into the
project go the four files, the folder of sessions and the record; into a global brain identity, three files
and the folder of cards, so that a half brain becomes a whole one. A linked brain is never written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain import layout
from brain.files.atomic import OutsideError, Write, make_folder, replace_all, sweep
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.files.lock import FolderLock
from brain.folders import PROJECT_MEMORY
from brain.locate import Brain, disagreement, link_path, obstacle, read_link
from brain.problem import Problem
from brain.times import iso_time, utc_date

FOLDER = "folder"
FILE = "file"
LINK = "link"
BRAIN = "brain"
PROJECT = "project"

CODE = "memory-init"


@dataclass(frozen=True, slots=True)
class Creation:
    """One name that is to be made: ``kind`` is folder, file or link (the record of the brain).

    ``part`` is ``brain`` or ``project``; ``data`` is what a file will hold, empty for a folder.
    """

    path: str
    kind: str
    part: str
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class InitPlan:
    """What an initialisation would do in a project and in its brain.

    ``creates`` stands in the order of the work: the brain first, the record of it last. ``keeps`` are the
    absolute paths that are there already. ``notes`` say in words what a person should know, ``problems`` what
    stands in the way of a part of the work.
    """

    project: str
    brain: Brain
    now: float
    creates: tuple[Creation, ...]
    keeps: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Initialised:
    """How it ended: the paths that were ``created`` (durably) and ``kept``, and what could not be made.

    A problem of level ``warning`` leaves the project's own memory whole, one of level ``error`` does not.
    """

    created: tuple[str, ...]
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def plan_init(project: str, brain: Brain, *, now: float, user: str = "", language: str = "") -> InitPlan:
    """What is missing in the memory of ``project`` (an absolute path) and in ``brain``. Nothing is written.

    ``now`` is in epoch seconds and dates the new files in UTC; ``user`` and ``language`` go into a new
    identity.
    ``WriteError`` when the project's folder is not there.
    """
    if not os.path.isdir(project):
        raise WriteError(project, "no such folder")
    no_brain = obstacle(brain.path) if brain.writable else ""
    wanted = _wanted_brain(brain, now, user, language) if brain.writable and not no_brain else []
    notes = [*brain.warnings]
    if not brain.writable:
        notes.append(f"the brain at {brain.path} is linked and stays as it is")
    blocked = _blocked(project)
    if not blocked:
        wanted += _wanted_project(project, brain, now)
        notes += _link_notes(project, brain)
    return InitPlan(
        project=project,
        brain=brain,
        now=now,
        creates=tuple(one for one in wanted if not os.path.lexists(one.path)),
        keeps=tuple(one.path for one in wanted if os.path.lexists(one.path)),
        notes=(*notes, *_odd(wanted)),
        problems=(*_without_brain(brain, no_brain), *blocked),
    )


def apply_init(plan: InitPlan, *, wait: float = 10.0) -> Initialised:
    """Carry out ``plan``. Never raises for a part that cannot be made: that is a problem in the result.

    ``wait`` is the longest time in seconds for which another writer of a folder is waited for. A name that
    somebody made since the plan is kept. Without a brain in the end, no record of it is written.
    """
    work = _Work(plan, wait)
    if missing := [one for one in plan.creates if one.part == BRAIN]:
        work.brain(missing)
    if missing := [one for one in plan.creates if one.part == PROJECT]:
        work.memory(missing)
    return Initialised(
        tuple(work.created), tuple(work.kept), (*plan.notes, *work.notes), tuple(work.problems)
    )


class _Work:
    """An initialisation under way."""

    def __init__(self, plan: InitPlan, wait: float) -> None:
        self._plan = plan
        self._wait = wait
        self.created: list[str] = []
        self.kept = list(plan.keeps)
        self.notes: list[str] = []
        self.problems = list(plan.problems)

    def brain(self, missing: Sequence[Creation]) -> None:
        """Make the brain's part; a home that cannot be written is no reason to stop."""
        path = self._plan.brain.path
        fix = "make it writable, then run again; the project's own memory does not need it"
        self._make(path, missing, Problem(CODE, "warning", path, "", fix))

    def memory(self, missing: Sequence[Creation]) -> None:
        """Make the project's part; nothing goes through a link, not even one that came just now."""
        if blocked := _blocked(self._plan.project):
            self.problems.extend(blocked)
            return
        if not os.path.isdir(self._plan.brain.path) and any(one.kind == LINK for one in missing):
            missing = [one for one in missing if one.kind != LINK]
            self.notes.append("no record of the brain was written, because there is no brain")
        path = os.path.join(self._plan.project, PROJECT_MEMORY)
        fix = "free space or mend the permissions, then run again"
        self._make(path, missing, Problem(CODE, "error", path, "", fix))

    def _make(self, folder: str, missing: Sequence[Creation], refusal: Problem) -> None:
        """Make ``folder`` and what is ``missing`` in it; ``refusal`` is what to report if that fails."""
        try:
            self._make_folder(folder)
            base = os.path.realpath(folder)
            with FolderLock(base, wait=self._wait):
                sweep(base, now=self._plan.now)
                for one in missing:
                    if one.kind == FOLDER and one.path != folder:
                        self._make_folder(one.path)
                for kind in (FILE, LINK):
                    self._write([one for one in missing if one.kind == kind], base)
        except (WriteError, LockedError, OutsideError) as error:
            self.problems.append(Problem(refusal.code, refusal.level, refusal.path, str(error), refusal.fix))

    def _make_folder(self, path: str) -> None:
        new = not os.path.lexists(path)
        make_folder(path)
        if new:
            self.created.append(path)
        elif path not in self.kept:
            self.kept.append(path)

    def _write(self, missing: Sequence[Creation], base: str) -> None:
        pending = list(missing)
        while pending:
            paths = [one.path for one in pending]
            try:
                replace_all([Write(one.path, one.data, None) for one in pending], base)
            except ChangedError as error:
                done = paths.index(error.path)
                self.kept.append(error.path)
            except WriteError:
                self.created += [path for path in paths if os.path.lexists(path)]
                raise
            else:
                done = len(paths)
            self.created += paths[:done]
            del pending[: done + 1]


def _wanted_brain(brain: Brain, now: float, user: str, language: str) -> list[Creation]:
    date = utc_date(now)
    values = {"date": date, "project": layout.GLOBAL_PROJECT, "user": user, "language": language}
    files = (layout.IDENTITY, *layout.NOTE_FILES)
    return [
        Creation(brain.path, FOLDER, BRAIN),
        Creation(os.path.join(brain.path, layout.PROJECTS), FOLDER, BRAIN),
        *(
            Creation(os.path.join(brain.path, name), FILE, BRAIN, layout.template(name, values))
            for name in files
        ),
    ]


def _wanted_project(project: str, brain: Brain, now: float) -> list[Creation]:
    memory = os.path.join(project, PROJECT_MEMORY)
    name = os.path.basename(project) or project
    values = {"date": utc_date(now), "project": name, "path": project}
    files = layout.MEMORY_FILES
    return [
        Creation(memory, FOLDER, PROJECT),
        Creation(os.path.join(memory, layout.SESSIONS), FOLDER, PROJECT),
        *(
            Creation(os.path.join(memory, file), FILE, PROJECT, layout.template(file, values))
            for file in files
        ),
        Creation(link_path(project), LINK, PROJECT, _record(brain, now)),
    ]


def _record(brain: Brain, now: float) -> bytes:
    """What BMAD+ writes: three keys, indented by two, no newline at the end."""
    import json  # noqa: PLC0415 - start-up: a dry run of a whole memory needs none

    record = {"linked_brain": brain.path, "brain_type": brain.type, "linked_at": iso_time(now)}
    try:
        return json.dumps(record, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a path that is not UTF-8: escaped, it comes back as the same bytes
        return json.dumps(record, indent=2).encode()


def _without_brain(brain: Brain, why: str) -> tuple[Problem, ...]:
    if not why:
        return ()
    fix = "put a folder there or remove it, then run again; the project's own memory does not need it"
    return (Problem(CODE, "warning", brain.path, f"no brain can be made: {brain.path} {why}", fix),)


def _blocked(project: str) -> tuple[Problem, ...]:
    """What keeps us from writing into the project's memory folder: a link or a file on the way there."""
    for relative in (os.path.dirname(PROJECT_MEMORY), PROJECT_MEMORY):
        path = os.path.join(project, relative)
        if os.path.islink(path):
            fix = "put a real folder in its place: a memory is not written through a link"
            return (Problem(CODE, "error", path, f"{relative} is a symbolic link", fix),)
        if os.path.lexists(path) and not os.path.isdir(path):
            fix = "move the file away, then run again"
            return (Problem(CODE, "error", path, f"{relative} is not a folder", fix),)
    return ()


def _link_notes(project: str, brain: Brain) -> list[str]:
    link = read_link(project)
    if link is None:
        return []
    trouble = link.damaged or disagreement(link, brain, project)
    return [f".brain-link is kept: {trouble}"] if trouble else []


def _odd(wanted: Iterable[Creation]) -> list[str]:
    """What stands under a wanted name and is something else: kept as well, but worth a word."""
    notes = []
    for one in wanted:
        right = os.path.isdir if one.kind == FOLDER else os.path.isfile
        if os.path.lexists(one.path) and not right(one.path):
            notes.append(f"{one.path} is kept, but is no {'folder' if one.kind == FOLDER else 'file'}")
    return notes
