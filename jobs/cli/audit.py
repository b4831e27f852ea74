"""``zecher memory audit``: what was asked of the memory, and what was found."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("--limit", metavar="N", help="the last N calls (20)")
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Show the last calls; 0 done, 2 usage."""
    from jobs.cli.audit_run import run_audit  # noqa: PLC0415 - start-up: help must not wait for it

    return run_audit(invocation)


COMMANDS = (
    Command(
        "memory audit",
        usage="[OPTION...]",
        summary="what was asked of the memory, and what was found",
        details=(
            "Shows the log of questions to the memory, by commands and by assistants, the\n"
            "last one at the bottom: when, by whom, what, how many results, the best score\n"
            "and where the first stand. It lies in the state folder, is read by nobody else,\n"
            "is bounded by size and age, and holds no secrets. [memory] audit = false in the\n"
            "configuration switches it off. Changes nothing."
        ),
        examples=(
            ("zecher memory audit", "the last 20"),
            ("zecher memory audit --limit 500 --json", "for a program"),
        ),
        add_options=_options,
        run=run,
    ),
)
