"""From what a person named to the folders that are walked: resolved once, checked, merged."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from scanner.project import Problem, Root


def resolve_roots(wanted: Sequence[Root]) -> tuple[tuple[Root, ...], tuple[Problem, ...]]:
    """The roots to walk, absolute and free of links, ordered by path; and one problem for each unusable one.

    A root inside another keeps its own place, so that it is searched as a container and to its own depth, yet
    never less deep than the outer one would have reached; given twice, it counts once with the larger depth.
    """
    depths: dict[str, int] = {}
    problems: list[Problem] = []
    for root in wanted:
        path = os.path.realpath(root.path)
        problem = _unusable(root.path, path)
        if problem is not None:
            problems.append(problem)
            continue
        depths[path] = max(root.depth, depths.get(path, root.depth))
    resolved = [Root(path, _deepest(path, depths)) for path in sorted(depths)]
    return tuple(resolved), tuple(problems)


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


def _unusable(spelled: str, path: str) -> Problem | None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return Problem("root-missing", "error", spelled, "no such folder", "Check the spelling of the path.")
    except OSError as error:
        return Problem(
            "root-unreadable", "error", spelled, error.strerror or str(error), "Check its permissions."
        )
    except ValueError:
        return Problem("root-missing", "error", spelled, "the path holds a NUL byte", "Check the path.")
    if not stat.S_ISDIR(mode):
        return Problem("root-not-a-folder", "error", spelled, "not a folder", "Name a folder.")
    return None
