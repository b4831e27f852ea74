"""Gathers what ``zecher status`` shows: a scan of the whole portfolio with unsaved work asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from brain.project_cards import MOVED_FROM
from jobs.git_program import GitProgram, find_git, with_git
from jobs.orphans import find_orphans
from jobs.places import SNAPSHOTS
from jobs.portfolio import Survey, survey, with_roots
from jobs.progress import Progress
from jobs.settings import ScanSettings
from reports.portfolio import counts_by_status
from reports.status import LeftBehind, PortfolioStatus
from scanner.mounts import read_mounts
from scanner.project import Problem, Project, Scan
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Configuration
    from reports.snapshot import Snapshot

MISSING = "missing"
ACKS = "acks.json"
"""The file of ``jobs.acks``, which costs more to import than to look for."""


def gather(
    settings: ScanSettings, environ: Mapping[str, str], progress: Progress | None = None
) -> tuple[PortfolioStatus, tuple[Problem, ...]]:
    """The state of the portfolio, and what stood in the way of knowing it. Reads only.

    Without roots in ``settings`` the projects of the index are looked at, each as a root of its own.
    """
    asked, gone = with_roots(replace(settings, unsaved=True))
    seen = survey(asked, progress, real_git(asked, environ))
    status = _status(seen, {card.path for card in gone})
    last = _seen(settings)
    return replace(status, orphans=_orphans(seen), seen=last, loops=_loops(settings, last)), seen.problems


def _seen(settings: ScanSettings) -> Snapshot | None:
    """What a job saw of the memories; most portfolios that are merely looked at have no job yet."""
    if not os.path.isdir(os.path.join(settings.state, SNAPSHOTS)):
        return None
    from jobs.last_seen import last_seen  # noqa: PLC0415 - start-up: only where something was stored

    return last_seen(settings.state, settings.now)


def _loops(settings: ScanSettings, seen: Snapshot | None) -> Mapping[str, int]:
    """How many open loops there are by state, by what was said of them since the job looked."""
    if seen is None or not seen.loops:
        return {}
    from brain.health.dates import day_of  # noqa: PLC0415 - start-up: only where a job found some
    from brain.loops.states import counted, judged  # noqa: PLC0415 - as above
    from brain.loops.values import Loop  # noqa: PLC0415 - as above
    from jobs.loop_marks import day_of_now, read_marks  # noqa: PLC0415 - as above

    loops = (Loop(one.id, one.kind, one.text, one.file, one.line, day_of(one.due)) for one in seen.loops)
    return counted(judged(loops, read_marks(settings.state).marks, day_of_now(settings.now)))


def with_nightly(
    status: PortfolioStatus, configuration: Configuration, settings: ScanSettings
) -> PortfolioStatus:
    """``status`` with how the nightly job stands, if it ever ran."""
    from jobs.job_status import job_state, read_ledger  # noqa: PLC0415 - start-up: after the scan
    from jobs.registry import schedules  # noqa: PLC0415 - as above
    from reports.jobs import job_document, job_words  # noqa: PLC0415 - as above

    ledger = read_ledger(settings.state)
    if not ledger.of("nightly"):
        return status
    schedule = schedules(configuration)["nightly"]
    nightly = job_state("nightly", schedule, ledger, settings.now, settings.state)
    return replace(status, nightly=job_document(nightly), nightly_words=job_words(nightly, settings.now))


def with_dreaming(
    status: PortfolioStatus, configuration: Configuration, settings: ScanSettings
) -> PortfolioStatus:
    """``status`` with how dreaming stands, where it is turned on."""
    if not configuration.dreaming.enabled:
        return status
    from jobs.dreaming_outlook import dreaming_outlook  # noqa: PLC0415 - start-up: only where it is on

    found = dreaming_outlook(configuration.dreaming, settings.brain, settings.state, settings.now)
    return replace(status, dreaming=found)


def _orphans(seen: Survey) -> tuple[LeftBehind, ...]:
    """The memories of assistants whose folders are gone; the index knows what some of them were."""
    cards = seen.portfolio.cards
    before = {card.path: card.extras.get(MOVED_FROM) for card in cards}
    moved = {change.old_path: change.path for change in seen.changes if change.old_path}
    moved |= {old: path for path, old in before.items() if isinstance(old, str) and old}
    return find_orphans(seen.settings.home, read_mounts(), known=[card.path for card in cards], moved=moved)


def _status(seen: Survey, gone: set[str]) -> PortfolioStatus:
    shown = tuple(project for project in seen.scan.projects if project.path not in seen.skipped)
    gone = gone | {change.path for change in seen.changes if change.kind == MISSING}
    known = {project.path for project in seen.scan.projects} | gone | set(seen.skips.paths)
    roots = {root.path for root in seen.settings.roots}
    others = [card for card in seen.portfolio.cards if card.path not in known]
    # A folder that was named as a root is a project only by its version control: its card says what it is.
    plain = [card for card in others if card.path in roots]
    statuses = [*(one.status.value for one in shown), *(card.status or "unknown" for card in plain)]
    unknown = [one.path for one in shown if _is_unknown(one)]
    return PortfolioStatus(
        projects=shown,
        counts=counts_by_status(statuses) | {MISSING: len(gone)},
        identifiers=seen.identifiers,
        unknown=tuple(sorted([*unknown, *(card.path for card in plain if card.has_git)])),
        unversioned=sum(one.vcs is None and not one.has_git for one in shown)
        + sum(not card.has_git for card in plain),
        elsewhere=len(others) - len(plain),
        skipped=len(seen.skipped),
        silenced=_silenced(seen.settings, seen.identifiers),
    )


def _silenced(settings: ScanSettings, identifiers: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    if not os.path.lexists(os.path.join(settings.state, ACKS)):
        return frozenset()
    from jobs.acks import silenced_work  # noqa: PLC0415 - start-up: 10 ms, only where something was silenced

    return silenced_work(settings.state, settings.now, identifiers)


def real_git(settings: ScanSettings, environ: Mapping[str, str]) -> Callable[[Scan], Scan] | None:
    """What asks the real git about a scan, where the settings want it."""
    if not settings.real_git:
        return None
    excludes = settings.user_ignore[-1] if settings.user_ignore else ""
    program = GitProgram(find_git(environ), excludes)
    return lambda scan: with_git(scan, program)


def _is_unknown(project: Project) -> bool:
    """Whether its unsaved work could not be read: a version control that is not git's, or a failure."""
    if project.vcs is None:
        return project.has_git
    return project.git is None
