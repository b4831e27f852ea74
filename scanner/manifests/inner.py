"""What stands one and two folders below, for projects whose own folder holds no manifest."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from scanner.project import Listing

NEARNESS = (1.0, 0.6, 0.3)
_DEPTH = 2
_FOLDERS = 48
_PATHS = 50_000
_ENTRIES = 2_000


def below(
    listing: Listing, tracked: Sequence[str] | None, skipped: Collection[str]
) -> Iterator[tuple[str, int, Listing]]:
    """(prefix with a closing ``/``, depth, listing) of folders down to depth 2, shallow ones first, bounded.

    With ``tracked`` nothing is read from the disk; else the folders themselves are listed. Links are not
    followed, and hidden and skipped folders are not entered.
    """
    if tracked is None:
        yield from _from_disk(listing, skipped)
    else:
        yield from _from_paths(listing, tracked, skipped)


def _from_disk(listing: Listing, skipped: Collection[str]) -> Iterator[tuple[str, int, Listing]]:
    level = [("", listing)]
    budget = _FOLDERS
    for depth in range(1, _DEPTH + 1):
        next_level = []
        for prefix, parent in level:
            for name in sorted(parent.folders):
                if name[0] == "." or name in skipped:
                    continue
                budget -= 1
                if budget < 0:
                    return
                inner = _listed(os.path.join(parent.path, name))
                if inner is not None:
                    next_level.append((f"{prefix}{name}/", inner))
        yield from ((prefix, depth, inner) for prefix, inner in next_level)
        level = next_level


def _from_paths(
    listing: Listing, tracked: Sequence[str], skipped: Collection[str]
) -> Iterator[tuple[str, int, Listing]]:
    files: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    for path in tracked[:_PATHS]:
        parts = path.split("/", _DEPTH + 1)
        if len(parts) == 1 or parts[0] not in listing.folders:
            continue
        names = parts[:-1][:_DEPTH]
        if any(name[:1] == "." or name in skipped for name in names):
            continue
        if len(parts) <= _DEPTH + 1:
            files.setdefault("/".join(names) + "/", set()).add(parts[-1])
        else:
            folders.setdefault("/".join(names) + "/", set()).add(parts[_DEPTH])
        for depth in range(1, len(names)):
            folders.setdefault("/".join(names[:depth]) + "/", set()).add(names[depth])
    prefixes = sorted({*files, *folders}, key=lambda prefix: (prefix.count("/"), prefix))
    for prefix in prefixes[: _FOLDERS * 2]:
        inner = Listing(
            os.path.join(listing.path, prefix[:-1]),
            frozenset(files.get(prefix, ())),
            frozenset(folders.get(prefix, ())),
        )
        yield prefix, prefix.count("/"), inner


def _listed(path: str) -> Listing | None:
    files: set[str] = set()
    folders: set[str] = set()
    try:
        with os.scandir(path) as entries:
            for count, entry in enumerate(entries):
                if count >= _ENTRIES:
                    break
                (folders if entry.is_dir(follow_symlinks=False) else files).add(entry.name)
    except OSError:
        return None
    return Listing(path, frozenset(files), frozenset(folders))
