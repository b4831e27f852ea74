"""What a recall gives, as a document."""

from __future__ import annotations

import json
import math
from pathlib import Path

from brain.recall.recall import Hit, recall
from reports.mem import hit_document
from tests.brain.recall.places import S0, S0_NOW, event, journal, notes
from tests.support import DAY, NOW


def hits(project: Path, query: str, *, now: float = NOW) -> list[Hit]:
    return recall(str(project), query, now=now).hits


def test_a_note_is_documented_with_the_published_keys_in_their_order(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha\n")
    (hit,) = hits(tmp_path, "alpha")
    assert json.dumps(hit_document(hit)) == (
        '{"score": 1.0, "kind": "note", "source": "decisions.md", '
        '"sourceFile": ".agents/memory/decisions.md", "ref": "A", "text": "A\\nalpha"}'
    )


def test_an_event_is_documented_with_all_that_was_stored(tmp_path: Path) -> None:
    stored = event("alpha", extra={"kept": [1]})
    journal(tmp_path, stored)
    (hit,) = hits(tmp_path, "alpha")
    assert list(hit_document(hit)) == ["score", "kind", "source", "ref", "text", "event"]
    assert hit_document(hit)["event"] == stored
    assert hit_document(hit)["source"] == "journal.ndjson"


def test_what_is_ours_comes_after_the_published_keys(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha\n")
    (hit,) = hits(tmp_path, "alpha")
    hit.lexical_score, hit.evidence = 1.0, {"status": "accepted-current"}
    assert list(hit_document(hit, explain=True, with_project=True))[6:] == [
        "lexicalScore",
        "evidence",
        "project",
        "explain",
    ]


def test_the_explanation_multiplies_to_the_score(tmp_path: Path) -> None:
    journal(tmp_path, S0)
    (hit,) = hits(tmp_path, "loyalty card sign-up bonus", now=S0_NOW + 30 * DAY)
    explanation = hit_document(hit, explain=True)["explain"]
    assert explanation == {
        "hits": 3.0,
        "matched": 3,
        "queryTokens": 4,
        "coverage": 0.75,
        "length": 18,
        "decay": 0.5,
        "evidenceFactor": 1.0,
        "file": ".bmad/memory/journal.ndjson",
        "line": 1,
    }
    assert hit.score == 3.0 * 0.75 / math.sqrt(18) * 0.5
