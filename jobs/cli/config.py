"""``zecher config show``: the settings as they hold here and now."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the project whose brain is looked for (.)")
    parser.option("--origin", help="where each value comes from: flag, variable, file or default")
    parser.option("--json", help="one document for programs")


def run(invocation: Invocation) -> int:
    """Show every setting; 0 done, 2 when the configuration holds a mistake."""
    from jobs.cli.config_run import run_show  # noqa: PLC0415 - start-up: help must not wait for the settings

    return run_show(invocation)


COMMANDS = (
    Command(
        "config show",
        usage="[OPTION...]",
        summary="the settings and where each comes from",
        details=(
            "Shows every setting as a scan from here would use it, and the brain that holds\n"
            "for the project. A flag wins over a ZECHER_ variable, that over the\n"
            "configuration file, that over the default."
        ),
        examples=(
            ("zecher config show", "what holds here"),
            ("zecher config show --origin", "and who says so"),
            ("zecher config show -d ~/dev/shop --json", "for a program"),
        ),
        add_options=_options,
        run=run,
    ),
)
