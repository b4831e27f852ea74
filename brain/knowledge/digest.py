"""All claims of a memory, a line each, for programs: newline-delimited JSON."""

from __future__ import annotations

from collections.abc import Iterable

from brain.files.javascript_json import to_compact
from brain.knowledge.lint import Reached, claim_days, freshness
from brain.knowledge.values import AGING, FRESH, STALE, UNKNOWN, Claim, Evidence, Page

_ORDER = {FRESH: 0, AGING: 1, STALE: 2, UNKNOWN: 3}


def digest(pages: Iterable[Page], reached: Reached) -> bytes:
    """One line a claim, ordered by page, then by confidence, freshness and text; the same for the same pages.

    Keys: ``page``, ``pageId``, ``pageType``, ``title``, ``id``, ``text``, ``status``, ``confidence``,
    ``freshness``, ``updatedAt``, ``evidence``.
    """
    lines = []
    for page in sorted(pages, key=lambda one: one.path):
        rows = [(claim, freshness(claim_days(page, claim), reached)) for claim in page.claims]
        rows.sort(key=lambda row: (-(row[0].confidence or 0.0), _ORDER[row[1]], row[0].text, row[0].id))
        lines += [to_compact(_line(page, claim, fresh)).encode() + b"\n" for claim, fresh in rows]
    return b"".join(lines)


def _line(page: Page, claim: Claim, fresh: str) -> dict[str, object]:
    return {
        "page": page.path,
        "pageId": page.id or None,
        "pageType": page.type or page.kind or None,
        "title": page.title or None,
        "id": claim.id or None,
        "text": claim.text,
        "status": claim.status,
        "confidence": claim.confidence,
        "freshness": fresh,
        "updatedAt": max((day for day in claim_days(page, claim) if day), default=None),
        "evidence": [_evidence(one) for one in claim.evidence],
    }


def _evidence(one: Evidence) -> dict[str, object]:
    return {
        "path": one.path or None,
        "lines": list(one.lines) if one.lines else None,
        "sourceId": one.source or None,
    }
