"""The picture that a job takes of a portfolio: what the scan saw, how memories are, what is to be done."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from brain.files.errors import WriteError
from brain.loops.states import counted, judged
from jobs import __version__, health_notes
from jobs.acks import silenced_work
from jobs.dreaming_outlook import dreaming_outlook
from jobs.health import HealthSettings, PortfolioHealth, Subject, examine_all, remember_ages, subject_of
from jobs.loop_marks import day_of_now, read_marks
from jobs.memory_check import health_settings
from jobs.publishing import unwritten
from jobs.registry import JobContext
from jobs.rounds import Round
from jobs.run_health import run_health
from jobs.workspaces import workspaces
from reports.actions import actions_of
from reports.loops import loop_notes
from reports.snapshot import (
    DAYS,
    FINDINGS,
    LOADS,
    LOOPS,
    MISSING,
    PROBLEMS,
    REVIEWS,
    SIZES,
    TODO,
    WEEKS,
    Noted,
    Snapshot,
    iso_week,
)
from reports.todo import action_key, actions_of_findings, ranked
from reports.view import DAY
from scanner.project import Problem
from scanner.value import dataclass, replace

# What the actions for unsaved work say already, with a better command.
_SAID = frozenset({"g-dirty", "g-stash", "g-unpushed"})


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier runs saw: the last snapshot of another week, and of another night; None without one."""

    weekly: Snapshot | None
    nightly: Snapshot | None


@dataclass(frozen=True, slots=True)
class Picture:
    """The snapshot of this run without its problems, the health that it was made from, what went wrong."""

    snapshot: Snapshot
    seen: PortfolioHealth
    settings: HealthSettings
    problems: tuple[Problem, ...]


def take_picture(
    context: JobContext,
    made: Round,
    projects: Sequence[Noted],
    earlier: Earlier,
    *,
    slot: str,
    missed_weeks: int = 0,
    is_weekly: bool = False,
) -> Picture:
    """All that reports show of ``projects``, ordered by path, for the slot ``slot``.

    Writes nothing but the cache of memory health. ``is_weekly``: this report begins a new week, so that what
    is still to be done has stood there a week longer.
    """
    asked = replace(context.settings, now=context.now)
    settings = replace(health_settings(asked, brain=asked.brain), wants_days=True, wants_loops=True)
    beside = _workspaces(context, projects)
    seen, troubles = _examined(context, _subjects(made, (*projects, *beside)), settings)
    runs, more = run_health(context, missed_weeks=missed_weeks)
    noted = tuple(health_notes.with_health(one, seen) for one in projects)
    examined = (*noted, *(health_notes.with_health(one, seen) for one in beside))
    findings = health_notes.findings(examined, seen, context.now)
    identifiers = {one.path: one.id for one in examined}
    grave = [one for one in findings if one.level in health_notes.LEVELS]
    silenced = silenced_work(asked.state, context.now, identifiers)
    unsaved = actions_of(made.shown, context.settings.home)
    told = [one for one in unsaved if (one.path, one.code) not in silenced]
    ailing = [one for one in grave if one.code not in _SAID]
    todo = ranked(
        (*told, *actions_of_findings(ailing, health_notes.reasons(seen), context.settings.home)),
        identifiers,
        earlier.weekly,
        earlier.nightly,
        now=context.now,
        is_new_week=is_weekly,
    )
    loads = health_notes.loads(examined, seen)
    marks = read_marks(asked.state)
    loops = judged(seen.loops, marks.marks, day_of_now(context.now))
    snapshot = Snapshot(
        job=context.job,
        slot=slot,
        taken=context.now,
        thresholds=made.seen.scan.thresholds,
        projects=noted,
        actions={action_key(one, identifiers): one.weeks for one in todo},
        home=context.settings.home,
        brain_path=context.settings.brain,
        tool_version=__version__,
        health=seen.percent,
        brain_health=health_notes.note(seen.brain, seen) if seen.brain is not None else None,
        todo=todo[:TODO],
        findings=tuple(grave[:FINDINGS]),
        finding_counts=dict(Counter(one.level for one in findings)),
        loops=loop_notes(loops)[:LOOPS],
        loop_counts=counted(loops) if loops else {},
        dreaming=dreaming_outlook(context.configuration.dreaming, asked.brain, asked.state, context.now),
        silenced=sum(map(len, seen.silenced.values())) + len(unsaved) - len(told),
        rules=health_notes.rules(examined, seen),
        review=health_notes.review(findings)[:REVIEWS],
        repeats=health_notes.repeats(seen),
        loads=loads[:LOADS],
        sizes=health_notes.sizes(findings)[:SIZES],
        tokens=sum(tokens for _, _, tokens, _ in loads),
        trend=_trend(earlier, seen.percent, context.now, slot if is_weekly else iso_week(context.now)),
        days=_days(seen.days, context.now),
        runs=runs,
        coverage=made.seen.scan.coverage,
        skipped=len(made.seen.skipped),
        missed_slots=context.missed_slots,
        clock_suspicious=context.clock_suspicious,
    )
    return Picture(snapshot, seen, settings, (*troubles, *seen.problems, *marks.problems, *more))


