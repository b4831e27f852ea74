"""Reinforcing a pattern, and proposing its promotion in ``.bmad/memory/promotions.ndjson``.

A promotion is only ever proposed here. Approving and applying one is up to people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.files.append import append_line
from brain.files.errors import MemError
from brain.files.javascript_json import to_compact, to_fixed
from brain.files.ledger import LEDGER_CAP, Ledger, read_ledger
from brain.files.links import refuse_links
from brain.files.writer_lock import WriterLock
from brain.folders import LEDGER_FOLDER
from brain.ledgers import scores
from brain.ledgers.journal import hash_of
from brain.ledgers.signals import reward
from brain.times import iso_time

PROMOTIONS = f"{LEDGER_FOLDER}/promotions.ndjson"
THRESHOLD = 0.7
LEAST_UPDATES = 3
_OPEN = ("PROPOSED", "APPROVED")


class Reinforced:
    """What a reinforcement did: the record before (None: there was none) and after, the proposal or None."""

    __slots__ = ("next", "pattern_id", "previous", "promotion", "reward")

    def __init__(
        self,
        pattern_id: str,
        reward: float,
        previous: scores.Record | None,
        next: scores.Record,  # noqa: A002 - the published name
        promotion: dict[str, object] | None,
    ) -> None:
        self.pattern_id = pattern_id
        self.reward = reward
        self.previous = previous
        self.next = next
        self.promotion = promotion


def reinforce(
    project: str,
    pattern: str,
    signals: Mapping[str, object],
    evidence: Sequence[str] = (),
    *,
    now: float,
    wait: float = 2.0,
) -> Reinforced:
    """Count ``signals`` for ``pattern`` in ``project`` (its real path), and propose its promotion when due.

    ``evidence`` is only stored. ``now`` is in epoch seconds, ``wait`` in seconds, for another writer.
    ``MemError`` without a pattern or a signal, for a damaged scores file, and when a write fails.
    """
    if not pattern.strip():
        raise MemError("a reinforcement needs its pattern: give --pattern ID")
    if not signals:
        raise MemError("a reinforcement needs a signal: give --eval, --accept or --ci")
    with WriterLock(project, wait=wait):
        path = refuse_links(project, f"{LEDGER_FOLDER}/{scores.NAME}")
        log = refuse_links(project, PROMOTIONS)
        scores.sweep(refuse_links(project, LEDGER_FOLDER))
        table = scores.read_scores(path, now=now)
        previous = table.records.get(pattern)
        worth = reward(signals)
        table.records[pattern] = scores.update(previous, worth, iso_time(now))
        promotion = propose(
            pattern, previous, table.records[pattern], evidence, read_ledger(log), ts=iso_time(now)
        )
        # The proposal first: were the score stored alone, the crossing would never be seen again.
        if promotion:
            append_line(log, to_compact(promotion).encode(), cap=LEDGER_CAP, repair=True)
        scores.write_scores(table, project)
    return Reinforced(pattern, worth, previous, table.records[pattern], promotion)


def propose(
    pattern: str,
    previous: scores.Record | None,
    record: scores.Record,
    evidence: Sequence[str],
    ledger: Ledger,
    *,
    ts: str,
) -> dict[str, object] | None:
    """The proposal to promote ``pattern``, with the published keys in their order, or None.

    It is due when the pattern has just come to the threshold (a mean of 0.7 after at least 3 updates), and no
    proposal for it is open in ``ledger``.
    """
    if not _is_ripe(record) or (previous and _is_ripe(previous)) or _has_open(ledger, pattern):
        return None
    status = "validated"
    mean, updates = to_fixed(_value(record, "mean"), 3), record["updates"]
    return {
        "id": hash_of(pattern, ts, status),
        "patternId": pattern,
        "fromStatus": "candidate",
        "toStatus": status,
        "reason": f"mean {mean} >= {THRESHOLD} after {updates} updates",
        "evidence": list(evidence),
        "score": dict(record),
        "ts": ts,
        "status": "PROPOSED",
        "governedBy": "shield",
        "approvedBy": None,
        "approvedAt": None,
    }


def _is_ripe(record: scores.Record) -> bool:
    return _value(record, "mean") >= THRESHOLD and _value(record, "updates") >= LEAST_UPDATES


def _value(record: scores.Record, name: str) -> float:
    value = record.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _has_open(ledger: Ledger, pattern: str) -> bool:
    """Whether the last word on any proposal for ``pattern`` is that it is proposed or approved."""
    states = {
        str(line.get("id")): line.get("status")
        for _, line in ledger.lines
        if line.get("patternId") == pattern
    }
    return any(state in _OPEN for state in states.values())
