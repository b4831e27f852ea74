"""The scores ``.bmad/memory/pattern-scores.json``: an Elo rating and a Beta distribution for each pattern.

The formulas and constants are the published ones: Elo from 1200 with K = 32; alpha and beta from 1 with a
forgetting factor of 0.98 an update and a half-life of 90 days.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress

from brain.files.atomic import OutsideError, Write, leftovers, replace_all
from brain.files.errors import ChangedError, MemError, WriteError
from brain.files.javascript_json import to_indented
from brain.files.ledger import LEDGER_CAP
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.javascript_math import half_to_the, ten_to_the
from brain.times import DAY_MS, milliseconds

NAME = "pattern-scores.json"
FIELDS = ("elo", "alpha", "beta", "mean", "updates", "lastTs")

_START = 1200.0
_STEP = 32
_SPREAD = 400
_FORGETTING = 0.98
_HALF_LIFE = 90.0  # days

# (field, what it is more than, its prior, what it is less than): far outside of what updates lead to.
_BOUNDS = (
    ("elo", -1e5, 1200, 1e5),
    ("alpha", 0, 1, 1e9),
    ("beta", 0, 1, 1e9),
    ("mean", -1, 0.5, 2),
    ("updates", -1, 0, 1e15),
)

Record = dict[str, object]


class Scores:
    """The records of the file by pattern, and what was read (None: there is no file yet)."""

    __slots__ = ("path", "records", "seen")

    def __init__(self, path: str, records: dict[str, Record], seen: Seen | None) -> None:
        self.path = path
        self.records = records
        self.seen = seen


class DamagedError(MemError):
    """A file that holds no scores; ``seen`` is what it holds."""

    def __init__(self, path: str, seen: Seen) -> None:
        super().__init__(f"{path} is damaged, no JSON object of scores: nothing is scored until it is mended")
        self.seen = seen


def prior() -> Record:
    """The score of a pattern that nothing is known about."""
    return {"elo": 1200, "alpha": 1, "beta": 1, "mean": 0.5, "updates": 0, "lastTs": None}


def update(record: Mapping[str, object] | None, reward: float, ts: str | None) -> Record:
    """The score after a ``reward`` in 0..1 at ``ts`` (ISO 8601); None as ``record`` is the prior.

    Keys of ``record`` beyond the six fields are kept after them.
    """
    old = record or prior()
    alpha, beta = _number(old, "alpha", 1.0), _number(old, "beta", 1.0)
    before, after = milliseconds(old.get("lastTs")), milliseconds(ts)
    if before is not None and after is not None and after > before:
        fading = half_to_the((after - before) / DAY_MS / _HALF_LIFE)
        alpha = 1 + (alpha - 1) * fading
        beta = 1 + (beta - 1) * fading
    alpha = 1 + (alpha - 1) * _FORGETTING + reward
    beta = 1 + (beta - 1) * _FORGETTING + (1 - reward)
    elo = _number(old, "elo", _START)
    expected = 1 / (1 + ten_to_the((_START - elo) / _SPREAD))
    new: Record = {
        "elo": elo + _STEP * (reward - expected),
        "alpha": alpha,
        "beta": beta,
        "mean": alpha / (alpha + beta),
        "updates": int(_number(old, "updates", 0)) + 1,
        "lastTs": ts,
    }
    return new | {key: value for key, value in old.items() if key not in FIELDS}


def look_at_scores(path: str) -> Scores:
    """The scores in the file at ``path``; none when it is missing. Nothing is written.

    ``DamagedError`` when it is no JSON object of scores, ``MemError`` when it cannot be read.
    """
    try:
        seen = read_seen(path, LEDGER_CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return Scores(path, {}, None)
        raise MemError(f"cannot read {path}: {error.message}") from None
    records = parse_scores(seen.data or b"")
    if records is None:
        raise DamagedError(path, seen)
    return Scores(path, records, seen)


def parse_scores(data: bytes) -> dict[str, Record] | None:
    """The scores that ``data`` holds, None when it is no JSON object of scores."""
    from json import loads  # noqa: PLC0415 - start-up: writers of the journal need none of this

    try:
        records = loads(data.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(records, dict) or not all(_is_record(record) for record in records.values()):
        return None
    return records


def read_scores(path: str, *, now: float) -> Scores:
    """As ``look_at_scores``, for the holder of the project's lock.

    A damaged file holds history that must not be overwritten: it stays, and a copy is kept beside it under
    ``.corrupt-<UTC time of now>``, which the ``MemError`` names.
    """
    try:
        return look_at_scores(path)
    except DamagedError as error:
        copy = _keep_aside(path, error.seen.data or b"", now)
        raise MemError(
            f"{path} is damaged and stays as it is (copy: {os.path.basename(copy)}): mend or move it"
        ) from None


def write_scores(scores: Scores, base: str) -> None:
    """Replace the file by ``scores.records``, whole and durable; the caller holds the lock of ``base``."""
    data = (to_indented(scores.records) + "\n").encode()
    if len(data) > LEDGER_CAP:
        raise MemError(f"{scores.path} would grow past {LEDGER_CAP} bytes; move it aside to begin a new one")
    _replace(Write(scores.path, data, scores.seen), base)


def sweep(folder: str) -> None:
    """Remove temporary files that a killed writer of the scores left; the caller holds the project's lock.

    Nobody else writes them while the lock is held, so every one that stands there is litter.
    """
    for path, _ in leftovers(folder, rf"{re.escape(NAME)}(?:\.corrupt-.+)?"):
        with suppress(OSError):  # litter that stays is no reason to refuse a score
            os.unlink(path)


def _is_record(record: object) -> bool:
    """Whether the formulas can go on from ``record``; a field that is missing counts as its prior."""
    return isinstance(record, dict) and all(
        isinstance(value := record.get(name, start), int | float)
        and not isinstance(value, bool)
        and (least < value < most)
        for name, least, start, most in _BOUNDS
    )


def _number(record: Mapping[str, object], name: str, default: float) -> float:
    value = record.get(name, default)
    return float(value) if isinstance(value, int | float) else default


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _keep_aside(path: str, data: bytes, now: float) -> str:
    """A copy of ``data`` beside ``path``, unless the same bytes are kept there already; its path."""
    folder, name = os.path.split(path)
    for other in sorted(_names(folder)):
        if other.startswith(f"{name}.corrupt-"):
            try:
                if read_seen(os.path.join(folder, other), LEDGER_CAP).data == data:
                    return os.path.join(folder, other)
            except UnreadableError:
                continue
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    copy = f"{path}.corrupt-{stamp}"
    number = 1
    while os.path.lexists(copy):
        number += 1
        copy = f"{path}.corrupt-{stamp}-{number}"
    _replace(Write(copy, data, None), folder)
    return copy


def _replace(write: Write, base: str) -> None:
    try:
        replace_all([write], base)
    except ChangedError:
        raise MemError(
            f"{write.path} was changed by somebody else meanwhile; theirs stands, try again"
        ) from None
    except (WriteError, OutsideError) as error:
        raise MemError(str(error)) from None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
