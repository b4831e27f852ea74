"""A run as the ledger tells it: its values, and the lines that say them.

A line is compact JSON with the fields ``v, run, job, slot, trigger, state, start, end, zone, dur_s, pid,
boot_id, host, version, config_sha, counts, missed_slots, outputs, error, sandbox, untold``; what is not known
is left out.
"""

from __future__ import annotations

from brain.times import iso_time, milliseconds
from scanner.value import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

VERSION = 1

START, OK, PARTIAL, FAILED = "start", "ok", "partial", "failed"
TIMEOUT, CANCELLED, CRASHED, SKIPPED = "timeout", "cancelled", "crashed", "skipped"
DONE_STATES = (OK, PARTIAL)
STATES = (START, OK, PARTIAL, FAILED, TIMEOUT, CANCELLED, CRASHED, SKIPPED)
TIMER, DAEMON, CRON, MANUAL, CATCHUP = "timer", "daemon", "cron", "manual", "catchup"
TRIGGERS = (TIMER, DAEMON, CRON, MANUAL, CATCHUP)

FUTURE_SECONDS = 86_400.0
"""A run that began so much later than now tells of a clock that was wrong then, or is now."""

_LONGEST_TEXT = 500
_LONGEST_SECONDS = 1000 * 86_400.0
_MAX_OUTPUTS = 50
_MAX_UNTOLD = 10
_MEDIAN_OF = 10


@dataclass(frozen=True, slots=True)
class Run:
    """One run as the ledger tells it: its beginning, joined by its end as soon as there is one.

    ``start`` and ``end`` are epoch seconds; ``state`` is ``start`` while no end is recorded. ``outputs`` are
    (path, sha256, bytes). ``error_type`` and ``error`` are empty unless something went wrong; ``sandbox`` is
    ``effective``, ``partial``, ``none`` or empty. ``untold`` says, a line each, who could not be told of it
    and why.
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
    untold: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it did what its slot asked for, if only in part."""
        return self.state in DONE_STATES


@dataclass(frozen=True, slots=True)
class RunLedger:
    """All runs in the order of their first line.

    ``damaged`` counts lines that tell no run, ``duplicates`` those that say again what was said before;
    neither is in ``runs``. ``unusable`` is why a file was not read at all; where it ``is_foreign`` it is no
    ledger of ours, and the next run moves it aside.
    """

    runs: tuple[Run, ...] = ()
    damaged: int = 0
    duplicates: int = 0
    unusable: str = ""
    is_foreign: bool = False

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
        return sum(run.start > now + FUTURE_SECONDS for run in self.runs)


def believed(runs: Sequence[Run], now: float) -> Sequence[Run]:
    """``runs`` without those that a wrong clock put into the future; all of them where there is no other."""
    return [run for run in runs if run.start <= now + FUTURE_SECONDS] or runs


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
        "untold": [words[:_LONGEST_TEXT] for words in run.untold[:_MAX_UNTOLD]],
    }
    said = {key: value for key, value in record.items() if value not in (None, "", {}, [])}
    # ASCII keeps the odd bytes of a path as escapes that read back as they were.
    return json.dumps(said, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


# -- reading -------------------------------------------------------------------------------------------------


def joined(lines: Iterable[Mapping[str, object]], damaged: int) -> RunLedger:
    """The runs that ``lines`` tell, each joined from its lines; ``damaged`` lines were counted before."""
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
        elif run.untold and not runs[run.run].untold and runs[run.run].state == run.state:
            # Who could not be told is known only when the end is written down already.
            runs[run.run] = replace(runs[run.run], untold=run.untold)
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
        untold=_texts(line.get("untold")),
    )


def _text(line: Mapping[str, object], key: str) -> str:
    value = line.get(key)
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    found = value[:_MAX_UNTOLD] if isinstance(value, list) else []
    return tuple(one[:_LONGEST_TEXT] for one in found if isinstance(one, str))


def _moment(value: object) -> float | None:
    moment = milliseconds(value) if isinstance(value, str) else None
    return None if moment is None else moment / 1000


def _duration(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _LONGEST_SECONDS else None


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
