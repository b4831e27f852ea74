"""What each receipt is worth today: current, or the first reason why not."""

from __future__ import annotations

from collections.abc import Collection

from brain.files.errors import MemError
from brain.outcomes.anchors import Anchors
from brain.outcomes.foreign_json import Object, same
from brain.outcomes.nexus import Sources
from brain.outcomes.receipts import Anchor, Receipt, read_receipts
from brain.outcomes.rules import overlap

ACCEPTED = "accepted-current"
SUPERSEDED = "superseded"
CONTRADICTORY = "contradictory"
OUTSIDE = "outside-query-scope"
STALE_MEMORY = "stale-memory-section"
STALE_SOURCE = "stale-outcome-source"
UNAVAILABLE = "unavailable-or-ineligible-source"


class Judged:
    """A ``receipt`` and the ``reason`` why it does not count today, None when it does."""

    __slots__ = ("reason", "receipt")

    def __init__(self, receipt: Receipt, reason: str | None) -> None:
        self.receipt = receipt
        self.reason = reason

    @property
    def state(self) -> str:
        """The state as people read it: ``accepted-current`` or the reason."""
        return self.reason or ACCEPTED


def outcomes(project: str) -> list[Object]:
    """Every receipt of the project at ``project`` (a real path) as stored, with ``eligible`` and ``reason``.

    ``eligible`` is a bool, ``reason`` None or a state, in one case with its cause. ``MemError`` when the
    ledger is damaged.
    """
    return [
        {**judged.receipt.document, "eligible": judged.reason is None, "reason": judged.reason}
        for judged in judge(project)
    ]


def judge(
    project: str, *, context_scope: list[str] | None = None, anchors: Collection[Anchor] | None = None
) -> list[Judged]:
    """The receipts of the project with their reasons, in their order.

    With ``context_scope`` (paths as ``scope_paths`` gives them) a receipt whose scope does not touch it does
    not count. With ``anchors`` only receipts that are tied to those sections are looked at and returned.
    """
    receipts = read_receipts(project)
    reasons = _reasons_of_relations(receipts)
    judged = [
        Judged(receipt, reason)
        for receipt, reason in zip(receipts, reasons, strict=True)
        if anchors is None or receipt.anchor in anchors
    ]
    if context_scope is not None:
        for one in judged:
            if one.reason is None and not overlap(one.receipt.scope, context_scope):
                one.reason = OUTSIDE
    _compare_memory(project, [one for one in judged if one.reason is None])
    _compare_sources(project, [one for one in judged if one.reason is None])
    return judged


def _reasons_of_relations(receipts: list[Receipt]) -> list[str | None]:
    """Superseded and contradictory ones. A contradiction sticks to the section, whoever observes it again."""
    superseded = {one for receipt in receipts for one in receipt.supersedes}
    in_dispute: set[str] = set()
    for receipt in receipts:
        against = [one for one in receipt.contradicts if one not in superseded]
        if against and receipt.id not in superseded:
            in_dispute.update(against, [receipt.id])
    disputed = {receipt.anchor for receipt in receipts if receipt.id in in_dispute}
    return [
        SUPERSEDED if receipt.id in superseded else CONTRADICTORY if receipt.anchor in disputed else None
        for receipt in receipts
    ]


def _compare_memory(project: str, judged: list[Judged]) -> None:
    sections = Anchors(project)
    for one in judged:
        try:
            if not same(sections.find(one.receipt.memory), one.receipt.memory):
                one.reason = STALE_MEMORY
        except MemError as error:
            one.reason = _unavailable(project, error)


def _compare_sources(project: str, judged: list[Judged]) -> None:
    """The costly part: run by run, since a run may have 32 MiB and only one is kept."""
    sources = Sources(project)
    for one in sorted(judged, key=lambda one: one.receipt.attempt):
        run_id, task_id, _ = one.receipt.attempt
        try:
            if not same(sources.accepted(run_id, task_id), one.receipt.source):
                one.reason = STALE_SOURCE
        except MemError as error:
            one.reason = _unavailable(project, error)


def _unavailable(project: str, error: MemError) -> str:
    """The state with its cause, which names files as the project sees them."""
    return f"{UNAVAILABLE}: {str(error).replace(project.rstrip('/') + '/', '')}"
