"""The job itself: scan the roots, compare with the index, and, when asked, write what is new."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from brain.files.atomic import Ask, OutsideError
from brain.portfolio import (
    Change,
    Facts,
    LockedError,
    Plan,
    Portfolio,
    WriteError,
    apply,
    may_exist,
    plan,
    read_portfolio,
)
from brain.project_cards import PINS, Card, stack_of
from jobs.identity import identity_keys, known_identities, new_identifier
from jobs.problems import ours
from jobs.settings import RootGroup, ScanSettings
from jobs.skips import Skips, read_skips
from jobs.unsaved import card_flags, risk_keys, with_flags
from reports.view import iso_time
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Coverage, Problem, Project, Root, Scan, Status
from scanner.scan import Request, scan
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.scan_cache import CacheFile
    from scanner.explain import Explanation

Progress = Callable[[int, int], None]

# Kinds of change that a write would store; "same" only renews the date of the last scan.
NEWS = ("new", "changed", "moved", "returned", "missing")

# How long a command waits for another run: one writes for milliseconds, so that longer means trouble.
LOCK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Survey:
    """What a scan found and what the index would make of it; nothing is written yet.

    ``skipped`` are the paths of found projects that a person said to skip; ``identifiers`` and ``cards`` are
    by path, a moved project has the card of its old one; ``problems`` are those of scan, brain and skips;
    ``cache`` tells in a line what the scan cache was good for, empty without one.
    """

    settings: ScanSettings
    scan: Scan
    skips: Skips
    skipped: frozenset[str]
    identifiers: Mapping[str, str]
    cards: Mapping[str, Card]
    portfolio: Portfolio
    plan: Plan
    problems: tuple[Problem, ...]
    cache: str = ""

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the index would make of it, in the order of the plan."""
        return self.plan.changes

    @property
    def has_news(self) -> bool:
        """Whether writing would store more than the date of this scan.

        A project that was missing before is listed again at every scan, but it is no news.
        """
        return any(
            change.kind in NEWS and (change.kind != "missing" or change.differences)
            for change in self.changes
        )


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of the index.

    ``written`` counts cards; ``problems`` stood in the way; ``locked`` means that another run held the lock,
    ``failed`` that nothing could be written, for this or any other reason.
    """

    written: int = 0
    problems: tuple[Problem, ...] = ()
    locked: bool = False
    failed: bool = False


def with_roots(settings: ScanSettings) -> tuple[ScanSettings, tuple[Card, ...]]:
    """``settings`` with something to search, and the cards whose folders are gone.

    Where no root is named each project of the index is one of its own; of no other card is anything said.
    """
    if settings.groups:
        return settings, ()
    cards = read_portfolio(settings.brain).cards
    # Whoever asks for a path on a mount whose server is gone hangs: of that nobody can tell.
    places = Places(read_mounts())
    gone = tuple(card for card in cards if not (places.may_hang(card.path) or may_exist(card.path)))
    roots = tuple(Root(card.path, 1) for card in cards if card not in gone)
    return replace(settings, groups=(RootGroup(roots, "none", ()),)), gone


def survey(
    settings: ScanSettings,
    progress: Progress | None = None,
    refine: Callable[[Scan], Scan] | None = None,
) -> Survey:
    """Scan the roots and compare with the index. Writes nothing but the scan cache.

    ``refine`` may know more of what the scan found: it is asked before anything is made of it.
    """
    portfolio = read_portfolio(settings.brain)
    scanned, cache = _scan(settings, portfolio, progress)
    found = _with_flags(refine(scanned) if refine is not None else scanned)
    skips = read_skips(settings.state)
    skipped = frozenset(project.path for project in found.projects if project.path in skips.paths)
    kept = [project for project in found.projects if project.path not in skipped]
    cards = {card.path: card for card in portfolio.cards}
    names = identifiers(found.projects, cards)
    planned = _plan(settings, found, portfolio, _facts(kept, names, cards))
    moved = {change.path: cards[change.old_path] for change in planned.changes if change.kind == "moved"}
    if moved:
        # What this scan did not ask about stays as the card of the old place says.
        cards |= moved
        names = identifiers(found.projects, cards)
        planned = _plan(settings, found, portfolio, _facts(kept, names, cards))
    of_cache = cache.problems if cache is not None else ()
    problems = (*found.problems, *ours(planned.problems), *skips.problems, *of_cache)
    found = _with_pins(found, cards)
    story = cache.story if cache is not None else ""
    return Survey(settings, found, skips, skipped, names, cards, portfolio, planned, problems, story)


def _facts(projects: Iterable[Project], names: Mapping[str, str], cards: Mapping[str, Card]) -> list[Facts]:
    return [facts_of(one, names[one.path], cards.get(one.path)) for one in projects]


def _with_flags(found: Scan) -> Scan:
    if all(project.git is None for project in found.projects):
        return found
    return replace(found, projects=tuple(map(with_flags, found.projects)))


def _with_pins(found: Scan, cards: Mapping[str, Card]) -> Scan:
    """The scan as the person sees it who pinned a name, a status or a stack in a card."""
    pinned = {
        path: card for path, card in cards.items() if any(card.extras.get(key) for key in PINS.values())
    }
    if not pinned:
        return found
    projects = (_pinned(project, pinned.get(project.path)) for project in found.projects)
    return replace(found, projects=tuple(projects))


def _pinned(project: Project, card: Card | None) -> Project:
    if card is None:
        return project
    name, status, stack = (stack_of(card.extras.get(PINS[key])) for key in ("name", "status", "stack"))
    return replace(
        project,
        name=name or project.name,
        status=Status(status, f"pinned in its card; the scan says {project.status.value}")
        if status
        else project.status,
        stacks=replace(project.stacks, primary=stack) if stack else project.stacks,
        flags=(*project.flags, "pinned"),
    )


def index(seen: Survey, facts: Sequence[Facts] | None = None, ask: Ask | None = None) -> Indexed:
    """Write the plan of ``seen`` into the brain; with ``facts``, a plan for just these.

    ``ask`` may call it off, by raising, until the first card is published.
    """
    planned = seen.plan
    if facts is not None:
        planned = _plan(seen.settings, seen.scan, seen.portfolio, facts)
    if not seen.scan.projects and not seen.portfolio.cards:
        return Indexed()  # an empty search shall not leave an empty brain behind
    if any(problem.code == "brain-unreadable" for problem in seen.problems):
        return Indexed(failed=True)  # cards that cannot be read would be taken for new ones
    try:
        applied = apply(planned, seen.settings.brain, wait=LOCK_SECONDS, ask=ask)
    except LockedError as error:
        return Indexed(problems=ours((error.problem(),)), locked=True, failed=True)
    except WriteError as error:
        return Indexed(problems=ours((error.problem(),)), failed=True)
    except OutsideError as error:
        return Indexed(problems=(Problem("link-outside", "error", error.path, str(error)),), failed=True)
    known = set(seen.problems)
    fresh = tuple(one for one in ours(applied.problems) if one not in known)
    return Indexed(applied.written, fresh)


def explain_path(settings: ScanSettings, path: str) -> Explanation:
    """Why the absolute ``path`` is, or is not, a project under the first group of roots that holds it."""
    from scanner.explain import explain  # noqa: PLC0415 - a scan needs no explanations

    told = [explain(request(settings, group, None), path) for group in settings.groups]
    return next((one for one in told if one.verdict != "outside"), told[0])


def identifiers(projects: Iterable[Project], cards: Mapping[str, Card]) -> dict[str, str]:
    """What each found project is called by programs: as its card says, else as it will say from now on.

    ``cards`` are by path.
    """
    found = {}
    for project in projects:
        card = cards.get(project.path)
        kept = card.extras.get("id") if card is not None else None
        found[project.path] = kept if isinstance(kept, str) and kept else new_identifier(project)
    return found


def facts_of(project: Project, identifier: str, card: Card | None = None) -> Facts:
    """What the index keeps of a project: facts that stay the same until somebody works on it.

    ``card`` is the one that it has: what this scan did not ask about stays as that says.
    """
    activity, vcs = project.activity, project.vcs
    return Facts(
        path=project.path,
        real_path=project.path,
        name=project.name,
        stack=project.stacks.primary,
        status=project.status.value,
        bmad_installed=project.bmad_installed,
        has_git=project.has_git,
        extra=(
            ("id", identifier),
            ("stacks", [label.label for label in project.stacks.labels]),
            ("last_activity", iso_time(activity.when)),
            ("activity_source", activity.source),
            ("remote", vcs.remote if vcs is not None else None),
            *identity_keys(project, card),
            ("flags", card_flags(project, card)),
            *risk_keys(project, card),
        ),
    )


def _plan(settings: ScanSettings, found: Scan, portfolio: Portfolio, facts: Sequence[Facts]) -> Plan:
    # Whoever asks for a path on a mount whose server is gone hangs: of that nobody can tell.
    places = Places(read_mounts())
    return plan(
        portfolio,
        facts,
        now=iso_time(settings.now) or "",
        roots=_walked(settings, found, places),
        exists=lambda path: places.may_hang(path) or may_exist(path),
        real_path=places.near_path,
    )


def _walked(settings: ScanSettings, found: Scan, places: Places) -> list[str]:
    """The roots that were really searched, by their real and their given names: cards may say either."""
    real = [root.path for root in found.roots]
    named = [root.path for root in settings.roots if places.near_path(root.path) in real]
    return [*dict.fromkeys([*real, *named])]


def _scan(
    settings: ScanSettings, portfolio: Portfolio, progress: Progress | None
) -> tuple[Scan, CacheFile | None]:
    """One scan for each group of roots that share their rules, put together; and the cache they used."""
    ends = None if settings.deadline is None else time.monotonic() + settings.deadline
    parts = []
    known = known_identities(portfolio.cards)
    file = _cache_file(settings)
    for group in settings.groups:
        left = None if ends is None else max(0.0, ends - time.monotonic())
        cache = file.for_scan() if file is not None else None
        part = scan(replace(request(settings, group, left), known=known), progress, cache)
        if file is not None and cache is not None:
            file.take(cache, part)
        parts.append(part)
    if file is not None:
        file.save()
    return (parts[0] if len(parts) == 1 else _together(settings, parts)), file


def _cache_file(settings: ScanSettings) -> CacheFile | None:
    if settings.cache is None:
        return None
    from jobs.scan_cache import CacheFile  # noqa: PLC0415 - start-up: 2 ms that a scan without a cache does not pay

    return CacheFile(settings.cache)


def request(settings: ScanSettings, group: RootGroup, deadline: float | None) -> Request:
    """What the scanner is asked for one group of roots; ``deadline`` in seconds from now."""
    return Request(
        roots=group.roots,
        thresholds=group.thresholds or settings.thresholds,
        now=settings.now,
        nested=group.nested,
        exclude=group.exclude,
        own_ignore=settings.respect_ignore,
        deadline=deadline,
        user_rules=settings.stacks,
        user_ignore=settings.user_ignore,
        unsaved=settings.unsaved,
        emails=settings.emails,
        clock=time.monotonic,
    )


def _together(settings: ScanSettings, parts: Iterable[Scan]) -> Scan:
    projects: dict[str, Project] = {}
    nearest_root: dict[str, int] = {}
    coverage = Coverage()
    roots: list[Root] = []
    problems: list[Problem] = []
    for part in parts:
        for project in part.projects:
            # Where a root lies in another one its own rules count: whoever wrote it down meant them.
            length = _root_length(part.roots, project.path)
            if length > nearest_root.get(project.path, -1):
                projects[project.path], nearest_root[project.path] = project, length
        roots += part.roots
        problems += part.problems
        coverage = _added(coverage, part.coverage)
    return Scan(
        roots=tuple(sorted(roots, key=lambda root: root.path)),
        thresholds=settings.thresholds,
        projects=tuple(projects[path] for path in sorted(projects)),
        coverage=coverage,
        problems=tuple(problems),
    )


def _root_length(roots: Iterable[Root], path: str) -> int:
    """How long the path of the root is that holds ``path``; 0 if none does."""
    holding = (root.path.rstrip("/") for root in roots)
    return max((len(root) for root in holding if path == root or path.startswith(root + "/")), default=0)


def _added(one: Coverage, other: Coverage) -> Coverage:
    pruned = dict(one.pruned)
    for reason, count in other.pruned:
        pruned[reason] = pruned.get(reason, 0) + count
    return Coverage(
        directories=one.directories + other.directories,
        entries=one.entries + other.entries,
        pruned=tuple(sorted(pruned.items())),
        unreadable=tuple(sorted({*one.unreadable, *other.unreadable})),
        cut_by_depth=one.cut_by_depth + other.cut_by_depth,
        deadline_hit=one.deadline_hit or other.deadline_hit,
        over_budget=tuple(sorted({*one.over_budget, *other.over_budget})),
        placeholders=one.placeholders + other.placeholders,
    )
