"""The job of dreaming: what recurs in daily notes is proposed, and told in a report.

Into MEMORY.md it writes only with ``[dreaming] auto_promote = true``; into a daily note never.
"""

from __future__ import annotations

from brain.files.errors import WriteError
from jobs.dreaming_promote import Wish, promote, propose
from jobs.dreaming_workspaces import DreamSettings, settings_by, workspaces
from jobs.errors import ExpectedError
from jobs.places import reports_folder
from jobs.publishing import Page, prune, publish, sealed, unwritten
from jobs.registry import FAILED, OK, PARTIAL, JobContext, JobResult, Output
from reports.dreaming import Dreamt, summary
from reports.dreaming_report import dreaming_markdown
from reports.view import iso_time
from scanner.project import Problem

LATEST = "latest-dreaming.md"


def dreaming(context: JobContext) -> JobResult:
    """One run over all workspaces; one that cannot be looked at stops no other.

    ``ok`` when all could be looked at, ``partial`` when some could not or notes vanished, ``failed`` when
    none could be, or the report could not be written.
    """
    settings = settings_by(context.configuration, context.surroundings, context.settings.brain, context.now)
    roots = workspaces(settings)
    found: list[Dreamt] = []
    problems: list[Problem] = []
    for root in roots:
        context.cancel.check()
        try:
            found.append(_one(context, settings, root))
        except ExpectedError as error:
            problems.append(
                Problem(error.code, "error", error.path or root, f"{error.what}: {error.why}", error.fix)
            )
    context.cancel.check()
    if not roots:
        problems.append(_nowhere(context))
    problems += [problem for one in found for problem in one.problems]
    outputs, troubles = _publish(context, settings, found, problems)
    problems += troubles
    errors = sum(problem.level == "error" for problem in problems)
    is_failed = bool(troubles) or (bool(roots) and not found)
    return JobResult(
        outcome=FAILED if is_failed else PARTIAL if errors or context.clock_suspicious else OK,
        counts=_counts(found, len(roots), errors, len(problems) - errors),
        outputs=outputs,
        problems=tuple(problems),
        summary=f"{summary(found)}.",
    )


def _one(context: JobContext, settings: DreamSettings, root: str) -> Dreamt:
    wish = Wish(settings.gates)
    # By a clock that nobody believes nothing is archived, and nothing dated.
    if settings.configured.auto_promote and not context.clock_suspicious:
        return promote(settings, root, wish)
    return propose(settings, root, wish)


def _nowhere(context: JobContext) -> Problem:
    return Problem(
        "no-workspace",
        "warning",
        context.configuration.path,
        "no workspace is configured, and none is among the indexed projects",
        "Name one: [dreaming] workspaces. It holds MEMORY.md or memory/YYYY-MM-DD.md.",
    )


def _publish(
    context: JobContext, settings: DreamSettings, found: list[Dreamt], problems: list[Problem]
) -> tuple[tuple[Output, ...], list[Problem]]:
    folder = reports_folder(context.surroundings, context.configuration)
    last = context.last_ok
    data = sealed(
        dreaming_markdown(
            found,
            day=settings.today,
            home=settings.home,
            last_ok="" if last is None else iso_time(last.start if last.end is None else last.end) or "",
            problems=problems,
        )
    )
    pages = (Page(f"{context.job}-{context.slot}.md", data), Page(LATEST, data, is_latest=True))
    try:
        written = publish(folder, pages, now=context.now)
    except WriteError as error:
        return (), [unwritten(error, "report-write", "the report could not be written")]
    if not context.clock_suspicious:
        prune(folder, now=context.now, weeks=context.configuration.reports.keep_weeks)
    return written, []


def _counts(found: list[Dreamt], roots: int, errors: int, warnings: int) -> dict[str, int]:
    sweeps = [one.sweep for one in found if one.sweep is not None]
    done = [one.planned for one in found if one.run and one.planned is not None]
    return {
        "workspaces": roots,
        "notes": sum(sweep.notes for sweep in sweeps),
        "claims": sum(sweep.claims for sweep in sweeps),
        "proposed": sum(len(sweep.proposals) for sweep in sweeps),
        "near_misses": sum(len(sweep.near_misses) for sweep in sweeps),
        "promoted": sum(len(planned.added) for planned in done),
        "archived": sum(len(planned.archived) for planned in done),
        "unchanged": min((one.unchanged for one in found), default=0),
        "findings": sum(len(one.findings) for one in found),
        "errors": errors,
        "warnings": warnings,
    }
