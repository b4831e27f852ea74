"""What stands one and two folders below a project's own: its components' manifests, its files' endings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence

from scanner import trace
from scanner.project import Listing

NEARNESS = (1.0, 0.6, 0.3)
DEPTH = 2
_FOLDERS = 48
_PATHS = 50_000
_ENTRIES = 2_000


class Below:
    """The folders below a project: from its tracked paths where they are known, else from the disk.

    Everything is read at most once and bounded. Links are not followed; hidden folders, skipped ones and
    those that hold a repository of their own are not entered.
    """

    def __init__(
        self, listing: Listing, skipped: Collection[str], tracked: Callable[[], Sequence[str]] | None
    ) -> None:
        self.has_folders = bool(listing.folders)
        self._listing = listing
        self._skipped = skipped
        self._ask = tracked
        self._paths: Sequence[str] | None = None
        self._by_prefix: dict[str, Listing] | None = None
        self._levels: list[list[tuple[str, Listing]]] = [[("", listing)]]
        self._budget = _FOLDERS

    def tracked(self) -> Sequence[str] | None:
        """The tracked paths, or ``None`` where nobody knows them."""
        if self._paths is None and self._ask is not None:
            self._paths = self._ask()
        return self._paths

    def paths(self) -> Sequence[str]:
        """The tracked paths, else the names of the files down to depth 2."""
        tracked = self.tracked()
        if tracked is not None:
            return tracked
        folders = [("", self._listing), *((prefix, folder) for prefix, _, folder in self.from_disk(DEPTH))]
        return [prefix + name for prefix, folder in folders for name in folder.files]

    def folders(self) -> Iterator[tuple[str, int, Listing]]:
        """(prefix with a closing ``/``, depth, listing) down to depth 2, shallow ones first."""
        if self.tracked() is None:
            yield from self.from_disk(DEPTH)
        else:
            yield from ((prefix, prefix.count("/"), folder) for prefix, folder in self._known().items())

    def beside_sources(self, sources: Collection[str]) -> Iterator[tuple[str, int, Listing]]:
        """The folders of the first level, read from the disk, without those of the project's own code."""
        for name in sorted(self._listing.folders):
            if name[0] == "." or name in self._skipped or name in sources:
                continue
            self._budget -= 1
            if self._budget < 0:
                return
            folder = _listed(os.path.join(self._listing.path, name))
            if folder is not None:
                yield f"{name}/", 1, folder

    def from_disk(self, depth: int) -> Iterator[tuple[str, int, Listing]]:
        """As ``folders``, by reading the folders themselves."""
        while len(self._levels) <= depth:
            self._levels.append(self._next_level(self._levels[-1]))
        for level in range(1, depth + 1):
            yield from ((prefix, level, folder) for prefix, folder in self._levels[level])

    def confirmed(self, prefix: str, folder: Listing) -> Listing | None:
        """What is tracked of a folder that was read from the disk; all of it where nobody knows."""
        return folder if self.tracked() is None else self._known().get(prefix)

    def _next_level(self, parents: list[tuple[str, Listing]]) -> list[tuple[str, Listing]]:
        level: list[tuple[str, Listing]] = []
        for prefix, parent in parents:
            for name in sorted(parent.folders):
                if name[0] == "." or name in self._skipped:
                    continue
                self._budget -= 1
                if self._budget < 0:
                    return level
                folder = _listed(os.path.join(parent.path, name))
                if folder is not None:
                    level.append((f"{prefix}{name}/", folder))
        return level

    def _known(self) -> dict[str, Listing]:
        if self._by_prefix is None:
            self._by_prefix = _from_paths(self._listing, self.tracked() or (), self._skipped)
        return self._by_prefix


def _from_paths(listing: Listing, tracked: Sequence[str], skipped: Collection[str]) -> dict[str, Listing]:
    files: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    names_in: dict[str, list[str]] = {}
    for path in tracked[:_PATHS]:
        folder, _, name = path.rpartition("/")
        names_in.setdefault(folder, []).append(name)
    names_in.pop("", None)
    for folder, names in names_in.items():
        parts = folder.split("/")
        near = parts[:DEPTH]
        if near[0] not in listing.folders or any(part[:1] == "." or part in skipped for part in near):
            continue
        if len(parts) <= DEPTH:
            files.setdefault(folder + "/", set()).update(names)
        else:
            folders.setdefault("/".join(near) + "/", set()).add(parts[DEPTH])
        for depth in range(1, len(near)):
            folders.setdefault("/".join(near[:depth]) + "/", set()).add(near[depth])
    prefixes = sorted({*files, *folders}, key=lambda prefix: (prefix.count("/"), prefix))
    return {
        prefix: Listing(
            os.path.join(listing.path, prefix[:-1]),
            frozenset(files.get(prefix, ())),
            frozenset(folders.get(prefix, ())),
        )
        for prefix in prefixes[: _FOLDERS * 2]
    }


def list_folder(path: str, cap: int) -> Listing | None:
    """What the folder at ``path`` holds by name, at most ``cap`` entries; None where it cannot be read."""
    files: set[str] = set()
    folders: set[str] = set()
    try:
        with trace.scandir(path) as entries:
            for count, entry in enumerate(entries):
                if count >= cap:
                    break
                (folders if entry.is_dir(follow_symlinks=False) else files).add(entry.name)
    except OSError:
        return None
    return Listing(path, frozenset(files), frozenset(folders))


def _listed(path: str) -> Listing | None:
    """The same of a folder that is no repository of its own."""
    listing = list_folder(path, _ENTRIES)
    if listing is None or ".git" in listing.folders or ".git" in listing.files:
        return None
    return listing
