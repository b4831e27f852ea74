"""``zecher run``: one run of a job, in this process."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("job", "JOB", help="nightly or weekly")
    parser.option("--if-due", help="only if its slot is open, with a pause after failures")
    parser.option("--force", help="even if its slot is done")
    parser.option("--all", help="every job, one after the other")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Run the job; 0 done or nothing due, 1 failed, 2 usage, 3 in part, 75 locked, 143 ended by a signal."""
    from jobs.cli.run_run import run_run  # noqa: PLC0415 - start-up: help must not wait for the jobs

    return run_run(invocation)


COMMANDS = (
    Command(
        "run",
        usage="JOB [OPTION...]",
        summary="run a job now, once a slot",
        details=(
            "Runs nightly (scan, index, report) or weekly (memory, report, export) in this\n"
            "process, if the newest slot of its schedule is not done yet. Whoever else\n"
            "asks for it meanwhile, by hand or by schedule, is told so and leaves with 75.\n"
            "How it ended stands in the ledger, which zecher jobs shows."
        ),
        examples=(
            ("zecher run nightly", "the run of last night, if it is still missing"),
            ("zecher run nightly --force", "once more, whatever the ledger says"),
            ("zecher run --if-due --all", "what timers and cron lines call"),
        ),
        add_options=_options,
        run=run,
    ),
)
