"""The scanner's front: roots in, projects out. One bad project never stops the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from scanner.activity import Trace, decide, read_history
from scanner.edits import newest_edit, newest_file, rules_of
from scanner.git import NotARepositoryError, Repository, open_repository
from scanner.git.index import LastIndex
from scanner.ignore import read_ignore
from scanner.mounts import read_mounts
from scanner.project import (
    Activity,
    Listing,
    Problem,
    Project,
    Root,
    Scan,
    Stacks,
    Thresholds,
    Vcs,
)
from scanner.roots import is_below, outermost, resolve_roots
from scanner.select import Chosen, choose, submodules_of
from scanner.stacks import Markers, UserRule, load_markers
from scanner.status import classify
from scanner.value import dataclass, replace
from scanner.walk import VCS_NAMES, Candidate, Policy, read_listing, repositories_below, walk

_BMAD_FOLDERS = frozenset((".agents", "_bmad"))


@dataclass(frozen=True, slots=True)
class Request:
    """What to scan and how; all that the scanner knows of the world outside the roots.

    ``now`` is epoch seconds; ``deadline`` counts seconds on ``clock`` (monotonic), None for no limit;
    ``exclude`` holds patterns in gitignore syntax, judged on folders below each root. ``user_ignore`` names
    the ignore files that hold for all repositories of the user, lowest precedence first; a file that is not
    there, or is no regular file, says nothing.
    """

    roots: tuple[Root, ...]
    thresholds: Thresholds
    now: float
    nested: str = "none"
    exclude: tuple[str, ...] = ()
    own_ignore: bool = False
    deadline: float | None = None
    user_rules: tuple[UserRule, ...] = ()
    clock: Callable[[], float] | None = None
    user_ignore: tuple[str, ...] = ()


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
        self.problems: list[Problem] = []
        self.markers: Markers = load_markers(request.user_rules)
        self.mounts = read_mounts()
        self.repositories: dict[str, Repository] = {}
        self.index = LastIndex()
        self.user_ignore = tuple(filter(None, map(read_ignore, request.user_ignore)))
        self.problems += (problem for rules in self.user_ignore for problem in rules.problems)
        self.deadline_hit = False
        start = request.clock() if request.clock else 0.0
        self.ends = None if request.deadline is None else start + request.deadline

    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.ends is not None and self.request.clock is not None and self.request.clock() >= self.ends

    def run(self) -> Scan:
        roots, problems = resolve_roots(self.request.roots)
        self.problems += (*self.markers.problems, *problems)
        walked = walk(roots, self.policy())
        self.problems += walked.problems
        allowed = tuple(root.path for root in roots)
        for candidate in walked.candidates:
            self.open(candidate, allowed)
        self.refuse_borrowed()
        chosen = choose(walked.candidates, self.repositories, self.tracks, self.ignores)
        projects = tuple(self.read_all(chosen, allowed))
        coverage = replace(walked.coverage, deadline_hit=walked.coverage.deadline_hit or self.deadline_hit)
        if coverage.deadline_hit:
            self.problems.append(_deadline_problem(roots, len(chosen) - len(projects)))
        return Scan(outermost(roots), self.request.thresholds, projects, coverage, tuple(self.problems))

    def policy(self) -> Policy:
        return Policy(
            root_class=self.markers.root_class,
            may_root=self.markers.may_root,
            nested=self.request.nested,
            exclude=self.request.exclude,
            own_ignore=self.request.own_ignore,
            mounts=self.mounts,
            expired=self.expired,
            progress=self.progress,
            only=self.only,
            note=self.note,
        )

    def open(self, candidate: Candidate, allowed: Sequence[str]) -> None:
        if candidate.kind != "bare" and candidate.marker != ".git":
            return
        try:
            self.repositories[candidate.path] = open_repository(candidate.path, allowed=allowed)
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

    def read_all(self, chosen: Sequence[Chosen], allowed: Sequence[str]) -> Iterator[Project]:
        for one in chosen:
            if self.expired():
                self.deadline_hit = True
                return
            try:
                yield self.read(one, allowed)
            except Exception as error:  # noqa: BLE001 - whatever one folder holds, the others are still read
                self.problems.append(_failed(one.candidate.path, error))
                yield self.bare_minimum(one)
            finally:
                if one.repository is not None:
                    one.repository.close()

    def read(self, one: Chosen, allowed: Sequence[str]) -> Project:
        candidate, repository = one.candidate, one.repository
        worktrees = self.worktrees(one, allowed)
        own = candidate.listing()
        listing = (_first_listing(worktrees) if one.role == "bare" else None) or own
        stacks = self.markers.describe(listing, tracked=self.tracked(repository))
        if listing.path != candidate.path and stacks.name == listing.path.rpartition("/")[2]:
            # The worktree that stands in for a bare repository's files does not name it.
            stacks = replace(stacks, name="")
        self.problems += stacks.problems
        if repository is not None:
            activity = self.date_repository(repository, worktrees, own)
            for tree in worktrees:
                tree.close()
        else:
            activity = self.date_files(candidate)
        return self.project(one, own, stacks, activity, self.vcs(one))

    def tracks(self, repository: Repository, folder: str) -> bool:
        """Whether the index of ``repository`` holds files below the absolute ``folder``."""
        if repository.work_tree is None:
            return False
        index, _ = self.index.load(repository)
        return index is not None and index.tracks_below(_relative(folder, repository.work_tree))

    def ignores(self, repository: Repository, folder: str) -> bool:
        """Whether the rules of ``repository`` leave out the absolute ``folder`` or one above it."""
        if repository.work_tree is None:
            return False
        rules = rules_of(repository, repository.work_tree, self.user_ignore)
        return rules.ignores(_relative(folder, repository.work_tree), is_folder=True)

    def tracked(self, repository: Repository | None) -> Callable[[], Sequence[str]] | None:
        """What gives the paths that the index of ``repository`` holds."""
        if repository is None or repository.work_tree is None:
            return None

        def paths() -> Sequence[str]:
            index, _ = self.index.load(repository)
            return index.tracked_paths() if index is not None else ()

        return paths

    def worktrees(self, one: Chosen, allowed: Sequence[str]) -> list[Repository]:
        """The linked worktrees below the roots, opened; those elsewhere are only known by their HEAD."""
        if one.repository is None:
            return []
        opened = [self.repositories[tree.path] for tree in one.worktrees]
        known = {one.candidate.path, *(tree.path for tree in one.worktrees)}
        for tree in one.repository.worktrees():
            if tree.path in known or not _lies_below(tree.path, allowed):
                continue
            try:
                opened.append(open_repository(tree.path, allowed=allowed, record=tree.git_dir))
            except NotARepositoryError:
                continue  # a worktree that vanished is still named in the facts
        return opened

    def date_repository(
        self, repository: Repository, worktrees: Sequence[Repository], own: Listing
    ) -> Activity:
        now = self.request.now
        history = read_history(repository, now)
        self.problems += repository.problems
        traces = list(history.traces)
        flags = list(history.flags)
        since = history.newest
        for tree in (repository, *worktrees):
            if tree.is_bare:
                continue
            edit = newest_edit(
                tree,
                since=since,
                now=now,
                load=self.index.load,
                excludes=self.user_ignore,
                mounts=self.mounts,
                listing=own if tree.work_tree == own.path else None,
            )
            self.problems += edit.problems
            if edit.may_be_modified:
                flags.append("may-be-modified")
            if edit.when is not None:
                traces.append(Trace(edit.when, "edit", f"{edit.kind} {edit.path}"))
                since = max(since, edit.when)
        return decide(traces, tuple(dict.fromkeys(flags)))

    def date_files(self, candidate: Candidate) -> Activity:
        newest = newest_file(
            candidate.path, now=self.request.now, excludes=self.user_ignore, mounts=self.mounts
        )
        self.problems += newest.problems
        if newest.when is None:
            return decide((), ())
        return decide(
            [Trace(newest.when, "file", newest.path)],
            ("unpacked",) if newest.confidence == "low" else (),
            confidence=newest.confidence,
        )

    def vcs(self, one: Chosen) -> Vcs | None:
        repository = one.repository
        if repository is None:
            kind = VCS_NAMES.get(one.candidate.marker)
            return Vcs(kind, role=one.role) if kind is not None else None
        head = repository.head()
        return Vcs(
            kind="git",
            role=one.role,
            common_dir=repository.common_dir,
            branch=head.branch,
            head=head.oid,
            remote=repository.remote_url(),
            object_format=repository.object_format,
            ref_storage=repository.ref_storage,
            shallow=repository.shallow,
            worktrees=tuple(sorted(tree.path for tree in repository.worktrees())),
            submodules=submodules_of(one.candidate),
            state=repository.in_progress(),
        )

    def project(
        self, one: Chosen, listing: Listing, stacks: Stacks, activity: Activity, vcs: Vcs | None
    ) -> Project:
        candidate = one.candidate
        nested = self.nested(one, listing)
        flags = [*activity.flags, *stacks.flags]
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
            name=stacks.name or _folder_name(candidate.path, one.role),
            stacks=stacks,
            activity=activity,
            status=classify(activity, self.request.thresholds, self.request.now),
            vcs=vcs,
            has_git=one.role == "bare" or candidate.marker == ".git",
            bmad_installed=not _BMAD_FOLDERS.isdisjoint(listing.folders),
            nested=nested,
            flags=tuple(dict.fromkeys(flags)),
            why=candidate.marker,
        )

    def nested(self, one: Chosen, listing: Listing) -> tuple[str, ...]:
        """Repositories one level below that are not listed: neither submodules nor worktrees of this one."""
        candidate = one.candidate
        if self.request.nested != "none" or one.role == "bare":
            return ()
        found = [
            f"{candidate.path}/{name}"
            for name in repositories_below(candidate.path, listing.folders, self.mounts)
        ]
        if not found:
            return ()
        own = {*submodules_of(candidate), *self.repositories}
        if one.repository is not None:
            own.update(tree.path for tree in one.repository.worktrees())
        return tuple(path for path in found if path not in own)

    def bare_minimum(self, one: Chosen) -> Project:
        """A project of which nothing could be read but that it is there."""
        activity = Activity(detail="the project could not be read")
        return self.project(one, one.candidate.listing(), Stacks(), activity, None)


def _lies_below(path: str, roots: Sequence[str]) -> bool:
    """Whether ``path`` lies below a root by its real name: a link inside a root may lead anywhere."""
    return any(is_below(path, root) for root in roots) and os.path.realpath(path) == path


def _relative(folder: str, work_tree: str) -> str:
    return folder[len(work_tree) :].lstrip("/")


def _first_listing(worktrees: Sequence[Repository]) -> Listing | None:
    for tree in worktrees:
        if tree.work_tree is None:
            continue
        try:
            return read_listing(tree.work_tree)
        except OSError:
            continue
    return None


def _folder_name(path: str, role: str) -> str:
    parent, _, name = path.rpartition("/")
    if role == "bare":
        # ``hub/.bare`` and ``project/.git`` are named for the folder that holds them.
        name = parent.rpartition("/")[2] if name in (".bare", ".git") else name.removesuffix(".git")
    return name or path


def _failed(path: str, error: Exception) -> Problem:
    return Problem(
        "project-failed",
        "error",
        path,
        f"reading it failed: {type(error).__name__}: {error}"[:300],
        "This is a fault in Zecher: please report it with the output of --debug.",
    )


def _deadline_problem(roots: Sequence[Root], unread: int) -> Problem:
    return Problem(
        "deadline",
        "error",
        roots[0].path if roots else "",
        f"the deadline passed: the result is partial, {unread} found projects were not read",
        "Raise --deadline, or name fewer roots.",
    )
