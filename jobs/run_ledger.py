"""The ledger of the runs: ``runs.ndjson`` in the state folder, a line when a run begins and when it ends.

It is only ever appended to; ``jobs.run_record`` knows what a line says. A ledger of 1 MiB, or one that spans
more than 400 days, is set aside as ``runs.1.ndjson``, and both are read.
"""

from __future__ import annotations

import os
from contextlib import suppress

from brain.times import iso_time
from jobs.ledger_tail import NAME, TAIL_BYTES, read_tail
from jobs.run_record import (
    CANCELLED,
    CATCHUP,
    CRASHED,
    CRON,
    DAEMON,
    DONE_STATES,
    FAILED,
    MANUAL,
    OK,
    PARTIAL,
    SKIPPED,
    START,
    STATES,
    TIMEOUT,
    TIMER,
    TRIGGERS,
    Run,
    RunLedger,
    joined,
    to_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Whoever reads or writes the ledger needs the words of its lines with it.
__all__ = [
    "CANCELLED",
    "CAP",
    "CATCHUP",
    "CRASHED",
    "CRON",
    "DAEMON",
    "DAEMON_LOCK",
    "DONE_STATES",
    "FAILED",
    "GLANCE_SECONDS",
    "MANUAL",
    "OK",
    "OLDER_NAME",
    "PARTIAL",
    "ROTATE_BYTES",
    "SKIPPED",
    "START",
    "STATES",
    "TIMEOUT",
    "TIMER",
    "TRIGGERS",
    "LedgerError",
    "Run",
    "RunLedger",
    "append_run",
    "ledger_path",
    "lock_path",
    "read_last_runs",
    "read_runs",
    "to_line",
]

OLDER_NAME = "runs.1.ndjson"
ROTATE_BYTES = 1024 * 1024
ROTATE_DAYS = 400

# A ledger may grow past the mark of its rotation while that fails; past this it is no ledger of ours.
CAP = 2 * ROTATE_BYTES
DAEMON_LOCK = "daemon"
"""The name of the lock that the daemon holds for as long as it runs."""

GLANCE_SECONDS = 0.2
"""How long to wait for a lock: who only asks whether somebody holds it has it for an instant."""

_FOREIGN = ("link", "not-regular", "too-large")
_LOCK_SECONDS = 5.0


class LedgerError(Exception):
    """The ledger could not be read or written; what it held before it still holds.

    ``is_foreign`` says that what stands there is no ledger at all: the next line moves it aside.
    """

    def __init__(self, path: str, reason: str, *, is_foreign: bool = False) -> None:
        super().__init__(f"{path}: {reason}" if path not in reason else reason)
        self.path = path
        self.reason = reason
        self.is_foreign = is_foreign


def ledger_path(state: str) -> str:
    """Where the ledger lies in the state folder ``state``."""
    return os.path.join(state, NAME)


def lock_path(state: str, name: str) -> str:
    """The file of the lock ``name`` (of a job, or of the ledger), its folders made where they are missing.

    ``brain.files.errors.WriteError`` when they cannot be made. The home itself is never invented.
    """
    from brain.files.atomic import make_folder  # noqa: PLC0415 - start-up: only a run writes

    folder = os.path.join(state, "locks")
    for made in (os.path.dirname(state), folder):
        if not os.path.isdir(made):
            make_folder(made)
    return os.path.join(folder, f"{name}.lock")


def read_runs(state: str) -> RunLedger:
    """What both files of the ledger in the folder ``state`` say; one that is missing is empty.

    Garbage is counted, never fatal. ``LedgerError`` when a file is kept from us, is no regular file or is
    larger than 2 MiB.
    """
    from brain.files.ledger import parse_ledger  # noqa: PLC0415 - start-up: the json decoder, 4 ms
    from brain.files.reading import UnreadableError, read_seen  # noqa: PLC0415 - as above

    lines: list[dict[str, object]] = []
    damaged = 0
    for name in (OLDER_NAME, NAME):
        path = os.path.join(state, name)
        try:
            ledger = parse_ledger(read_seen(path, CAP).data or b"")
        except UnreadableError as error:
            if error.code == "missing":
                continue
            if name == OLDER_NAME and error.code in _FOREIGN:
                damaged += 1  # what is done tonight does not hang on the years before
                continue
            raise LedgerError(path, error.message, is_foreign=error.code in _FOREIGN) from None
        lines += [value for _, value in ledger.lines]
        damaged += len(ledger.damaged)
    return joined(lines, damaged)


def read_last_runs(state: str) -> RunLedger:
    """The runs in the last 32 KiB of the ledger: some dozens, in about a millisecond.

    For what every command looks at; never raises: where nothing can be read, nothing is known.
    """
    from brain.files.ledger import parse_ledger  # noqa: PLC0415 - start-up: the json decoder, 4 ms

    ledger = parse_ledger(read_tail(ledger_path(state)) or b"")
    return joined([value for _, value in ledger.lines], len(ledger.damaged))


def append_run(state: str, run: Run) -> None:
    """Append a line that says what ``run`` says, and return once it is durable.

    The state folder and its folder ``locks`` are made where they are missing. A torn last line is ended
    first; a ledger that is full or too old is set aside, one that is no ledger at all is moved to
    ``runs.ndjson.corrupt-<time>``. ``LedgerError`` when the system refuses, or when another process keeps the
    lock of the ledger for five seconds.
    """
    from brain.files.append import append_line  # noqa: PLC0415 - start-up: only a run writes
    from brain.files.errors import LockedError, MemError, WriteError  # noqa: PLC0415 - as above
    from brain.files.lock import BrainLock  # noqa: PLC0415 - as above

    path = ledger_path(state)
    try:
        with BrainLock(lock_path(state, NAME), wait=_LOCK_SECONDS):
            _set_aside(path, run.end or run.start)
            append_line(path, to_line(run), cap=CAP, repair=True)
    except (LockedError, MemError, WriteError) as error:
        raise LedgerError(path, str(error)) from None


# -- setting aside -------------------------------------------------------------------------------------------


def _set_aside(path: str, now: float) -> None:
    """Begin a new ledger where the one at ``path`` is full, spans too many days, or is none."""
    import stat  # noqa: PLC0415 - only a run writes

    try:
        found = os.lstat(path)
    except OSError:
        return
    target = None
    if not stat.S_ISREG(found.st_mode) or found.st_size > CAP:
        target = f"{path}.corrupt-{iso_time(now).replace(':', '')}"
    elif found.st_size >= ROTATE_BYTES or _spans_too_long(path):
        target = os.path.join(os.path.dirname(path), OLDER_NAME)
    if target is not None:
        # A refusal costs nothing now: the line is appended where the others stand, up to the cap.
        with suppress(OSError):
            os.replace(path, target)


def _spans_too_long(path: str) -> bool:
    """Whether the first and the last line lie more than 400 days apart.

    The ledger is held against itself: a clock that jumped must not cost the records of the years before.
    """
    moments = _ends(path)
    return len(moments) > 1 and moments[-1] - moments[0] > ROTATE_DAYS * 86_400


def _ends(path: str) -> Sequence[float]:
    """The moments of the first and the last line that can be read."""
    from brain.files.ledger import parse_ledger  # noqa: PLC0415 - as above

    try:
        with open(path, "rb") as file:
            head = file.read(TAIL_BYTES)
    except OSError:
        return ()
    first = joined([value for _, value in parse_ledger(head).lines[:1]], 0).runs
    last = joined([value for _, value in parse_ledger(read_tail(path) or b"").lines[-1:]], 0).runs
    return [run.start for run in (*first, *last)]
