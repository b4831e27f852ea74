"""The scanner's front: roots in, projects out. One bad project never stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scanner.edits import rules_of
from scanner.git import NotARepositoryError, Repository, open_repository
from scanner.git.index import LastIndex
from scanner.ignore import read_ignore
from scanner.mounts import read_mounts
from scanner.project import Problem, Project, Root, Scan
from scanner.project_facts import ProjectFacts, read_project
from scanner.request import Ground, Request
from scanner.roots import outermost, resolve_roots
from scanner.select import Chosen, choose
from scanner.stacks import load_markers
from scanner.status import classify
from scanner.value import replace
from scanner.walk import Candidate, Policy, walk

__all__ = ["Request", "scan", "scan_with_notes"]


def scan(request: Request, progress: Callable[[int, int], None] | None = None) -> Scan:
    """Find, name, date and classify every project below the roots.

    ``progress`` is called now and then with the folders read and the candidates found so far.
    """
    return _Scan(request, progress).run()


def scan_with_notes(
    request: Request, only: Callable[[str], bool], note: Callable[[str, str], object]
) -> Scan:
    """The same scan, narrowed to the folders that ``only`` admits; ``note`` hears each decision's code."""
    return _Scan(request, None, only, note).run()


class _Scan:
    def __init__(
        self,
        request: Request,
        progress: Callable[[int, int], None] | None,
        only: Callable[[str], bool] | None = None,
        note: Callable[[str, str], object] | None = None,
    ) -> None:
        self.request = request
        self.progress = progress
        self.only = only
        self.note = note
        user_ignore = tuple(filter(None, map(read_ignore, request.user_ignore)))
        self.ground = Ground(
            request, load_markers(request.user_rules), read_mounts(), user_ignore, LastIndex()
        )
        self.problems: list[Problem] = [problem for rules in user_ignore for problem in rules.problems]
        self.repositories: dict[str, Repository] = {}
        self.deadline_hit = False
        start = request.clock() if request.clock else 0.0
        self.ends = None if request.deadline is None else start + request.deadline

    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.ends is not None and self.request.clock is not None and self.request.clock() >= self.ends

    def run(self) -> Scan:
        roots, problems = resolve_roots(self.request.roots)
        self.problems += (*self.ground.markers.problems, *problems)
        walked = walk(roots, self.policy())
        self.problems += walked.problems
        self.ground.allowed = tuple(root.path for root in roots)
        for candidate in walked.candidates:
            self.open(candidate)
        self.refuse_borrowed()
        chosen = choose(walked.candidates, self.repositories, self.tracks, self.ignores)
        projects = tuple(self.read_all(chosen))
        coverage = replace(walked.coverage, deadline_hit=walked.coverage.deadline_hit or self.deadline_hit)
        if coverage.deadline_hit:
            self.problems.append(_deadline_problem(roots, len(chosen) - len(projects)))
        return Scan(outermost(roots), self.request.thresholds, projects, coverage, tuple(self.problems))

    def policy(self) -> Policy:
        markers = self.ground.markers
        return Policy(
            root_class=markers.root_class,
            may_root=markers.may_root,
            nested=self.request.nested,
            exclude=self.request.exclude,
            own_ignore=self.request.own_ignore,
            mounts=self.ground.mounts,
            expired=self.expired,
            progress=self.progress,
            only=self.only,
            note=self.note,
        )

    def open(self, candidate: Candidate) -> None:
        if candidate.kind != "bare" and candidate.marker != ".git":
            return
        try:
            self.repositories[candidate.path] = open_repository(candidate.path, allowed=self.ground.allowed)
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

    def refuse_borrowed(self) -> None:
        """Take away repositories that a stray gitfile borrowed from another project."""
        owners = {
            one.git_dir: path for path, one in self.repositories.items() if one.git_dir == f"{path}/.git"
        }
        for path, repository in list(self.repositories.items()):
            owner = owners.get(repository.git_dir, path)
            if owner != path:
                del self.repositories[path]
                self.problems.append(
                    Problem(
                        "gitdir-of-another",
                        "warning",
                        path,
                        f"its .git points to the repository of {owner}",
                        "The project is listed by its files alone. Remove its .git, or make it a worktree.",
                    )
                )

    def read_all(self, chosen: Sequence[Chosen]) -> Iterator[Project]:
        for one in chosen:
            if self.expired():
                self.deadline_hit = True
                return
            known = [self.repositories[tree.path] for tree in one.worktrees]
            try:
                facts = read_project(one, known, self.ground)
            finally:
                if one.repository is not None:
                    one.repository.close()
            self.problems += facts.problems
            yield self.project(one, facts)

    def tracks(self, repository: Repository, folder: str) -> bool:
        """Whether the index of ``repository`` holds files below the absolute ``folder``."""
        if repository.work_tree is None:
            return False
        index, _ = self.ground.index.load(repository)
        return index is not None and index.tracks_below(_relative(folder, repository.work_tree))

    def ignores(self, repository: Repository, folder: str) -> bool:
        """Whether the rules of ``repository`` leave out the absolute ``folder`` or one above it."""
        if repository.work_tree is None:
            return False
        rules = rules_of(repository, repository.work_tree, self.ground.user_ignore)
        return rules.ignores(_relative(folder, repository.work_tree), is_folder=True)

    def project(self, one: Chosen, facts: ProjectFacts) -> Project:
        """A project from its own facts, the clock, and what the other projects are."""
        candidate, vcs = one.candidate, facts.vcs
        nested = tuple(path for path in facts.below if path not in self.repositories)
        flags = [*facts.activity.flags, *facts.stacks.flags, *facts.flags]
        if vcs is not None and vcs.shallow:
            flags.append("shallow")
        if vcs is not None and vcs.kind == "git" and vcs.remote is None:
            flags.append("no-remote")
        if vcs is not None and vcs.state:
            flags.append(vcs.state)
        if nested:
            flags.append("nested")
        return Project(
            path=candidate.path,
            name=facts.stacks.name or _folder_name(candidate.path, one.role),
            stacks=facts.stacks,
            activity=facts.activity,
            status=classify(facts.activity, self.request.thresholds, self.request.now),
            vcs=vcs,
            has_git=one.role == "bare" or candidate.marker == ".git",
            bmad_installed=facts.bmad_installed,
            members=facts.members,
            nested=nested,
            flags=tuple(dict.fromkeys(flags)),
            why=candidate.marker,
            git=facts.git,
        )


def _relative(folder: str, work_tree: str) -> str:
    return folder[len(work_tree) :].lstrip("/")


def _folder_name(path: str, role: str) -> str:
    parent, _, name = path.rpartition("/")
    if role == "bare":
        # ``hub/.bare`` and ``project/.git`` are named for the folder that holds them.
        name = parent.rpartition("/")[2] if name in (".bare", ".git") else name.removesuffix(".git")
    return name or path


def _deadline_problem(roots: Sequence[Root], unread: int) -> Problem:
    return Problem(
        "deadline",
        "error",
        roots[0].path if roots else "",
        f"the deadline passed: the result is partial, {unread} found projects were not read",
        "Raise --deadline, or name fewer roots.",
    )
