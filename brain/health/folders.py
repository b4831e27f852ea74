"""The folders of a project that may hold its memory: listed once, each up to a number of names.

What was looked at is kept as evidence: absolute paths with their stamps.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice

from brain.files.reading import Stamp, inside, stamp_of
from brain.health import roles

NAMES_CAP = 4096
ABSENT: Stamp = (-1, -1, -1)
# All names in these are told to the rules; of others only those of files that play a role are of interest.
_MEMORY_FOLDERS = frozenset((
    "docs", ".agent", ".agents/memory", ".agents/memory/sessions", ".agents/memory/notes", ".bmad/memory",
    ".bmad/memory/sessions",
    "memory-bank", "memory", ".claude", ".cursor/rules", ".windsurf/rules", ".clinerules", *roles.ADR_FOLDERS,
    *roles.SOURCE_FOLDERS,
))  # fmt: skip
_USUAL_FOLDERS = (
    "docs", "memory", "memory-bank", ".agents", ".bmad", ".claude", ".github", ".cursor", "scripts", "tests",
    "adr",
)  # fmt: skip


class Folders:
    """The folders of the project at ``path``.

    ``names`` are what stands in its own folder and in those of its memory, relative; ``evidence`` as
    ``brain.health.gather`` describes.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.real = os.path.realpath(path)
        # Relative folders, folded, as they are really called, with their names by folded name.
        self.listed: dict[str, tuple[str, dict[str, str]]] = {}
        self.names: set[str] = set()
        self.evidence: dict[str, Stamp] = {}
        # Links that were not followed, as (relative path, problem, where they lead in the project).
        self.closed: list[tuple[str, str, str]] = []

    def look(self, folder: str) -> tuple[str, dict[str, str]] | None:
        """How ``folder`` (relative, folded) is really called, and its names by folded name."""
        if folder in self.listed:
            return self.listed[folder]
        above, _, own = folder.rpartition("/")
        real = ""
        if folder:
            parent = self.look(above)
            if parent is None or own not in parent[1]:
                return None
            real = f"{parent[0]}/{parent[1][own]}" if parent[0] else parent[1][own]
        names = self._names(real)
        if names is None:
            return None
        self.listed[folder] = (real, {name.lower(): name for name in sorted(names, reverse=True)})
        if not folder or folder in _MEMORY_FOLDERS:
            self.names.update(f"{real}/{name}" if real else name for name in names)
        return self.listed[folder]

    def _names(self, real: str) -> list[str] | None:
        path = os.path.join(self.path, *real.split("/")) if real else self.path
        try:
            status = os.lstat(path)
            if real and stat.S_ISLNK(status.st_mode):
                self.evidence[path] = stamp_of(status)
                path = os.path.realpath(path)
                if not inside(path, self.real):
                    self.closed.append((real, "link", ""))
                    return None
                if not os.path.lexists(path):
                    target = os.path.relpath(path, self.real).replace(os.sep, "/")
                    self.closed.append((real, "missing", target))
                status = os.lstat(path)
            self.evidence[path] = stamp_of(status)
            if not stat.S_ISDIR(status.st_mode) and real:
                return None
            with os.scandir(path) as entries:
                names = [entry.name for entry in islice(entries, NAMES_CAP)]
        except (OSError, ValueError):
            return None if real else []
        if len(names) == NAMES_CAP:
            # Too many to read them all: ask after those that matter by the names they usually have.
            names += [
                name
                for name in _usual(real.lower())
                if name not in names and there(self.path, f"{real}/{name}".lstrip("/"))
            ]
        return [name for name in names if is_text(name)]


def there(path: str, relative: str) -> bool:
    """Whether anything stands at ``relative`` in the project at ``path``; never asked after outside of it."""
    parts = relative.split("/")
    if relative.startswith("/") or ".." in parts or "\0" in relative:
        return False
    try:
        os.lstat(os.path.join(path, *parts))
    except (OSError, ValueError):
        return False
    return True


def stamp_at(path: str) -> Stamp:
    """What ``path`` is now, links not followed; ``ABSENT`` for nothing."""
    try:
        return stamp_of(os.lstat(path))
    except (OSError, ValueError):
        return ABSENT


def _usual(folder: str) -> Iterator[str]:
    for name in roles.names_in(folder):
        stem, dot, ending = name.rpartition(".")
        yield name
        yield f"{stem.upper()}{dot}{ending}" if dot else name.upper()
    if not folder:
        yield from _USUAL_FOLDERS


def is_text(name: str) -> bool:
    """Whether a name can be shown and stored: no bytes that are no UTF-8."""
    return name.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in name)
