"""Which candidates are projects: containers, worktrees, submodules and components told apart.

The rules, in order (a candidate is a folder in which the walk saw version control or a manifest):

1. A linked worktree belongs to its repository: all folders of one common directory are one project.
2. A submodule is part of the repository around it.
3. A root is a container. It is a project itself only when nothing below it is.
4. A manifest inside a root's own repository that the repository tracks is a component of it.
5. A weak marker makes a project only where nothing stronger stands above or below it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from scanner.git import Repository, submodule_paths
from scanner.roots import is_below
from scanner.value import Value, dataclass
from scanner.walk import Candidate

Asks = Callable[[str, str], bool]
"""A question about the repository at one path and a folder (both absolute)."""


class Place(Value):
    """Where one repository lies, as far as choosing asks. All paths are absolute.

    ``submodules`` are the folders that it declares as such, checked out or not.
    """

    __slots__ = (
        "common_dir",
        "git_dir",
        "is_bare",
        "is_linked_worktree",
        "is_submodule",
        "submodules",
        "work_tree",
    )

    def __init__(
        self,
        folders: tuple[str | None, str, str],
        kind: tuple[bool, bool, bool],
        submodules: tuple[str, ...],
    ) -> None:
        """``folders``: work tree, git directory, common directory; ``kind``: the three that begin with is."""
        self.work_tree, self.git_dir, self.common_dir = folders
        self.is_bare, self.is_linked_worktree, self.is_submodule = kind
        self.submodules = submodules


def place_of(candidate: Candidate, repository: Repository) -> Place:
    """The place of a candidate's repository."""
    return Place(
        (repository.work_tree, repository.git_dir, repository.common_dir),
        (repository.is_bare, repository.is_linked_worktree, repository.is_submodule),
        submodules_of(candidate),
    )


@dataclass(slots=True)
class Chosen:
    """A candidate that is a project, its repository's place, and the linked worktrees that belong to it."""

    candidate: Candidate
    place: Place | None
    role: str
    worktrees: tuple[Candidate, ...] = ()


def choose(
    candidates: Iterable[Candidate],
    places: Mapping[str, Place],
    tracks: Asks,
    ignores: Asks,
) -> list[Chosen]:
    """The projects among ``candidates``, ordered by path.

    ``places`` maps a candidate's path to its repository's place; ``tracks(path, folder)`` says whether the
    index of the repository at ``path`` holds files of ``folder`` (both absolute), ``ignores`` whether its
    rules leave the folder out.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.path)
    ordered = _without_submodules(ordered, places)
    ordered = [one for one in ordered if not _left_out(one, places, tracks, ignores)]
    ordered, worktrees = _grouped(ordered, places)
    ordered = _without_containers(ordered, places, tracks)
    ordered = _without_outranked(ordered)
    return [
        Chosen(
            candidate,
            places.get(candidate.path),
            _role(candidate, places.get(candidate.path)),
            tuple(worktrees.get(candidate.path, ())),
        )
        for candidate in ordered
    ]


def _left_out(
    candidate: Candidate,
    places: Mapping[str, Place],
    tracks: Asks,
    ignores: Asks,
) -> bool:
    """Whether it is a folder without version control that the repository around it ignores."""
    around = candidate.inside or ""
    if around not in places or candidate.kind in ("vcs", "bare"):
        return False
    return ignores(around, candidate.path) and not tracks(around, candidate.path)


def _without_submodules(ordered: Sequence[Candidate], places: Mapping[str, Place]) -> list[Candidate]:
    declared: set[str] = set()
    for candidate in ordered:
        place = places.get(candidate.path)
        declared.update(place.submodules if place is not None else submodules_of(candidate))
    supers = {place.git_dir for place in places.values()}
    return [
        candidate
        for candidate in ordered
        if candidate.path not in declared and not _inside_modules(places.get(candidate.path), supers)
    ]


def submodules_of(candidate: Candidate) -> tuple[str, ...]:
    """The absolute paths that the candidate's ``.gitmodules`` declares, checked out or not."""
    if candidate.kind != "vcs" or all(entry.name != ".gitmodules" for entry in candidate.entries):
        return ()
    return tuple(f"{candidate.path}/{relative}" for relative in submodule_paths(candidate.path))


def _inside_modules(place: Place | None, git_dirs: set[str]) -> bool:
    if place is None or not place.is_submodule:
        return False
    return place.git_dir.partition("/modules/")[0] in git_dirs


def _grouped(
    ordered: Sequence[Candidate], places: Mapping[str, Place]
) -> tuple[list[Candidate], dict[str, list[Candidate]]]:
    """One candidate for each common directory; the others by the path of the one that stands for them."""
    families: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in ordered:
        place = places.get(candidate.path)
        if place is not None:
            families[place.common_dir].append(candidate)
    dropped: set[str] = set()
    worktrees: dict[str, list[Candidate]] = {}
    for family in families.values():
        if len(family) == 1:
            continue
        first = min(family, key=lambda one: _distance_from_main(places[one.path]))
        worktrees[first.path] = [one for one in family if one is not first]
        dropped.update(one.path for one in worktrees[first.path])
    return [candidate for candidate in ordered if candidate.path not in dropped], worktrees


def _distance_from_main(place: Place) -> int:
    """0 for the main work tree, 1 for a repository's own folder, 2 for a linked worktree."""
    return 2 if place.is_linked_worktree else int(place.work_tree is None)


def _without_containers(
    ordered: Sequence[Candidate],
    places: Mapping[str, Place],
    tracks: Asks,
) -> list[Candidate]:
    remaining = list(ordered)
    # The innermost root first: an outer one then sees what is left of it.
    for root in sorted((one for one in ordered if one.is_root), key=lambda one: one.path, reverse=True):
        below = [one for one in remaining if is_below(one.path, root.path)]
        has_own = root.path in places
        own = [
            one
            for one in below
            if one.kind != "weak" and not (has_own and _is_component(one, root.path, tracks))
        ]
        if own or root.kind == "weak":
            remaining = [one for one in remaining if one is not root]
        else:
            remaining = [one for one in remaining if not is_below(one.path, root.path)]
    return remaining


def _is_component(candidate: Candidate, root: str, tracks: Asks) -> bool:
    return candidate.kind not in ("vcs", "bare") and tracks(root, candidate.path)


def _without_outranked(ordered: Sequence[Candidate]) -> list[Candidate]:
    strong = [one.path for one in ordered if one.kind != "weak" and not one.is_root]
    kept: dict[str, Candidate] = {}
    for candidate in ordered:
        outranked = candidate.kind == "weak" and (
            _any_below(strong, candidate.path) or any(outer in kept for outer in _parents(candidate.path))
        )
        if not outranked or candidate.inside is not None:
            kept[candidate.path] = candidate
    return list(kept.values())


def _any_below(ordered_paths: Sequence[str], folder: str) -> bool:
    at = bisect_left(ordered_paths, folder + "/")
    return at < len(ordered_paths) and is_below(ordered_paths[at], folder)


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _role(candidate: Candidate, place: Place | None) -> str:
    if place is not None:
        if place.is_bare:
            return "bare"
        if place.is_linked_worktree:
            return "worktree"
        if place.is_submodule:
            return "submodule"
    return "nested" if candidate.inside is not None else "normal"
