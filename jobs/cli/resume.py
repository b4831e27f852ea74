"""``zecher resume``: where were we, from files alone."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.arguments("project", "PROJECT", "its name, its path, or a part of one (the project here)")
    parser.option("-d", "--directory", metavar="PATH", help="the project in this folder")
    parser.option("--markdown", help="for the context of an assistant: foreign text in marked blocks")
    parser.option("--budget", metavar="TOKENS", help="at most so many tokens; what is left out is named")
    parser.option("--no-cache", help="read everything afresh")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Show where a project stands; 0 done, 1 its folder is gone, 2 usage, or no or several projects meant."""
    from jobs.cli.resume_run import run_resume  # noqa: PLC0415 - start-up: help must not wait for the scanner

    return run_resume(invocation)


COMMANDS = (
    Command(
        "resume",
        usage="[PROJECT] [OPTION...]",
        summary="where were we: goal, next step, what blocks, what is unsaved",
        details=(
            "Shows where a project stands, from its files and its history: goal, next step,\n"
            "what blocks, state, last handover, commits, unsaved work, the decisions and\n"
            "lessons that have to do with the goal. Each fact has its file and line, what was\n"
            "not found is named, nothing is guessed. Of two files that say otherwise the newer\n"
            "one counts and the other is named. Secrets are replaced."
        ),
        examples=(
            ("zecher resume", "the project in this folder"),
            ("zecher resume shop", "the indexed project of that name, or with it in its name"),
            ("zecher resume shop --markdown --budget 800", "for the context of an assistant"),
        ),
        add_options=_options,
        run=run,
    ),
)
