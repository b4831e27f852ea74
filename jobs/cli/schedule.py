"""``zecher schedule``: the jobs in the scheduler of the system."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _scheduler(parser: Parser) -> None:
    parser.option("--scheduler", metavar="WHICH", help="auto, systemd, cron or launchd (auto)")


def _install_options(parser: Parser) -> None:
    _scheduler(parser)
    parser.option("--daemon", help="the scheduler of zecher's own, kept alive, instead of a timer")
    parser.option("--linger", help="let it run while you are not logged in (systemd)")
    parser.option("--dry-run", help="print every file and command, change nothing")
    parser.option("--json", help="one document for programs")


def _remove_options(parser: Parser) -> None:
    _scheduler(parser)
    parser.option("--dry-run", help="say what would go, change nothing")
    parser.option("--json", help="one document for programs")


def _status_options(parser: Parser) -> None:
    parser.option("--json", help="one document for programs")


def _show_options(parser: Parser) -> None:
    _scheduler(parser)
    parser.option("--daemon", help="for the scheduler of zecher's own")
    parser.option("--json", help="one document for programs")


def run_install(invocation: Invocation) -> int:
    """Install; 0 done and active, 1 failed, 3 done in part: edited files kept, or nothing starts it yet."""
    from jobs.cli.schedule_run import run_install  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_install(invocation)


def run_remove(invocation: Invocation) -> int:
    """Remove; 0 done, 3 edited files were kept."""
    from jobs.cli.schedule_run import run_remove  # noqa: PLC0415 - as above

    return run_remove(invocation)


def run_status(invocation: Invocation) -> int:
    """Say how it stands; 0, whether or not anything is installed."""
    from jobs.cli.schedule_run import run_status  # noqa: PLC0415 - as above

    return run_status(invocation)


def run_show(invocation: Invocation) -> int:
    """Print what an installation writes; 0."""
    from jobs.cli.schedule_run import run_show  # noqa: PLC0415 - as above

    return run_show(invocation)


COMMANDS = (
    Command(
        "schedule install",
        usage="[OPTION...]",
        summary="have the jobs started by systemd, cron or launchd",
        details=(
            "Writes the entries of zecher into the scheduler of your user, starts them and\n"
            "checks that they are active. What you have edited there stays. Entries in\n"
            "another scheduler are taken out. Run it again after changing the schedule, the\n"
            "folders or the notification in the configuration."
        ),
        examples=(
            ("zecher schedule install --dry-run", "every file and command, nothing changed"),
            ("zecher schedule install --linger", "also while you are not logged in"),
            ("zecher schedule install --scheduler cron", "a crontab instead of a timer"),
        ),
        add_options=_install_options,
        run=run_install,
    ),
    Command(
        "schedule remove",
        usage="[OPTION...]",
        summary="take them out again, and nothing else",
        details=(
            "Stops and removes what zecher schedule install wrote. Files that somebody\n"
            "edited, drop-ins, the record of runs and all reports stay."
        ),
        examples=(
            ("zecher schedule remove --dry-run", "look, and change nothing"),
            ("zecher schedule remove", "out of every scheduler"),
        ),
        add_options=_remove_options,
        run=run_remove,
    ),
    Command(
        "schedule status",
        usage="[OPTION...]",
        summary="what is installed, and whether it is active",
        details="Says which scheduler starts the jobs, whether it is active, and when next.",
        examples=(
            ("zecher schedule status", "for a person"),
            ("zecher schedule status --json", "for a program"),
        ),
        add_options=_status_options,
        run=run_status,
    ),
    Command(
        "schedule show",
        usage="[OPTION...]",
        summary="print what an installation writes",
        details=(
            "Prints the units, the lines for a crontab or the agent, with the paths of this\n"
            "installation, so that you can put them into place yourself."
        ),
        examples=(
            ("zecher schedule show", "for the scheduler of this machine"),
            ("zecher schedule show --scheduler cron", "the lines for a crontab"),
        ),
        add_options=_show_options,
        run=run_show,
    ),
)
