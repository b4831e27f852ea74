"""``zecher memory search``, ``get`` and ``index``: finding what the memory holds."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _directory(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the project (the one around this folder)")


def _search_options(parser: Parser) -> None:
    parser.arguments("words", "QUERY", "what is looked for, in words; a part in quotes is a phrase")
    _directory(parser)
    parser.option("--scope", metavar="SCOPE", help="project, portfolio or brain (project)")
    parser.option("--class", metavar="CLASS", help="only memory, decision, doc, event or handover")
    parser.option("--limit", metavar="N", help="at most N results, 1 to 100 (20)")
    parser.option("--since", metavar="DATE", help="only what is dated, from this day on (YYYY-MM-DD)")
    parser.option("--min-coverage", metavar="0-1", help="the share of the question it must hold (0.15)")
    parser.option("--explain", help="why each word matched")
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def _get_options(parser: Parser) -> None:
    parser.arguments("files", "FILE", "a file of the memory, also as FILE:LINE")
    _directory(parser)
    parser.option("--from", metavar="N", help="the first line (1)")
    parser.option("--lines", metavar="M", help="how many lines (120)")
    parser.option("--json", help="one document for programs")


def _index_options(parser: Parser) -> None:
    _directory(parser)
    parser.option("--force", help="make it anew")
    parser.option("--json", help="one document for programs")


def run_search(invocation: Invocation) -> int:
    """Search; 0 done, also when nothing was found, 2 usage."""
    from jobs.cli.search_run import run_search  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_search(invocation)


def run_get(invocation: Invocation) -> int:
    """Show a part of a file; 0 done, 1 it is not there or no part of the memory, 2 usage."""
    from jobs.cli.search_run import run_get  # noqa: PLC0415 - as above

    return run_get(invocation)


def run_index(invocation: Invocation) -> int:
    """Bring the index up to date; 0 done, 1 it cannot be kept, 3 some files could not be read."""
    from jobs.cli.search_run import run_index  # noqa: PLC0415 - as above

    return run_index(invocation)


COMMANDS = (
    Command(
        "memory search",
        usage="QUERY [OPTION...]",
        summary="find what was written about something, with file and line",
        details=(
            "Finds the notes that answer a question, the best first: decisions, lessons,\n"
            "progress, sessions, daily notes, journal, what was remembered. Words match in\n"
            "any form, as parts of compounds and with a typing error, in German, English and\n"
            "French. What holds less than 30 per cent of the question is marked as of low\n"
            "confidence, less than 15 per cent is left out. Writes its cache, the log of questions."
        ),
        examples=(
            ("zecher memory search 'Login Token abgelaufen'", "in this project"),
            ("zecher memory search backups --scope portfolio --since 2026-01-01", "everywhere"),
            ("zecher memory search classifyByAge --class decision --json", "for a program"),
        ),
        add_options=_search_options,
        run=run_search,
    ),
    Command(
        "memory get",
        usage="FILE [OPTION...]",
        summary="show a part of a file of the memory",
        details=(
            "Shows lines of a file that belongs to the memory of a project or to a brain, at\n"
            "most 120 lines and 12,000 characters unless more lines are asked for, and where\n"
            "it goes on. Nothing else is shown: no other file, nothing behind a link."
        ),
        examples=(
            ("zecher memory get .agents/memory/decisions.md", "from the top"),
            ("zecher memory get PROGRESS.md:40", "from where a search found it"),
            ("zecher memory get MEMORY.md --from 121 --lines 40", "a part"),
        ),
        add_options=_get_options,
        run=run_get,
    ),
    Command(
        "memory index",
        usage="[OPTION...]",
        summary="bring the search index up to date, or make it anew",
        details=(
            "Reads what changed in the memories of all indexed projects, of this one and of\n"
            "the brains, checks the index and mends it. The nightly job does the same, and\n"
            "each search does as much as is quick. The index lies in the cache folder:\n"
            "deleting it loses nothing."
        ),
        examples=(
            ("zecher memory index", "what changed"),
            ("zecher memory index --force", "all of it"),
        ),
        add_options=_index_options,
        run=run_index,
    ),
)
