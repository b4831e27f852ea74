"""Everything that is read in one project, and in nothing but that project, put together as one value.

What depends on the other projects of a scan, and its status, which a day alone changes, are none of it: see
``scanner.scan``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scanner import trace
from scanner.activity import FUTURE_TOLERANCE, Trace, decide, read_history
from scanner.edits import newest_edit, newest_file
from scanner.git import NotARepositoryError, Repository, open_repository
from scanner.identity import identity_of
from scanner.ownership import ownership_of
from scanner.project import (
    Activity,
    Identity,
    Listing,
    Member,
    Ownership,
    Problem,
    Stacks,
    Unsaved,
    Vcs,
)
from scanner.request import Ground
from scanner.roots import is_below
from scanner.seen_files import SeenFiles
from scanner.select import Chosen, submodules_of
from scanner.trace import Reads, listening, saw_folder
from scanner.value import dataclass, field, replace
from scanner.walk import VCS_NAMES, Candidate, read_listing, repositories_below

_BMAD_FOLDERS = frozenset((".agents", "_bmad"))


@dataclass(slots=True)
class ProjectFacts:
    """What a project says of itself.

    ``flags`` are those beyond the ones of stacks and activity; ``below`` the absolute paths of the
    repositories one level below that are neither its submodules nor its worktrees. ``problems`` come in the
    order in which they were met; those of reading ``git`` stand apart, as it is not always asked for.
    """

    stacks: Stacks = field(default_factory=Stacks)
    activity: Activity = field(default_factory=Activity)
    vcs: Vcs | None = None
    members: tuple[Member, ...] = ()
    flags: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    bmad_installed: bool = False
    identity: Identity = field(default_factory=Identity)
    ownership: Ownership = field(default_factory=Ownership)
    problems: list[Problem] = field(default_factory=list)
    git: Unsaved | None = None
    git_problems: list[Problem] = field(default_factory=list)


def read_project(
    one: Chosen,
    opened: Sequence[Repository],
    ground: Ground,
    reads: tuple[Reads, Reads] | None = None,
) -> ProjectFacts:
    """Read one project. ``opened`` are its repository and the linked worktrees of it that the walk met.

    ``reads`` hear what was asked of the disk: for all but ``git``, and for that. Never raises: whatever a
    folder holds, the others are still read. What failed is told as a problem, and the facts are then those
    that a folder has of which nothing could be read.
    """
    heard, heard_unsaved = reads or (None, None)
    reader = _ProjectReader(one, opened, ground)
    try:
        with listening(heard):
            facts = reader.facts()
        if ground.request.unsaved:
            with listening(heard_unsaved):
                facts.git, facts.git_problems = reader.unsaved_with_problems()
    except Exception as error:  # noqa: BLE001 - whatever one folder holds, the others are still read
        for one_heard in reads or ():
            one_heard.is_sound = False
        return _bare_minimum(one, reader, [*reader.problems, _failed(one.candidate.path, error)])
    else:
        return facts
    finally:
        reader.close()


class _ProjectReader:
    def __init__(self, one: Chosen, opened: Sequence[Repository], ground: Ground) -> None:
        self.one = one
        self.candidate: Candidate = one.candidate
        self.repository = opened[0] if opened else None
        self.worktrees = list(opened[1:])
        self.ground = ground
        self.problems: list[Problem] = []
        self.own = one.candidate.listing()
        self.flags: tuple[str, ...] = ()
        self.ownership = Ownership()
        self.seen = SeenFiles() if ground.request.unsaved else None

    def facts(self) -> ProjectFacts:
        """All facts but ``git``; the order of the questions is the order of the problems."""
        saw_folder(self.candidate.path)
        self.worktrees += self.worktrees_elsewhere({tree.path for tree in self.worktrees})
        listing, stacks = self.stacks()
        activity = self.activity()
        vcs = self.vcs()
        return ProjectFacts(
            stacks=stacks,
            activity=activity,
            vcs=vcs,
            members=self.members(listing, stacks),
            flags=self.flags,
            below=_repositories_inside(self.one, self.repository, self.own, self.ground),
            bmad_installed=_has_bmad(self.own),
            identity=self.identity(stacks, vcs),
            ownership=self.ownership,
            problems=self.problems,
        )

    def unsaved_with_problems(self) -> tuple[Unsaved | None, list[Problem]]:
        """What exists only here, and the problems of reading just that."""
        before, self.problems = self.problems, []
        found = self.unsaved()
        problems = [problem for problem in self.problems if problem not in before]
        return found, problems

    def close(self) -> None:
        """Give every open file back."""
        for tree in (self.repository, *self.worktrees):
            if tree is not None:
                tree.close()

    def worktrees_elsewhere(self, known: set[str]) -> list[Repository]:
        """The linked worktrees below the roots that the walk did not meet; others are only known by HEAD."""
        if self.repository is None:
            return []
        opened: list[Repository] = []
        known = {self.candidate.path, *known}
        for tree in self.repository.worktrees():
            if tree.path in known or not _lies_below(tree.path, self.ground.allowed):
                continue
            try:
                opened.append(open_repository(tree.path, allowed=self.ground.allowed, record=tree.git_dir))
            except NotARepositoryError:
                continue  # a worktree that vanished is still named in the facts
        return opened

    def stacks(self) -> tuple[Listing, Stacks]:
        """What it is made of, and the listing that tells: a bare repository is judged by a worktree's."""
        listing = (_first_listing(self.worktrees) if self.one.role == "bare" else None) or self.own
        stacks = self.ground.markers.describe(listing, tracked=self.tracked())
        if listing.path != self.candidate.path and stacks.name == listing.path.rpartition("/")[2]:
            # The worktree that stands in for a bare repository's files does not name it.
            stacks = replace(stacks, name="")
        self.problems += stacks.problems
        return listing, stacks

    def tracked(self) -> Callable[[], Sequence[str]] | None:
        """What gives the paths that the index holds."""
        repository = self.repository
        if repository is None or repository.work_tree is None:
            return None

        def paths() -> Sequence[str]:
            index, _ = self.ground.index.load(repository)
            return index.tracked_paths() if index is not None else ()

        return paths

    def members(self, listing: Listing, stacks: Stacks) -> tuple[Member, ...]:
        """The packages of a workspace (``scanner.workspaces``); nothing is asked where it is none."""
        found = self.ground.markers.members(listing, stacks, tracked=self.tracked())
        if found is None:
            return ()
        self.flags += found.flags
        self.problems += [problem for problem in found.problems if problem not in self.problems]
        return found.members

    def identity(self, stacks: Stacks, vcs: Vcs | None) -> Identity:
        """What it is known by after a move."""
        known, path = self.ground.request.known, self.candidate.path
        return identity_of(
            path,
            self.own,
            stacks.name,
            repository=self.repository,
            vcs=vcs,
            known=known.get(path) if known else None,
        )

    def unsaved(self) -> Unsaved | None:
        """What exists on this machine only, where it was asked for."""
        if self.repository is None or not self.ground.request.unsaved:
            return None
        from scanner.unsaved import unsaved_work  # noqa: PLC0415 - start-up: 5 ms, where it is asked for

        ground = self.ground
        found, problems = unsaved_work(
            self.repository,
            self.worktrees,
            load=ground.index.load,
            excludes=ground.user_ignore,
            mounts=ground.mounts,
            seen=self.seen,
        )
        self.problems += [problem for problem in problems if problem not in self.problems]
        return found

    def activity(self) -> Activity:
        """When somebody last worked on it."""
        return self.date_files() if self.repository is None else self.date_repository(self.repository)

    def date_repository(self, repository: Repository) -> Activity:
        now = self.ground.request.now
        history = read_history(repository, now)
        self.ownership = ownership_of(
            repository, history.own_work, emails=self.ground.request.emails, limit=now + FUTURE_TOLERANCE
        )
        self.problems += repository.problems
        traces = list(history.traces)
        flags = list(history.flags)
        since = history.newest
        for tree in (repository, *self.worktrees):
            if tree.is_bare:
                continue
            edit = newest_edit(
                tree,
                since=since,
                now=now,
                load=self.ground.index.load,
                excludes=self.ground.user_ignore,
                mounts=self.ground.mounts,
                listing=self.own if tree.work_tree == self.own.path else None,
                seen=self.seen,
            )
            self.problems += edit.problems
            if edit.may_be_modified:
                flags.append("may-be-modified")
            if edit.when is not None:
                traces.append(Trace(edit.when, "edit", f"{edit.kind} {edit.path}"))
                since = max(since, edit.when)
        return decide(traces, tuple(dict.fromkeys(flags)))

    def date_files(self) -> Activity:
        ground = self.ground
        newest = newest_file(
            self.candidate.path, now=ground.request.now, excludes=ground.user_ignore, mounts=ground.mounts
        )
        self.problems += newest.problems
        if newest.when is None:
            return decide((), ())
        return decide(
            [Trace(newest.when, "file", newest.path)],
            ("unpacked",) if newest.confidence == "low" else (),
            confidence=newest.confidence,
        )

    def vcs(self) -> Vcs | None:
        """Facts about its version control."""
        repository = self.repository
        if repository is None:
            kind = VCS_NAMES.get(self.candidate.marker)
            return Vcs(kind, role=self.one.role) if kind is not None else None
        head = repository.head()
        return Vcs(
            kind="git",
            role=self.one.role,
            common_dir=repository.common_dir,
            branch=head.branch,
            head=head.oid,
            remote=repository.remote_url(),
            object_format=repository.object_format,
            ref_storage=repository.ref_storage,
            shallow=repository.shallow,
            worktrees=tuple(sorted(tree.path for tree in repository.worktrees())),
            submodules=submodules_of(self.candidate),
            state=repository.in_progress(),
        )


