"""Writes what dreaming proposes into ``MEMORY.md``, and takes it back: under locks, each file old or new.

What stood there before is kept first (``jobs.kept_runs``); then the archive, then MEMORY.md, each replaced as
a whole; then the event is written down. Killed in between, what is there is found out from the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from brain.dreaming.memory_file import (
    NAME,
    Archived,
    Planned,
    Promotion,
    archive_with,
    plan,
)
from brain.files.atomic import OutsideError, Write, make_folder, replace_all, sweep
from brain.files.errors import ChangedError, LockedError, MemError, OccupiedError, WriteError
from brain.files.links import refuse_links
from brain.files.lock import BrainLock, FolderLock
from brain.files.reading import Seen, UnreadableError, read_seen
from jobs.dreaming_state import (
    ARCHIVE,
    ARCHIVE_CAP,
    ARCHIVED,
    PROMOTED,
    Event,
    WorkspaceState,
    digest_of,
)
from jobs.errors import ExpectedError
from jobs.errors import LockedError as Locked
from jobs.kept_runs import Before, KeptRuns, Kind, Run, TooMuchError
from scanner.project import Problem
from scanner.value import dataclass

FOLDER = "promotions"
LOCK_SECONDS = 2.0
MEMORY_CAP = 1024 * 1024

_TRIES = 20
_FILES = re.compile(r"MEMORY\.md|memory/archive/promoted-\d{4}(?:-\d{1,3})?\.md")
_KIND = Kind(FOLDER, "zecher.promotion", lambda name: _FILES.fullmatch(name) is not None)
_SWEPT = r"(?:MEMORY|DREAMS|dreams|promoted-[0-9-]+)\.md"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shall be written into the MEMORY.md of a workspace, the best first, and what has expired there."""

    promotions: tuple[Promotion, ...]
    day: str
    budget: int
    expired: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Written:
    """What was done: ``run`` is None where nothing was. ``archive`` is the file that items went to."""

    planned: Planned
    run: Run | None = None
    archive: str = ""
    problems: tuple[Problem, ...] = ()


def kept(state: str) -> KeptRuns:
    """The runs that can be taken back."""
    return KeptRuns(state, _KIND)


@contextmanager
def locked(state: WorkspaceState) -> Iterator[None]:
    """Keep other runs away from the workspace; ``jobs.errors.LockedError`` where one is under way."""
    try:
        state.make()
        with BrainLock(state.lock, wait=LOCK_SECONDS):
            yield
    except (LockedError, OccupiedError) as error:
        raise Locked(
            "dreaming-locked",
            "another run works on this workspace",
            str(error),
            "Wait until it has ended.",
            path=state.root,
        ) from None
    except (WriteError, ChangedError, OutsideError, MemError) as error:
        raise ExpectedError(
            "dreaming-write",
            f"{state.root} could not be written",
            str(error),
            "Check the folder, its permissions and the free space, then run it again.",
            path=getattr(error, "path", "") or state.root,
        ) from None


def read_memory(root: str) -> Seen | None:
    """MEMORY.md as it is, None without one; ``ExpectedError`` for one that dreaming cannot work with."""
    path = os.path.join(root, NAME)
    try:
        refuse_links(root, NAME)
        seen = read_seen(path, MEMORY_CAP)
    except MemError as error:
        raise _unusable(path, str(error)) from None
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise _unusable(path, error.message) from None
    if b"\0" in (seen.data or b""):
        raise _unusable(path, "it holds NUL bytes: it is no text in UTF-8")
    return seen


def _unusable(path: str, why: str) -> ExpectedError:
    return ExpectedError(
        "memory-unusable",
        f"{path} is left alone",
        why,
        "Put a regular file there, at most 1 MiB of UTF-8 text that you can read and write.",
        path=path,
    )


# -- writing ------------------------------------------------------------------------------------------------


def rehearse(root: str, wanted: Wanted, run: str) -> Planned:
    """What ``write`` would do now, without a lock or a write."""
    seen = read_memory(root)
    return _planned(seen, wanted, run)


def _planned(seen: Seen | None, wanted: Wanted, run: str) -> Planned:
    return plan(
        None if seen is None else seen.data,
        wanted.promotions,
        day=wanted.day,
        run=run,
        budget=wanted.budget,
        expired=wanted.expired,
    )


