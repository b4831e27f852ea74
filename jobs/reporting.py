"""Reports made from what earlier runs kept, without a look at any project."""

from __future__ import annotations

import math

from jobs.errors import ExpectedError
from jobs.publishing import Page, sealed
from jobs.snapshots import LEAST_AGE, latest_snapshot
from reports.snapshot import Snapshot
from scanner.project import Problem
from scanner.value import dataclass

WEEKLY, NIGHTLY, HTML = "weekly", "nightly", "html"
KINDS = (WEEKLY, NIGHTLY, HTML)

DASHBOARD = "dashboard.html"
DASHBOARD_WITH_NOTES = "dashboard-with-notes.html"
"""A page of its own: the next run must not renew it, nor it stand where the harmless one is expected."""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report with the name of its file; ``problems`` are snapshots that made no sense."""

    name: str
    text: str
    problems: tuple[Problem, ...] = ()


def stored_report(
    kind: str, state: str, now: float, *, redact_paths: bool = False, with_notes: bool = False
) -> StoredReport:
    """The newest report of that kind, the same text as the run that kept its snapshot wrote.

    The dashboard says how old it is at ``now`` (epoch seconds); ``with_notes`` it has the bodies of the
    memories as they are now. Raises ``ExpectedError`` where no run kept
    anything yet.
    """
    if kind == HTML:
        return _dashboard(state, now, redact_paths=redact_paths, with_notes=with_notes)
    snapshot, problems = latest_snapshot(state, kind, math.inf, other_than="")
    if snapshot is None:
        raise _nothing_kept(kind, state, problems)
    least_age = LEAST_AGE if kind == WEEKLY else 0.0
    before, more = latest_snapshot(state, kind, snapshot.taken, other_than=snapshot.slot, least_age=least_age)
    name = f"{snapshot.job}-{snapshot.slot}.md"
    return StoredReport(name, _markdown(kind, snapshot, before), (*problems, *more))


def dashboard_page(snapshot: Snapshot) -> tuple[tuple[Page, ...], list[Problem]]:
    """The dashboard of a run, or what kept it from being made: the report does not wait for it."""
    from reports.dashboard import dashboard_html  # noqa: PLC0415 - start-up: the charts, only for a run

    try:
        data = sealed(dashboard_html(snapshot, snapshot.taken))
    except Exception as error:  # noqa: BLE001 - a night without its picture is still a night
        message = f"the dashboard could not be made: {type(error).__name__}: {error}"
        fix = "This is a mistake in Zecher: please report it."
        return (), [Problem("dashboard-failed", "error", "", message, fix)]
    return (Page(DASHBOARD, data, is_latest=True),), []


def _markdown(kind: str, snapshot: Snapshot, before: Snapshot | None) -> str:
    if kind == WEEKLY:
        from reports.weekly import weekly_markdown  # noqa: PLC0415 - only one of them is needed

        return weekly_markdown(snapshot, before)
    from reports.nightly import nightly_markdown  # noqa: PLC0415 - as above

    return nightly_markdown(snapshot, before)


def _dashboard(state: str, now: float, *, redact_paths: bool, with_notes: bool) -> StoredReport:
    from reports.dashboard import dashboard_html  # noqa: PLC0415 - as above

    night, problems = latest_snapshot(state, NIGHTLY, math.inf, other_than="")
    week, more = latest_snapshot(state, WEEKLY, math.inf, other_than="")
    found = [one for one in (week, night) if one is not None]
    if not found:
        raise _nothing_kept(NIGHTLY, state, (*problems, *more))
    newest = max(found, key=lambda one: one.taken)
    page = dashboard_html(
        newest, now, redact_paths=redact_paths, notes=_notes(newest) if with_notes else None
    )
    return StoredReport(DASHBOARD_WITH_NOTES if with_notes else DASHBOARD, page, (*problems, *more))


def _notes(snapshot: Snapshot) -> dict[str, tuple[tuple[str, str], ...]]:
    from jobs.memory_bodies import memory_bodies  # noqa: PLC0415 - start-up: only where somebody asked for them

    return memory_bodies(snapshot)


def _nothing_kept(job: str, state: str, problems: tuple[Problem, ...]) -> ExpectedError:
    return ExpectedError(
        "no-snapshot",
        "there is nothing to make a report from",
        f"no {job} run has kept what it saw" + (", or it cannot be read" if problems else ""),
        f"Let it run: zecher run {job}.",
        path=state,
        problems=problems,
    )
