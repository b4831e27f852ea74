"""Which commits and stashes of a repository exist on this machine only."""

from __future__ import annotations

from scanner.git.graph import Graph
from scanner.git.repository import Repository
from scanner.git.upstream import Upstreams
from scanner.project import Branch, Problem
from scanner.value import dataclass

DETACHED = "(detached)"
"""The name that stands for a detached ``HEAD`` among the branches."""

_HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Unpushed:
    """What a repository holds that no remote-tracking branch does. Dates are epoch seconds.

    ``branches`` are all local branches by name, then each detached ``HEAD``, of the repository or of a linked
    worktree, whose commits no reference reaches: their number is its ``ahead``. ``only_here`` counts commits
    that local branches or detached heads reach and no remote-tracking branch does, at most 500
    (``only_here_capped``: then ``oldest_only_here`` is the oldest of the newest five hundred).
    ``problems`` are those that this reading met.
    """

    branches: tuple[Branch, ...] = ()
    stashes: int = 0
    oldest_stash: float | None = None
    newest_stash: float | None = None
    has_remote: bool = False
    only_here: int = 0
    only_here_capped: bool = False
    oldest_only_here: float | None = None
    problems: tuple[Problem, ...] = ()


def unpushed(repository: Repository) -> Unpushed:
    """Compare all that was committed or stashed here with what is known of the remotes; nothing is raised."""
    before = frozenset(repository.problems)
    heads = repository.local_heads()
    detached = repository.detached_heads()
    graph = Graph(repository)
    try:
        # First what matters most: all questions share one budget.
        own = graph.only_in([*heads.values(), *detached], repository.remote_heads().values())
        branches = _branches(repository, graph)
        if detached:
            branches += _unreached(repository, graph, detached)
    finally:
        graph.close()
    stashes = repository.stash_times()
    return Unpushed(
        branches=tuple(branches),
        stashes=len(stashes),
        oldest_stash=min(stashes, default=None),
        newest_stash=max(stashes, default=None),
        has_remote=repository.has_remote(),
        only_here=own.count,
        only_here_capped=own.capped,
        oldest_only_here=own.oldest,
        problems=tuple(problem for problem in repository.problems if problem not in before),
    )


def _branches(repository: Repository, graph: Graph) -> list[Branch]:
    upstreams = Upstreams(repository)
    return [_branch(name, oid, upstreams, graph) for name, oid in sorted(repository.local_heads().items())]


def _branch(ref: str, oid: str, upstreams: Upstreams, graph: Graph) -> Branch:
    name = ref[len(_HEADS) :]
    upstream = upstreams.of(name)
    if upstream is None:
        return Branch(name)
    theirs = upstreams.object_of(upstream)
    if theirs is None:
        return Branch(name, upstreams.short_name(upstream), gone=True)
    found = graph.compare(oid, theirs)
    return Branch(
        name, upstreams.short_name(upstream), ahead=found.ahead, behind=found.behind, capped=found.capped
    )


def _unreached(repository: Repository, graph: Graph, detached: tuple[str, ...]) -> list[Branch]:
    """The detached heads that would be lost with their worktree."""
    references = frozenset(repository.references().values())
    found: list[Branch] = []
    for oid in detached:
        own = graph.only_in([oid], references)
        if own.count or not own.complete:
            found.append(Branch(DETACHED, ahead=own.count if own.complete else None, capped=own.capped))
    return found
