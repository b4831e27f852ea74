"""The nightly job: scan all roots, index them, keep a snapshot, and report what changed since the last."""

from __future__ import annotations

from collections import Counter

from brain.files.errors import WriteError
from jobs.portfolio import Indexed, index
from jobs.publishing import Page, prune, publish, sealed, unwritten
from jobs.registry import OK, PARTIAL, JobContext, JobResult, Output
from jobs.rounds import Round, make_round, nothing_seen
from jobs.settings import reports_folder
from jobs.snapshots import latest_snapshot, write_snapshot
from reports.changes import Changes, changes_between
from reports.nightly import NightlyReport, nightly_markdown, verdict
from reports.snapshot import Snapshot
from scanner.project import Problem
from scanner.value import replace

LATEST = "latest-nightly.md"


def nightly(context: JobContext) -> JobResult:
    """One night: nothing is written before all is known, and nothing at all when the run is cancelled.

    ``ok`` when everything could be read and written, ``partial`` when something could not, ``failed`` when
    nothing was looked at; problems say what stood in the way. Files: the index in the brain, the report with
    ``latest-nightly.md`` in the reports folder, a snapshot in the state folder.
    """
    made = make_round(context)
    if not made.seen.scan.roots:
        return nothing_seen(made)
    slot, now, state = context.slot, context.now, context.settings.state
    before, damaged = latest_snapshot(state, context.job, now, other_than=slot)
    after = Snapshot(context.job, slot, now, made.seen.scan.thresholds, made.projects)
    changes = changes_between(before, after) if before is not None else None
    context.cancel.check()
    indexed = index(made.seen)
    problems = (*made.seen.problems, *indexed.problems, *damaged)
    report = _report(context, made, changes, indexed, problems)
    outputs, troubles = _publish(context, report, after)
    problems = (*problems, *troubles)
    errors = any(problem.level == "error" for problem in problems)
    return JobResult(
        outcome=PARTIAL if errors or context.clock_suspicious else OK,
        counts=_counts(made, changes, indexed, problems),
        outputs=outputs,
        problems=problems,
        summary=verdict(replace(report, problems=problems)),
    )


def _report(
    context: JobContext,
    made: Round,
    changes: Changes | None,
    indexed: Indexed,
    problems: tuple[Problem, ...],
) -> NightlyReport:
    return NightlyReport(
        date=context.slot,
        taken=context.now,
        home=context.settings.home,
        projects=made.projects,
        changes=changes,
        coverage=made.seen.scan.coverage,
        problems=problems,
        written=indexed.written,
        skipped=len(made.seen.skipped),
        missed_slots=context.missed_slots,
        clock_suspicious=context.clock_suspicious,
    )


def _publish(
    context: JobContext, report: NightlyReport, after: Snapshot
) -> tuple[tuple[Output, ...], list[Problem]]:
    """The report first, the snapshot last: what no report told of is told by the next one."""
    folder = reports_folder(context.surroundings, context.configuration)
    data = sealed(nightly_markdown(report))
    pages = (Page(f"{context.job}-{context.slot}.md", data), Page(LATEST, data, is_latest=True))
    try:
        written = publish(folder, pages, now=context.now)
    except WriteError as error:
        return (), [unwritten(error, "report-write", "the report could not be written")]
    if context.clock_suspicious:
        return written, []
    prune(folder, now=context.now, weeks=context.configuration.reports.keep_weeks)
    try:
        kept = write_snapshot(context.settings.state, after)
    except WriteError as error:
        return written, [unwritten(error, "snapshot-write", "the next run cannot compare with this one")]
    return (*written, kept), []


def _counts(
    made: Round, changes: Changes | None, indexed: Indexed, problems: tuple[Problem, ...]
) -> dict[str, int]:
    statuses = Counter(project.status for project in made.projects)
    kinds = Counter(change.kind.replace(" ", "_") for change in changes.all) if changes is not None else {}
    return {
        "projects": len(made.projects),
        **dict(sorted(statuses.items())),
        "with_risk": sum(bool(project.risks) for project in made.projects),
        **{f"changes_{kind}": count for kind, count in sorted(kinds.items())},
        "skipped": len(made.seen.skipped),
        "written": indexed.written,
        "errors": sum(problem.level == "error" for problem in problems),
        "warnings": sum(problem.level == "warning" for problem in problems),
    }
