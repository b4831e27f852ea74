"""``zecher memory``: the memory of a project and the brain that belongs to it."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser

# The fields of an entry that can be given, with what belongs into them; each fits one kind or several.
FIELDS: tuple[tuple[str, str], ...] = (
    ("context", "decision, lesson: what led to it"),
    ("decision", "decision: what was chosen"),
    ("rationale", "decision: why this and nothing else"),
    ("rejected", "decision: what was considered and left"),
    ("consequences", "decision: what follows"),
    ("impact", "lesson: what it cost"),
    ("lesson", "lesson: the rule for next time"),
    ("problem", "pattern: what it solves"),
    ("shape", "pattern: how it is built"),
    ("trade-off", "pattern: what it costs"),
    ("status", "decision (active), pattern (candidate)"),
)


def _directory(parser: Parser, *, around: bool = False) -> None:
    standard = "the one around this folder" if around else "."
    parser.option("-d", "--directory", metavar="PATH", help=f"the project ({standard})")


def _status_options(parser: Parser) -> None:
    _directory(parser, around=True)
    parser.option("--fix", help="say what of the state of dreaming could be mended")
    parser.option("--apply", help="with --fix: mend it; never a note")
    parser.option("--yes", help="with --apply: forget workspaces that are gone, without asking")
    parser.option("--json", help="one document for programs")


def _check_options(parser: Parser) -> None:
    _directory(parser, around=True)
    parser.option("--all", help="every project of the portfolio, and the brain")
    parser.option("--fail-on", metavar="LEVEL", help="exit 10 where one is as grave: error, warning, info")
    parser.option("--no-cache", help="judge all afresh, and leave nothing for next time")
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def _consolidate_options(parser: Parser) -> None:
    _directory(parser)
    parser.option("--all", help="every project of the index, and the brain; what several learned, too")
    parser.option("--global", help="the global brain")
    parser.option("--ask", help="show each proposal and ask about it")
    parser.option("--apply", metavar="ID,ID", repeat=True, help="carry these out and nothing else")
    parser.option("--dry-run", help="write nothing; with --apply, say what would be done")
    parser.option("--undo", metavar="RUN", help="give the files back what they held before that run")
    parser.option("--runs", help="the runs that can be taken back")
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def _init_options(parser: Parser) -> None:
    _directory(parser)
    parser.option("--user", metavar="NAME", help="your name, for a new identity of the brain")
    parser.option("--language", metavar="WORD", help="the language you want to be spoken to in")
    parser.option("--dry-run", help="say what would be created, write nothing")
    parser.option("--json", help="one document for programs")


def _add_options(parser: Parser) -> None:
    parser.arguments("words", "KIND TITLE", "decision, lesson or pattern, and what it is called")
    _directory(parser, around=True)
    for name, text in FIELDS:
        parser.option(f"--{name}", metavar="TEXT", help=text)
    parser.option("--json", help="one document for programs")


def _export_options(parser: Parser) -> None:
    _directory(parser)
    parser.option("--output", metavar="PATH", help="a file, or the folder for it (the project)")
    parser.option("--no-redact", help="leave secrets in the archive as they are")
    parser.option("--json", help="one document for programs")


def run_status(invocation: Invocation) -> int:
    """Show the state of project memory and brain; 0 done, 1 no such project."""
    from jobs.cli.memory_run import run_status  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_status(invocation)


def run_check(invocation: Invocation) -> int:
    """Show what is wrong; 0 done, 1 no such project, 3 some could not be examined, 10 as grave as asked."""
    from jobs.cli.memory_check_run import run_check  # noqa: PLC0415 - as above

    return run_check(invocation)


def run_consolidate(invocation: Invocation) -> int:
    """Bring notes into order; 0 done, 1 refused, 2 nobody can be asked, 3 some cannot be read, 75 locked."""
    from jobs.cli.memory_consolidate_run import run_consolidate  # noqa: PLC0415 - as above

    return run_consolidate(invocation)


def run_init(invocation: Invocation) -> int:
    """Create what is missing; 0 done, 1 the project's part could not be made."""
    from jobs.cli.memory_run import run_init  # noqa: PLC0415 - as above

    return run_init(invocation)


def run_add(invocation: Invocation) -> int:
    """Add one entry; 0 done, 1 it is there already or cannot be written, 2 usage, 75 locked."""
    from jobs.cli.memory_run import run_add  # noqa: PLC0415 - as above

    return run_add(invocation)


