"""What dreaming proposes, and did, for a program."""

from __future__ import annotations

import os

from brain.dreaming.values import FAILURES, Claim, Components, Contradiction, Gates, Side, Verdict
from reports.document import Document, located, problem_document
from reports.dreaming import Dreamt, told
from reports.view import safe_display


def dreamt_document(one: Dreamt, *, promoted: bool) -> Document:
    """One workspace: ``data`` of ``zecher.memory.promote``, or one of its ``workspaces``."""
    sweep, planned = one.sweep, one.planned
    candidates = [] if sweep is None else [candidate(p.claim, p.verdict) for p in sweep.proposals]
    misses = () if sweep is None else sweep.near_misses
    if promoted:
        candidates += [candidate(m.claim, m.verdict) for m in misses if "promoted" in m.verdict.failed]
    added = () if planned is None or not one.run else planned.added
    return {
        **workspace_keys(one.root),
        "storePath": one.store,
        "lockPath": one.lock,
        "candidates": candidates,
        "apply": {
            "applied": len(added),
            "appended": len(added),
            "reconciledExisting": sum(not day for day in (one.known or {}).values()),
            "memoryPath": os.path.join(one.root, "MEMORY.md"),
            "appliedCandidates": [{"key": item.id, "text": told(item.text)} for item in added],
        },
        "run": one.run or None,
        "archived": [
            {"key": moved.item.id, "text": told(moved.item.text), "why": moved.why, "run": moved.item.run}
            for moved in (planned.archived if planned is not None else ())
        ],
        "archivePath": os.path.join(one.root, *one.archive.split("/")) if one.archive else None,
        "leftOut": [item.id for item in (planned.left_out if planned is not None else ())],
        "skipped": []
        if sweep is None
        else [
            {
                "reason": skipped.reason,
                "count": skipped.count,
                "examples": [
                    {"path": example.path, "line": example.line, "text": told(example.text)}
                    for example in skipped.examples
                ],
            }
            for skipped in sweep.skipped
        ],
        "nearMisses": [
            candidate(miss.claim, miss.verdict) for miss in misses if "promoted" not in miss.verdict.failed
        ],
        "contradictions": [contradiction(pair) for pair in (sweep.contradictions if sweep else ())],
        "themes": [
            {"tag": safe_display(theme.tag), "claims": theme.claims, "days": theme.days,
             "strength": round(theme.strength, 4)}
            for theme in (sweep.themes if sweep else ())
        ],
        "gone": [{"key": key, "text": told(text)} for key, text in one.gone],
        "unchangedRuns": one.unchanged,
        "budget": {"size": one.size, "max": one.budget, "items": one.items,
                   "over": bool(planned is not None and planned.is_over)},
        "counts": None
        if sweep is None
        else {"notes": sweep.notes, "days": sweep.days, "claims": sweep.claims},
        "thresholds": thresholds(one.gates),
        "findings": [problem_document(finding) for finding in one.findings],
    }  # fmt: skip


def candidate(claim: Claim, verdict: Verdict) -> Document:
    """A claim with its score, its evidence and the gates that it failed."""
    newest = max(claim.evidence, key=lambda one: (one.day, one.path, -one.line))
    scores = [recall.score for recall in claim.recalls]
    return {
        "key": claim.id,
        "claimHash": claim.id,
        "path": newest.path,
        "startLine": newest.line,
        "endLine": newest.line,
        "source": "memory",
        "snippet": told(claim.text),
        "lang": claim.lang or None,
        "recallCount": len(claim.recalls),
        "dailyCount": len(claim.days),
        "uniqueQueries": len({recall.query for recall in claim.recalls}),
        "avgScore": round(sum(scores) / len(scores), 4) if scores else None,
        "maxScore": round(max(scores), 4) if scores else None,
        "mark": claim.mark or None,
        "until": claim.until or None,
        "conceptTags": [safe_display(tag) for tag in claim.tags],
        "evidence": [{"path": one.path, "line": one.line, "day": one.day} for one in claim.evidence],
        "otherWordings": list(claim.also),
        "score": round(verdict.score, 4),
        "components": components(verdict.components),
        "failed": list(verdict.failed),
    }


def components(found: Components) -> dict[str, object]:
    """The six parts of a score by name."""
    names = ("frequency", "relevance", "diversity", "recency", "consolidation", "conceptual")
    return {name: round(getattr(found, name), 4) for name in names}


def contradiction(pair: Contradiction) -> Document:
    """Both sides, and in what they differ."""
    return {
        "differ": list(pair.differ),
        "ordered": pair.is_ordered,
        "certain": pair.is_certain,
        "earlier": _side(pair.earlier),
        "later": _side(pair.later),
    }


def workspace_keys(root: str) -> Document:
    """``workspaceDir``, and ``path_b64`` with its bytes where they are not UTF-8."""
    found = located(root)
    return {"workspaceDir": found["path"], **{key: found[key] for key in found if key != "path"}}


def _side(side: Side) -> Document:
    return {
        "key": side.id or None,
        "text": told(side.text),
        "path": side.path,
        "line": side.line,
        "first": side.first or None,
        "last": side.last or None,
        "human": side.is_human,
    }


def thresholds(gates: Gates) -> Document:
    """The gates by the names of the configuration in upstream's spelling."""
    return {
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recalls,
        "minUniqueQueries": gates.min_queries,
        "minDays": gates.min_days,
        "maxAgeDays": gates.max_age_days,
        "recencyHalfLifeDays": gates.half_life_days,
        "limit": gates.limit,
    }


# -- one claim ----------------------------------------------------------------------------------------------


def passes(claim: Claim, verdict: Verdict, gates: Gates) -> dict[str, object]:
    """Each gate by name and whether it was passed, from the verdict itself; with them what recurrence saw."""
    queries = len({recall.query for recall in claim.recalls})
    return {
        "score": "score" not in verdict.failed,
        "recurrence": "recurrence" not in verdict.failed,
        "recallCount": len(claim.recalls) >= gates.min_recalls,
        "uniqueQueries": queries >= gates.min_queries,
        "days": len(claim.days) >= gates.min_days,
        "marked": bool(claim.mark),
        "maxAge": "age" not in verdict.failed,
        **{
            name: name not in verdict.failed
            for name in FAILURES
            if name not in ("score", "recurrence", "age")
        },
    }


def explain_document(root: str, claim: Claim, verdict: Verdict, gates: Gates) -> Document:
    """``data`` of ``zecher.memory.promote-explain``."""
    return {
        **workspace_keys(root),
        "candidate": candidate(claim, verdict),
        "thresholds": thresholds(gates),
        "passes": passes(claim, verdict, gates),
        "passed": verdict.passed,
    }
