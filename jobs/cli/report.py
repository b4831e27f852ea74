"""``zecher report``: the reports again, from what the last runs kept."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("kind", "KIND", help="weekly, nightly or html (the dashboard)")
    parser.option("--output", metavar="FILE", help="write it there (the folder of the reports)")
    parser.option("--stdout", help="print it and write nothing")
    parser.option("--open", help="open the file in the program that your desktop has for it")
    parser.option("--redact-paths", help="html: leave out every path, to show it to others")
    parser.option("--with-notes", help="html: with what the memories say now, for you alone")


def run(invocation: Invocation) -> int:
    """Make a report; 0 done, 1 nothing to make it from or not written, 2 usage."""
    from jobs.cli.report_run import run_report  # noqa: PLC0415 - start-up: help must not wait for templates

    return run_report(invocation)


COMMANDS = (
    Command(
        "report",
        usage="KIND [OPTION...]",
        summary="the weekly or nightly report, or the dashboard, from stored data",
        details=(
            "Makes the newest weekly or nightly report, or the dashboard, from what the last\n"
            "run kept, without looking at any project, and prints where it stands. A report\n"
            "that you changed is kept; the new one gets a number. Only --with-notes reads\n"
            "projects: their memories stand in that page, known secrets taken out."
        ),
        examples=(
            ("zecher report weekly --stdout", "read the report of the week"),
            ("zecher report html --open", "the dashboard, in the browser"),
            ("zecher report html --redact-paths --output ~/show.html", "one to show to others"),
        ),
        add_options=_options,
        run=run,
    ),
)
