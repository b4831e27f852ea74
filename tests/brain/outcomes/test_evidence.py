"""The evidence ranking: which notes rise, which stay, which are left out."""

from __future__ import annotations

from typing import Any

import pytest

from brain.files.errors import MemError
from brain.outcomes.observe import observe
from brain.recall.evidence import apply_evidence
from brain.recall.recall import Hit, Recalled, recall
from reports.mem import hit_document
from tests.brain.outcomes.nexus_project import LESSON, MEMORY, Project
from tests.support import NOW

# Ten tokens of which the query's three occur, one of them twice: (3 + ln 2) / sqrt(10).
BODY = "limit the limit of rate per account auth"
QUERY = "rate limit auth"
LEXICAL = 1.167875682
WITH_EVIDENCE = 1.459844603


@pytest.fixture
def project(project: Project) -> Project:
    """A project with a note that has a receipt, one that has none, and an event."""
    project.write(MEMORY, f"### Gate keeper\n{BODY}\n### Rate cards\nrate of cards\n")
    project.write(".bmad/memory/journal.ndjson", '{"ts":0,"agent":"forge","task":"rate limit"}\n')
    project.accept()
    return project


def observed(project: Project, heading: str = "Gate keeper", run_id: str = "one", **changes: Any) -> str:
    memory = {"file": MEMORY, "heading": heading}
    return str(observe(project.path, project.ask(runId=run_id, memory=memory, **changes), now=NOW)["id"])


def ranked(project: Project, scope: list[str] | None = None, limit: int = 8, query: str = QUERY) -> Recalled:
    recalled = recall(project.path, query, now=NOW, limit=limit, strict=True)
    return apply_evidence(recalled, project.path, ["src/auth"] if scope is None else scope)


def named(recalled: Recalled, ref: str) -> Hit:
    (hit,) = [hit for hit in recalled.hits if hit.ref == ref]
    return hit


def refs(recalled: Recalled) -> list[str]:
    return [hit.ref for hit in recalled.hits if hit.kind == "note"]


def test_a_current_note_rises_by_a_quarter_from_the_published_score(project: Project) -> None:
    receipt = observed(project)
    lexical = named(recall(project.path, QUERY, now=NOW), "Gate keeper")
    hit = named(ranked(project), "Gate keeper")
    assert lexical.score == pytest.approx(LEXICAL, abs=5e-10)
    assert hit.score == pytest.approx(WITH_EVIDENCE, abs=5e-10)
    assert hit.score == lexical.score * 1.25
    assert (hit.lexical_score, hit.evidence_factor) == (lexical.score, 1.25)
    assert hit.evidence == {
        "status": "accepted-current",
        "receiptIds": [receipt],
        "reward": 1,
        "boost": 0.25,
        "lessonCausality": "unmeasured",
    }


def test_the_document_has_the_published_keys(project: Project) -> None:
    observed(project)
    hits = ranked(project).hits
    assert list(hit_document(hits[0])) == [
        "score", "kind", "source", "sourceFile", "ref", "text", "lexicalScore", "evidence"
    ]  # fmt: skip
    assert list(hit_document(hits[1])) == ["score", "kind", "source", "sourceFile", "ref", "text", "evidence"]


def test_events_and_notes_without_receipts_stay_as_they_are(project: Project) -> None:
    observed(project)
    plain = recall(project.path, QUERY, now=NOW)
    found = ranked(project)
    assert [hit.kind for hit in found.hits] == [hit.kind for hit in plain.hits]
    for ours, theirs in zip(found.hits[1:], plain.hits[1:], strict=True):
        assert (ours.ref, ours.score, ours.lexical_score) == (theirs.ref, theirs.score, None)
        assert ours.evidence == {"status": "unverified", "receiptIds": [], "boost": 0}


def test_without_any_receipt_the_order_is_the_lexical_one(project: Project) -> None:
    plain = recall(project.path, QUERY, now=NOW)
    assert [(hit.ref, hit.score) for hit in ranked(project).hits] == [
        (hit.ref, hit.score) for hit in plain.hits
    ]
    assert ranked(project).ranking == "evidence"


def test_evidence_can_change_who_is_first(project: Project) -> None:
    project.write(MEMORY, "### First\nrate of it\n### Second\nrate of it all\n")
    observed(project, "Second")
    assert refs(ranked(project, query="rate")) == ["Second", "First"]
    assert refs(recall(project.path, "rate", now=NOW)) == ["First", "Second"]


def test_the_limit_is_applied_after_the_evidence(project: Project) -> None:
    project.write(MEMORY, "### First\nrate of it\n### Second\nrate of it all\n")
    observed(project, "Second")
    assert refs(ranked(project, limit=1, query="rate")) == ["Second"]


