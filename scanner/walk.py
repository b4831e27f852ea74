"""The walk: one plain loop over directory reads that finds candidate folders and says what it left out.

Measured on 373,000 entries: not opening folders is the whole win. One thread, no stat per marker, names of
generated folders pruned before they are opened, and no descent into what is already a project. Threads,
``os.walk`` and ``pathlib`` were all slower.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from scanner.ignore import IgnoreStack, parse_ignore
from scanner.mounts import Mount, Mounts
from scanner.project import Coverage, Listing, Problem, Root
from scanner.prune import always_pruned, pruned_by_content, pruned_by_name
from scanner.reading import UnreadableError, read_file

# Version control systems by the name of their folder or file, in the order in which they win.
VCS_NAMES = {
    ".git": "git",
    ".jj": "jj",
    ".hg": "hg",
    ".sl": "sl",
    ".svn": "svn",
    ".bzr": "bzr",
    "_darcs": "darcs",
    ".pijul": "pijul",
    ".fslckout": "fossil",
    "_FOSSIL_": "fossil",
    "CVS": "cvs",
}
_VCS_SET = frozenset(VCS_NAMES)

_ENTRIES_PER_FOLDER = 200_000
_CHECK_EVERY = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder that may be a project.

    ``kind`` is ``vcs``, ``bare``, ``strong`` or ``weak``; ``marker`` is the name that made it one; ``inside``
    is the project around it (only with nested discovery); ``nested`` are repositories seen one level below.
    """

    listing: Listing
    kind: str
    marker: str
    depth: int
    is_root: bool = False
    inside: str | None = None
    nested: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The candidate's folder."""
        return self.listing.path


@dataclass(frozen=True, slots=True)
class Policy:
    """How to walk: every choice a named switch.

    ``nested`` is ``none``, ``repos`` or ``all``; ``root_class`` judges a listing by its markers; ``may_root``
    is its cheap forerunner on bare names; ``expired`` says that the deadline has passed. For an explanation,
    ``only`` narrows the walk to some folders and ``note`` hears each decision about a folder by its code.
    """

    root_class: Callable[[Listing], tuple[str, str]]
    may_root: Callable[[Iterable[str]], bool]
    nested: str = "none"
    exclude: tuple[str, ...] = ()
    own_ignore: bool = False
    mounts: Mounts = field(default_factory=Mounts)
    expired: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] | None = None
    only: Callable[[str], bool] | None = None
    note: Callable[[str, str], object] | None = None


@dataclass(frozen=True, slots=True)
class Walked:
    """What the walk found, unordered, and its account of what it saw."""

    candidates: tuple[Candidate, ...]
    coverage: Coverage
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Place:
    """One folder still to be read."""

    path: str
    left: int
    depth: int
    mount: Mount | None
    rules: IgnoreStack | None
    relative: str
    inside: str | None = None
    only_repository: bool = False


def looks_bare(files: Iterable[str], folders: Iterable[str]) -> bool:
    """Whether the names are those of a git repository's own folder, as a bare repository shows them."""
    return "HEAD" in files and "objects" in folders and ("refs" in folders or "reftable" in folders)


def vcs_marker(names: Iterable[str]) -> str | None:
    """The version control marker among ``names``, the strongest if there are several."""
    found = _VCS_SET.intersection(names)
    if not found:
        return None
    return next(iter(found)) if len(found) == 1 else next(name for name in VCS_NAMES if name in found)


def walk(roots: Sequence[Root], policy: Policy) -> Walked:
    """Walk the ``roots`` (absolute, merged: see ``scanner.roots``) and return the candidates."""
    return _Walk(policy).run(roots)


