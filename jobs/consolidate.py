"""Consolidations as commands work on them: look, carry out what was approved, take a run back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import groupby

from brain.consolidate.audit import audit
from brain.consolidate.books import read_book, read_books
from brain.consolidate.carrying_out import carry_out, locked
from brain.consolidate.planning import Planned, plan
from brain.consolidate.values import PROMOTED, Book, Notes, Proposal
from brain.entries.reader import FILE_CAP
from brain.files.atomic import OutsideError, Write, replace_all
from brain.files.errors import ChangedError, LockedError, MemError, OccupiedError, WriteError
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.portfolio import read_portfolio
from jobs.consolidation_runs import Before, Run, TooMuchError, mark_undone, read_run, settle, store
from jobs.errors import ExpectedError
from jobs.errors import LockedError as Locked
from jobs.problems import ours
from jobs.settings import ReadSettings
from jobs.skips import read_skips
from reports.view import iso_time
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Problem
from scanner.value import dataclass

LOCK_SECONDS = 2.0
BRAIN_NAME = "brain"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose notes are looked at; ``brain`` is where lessons of several projects may go, None: nowhere."""

    memories: tuple[Notes, ...]
    brain: Notes | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What is proposed, and what could not be read."""

    proposals: tuple[Proposal, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried out; ``run`` is None where nothing was. ``refused`` say why they were not."""

    run: Run | None
    done: tuple[Proposal, ...] = ()
    refused: tuple[Proposal, ...] = ()


# -- whose notes --------------------------------------------------------------------------------------------


def project_scope(settings: ReadSettings, path: str) -> Scope:
    """The notes of the project in the folder ``path`` (absolute, real), or of the brain if it lies there."""
    if path == os.path.realpath(settings.brain):
        return brain_scope(settings)
    known = next((one for one in _indexed(settings) if one.base == path), None)
    return Scope((known or Notes(path, os.path.basename(path), path),))


def brain_scope(settings: ReadSettings) -> Scope:
    """The notes of the global brain."""
    return Scope((_brain(settings),))


def portfolio_scope(settings: ReadSettings, *, also: str | None = None) -> Scope:
    """The notes of every project of the index, of the project at ``also``, and of the brain."""
    brain = _brain(settings)
    found = {one.base: one for one in _indexed(settings)}
    if also is not None:
        found.setdefault(also, Notes(also, os.path.basename(also), also))
    found.pop(brain.base, None)
    return Scope((*(found[base] for base in sorted(found)), brain), brain)


def _brain(settings: ReadSettings) -> Notes:
    return Notes(os.path.realpath(settings.brain), BRAIN_NAME, "", in_brain=True)


def _indexed(settings: ReadSettings) -> Iterator[Notes]:
    skipped = read_skips(settings.state).paths
    places = Places(read_mounts())
    for card in read_portfolio(settings.brain).cards:
        if card.path in skipped or places.may_hang(card.path) or not os.path.isdir(card.path):
            continue
        identifier = card.extras.get("id")
        base = os.path.realpath(card.path)
        yield Notes(base, card.name, identifier if isinstance(identifier, str) else card.path)


# -- looking ------------------------------------------------------------------------------------------------


def look(settings: ReadSettings, scope: Scope) -> Seen:
    """What is proposed for these notes. Writes nothing."""
    books, problems = read_books(scope.memories)
    found = audit(books, _day(settings), brain=scope.brain)
    return Seen(found, ours(problems))


def _day(settings: ReadSettings) -> date:
    return datetime.fromtimestamp(settings.now, UTC).date()


# -- carrying out -------------------------------------------------------------------------------------------


def rehearse(settings: ReadSettings, approved: Sequence[Proposal]) -> Carried:
    """What ``carry`` would do, without a lock or a write."""
    planned = _planned(settings, approved)
    return Carried(None, planned.done, planned.refused)


def carry(settings: ReadSettings, approved: Sequence[Proposal]) -> Carried:
    """Carry out what a person approved, entry by entry as it was shown; what changed since is refused.

    ``ExpectedError`` where files cannot be written; it names the run that takes back what was written.
    """
    places = {(notes.base, file) for notes, file in _written(approved)}
    when = iso_time(settings.now) or ""
    run: Run | None = None
    with _told(), locked(places, wait=LOCK_SECONDS):
        planned = _planned(settings, approved)
        if not planned.changes:
            return Carried(None, planned.done, planned.refused)

        def keep() -> None:
            nonlocal run
            run = store(settings.state, planned.changes, planned.done, when)

        try:
            carry_out(planned.changes, keep, now=settings.now)
        except (ChangedError, WriteError, OutsideError, MemError) as error:
            raise _ended(error, _left(settings, run)) from None
    return Carried(run, planned.done, planned.refused)


