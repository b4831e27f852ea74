"""What the files of a project hold now: hashes in the way in which a run recorded them.

Nothing is followed out of the project: a link anywhere below it makes the evidence unusable, and so does
anything that is no regular file. Sizes and numbers are capped as the writer of the runs caps them.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from itertools import islice

from brain.display import display
from brain.files.links import refuse_links, relative_path
from brain.files.reading import UnreadableError, read_seen
from brain.outcomes.foreign_json import NotEligibleError

MAX_FILE = 16 * 1024 * 1024
MAX_FILES = 10_000
# Ours: the writer counts files only, and a tree of empty folders has no end.
MAX_ENTRIES = 100_000
# Ours: the largest program that is read to see whether it is still the one that checked.
MAX_PROGRAM = 1024 * 1024 * 1024

_PIECE = 1024 * 1024
_PROGRAM_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)

ProgramHashes = dict[tuple[int, int, int, int, int], str]


class Files:
    """Hashes of the files of the project at ``root`` (a real path), each file read once.

    One instance stands for one moment. ``programs`` remembers the hashes of executables by device, inode,
    size and both change times, and may be shared: an interpreter has a hundred megabytes.
    """

    __slots__ = ("_hashes", "_programs", "root")

    def __init__(self, root: str, programs: ProgramHashes) -> None:
        self.root = root
        self._hashes: dict[str, str] = {}
        self._programs = programs

    def of(self, names: list[str]) -> dict[str, str]:
        """The SHA-256 in hex of each of the files ``names`` (relative to the root, ``/`` between parts).

        ``NotEligibleError`` for a name that leads elsewhere and for a file that is missing, larger than
        16 MiB or no regular file.
        """
        return {name: self._hash(name) for name in names}

    def below(self, scopes: list[str]) -> dict[str, str]:
        """The hashes of all files in ``scopes`` and below; a scope that does not exist holds none.

        ``NotEligibleError`` for links and other things that are neither file nor folder, and for more than
        10,000 files.
        """
        names: list[str] = []
        for scope in scopes:
            self._walk(scope, names)
        return self.of(names)

    def folder_stands(self, name: str) -> bool:
        """Whether ``name`` (``.`` is the root) is a folder of the project, reached through no link."""
        try:
            return stat.S_ISDIR(os.lstat(self.root if name == "." else self._path(name)).st_mode)
        except OSError:
            return False

    def program(self, path: str) -> str | None:
        """The SHA-256 in hex of the executable at the absolute ``path``, links resolved, or None."""
        if not os.path.isabs(path):
            return None
        try:
            descriptor = os.open(os.path.realpath(path), _PROGRAM_FLAGS)
        except (OSError, ValueError):  # a NUL, or half of a character, is part of no name
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_PROGRAM:
                return None
            key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if key not in self._programs:
                self._programs[key] = _hash_of(descriptor, status.st_size)
            return self._programs[key]
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> str:
        if relative_path(name) != name:  # a backslash: a separator to one system, a character to another
            raise NotEligibleError(f"{display(name)} is not a path that every system reads alike")
        return refuse_links(self.root, name)

    def _hash(self, name: str) -> str:
        if name not in self._hashes:
            try:
                data = read_seen(self._path(name), MAX_FILE).data
            except UnreadableError as error:
                raise NotEligibleError(f"{display(name)}: {error.message}") from None
            self._hashes[name] = sha256(data or b"").hexdigest()
        return self._hashes[name]

    def _walk(self, scope: str, names: list[str]) -> None:
        try:
            mode = os.lstat(self._path(scope)).st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unusable(scope, error.strerror) from None
        pending: list[str] = []
        _sort_in(scope, is_folder=stat.S_ISDIR(mode), is_file=stat.S_ISREG(mode), into=(pending, names))
        seen = 0
        while pending:
            folder = pending.pop()
            for entry in self._entries(folder):
                seen += 1
                if seen > MAX_ENTRIES:
                    raise _unusable(scope, f"more than {MAX_ENTRIES} entries")
                _sort_in(
                    f"{folder}/{entry.name}",
                    is_folder=entry.is_dir(follow_symlinks=False),
                    is_file=entry.is_file(follow_symlinks=False),
                    into=(pending, names),
                )

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self.root, folder)) as entries:
                return list(islice(entries, MAX_ENTRIES + 1))
        except OSError as error:
            raise _unusable(folder, error.strerror) from None


def _sort_in(name: str, *, is_folder: bool, is_file: bool, into: tuple[list[str], list[str]]) -> None:
    folders, files = into
    if is_folder:
        folders.append(name)
    elif not is_file:
        raise _unusable(name, "a link, or neither a file nor a folder")
    else:
        files.append(name)
        if len(files) > MAX_FILES:
            raise NotEligibleError(f"the scope holds more than {MAX_FILES} files")


def _unusable(name: str, why: str | None) -> NotEligibleError:
    return NotEligibleError(f"{display(name)} in the scope: {why or 'cannot be read'}")


def _hash_of(descriptor: int, size: int) -> str:
    """The hash of at most ``size`` bytes: a file that grows meanwhile ends where it ended at first."""
    state = sha256()
    while size > 0 and (piece := os.read(descriptor, min(_PIECE, size))):
        state.update(piece)
        size -= len(piece)
    return state.hexdigest()
