"""Takes a run of dreaming back: byte for byte where nothing was changed since, else its own items alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from brain.dreaming.memory_file import NAME, Item, characters, items_of, with_items, without_run
from brain.files.atomic import Write, replace_all, sync_folder
from brain.files.errors import ChangedError, MemError, WriteError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import Seen, UnreadableError, read_seen
from jobs.dreaming_state import ARCHIVE_CAP, RESTORED, UNDONE, Event, WorkspaceState
from jobs.dreaming_writing import LOCK_SECONDS, kept, read_memory, write_down
from jobs.errors import ExpectedError
from jobs.kept_runs import Before, Run
from scanner.project import Problem
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Undone:
    """A run that was taken back.

    ``exact``: MEMORY.md is what it was before, byte for byte. Otherwise it was edited since, and the items of
    the run alone were taken out (``removed``), those that it had archived put back (``restored``), and those
    for which there was no room, or which were edited, ``left`` as they are.
    """

    run: Run
    exact: bool
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def find_run(base: str, name: str) -> Run:
    """The run ``name``; ``ExpectedError`` where there is none, or what was kept makes no sense."""
    try:
        return kept(base).read(name)
    except KeyError:
        raise ExpectedError(
            "run-unknown",
            f"no run {name}",
            "only runs that changed something are kept, the last 50 of them",
            "zecher memory promote --runs lists them.",
        ) from None
    except ValueError as error:
        raise ExpectedError(
            "run-damaged", f"the run {name} cannot be taken back", str(error), "Edit MEMORY.md by hand."
        ) from None


def undo(state: WorkspaceState, base: str, run: Run, *, when: str, day: str, budget: int) -> Undone:
    """Take ``run`` back; the lock of the workspace is held.

    A file that is as the run left it gets back what it held, or goes where there was none. Of a MEMORY.md
    that was changed since only what the run did is taken back; no line of a person is touched.
    """
    root = state.root
    with FolderLock(root, wait=LOCK_SECONDS):
        seen = read_memory(root)
        before = {one.file: one for one in run.files}
        changes, done = _undoing(root, run, seen, before, budget)
        archives = [one for file, one in before.items() if file != NAME]
        gone: list[tuple[str, Seen]] = []
        for one in archives if done.exact or not done.left else ():
            old = _as_left(one)
            if old is not None:
                _restore(one.path, one.before, old, changes, gone)
        replace_all(changes, root)
        for path, old in gone:
            _remove(path, old)
        marked = kept(base).mark_undone(run, when)
    events = [Event(UNDONE, key, run.name, day) for key, _, path in run.done if path == _memory(root)]
    events += [Event(RESTORED, key, run.name, day) for key in done.restored]
    problems = write_down(state, events, when)
    return Undone(marked, done.exact, done.removed, done.restored, done.left, problems)


def _undoing(
    root: str, run: Run, seen: Seen | None, before: Mapping[str, Before], budget: int
) -> tuple[list[Write], Undone]:
    """The write that takes the run out of MEMORY.md, and what that does."""
    own = before.get(NAME)
    archived = _archived_by(before)
    promoted = tuple(key for key, _, path in run.done if path == _memory(root))
    if own is None:
        return [], Undone(run, exact=True)
    if seen is None or seen.data is None:
        is_done = own.before is None
        return [], Undone(run, exact=is_done, left=() if is_done else tuple(one.id for one in archived))
    if seen.data == own.before:
        return [], Undone(run, exact=True)
    restored = tuple(one.id for one in archived)
    if seen.data == own.after and own.before is not None:
        return [Write(_memory(root), own.before, seen)], Undone(run, True, promoted, restored)
    if seen.data == own.after:
        _remove(_memory(root), seen)
        return [], Undone(run, True, promoted)
    without, removed = without_run(seen.data, run.name)
    back: list[Item] = []
    for item in archived:
        if characters(with_items(without, [*back, item])) <= budget:
            back.append(item)
    new = with_items(without, back)
    missing = [key for key in promoted if key not in {item.id for item in removed}]
    left = (*missing, *(item.id for item in archived if item not in back))
    done = Undone(run, False, tuple(item.id for item in removed), tuple(item.id for item in back), left)
    return ([Write(_memory(root), new, seen)] if new != seen.data else []), done


def _archived_by(before: Mapping[str, Before]) -> tuple[Item, ...]:
    """The items that the run moved to the archive, as they stood in MEMORY.md, in their order."""
    own = before.get(NAME)
    if own is None:
        return ()
    after = {(one.id, one.run) for one in items_of(own.after)}
    return tuple(one for one in items_of(own.before or b"") if (one.id, one.run) not in after)


def _as_left(file: Before) -> Seen | None:
    """What stands there, where it is what the run left; None otherwise. ``WriteError`` if nobody can tell."""
    with suppress(MemError):
        refuse_links(file.base, file.file)
        try:
            seen = read_seen(file.path, ARCHIVE_CAP)
        except UnreadableError as error:
            if error.code in ("io", "permission"):
                raise WriteError(file.path, error.message) from None
            return None
        return seen if seen.data == file.after else None
    return None


def _restore(
    path: str, before: bytes | None, seen: Seen, changes: list[Write], gone: list[tuple[str, Seen]]
) -> None:
    if before is None:
        gone.append((path, seen))
    else:
        changes.append(Write(path, before, seen))


def _remove(path: str, seen: Seen) -> None:
    """Take away a file that the run made and nobody touched since."""
    try:
        if read_seen(path, ARCHIVE_CAP) != seen:
            raise ChangedError(path)
        os.unlink(path)
    except UnreadableError as error:
        if error.code != "missing":
            raise WriteError(path, error.message) from None
        return
    except OSError as error:
        raise WriteError.of(path, error) from None
    sync_folder(os.path.dirname(path))


def _memory(root: str) -> str:
    return os.path.join(root, NAME)
