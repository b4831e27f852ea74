"""``zecher doctor``: does Zecher work here; and the lock of a writer that died."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _options(parser: Parser) -> None:
    parser.option("-d", "--directory", metavar="PATH", help="the project (.)")
    parser.option("--fix", help="put right what is safe: folders, rights, crashed runs")
    parser.option("--check", help="exit with 10 when something does not work")
    parser.option("--unlock", help="only show the lock, release it if its owner has died")
    parser.option("--reanchor", help="only make the observed runs of a moved project its own again")
    parser.option("-y", "--yes", help="release or reanchor without asking")
    parser.option("--json", help="one document for programs, nothing is asked")


def run(invocation: Invocation) -> int:
    """Examine, or release a lock; 0 done, 1 failed, 2 needs an answer, 10 --check, 75 its owner may live."""
    from jobs.cli.doctor_run import run_doctor  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_doctor(invocation)


COMMANDS = (
    Command(
        "doctor",
        usage="[OPTION...]",
        summary="does it work here, by doing; release the lock of a dead writer",
        details=(
            "Tries it: writes, reads and recalls a memory in a temporary home, lists the\n"
            "roots, looks at configuration, folders and who may write them, at scheduler,\n"
            "last runs, locks, clock and disk. Changes nothing without --fix, which makes\n"
            "missing folders, takes the right to write away from others and writes down runs\n"
            "that crashed. With --unlock it releases the lock of a project's ledgers\n"
            "(.bmad/memory/writer.lock) whose owner is gone; that of a living one never.\n"
            "With --reanchor the accepted runs behind the project's receipts, which were\n"
            "recorded for the folder that it was moved from, are recorded for this one."
        ),
        examples=(
            ("zecher doctor", "does it work here"),
            ("zecher doctor --fix", "put right what is safe"),
            ("zecher doctor --check --quiet", "for a script: exit code 10 when something fails"),
            ("zecher doctor --unlock", "release the lock here, after a question"),
            ("zecher doctor --unlock --yes -d ~/dev/shop", "the same in a script"),
            ("zecher doctor --reanchor", "after the project was moved here"),
        ),
        add_options=_options,
        run=run,
    ),
)
