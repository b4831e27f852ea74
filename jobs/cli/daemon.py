"""``zecher daemon``: the scheduler of Zecher's own, in the foreground."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(_: Parser) -> None:
    """None of its own."""


def run(invocation: Invocation) -> int:
    """Go on until a signal; 0 after SIGTERM, 130 after Ctrl-C, 75 while another daemon runs."""
    from jobs.cli.daemon_run import run_daemon  # noqa: PLC0415 - start-up: help must not wait for the library

    return run_daemon(invocation)


COMMANDS = (
    Command(
        "daemon",
        usage="[OPTION...]",
        summary="start the jobs when they are due, until it is stopped",
        details=(
            "Stays in the foreground, asks the ledger each half minute and at the beginning\n"
            "of each slot what is due, and starts each job as a process of its own, one\n"
            "after the other. For machines without systemd timer, cron or launchd; beside\n"
            "them it does no harm, a slot is run once. SIGTERM or Ctrl-C stops it and gives\n"
            "the job under way 20 seconds; SIGHUP has it read its configuration again."
        ),
        examples=(
            ("zecher daemon", "in a terminal of its own"),
            ("zecher schedule install --daemon", "kept alive by systemd or launchd"),
        ),
        add_options=_options,
        run=run,
    ),
)
