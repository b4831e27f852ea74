"""``zecher loops``: what is open, when it is due, and what a person says of it."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _places(parser: Parser) -> None:
    parser.option("--project", metavar="NAME", help="the indexed project of that name (all of them)")
    parser.option("-d", "--directory", metavar="PATH", help="the project in this folder")


def _list_options(parser: Parser) -> None:
    parser.option("--due", help="only what is overdue, or due within a week")
    parser.option("--all", help="also what is done or snoozed")
    _places(parser)
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def _change_options(parser: Parser) -> None:
    parser.arguments("ids", "ID...", "the ids of loops, or their beginnings where those fit one only")
    _places(parser)
    parser.option("--json", help="one document for programs")


def _snooze_options(parser: Parser) -> None:
    parser.option("--until", metavar="WHEN", help="the day of its return, as 2026-12-31, 7d or 2w")
    _change_options(parser)


def run_list(invocation: Invocation) -> int:
    """Show loops; 0 done, 2 usage, 3 some projects could not be read."""
    from jobs.cli.loops_run import run_list  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_list(invocation)


def run_done(invocation: Invocation) -> int:
    """Close loops; 0 done, 1 an id that nobody knows or it cannot be written, 2 usage, 75 locked."""
    from jobs.cli.loops_run import run_done  # noqa: PLC0415 - as above

    return run_done(invocation)


def run_snooze(invocation: Invocation) -> int:
    """Put loops off; exit codes as above."""
    from jobs.cli.loops_run import run_snooze  # noqa: PLC0415 - as above

    return run_snooze(invocation)


def run_reopen(invocation: Invocation) -> int:
    """Take back what was said of loops; exit codes as above."""
    from jobs.cli.loops_run import run_reopen  # noqa: PLC0415 - as above

    return run_reopen(invocation)


COMMANDS = (
    Command(
        "loops list",
        usage="[OPTION...]",
        summary="what is open in the memories, and when it is due",
        details=(
            "Lists what the files of all projects say is open: items - [ ] with a day (due:, bis:,\n"
            "@2026-12-01), lines labelled Open loop, Follow-up or Waiting for, restrictions with an\n"
            "end, blockers and open questions of handovers; overdue first. Nothing is guessed, no\n"
            "file is changed. What is due within a week counts as due."
        ),
        examples=(
            ("zecher loops", "all projects, what is overdue first"),
            ("zecher loops --due", "what wants you now"),
            ("zecher loops list --project shop --json", "of one project, for a program"),
        ),
        add_options=_list_options,
        run=run_list,
    ),
    Command(
        "loops done",
        usage="ID... [OPTION...]",
        summary="close loops without touching their files",
        details=(
            "Remembers that they are done. They stay so while their words and their day are the\n"
            "same; a text that changes is a new loop."
        ),
        examples=(
            ("zecher loops done d25d1303", "it is done"),
            ("zecher loops done d25 7b7", "two of them, by the beginnings of their ids"),
        ),
        add_options=_change_options,
        run=run_done,
    ),
    Command(
        "loops snooze",
        usage="ID... --until WHEN [OPTION...]",
        summary="put loops off until a day",
        details="They return on that day, with the state that they have then.",
        examples=(
            ("zecher loops snooze d25d1303 --until 2w", "in two weeks"),
            ("zecher loops snooze d25d1303 --until 2026-12-31", "on that day"),
        ),
        add_options=_snooze_options,
        run=run_snooze,
    ),
    Command(
        "loops reopen",
        usage="ID... [OPTION...]",
        summary="take back done or snooze",
        details="Forgets what was said of them: they stand as their files say.",
        examples=(
            ("zecher loops reopen d25d1303", "it is open again"),
            ("zecher loops list --all", "the ids of those that are done"),
        ),
        add_options=_change_options,
        run=run_reopen,
    ),
)
