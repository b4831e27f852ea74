"""One run of ``zecher run``."""

from __future__ import annotations

import os

from brain.wording import duration
from jobs.cli.command import Invocation
from jobs.cli.show import show_problems
from jobs.errors import DONE, FAILED, LOCKED, PARTIAL, UsageError
from jobs.registry import JOBS, job_named
from jobs.run_ledger import CANCELLED, DONE_STATES, SKIPPED, TRIGGERS
from jobs.run_settings import RunSettings, run_settings
from jobs.runner import NOTHING_DUE, TERMINATED, RunReport, run_job
from jobs.settings import output_settings
from jobs.surroundings import Surroundings
from reports.document import Document, envelope, to_json
from reports.view import safe_display

# The gravest first: what the command ends with when several jobs ended differently.
_GRAVITY = (TERMINATED, FAILED, PARTIAL, LOCKED, DONE)


def run_run(invocation: Invocation) -> int:
    """The exit code of ``zecher run``."""
    typed, surroundings, streams = invocation.typed, invocation.surroundings, invocation.streams
    as_json = output_settings(typed, surroundings).format == "json"
    names = _names(invocation)
    # What a job writes is its owner's alone, whatever the shell or the timer was set to.
    os.umask(0o077)
    settings = run_settings(typed, surroundings)
    names = _on(names, settings, every=typed.on("all"))
    reports: list[RunReport] = []
    for name in names:
        report = run_job(
            name,
            settings,
            trigger=trigger_of(surroundings),
            if_due=typed.on("if_due"),
            force=typed.on("force"),
        )
        reports.append(report)
        if not as_json:
            streams.result(safe_display(line_of(report)) + "\n")
            show_problems(streams, report.problems, verbose=typed.on("verbose"))
        if report.state == CANCELLED or report.stopped:
            break
    codes = [report.exit_code for report in reports]
    if len(reports) < len(names):
        codes.append(TERMINATED)  # whatever became of those before: a signal kept others from running
    code = min(codes, key=_GRAVITY.index)
    if as_json:
        data = _document(reports, every=typed.on("all"))
        problems = tuple(problem for report in reports for problem in report.problems)
        streams.result(to_json(envelope("run", surroundings.now, data, problems, ok=code == DONE)))
    return code


def _on(names: tuple[str, ...], settings: RunSettings, *, every: bool) -> tuple[str, ...]:
    """Of all jobs those that are on; one that was named and is off is refused."""
    if every:
        return tuple(name for name in names if name in settings.schedules)
    for name in names:
        if name not in settings.schedules:
            raise UsageError(
                "job-off",
                f"{name} is off",
                "nobody has asked for it yet",
                f"Turn it on: [{name}] enabled = true in the configuration.",
                path=settings.configuration.path,
            )
    return names


def trigger_of(surroundings: Surroundings) -> str:
    """What started this process: ``ZECHER_TRIGGER``, set by timers, cron lines and the daemon, or a hand."""
    named = surroundings.variable("TRIGGER")
    return named if named in TRIGGERS else "manual"


def _names(invocation: Invocation) -> tuple[str, ...]:
    words = invocation.typed.texts("job")
    if invocation.typed.on("all"):
        if words:
            raise UsageError(
                "run-what", f"--all and {words[0]}", "all jobs, or one of them", "Leave one of them out."
            )
        return tuple(JOBS)
    if len(words) != 1:
        raise UsageError(
            "run-what",
            f"{len(words)} jobs named" if words else "no job named",
            "zecher run takes one job, or --all",
            f"Name one of {', '.join(sorted(JOBS))}.",
        )
    return (job_named(words[0]).name,)


def line_of(report: RunReport) -> str:
    """One line for people: the job, how it ended, for which slot, how long it took."""
    if report.state == NOTHING_DUE:
        return f"{report.job}: nothing is due: {report.message}"
    if report.state == SKIPPED:
        return f"{report.job}: skipped, {report.message}"
    took = "" if report.duration is None else f" in {duration(report.duration)}"
    missed = f", for {report.missed_slots} missed before it as well" if report.missed_slots else ""
    words = f": {report.message}" if report.message else ""
    return f"{report.job}: {report.state} for {report.slot}{took}{missed}{words}"


def _document(reports: list[RunReport], *, every: bool) -> Document:
    """One run as it is; with ``--all`` the gravest of them, and the list of all under ``runs``."""
    documents = [_run_document(report) for report in reports]
    if not every:
        return documents[0]
    gravest = min(range(len(reports)), key=lambda place: _GRAVITY.index(reports[place].exit_code))
    return {**documents[gravest], "runs": documents}


def _run_document(report: RunReport) -> Document:
    result = report.result
    return {
        "job": report.job,
        "slot": report.slot,
        "outcome": report.state if report.state in (*DONE_STATES, SKIPPED, NOTHING_DUE) else "failed",
        "state": report.state,
        "run": report.run or None,
        "outputs": [output.path for output in result.outputs] if result else [],
        "counts": dict(result.counts) if result else {},
        "missed_slots": report.missed_slots,
        "duration_s": None if report.duration is None else round(report.duration, 3),
        "message": report.message,
    }
