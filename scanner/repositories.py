"""The repositories of one scan: where each candidate's lies, which are borrowed, and which are open."""

from __future__ import annotations

from scanner.edits import rules_of
from scanner.git import NotARepositoryError, Repository, open_repository
from scanner.git.index import LastIndex
from scanner.project import Problem
from scanner.request import Ground
from scanner.select import Chosen, Place, place_of
from scanner.trace import listening, saw_folder
from scanner.walk import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.cache.keeper import ScanCache


class Repositories:
    """``places`` of repositories by their candidates' paths; ``problems`` of those that are none."""

    def __init__(self, ground: Ground, cache: ScanCache | None) -> None:
        self.places: dict[str, Place] = {}
        self.problems: list[Problem] = []
        self._ground = ground
        self._cache = cache
        self._opened: dict[str, Repository] = {}
        self._asked: dict[str, Repository | None] = {}
        self._index = LastIndex()

    def locate(self, candidate: Candidate) -> None:
        """Learn where the candidate's repository lies, if it has one: from the cache, else by opening it."""
        if candidate.kind != "bare" and candidate.marker != ".git":
            return
        place = self._cache.place(candidate) if self._cache is not None else None
        if place is None:
            try:
                place = self._open(candidate)
            except NotARepositoryError as error:
                self.problems.append(
                    Problem(
                        error.code,
                        "warning",
                        candidate.path,
                        error.message,
                        "The project is listed by its files alone. Repair or remove its .git.",
                    )
                )
                return
        self.places[candidate.path] = place

    def refuse_borrowed(self) -> None:
        """Take away repositories that a stray gitfile borrowed from another project."""
        owners = {one.git_dir: path for path, one in self.places.items() if one.git_dir == f"{path}/.git"}
        for path, place in list(self.places.items()):
            owner = owners.get(place.git_dir, path)
            if owner != path:
                del self.places[path]
                self.problems.append(
                    Problem(
                        "gitdir-of-another",
                        "warning",
                        path,
                        f"its .git points to the repository of {owner}",
                        "The project is listed by its files alone. Remove its .git, or make it a worktree.",
                    )
                )

    def of(self, one: Chosen) -> tuple[Repository, ...]:
        """The repository of a project and those of its worktrees that the walk met, open; none without.

        One that vanished since it was located is left out.
        """
        if one.place is None:
            return ()
        opened: list[Repository] = []
        for candidate in (one.candidate, *one.worktrees):
            try:
                if candidate.path not in self._opened:
                    self._open(candidate)
                opened.append(self._opened.pop(candidate.path))
            except NotARepositoryError:
                if candidate is one.candidate:
                    return ()
        return tuple(opened)

    def tracks(self, path: str, folder: str) -> bool:
        """Whether the index of the repository at ``path`` holds files below the absolute ``folder``."""
        repository = self._to_ask(path)
        if repository is None or repository.work_tree is None:
            return False
        index, _ = self._index.load(repository)
        return index is not None and index.tracks_below(_relative(folder, repository.work_tree))

    def ignores(self, path: str, folder: str) -> bool:
        """Whether the rules of the repository at ``path`` leave out the absolute ``folder``, or one above."""
        repository = self._to_ask(path)
        if repository is None or repository.work_tree is None:
            return False
        rules = rules_of(repository, repository.work_tree, self._ground.user_ignore)
        return rules.ignores(_relative(folder, repository.work_tree), is_folder=True)

    def _open(self, candidate: Candidate) -> Place:
        reads = self._cache.listener() if self._cache is not None else None
        with listening(reads):
            saw_folder(candidate.path)
            repository = open_repository(candidate.path, allowed=self._ground.allowed)
            place = place_of(candidate, repository)
        self._opened[candidate.path] = repository
        if self._cache is not None and reads is not None:
            self._cache.keep_place(candidate.path, place, reads)
        return place

    def _to_ask(self, path: str) -> Repository | None:
        """A repository for questions between projects.

        Not the one that a project is read from: that keeps what it learned, and a cache would not hear of it.
        """
        if path not in self._asked:
            try:
                self._asked[path] = open_repository(path, allowed=self._ground.allowed)
            except NotARepositoryError:
                self._asked[path] = None
        return self._asked[path]


def _relative(folder: str, work_tree: str) -> str:
    return folder[len(work_tree) :].lstrip("/")
