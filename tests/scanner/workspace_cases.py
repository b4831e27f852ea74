"""What the tests of workspaces share: a project written file by file, and the members found in it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from scanner.stacks import Markers, load_markers
from scanner.walk import read_listing
from scanner.workspaces.members import Membership
from tests.support import write


@functools.cache
def markers() -> Markers:
    return load_markers()


def project(folder: Path, files: Mapping[str, str]) -> Path:
    """A project with these files; an empty path text makes an empty file."""
    folder.mkdir(parents=True, exist_ok=True)
    for relative, text in files.items():
        write(folder / relative, text)
    return folder


def tracked_files(folder: Path) -> list[str]:
    """Every file below, as an index that tracks all of them would name it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def membership(folder: Path, tracked: Sequence[str] | None = None) -> Membership:
    """What the scanner finds; without ``tracked`` it has to read the folders."""
    listing = read_listing(str(folder))
    paths = None if tracked is None else lambda: tracked
    stacks = markers().describe(listing, tracked=paths)
    return markers().members(listing, stacks, tracked=paths) or Membership()


def members_of(folder: Path) -> dict[str, tuple[str, str, str]]:
    """path -> (name, kind, stack), which has to be the same by the index and by the disk."""
    by_disk = membership(folder)
    by_index = membership(folder, tracked_files(folder))
    assert by_disk == by_index
    return {one.path: (one.name, one.kind, one.stack) for one in by_disk.members}


def paths_of(folder: Path) -> list[str]:
    """The members' folders, which have to be the same by the index and by the disk."""
    return list(members_of(folder))
