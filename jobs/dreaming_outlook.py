"""How dreaming stands in all workspaces, for the reports and the status: what waits, and whether it ran."""

from __future__ import annotations

import os

from brain.portfolio import read_portfolio
from jobs.dreaming_state import remembered
from jobs.run_ledger import CRASHED, START, LedgerError, RunLedger, read_runs
from reports.snapshot import DREAMS, Dreaming, DreamNote
from reports.view import DAY
from scanner.mounts import read_mounts
from scanner.places import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.config_values import ConfiguredDreaming
    from jobs.dreaming_state import LastRun

_JOB = "dreaming"
_HOUR = 3600.0
_WEEK = 7


def dreaming_outlook(configured: ConfiguredDreaming, brain: str, state: str, now: float) -> Dreaming | None:
    """How it stands by the state folder ``state`` at ``now`` (epoch seconds); None while the job is off.

    Reads what is remembered of each run, never a note. Workspaces that are gone, or neither configured nor
    among the projects of the index in ``brain`` any more, are left out.
    """
    if not configured.enabled:
        return None
    try:
        ledger = read_runs(state)
    except LedgerError:
        ledger = RunLedger()
    found = tuple(_note(root, last, configured.budget) for root, last in _wanted(configured, brain, state))
    last, good = ledger.last_try(_JOB), ledger.last_ok(_JOB)
    recent = [run for run in ledger.of(_JOB) if run.start > now - _WEEK * DAY]
    outcome = "" if last is None else last.state
    if last is not None and outcome == START:
        # One that goes on for longer than any run may has no end to come.
        outcome = CRASHED if last.start < now - _HOUR else ""
    return Dreaming(
        workspaces=found[:DREAMS],
        more=len(found) - len(found[:DREAMS]),
        outcome=outcome,
        at=None if last is None else last.start,
        done=None if good is None else good.start,
        promoted=sum(run.counts.get("promoted", 0) for run in recent),
        archived=sum(run.counts.get("archived", 0) for run in recent),
    )


def _wanted(configured: ConfiguredDreaming, brain: str, state: str) -> Iterator[tuple[str, LastRun]]:
    known = remembered(state)
    if not known:
        return
    roots = {os.path.realpath(path) for path in configured.workspaces}
    if any(root not in roots for root, _ in known):
        roots |= {os.path.realpath(card.path) for card in read_portfolio(brain).cards}
    places = Places(read_mounts())
    for root, last in known:
        if root in roots and not places.may_hang(root) and os.path.isdir(root):
            yield root, last


def _note(root: str, last: LastRun, budget: int) -> DreamNote:
    return DreamNote(
        path=root,
        name=os.path.basename(root),
        at=last.at,
        outcome=last.outcome,
        proposed=len(last.proposed),
        near=last.near_misses,
        unchanged=last.unchanged,
        size=last.size,
        budget=budget,
    )
