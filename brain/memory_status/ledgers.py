"""Whether the ledgers of a project are whole, and whether a dead writer left its lock behind."""

from __future__ import annotations

import os
from collections.abc import Sequence

from brain.files.errors import MemError
from brain.files.ledger import read_ledger
from brain.files.links import refuse_links
from brain.files.writer_lock import owner_of
from brain.folders import LEDGER_FOLDER
from brain.ledgers.scores import NAME as SCORES
from brain.ledgers.scores import look_at_scores
from brain.memory_status.values import Check, LedgerStatus
from brain.outcomes.receipts import read_receipts
from brain.wording import plural

OUTCOMES = "outcomes.ndjson"
LEDGERS = ("journal.ndjson", SCORES, "promotions.ndjson", OUTCOMES)

_SHOWN_LINES = 5


def ledgers(project: str) -> tuple[LedgerStatus, ...]:
    """The ledgers that are there, in their usual order; most projects have none, and need none."""
    paths = {name: os.path.join(project, LEDGER_FOLDER, name) for name in LEDGERS}
    return tuple(_ledger(project, name, path) for name, path in paths.items() if os.path.lexists(path))


def ledger_checks(found: Sequence[LedgerStatus]) -> list[Check]:
    """One check for each ledger that is there."""
    return [
        Check(ledger.name, not ledger.why, ledger.why or plural(ledger.records, "record"), ledger.path)
        for ledger in found
    ]


def check_lock(project: str, now: float, found: Sequence[LedgerStatus]) -> list[Check]:
    """A failed check for a lock whose owner is known to be dead; none while it may be at work.

    One of Zecher's own is not worth a word: the next writer clears it away. Where the folder of the ledgers
    cannot be looked into, that is a failed check, unless the ledgers that were ``found`` say it themselves.
    """
    try:
        owner = owner_of(project, now)
    except MemError as error:
        path = os.path.join(project, LEDGER_FOLDER)
        return [] if found else [Check("ledgers", False, str(error), path)]
    if owner is None or owner.alive is not False or owner.is_ours:
        return []
    why = f"left by process {owner.pid}, which is gone: `zecher doctor --unlock` removes it"
    return [Check("writer.lock", False, why, owner.path)]


def _ledger(project: str, name: str, path: str) -> LedgerStatus:
    try:
        refuse_links(project, f"{LEDGER_FOLDER}/{name}")
        if name == OUTCOMES:
            return LedgerStatus(name, path, len(read_receipts(project)), (), "")
        if name == SCORES:
            return LedgerStatus(name, path, len(look_at_scores(path).records), (), "")
        ledger = read_ledger(path)
    except MemError as error:
        return LedgerStatus(name, path, 0, (), str(error))
    damaged = tuple(ledger.damaged)
    return LedgerStatus(name, path, len(ledger.lines), damaged, _damage(damaged))


def _damage(lines: tuple[int, ...]) -> str:
    if not lines:
        return ""
    shown = ", ".join(str(line) for line in lines[:_SHOWN_LINES])
    more = f" and {len(lines) - _SHOWN_LINES} more" if len(lines) > _SHOWN_LINES else ""
    return f"no JSON object on line {shown}{more}: skipped by every reader, mend or remove it"
