"""``zecher run``: one run of a job, in this process."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("job", "JOB", help="nightly, weekly or dreaming")
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
            "Runs nightly (scan, index, report), weekly (memory, report, export) or dreaming\n"
            "(proposals for MEMORY.md; once it is turned on) in this process, if the newest\n"
            "slot of its schedule is not done yet. Whoever else asks for it meanwhile, by\n"
            "hand or by schedule, is told so and leaves with 75. How it ended stands in the\n"
            "ledger, which zecher jobs shows."
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
