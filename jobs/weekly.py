"""The weekly job: the health of every memory, the report of the week with its deltas, and the export."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from brain.archive import NoBrainError, archive_name, collect, place
from brain.files.atomic import make_folder
from brain.files.errors import WriteError
from brain.locate import Brain, global_brain, locate_brain
from brain.memory_status.brain_part import brain_status
from brain.memory_status.project_part import project_status
from jobs import __version__
from jobs.problems import ours
from jobs.publishing import Page, output_of, prune, publish, sealed, unwritten
from jobs.registry import OK, PARTIAL, JobContext, JobResult, Output, schedules
from jobs.rounds import Round, make_round, note_of_card, nothing_seen
from jobs.run_ledger import DONE_STATES, START, LedgerError, Run, RunLedger, read_runs
from jobs.schedule.slots import instant, newest_slot, next_slot
from jobs.settings import reports_folder
from jobs.snapshots import latest_snapshot, write_snapshot
from reports.changes import changes_between
from reports.export import export_markdown
from reports.snapshot import MISSING, Noted, RunHealth, Snapshot
from reports.weekly import Memory, WeeklyReport, verdict, weekly_markdown, weeks_of_actions
from scanner.project import Problem
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.memory_status.values import Check, Score

LATEST = "latest.md"
NIGHTLY = "nightly"

# Younger than that a snapshot tells of this week, not of the last one.
LEAST_AGE = 5 * 86_400.0

_WEEK = re.compile(r"\d{4}-W\d\d")
_NIGHTS = 7


def weekly(context: JobContext) -> JobResult:
    """One week: nothing is written before all is known, and nothing at all when the run is cancelled.

    Outcomes as those of the nightly job. Files, in the reports folder: the export of the brain, and the
    report with ``latest.md``; a snapshot in the state folder. The index is left to the nightly job.
    """
    made = make_round(context)
    projects, elsewhere = made.projects, _elsewhere(made)
    if not made.seen.scan.roots and not elsewhere:
        return nothing_seen(made)
    projects = tuple(sorted((*projects, *elsewhere), key=lambda one: one.path))
    look = _Look(context)
    memories = look.memories(projects)
    before, damaged = latest_snapshot(
        context.settings.state, context.job, context.now, other_than=_week(context), least_age=LEAST_AGE
    )
    after = Snapshot(
        job=context.job,
        slot=_week(context),
        taken=context.now,
        thresholds=made.seen.scan.thresholds,
        projects=tuple(replace(one, memory=_score(memories.get(one.path))) for one in projects),
        brain=_score(look.brain),
        actions=weeks_of_actions(made.shown, {one.path: one.id for one in projects}, before),
    )
    runs, troubles = _run_health(context)
    report = WeeklyReport(
        now=after,
        before=before,
        changes=changes_between(before, after) if before is not None else None,
        projects=made.shown,
        memories=memories,
        brain=look.brain,
        brain_path=context.settings.brain,
        home=context.settings.home,
        version=__version__,
        runs=runs,
        problems=(*made.seen.problems, *look.problems, *damaged, *troubles),
        clock_suspicious=context.clock_suspicious,
    )
    context.cancel.check()
    report, outputs = _Publication(context, report).run()
    return _result(report, outputs)


def _result(report: WeeklyReport, outputs: tuple[Output, ...]) -> JobResult:
    errors = sum(problem.level == "error" for problem in report.problems)
    counts = {
        "projects": len(report.now.projects),
        "memories": len(report.memories),
        "checks": sum(memory.total for memory in (report.brain, *report.memories.values())),
        "passed": sum(memory.passed for memory in (report.brain, *report.memories.values())),
        "actions": len(report.now.actions),
        "errors": errors,
        "warnings": len(report.problems) - errors,
    }
    outcome = PARTIAL if errors or report.clock_suspicious else OK
    return JobResult(outcome, counts, outputs, report.problems, verdict(report))


def _week(context: JobContext) -> str:
    """The ISO week of the report: that of the slot, or where the job runs at other times, that of now."""
    if _WEEK.fullmatch(context.slot):
        return context.slot
    year, week, _ = datetime.fromtimestamp(context.now, UTC).isocalendar()
    return f"{year:04d}-W{week:02d}"


def _elsewhere(made: Round) -> tuple[Noted, ...]:
    """Indexed projects that are there, but that the scan did not see: they lie outside the roots."""
    known = {one.path for one in made.projects} | set(made.seen.skips.paths)
    known |= {change.old_path for change in made.seen.changes if change.old_path}
    return tuple(
        note_of_card(card, card.status or "unknown")
        for card in made.seen.portfolio.cards
        if card.path not in known and card.status != MISSING and os.path.isdir(card.path)
    )


def _score(memory: Memory | None) -> tuple[int, int] | None:
    return None if memory is None else (memory.passed, memory.total)


# -- memory --------------------------------------------------------------------------------------------------


class _Look:
    """Looks at the memory of each project and at the brain; what fails becomes a problem."""

    def __init__(self, context: JobContext) -> None:
        self.problems: list[Problem] = []
        self._context = context
        path = context.settings.brain
        # The brain that holds the index is named: no rule may lead to another one.
        self._named = (path, "the index")
        self.brain = self._brain(locate_brain(path, home="", environ={}, override=self._named))

    def memories(self, projects: Sequence[Noted]) -> dict[str, Memory]:
        """The memory of each project that has one, by path."""
        found: dict[str, Memory] = {}
        for one in projects:
            self._context.cancel.check()
            if one.status == MISSING:
                continue
            try:
                status = project_status(one.path, self._brain_of(one.path), now=self._context.now)
            except Exception as error:  # noqa: BLE001 - one project never stops the rest
                self.problems.append(_failed(one.path, error))
                continue
            if status.present:
                found[one.path] = _memory(status.ours, status.checks)
        return found

    def _brain_of(self, project: str) -> Brain:
        """The brain of one project: by the five rules, unless another one was named for all."""
        surroundings, path = self._context.surroundings, self._context.settings.brain
        named = self._context.configuration.brain or path != global_brain(surroundings.home)
        return locate_brain(
            project,
            home=surroundings.home,
            environ=surroundings.environ,
            override=self._named if named else None,
        )

    def _brain(self, brain: Brain) -> Memory:
        status = brain_status(brain)
        return _memory(status.ours, status.checks)


def _memory(score: Score, checks: Sequence[Check]) -> Memory:
    failed = next((f"{check.name}: {check.why}" for check in checks if not check.ok), "")
    return Memory(score.passed, score.total, failed)


def _failed(path: str, error: Exception) -> Problem:
    return Problem(
        "project-failed",
        "error",
        path,
        f"its memory could not be looked at: {type(error).__name__}: {error}",
        "This is a mistake in Zecher: please report it.",
    )


# -- runs ----------------------------------------------------------------------------------------------------


def _run_health(context: JobContext) -> tuple[RunHealth, list[Problem]]:
    try:
        ledger = read_runs(context.settings.state)
    except LedgerError as error:
        problem = Problem("ledger-unreadable", "warning", error.path, str(error), "Run `zecher doctor`.")
        return RunHealth(missed_weeks=context.missed_slots), [problem]
    schedule = schedules(context.configuration)[NIGHTLY]
    nights = _nights(ledger, context)
    tried = [run for _, runs in nights for run in runs]
    lasted = [run.duration for run in tried if run.duration is not None]
    last = ledger.last_ok(NIGHTLY)
    return (
        RunHealth(
            nights=tuple((slot, _state(runs)) for slot, runs in nights),
            median=ledger.median_duration(NIGHTLY),
            longest=max(lasted, default=None),
            counts=_counts(last.counts) if last is not None else {},
            errors=tuple((run.slot, run.error) for run in tried if run.error),
            next_run=instant(next_slot(schedule, context.now, NIGHTLY), schedule),
            missed_weeks=context.missed_slots,
            damaged=ledger.damaged,
        ),
        [],
    )


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    words = {"scanned": "projects", "skipped": "skipped", "errors": "errors"}
    return {word: counts.get(key, 0) for word, key in words.items()}


def _nights(ledger: RunLedger, context: JobContext) -> list[tuple[str, tuple[Run, ...]]]:
    """The last seven nights, oldest first, with their runs; none from before the first run that is known."""
    first = min((run.start for run in ledger.of(NIGHTLY)), default=None)
    if first is None:
        return []
    schedule = schedules(context.configuration)[NIGHTLY]
    slot = newest_slot(schedule, context.now, NIGHTLY)
    found = []
    for _ in range(_NIGHTS):
        found.append((slot.id, ledger.attempts(NIGHTLY, slot.id)))
        begin = instant(slot, schedule)
        if first >= begin:
            break
        slot = newest_slot(schedule, begin - 1, NIGHTLY)
    return found[::-1]


def _state(runs: Sequence[Run]) -> str:
    """How a night went: by its run that was done, else by the last one that ended."""
    done = next((run.state for run in reversed(runs) if run.state in DONE_STATES), "")
    if done:
        return done
    return "failed" if any(run.state != START for run in runs) else "none"


# -- files ---------------------------------------------------------------------------------------------------


class _Publication:
    """Writes the files of a week: the export first, for the report names it, the snapshot last."""

    def __init__(self, context: JobContext, report: WeeklyReport) -> None:
        self._context = context
        self._report = report
        self._folder = reports_folder(context.surroundings, context.configuration)

    def run(self) -> tuple[WeeklyReport, tuple[Output, ...]]:
        """The report with the problems that writing added, and what was written."""
        exported = self._export()
        week = self._report.now.slot
        data = sealed(weekly_markdown(self._report))
        pages = (Page(f"{self._context.job}-{week}.md", data), Page(LATEST, data, is_latest=True))
        try:
            written = publish(self._folder, pages, now=self._context.now)
        except WriteError as error:
            self._add(unwritten(error, "report-write", "the report could not be written"))
            return self._report, exported
        kept = self._snapshot()
        return self._report, (*exported, *written, *kept)

    def _export(self) -> tuple[Output, ...]:
        """The export of the brain; where that cannot be made the report says so."""
        brain = locate_brain("", home="", environ={}, override=(self._context.settings.brain, "the index"))
        try:
            archive = collect(brain)
        except NoBrainError as error:
            self._add(Problem("no-brain", "warning", error.path, str(error)))
            return ()
        text, _ = export_markdown(archive, self._context.now)
        data = text.encode()
        self._add(*ours(archive.problems))
        try:
            make_folder(self._folder)
            path = place(self._folder, archive_name(self._context.now), data, replaces=not archive.problems)
        except WriteError as error:
            self._add(unwritten(error, "export-write", "the export could not be written"))
            return ()
        self._report = replace(self._report, export=path)
        return (output_of(path, data),)

    def _snapshot(self) -> tuple[Output, ...]:
        """The snapshot, and old files removed; neither by a clock that is not to be believed."""
        if self._context.clock_suspicious:
            return ()
        weeks = self._context.configuration.reports.keep_weeks
        prune(self._folder, now=self._context.now, weeks=weeks)
        try:
            return (write_snapshot(self._context.settings.state, self._report.now),)
        except WriteError as error:
            self._add(unwritten(error, "snapshot-write", "the next run cannot compare with this one"))
            return ()

    def _add(self, *problems: Problem) -> None:
        self._report = replace(self._report, problems=(*self._report.problems, *problems))