@pytest.mark.parametrize("scope", [["src"], ["src/auth"], ["src/auth/x"], ["docs", "src"]])
def test_a_scope_that_touches_the_receipts_keeps_the_note(project: Project, scope: list[str]) -> None:
    observed(project)
    assert "Gate keeper" in refs(ranked(project, scope))


@pytest.mark.parametrize("scope", [["docs"], ["src/auth2"]])
def test_a_note_is_dropped_when_its_receipts_lie_elsewhere(project: Project, scope: list[str]) -> None:
    observed(project)
    assert refs(ranked(project, scope)) == ["Rate cards"]


def test_a_note_whose_only_receipt_is_stale_is_dropped_from_evidence_only(project: Project) -> None:
    observed(project)
    project.write("src/auth/limit.py", "LIMIT = 6\n")
    assert refs(ranked(project)) == ["Rate cards"]
    assert "Gate keeper" in refs(recall(project.path, QUERY, now=NOW))


def test_an_edited_note_is_dropped(project: Project) -> None:
    observed(project)
    project.write(MEMORY, project.read(MEMORY).replace("per account", "by account"))
    assert refs(ranked(project)) == ["Rate cards"]


def test_a_note_that_was_read_with_another_text_is_dropped(project: Project) -> None:
    observed(project)
    before = project.read(MEMORY)
    project.write(MEMORY, before.replace("per account", "by account"))
    recalled = recall(project.path, QUERY, now=NOW, strict=True)
    project.write(MEMORY, before)
    assert refs(apply_evidence(recalled, project.path, ["src"])) == ["Rate cards"]


def test_both_notes_of_a_heading_that_stands_twice_are_dropped(project: Project) -> None:
    observed(project)
    project.write(MEMORY, project.read(MEMORY) + f"### Gate keeper\n{BODY}\n")
    assert refs(ranked(project)) == ["Rate cards"]


def test_a_note_of_that_name_in_another_file_has_no_receipt(project: Project) -> None:
    observed(project)
    project.write(".bmad/memory/lessons.md", f"### Gate keeper\n{BODY}\n")
    found = [hit for hit in ranked(project).hits if hit.ref == "Gate keeper"]
    assert [(hit.source_file, hit.evidence_factor) for hit in found] == [
        (MEMORY, 1.25),
        (".bmad/memory/lessons.md", 1.0),
    ]


def test_several_receipts_do_not_add_up(project: Project) -> None:
    project.accept("two")
    ids = [observed(project), observed(project, run_id="two")]
    hit = named(ranked(project), "Gate keeper")
    assert hit.evidence_factor == 1.25
    assert hit.evidence is not None
    assert hit.evidence["receiptIds"] == ids


def test_one_receipt_that_counts_is_enough(project: Project) -> None:
    project.accept("two")
    first = observed(project)
    second = observed(project, run_id="two", supersedes=[first])
    hit = named(ranked(project), "Gate keeper")
    assert hit.evidence is not None
    assert hit.evidence["receiptIds"] == [second]


def test_both_sides_of_a_contradiction_are_dropped(project: Project) -> None:
    project.accept("two")
    first = observed(project)
    observed(project, "Rate cards", "two", contradicts=[first])
    assert refs(ranked(project)) == []


@pytest.mark.parametrize(
    "scope", [[], ["src/auth"] * 31, ["."], ["/src"], ["src/"], [""], ["../src"], ["c:src"], ["src\\auth"]]
)
def test_a_context_scope_that_is_none_is_refused(project: Project, scope: list[str]) -> None:
    with pytest.raises(MemError, match="scope"):
        ranked(project, scope)


def test_any_fault_of_the_ledger_fails_the_whole_recall(project: Project) -> None:
    observed(project)
    project.ledger.write_bytes(project.ledger.read_bytes()[:-1])
    with pytest.raises(MemError, match="damaged"):
        ranked(project)
    with pytest.raises(MemError, match="damaged"):
        ranked(project, query="nothing of that kind")


def test_a_portfolio_has_no_evidence(project: Project) -> None:
    recalled = recall(project.path, QUERY, now=NOW, scope="portfolio", strict=True)
    with pytest.raises(MemError, match="one project"):
        apply_evidence(recalled, project.path, ["src"])


def test_the_recalled_hits_are_left_as_they_were(project: Project) -> None:
    observed(project)
    recalled = recall(project.path, QUERY, now=NOW, strict=True)
    before = [(hit.score, hit.evidence) for hit in recalled.hits]
    apply_evidence(recalled, project.path, ["src"])
    assert [(hit.score, hit.evidence) for hit in recalled.hits] == before


def test_a_note_that_does_not_match_is_not_judged(project: Project) -> None:
    observed(project)
    assert LESSON not in refs(ranked(project))
    (project.root / ".bmad-plus/nexus/runs/one.json").unlink()
    assert refs(ranked(project, query="cards")) == ["Rate cards"]
