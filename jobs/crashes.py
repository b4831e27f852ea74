"""Writes down what began and cannot end any more: a run without an end whose lock nobody holds."""

from __future__ import annotations

from jobs.run_ledger import GLANCE_SECONDS, LedgerError, append_run, lock_path, read_runs
from jobs.run_record import CRASHED, START, Run, RunLedger
from scanner.value import replace

WITHOUT_A_WORD = "the process ended without a word"


def close_crashed(name: str, state: str, now: float, why: str = WITHOUT_A_WORD) -> tuple[Run, ...]:
    """Write down as crashed the runs of the job called ``name`` that have no end, and return them.

    None while another process holds the lock of the job. ``LedgerError`` when the ledger cannot be read or
    written.
    """
    from brain.files.errors import LockedError, WriteError  # noqa: PLC0415 - start-up: as the runner does
    from brain.files.lock import BrainLock  # noqa: PLC0415 - as above

    path = lock_path(state, name)
    try:
        with BrainLock(path, wait=GLANCE_SECONDS):
            return mark_crashed(name, state, read_runs(state), now, why)
    except LockedError:
        return ()
    except WriteError as error:
        raise LedgerError(path, str(error)) from None


def mark_crashed(
    name: str, state: str, ledger: RunLedger, now: float, why: str = WITHOUT_A_WORD
) -> tuple[Run, ...]:
    """As ``close_crashed``, for a caller that holds the lock of the job and has read the ledger."""
    # The clock may have been put back since; nothing ends before it begins.
    crashed = tuple(
        replace(run, state=CRASHED, end=max(now, run.start), error_type="crash", error=why)
        for run in ledger.of(name)
        if run.state == START
    )
    for run in crashed:
        append_run(state, run)
    return crashed
