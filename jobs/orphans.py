"""Memory that an assistant left behind for folders that are no longer there: found and named, never touched.

Claude Code keeps what it remembers of a folder in ``~/.claude/projects/<name>/memory``. The name is the path
of the folder with a dash in the place of every character but ASCII letters and digits, so that it cannot be
read back: it is compared with the folders that exist.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from brain.files.reading import inside
from reports.status import LeftBehind
from scanner.mounts import Mounts

PLACE = ".claude/projects"
MEMORY = "memory"

_FOLDERS = 2_000
_FILES = 1_000
_LISTINGS = 5_000
_ENTRIES = 20_000
# A name that would be longer is cut and gets a checksum instead of its end.
_LONGEST = 200


def find_orphans(
    home: str, mounts: Mounts, *, known: Iterable[str] = (), moved: Mapping[str, str] | None = None
) -> tuple[LeftBehind, ...]:
    """The memories below ``home`` whose folders are gone, ordered by where they lie.

    ``known`` are paths that were projects once: where one of them fits, the folder can be told for sure.
    ``moved`` says for such a path where the project is now. Whatever cannot be looked into counts as there:
    also a file system of ``mounts`` below which the folder could lie and that may hang whoever asks it.
    """
    place = os.path.join(home, PLACE)
    moved = moved or {}
    paths: dict[str, set[str]] = {}
    for path in (*known, *moved):
        paths.setdefault(encoded(path), set()).add(path)
    search = _Search(mounts, home)
    found = []
    for name in sorted(search.listed(place) or ())[:_FOLDERS]:
        memory = os.path.join(place, name, MEMORY)
        if not name.startswith("-") or len(name) > _LONGEST or os.path.islink(os.path.dirname(memory)):
            continue
        files = _count(memory)
        if not files or search.may_exist(name):
            continue
        fitting = sorted(paths.get(name, ()))
        folder = fitting[0] if fitting else search.guess(name)
        ambiguous = len(fitting) != 1 if fitting else search.is_ambiguous(name, folder)
        found.append(LeftBehind(folder, memory, files, ambiguous, moved.get(folder, "")))
    return tuple(found)


def encoded(path: str) -> str:
    """The name under which the memory of ``path`` is kept."""
    return re.sub(r"[^A-Za-z0-9]", "-", _in_utf16(path))


def _in_utf16(path: str) -> str:
    """``path`` with two characters for each one that UTF-16 writes as a pair, as the writer counts them."""
    return re.sub(r"[\U00010000-\U0010ffff]", "--", path)


def _count(folder: str) -> int:
    """How many regular files lie in ``folder``, which is no link itself; 0 where it cannot be read."""
    count = 0
    if os.path.islink(folder):
        return 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                count += entry.is_file(follow_symlinks=False)
                if count >= _FILES:
                    break
    except OSError:
        return 0
    return count


class _Search:
    """Looks for the folders that a name could stand for, each folder on the way listed once."""

    def __init__(self, mounts: Mounts, home: str) -> None:
        self._mounts = mounts
        self._home = home
        self._names: dict[str, list[str] | None] = {}
        self._deepest: dict[str, list[tuple[str, str]]] = {}

    def may_exist(self, name: str) -> bool:
        """Whether a folder is there, or could be for all that can be seen, that has this name."""
        ends: list[tuple[str, str]] = []
        open_ways = [("/", name[1:])]
        while open_ways:
            folder, rest = open_ways.pop()
            listed = self.listed(folder)
            if listed is None:
                return True
            further = [(one, encoded(one)) for one in listed]
            fitting = [(one, code) for one, code in further if rest == code or rest.startswith(f"{code}-")]
            for one, code in fitting:
                path = os.path.join(folder, one)
                if self._is_elsewhere(path):
                    return True
                if not os.path.isdir(path):
                    continue
                if rest == code:
                    return True
                open_ways.append((path, rest[len(code) + 1 :]))
            ends.append((folder, rest))
        self._deepest[name] = ends
        return False

    def guess(self, name: str) -> str:
        """The likeliest folder: what is gone, below the longest path that is still there."""
        folder, rest = min(self._ends(name), key=lambda end: (len(end[1]), end[0]))
        return os.path.join(folder, rest)

    def is_ambiguous(self, name: str, folder: str) -> bool:
        """Whether the name could stand for another folder as well: a dash may have been anything."""
        shortest = min(len(rest) for _, rest in self._ends(name))
        ends = [end for end in self._ends(name) if len(end[1]) == shortest]
        return len(ends) > 1 or "-" in folder.rpartition("/")[2]

    def _ends(self, name: str) -> list[tuple[str, str]]:
        return self._deepest[name]

    def listed(self, folder: str) -> list[str] | None:
        """The names in ``folder``; None where it cannot be looked into, or is not to be."""
        if folder not in self._names:
            if len(self._names) >= _LISTINGS:
                return None
            try:
                names = os.listdir(folder)
            except OSError:
                names = None
            self._names[folder] = names if names is not None and len(names) <= _ENTRIES else None
        return self._names[folder]

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a file system is mounted at ``path`` that may be far away: not a disk's, nor home's."""
        mount = self._mounts.by_point.get(path)
        return mount is not None and not mount.stable_inodes and not inside(self._home, path)
