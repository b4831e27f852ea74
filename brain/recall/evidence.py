"""The evidence ranking: notes with a receipt that counts today rise.

A note whose receipts all fail is left out: it must not fall back to an authority that it has lost.
"""

from __future__ import annotations

from copy import copy
from hashlib import sha256

from brain.files.errors import MemError
from brain.outcomes.rules import scope_paths
from brain.outcomes.states import ACCEPTED, Judged, judge
from brain.recall.recall import PROJECT_SCOPE, Hit, Recalled, best

RANKING = "evidence"
BOOST = 0.25
# An accepted outcome is the whole reward; the formula of the journal with acceptance alone gives 1 as well.
REWARD = 1


def apply_evidence(recalled: Recalled, project: str, context_scope: list[str]) -> Recalled:
    """``recalled`` (of ``recall(..., strict=True)``) ranked by evidence and cut to its limit.

    ``project`` is the real path that was searched, ``context_scope`` 1 to 30 paths below it. Events and notes
    without receipts stay as they are, unverified. A note with receipts is lifted by a quarter, however many
    they are, when one is eligible for the scope and bound to the very text found; else it is dropped.
    ``MemError`` for another scope than the project, a scope path that is none, or a damaged ledger.
    """
    if recalled.scope != PROJECT_SCOPE:
        raise MemError("evidence ranking looks at one project only: leave --scope portfolio out")
    scope = scope_paths(context_scope)
    anchors = {(hit.source_file, hit.ref) for hit in recalled.hits if hit.kind == "note"}
    by_anchor: dict[tuple[str, str], list[Judged]] = {}
    for judged in judge(project, context_scope=scope, anchors=anchors):
        by_anchor.setdefault(judged.receipt.anchor, []).append(judged)
    hits: list[Hit] = []
    for hit in recalled.hits:
        receipts = by_anchor.get((hit.source_file, hit.ref)) if hit.kind == "note" else None
        kept = _unverified(hit) if receipts is None else _verified(hit, receipts)
        if kept is not None:
            hits.append(kept)
    return Recalled(
        recalled.query,
        recalled.scope,
        RANKING,
        best(hits, recalled.limit),
        limit=recalled.limit,
        damaged=recalled.damaged,
        skipped=recalled.skipped,
    )


def _unverified(hit: Hit) -> Hit:
    plain = copy(hit)
    plain.evidence = {"status": "unverified", "receiptIds": [], "boost": 0}
    return plain


def _verified(hit: Hit, receipts: list[Judged]) -> Hit | None:
    """The note with its evidence, or None when none of its receipts counts for this text today."""
    text_hash = sha256(hit.text.encode()).hexdigest()
    counting = [
        one.receipt.id
        for one in receipts
        if one.reason is None and one.receipt.memory.get("textSha256") == text_hash
    ]
    if not counting:
        return None
    lifted = copy(hit)
    lifted.evidence_factor = 1 + BOOST * REWARD
    lifted.lexical_score = hit.score
    lifted.score = hit.score * lifted.evidence_factor
    lifted.evidence = {
        "status": ACCEPTED,
        "receiptIds": counting,
        "reward": REWARD,
        "boost": BOOST,
        "lessonCausality": "unmeasured",
    }
    return lifted
