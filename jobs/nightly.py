"""The nightly job: scan all roots, index them, keep a snapshot, report what changed, renew the dashboard."""

from __future__ import annotations

from collections import Counter

from brain.files.errors import WriteError
from jobs.memory_index import nightly_index
from jobs.picture import Earlier, Picture, health_counts, keep_ages, take_picture, with_problems
from jobs.places import reports_folder
from jobs.portfolio import index
from jobs.publishing import Page, prune, publish, sealed, unwritten
from jobs.registry import FAILED, OK, PARTIAL, JobContext, JobResult, Output
from jobs.reporting import WEEKLY, dashboard_page
from jobs.rounds import make_round, nothing_seen
from jobs.snapshots import latest_snapshot, write_snapshot
from reports.changes import changes_between
from reports.nightly import nightly_markdown, verdict
from reports.snapshot import Snapshot
from scanner.project import Problem
from scanner.value import replace

LATEST = "latest-nightly.md"


def nightly(context: JobContext) -> JobResult:
    """One night: nothing is written before all is known, and nothing at all when the run is cancelled.

    ``ok`` when everything could be read and written, ``partial`` when something could not, ``failed`` when
    nothing was looked at or the index could not be written: such a night is tried again, and told.
    Problems say what stood in the way. Files: the index in the brain, the report with
    ``latest-nightly.md`` and the dashboard in the reports folder, a snapshot in the state folder.
    """
    made = make_round(context)
    if not made.seen.scan.roots:
        return nothing_seen(made)
    slot, now, state = context.slot, context.now, context.settings.state
    before, damaged = latest_snapshot(state, context.job, now, other_than=slot)
    last_week, more = latest_snapshot(state, WEEKLY, now, other_than="")
    picture = take_picture(context, made, made.projects, Earlier(last_week, before), slot=slot)
    context.cancel.check()
    indexed = index(made.seen, ask=context.cancel.check)
    problems = (*made.seen.problems, *indexed.problems, *picture.problems, *damaged, *more)
    after = with_problems(replace(picture.snapshot, written=indexed.written), problems)
    outputs, troubles = _publish(context, picture, after, before)
    after = with_problems(after, (*problems, *troubles))
    if outputs:  # where nothing can be written, no search index can
        troubles = [*troubles, *nightly_index(context)]
    errors = after.problem_counts.get("error", 0)
    return JobResult(
        outcome=FAILED if indexed.failed else PARTIAL if errors or context.clock_suspicious else OK,
        counts=_counts(after, before, picture),
        outputs=outputs,
        problems=(*problems, *troubles),
        summary=verdict(after, before),
    )


def _publish(
    context: JobContext, picture: Picture, after: Snapshot, before: Snapshot | None
) -> tuple[tuple[Output, ...], list[Problem]]:
    """The report first, the snapshot last: what no report told of is told by the next one."""
    folder = reports_folder(context.surroundings, context.configuration)
    data = sealed(nightly_markdown(after, before))
    page, problems = dashboard_page(after)
    pages = (Page(f"{context.job}-{context.slot}.md", data), Page(LATEST, data, is_latest=True), *page)
    try:
        written = publish(folder, pages, now=context.now)
    except WriteError as error:
        return (), [*problems, unwritten(error, "report-write", "the report could not be written")]
    if context.clock_suspicious:
        return written, problems
    prune(folder, now=context.now, weeks=context.configuration.reports.keep_weeks)
    problems += keep_ages(picture)
    try:
        kept = write_snapshot(context.settings.state, after)
    except WriteError as error:
        trouble = unwritten(error, "snapshot-write", "the next run cannot compare with this one")
        return written, [*problems, trouble]
    return (*written, kept), problems


def _counts(after: Snapshot, before: Snapshot | None, picture: Picture) -> dict[str, int]:
    statuses = Counter(project.status for project in after.projects)
    changes = changes_between(before, after).all if before is not None else ()
    kinds = Counter(change.kind.replace(" ", "_") for change in changes)
    return {
        "projects": len(after.projects),
        **dict(sorted(statuses.items())),
        "with_risk": sum(bool(project.risks) for project in after.projects),
        **{f"changes_{kind}": count for kind, count in sorted(kinds.items())},
        "skipped": after.skipped,
        "written": after.written,
        **health_counts(picture),
        "errors": after.problem_counts.get("error", 0),
        "warnings": after.problem_counts.get("warning", 0),
    }
