"""What a project holds, as the readers of workspaces ask for it: bounded, never through a link.

Where a git index is at hand, it says which folders hold a manifest; else folders are read, as few as the
patterns allow.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from scanner import trace
from scanner.manifests.inner import list_folder
from scanner.project import Listing
from scanner.prune import always_pruned, pruned_by_name
from scanner.reading import UnreadableError, read_file
from scanner.value import dataclass
from scanner.workspaces.pattern import Pattern, Selection

FOLDERS_CAP = 2_000
"""How many folders of one project are read to look for members."""

_ENTRIES_CAP = 10_000
_READS_CAP = 4_000
_PATHS_CAP = 1_000_000
_CHECKS_CAP = 2_000_000
_PARTS_CAP = 64


@dataclass(frozen=True, slots=True)
class Found:
    """A member: its folder relative to the project, the kind of workspace, its name where that says it."""

    path: str
    kind: str
    name: str = ""


class Tree:
    """One project's files. ``cut`` tells that a bound was reached; nothing is asked of the disk twice."""

    def __init__(self, listing: Listing, tracked: Callable[[], Sequence[str]] | None) -> None:
        self.listing = listing
        self.root = listing.path
        self.cut = False
        self._ask = tracked
        self._tracked: list[str] | None = None
        self._real: dict[str, bool] = {"": True}
        self._listings: dict[str, Listing | None] = {"": listing}
        self._folders_left = FOLDERS_CAP
        self._reads_left = _READS_CAP

    def tracked(self) -> list[str]:
        """The tracked paths in order; none where there is no index, or nothing in it."""
        if self._tracked is None:
            self._tracked = sorted(self._ask()[:_PATHS_CAP]) if self._ask is not None else []
        return self._tracked

    def read(self, path: str) -> bytes | None:
        """The content of a file at a relative path; None where it is not there or will not be read."""
        if not self.is_folder(path.rpartition("/")[0]):
            return None
        if self._reads_left <= 0:
            self.cut = True
            return None
        self._reads_left -= 1
        try:
            return read_file(f"{self.root}/{path}")
        except UnreadableError:
            return None

    def has(self, folder: str, names: Iterable[str]) -> bool:
        """Whether the folder holds one of the files; a name such as ``*.cabal`` stands for its ending."""
        listing = self.folder(folder)
        return listing is not None and _holds(listing.files, names)

    def is_folder(self, path: str) -> bool:
        """Whether a relative path is a real folder of this project, not a link and not a repository."""
        if path not in self._real:
            if path.count("/") > _PARTS_CAP:
                return False
            self._real[path] = self.is_folder(path.rpartition("/")[0]) and self._is_own(path)
        return self._real[path]

    def folder(self, path: str) -> Listing | None:
        """What a folder at a relative path holds; None where it is none, or cannot be read."""
        if path not in self._listings:
            self._listings[path] = (
                list_folder(f"{self.root}/{path}", _ENTRIES_CAP) if self.is_folder(path) else None
            )
        return self._listings[path]

    def holding(self, choice: Selection, names: Collection[str]) -> Iterator[str]:
        """The folders that are chosen and hold one of the files, in order; never the project itself.

        Folders named without a wildcard are looked at where they are, the others as the index knows them.
        """
        literal = {one.base for one in choice.chosen if one.is_literal}
        wild = [one for one in choice.chosen if not one.is_literal]
        known = set(self.matching(Selection(wild, choice.taken), names)) if wild else set()
        for path in sorted(known | literal):
            if path and not choice.takes(path) and self.has(path, names):
                yield path

    def matching(self, choice: Selection, names: Collection[str]) -> Iterator[str]:
        """The chosen folders that hold one of the files by the index, or by the disk where there is none."""
        candidates = (
            _folders_of(self.tracked(), names) if self.tracked() else self._walk(choice.chosen, names)
        )
        left = _CHECKS_CAP
        for folder in candidates:
            left -= len(choice.chosen) + len(choice.taken)
            if left < 0:
                self.cut = True
                return
            if folder and choice.matches(folder):
                yield folder

    def below(self, folder: str) -> list[str]:
        """The tracked paths below a folder, relative to it."""
        from bisect import bisect_left  # noqa: PLC0415 - start-up: only workspaces need it

        paths, start = self.tracked(), f"{folder}/"
        first = bisect_left(paths, start)
        last = bisect_left(paths, f"{folder}0", first)  # "0" follows "/"
        return [path[len(start) :] for path in paths[first:last]]

    def _walk(self, wanted: Sequence[Pattern], names: Collection[str]) -> Iterator[str]:
        waiting = [(one.base, one.depth) for one in wanted]
        seen: dict[str, int | None] = {}
        while waiting:
            path, depth = waiting.pop()
            before = seen.get(path, -1)
            if before is None or (depth is not None and depth <= before):
                continue
            seen[path] = depth
            if self._folders_left <= 0:
                self.cut = True
                return
            self._folders_left -= 1
            listing = self.folder(path)
            if listing is None:
                continue
            if before == -1 and _holds(listing.files, names):
                yield path
            if depth != 0:
                left = None if depth is None else depth - 1
                waiting += [(_join(path, name), left) for name in reversed(_entered(listing))]

    def _is_own(self, path: str) -> bool:
        full = f"{self.root}/{path}"
        try:
            if not stat.S_ISDIR(trace.lstat(full).st_mode):
                return False
        except (OSError, ValueError):
            return False
        return not trace.lexists(f"{full}/.git")


def _folders_of(tracked: Sequence[str], names: Collection[str]) -> list[str]:
    """The folders of the tracked files with these names, or endings; of all files without any names."""
    if not names:
        return sorted({folder for path in tracked for folder in _parents(path)})
    endings = tuple(name[1:] if name.startswith("*") else f"/{name}" for name in names)
    return sorted({path.rpartition("/")[0] for path in tracked if path.endswith(endings)})


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _holds(files: Collection[str], names: Iterable[str]) -> bool:
    """Whether one of the names is there; no names at all ask for nothing."""
    wanted = tuple(names)
    if not wanted or not frozenset(wanted).isdisjoint(files):
        return True
    endings = tuple(name[1:] for name in wanted if name.startswith("*"))
    return bool(endings) and any(name.endswith(endings) for name in files)


def _entered(listing: Listing) -> list[str]:
    """The folders that a search goes into: none that a tool made."""
    names = listing.files | listing.folders
    return [
        name
        for name in sorted(listing.folders)
        if not always_pruned(name) and (name == "packages" or pruned_by_name(name, names) is None)
    ]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
