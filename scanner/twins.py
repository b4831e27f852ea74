"""Snapshots among the candidates: many copies of one project whose files are the same ones on the disk.

Snapshots of a file system keep the numbers of all files, backups that link what did not change share the
files themselves. Both repeat a project, name and all, once for each day. What one person copied for work is
made of new files and is never taken for one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

Found = tuple[str, Sequence["os.DirEntry[str]"]]
"""A folder that was found, by its path, and what it holds."""

MANY = 3
"""From how many copies on they are snapshots; two may be a copy that shares its files on purpose."""


def snapshots(found: Sequence[Found]) -> Iterator[str]:
    """The paths that are snapshots; of each project the least deep copy, the first by name, is none.

    Only folders of one name are compared: where no name repeats it costs a look at the names.
    """
    names = [path.rpartition("/")[2] for path, _ in found]
    if len(names) - len(set(names)) < MANY - 1:
        return
    by_name: dict[str, list[Found]] = {}
    for name, one in zip(names, found, strict=True):
        by_name.setdefault(name, []).append(one)
    for group in by_name.values():
        if len(group) >= MANY:
            yield from _beside_the_first(group)


def _beside_the_first(group: Sequence[Found]) -> Iterator[str]:
    """The copies in a group of one name: at least half of the files of each stand in many of the group."""
    files = {path: frozenset(_files(entries)) for path, entries in group}
    counts = Counter(one for held in files.values() for one in held)
    shared = {file for file, count in counts.items() if count >= MANY}
    copies = [path for path, held in files.items() if 2 * len(held & shared) >= len(held) > 0]
    projects: list[frozenset[tuple[str, int]]] = []
    for path in sorted(copies, key=lambda path: (path.count("/"), path)):
        held = files[path] & shared
        if any(not held.isdisjoint(known) for known in projects):
            yield path
        else:
            projects.append(held)


def _files(entries: Sequence[os.DirEntry[str]]) -> Iterator[tuple[str, int]]:
    return ((entry.name, entry.inode()) for entry in entries if not entry.is_dir(follow_symlinks=False))
