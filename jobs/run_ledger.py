"""The ledger of the runs: ``runs.ndjson`` in the state folder, a line when a run begins and when it ends.

A line is compact JSON with the fields ``v, run, job, slot, trigger, state, start, end, zone, dur_s, pid,
boot_id, host, version, config_sha, counts, missed_slots, outputs, error, sandbox``; what is not known is left
out. It is only ever appended to. A ledger of 1 MiB, or one that spans more than 400 days, is set aside as
``runs.1.ndjson``, and both are read.
"""

from __future__ import annotations

import os
from contextlib import suppress

from brain.times import DAY_MS, iso_time, milliseconds
from scanner.value import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NAME, OLDER_NAME = "runs.ndjson", "runs.1.ndjson"
ROTATE_BYTES = 1024 * 1024
ROTATE_DAYS = 400
VERSION = 1

START, OK, PARTIAL, FAILED = "start", "ok", "partial", "failed"
TIMEOUT, CANCELLED, CRASHED, SKIPPED = "timeout", "cancelled", "crashed", "skipped"
DONE_STATES = (OK, PARTIAL)
STATES = (START, OK, PARTIAL, FAILED, TIMEOUT, CANCELLED, CRASHED, SKIPPED)
TIMER, DAEMON, CRON, MANUAL, CATCHUP = "timer", "daemon", "cron", "manual", "catchup"
TRIGGERS = (TIMER, DAEMON, CRON, MANUAL, CATCHUP)

# A ledger may grow past the mark of its rotation while that fails; past this it is no ledger of ours.
CAP = 2 * ROTATE_BYTES
TAIL_BYTES = 32 * 1024
_FOREIGN = ("link", "not-regular", "too-large")
_LOCK_SECONDS = 5.0
_LONGEST_TEXT = 500
_MAX_OUTPUTS = 50
_FUTURE_SECONDS = 86_400.0
_MEDIAN_OF = 10


