"""The scanner's front: roots in, projects out. One bad project never stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scanner.away import keeping_away
from scanner.git.index import LastIndex
from scanner.ignore import read_ignore
from scanner.mounts import Mounts, read_mounts
from scanner.places import PATIENCE, Places
from scanner.project import Problem, Project, Root, Scan
from scanner.project_facts import ProjectFacts, read_project
from scanner.reading import Clouds, heeding
from scanner.repositories import Repositories
from scanner.request import Ground, Request
from scanner.roots import flattened, outermost, resolve_roots, silent_problem
from scanner.select import Chosen, choose
from scanner.stacks import load_markers
from scanner.status import classify
from scanner.value import replace
from scanner.walk import Candidate, Policy, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.cache.keeper import ScanCache

__all__ = ["Request", "scan", "scan_with_notes"]

_CHECK_EVERY = 64


def scan(
    request: Request,
    progress: Callable[[int, int], None] | None = None,
    cache: ScanCache | None = None,
) -> Scan:
    """Find, name, date and classify every project below the roots.

    ``progress`` is called every few folders and between any two candidates, with the folders read and the
    candidates found so far; what it raises ends the scan. ``cache`` gives what earlier scans learned, where
    that is proved to hold still, and takes what this one learns: the result is the same with and without.
    """
    return _Scan(request, progress, cache=cache).run()


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
        *,
        cache: ScanCache | None = None,
    ) -> None:
        self.request = request
        self.progress = progress
        self.only = only
        self.note = note
        self.cache = cache
        user_ignore = tuple(filter(None, map(read_ignore, request.user_ignore)))
        mounts = read_mounts()
        self.ground = Ground(request, load_markers(request.user_rules), mounts, user_ignore, LastIndex())
        self.places = Places(mounts, min(PATIENCE, request.deadline or PATIENCE))
        self.problems: list[Problem] = [problem for rules in user_ignore for problem in rules.problems]
        self.repositories = Repositories(self.ground, cache)
        self.deadline_hit = False
        self.clouds = Clouds(())
        self.is_anything_far = False
        self.told_silent: set[str] = set()
        self.seen_so_far = 0, 0
        start = request.clock() if request.clock else 0.0
        self.ends = None if request.deadline is None else start + request.deadline

    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.ends is not None and self.request.clock is not None and self.request.clock() >= self.ends

    def run(self) -> Scan:
        roots, problems = resolve_roots(self.request.roots, self.places)
        roots, warnings = flattened(roots, self.ground.mounts)
        self.problems += (*self.ground.markers.problems, *problems, *warnings)
        self.ground.allowed = tuple(root.path for root in roots)
        self.is_anything_far = any(map(self.places.far_mount, self.ground.allowed))
        self.clouds = Clouds(_clouded(roots, self.ground.mounts))
        with keeping_away(self.places.points_to_avoid(self.ground.allowed)), heeding(self.clouds):
            return self.search(roots)

    def search(self, roots: tuple[Root, ...]) -> Scan:
        """The scan of resolved roots, where no door leads to what may hang."""
        walked = walk(roots, self.policy())
        self.problems += walked.problems
        self.seen_so_far = walked.coverage.directories, len(walked.candidates)
        if self.cache is not None:
            self.cache.begin(self.ground)
        repositories = self.repositories
        candidates = list(self.locate_all(walked.candidates))
        repositories.refuse_borrowed()
        self.problems += repositories.problems
        chosen = choose(candidates, repositories.places, repositories.tracks, repositories.ignores)
        projects = tuple(self.read_all(chosen))
        coverage = replace(
            walked.coverage,
            deadline_hit=walked.coverage.deadline_hit or self.deadline_hit,
            placeholders=self.clouds.met,
        )
        if coverage.deadline_hit:
            unread = len(walked.candidates) - len(candidates) + len(chosen) - len(projects)
            self.problems.append(_deadline_problem(roots, unread))
        return Scan(outermost(roots), self.request.thresholds, projects, coverage, tuple(self.problems))

    def locate_all(self, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """The candidates whose repositories could be looked for in time."""
        for position, candidate in enumerate(candidates, start=1):
            self.tell_progress()
            if position % _CHECK_EVERY == 0 and self.expired():
                self.deadline_hit = True
                return
            if self.answers(candidate.path):
                self.repositories.locate(candidate)
                yield candidate

    def tell_progress(self) -> None:
        """Tell that the scan goes on, though no further folder is read: nobody waits for it unheard."""
        if self.progress is not None:
            self.progress(*self.seen_so_far)

    def answers(self, path: str) -> bool:
        """Whether the disk of ``path`` still answers; where it does not, that is told once."""
        if not self.is_anything_far:
            return True
        mount = self.places.far_mount(path)
        if mount is None or self.places.answers(path):
            return True
        if mount.point not in self.told_silent:
            self.told_silent.add(mount.point)
            self.problems.append(silent_problem(path, mount.point))
        return False

    def policy(self) -> Policy:
        markers = self.ground.markers
        return Policy(
            root_class=markers.root_class,
            may_root=markers.may_root,
            nested=self.request.nested,
            exclude=self.request.exclude,
            own_ignore=self.request.own_ignore,
            places=self.places,
            expired=self.expired,
            progress=self.progress,
            only=self.only,
            note=self.note,
        )

    def read_all(self, chosen: Sequence[Chosen]) -> Iterator[Project]:
        for one in chosen:
            self.tell_progress()
            if self.expired():
                self.deadline_hit = True
                return
            if not self.answers(one.candidate.path):
                continue
            met = self.clouds.met
            facts = self.facts(one)
            self.problems += (*facts.problems, *facts.git_problems)
            yield self.project(one, facts, has_placeholders=self.clouds.met > met)

    def facts(self, one: Chosen) -> ProjectFacts:
        """What a project says of itself: as it is known, where that is proved, else as it is read."""
        if self.cache is None:
            return read_project(one, self.repositories.of(one), self.ground)
        known = self.cache.facts(one)
        if known is not None:
            return known
        opened = self.repositories.of(one)
        reads = self.cache.listener(), self.cache.listener()
        facts = read_project(one, opened, self.ground, reads)
        self.cache.keep_facts(one, facts, reads)
        return facts

    def project(self, one: Chosen, facts: ProjectFacts, *, has_placeholders: bool = False) -> Project:
        """A project from its own facts, the clock, and what the other projects are."""
        candidate, vcs = one.candidate, facts.vcs
        nested = tuple(path for path in facts.below if path not in self.repositories.places)
        flags = [*facts.activity.flags, *facts.stacks.flags, *facts.flags]
        if vcs is not None and vcs.shallow:
            flags.append("shallow")
        if vcs is not None and vcs.kind == "git" and vcs.remote is None:
            flags.append("no-remote")
        if facts.ownership.mine is False:
            flags.append("only-pulled")
        if vcs is not None and vcs.state:
            flags.append(vcs.state)
        if has_placeholders:
            flags.append("placeholders")
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
            identity=facts.identity,
            ownership=facts.ownership,
        )


def _clouded(roots: Sequence[Root], mounts: Mounts) -> Iterator[tuple[str, int]]:
    """The roots in which files may be placeholders, each with the size up to which one is whole anyway."""
    for root in roots:
        mount = mounts.of(root.path)
        whole = mount.whole_without_blocks if mount is not None else None
        if whole is not None:
            yield root.path, whole


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
