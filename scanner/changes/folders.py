"""The folders of a work tree that hold tracked files, read once each; and what in them nobody tracks.

As git lists it: ignored folders are not entered, whatever they hold; a folder without anything tracked is one
path, if there is one file in it that no rule ignores, or if it is a repository; pipes, sockets and devices
are nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from unicodedata import normalize

from scanner import trace
from scanner.changes.nested import is_repository
from scanner.git.index import Index
from scanner.seen_files import SeenFiles
from scanner.untracked import ENTRIES_CAP, WorkTreeRules

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_DATED = 100
"""How many files of one new folder are asked for their dates."""


class Folders:
    """What was found. ``untracked`` holds paths, folders with a slash at the end; ``dates`` those of the
    untracked files; ``replaced`` the tracked folders in whose place something else stands; ``closed`` those
    that may not be read; ``truncated`` tells that more stood there than is looked at."""

    __slots__ = ("closed", "dates", "replaced", "truncated", "untracked")

    def __init__(self) -> None:
        self.untracked: list[bytes] = []
        self.dates: list[float] = []
        self.replaced: list[bytes] = []
        self.closed: set[bytes] = set()
        self.truncated = False


def read_folders(
    work_tree: str,
    root: int,
    index: Index,
    rules: WorkTreeRules,
    mounted: Collection[bytes],
    *,
    fold: bool,
    compose: bool = False,
    seen: SeenFiles | None = None,
) -> Folders:
    """Read the folders of ``index`` below the open folder ``root``, and look into those that are new there.

    ``fold``: letters count the same in either case; ``compose``: names are taken in their composed form, as
    on systems that hand out letters and accents apart. Nothing at or below a path in ``mounted`` is asked.
    What ``seen`` has of the folders is not asked again.
    """
    return _Reading(work_tree, root, index, rules, mounted, fold=fold, compose=compose, seen=seen).run()


class _Reading:
    def __init__(
        self,
        work_tree: str,
        root: int,
        index: Index,
        rules: WorkTreeRules,
        mounted: Collection[bytes],
        *,
        fold: bool,
        compose: bool,
        seen: SeenFiles | None,
    ) -> None:
        self.work_tree = work_tree
        self.root = root
        self.rules = rules
        self.mounted = frozenset(map(os.fsdecode, mounted))
        self.found = Folders()
        self.left = ENTRIES_CAP
        self.compose = compose
        self.path = os.fsencode(work_tree) + b"/"
        kept = seen.take_folders(work_tree, index.names) if seen is not None else None
        # Whether each folder is known to be one; otherwise a link may stand in its place.
        self.are_folders = kept is not None
        if kept is None:
            folders = index.all_folders()
            kept = folders, {*index.names, *folders}
        self.folders, self.known = kept
        self.folded: tuple[set[bytes], set[bytes]] | None = None
        if fold:
            self.folded = {name.lower() for name in index.names}, {name.lower() for name in self.folders}

    def run(self) -> Folders:
        unknown = self.read_tracked_folders()
        for path in sorted(unknown):
            self.take(path)
        for replaced in self.found.replaced:
            self.take(os.fsdecode(replaced))
        self.found.truncated = self.found.truncated or self.left < 0 or self.rules.is_spent
        return self.found

    def read_tracked_folders(self) -> list[str]:
        """The entries of the tracked folders that are neither tracked nor such a folder."""
        found: list[bytes] = []
        known, is_known = self.known, self.known.issuperset
        skipped = set(map(os.fsencode, self.mounted))
        names_in = self.names_in_folder if self.are_folders else self.names_in_place
        for folder in (b"", *sorted(self.folders)):
            if skipped and (folder in skipped or folder.rpartition(b"/")[0] in skipped):
                skipped.add(folder)
                continue
            try:
                names = names_in(folder)
            except OSError as error:
                if self.is_replaced(folder, error):
                    skipped.add(folder)
                continue
            start = folder + b"/" if folder else b""
            if not is_known(map(start.__add__, names)):
                found += [path for path in map(start.__add__, names) if path not in known]
        return list(map(os.fsdecode, found))

    def names_in_folder(self, folder: bytes) -> list[bytes]:
        """What stands in a folder that is one, behind no link: an eighth quicker than the other way."""
        names = os.listdir(self.path + folder)
        return list(map(_composed_bytes, names)) if self.compose else names

    def names_in_place(self, folder: bytes) -> list[bytes]:
        """What stands in a folder of which nothing is known; nothing is read behind a link."""
        descriptor = os.open(folder or b".", _FOLDER, dir_fd=self.root)
        try:
            names = os.listdir(descriptor)
        except OSError:
            names = []  # it went away
        finally:
            os.close(descriptor)
        return [os.fsencode(_composed(name) if self.compose else name) for name in names]

    def is_replaced(self, folder: bytes, error: OSError) -> bool:
        """Whether something else than a folder stands at ``folder``, which could not be opened."""
        if isinstance(error, FileNotFoundError):
            return False
        if isinstance(error, PermissionError):
            self.found.closed.add(folder)
            return False
        self.found.replaced.append(folder)
        return True

    def take(self, path: str) -> None:
        """Keep ``path`` if it is untracked."""
        name = path[path.rfind("/") + 1 :]
        self.left -= 1
        if path in self.mounted or self.left < 0 or _is_store(name, fold=self.folded is not None):
            return
        try:
            status = trace.lstat_below(self.work_tree, path, self.root)
        except OSError:
            return
        if stat.S_ISDIR(status.st_mode):
            self.take_folder(path)
        elif stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            is_tracked = self.folded is not None and _folded(path) in self.folded[0]
            if not is_tracked and not self.rules.ignores(path, is_folder=False):
                self.found.untracked.append(os.fsencode(path))
                self.found.dates.append(status.st_mtime)

    def take_folder(self, path: str) -> None:
        if self.rules.ignores(path, is_folder=True):
            return
        if self.folded is not None and _folded(path) in self.folded[1]:
            for name in sorted(self.names_in(path)):
                self.take(f"{path}/{name}")
        elif self.holds_something(path):
            self.found.untracked.append(os.fsencode(path) + b"/")

    def holds_something(self, folder: str) -> bool:
        """Whether there is a file in a new folder that no rule ignores, or a repository."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            if is_repository(f"{self.work_tree}/{folder}"):
                return True
            files, folders = self.entries_of(folder)
            dates = self.dates_of(path for path in files if not self.rules.ignores(path, is_folder=False))
            if dates:
                self.found.dates += dates
                return True
            waiting += [one for one in reversed(folders) if not self.rules.ignores(one, is_folder=True)]
        return False

    def entries_of(self, folder: str) -> tuple[list[str], list[str]]:
        """The paths of the files, and of the folders, in a new folder; other kinds are nothing."""
        files: list[str] = []
        folders: list[str] = []
        fold = self.folded is not None
        try:
            with trace.scandir(f"{self.work_tree}/{folder}") as entries:
                for entry in entries:
                    self.left -= 1
                    path = f"{folder}/{_composed(entry.name) if self.compose else entry.name}"
                    if self.left < 0:
                        break
                    if _is_store(entry.name, fold=fold) or path in self.mounted:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                    elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                        files.append(path)
        except PermissionError:
            self.found.closed.add(os.fsencode(folder))
        except OSError:
            pass  # it went away, or is none any more
        return sorted(files), sorted(folders)

    def dates_of(self, paths: Iterable[str]) -> list[float]:
        dates: list[float] = []
        for path in paths:
            try:
                dates.append(trace.lstat_below(self.work_tree, path, self.root).st_mtime)
            except OSError:
                continue
            if len(dates) >= _DATED:
                break
        return dates

    def names_in(self, folder: str) -> list[str]:
        try:
            return trace.listdir(f"{self.work_tree}/{folder}")
        except OSError:
            return []


def _is_store(name: str, *, fold: bool) -> bool:
    return name == ".git" or (fold and name.lower() == ".git")


def _composed(name: str) -> str:
    return name if name.isascii() else normalize("NFC", name)


def _composed_bytes(name: bytes) -> bytes:
    return name if name.isascii() else os.fsencode(_composed(os.fsdecode(name)))


def _folded(path: str) -> bytes:
    """Git folds the letters of ASCII only."""
    return os.fsencode(path).lower()