def write(state: WorkspaceState, base: str, wanted: Wanted, *, when: str, now: float) -> Written:
    """Carry it out; the lock of the workspace is held. ``base`` is the state folder, ``when`` ISO.

    Raises what ``locked`` and ``read_memory`` turn into words, and ``ExpectedError`` where a run ends early.
    """
    runs = kept(base)
    with FolderLock(state.root, wait=LOCK_SECONDS):
        sweep(state.root, now=now, targets=_SWEPT)
        seen = read_memory(state.root)
        for _ in range(_TRIES):
            name = runs.next_name(when)
            planned = _planned(seen, wanted, name)
            if planned.data is None:
                return Written(planned)
            files, archive = _files(state.root, seen, planned, name, wanted.day)
            done = _told(state.root, planned, archive)
            try:
                run = runs.store_as_named(Run(name, when, done, tuple(before for before, _ in files)))
            except TooMuchError as error:
                raise ExpectedError(
                    "dreaming-too-much",
                    "nothing was changed",
                    f"what stood there before could not be kept: {error}",
                    "Remove old runs from the folder promotions of the state folder.",
                ) from None
            if run is not None:
                break
        else:
            raise WriteError(base, "other runs keep taking the next name")
        try:
            for before, _ in files:
                refuse_links(before.base, before.file)
            replace_all([Write(before.path, before.after, old) for before, old in files], state.root)
        except (ChangedError, WriteError, OutsideError, MemError) as error:
            raise _ended(error, _left(runs, run)) from None
    problems = write_down(state, _events(planned, name, wanted.day, seen), when)
    return Written(planned, run, archive, problems)


def _files(
    root: str, seen: Seen | None, planned: Planned, run: str, day: str
) -> tuple[list[tuple[Before, Seen | None]], str]:
    """The files to be written, the archive first: what leaves one file is in the other before."""
    files: list[tuple[Before, Seen | None]] = []
    archive = ""
    if planned.archived:
        make_folder(os.path.join(root, *ARCHIVE.split("/")))
        refuse_links(root, ARCHIVE)
        archive, old, data = _archive(root, planned.archived, run, day)
        if old is None or old.data != data:
            files.append((Before(root, archive, None if old is None else old.data or b"", data), old))
    if planned.data is not None:
        before = None if seen is None else seen.data or b""
        files.append((Before(root, NAME, before, planned.data), seen))
    return files, archive


def _archive(root: str, archived: Sequence[Archived], run: str, day: str) -> tuple[str, Seen | None, bytes]:
    """The file of the year, or the next one where it is full: its name, what it holds, and what it will."""
    year = day[:4]
    for number in range(1, 1000):
        name = f"{ARCHIVE}/promoted-{year}{'' if number == 1 else f'-{number}'}.md"
        path = os.path.join(root, *name.split("/"))
        refuse_links(root, name)
        try:
            seen: Seen | None = read_seen(path, ARCHIVE_CAP)
        except UnreadableError as error:
            if error.code == "too-large":
                continue
            if error.code != "missing":
                raise WriteError(path, error.message) from None
            seen = None
        data = archive_with(seen.data if seen is not None else None, archived, day=day, run=run)
        if len(data) <= ARCHIVE_CAP:
            return name, seen, data
    raise WriteError(os.path.join(root, *ARCHIVE.split("/")), "a thousand archives of one year are full")


def _told(root: str, planned: Planned, archive: str) -> tuple[tuple[str, str, str], ...]:
    memory = os.path.join(root, NAME)
    added = [(one.id, one.text, memory) for one in planned.added]
    moved = [
        (one.item.id, one.item.text, os.path.join(root, *archive.split("/"))) for one in planned.archived
    ]
    return (*added, *moved)


def _events(planned: Planned, run: str, day: str, seen: Seen | None) -> list[Event]:
    before, after = digest_of(None if seen is None else seen.data), digest_of(planned.data)
    archived = [
        Event(ARCHIVED, one.item.id, run, day, one.item.text, before, after) for one in planned.archived
    ]
    return archived + [Event(PROMOTED, one.id, run, day, one.text, before, after) for one in planned.added]


def write_down(state: WorkspaceState, events: Sequence[Event], when: str) -> tuple[Problem, ...]:
    """Add events to the record; what kept that from being done."""
    try:
        state.add(events, when)
    except MemError as error:
        # What stands in the files tells the same next time.
        return (
            Problem(
                "promotions-write",
                "warning",
                state.promotions,
                f"what was done could not be written down: {error}",
                "Check the state folder and the free space; MEMORY.md is as it should be.",
            ),
        )
    return ()


def _left(runs: KeptRuns, run: Run) -> Run | None:
    """What of a run that ended early has to be taken back; where that cannot be noted, all that was kept."""
    try:
        return runs.settle(run)
    except (ChangedError, WriteError, OutsideError):
        return run


def _ended(error: Exception, left: Run | None) -> ExpectedError:
    what = (
        "nothing was changed"
        if left is None
        else "it ended early: some files may be changed, each as a whole"
    )
    fix = "Mend that, then run it again."
    if left is not None:
        fix = f"Take that back with zecher memory promote --undo {left.name}, or run it again."
    return ExpectedError("dreaming-ended", what, str(error), fix, path=getattr(error, "path", ""))
