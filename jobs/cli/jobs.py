"""``zecher jobs``: does the nightly work, and when is it due."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("--check", help="exit with 10 when a job is more than two periods late or never ran")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Show how the jobs stand; 0 done, 2 usage, 3 ledger unreadable, 10 with --check when one is dead."""
    from jobs.cli.jobs_run import run_jobs  # noqa: PLC0415 - start-up: help must not wait for the jobs

    return run_jobs(invocation)


COMMANDS = (
    Command(
        "jobs",
        usage="[OPTION...]",
        summary="last run, outcome and next slot of every job",
        details=(
            "For every job: how its last run ended and when, how long it took against its\n"
            "median, when it is due next, how late it is and what was missed; then what\n"
            "starts the jobs and whether that is alive, what the last run was kept from by\n"
            "its sandbox, and the health of the record of runs. Changes nothing."
        ),
        examples=(
            ("zecher jobs", "one look tells whether it works"),
            ("zecher jobs --check --quiet", "for a script: exit code 10 when a job is dead"),
            ("zecher jobs --json", "the facts for a program"),
        ),
        add_options=_options,
        run=run,
    ),
)
