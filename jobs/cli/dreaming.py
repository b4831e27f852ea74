"""``zecher memory promote`` and its kin: what recurs in daily notes, for long-term memory."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _where(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the workspace (., else the one configured)")


def _shape(parser: Parser) -> None:
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def _gates(parser: Parser) -> None:
    parser.option("--min-score", metavar="N", help="the score that a claim needs, 0 to 1 (0.75)")
    parser.option("--min-recall-count", metavar="N", help="how often it was looked up (3)")
    parser.option("--min-unique-queries", metavar="N", help="by how many different questions (2)")
    parser.option("--min-days", metavar="N", help="or on how many days it was noted (3)")


def _promote_options(parser: Parser) -> None:
    parser.arguments("ids", "ID", help="with --apply: these proposals and no others")
    _where(parser)
    parser.option("--all", help="every workspace: configured, and among the indexed projects")
    parser.option("--limit", metavar="N", help="so many claims at once (10)")
    _gates(parser)
    parser.option_or_switch("--apply", metavar="ID,ID", help="write them into MEMORY.md; without ids all")
    parser.option("--include-promoted", help="show what was promoted before, too")
    parser.option("--undo", metavar="RUN", help="give MEMORY.md back what it held before that run")
    parser.option("--runs", help="the runs that can be taken back")
    parser.option("--strict", help="exit 3 where there is anything a person should look at")
    _shape(parser)


def _explain_options(parser: Parser) -> None:
    parser.arguments("selector", "SELECTOR", help="an id, or part of an id, a path or the text")
    _where(parser)
    _gates(parser)
    parser.option("--json", help="one document for programs")


def _harness_options(parser: Parser) -> None:
    _where(parser)
    parser.option("--path", metavar="PATH", help="one note, or a folder of them")
    parser.option("--grounded", help="what each note says that may last")
    parser.option("--include-promoted", help="show what was promoted before, too")
    parser.option("--json", help="one document for programs")


def _backfill_options(parser: Parser) -> None:
    _where(parser)
    parser.option("--path", metavar="PATH", help="one note, or a folder of them")
    parser.option("--stage-short-term", help="let what they say pass the gate of recurrence, too")
    parser.option("--rollback", help="take the entries out of DREAMS.md that nobody edited")
    parser.option("--rollback-short-term", help="forget what was staged")
    parser.option("--json", help="one document for programs")


def run_promote(invocation: Invocation) -> int:
    """Show or write; 0 done, 1 failed or no such proposal, 2 usage, 3 findings (--strict), 75 locked."""
    from jobs.cli.dreaming_run import run_promote  # noqa: PLC0415 - start-up: help must not wait for the rules

    return run_promote(invocation)


def run_explain(invocation: Invocation) -> int:
    """Explain the first claim that fits; 0 done, 1 none fits, 2 usage."""
    from jobs.cli.dreaming_run import run_explain  # noqa: PLC0415 - as above

    return run_explain(invocation)


def run_harness(invocation: Invocation) -> int:
    """Look only; 0 done, 1 no daily note there."""
    from jobs.cli.dreaming_backfill_run import run_harness  # noqa: PLC0415 - as above

    return run_harness(invocation)


def run_backfill(invocation: Invocation) -> int:
    """Write the diary; 0 done, 1 no daily note there or it cannot be written, 2 usage, 75 locked."""
    from jobs.cli.dreaming_backfill_run import run_backfill  # noqa: PLC0415 - as above

    return run_backfill(invocation)


COMMANDS = (
    Command(
        "memory promote",
        usage="[--apply [ID...]] [OPTION...]",
        summary="what recurs in daily notes, proposed for MEMORY.md",
        details=(
            "Reads memory/YYYY-MM-DD.md and proposes what was noted on several days, looked\n"
            "up often or marked as to be kept. Shows what nearly passed, with the gate that\n"
            "it failed. Writes nothing but its cache; --apply writes into MEMORY.md, below\n"
            "your text and within a budget, and each run can be taken back. Daily notes are\n"
            "never changed."
        ),
        examples=(
            ("zecher memory promote", "look, and write nothing"),
            ("zecher memory promote --apply 5505f34cccf1", "this one"),
            ("zecher memory promote --all --apply", "all that passed, in every workspace"),
            ("zecher memory promote --undo 20261201T034700Z-1", "not that"),
        ),
        add_options=_promote_options,
        run=run_promote,
    ),
    Command(
        "memory promote-explain",
        usage="SELECTOR [OPTION...]",
        summary="why a claim is (not) proposed: its score, its gates",
        details=(
            "Shows one claim of the daily notes: where it was noted, the six parts of its\n"
            "score, and each gate, by the very verdict that zecher memory promote goes by.\n"
            "Of several that fit the best one. Writes nothing but its cache."
        ),
        examples=(
            ("zecher memory promote-explain 5505f34cccf1", "by its id"),
            ("zecher memory promote-explain 'backup gateway' --json", "by its text"),
        ),
        add_options=_explain_options,
        run=run_explain,
    ),
    Command(
        "memory rem-harness",
        usage="[OPTION...]",
        summary="what dreaming would see: themes, truths, candidates",
        details=(
            "A preview of all that dreaming finds in the notes: what the last week was\n"
            "about, what reads as lasting, what would be proposed and, with --grounded or\n"
            "--path, what each note says that may last. Writes nothing but its cache."
        ),
        examples=(
            ("zecher memory rem-harness", "the workspace here"),
            ("zecher memory rem-harness --path memory/2026-11-28.md", "one note"),
        ),
        add_options=_harness_options,
        run=run_harness,
    ),
    Command(
        "memory rem-backfill",
        usage="--path PATH | --rollback [OPTION...]",
        summary="work notes of the past into the diary, or take that back",
        details=(
            "Writes what notes of the past say that may last into DREAMS.md, an entry a\n"
            "note; again, and it replaces its own. --stage-short-term lets these claims pass\n"
            "the gate of recurrence. Entries that you edited stay, whatever is rolled back."
        ),
        examples=(
            ("zecher memory rem-backfill --path memory", "all notes"),
            ("zecher memory rem-backfill --path memory --stage-short-term", "and stage them"),
            ("zecher memory rem-backfill --rollback", "not that"),
        ),
        add_options=_backfill_options,
        run=run_backfill,
    ),
)
