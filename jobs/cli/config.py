"""``zecher config show``, ``check`` and ``init``: what holds, whether it makes sense, how to begin."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _show_options(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the project whose brain is looked for (.)")
    parser.option("--origin", help="where each value comes from: flag, variable, line of the file or default")
    parser.option("--json", help="one document for programs")


def _check_options(parser: Parser) -> None:
    parser.option("--json", help="one document for programs")


def _init_options(parser: Parser) -> None:
    parser.option("--write", help="make the file where it will be looked for; never over another one")


def run(invocation: Invocation) -> int:
    """Show every setting; 0 done, 2 when the configuration holds a mistake."""
    from jobs.cli.config_run import run_show  # noqa: PLC0415 - start-up: help must not wait for the settings

    return run_show(invocation)


def run_check(invocation: Invocation) -> int:
    """List all that is wrong with the configuration; 0 nothing, 2 something that would stop a command."""
    from jobs.cli.config_run import run_check as check  # noqa: PLC0415 - as above

    return check(invocation)


def run_init(invocation: Invocation) -> int:
    """Print the template; 0 done, 1 it could not be written, 2 there is a configuration already."""
    from jobs.cli.config_run import run_init as init  # noqa: PLC0415 - as above

    return init(invocation)


COMMANDS = (
    Command(
        "config show",
        usage="[OPTION...]",
        summary="the settings and where each comes from",
        details=(
            "Shows every setting as a scan from here would use it, and the brain that holds\n"
            "for the project. A flag wins over a ZECHER_ variable, that over the\n"
            "configuration file, that over the default. Of the addresses for notices only\n"
            "the kind and the host are shown: the rest is as good as a password."
        ),
        examples=(
            ("zecher config show", "what holds here"),
            ("zecher config show --origin", "and who says so"),
            ("zecher config show -d ~/dev/shop --json", "for a program"),
        ),
        add_options=_show_options,
        run=run,
    ),
    Command(
        "config check",
        usage="[OPTION...]",
        summary="all that is wrong with the configuration, at once",
        details=(
            "Reads the configuration and lists every mistake with its line, its key and what\n"
            "is right; then looks whether the roots and the programs of hooks are there.\n"
            "Ends with 2 when something would stop a command, warnings alone with 0."
        ),
        examples=(
            ("zecher config check", "the one that holds"),
            ("zecher config check --config new.toml", "one that is to be"),
            ("zecher config check --json", "for a program"),
        ),
        add_options=_check_options,
        run=run_check,
    ),
    Command(
        "config init",
        usage="[OPTION...]",
        summary="print a commented template, or write it",
        details=(
            "Prints a configuration with every key, its meaning and its default. All keys\n"
            "are commented out: as it is, it changes nothing."
        ),
        examples=(
            ("zecher config init", "to read"),
            ("zecher config init --write", "to begin with; only you can read and write it"),
        ),
        add_options=_init_options,
        run=run_init,
    ),
)
