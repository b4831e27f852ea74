"""``zecher recall`` and ``zecher brief``: bundles for the context of an assistant."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _recall_options(parser: Parser) -> None:
    parser.arguments("words", "QUERY", "what is to be known, in words; a part in quotes is a phrase")
    parser.option("-d", "--directory", metavar="PATH", help="the project (the one around this folder)")
    parser.option("--scope", metavar="SCOPE", help="project, portfolio or brain (project)")
    parser.option("--budget", metavar="TOKENS", help="at most so many tokens (4000)")
    parser.option("--depth", metavar="HOPS", help="how far links are followed, 0 to 3 (1)")
    parser.option("--max-per-source", metavar="TOKENS", help="the most of one file (half, 500 at least)")
    parser.option("--with-user", help="what is remembered of the user, too")
    parser.option("--json", help="one document for programs")


def _brief_options(parser: Parser) -> None:
    parser.arguments("project", "PROJECT", "its name, its path, or a part of one (the project here)")
    parser.option("-d", "--directory", metavar="PATH", help="the project in this folder")
    parser.option("--budget", metavar="TOKENS", help="at most so many tokens (4000)")
    parser.option("--json", help="one document for programs")


def run_recall(invocation: Invocation) -> int:
    """Bundle what is known; 0 done, also when nothing was found, 2 usage."""
    from jobs.cli.recall_run import run_recall  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_recall(invocation)


def run_brief(invocation: Invocation) -> int:
    """Bundle what a piece of work begins with; 0 done, 1 the folder is gone, 2 usage."""
    from jobs.cli.brief_run import run_brief  # noqa: PLC0415 - as above

    return run_brief(invocation)


COMMANDS = (
    Command(
        "recall",
        usage="QUERY [OPTION...]",
        summary="what is known about it, in one bundle within a token budget",
        details=(
            "Searches the memory, follows the links of what it finds in both directions, and\n"
            "fills the budget with the best: whole notes, or cut where a sentence, a list item\n"
            "or a block ends. What repeats another is dropped; what did not fit is named with\n"
            "its size. What is muted is never recalled; secrets are replaced. The text of the\n"
            "notes stands in fenced blocks, each below its file and line."
        ),
        examples=(
            ("zecher recall 'login tokens'", "in this project"),
            ("zecher recall backups --scope portfolio --budget 1500", "everywhere, in less"),
            ("zecher recall deploy --with-user --depth 2 --json", "for a program"),
        ),
        add_options=_recall_options,
        run=run_recall,
    ),
    Command(
        "brief",
        usage="[PROJECT] [OPTION...]",
        summary="what a piece of work begins with, within a token budget",
        details=(
            "Bundles what an assistant should know before it begins: who the user is, the\n"
            "context of the project, the decisions and lessons in force, the last handover,\n"
            "what is pinned (tag always-load), and the summaries of what is remembered of the\n"
            "user. In this order; what does not fit is named with its size."
        ),
        examples=(
            ("zecher brief", "the project in this folder"),
            ("zecher brief shop --budget 2000", "an indexed project, in less"),
        ),
        add_options=_brief_options,
        run=run_brief,
    ),
)