@dataclass(frozen=True, slots=True)
class Run:
    """One run as the ledger tells it: its beginning, joined by its end as soon as there is one.

    ``start`` and ``end`` are epoch seconds; ``state`` is ``start`` while no end is recorded. ``outputs`` are
    (path, sha256, bytes). ``error_type`` and ``error`` are empty unless something went wrong; ``sandbox`` is
    ``effective``, ``partial``, ``none`` or empty.
    """

    run: str
    job: str
    slot: str
    trigger: str
    state: str
    start: float
    end: float | None = None
    duration: float | None = None
    zone: str = ""
    pid: int = 0
    boot_id: str = ""
    host: str = ""
    version: str = ""
    config_sha: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    missed_slots: int = 0
    outputs: tuple[tuple[str, str, int], ...] = ()
    error_type: str = ""
    error: str = ""
    sandbox: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it did what its slot asked for, if only in part."""
        return self.state in DONE_STATES


@dataclass(frozen=True, slots=True)
class RunLedger:
    """All runs in the order of their first line.

    ``damaged`` counts lines that tell no run, ``duplicates`` those that say again what was said before;
    neither is in ``runs``. ``unusable`` is why a file that is no ledger was not read at all.
    """

    runs: tuple[Run, ...] = ()
    damaged: int = 0
    duplicates: int = 0
    unusable: str = ""

    def of(self, job: str) -> tuple[Run, ...]:
        """The runs of ``job``."""
        return tuple(run for run in self.runs if run.job == job and run.state != SKIPPED)

    def last_ok(self, job: str) -> Run | None:
        """The last run that was done whole or in part."""
        return next((run for run in reversed(self.of(job)) if run.is_done), None)

    def last_try(self, job: str) -> Run | None:
        """The last run, however it ended, if it did."""
        runs = self.of(job)
        return runs[-1] if runs else None

    def attempts(self, job: str, slot: str) -> tuple[Run, ...]:
        """The runs for one slot."""
        return tuple(run for run in self.of(job) if run.slot == slot)

    def median_duration(self, job: str) -> float | None:
        """The median of the seconds that the last ten successful runs took; None without any."""
        lasted = [run.duration for run in self.of(job) if run.is_done and run.duration is not None]
        last = sorted(lasted[-_MEDIAN_OF:])
        if not last:
            return None
        middle = len(last) // 2
        return last[middle] if len(last) % 2 else (last[middle - 1] + last[middle]) / 2

    def future(self, now: float) -> int:
        """How many runs began more than a day after ``now``: the clock was wrong then, or is now."""
        return sum(run.start > now + _FUTURE_SECONDS for run in self.runs)


class LedgerError(Exception):
    """The ledger could not be read or written; what it held before it still holds.

    ``is_foreign`` says that what stands there is no ledger at all: the next line moves it aside.
    """

    def __init__(self, path: str, reason: str, *, is_foreign: bool = False) -> None:
        super().__init__(f"{path}: {reason}" if path not in reason else reason)
        self.path = path
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
    return _joined(lines, damaged)


def read_last_runs(state: str) -> RunLedger:
    """The runs in the last 32 KiB of the ledger: some dozens, in about a millisecond.

    For what every command looks at; never raises: where nothing can be read, nothing is known.
    """
    from brain.files.ledger import parse_ledger  # noqa: PLC0415 - start-up: the json decoder, 4 ms

    data = _tail(ledger_path(state))
    ledger = parse_ledger(data)
    return _joined([value for _, value in ledger.lines], len(ledger.damaged))


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


def to_line(run: Run) -> bytes:
    """The line of the ledger for ``run``, without its newline."""
    import json  # noqa: PLC0415 - start-up: only a run writes

    error = (
        {"type": run.error_type, "msg": run.error[:_LONGEST_TEXT]} if run.error_type or run.error else None
    )
    outputs = [
        {"path": path, "sha256": digest, "bytes": size} for path, digest, size in run.outputs[:_MAX_OUTPUTS]
    ]
    record: dict[str, object] = {
        "v": VERSION,
        "run": run.run,
        "job": run.job,
        "slot": run.slot,
        "trigger": run.trigger,
        "state": run.state,
        "start": iso_time(run.start),
        "end": None if run.end is None else iso_time(run.end),
        "zone": run.zone,
        "dur_s": None if run.duration is None else round(run.duration, 3),
        "pid": run.pid,
        "boot_id": run.boot_id,
        "host": run.host,
        "version": run.version,
        "config_sha": run.config_sha,
        "counts": dict(run.counts),
        "missed_slots": run.missed_slots,
        "outputs": outputs,
        "error": error,
        "sandbox": run.sandbox,
    }
    said = {key: value for key, value in record.items() if value not in (None, "", {}, [])}
    # ASCII keeps the odd bytes of a path as escapes that read back as they were.
    return json.dumps(said, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


# -- reading -------------------------------------------------------------------------------------------------


def _joined(lines: Iterable[Mapping[str, object]], damaged: int) -> RunLedger:
    runs: dict[str, Run] = {}
    duplicates = 0
    for line in lines:
        run = _run(line)
        if run is None:
            damaged += 1
        elif run.run not in runs:
            runs[run.run] = run
        elif runs[run.run].state == START and run.state != START and runs[run.run].job == run.job:
            # The moment and the slot stay those of the beginning, whatever the end says.
            before = runs[run.run]
            runs[run.run] = replace(run, start=before.start, slot=before.slot)
        else:
            duplicates += 1
    return RunLedger(tuple(runs.values()), damaged, duplicates)


def _run(line: Mapping[str, object]) -> Run | None:
    """The run that ``line`` tells; None when it lacks what every run has."""
    run, job, slot, state = (_text(line, key) for key in ("run", "job", "slot", "state"))
    start = _moment(line.get("start"))
    if not (run and job and slot) or state not in STATES or start is None:
        return None
    error = line.get("error")
    told = error if isinstance(error, dict) else {}
    return Run(
        run=run,
        job=job,
        slot=slot,
        trigger=_text(line, "trigger"),
        state=state,
        start=start,
        end=_moment(line.get("end")),
        duration=_duration(line.get("dur_s")),
        zone=_text(line, "zone"),
        pid=_count(line.get("pid")),
        boot_id=_text(line, "boot_id"),
        host=_text(line, "host"),
        version=_text(line, "version"),
        config_sha=_text(line, "config_sha"),
        counts=_counts(line.get("counts")),
        missed_slots=_count(line.get("missed_slots")),
        outputs=_outputs(line.get("outputs")),
        error_type=_text(told, "type"),
        error=_text(told, "msg"),
        sandbox=_text(line, "sandbox"),
    )


def _text(line: Mapping[str, object], key: str) -> str:
    value = line.get(key)
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""


def _moment(value: object) -> float | None:
    moment = milliseconds(value) if isinstance(value, str) else None
    return None if moment is None else moment / 1000


def _duration(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= DAY_MS else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def _counts(value: object) -> Mapping[str, int]:
    if not isinstance(value, dict):
        return {}
    return {name: _count(number) for name, number in value.items() if isinstance(number, int)}


def _outputs(value: object) -> tuple[tuple[str, str, int], ...]:
    found = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return tuple(
        (path, _text(one, "sha256"), _count(one.get("bytes")))
        for one in found[:_MAX_OUTPUTS]
        if isinstance(path := one.get("path"), str)
    )


def _tail(path: str) -> bytes:
    """The whole lines in the last part of the file; empty when it cannot be read."""
    import stat  # noqa: PLC0415 - only for this

    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return b""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return b""
        os.lseek(descriptor, max(0, found.st_size - TAIL_BYTES), os.SEEK_SET)
        data = os.read(descriptor, TAIL_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return data if found.st_size <= TAIL_BYTES else data.partition(b"\n")[2]


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
    first = _joined([value for _, value in parse_ledger(head).lines[:1]], 0).runs
    last = _joined([value for _, value in parse_ledger(_tail(path)).lines[-1:]], 0).runs
    return [run.start for run in (*first, *last)]
