"""``zecher doctor``: is the memory of a project locked, and by whom; releases the lock of a dead writer."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the project (.)")
    parser.option("--unlock", help="release the lock, if its owner has died")
    parser.option("-y", "--yes", help="release it without asking")
    parser.option("--json", help="one document for programs, nothing is asked")


def run(invocation: Invocation) -> int:
    """Show the lock, release it if asked to; 0 done, 1 failed, 2 needs an answer, 75 its owner may live."""
    from jobs.cli.doctor_run import run_doctor  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_doctor(invocation)


COMMANDS = (
    Command(
        "doctor",
        usage="[OPTION...]",
        summary="release the lock of a writer that died",
        details=(
            "Shows who holds the lock of a project's ledgers (.bmad/memory/writer.lock): its\n"
            "process, host and age. With --unlock, releases the lock of an owner that is\n"
            "gone; that of a living one never. Locks that zecher itself left behind need\n"
            "none of this: the next writer clears them away."
        ),
        examples=(
            ("zecher doctor", "who holds the lock here"),
            ("zecher doctor --unlock", "release it, after a question"),
            ("zecher doctor --unlock --yes -d ~/dev/shop", "the same in a script"),
        ),
        add_options=_options,
        run=run,
    ),
)