def _bare_minimum(one: Chosen, reader: _ProjectReader, problems: list[Problem]) -> ProjectFacts:
    """The facts of a project of which nothing could be read but that it is there."""
    return ProjectFacts(
        activity=Activity(detail="the project could not be read"),
        below=_repositories_inside(one, reader.repository, reader.own, reader.ground),
        bmad_installed=_has_bmad(reader.own),
        problems=problems,
    )


def _has_bmad(listing: Listing) -> bool:
    return not _BMAD_FOLDERS.isdisjoint(listing.folders)


def _repositories_inside(
    one: Chosen, repository: Repository | None, listing: Listing, ground: Ground
) -> tuple[str, ...]:
    candidate = one.candidate
    if ground.request.nested != "none" or one.role == "bare":
        return ()
    found = [
        f"{candidate.path}/{name}"
        for name in repositories_below(candidate.path, listing.folders, ground.mounts)
    ]
    if not found:
        return ()
    own = set(submodules_of(candidate))
    if repository is not None:
        own.update(tree.path for tree in repository.worktrees())
    return tuple(path for path in found if path not in own)


def _lies_below(path: str, roots: Sequence[str]) -> bool:
    """Whether ``path`` lies below a root by its real name: a link inside a root may lead anywhere."""
    trace.asks_roots()
    return any(is_below(path, root) for root in roots) and trace.realpath(path) == path


def _first_listing(worktrees: Sequence[Repository]) -> Listing | None:
    for tree in worktrees:
        if tree.work_tree is None:
            continue
        try:
            return read_listing(tree.work_tree)
        except OSError:
            continue
    return None


def _failed(path: str, error: Exception) -> Problem:
    return Problem(
        "project-failed",
        "error",
        path,
        f"reading it failed: {type(error).__name__}: {error}"[:300],
        "This is a fault in Zecher: please report it with the output of --debug.",
    )
