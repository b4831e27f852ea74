"""The linked worktrees that a repository knows about.

Format: gitrepository-layout, ``worktrees/<id>/gitdir``.
"""

from __future__ import annotations

import os

from scanner import trace
from scanner.git.folders import GitFolder
from scanner.git.layout import GITFILE_CAP, pointed_path
from scanner.git.problems import ProblemLog
from scanner.git.refs import Head, RefStore
from scanner.reading import UnreadableError, read_optional
from scanner.value import Value


class LinkedWorktree(Value):
    """One linked worktree. ``exists`` is false when its folder has vanished (git would prune the record)."""

    __slots__ = ("exists", "git_dir", "head", "path")

    def __init__(self, path: str, git_dir: str, head: Head, exists: bool) -> None:
        self.path = path
        self.git_dir = git_dir
        self.head = head
        self.exists = exists


def linked_worktrees(common: GitFolder, refs: RefStore, problems: ProblemLog) -> tuple[LinkedWorktree, ...]:
    """All linked worktrees by id, at most two thousand; a record without a usable path is left out."""
    found: list[LinkedWorktree] = []
    for worktree in common.worktrees():
        git_dir = f"{common.path}/worktrees/{worktree}"
        dot_git = _dot_git(git_dir, problems)
        if dot_git is not None:
            exists = trace.lexists(dot_git)
            found.append(LinkedWorktree(os.path.dirname(dot_git), git_dir, refs.head(git_dir), exists))
    return tuple(found)


def _dot_git(git_dir: str, problems: ProblemLog) -> str | None:
    """The ``.git`` file that a worktree's record points to; relative paths start at the record."""
    try:
        data = read_optional(git_dir + "/gitdir", GITFILE_CAP)
    except UnreadableError as error:
        problems.unreadable(error)
        return None
    target = pointed_path(data) if data is not None else None
    if target is None:
        problems.add("git-worktree-malformed", git_dir, "the record names no worktree")
        return None
    return os.path.normpath(os.path.join(git_dir, target))