def run_export(invocation: Invocation) -> int:
    """Write the archive; 0 done, 1 there is no brain, 3 parts of it could not be read."""
    from jobs.cli.memory_run import run_export  # noqa: PLC0415 - as above

    return run_export(invocation)


COMMANDS = (
    Command(
        "memory status",
        usage="[OPTION...]",
        summary="what is there, what is valid, which brain is linked",
        details=(
            "Shows the memory of a project (.agents/memory) and the brain that belongs to\n"
            "it: what exists, what is valid, BMAD+'s own percentage and, beside it, how\n"
            "healthy both are (zecher memory check tells why), and the state of the search\n"
            "index. Writes nothing, but mends an index that is damaged. --fix lists damaged\n"
            "lines of what dreaming remembers and workspaces that are gone; --fix --apply\n"
            "puts them aside."
        ),
        examples=(
            ("zecher memory status", "the project in this folder"),
            ("zecher memory status -d ~/dev/shop --json", "for a program"),
            ("zecher memory status --fix", "what could be mended, and no more"),
        ),
        add_options=_status_options,
        run=run_status,
    ),
    Command(
        "memory check",
        usage="[OPTION...]",
        summary="what is wrong with it, where, and how to mend it",
        details=(
            "Checks the memory of a project: handover files, decisions, lessons, ledgers,\n"
            "instruction files. Each finding has a code, a place and a remedy; zecher explain\n"
            "CODE tells more, zecher ack CODE silences. Writes nothing but its cache."
        ),
        examples=(
            ("zecher memory check", "the project in this folder"),
            ("zecher memory check --all", "the whole portfolio and the brain"),
            ("zecher memory check --fail-on error", "for a hook or a pipeline"),
        ),
        add_options=_check_options,
        run=run_check,
    ),
    Command(
        "memory consolidate",
        usage="[OPTION...]",
        summary="merge duplicates, archive what is over, promote what returns",
        details=(
            "Looks at decisions, lessons, patterns and proposes, each with an id: to merge\n"
            "duplicates into the richest, to archive what was superseded, to review what is\n"
            "active for 90 days, and (--all) to add to the brain what several projects\n"
            "learned. Writes nothing; only what you approve is done. Nothing is deleted: an\n"
            "archived entry goes to the end of its file, and each run can be taken back."
        ),
        examples=(
            ("zecher memory consolidate", "what there is"),
            ("zecher memory consolidate --all --ask", "decide on each"),
            ("zecher memory consolidate --apply merge-1f0c9a77d2", "this one"),
            ("zecher memory consolidate --undo 20261130T031704Z-1", "not that"),
        ),
        add_options=_consolidate_options,
        run=run_consolidate,
    ),
    Command(
        "memory init",
        usage="[OPTION...]",
        summary="create what is missing, touch nothing that exists",
        details=(
            "Creates the memory of a project (decisions, lessons, patterns, context,\n"
            "sessions, the record of its brain) and the global brain, each file only where\n"
            "it is missing. A brain of another kind is linked and never written."
        ),
        examples=(
            ("zecher memory init --dry-run", "look, and write nothing"),
            ("zecher memory init -d ~/dev/shop", "for another project"),
        ),
        add_options=_init_options,
        run=run_init,
    ),
    Command(
        "memory add",
        usage="decision|lesson|pattern TITLE [OPTION...]",
        summary="add a decision, a lesson or a pattern",
        details=(
            "Adds one entry with today's date (UTC) to the project's memory. Everything else\n"
            "in the file stays as it is. An entry of the same title and date is not added\n"
            "twice."
        ),
        examples=(
            (
                "zecher memory add decision 'Use SQLite' --rationale 'One file'",
                "a choice",
            ),
            ("zecher memory add lesson 'Pin clocks' --lesson 'Pass now in'", "a rule"),
        ),
        add_options=_add_options,
        run=run_add,
    ),
    Command(
        "memory export",
        usage="[OPTION...]",
        summary="write the brain into one portable Markdown file",
        details=(
            "Writes bmad-brain-export-DATE.md into the project: the brain that belongs to\n"
            "it, its index, summaries of the ledgers. Secrets are replaced and counted. A\n"
            "file of the same day is replaced only if zecher wrote it."
        ),
        examples=(
            ("zecher memory export", "into this project"),
            ("zecher memory export --output ~/archive", "into another folder"),
        ),
        add_options=_export_options,
        run=run_export,
    ),
)