class _Walk:
    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.candidates: list[Candidate] = []
        self.problems: list[Problem] = []
        self.pruned: Counter[str] = Counter()
        self.unreadable: list[str] = []
        self.directories = 0
        self.entries = 0
        self.cut_by_depth = 0
        self.deadline_hit = False
        self.visited: set[tuple[object, int]] = set()
        self.pending: list[_Place] = []

    def run(self, roots: Sequence[Root]) -> Walked:
        # Deepest first: a root inside another has its own depth; the visited set keeps the outer one out.
        for root in sorted(roots, key=lambda root: (-root.path.count("/"), root.path)):
            self._walk_root(root)
        coverage = Coverage(
            directories=self.directories,
            entries=self.entries,
            pruned=tuple(sorted(self.pruned.items())),
            unreadable=tuple(sorted(self.unreadable)),
            cut_by_depth=self.cut_by_depth,
            deadline_hit=self.deadline_hit,
        )
        return Walked(tuple(self.candidates), coverage, tuple(self.problems))

    def _walk_root(self, root: Root) -> None:
        mount = self.policy.mounts.of(root.path)
        rules = _rules(self.policy)
        try:
            status = os.stat(root.path)
        except OSError as error:
            self._unreadable(root.path, error)
            return
        if self._seen(mount, status.st_dev, status.st_ino):
            return
        self.pending.append(_Place(root.path, root.depth, 0, mount, rules, ""))
        check = self.policy.expired
        while self.pending:
            if self.directories % _CHECK_EVERY == 0:
                if check():
                    self.deadline_hit = True
                    self.pending.clear()
                    return
                if self.policy.progress:
                    self.policy.progress(self.directories, len(self.candidates))
            self._read(self.pending.pop())

    def _read(self, place: _Place) -> None:
        names: list[str] = []
        folders: dict[str, os.DirEntry[str]] = {}
        self.directories += 1
        try:
            with os.scandir(place.path) as entries:
                for entry in entries:
                    name = entry.name
                    names.append(name)
                    if entry.is_dir(follow_symlinks=False):
                        folders[name] = entry
                    if len(names) >= _ENTRIES_PER_FOLDER:
                        self._too_large(place.path)
                        break
        except OSError as error:
            self._unreadable(place.path, error)
            return
        self.entries += len(names)
        if self._stop_here(place, names, folders):
            return
        self._descend(place, names, folders)

    def _stop_here(self, place: _Place, names: list[str], folders: dict[str, os.DirEntry[str]]) -> bool:
        """Judge one folder; True when nothing below it is to be searched."""
        marker = vcs_marker(names)
        if marker is not None:
            return self._found(place, names, folders, "vcs", marker)
        if "HEAD" in names and looks_bare(names, folders):
            return self._found(place, names, folders, "bare", "HEAD")
        if place.only_repository:
            self._prune(place.path, "hidden")
            return True
        strength, marker = "none", ""
        if self.policy.may_root(names):
            strength, marker = self.policy.root_class(_listing(place.path, names, folders))
        if place.depth and strength != "strong" and (reason := pruned_by_content(place.path, names)):
            self._prune(place.path, reason)
            return True
        if strength in ("strong", "weak") and (place.inside is None or self.policy.nested == "all"):
            return self._found(place, names, folders, strength, marker)
        return False

    def _found(
        self, place: _Place, names: list[str], folders: dict[str, os.DirEntry[str]], kind: str, marker: str
    ) -> bool:
        """Take a candidate; True when the walk stops at it."""
        self._note(place.path, kind)
        nested: tuple[str, ...] = ()
        is_root = place.depth == 0
        if kind in ("vcs", "strong") and not is_root:
            nested = self._nested_below(place.path, names, folders)
        # A manifest beside several repositories: they are projects of their own, whatever it is.
        beside = nested if kind == "strong" and len(nested) > 1 and place.left > 0 else ()
        if beside:
            nested = ()
        self.candidates.append(
            Candidate(
                _listing(place.path, names, folders), kind, marker, place.depth, is_root, place.inside, nested
            )
        )
        if is_root or kind == "weak":
            return False
        if kind == "bare":
            return True
        if self.policy.nested != "none":
            place.inside = place.path
            return False
        for path in beside:
            name = path.rpartition("/")[2]
            self._push(place, name, folders[name])
        return True

    def _nested_below(
        self, path: str, names: list[str], folders: dict[str, os.DirEntry[str]]
    ) -> tuple[str, ...]:
        access = os.access
        prefix = _prefix(path)
        return tuple(
            sorted(
                prefix + name
                for name in folders
                if access(f"{prefix}{name}/.git", os.F_OK) and not pruned_by_name(name, names)
            )
        )

    def _descend(self, place: _Place, names: list[str], folders: dict[str, os.DirEntry[str]]) -> None:
        if place.rules is not None:
            place.rules = self._own_rules(place, names)
        siblings = frozenset(names) if folders else frozenset[str]()
        for name, entry in folders.items():
            if name[0] == ".":
                self._hidden(place, name, entry)
            elif reason := pruned_by_name(name, siblings):
                self._prune(_prefix(place.path) + name, reason)
            else:
                self._push(place, name, entry)

    def _hidden(self, place: _Place, name: str, entry: os.DirEntry[str]) -> None:
        """A hidden folder is never searched, but one that is a repository is a project."""
        path = _prefix(place.path) + name
        if always_pruned(name):
            self._prune(path, "tool-cache")
        elif _is_repository(path):
            self._push(place, name, entry, only_repository=True)
        else:
            self._prune(path, "hidden")

    def _push(
        self, place: _Place, name: str, entry: os.DirEntry[str], *, only_repository: bool = False
    ) -> None:
        path = _prefix(place.path) + name
        relative = f"{place.relative}/{name}" if place.relative else name
        if place.rules is not None and place.rules.ignores(relative, is_folder=True):
            self._prune(path, "excluded")
            return
        if place.left <= 0:
            self.cut_by_depth += 1
            self._note(path, "too-deep")
            return
        if self.policy.only is not None and not self.policy.only(path):
            return
        mount = place.mount
        if path in self.policy.mounts.by_point:
            mount = self.policy.mounts.by_point[path]
            if place.mount is not None and mount.device != place.mount.device:
                self._prune(path, "other-device")
                return
        if self._entered_before(path, entry, place.mount, mount):
            self._prune(path, "seen-before")
            return
        self.pending.append(
            _Place(
                path,
                place.left - 1,
                place.depth + 1,
                mount,
                place.rules,
                relative,
                place.inside,
                only_repository,
            )
        )

    def _entered_before(
        self, path: str, entry: os.DirEntry[str], parent: Mount | None, mount: Mount | None
    ) -> bool:
        if mount is not None and mount is parent and mount.stable_inodes:
            return self._seen(mount, 0, entry.inode())
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError as error:
            self._unreadable(path, error)
            return True
        return self._seen(mount, status.st_dev, status.st_ino)

    def _seen(self, mount: Mount | None, device: int, inode: int) -> bool:
        identity = (mount.device if mount is not None and mount.stable_inodes else device, inode)
        if identity in self.visited:
            return True
        self.visited.add(identity)
        return False

    def _own_rules(self, place: _Place, names: list[str]) -> IgnoreStack | None:
        if not self.policy.own_ignore or ".gitignore" not in names or place.rules is None:
            return place.rules
        path = f"{_prefix(place.path)}.gitignore"
        try:
            parsed = parse_ignore(read_file(path), path)
        except UnreadableError as error:
            self.problems.append(Problem("unreadable-ignore", "warning", path, error.message))
            return place.rules
        self.problems.extend(parsed.problems)
        return place.rules.enter(place.relative, parsed)

    def _prune(self, path: str, reason: str) -> None:
        self.pruned[reason] += 1
        self._note(path, reason)

    def _note(self, path: str, decision: str) -> None:
        if self.policy.note is not None:
            self.policy.note(path, decision)

    def _unreadable(self, path: str, error: OSError) -> None:
        self.unreadable.append(path)
        self.problems.append(
            Problem(
                "unreadable-folder",
                "warning",
                path,
                error.strerror or str(error),
                "Give yourself read and search permission, or exclude the folder.",
            )
        )

    def _too_large(self, path: str) -> None:
        self.problems.append(
            Problem(
                "folder-too-large",
                "warning",
                path,
                f"more than {_ENTRIES_PER_FOLDER} entries: the rest was not read",
                "Exclude the folder if it holds no projects.",
            )
        )


def _rules(policy: Policy) -> IgnoreStack | None:
    if not policy.exclude and not policy.own_ignore:
        return None
    patterns = "\n".join(policy.exclude).encode("utf-8", "surrogateescape")
    return IgnoreStack.of([parse_ignore(patterns, "--exclude")])


def _listing(path: str, names: list[str], folders: dict[str, os.DirEntry[str]]) -> Listing:
    folder_names = frozenset(folders)
    return Listing(path, frozenset(names) - folder_names, folder_names)


def _is_repository(path: str) -> bool:
    return os.access(f"{path}/.git", os.F_OK) or (
        os.access(f"{path}/HEAD", os.F_OK) and os.access(f"{path}/objects", os.F_OK)
    )


def _prefix(path: str) -> str:
    return path if path.endswith("/") else path + "/"
