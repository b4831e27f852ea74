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
from scanner.value import dataclass
from scanner.walk import Candidate


@dataclass(slots=True)
class Chosen:
    """A candidate that is a project, with its repository and the linked worktrees that belong to it."""

    candidate: Candidate
    repository: Repository | None
    role: str
    worktrees: tuple[Candidate, ...] = ()


def choose(
    candidates: Iterable[Candidate],
    repositories: Mapping[str, Repository],
    tracks: Callable[[Repository, str], bool],
    ignores: Callable[[Repository, str], bool],
) -> list[Chosen]:
    """The projects among ``candidates``, ordered by path.

    ``repositories`` maps a candidate's path to its opened repository; ``tracks(repository, folder)`` says
    whether the repository's index holds files of ``folder`` (absolute), ``ignores`` whether its rules leave
    the folder out.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.path)
    ordered = _without_submodules(ordered, repositories)
    ordered = [one for one in ordered if not _left_out(one, repositories, tracks, ignores)]
    ordered, worktrees = _grouped(ordered, repositories)
    ordered = _without_containers(ordered, repositories, tracks)
    ordered = _without_outranked(ordered)
    return [
        Chosen(
            candidate,
            repositories.get(candidate.path),
            _role(candidate, repositories.get(candidate.path)),
            tuple(worktrees.get(candidate.path, ())),
        )
        for candidate in ordered
    ]


def _left_out(
    candidate: Candidate,
    repositories: Mapping[str, Repository],
    tracks: Callable[[Repository, str], bool],
    ignores: Callable[[Repository, str], bool],
) -> bool:
    """Whether it is a folder without version control that the repository around it ignores."""
    around = repositories.get(candidate.inside or "")
    if around is None or candidate.kind in ("vcs", "bare"):
        return False
    return ignores(around, candidate.path) and not tracks(around, candidate.path)


def _without_submodules(
    ordered: Sequence[Candidate], repositories: Mapping[str, Repository]
) -> list[Candidate]:
    declared = {path for candidate in ordered for path in submodules_of(candidate)}
    supers = {repository.git_dir for repository in repositories.values()}
    return [
        candidate
        for candidate in ordered
        if candidate.path not in declared and not _inside_modules(repositories.get(candidate.path), supers)
    ]


def submodules_of(candidate: Candidate) -> tuple[str, ...]:
    """The absolute paths that the candidate's ``.gitmodules`` declares, checked out or not."""
    if candidate.kind != "vcs" or all(entry.name != ".gitmodules" for entry in candidate.entries):
        return ()
    return tuple(f"{candidate.path}/{relative}" for relative in submodule_paths(candidate.path))


def _inside_modules(repository: Repository | None, git_dirs: set[str]) -> bool:
    if repository is None or not repository.is_submodule:
        return False
    return repository.git_dir.partition("/modules/")[0] in git_dirs


def _grouped(
    ordered: Sequence[Candidate], repositories: Mapping[str, Repository]
) -> tuple[list[Candidate], dict[str, list[Candidate]]]:
    """One candidate for each common directory; the others by the path of the one that stands for them."""
    families: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in ordered:
        repository = repositories.get(candidate.path)
        if repository is not None:
            families[repository.common_dir].append(candidate)
    dropped: set[str] = set()
    worktrees: dict[str, list[Candidate]] = {}
    for family in families.values():
        if len(family) == 1:
            continue
        first = min(family, key=lambda one: _distance_from_main(repositories[one.path]))
        worktrees[first.path] = [one for one in family if one is not first]
        dropped.update(one.path for one in worktrees[first.path])
    return [candidate for candidate in ordered if candidate.path not in dropped], worktrees


def _distance_from_main(repository: Repository) -> int:
    """0 for the main work tree, 1 for a repository's own folder, 2 for a linked worktree."""
    return 2 if repository.is_linked_worktree else int(repository.work_tree is None)


def _without_containers(
    ordered: Sequence[Candidate],
    repositories: Mapping[str, Repository],
    tracks: Callable[[Repository, str], bool],
) -> list[Candidate]:
    remaining = list(ordered)
    # The innermost root first: an outer one then sees what is left of it.
    for root in sorted((one for one in ordered if one.is_root), key=lambda one: one.path, reverse=True):
        below = [one for one in remaining if is_below(one.path, root.path)]
        repository = repositories.get(root.path)
        own = [one for one in below if one.kind != "weak" and not _is_component(one, repository, tracks)]
        if own or root.kind == "weak":
            remaining = [one for one in remaining if one is not root]
        else:
            remaining = [one for one in remaining if not is_below(one.path, root.path)]
    return remaining


def _is_component(
    candidate: Candidate, repository: Repository | None, tracks: Callable[[Repository, str], bool]
) -> bool:
    if repository is None or candidate.kind in ("vcs", "bare"):
        return False
    return tracks(repository, candidate.path)


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


def _role(candidate: Candidate, repository: Repository | None) -> str:
    if repository is not None:
        if repository.is_bare:
            return "bare"
        if repository.is_linked_worktree:
            return "worktree"
        if repository.is_submodule:
            return "submodule"
    return "nested" if candidate.inside is not None else "normal"
