"""The weekly job: the health of every memory, the report of the week with its deltas, and the export."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

from brain.archive import NoBrainError, archive_name, collect, place
from brain.files.atomic import make_folder
from brain.files.errors import WriteError
from brain.locate import locate_brain
from jobs.claims import with_claims
from jobs.picture import Earlier, Picture, health_counts, keep_ages, take_picture, with_problems
from jobs.places import reports_folder
from jobs.problems import ours
from jobs.publishing import Page, output_of, prune, publish, sealed, unwritten
from jobs.registry import FAILED, OK, PARTIAL, JobContext, JobResult, Output
from jobs.reporting import dashboard_page
from jobs.rounds import Round, elsewhere, make_round, note_of_card, nothing_seen
from jobs.run_health import NIGHTLY
from jobs.snapshots import LEAST_AGE, latest_snapshot, write_snapshot
from reports.export import export_markdown
from reports.snapshot import MISSING, Noted, Snapshot
from reports.weekly import verdict, weekly_markdown
from scanner.project import Problem
from scanner.value import replace

LATEST = "latest.md"

_WEEK = re.compile(r"\d{4}-W\d\d")


def weekly(context: JobContext) -> JobResult:
    """One week: nothing is written before all is known, and nothing at all when the run is cancelled.

    Outcomes as those of the nightly job; ``failed`` where neither report nor export could be written. Files,
    in the reports folder: the export of the brain, the report with ``latest.md``, and the dashboard; a
    snapshot in the state folder. The index is left to the nightly job.
    """
    made = make_round(context)
    projects, outside = made.projects, _elsewhere(made)
    if not made.seen.scan.roots and not outside:
        return nothing_seen(made)
    projects = tuple(sorted((*projects, *outside), key=lambda one: one.path))
    slot, now, state = _week(context), context.now, context.settings.state
    before, damaged = latest_snapshot(state, context.job, now, other_than=slot, least_age=LEAST_AGE)
    night, more = latest_snapshot(state, NIGHTLY, now, other_than="")
    picture = take_picture(
        context,
        made,
        projects,
        Earlier(before, night),
        slot=slot,
        missed_weeks=context.missed_slots,
        is_weekly=True,
    )
    context.cancel.check()
    problems = (*made.seen.problems, *picture.problems, *damaged, *more)
    after, outputs, troubles = _Publication(context, picture, before, problems).run()
    problems = (*problems, *troubles)
    errors = sum(problem.level == "error" for problem in problems)
    counts = {
        "projects": len(after.projects),
        **health_counts(picture),
        "errors": errors,
        "warnings": len(problems) - errors,
    }
    outcome = FAILED if not outputs else PARTIAL if errors or context.clock_suspicious else OK
    return JobResult(outcome, counts, outputs, problems, verdict(after, before))


def _week(context: JobContext) -> str:
    """The ISO week of the report: that of the slot, or where the job runs at other times, that of now."""
    if _WEEK.fullmatch(context.slot):
        return context.slot
    year, week, _ = datetime.fromtimestamp(context.now, UTC).isocalendar()
    return f"{year:04d}-W{week:02d}"


def _elsewhere(made: Round) -> tuple[Noted, ...]:
    """Indexed projects outside the roots."""
    known = {one.path for one in made.projects}
    return tuple(
        note_of_card(card, card.status or "unknown")
        for card in elsewhere(made.seen)
        if card.path not in known and card.status != MISSING
    )


# -- files ---------------------------------------------------------------------------------------------------


class _Publication:
    """Writes the files of a week: the export first, for the report names it, the snapshot last."""

    def __init__(
        self,
        context: JobContext,
        picture: Picture,
        before: Snapshot | None,
        problems: tuple[Problem, ...],
    ) -> None:
        self._context = context
        self._picture = picture
        self._before = before
        self._known = problems
        self._troubles: list[Problem] = []
        self._folder = reports_folder(context.surroundings, context.configuration)

    def run(self) -> tuple[Snapshot, tuple[Output, ...], list[Problem]]:
        """The snapshot as it was kept, what was written, and the problems that writing brought."""
        path, exported = self._export()
        problems = (*self._known, *self._troubles)
        after = with_problems(replace(self._picture.snapshot, export=path), problems)
        data = sealed(weekly_markdown(after, self._before))
        page, troubles = dashboard_page(after)
        self._troubles += troubles
        pages = (
            Page(f"{self._context.job}-{after.slot}.md", data),
            Page(LATEST, data, is_latest=True),
            *page,
        )
        try:
            written = publish(self._folder, pages, now=self._context.now)
        except WriteError as error:
            self._troubles.append(unwritten(error, "report-write", "the report could not be written"))
            return after, exported, self._troubles
        return after, (*exported, *written, *self._kept(after)), self._troubles

    def _export(self) -> tuple[str, tuple[Output, ...]]:
        """The export of the brain; where that cannot be made the report says so."""
        brain = locate_brain("", home="", environ={}, override=(self._context.settings.brain, "the index"))
        try:
            archive = with_claims(collect(brain), os.path.realpath(brain.path), (), self._context.now)
        except NoBrainError as error:
            self._troubles.append(Problem("no-brain", "warning", error.path, str(error)))
            return "", ()
        text, _ = export_markdown(archive, self._context.now)
        data = text.encode()
        self._troubles += ours(archive.problems)
        try:
            make_folder(self._folder)
            path = place(self._folder, archive_name(self._context.now), data, replaces=not archive.problems)
        except WriteError as error:
            self._troubles.append(unwritten(error, "export-write", "the export could not be written"))
            return "", ()
        return path, (output_of(path, data),)

    def _kept(self, after: Snapshot) -> tuple[Output, ...]:
        """The snapshot, and old files removed; neither by a clock that is not to be believed."""
        if self._context.clock_suspicious:
            return ()
        weeks = self._context.configuration.reports.keep_weeks
        prune(self._folder, now=self._context.now, weeks=weeks)
        self._troubles += keep_ages(self._picture)
        try:
            return (write_snapshot(self._context.settings.state, after),)
        except WriteError as error:
            self._troubles.append(
                unwritten(error, "snapshot-write", "the next run cannot compare with this one")
            )
            return ()
