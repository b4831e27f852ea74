"""``zecher projects``: the index as it stands, and the projects that are skipped."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option(
        "--status", metavar="STATUS", repeat=True, help="active, paused, archived, unknown or missing"
    )
    parser.option("--stack", metavar="STACK", repeat=True, help="with this stack among its labels")
    parser.option("--flag", metavar="FLAG", repeat=True, help="with this flag, for example no-remote")
    parser.option("--sort", metavar="KEY", help="path, name, status, stack or idle (path)")
    parser.option("--skipped", help="list the projects that you said to skip")
    parser.option("--unskip", metavar="PATH", repeat=True, help="skip this project no longer")
    parser.option("--format", metavar="FORMAT", help="table, tsv, json, md (at a terminal table, else tsv)")
    parser.option("--json", help="--format json")


def run(invocation: Invocation) -> int:
    """Show the index or the skips; 0 done, 1 failed, 2 usage, 3 when some cards could not be read."""
    from jobs.cli.projects_run import run_projects  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_projects(invocation)


COMMANDS = (
    Command(
        "projects",
        usage="[OPTION...]",
        summary="the index as it stands",
        details="Shows the index of the brain as the last scan left it. Reads no project.",
        examples=(
            ("zecher projects", "all of them"),
            ("zecher projects --status active --sort idle", "what is being worked on, newest first"),
            ("zecher projects --stack Python --json", "for a program"),
            ("zecher projects --unskip ~/dev/toy", "take back a skip"),
        ),
        add_options=_options,
        run=run,
    ),
)
