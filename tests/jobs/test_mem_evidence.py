"""``zecher mem`` with evidence: from an accepted Nexus run over its receipt to the ranking."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.brain.outcomes.nexus_project import LESSON, MEMORY, Project, wanted
from tests.jobs.program import Done, Program

EVIDENCE = ("--ranking", "evidence", "--context-scope")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one lesson and an accepted run whose evidence is current."""
    project = Project(tmp_path)
    project.accept()
    return project


@pytest.fixture
def mem(home: Path, project: Project) -> Program:
    return Program(home, project.root)


def observe(mem: Program, project: Project, *words: str) -> Done:
    return mem("mem", "observe", "--input", project.ask(), *words)


def test_observe_stores_a_receipt_and_claims_no_cause(mem: Program, project: Project) -> None:
    done = observe(mem, project)

    (receipt,) = project.records()
    assert done == Done(
        0, f"mem observe: {receipt['id']} recorded; lesson causality remains unmeasured.\n", ""
    )
    assert receipt["ts"] == "2026-11-30T03:17:04.000Z"


def test_observe_with_json_shows_the_receipt_as_stored(mem: Program, project: Project) -> None:
    done = observe(mem, project, "--json")

    assert list(done.document) == ["written"]
    assert done.document["written"] == project.records()[0]
    assert next(iter(done.document["written"])) == "id"


def test_outcomes_follow_the_files_of_today(mem: Program, project: Project) -> None:
    observe(mem, project)
    name = project.records()[0]["id"]
    before = project.read(MEMORY)

    assert mem("mem", "outcomes") == Done(0, f"{name}: accepted-current\n", "")

    project.write(MEMORY, before + "\n\n")
    assert mem("mem", "outcomes").out == f"{name}: accepted-current\n"

    project.write(MEMORY, before + "and more\n")
    assert mem("mem", "outcomes").out == f"{name}: stale-memory-section\n"

    project.write(MEMORY, before)
    limit = project.read("src/auth/limit.py")
    project.write("src/auth/limit.py", "LIMIT = 6\n")
    document = mem("mem", "outcomes", "--json").document
    assert list(document) == ["count", "results"]
    assert document["results"][0]["eligible"] is False
    assert document["results"][0]["reason"].startswith("unavailable-or-ineligible-source: ")

    project.write("src/auth/limit.py", limit)
    assert mem("mem", "outcomes").out == f"{name}: accepted-current\n"


def test_evidence_lifts_an_accepted_note_and_drops_it_outside_its_scope(
    mem: Program, project: Project
) -> None:
    observe(mem, project)
    project.lesson("Another limit", "no receipt for this one")
    lexical = mem("mem", "recall", "limit", "--json").document["results"]

    document = mem("mem", "recall", "limit", *EVIDENCE, "src/auth/x,docs", "--json").document

    assert document["ranking"] == "evidence"
    by_name = {hit["ref"]: hit for hit in document["results"]}
    score = next(hit["score"] for hit in lexical if hit["ref"] == LESSON)
    assert by_name[LESSON]["score"] == score * 1.25
    assert by_name[LESSON]["lexicalScore"] == score
    assert by_name[LESSON]["evidence"]["status"] == "accepted-current"
    assert by_name["Another limit"]["evidence"]["status"] == "unverified"

    outside = mem("mem", "recall", "limit", *EVIDENCE, "docs", "--json").document["results"]
    assert [hit["ref"] for hit in outside] == ["Another limit"]


def test_the_text_of_an_evidence_recall_names_the_standing_of_each_hit(
    mem: Program, project: Project
) -> None:
    observe(mem, project)

    done = mem("mem", "recall", "limit", *EVIDENCE, "src", "--explain")

    assert f"note lessons.md § {LESSON} (evidence: accepted-current)\n" in done.out
    assert " x evidence 1.250; .agents/memory/lessons.md:3\n" in done.out


def test_the_limit_is_applied_after_the_evidence(mem: Program, project: Project) -> None:
    observe(mem, project)
    project.lesson("Limit", "limit")

    plain = mem("mem", "recall", "limit", "--limit", "1", "--json").document["results"]
    outside = mem("mem", "recall", "limit", "--limit", "2", *EVIDENCE, "docs", "--json").document["results"]

    assert [hit["ref"] for hit in plain] == ["Limit"]
    assert [hit["ref"] for hit in outside] == ["Limit"]


@pytest.mark.parametrize("scope", ["", ".", "/src", "src/auth/", "a:b", "..", ",".join(["x"] * 31)])
def test_a_context_scope_that_is_none_is_refused(mem: Program, scope: str) -> None:
    done = mem("mem", "recall", "limit", *EVIDENCE, scope)

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("mem recall: ")


def test_a_damaged_store_fails_the_evidence_and_not_the_plain_recall(mem: Program, project: Project) -> None:
    observe(mem, project)
    project.ledger.write_text(project.ledger.read_text().replace("under load", "under lead"))

    assert mem("mem", "recall", "limit").code == 0
    for words in (["recall", "limit", *EVIDENCE, "src"], ["outcomes"]):
        done = mem("mem", *words, "--json")
        assert (done.code, list(done.document)) == (1, ["error"])


def test_a_refused_observation_writes_nothing(mem: Program, project: Project) -> None:
    path = project.ask(**(wanted() | {"taskId": "nope"}))

    done = mem("mem", "observe", "--input", path)

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("mem observe: ")
    assert not project.ledger.exists()


def test_a_moved_project_is_told_so(mem: Program, project: Project, tmp_path: Path) -> None:
    observe(mem, project)
    moved = project.root.rename(tmp_path / "moved")

    done = Program(mem.home, moved)("mem", "outcomes")

    assert "unavailable-or-ineligible-source: " in done.out
    assert "moved" in done.out
    assert str(project.root) not in done.out
