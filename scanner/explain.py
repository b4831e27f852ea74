"""Why a path is, or is not, a project: the scan itself, narrowed to that path, with every decision noted."""

from __future__ import annotations

import os
import stat

from scanner.mounts import read_mounts
from scanner.places import AutomountError, Places, SilentError
from scanner.project import Project, Root, Scan
from scanner.roots import is_below, resolve_roots
from scanner.scan import Request, scan_with_notes
from scanner.twins import MANY
from scanner.value import dataclass, replace

_DECISIONS = {
    "tool-cache": "not searched: its name is that of a tool's own store",
    "generated": "not searched: generated, by its name and the manifest beside it",
    "virtual-environment": "not searched: a Python virtual environment (it holds pyvenv.cfg)",
    "cache-tag": "not searched: a cache (it holds a valid CACHEDIR.TAG)",
    "hidden": "not searched: hidden folders are projects only when they are repositories themselves",
    "excluded": "not searched: an exclude pattern matches it",
    "too-deep": "not searched: deeper than the root's depth allows",
    "other-device": "not searched: another file system is mounted there",
    "placeholder": "not searched: its content lies in a cloud, and listing it would fetch it",
    "snapshot": "not listed: one of many copies of a project that share their files, as snapshots do",
    "seen-before": "not searched: the same folder was already entered by another path",
    "bare-inside": "not listed: a bare repository inside a project is part of its data",
    "vcs": "holds version control",
    "bare": "is a bare git repository",
    "strong": "holds a manifest that makes a project alone",
    "weak": "holds a marker that makes a project only where nothing stronger stands above or below",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The story of one path.

    ``verdict`` is ``project``, ``not-a-project``, ``pruned``, ``inside-a-project``, ``outside`` or
    ``missing``; ``code`` is the deciding rule; ``lines`` tell the story from the root down.
    """

    path: str
    verdict: str
    code: str
    lines: tuple[str, ...]
    project: Project | None = None


def explain(request: Request, path: str) -> Explanation:
    """Explain ``path`` (absolute) under the roots of ``request``."""
    places = Places(read_mounts())
    try:
        target = places.real_path(path)
        mode = places.ask(places.far_mount(target), lambda: os.stat(target).st_mode)
    except (SilentError, AutomountError) as error:
        return Explanation(path, "not-a-project", "root-silent", (f"It cannot be asked: {error.strerror}.",))
    except (OSError, ValueError):
        if not os.path.lexists(path):
            return Explanation(path, "missing", "missing", ("There is nothing at this path.",))
        mode = 0
    if not stat.S_ISDIR(mode):
        return Explanation(path, "not-a-project", "not-a-folder", ("It is not a folder.",))
    roots, _ = resolve_roots(request.roots, places)
    root = _root_of(target, roots)
    if root is None:
        names = ", ".join(root.path for root in roots) or "none"
        return Explanation(target, "outside", "outside", (f"It lies below no root. Roots: {names}.",))
    asked = replace(request, roots=(root,))
    notes: dict[str, str] = {}
    found = scan_with_notes(asked, lambda folder: _on_the_way(folder, target), notes.setdefault)
    if found.projects and _may_be_a_snapshot(target, root.path):
        # Only a look at everything shows the copies of it.
        last: dict[str, str] = {}
        found = scan_with_notes(asked, lambda _: True, last.__setitem__)
        notes |= {path: decision for path, decision in last.items() if decision == "snapshot"}
    return _told(target, root, found, notes)


def _may_be_a_snapshot(target: str, root: str) -> bool:
    """Whether a folder shares files with others, or lies on a part of the disk of its own."""
    try:
        with os.scandir(target) as entries:
            links = max(
                (
                    entry.stat(follow_symlinks=False).st_nlink
                    for entry in entries
                    if entry.is_file(follow_symlinks=False)
                ),
                default=0,
            )
        return links >= MANY or os.stat(target).st_dev != os.stat(root).st_dev
    except OSError:
        return False


def _on_the_way(folder: str, target: str) -> bool:
    return folder == target or is_below(target, folder) or is_below(folder, target)


def _root_of(target: str, roots: tuple[Root, ...]) -> Root | None:
    holding = [root for root in roots if root.path == target or is_below(target, root.path)]
    return max(holding, key=lambda root: len(root.path), default=None)


def _told(target: str, root: Root, found: Scan, notes: dict[str, str]) -> Explanation:
    lines = [f"Root {root.path}, depth {root.depth}."]
    deciding = ""
    for folder in _path_down(root.path, target):
        decision = notes.get(folder)
        if decision is not None:
            lines.append(f"{folder}: {_DECISIONS[decision]}.")
            deciding = decision
    project = next((one for one in found.projects if one.path == target), None)
    if project is not None:
        return Explanation(target, "project", deciding, (*lines, *_reasons(project)), project)
    around = next((one for one in found.projects if is_below(target, one.path)), None)
    if around is not None:
        lines.append(f"It lies inside the project {around.path}; the walk stops at a project.")
        return Explanation(target, "inside-a-project", "inside-a-project", tuple(lines), around)
    family = next(
        (one for one in found.projects if one.vcs is not None and target in one.vcs.worktrees), None
    )
    if family is not None:
        lines.append(f"It is a worktree of {family.path} and is counted there.")
        return Explanation(target, "not-a-project", "worktree", tuple(lines), family)
    if deciding and deciding not in ("vcs", "bare", "strong", "weak"):
        return Explanation(target, "pruned", deciding, tuple(lines))
    if target in notes:
        below = sum(is_below(one.path, target) for one in found.projects)
        lines.append(f"It is a container: {below} projects were found below it." if below else _OUTRANKED)
        return Explanation(target, "not-a-project", "container" if below else "outranked", tuple(lines))
    lines.append("No version control and no marker stands in it.")
    return Explanation(target, "not-a-project", "no-marker", tuple(lines))


_OUTRANKED = "Something stronger above or around it makes it a part: a component, a submodule or a worktree."


def _path_down(top: str, target: str) -> list[str]:
    chain = [target]
    while chain[-1] != top and "/" in chain[-1]:
        chain.append(chain[-1].rpartition("/")[0] or "/")
    return chain[::-1]


def _reasons(project: Project) -> list[str]:
    lines = [f"Marker: {project.why}."]
    lines += [
        f"Stack {label.label} ({label.role}): {label.evidence}, {label.confidence:.2f}."
        for label in project.stacks.labels
    ]
    activity = project.activity
    lines.append(f"Status {project.status.value}: {project.status.reason}.")
    if activity.when is not None:
        lines.append(f"Decided by: {activity.source}, confidence {activity.confidence}.")
    if project.nested:
        lines.append(f"Repositories inside it, not listed without --nested: {', '.join(project.nested)}.")
    return lines
