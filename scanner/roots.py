"""From what a person named to the folders that are walked: resolved once, checked, merged."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from scanner.mounts import Mounts
from scanner.places import AutomountError, Places, SilentError, spelled_as_listed
from scanner.project import Problem, Root
from scanner.value import replace

_FLATTER = "A drive of Windows is slow from here: keep projects on the Linux disk, or give a larger depth."


def resolve_roots(
    wanted: Sequence[Root], places: Places | None = None
) -> tuple[tuple[Root, ...], tuple[Problem, ...]]:
    """The roots to walk, absolute and free of links, ordered by path; and one problem for each unusable one.

    A root inside another keeps its own place, so that it is searched as a container and to its own depth, yet
    never less deep than the outer one would have reached; given twice, it counts once with the larger bounds.
    Spelled twice, on a disk that takes no heed of case, it counts once too. ``places`` says what may hang
    whoever asks: such a root is asked in time, or is a problem.
    """
    places = places or Places(Mounts())
    found: dict[str, Root] = {}
    problems: list[Problem] = []
    for root in wanted:
        path = _usable(root.path, places)
        if isinstance(path, Problem):
            problems.append(path)
            continue
        known = found.get(path, root)
        found[path] = Root(
            path,
            max(root.depth, known.depth),
            max(root.max_entries, known.max_entries),
            max(root.max_folders, known.max_folders),
        )
    depths = {path: root.depth for path, root in found.items()}
    resolved = [replace(found[path], depth=_deepest(path, depths)) for path in sorted(found)]
    return tuple(resolved), tuple(problems)


def flattened(roots: Sequence[Root], mounts: Mounts) -> tuple[tuple[Root, ...], tuple[Problem, ...]]:
    """The roots, those on a drive of Windows searched one folder less deep; and a warning for each of them.

    Measured by others through such a mount: about fifty times the time for each question.
    """
    found: list[Root] = []
    problems: list[Problem] = []
    for root in roots:
        mount = mounts.of(root.path)
        if mount is None or not mount.is_slow or root.depth <= 1:
            found.append(root)
            continue
        found.append(replace(root, depth=root.depth - 1))
        message = f"it lies on {mount.kind}, which is slow: searched {root.depth - 1} folders deep"
        problems.append(Problem("slow-root", "warning", root.path, message, _FLATTER))
    return tuple(found), tuple(problems)


def outermost(roots: Sequence[Root]) -> tuple[Root, ...]:
    """The roots that add something: one inside another and no deeper than it reaches is merged away."""
    return tuple(root for root in roots if not any(_covers(outer, root) for outer in roots))


def is_below(path: str, folder: str) -> bool:
    """Whether ``path`` lies strictly inside ``folder`` (both absolute, by name)."""
    return path != folder and path.startswith(folder if folder.endswith("/") else folder + "/")


def _covers(outer: Root, root: Root) -> bool:
    return is_below(root.path, outer.path) and root.depth <= outer.depth - _distance(outer.path, root.path)


def _deepest(path: str, depths: dict[str, int]) -> int:
    reach = [depth - _distance(outer, path) for outer, depth in depths.items() if is_below(path, outer)]
    return max([depths[path], *reach])


def _distance(outer: str, inner: str) -> int:
    return inner.count("/") - outer.rstrip("/").count("/")


def _usable(spelled: str, places: Places) -> str | Problem:
    """The real path of a root, or why it cannot be searched."""
    try:
        path = places.real_path(spelled)
        mount = places.far_mount(path)
        found = places.ask(mount, lambda: _looked_at(path, places))
    except SilentError as error:
        return silent_problem(spelled, error.point)
    except AutomountError as error:
        fix = "Open the folder once, so that it is mounted, then scan again."
        return Problem("root-automount", "error", spelled, str(error.strerror), fix)
    except FileNotFoundError:
        return Problem("root-missing", "error", spelled, "no such folder", "Check the spelling of the path.")
    except OSError as error:
        return Problem(
            "root-unreadable", "error", spelled, error.strerror or str(error), "Check its permissions."
        )
    except ValueError:
        return Problem("root-missing", "error", spelled, "the path holds a NUL byte", "Check the path.")
    return found or Problem("root-not-a-folder", "error", spelled, "not a folder", "Name a folder.")


def _looked_at(path: str, places: Places) -> str:
    """The folder's path as the disk spells it; empty where it is none."""
    if not stat.S_ISDIR(os.stat(path).st_mode):
        return ""
    return spelled_as_listed(path, places.mounts)


def silent_problem(path: str, point: str) -> Problem:
    """A root that was given up because what is mounted at ``point`` gave no answer."""
    return Problem(
        "root-silent",
        "error",
        path,
        f"what is mounted at {point} does not answer",
        "Bring its server back, unmount it, or leave the root out.",
    )
