"""``zecher explain``: why a folder is, or is not, a project; what a code means and how to mend it."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("subject", "PATH|CODE", "a folder, or a code from an error or a report")
    parser.option(
        "-d", "--directory", metavar="ROOT", repeat=True, help="search from here (the configured roots)"
    )
    parser.option("--depth", metavar="N", help="how many folders deep below the root (4)")
    parser.option("--active-days", metavar="N", help="as in zecher scan")
    parser.option("--paused-days", metavar="N", help="as in zecher scan")
    parser.option("--nested", metavar="WHICH", help="as in zecher scan")
    parser.option("--exclude", metavar="PATTERN", repeat=True, help="as in zecher scan")
    parser.option("--respect-ignore", help="as in zecher scan")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Explain a path or a code; 0 done, 1 nothing at the path, 2 usage."""
    from jobs.cli.explain_run import run_explain  # noqa: PLC0415 - start-up: help must not wait for the scanner

    return run_explain(invocation)


COMMANDS = (
    Command(
        "explain",
        usage="PATH|CODE [OPTION...]",
        summary="why a folder is (not) a project, or what a code means",
        details=(
            "Given a folder: whether it is a project, which rule pruned it, which date\n"
            "decided. Given a code: what it means, why it happens, how to mend it."
        ),
        examples=(
            ("zecher explain ~/dev/shop", "the story of one folder"),
            ("zecher explain ~/dev/a/b/c -d ~/dev --depth 6", "as a deeper scan would see it"),
            ("zecher explain root-missing", "what a code means"),
        ),
        add_options=_options,
        run=run,
    ),
)
