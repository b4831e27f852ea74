"""``zecher scan``: find, name, date, classify; show it; index what is agreed."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("paths", "PATH", "folders to search (default: the configured roots, else .)")
    parser.option("-d", "--directory", metavar="PATH", repeat=True, help="the same as PATH")
    parser.option("--depth", metavar="N", help="how many folders deep below each root (4)")
    parser.option("--active-days", metavar="N", help="worked on less than N days ago: active (30)")
    parser.option("--paused-days", metavar="N", help="less than N days ago: paused, else archived (180)")
    parser.option("--nested", metavar="WHICH", help="projects inside projects: none, repos or all (none)")
    parser.option("--exclude", metavar="PATTERN", repeat=True, help="folders to leave out, gitignore syntax")
    parser.option("--respect-ignore", help="leave out what the projects' ignore files name")
    parser.option("--unsaved", help="find what exists only here also in a dry run")
    parser.option("--git", help="have the real git say what is changed, hardened (slower)")
    parser.option("--deadline", metavar="SECONDS", help="stop after this time, show what was found")
    parser.option("--no-cache", help="read everything afresh")
    parser.option("-y", "--yes", help="index everything found, ask nothing")
    parser.option("--dry-run", help="say what would be indexed, write nothing")
    parser.option("--whole-disk", help="allow / as a root without asking")
    parser.option("--format", metavar="FORMAT", help="table, tsv, json, md (at a terminal table, else tsv)")
    parser.option("--json", help="--format json: one document, nothing is asked")


def run(invocation: Invocation) -> int:
    """Scan and, where agreed, index; 0 done, 1 failed, 2 needs an answer, 3 done in part, 75 locked."""
    from jobs.cli.scan_run import ScanRun  # noqa: PLC0415 - start-up: help must not wait for the scanner

    return ScanRun(invocation).run()


COMMANDS = (
    Command(
        "scan",
        usage="[PATH...] [OPTION...]",
        summary="find projects, date them, say what is active, index them",
        details=(
            "Finds the projects below each PATH, names their stacks, dates the last work on\n"
            "them and says what is active, paused or archived. Executes and changes nothing\n"
            "in a project. With --yes the result goes into the index of the brain; at a\n"
            "terminal you are asked."
        ),
        examples=(
            ("zecher scan ~/dev --dry-run", "look, and write nothing"),
            ("zecher scan ~/dev ~/work --depth 3 --yes", "index everything below two roots"),
            ("zecher scan --exclude 'archive/' --exclude '*.bak'", "leave folders out"),
            ("zecher scan ~/dev --dry-run --json", "the facts for a program"),
        ),
        add_options=_options,
        run=run,
    ),
)
