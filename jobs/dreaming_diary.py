"""Reads and writes ``DREAMS.md`` of a workspace, as a whole or not at all."""

from __future__ import annotations

import os

from brain.dreaming.diary import FILE_CAP, NAMES, last_dream, told, with_dream
from brain.dreaming.memory_file import items_of
from brain.files.atomic import OutsideError, Write, replace_all
from brain.files.errors import ChangedError, LockedError, MemError, WriteError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import Seen, UnreadableError, read_seen
from jobs.dreaming_look import Looked
from jobs.dreaming_writing import LOCK_SECONDS, kept
from reports.dreaming_report import late_entry
from scanner.project import Problem


def read_dreams(root: str) -> tuple[str, Seen] | None:
    """The name of the diary, and what it holds; None where there is none, or it cannot be read."""
    for name in NAMES:
        try:
            if name in os.listdir(root):
                refuse_links(root, name)
                return name, read_seen(os.path.join(root, name), FILE_CAP)
        except (OSError, MemError, UnreadableError):
            return None
    return None


def write_diary(root: str, run: str, body: str) -> tuple[Problem, ...]:
    """Append an entry to the diary; the lock of the workspace is held. What is in the way is told."""
    try:
        with FolderLock(root, wait=LOCK_SECONDS):
            name, seen = dreams_to_write(root)
            held = None if seen is None else seen.data or b""
            if held is not None and last_dream(held) == told(body):
                return ()
            data = with_dream(held, run, body)
            put_dreams(root, name, data, seen)
    except (LockedError, MemError, UnreadableError, WriteError, ChangedError, OutsideError) as error:
        fix = "Check the file: a regular one, at most 8 MiB, that you can write."
        words = f"the diary was not written: {error}"
        return (Problem("dreams-unwritten", "warning", os.path.join(root, NAMES[0]), words, fix),)
    return ()


def make_up(base: str, found: Looked) -> tuple[Problem, ...]:
    """Write the entry of a run that was killed between MEMORY.md and the diary; the lock is held.

    ``base`` is the state folder. That run is the newest of the workspace, newer than what is remembered as
    the last one, and what it wrote stands there.
    """
    runs, _ = kept(base).runs()
    newest = next((run for run in runs if run.files and run.files[0].base == found.root), None)
    if newest is None or newest.undone or (found.last is not None and newest.when <= found.last.at):
        return ()
    memory = found.workspace.memory or b""
    written = [item for item in items_of(memory) if item.run == newest.name]
    if not written:
        return ()
    return write_diary(found.root, newest.name, late_entry(newest.when[:10], newest.name, written))


def dreams_to_write(root: str) -> tuple[str, Seen | None]:
    """The name of the diary to be written, and what stands there; raises for what is no file of text."""
    try:
        names = set(os.listdir(root))
    except OSError as error:
        raise WriteError.of(root, error) from None
    name = next((one for one in NAMES if one in names), NAMES[0])
    refuse_links(root, name)
    return name, read_seen(os.path.join(root, name), FILE_CAP) if name in names else None


def put_dreams(root: str, name: str, data: bytes, seen: Seen | None) -> None:
    """Replace the diary, if it is still as it was read."""
    if len(data) > FILE_CAP:
        raise WriteError(os.path.join(root, name), f"it would be larger than {FILE_CAP:,} bytes")
    if seen is None or seen.data != data:
        replace_all([Write(os.path.join(root, name), data, seen)], root)
