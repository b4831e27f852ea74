"""What notes of the past say, worked into the diary and, if somebody wants it, staged for promotion."""

from __future__ import annotations

import os
from collections.abc import Iterable

from brain.dreaming.diary import Backfilled, with_backfill, without_backfill
from brain.dreaming.extract import extract
from brain.dreaming.notes import FILE_CAP, day_of_note, list_notes
from brain.dreaming.values import CANDIDATE, LASTING
from brain.files.errors import MemError, WriteError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import Seen, UnreadableError, read_seen
from jobs.dreaming_diary import dreams_to_write, put_dreams
from jobs.dreaming_look import own_cues
from jobs.dreaming_state import Staged, WorkspaceState
from jobs.dreaming_workspaces import DreamSettings
from jobs.dreaming_writing import LOCK_SECONDS, locked
from jobs.errors import ExpectedError
from reports.dreaming_notes import Grounded
from scanner.project import Problem
from scanner.value import dataclass

FILES = 512
"""So many notes at once, the newest."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a backfill did; entries are counted, not what speaks for them."""

    files: int
    dreams: str
    written: int = 0
    replaced: int = 0
    staged: int = 0
    restaged: int = 0
    kept: int = 0
    problems: tuple[Problem, ...] = ()


def ground(
    settings: DreamSettings, root: str, path: str | None
) -> tuple[tuple[Grounded, ...], tuple[Problem, ...]]:
    """What the notes at ``path`` say that may last.

    ``path`` is an absolute file or folder of the workspace, None for all. ``ExpectedError`` where there is
    no daily note.
    """
    cues = own_cues(settings.configured.cues)
    found, problems = [], []
    for relative in _notes(root, path)[:FILES]:
        try:
            data = read_seen(refuse_links(root, relative), FILE_CAP).data or b""
        except (UnreadableError, MemError) as error:
            problems.append(
                Problem(
                    "note-unread",
                    "warning",
                    os.path.join(root, *relative.split("/")),
                    f"this note was left out: {error}",
                    "Put a regular file there that you can read, at most 1 MiB.",
                )
            )
            continue
        lines = extract(data, cues).lines
        lines = tuple(line for line in lines if not line.until or line.until >= settings.today)
        found.append(
            Grounded(
                relative,
                day_of_note(relative.rpartition("/")[2]),
                tuple(line for line in lines if line.reading >= LASTING),
                tuple(line for line in lines if CANDIDATE <= line.reading < LASTING),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.day, one.path))), tuple(problems)


def backfill(
    settings: DreamSettings, root: str, body: Iterable[tuple[Grounded, str]], *, stage: bool
) -> Filled:
    """Work ``body``, entries by note, into the diary; with ``stage`` remember their claims as staged.

    Entries of ours for the same notes give way, those that somebody edited stay.
    """
    state = WorkspaceState(settings.state, root)
    entries = [(one, text) for one, text in body if one.lines]
    with locked(state):
        with FolderLock(root, wait=LOCK_SECONDS):
            name, seen = _dreams(root)
            filled = with_backfill(
                None if seen is None else seen.data,
                [Backfilled(one.day, one.path, text) for one, text in entries],
            )
            if entries:
                put_dreams(root, name, filled.data, seen)
        staged = restaged = 0
        if stage:
            before = {one.id: one for one in state.staged()}
            new = {
                line.id: Staged(line.id, settings.today, line.text, f"{one.path}:{line.line}")
                for one, _ in entries
                for line in one.lines
            }
            restaged = len(new.keys() & before.keys())
            staged = len(new)
            # What was staged before keeps its day: to stage it again makes it no newer.
            state.keep_staged((new | before).values())
    return Filled(
        len({one.path for one, _ in entries}),
        os.path.join(root, name),
        filled.written,
        filled.replaced,
        staged,
        restaged,
    )


def roll_back(settings: DreamSettings, root: str, *, diary: bool, staged: bool) -> Filled:
    """Take the entries out of the diary that nobody edited, and with ``staged`` what was staged."""
    state = WorkspaceState(settings.state, root)
    removed = kept = unstaged = 0
    with locked(state):
        name = ""
        if diary:
            with FolderLock(root, wait=LOCK_SECONDS):
                name, seen = _dreams(root)
                if seen is not None:
                    data, gone, stay = without_backfill(seen.data or b"")
                    removed, kept = len(gone), len(stay)
                    put_dreams(root, name, data, seen)
        if staged:
            unstaged = len(state.staged())
            if unstaged:
                state.keep_staged(())
    return Filled(0, os.path.join(root, name) if name else "", removed, 0, unstaged, 0, kept)


def _dreams(root: str) -> tuple[str, Seen | None]:
    try:
        return dreams_to_write(root)
    except UnreadableError as error:
        raise WriteError(error.path, error.message) from None


def _notes(root: str, path: str | None) -> list[str]:
    """The daily notes of the workspace at ``path``, relative to it."""
    notes = list_notes(root)
    if path is not None:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        relative = os.path.relpath(real, root).replace(os.sep, "/")
        prefix = "" if relative == "." else relative + "/"
        notes = [one for one in notes if one == relative or one.startswith(prefix)]
    if not notes:
        raise ExpectedError(
            "no-dated-note",
            f"there is no daily note at {path or root}",
            "notes are called YYYY-MM-DD.md or YYYY-MM-DD-words.md and lie below memory/",
            "Name such a file, or a folder of them, in the workspace.",
            path=path or root,
        )
    return notes
