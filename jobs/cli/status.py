"""``zecher status``: what there is, what exists only on this machine, what needs you."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("--check", help="exit with 10 when something exists only here")
    parser.option("--git", help="have the real git say what is changed, hardened (slower)")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Show the state; 0 done, 1 failed, 2 usage, 3 done in part, 10 with --check when work is at risk."""
    from jobs.cli.status_run import run_status  # noqa: PLC0415 - start-up: help must not wait for the scanner

    return run_status(invocation)


COMMANDS = (
    Command(
        "status",
        usage="[OPTION...]",
        summary="what exists only here, what needs you",
        details=(
            "Looks at the configured roots, or at the projects of the index where no root is\n"
            "configured: how many are active, paused and archived, what exists only on this\n"
            "machine, and what needs you, the gravest first. Executes and changes nothing."
        ),
        examples=(
            ("zecher status", "the state in at most twelve lines"),
            ("zecher status -v", "every project at risk, every command that saves it"),
            ("zecher status --check --quiet", "for a script: exit code 10 when work is at risk"),
            ("zecher status --json", "the facts for a program"),
        ),
        add_options=_options,
        run=run,
    ),
)
