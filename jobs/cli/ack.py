"""``zecher ack``: be silent about findings that a person knows."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("words", "CODE [PROJECT]", "the code of a finding; a project by name or path (all)")
    parser.option("--until", metavar="DATE", help="the last day of the silence, as 2026-12-31 (no end)")
    parser.option("--reason", metavar="TEXT", help="why, for whoever asks later")
    parser.option("--remove", help="take the silence back")
    parser.option("--list", help="show all silences and write nothing")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Silence a finding, or take that back; 0 done, 1 it cannot be written, 2 usage."""
    from jobs.cli.ack_run import run_ack  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_ack(invocation)


COMMANDS = (
    Command(
        "ack",
        usage="CODE [PROJECT] [OPTION...]",
        summary="be silent about a finding, for one project or for all",
        details=(
            "Silences the findings of one code: they are counted, and shown no more. With a\n"
            "project only there, without one everywhere. So is unsaved work (dirty, stash,\n"
            "no-remote, ...), of one project only: it is no longer among what needs you. A\n"
            "silence with a last day ends by itself. Nothing is written into the project."
        ),
        examples=(
            ("zecher ack p-goal shop --until 2026-12-31", "not now"),
            ("zecher ack d-constraint --reason 'too strict'", "nowhere"),
            ("zecher ack no-remote old-site", "it shall stay on this machine"),
            ("zecher ack --list", "what is silenced"),
            ("zecher ack --remove p-goal shop", "tell me again"),
        ),
        add_options=_options,
        run=run,
    ),
)
