"""Lists and reads the daily notes of a workspace: bounded, through no link, never written.

A note is a file ``YYYY-MM-DD.md`` or ``YYYY-MM-DD-slug.md`` at any depth below ``memory/``. What dreaming
itself leaves there, archives, reports and exports are not entered: no sweep reads its own words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from hashlib import sha256

from brain.dreaming.values import Note, Unread, Workspace
from brain.files.reading import UnreadableError, read_seen

FOLDER, MEMORY = "memory", "MEMORY.md"
FILE_CAP = 1024 * 1024
"""Bytes of a note."""
FILES_CAP = 5000
"""Notes of a workspace; of more the newest are read."""
BYTES_CAP = 100 * 1024 * 1024
"""Bytes of all notes."""
MEMORY_CAP = 8 * 1024 * 1024

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:-[^/]*)?\.md")
_NOT_ENTERED = frozenset(("dreaming", "archive", "reports", "exports", "node_modules", "venv", "__pycache__"))
_DEPTH = 8
_NAMES_CAP = 20_000


def day_of_note(name: str) -> str:
    """The day in the name of a file, ``YYYY-MM-DD``; empty for what is no daily note."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ""
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        return ""


def note_of(path: str, data: bytes) -> Note:
    """The note of these bytes at ``path``, whose name gives its day."""
    return Note(path, day_of_note(path.rpartition("/")[2]), data, sha256(data).hexdigest())


def list_notes(root: str) -> list[str]:
    """The paths of the notes of the workspace ``root``, with ``/``, those of the newest days first."""
    found = list(_below(root, FOLDER, 0)) if not os.path.islink(os.path.join(root, FOLDER)) else []
    return sorted(found, key=lambda path: (_backwards(path.rpartition("/")[2][:10]), path))


def read_workspace(root: str) -> Workspace:
    """The notes and the memory of the workspace ``root``; what cannot be read is named, and never raises."""
    notes: list[Note] = []
    unread: list[Unread] = []
    size = 0
    paths = list_notes(root)
    for number, path in enumerate(paths):
        if number >= FILES_CAP or size > BYTES_CAP:
            message = f"{len(paths) - number} older notes are beyond what is read"
            unread.append(Unread(path, "too-many", message))
            break
        try:
            data = read_seen(os.path.join(root, *path.split("/")), FILE_CAP).data or b""
        except UnreadableError as error:
            unread.append(Unread(path, error.code, error.message))
            continue
        size += len(data)
        notes.append(note_of(path, data))
    memory: bytes | None = None
    if _has_memory(root):
        try:
            memory = read_seen(os.path.join(root, MEMORY), MEMORY_CAP).data
        except UnreadableError as error:
            unread.append(Unread(MEMORY, error.code, error.message))
    return Workspace(tuple(notes), memory, tuple(unread))


def _has_memory(root: str) -> bool:
    """Whether the file has just this name, also where the system does not mind its case."""
    try:
        with os.scandir(root) as entries:
            return any(entry.name == MEMORY for entry in entries)
    except OSError:
        return False


def _below(root: str, folder: str, depth: int) -> Iterator[str]:
    folders: list[str] = []
    files: list[str] = []
    try:
        with os.scandir(os.path.join(root, *folder.split("/"))) as entries:
            for count, entry in enumerate(entries):
                if count >= _NAMES_CAP:
                    break
                name = entry.name
                if any("\ud800" <= sign <= "\udfff" for sign in name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif day_of_note(name) and entry.is_file(follow_symlinks=False):
                    files.append(name)
    except OSError:
        return
    for name in files:
        yield f"{folder}/{name}"
    if depth < _DEPTH:
        for name in sorted(folders):
            if not name.startswith(".") and name.lower() not in _NOT_ENTERED:
                yield from _below(root, f"{folder}/{name}", depth + 1)


def _backwards(day: str) -> int:
    return -int(day.replace("-", ""))