def _left(settings: ReadSettings, run: Run | None) -> Run | None:
    """What of a run that ended early has to be taken back; where that cannot be noted, all that was kept."""
    if run is None:
        return None
    try:
        return settle(settings.state, run)
    except (ChangedError, WriteError, OutsideError):
        return run


def _planned(settings: ReadSettings, approved: Sequence[Proposal]) -> Planned:
    wanted = {(part.notes, part.file) for one in approved for part in one.parts} | set(_written(approved))
    books = [read_book(notes, file) for notes, file in sorted(wanted, key=lambda one: (one[0].base, one[1]))]
    return plan((one for one in books if isinstance(one, Book)), approved, _day(settings).isoformat())


def _written(approved: Iterable[Proposal]) -> Iterator[tuple[Notes, str]]:
    """The files that would be changed, each with its memory."""
    for one in approved:
        if one.target is not None:
            yield one.target, PROMOTED
        else:
            yield from ((part.notes, part.file) for part in one.parts)


def _ended(error: Exception, left: Run | None) -> ExpectedError:
    what = (
        "nothing was changed"
        if left is None
        else "it ended early: some files may be changed, each as a whole"
    )
    fix = "Mend that, then look again."
    if left is not None:
        fix = f"Take that back with zecher memory consolidate --undo {left.name}, or go on from there."
    return ExpectedError("consolidate-ended", what, str(error), fix, path=getattr(error, "path", ""))


# -- taking back --------------------------------------------------------------------------------------------


def undo(settings: ReadSettings, name: str) -> tuple[Run, tuple[str, ...]]:
    """Give every file of the run ``name`` back what it held before; the run, and which files were restored.

    ``ExpectedError`` where one of them holds neither what the run left nor what was there before; then none
    is touched.
    """
    run = _run(settings, name)
    when = iso_time(settings.now) or ""
    with _told(), locked({(one.base, one.file) for one in run.files}, wait=LOCK_SECONDS):
        writes: list[tuple[str, Write]] = []
        differing: list[str] = []
        for file in run.files:
            write = _restoring(file, differing)
            if write is not None:
                writes.append((file.base, write))
        if differing:
            raise ExpectedError(
                "undo-changed",
                f"the run {name} cannot be taken back",
                "\n".join(differing),
                "Nothing was touched. Take back later runs first: zecher memory consolidate --runs.",
            )
        for base, some in groupby(sorted(writes, key=lambda one: one[1].path), key=lambda one: one[0]):
            replace_all([write for _, write in some], base)
        return mark_undone(settings.state, run, when), tuple(write.path for _, write in writes)


def _run(settings: ReadSettings, name: str) -> Run:
    try:
        return read_run(settings.state, name)
    except KeyError:
        raise ExpectedError(
            "run-unknown",
            f"no run {name}",
            "only runs that changed something are kept, the last 50 of them",
            "zecher memory consolidate --runs lists them.",
        ) from None
    except ValueError as error:
        raise ExpectedError(
            "run-damaged", f"the run {name} cannot be taken back", str(error), "Edit the files by hand."
        ) from None


def _restoring(file: Before, differing: list[str]) -> Write | None:
    """What gives the file back what it held, None where it holds that; what is in the way is noted."""
    try:
        refuse_links(file.base, file.file)
        seen = read_seen(file.path, FILE_CAP)
    except (MemError, UnreadableError) as error:
        differing.append(f"{file.path}: {error}")
        return None
    if seen.data == file.before or file.before is None:  # no consolidation makes a file
        return None
    if seen.data != file.after:
        differing.append(
            f"{file.path} was changed since, first in line {_first(seen.data or b'', file.after)}"
        )
        return None
    return Write(file.path, file.before, seen)


def _first(one: bytes, other: bytes) -> int:
    """The first line, from 1, in which two texts differ."""
    lines, others = one.split(b"\n"), other.split(b"\n")
    pairs = enumerate(zip(lines, others, strict=False), start=1)
    return next((number for number, (a, b) in pairs if a != b), min(len(lines), len(others)) + 1)


@contextmanager
def _told() -> Iterator[None]:
    """What the brain raises, in the words of the command line."""
    try:
        yield
    except (LockedError, OccupiedError) as error:
        raise Locked(
            "brain-locked",
            "another run holds the memory",
            str(error),
            "Wait until it has ended.",
            path=error.path,
        ) from None
    except TooMuchError as error:
        raise ExpectedError(
            "consolidate-too-much",
            "nothing was changed",
            f"what stood there before could not be kept: {error}",
            "Approve fewer at once.",
        ) from None
    except (WriteError, ChangedError, OutsideError, MemError) as error:
        raise ExpectedError(
            "brain-write",
            "the memory could not be written",
            str(error),
            "Check the folder, its permissions and the free space, then run it again.",
            path=getattr(error, "path", ""),
        ) from None
