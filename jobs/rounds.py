"""A round through the portfolio, as a job makes it: a scan, and what is noted of each project."""

from __future__ import annotations

import os

from brain.portfolio import read_portfolio
from jobs.portfolio import Survey, survey, with_roots
from jobs.registry import FAILED, JobResult
from reports.snapshot import MISSING, Noted, RiskNote
from reports.view import branch_words, iso_time
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Problem, Project, Scan, Status, Unsaved
from scanner.risk import changed_files
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.project_cards import Card
    from jobs.registry import JobContext

_JUDGED = ("active", "paused", "archived")
_UNBELIEVED = "the clock is not to be believed now"


@dataclass(frozen=True, slots=True)
class Round:
    """What one round saw.

    ``projects`` are noted for a snapshot, the missing ones among them, those that a person skips not;
    ``shown`` are the same as the scan knows them, without the missing ones.
    """

    seen: Survey
    shown: tuple[Project, ...]
    projects: tuple[Noted, ...]


def make_round(context: JobContext) -> Round:
    """Look at all configured roots, unsaved work included. Writes nothing but the scan cache.

    Where no root is configured each project of the index is looked at. The cancel token is asked between any
    two projects. With a suspicious clock every project keeps the status that its card has.
    """
    settings, gone = with_roots(replace(context.settings, now=context.now, unsaved=True))
    brain = settings.brain
    seen = survey(
        settings,
        lambda _folders, _found: context.cancel.check(),
        (lambda scan: _with_known_statuses(scan, brain)) if context.clock_suspicious else None,
    )
    context.cancel.check()
    shown = tuple(project for project in seen.scan.projects if project.path not in seen.skipped)
    return Round(seen, shown, _noted(seen, shown, gone, context.now))


def elsewhere(seen: Survey) -> tuple[Card, ...]:
    """Cards of projects that are there, but that the scan did not see: they lie outside the roots.

    One on a file system that does not answer is left out: whoever looked at it would hang.
    """
    known = {project.path for project in seen.scan.projects} | set(seen.skips.paths)
    known |= {change.old_path for change in seen.changes if change.old_path}
    places = Places(read_mounts())
    return tuple(card for card in seen.portfolio.cards if card.path not in known and _is_there(card, places))


def _is_there(card: Card, places: Places) -> bool:
    return places.answers(places.near_path(card.path)) and os.path.isdir(card.path)


def nothing_seen(made: Round) -> JobResult:
    """The result of a job that found nothing to look at: it failed, and says what to do."""
    problems = made.seen.problems
    if not problems:
        problems = (
            Problem(
                "no-roots",
                "error",
                "",
                "no folder is configured that could be searched, and no project is indexed",
                "Name your folders as [scan] roots in the configuration.",
            ),
        )
    return JobResult(FAILED, {"projects": 0}, problems=problems, summary="nothing could be looked at.")


def _with_known_statuses(scan: Scan, brain: str) -> Scan:
    """The scan with the statuses of the cards: by a wrong clock the whole portfolio would be archived.

    One without a card is active, if it seems so even now, or unknown.
    """
    known = {card.path: card.status for card in read_portfolio(brain).cards if card.status in _JUDGED}

    def held(project: Project) -> Project:
        fresh = "active" if project.status.value == "active" else "unknown"
        return replace(project, status=Status(known.get(project.path, fresh), _UNBELIEVED))

    return replace(scan, projects=tuple(map(held, scan.projects)))


def _noted(seen: Survey, shown: tuple[Project, ...], gone: tuple[Card, ...], now: float) -> tuple[Noted, ...]:
    today = (iso_time(now) or "")[:10]
    cards = {card.path: card for card in seen.portfolio.cards}
    missing = {change.path for change in seen.changes if change.kind == MISSING} | {
        card.path for card in gone
    }
    noted = [_note(project, seen, today) for project in shown]
    noted += [note_of_card(cards[path], MISSING) for path in missing if path in cards]
    return tuple(sorted(noted, key=lambda one: one.path))


def _note(project: Project, seen: Survey, today: str) -> Noted:
    card = seen.cards.get(project.path)
    first_seen = card.extras.get("first_seen") if card is not None else None
    risk = project.git.risk if project.git is not None else None
    return Noted(
        id=seen.identifiers[project.path],
        path=project.path,
        name=project.name,
        status=project.status.value,
        stack=project.stacks.primary,
        labels=tuple(label.label for label in project.stacks.labels),
        reason=branch_words(project.status.reason),
        risks=risk.what if risk is not None else (),
        first_seen=first_seen if isinstance(first_seen, str) and first_seen else today,
        last_activity=project.activity.when,
        source=project.activity.source,
        branch=branch_words(project.vcs.branch or "") if project.vcs is not None else "",
        remote=project.git.has_remote if project.git is not None else None,
        risk=_risk(project.git) if project.git is not None else None,
    )


def _risk(git: Unsaved) -> RiskNote | None:
    if git.risk is None:
        return None
    return RiskNote(
        changed=changed_files(git),
        changed_capped=git.truncated,
        only_here=git.only_here,
        capped=git.only_here_capped,
        branches=tuple(branch_words(one.name) for one in git.branches if one.ahead or one.upstream is None),
        stashes=git.stashes,
        in_progress=git.in_progress or "",
        no_remote=not git.has_remote,
        since=git.risk.since,
    )


def note_of_card(card: Card, status: str) -> Noted:
    """What is noted of a project that the scan did not see."""
    identifier, first_seen = card.extras.get("id"), card.extras.get("first_seen")
    return Noted(
        id=identifier if isinstance(identifier, str) else "",
        path=card.path,
        name=card.name,
        status=status,
        stack=card.stack,
        labels=(card.stack,) if card.stack else (),
        first_seen=first_seen if isinstance(first_seen, str) else "",
    )
