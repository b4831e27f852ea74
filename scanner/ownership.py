"""Mine or theirs: who worked in a repository, by its reflogs and the addresses under which the user commits.

A reflog tells what was done here, on this machine, and by whom; it is kept for ninety days. A repository in
which nobody ever made a commit here, that is only fetched from elsewhere, is somebody else's, unless its
newest commits are the user's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scanner.git import ReflogEntry, Repository
from scanner.project import Ownership

_LINES = 200
_HEADS = 100


def ownership_of(
    repository: Repository, newest: ReflogEntry | None, *, emails: Iterable[str], limit: float
) -> Ownership:
    """Whether ``repository`` is the user's.

    ``newest`` is the newest reflog line that says own work by anybody, not after ``limit`` (epoch seconds);
    ``emails`` are the user's addresses, to which that of the repository's own configuration is added. Where
    none is known, nothing can be told but when somebody worked here.
    """
    own = _addresses(repository, emails)
    if not own:
        return Ownership(None, float(newest.time) if newest is not None else None)
    mine = newest
    if newest is not None and newest.email.lower() not in own:
        mine = repository.newest_own_work(limit, own)
    if mine is not None:
        return Ownership(True, float(mine.time))
    if _is_author(repository, own):
        return Ownership(True, None)
    if newest is None and repository.remote_url() is not None and _was_pulled(repository):
        return Ownership(False, None)
    return Ownership(None, None)


def _addresses(repository: Repository, emails: Iterable[str]) -> frozenset[str]:
    here = repository.config.get("user.email")
    return frozenset(address.lower() for address in (*emails, here) if address)


def _is_author(repository: Repository, own: Collection[str]) -> bool:
    """Whether the newest commit of a local branch is the user's."""
    heads = [repository.head().oid, *list(repository.local_heads().values())[:_HEADS]]
    for oid in dict.fromkeys(heads):
        commit = repository.commit(oid) if oid else None
        if commit is not None and commit.author_email.lower() in own:
            return True
    return False


def _was_pulled(repository: Repository) -> bool:
    """Whether the log of ``HEAD`` says that what is here came from elsewhere."""
    for number, entry in enumerate(repository.reflogs()):
        if number >= _LINES or entry.ref != "HEAD" or entry.worktree:
            return False
        if entry.message.startswith(("clone:", "pull")):
            return True
    return False
