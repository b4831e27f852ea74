"""What a project can be known by after it was moved: the beginning of its history, its folder, its looks."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from scanner import trace
from scanner.git import Repository
from scanner.git.objects import parse_commit
from scanner.project import Identity, Listing, Vcs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.commit_graph import CommitGraph

COMMITS = 2_000
"""How far back the beginning of a history is looked for."""

_BEFORE_A_GRAPH = 32
"""So many commits are read one by one, 15 us each, before it pays to open a commit-graph for 100 us."""

_ENTRIES = 16
_OWN_HISTORY = ("normal", "bare")


def identity_of(
    folder: str,
    listing: Listing,
    name: str,
    *,
    repository: Repository | None,
    vcs: Vcs | None,
    known: Identity | None,
) -> Identity:
    """What the project in ``folder`` is known by.

    ``name`` is what its manifest declares, ``vcs`` what is told of its repository: a worktree or a submodule
    has a history that is not its own. ``known`` is what was told of this path before; where the folder and
    the remote are still the same, the history is not followed again.
    """
    try:
        status = trace.lstat(folder)
        device, inode = status.st_dev, status.st_ino
    except OSError:
        device = inode = 0
    signature = signature_of(listing, name)
    if repository is None or vcs is None or vcs.role not in _OWN_HISTORY:
        return Identity(device=device, inode=inode, signature=signature)
    remote = vcs.remote
    if known is not None and (known.device, known.inode, known.remote) == (device, inode, remote):
        roots, cut = known.root_commits, known.cut
    else:
        roots, cut = (), False
    if not roots and not cut:
        roots, cut = root_commits(repository)
    return Identity(roots, cut, remote, device, inode, signature)


def root_commits(repository: Repository) -> tuple[tuple[str, ...], bool]:
    """The commit at which the history of ``HEAD`` begins, along first parents; and whether it is too long.

    None where there is no commit yet, where history was cut by a shallow clone, or where a commit is missing.
    """
    oid = repository.head().oid
    if oid is None or repository.shallow:
        return (), False
    walk = _Walk(repository)
    try:
        for step in range(COMMITS):
            parents = walk.parents(oid, step)
            if parents is None:
                return (), False
            if not parents:
                return (oid,), False
            oid = parents[0]
    finally:
        walk.close()
    return (), True


class _Walk:
    """Reads parents, from a commit-graph where there is one and the way is long. Reports nothing.

    What is damaged is a matter for those who ask for its date; here it only ends the way.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._graph: CommitGraph | None = None

    def close(self) -> None:
        if self._graph is not None:
            self._graph.close()

    def parents(self, oid: str, step: int) -> tuple[str, ...] | None:
        """The parents of a commit, None where it cannot be read."""
        if step == 0:
            commit = self._repository.commit(oid)  # its date was asked for already
            return commit.parents if commit is not None else None
        if step == _BEFORE_A_GRAPH:
            self._graph = self._repository.commit_graph()
        return self._listed(oid) or self._read(oid)

    def _listed(self, oid: str) -> tuple[str, ...] | None:
        """Parents by the commit-graph; the first commit of all is read, so that nobody can invent it."""
        if self._graph is None:
            return None
        try:
            found = self._graph.commit(oid)
        except (ValueError, IndexError, OverflowError):
            self._graph.close()
            self._graph = None
            return None
        return found.parents if found is not None else None

    def _read(self, oid: str) -> tuple[str, ...] | None:
        found = self._repository.start_of(oid)
        commit = parse_commit(oid, found[1]) if found is not None and found[0] == "commit" else None
        return commit.parents if commit is not None else None


def signature_of(listing: Listing, name: str) -> str:
    """What lies in a folder, short: the declared ``name``, then a sample of the names in it.

    ``<name>:<entry>.<entry>...``, all as six hexadecimal digits of a checksum, the sixteen smallest entries.
    Two folders are alike as far as their samples agree.
    """
    entries = [_digits(entry) for entry in listing.files]
    entries += [_digits(f"{entry}/") for entry in listing.folders]
    return f"{_digits(name) if name else ''}:{'.'.join(sorted(set(entries))[:_ENTRIES])}"


@lru_cache(4096)
def _digits(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogateescape')) & 0xFFFFFF:06x}"
