"""What version control says of a project, in the words of the rules of health."""

from __future__ import annotations

import os

from brain.health.values import FileHistory, FolderHistory, GitFacts, RecordedCommit
from scanner.git.layout import NotARepositoryError
from scanner.git.repository import Repository, open_repository
from scanner.history import Asked, commit_days, history
from scanner.history import FileHistory as Told
from scanner.project import Unsaved, Vcs
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.questions import Questions

_RECORDS = (".md", ".markdown")
"""How the names of ADRs end."""

Anchor = tuple[str, str, bool]
"""What all facts of a history rest on: the newest commit, the branch, whether history is cut."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What exists only here, in numbers, as ``GitFacts`` has them."""

    staged: int = 0
    modified: int = 0
    untracked: int = 0
    conflicted: int = 0
    in_progress: str | None = None
    stashes: int = 0
    unpushed: int = 0


class GitOf:
    """The repository of one project, opened when it is first asked for; to be used as a context.

    ``git`` and ``vcs`` are what a scan saw, None where it did not look.
    """

    def __init__(self, path: str, git: Unsaved | None, vcs: Vcs | None) -> None:
        self._path = path
        self._git = git
        self._vcs = vcs
        self._repository: Repository | None = None
        self._is_open = False

    def __enter__(self) -> GitOf:  # noqa: PYI034 - Self stands in typing, whose import nobody else pays
        return self

    def __exit__(self, *_: object) -> None:
        if self._repository is not None:
            self._repository.close()

    @property
    def repository(self) -> Repository | None:
        """The repository; None where there is none, or none that may be read."""
        if not self._is_open:
            self._is_open = True
            # A worktree or a submodule points to a git directory elsewhere: the scan found it to be theirs.
            common = self._vcs.common_dir if self._vcs is not None else None
            allowed = (os.path.dirname(common),) if common else ()
            try:
                self._repository = open_repository(self._path, allowed=allowed)
            except NotARepositoryError:
                self._repository = None
        return self._repository

    def anchor(self) -> Anchor | None:
        """What the facts rest on; None without a repository."""
        repository = self.repository
        if repository is None:
            return None
        head = repository.head()
        return head.oid or "", head.branch or "", repository.shallow

    def counts(self) -> Counts:
        """What else they rest on: the counts of what exists only here."""
        git = self._git
        if git is None:
            repository = self.repository
            if repository is None:
                return Counts()
            return Counts(in_progress=repository.in_progress(), stashes=len(repository.stash_times()))
        return Counts(
            staged=git.staged,
            modified=git.modified + git.deleted,
            untracked=git.untracked,
            conflicted=git.conflicted,
            in_progress=git.in_progress,
            stashes=git.stashes,
            unpushed=git.only_here if git.has_remote else 0,
        )

    def facts(self, questions: Questions) -> tuple[GitFacts | None, bool]:
        """The facts, and whether they stay the same as long as ``anchor`` and ``counts`` do."""
        repository = self.repository
        if repository is None:
            return None, True
        told = history(
            repository,
            Asked(
                commits=tuple(questions.hashes),
                files=tuple(questions.histories),
                folders=tuple((path, names, _RECORDS) for path, names in questions.folders),
                handover_files=tuple(questions.handover_files),
                changes=questions.changes,
            ),
        )
        counts = self.counts()
        facts = GitFacts(
            head=told.head,
            branch=told.branch,
            shallow=told.shallow,
            commits=tuple((one.name, float(one.when), one.subject, one.has_body) for one in told.recent),
            last_files=told.size.files if told.size is not None else 0,
            last_lines=told.size.lines if told.size is not None else None,
            staged=counts.staged,
            modified=counts.modified,
            untracked=counts.untracked,
            conflicted=counts.conflicted,
            in_progress=counts.in_progress,
            stashes=counts.stashes,
            unpushed=counts.unpushed,
            recorded=tuple(
                RecordedCommit(one.name, one.known, one.ancestor, one.drift) for one in told.recorded
            ),
            histories=tuple(map(_file_history, told.files)),
            folders=tuple(FolderHistory(one.path, one.gone) for one in told.folders if one.known),
        )
        # Commits beside the history may be cleared away, and unknown ones may be fetched, without any change
        # of what the facts rest on.
        lasts = all(one.ancestor for one in told.recorded) and not repository.problems
        return facts, lasts

    def days(self, now: float) -> dict[str, int]:
        """How many commits were made on each day of the last year."""
        return commit_days(self.repository, now) if self.repository is not None else {}


def _file_history(told: Told) -> FileHistory:
    return FileHistory(
        path=told.path,
        changes=tuple((float(one.when), one.added, one.deleted, one.size) for one in told.changes),
        commits_since=told.commits_since,
        last_commit=float(told.last_commit) if told.last_commit is not None else None,
        earlier=told.earlier,
    )
