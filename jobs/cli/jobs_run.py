"""One run of ``zecher jobs``."""

from __future__ import annotations

from jobs.cli.command import Invocation
from jobs.cli.show import show_problems
from jobs.config import load_configuration
from jobs.errors import CHECKED, DONE, PARTIAL
from jobs.job_status import jobs_status
from jobs.settings import output_settings, read_settings
from reports.document import envelope, to_json
from reports.jobs import JobsStatus, jobs_document, jobs_text
from scanner.project import Problem


def run_jobs(invocation: Invocation) -> int:
    """The exit code of ``zecher jobs``."""
    typed, surroundings, streams = invocation.typed, invocation.surroundings, invocation.streams
    as_json = output_settings(typed, surroundings).format == "json"
    configuration = load_configuration(surroundings, typed.text("config"))
    status = jobs_status(configuration, surroundings, read_settings(typed, surroundings).state)
    problems = _problems(status)
    code = CHECKED if typed.on("check") and status.dead else PARTIAL if problems else DONE
    if as_json:
        document = envelope("jobs", surroundings.now, jobs_document(status), problems, ok=code == DONE)
        streams.result(to_json(document))
        return code
    streams.result(jobs_text(status, surroundings.now))
    show_problems(streams, problems, verbose=True)
    return code


def _problems(status: JobsStatus) -> tuple[Problem, ...]:
    if not status.ledger.unusable:
        return ()
    return (
        Problem(
            "ledger-unreadable",
            "error",
            status.ledger.path,
            status.ledger.unusable,
            status.ledger.fix,
        ),
    )