def with_problems(snapshot: Snapshot, problems: Iterable[Problem]) -> Snapshot:
    """``snapshot`` with what stood in the way, errors first, as far as there is room."""
    found = sorted(problems, key=lambda one: (one.level != "error", one.path, one.code, one.message))
    counts = dict(Counter(one.level for one in found))
    return replace(snapshot, problems=tuple(found[:PROBLEMS]), problem_counts=counts)


def keep_ages(picture: Picture) -> tuple[Problem, ...]:
    """Write down since when each finding is known; what the system refuses is a problem."""
    try:
        remember_ages(picture.seen, picture.settings)
    except WriteError as error:
        return (unwritten(error, "ages-write", "since when findings are known could not be kept"),)
    return ()


def health_counts(picture: Picture) -> dict[str, int]:
    """What the ledger keeps of the health of the memories."""
    snapshot = picture.snapshot
    counts = {
        "memories": sum(
            one.health is not None and one.health.percent is not None for one in snapshot.projects
        ),
        "passed": sum(passed for passed, _, _ in snapshot.rules.values()),
        "failed": sum(failed for _, failed, _ in snapshot.rules.values()),
        "findings_error": snapshot.finding_counts.get("error", 0),
        "findings_warning": snapshot.finding_counts.get("warning", 0),
        "silenced": snapshot.silenced,
        "actions": len(snapshot.actions),
    }
    return counts if snapshot.health is None else {**counts, "health": snapshot.health}


# -- health --------------------------------------------------------------------------------------------------


def _subjects(made: Round, projects: Sequence[Noted]) -> list[Subject]:
    shown = {project.path: project for project in made.shown}
    return [
        subject_of(shown[one.path], one.id)
        if one.path in shown
        else Subject(one.path, one.name, one.status, one.id)
        for one in projects
        if one.status != MISSING
    ]


def _workspaces(context: JobContext, projects: Sequence[Noted]) -> tuple[Noted, ...]:
    """The workspaces of the configuration that are no projects: their memory is looked at all the same."""
    named = workspaces(context.configuration, {os.path.realpath(one.path) for one in projects})
    return tuple(Noted(path, path, os.path.basename(path), "active") for path in named)


def _examined(
    context: JobContext, subjects: Sequence[Subject], settings: HealthSettings
) -> tuple[PortfolioHealth, tuple[Problem, ...]]:
    try:
        return examine_all(subjects, settings, context.cancel.check), ()
    except Exception as error:  # noqa: BLE001 - a report without health is better than none
        problem = Problem(
            "health-failed",
            "error",
            "",
            f"the memories could not be looked at: {type(error).__name__}: {error}",
            "This is a mistake in Zecher: please report it.",
        )
        return PortfolioHealth({}), (problem,)


# -- what is to be done, and what time brings ----------------------------------------------------------------


def _trend(earlier: Earlier, percent: int | None, now: float, mine: str) -> tuple[tuple[str, int], ...]:
    """The weeks that are known, ``mine`` included, at most half a year.

    A weekly run may come late: what it says is of its week, whatever day it is.
    """
    known = sorted((one for one in (earlier.weekly, earlier.nightly) if one), key=lambda one: one.taken)
    weeks = {week: share for one in known for week, share in one.trend}
    if percent is not None:
        weeks[mine] = percent
    first, last = iso_week(now - (WEEKS - 1) * 7 * DAY), iso_week(now)
    return tuple((week, weeks[week]) for week in sorted(weeks) if first <= week <= last)


def _days(days: Mapping[str, int], now: float) -> dict[str, int]:
    """The commits of the last year, by day."""
    first = (datetime.fromtimestamp(now, UTC) - timedelta(days=DAYS - 1)).date().isoformat()
    return {day: days[day] for day in sorted(days) if day >= first}
