"""Entries of decision logs: where they begin, what they say, what replaced them."""

# ruff: noqa: RUF001 - texts keep the signs of their languages

from __future__ import annotations

import time

import pytest

from brain.health.decision_log import decision_file, entries_of
from brain.health.decision_names import read_name, replaced_by, replaces
from brain.health.decision_values import Decision
from brain.health.page import Page
from brain.health.values import MemoryFile
from tests.brain.health import shapes


def entries(text: str, path: str = "DECISIONS.md") -> tuple[Decision, ...]:
    return entries_of(text.encode(), path)


def test_the_seed_has_one_entry_with_all_its_fields() -> None:
    (entry,) = entries(shapes.SEED_DECISIONS)

    assert (entry.date, entry.title, entry.line, entry.end) == (
        "2026-03-14",
        "Cache der Benutzereinstellungen in Redis",
        3,
        8,
    )
    assert set(entry.fields) == {"decision", "rationale", "rejected", "constraint"}
    assert entry.fields["rejected"].line == 6
    assert entry.fields["rejected"].text.endswith("die Pflege lohnt sich nicht.")


def test_a_template_in_a_fence_is_no_entry() -> None:
    text = "# D\n\n```\n## 2026-01-01 – Title\n- Decision: x\n```\n\n## 2026-01-02 – Real\n- Decision: y\n"

    assert [one.title for one in entries(text)] == ["Real"]


def test_placeholders_are_no_entries() -> None:
    assert entries(
        "# D\n\n## D-NNN — title\n- Decision: x\n\n## YYYY-MM-DD – Title\n- Decision:\n"
    ) == () or all("NNN" not in one.title for one in entries("# D\n\n## YYYY-MM-DD – Title\n- Decision:\n"))


def test_a_number_alone_opens_no_entry_and_with_a_decision_below_it_does() -> None:
    assert entries("# D\n\n## 3. Risk\nIt may break.\n") == ()
    assert [one.title for one in entries("# D\n\n## 3. Store\n- Decision: files\n")] == ["Store"]


def test_days_that_gather_entries_give_them_their_date() -> None:
    text = "# D\n\n## 2026-03-14\n\n### Redis\n- Decision: a\n\n### Postgres\n- Decision: b\n"

    assert [(one.date, one.title) for one in entries(text)] == [
        ("2026-03-14", "Redis"),
        ("2026-03-14", "Postgres"),
    ]


def test_fields_may_be_sub_headings() -> None:
    (entry,) = entries(
        "# D\n\n## D-1 Store\n\n### Context\na\n\n### Decision\nb\n\n### Alternatives considered\n- c\n"
    )

    assert {name: fact.text for name, fact in entry.fields.items()} == {
        "context": "a",
        "decision": "b",
        "rejected": "c",
    }
    assert entry.fields["decision"].line == 9


def test_a_file_of_one_decision_is_one_entry() -> None:
    (entry,) = entries("# Redis\n\n## Decision\nRedis.\n\n## Rationale\nFast.\n")

    assert (entry.title, entry.fields["rationale"].text) == ("Redis", "Fast.")


def test_a_struck_heading_is_superseded() -> None:
    (entry,) = entries("# D\n\n## ~~D-003 Old way~~\n- Decision: a\n")

    assert (entry.identifier, entry.title, entry.status) == ("D-003", "Old way", "superseded")


def test_a_mark_in_the_heading_changes_neither_title_nor_key() -> None:
    (before,) = entries("# D\n\n## 2026-03-14 – Cache\n- Entscheidung: a\n")
    (after,) = entries("# D\n\n## 2026-03-14 – Cache (ersetzt durch 2026-04-02)\n- Entscheidung: a\n")

    assert before.key == after.key
    assert after.superseded_by == ("2026-04-02",)


@pytest.mark.parametrize(
    ("heading", "identifier", "date", "title"),
    [
        ("D-001 — Store — LOCKED", "D-001", None, "Store"),
        ("D1: Store", "D1", None, "Store"),
        ("ADR-0007: Store", "ADR-0007", None, "Store"),
        ("DEC-12 Store", "DEC-12", None, "Store"),
        ("[2026-03-14] Store", "", "2026-03-14", "Store"),
        ("14.03.2026: Store", "", "2026-03-14", "Store"),
        ("2026-03-14 D-005: Store", "D-005", "2026-03-14", "Store"),
        ("Store (2026-03-14)", "", "2026-03-14", "Store"),
        ("March 14, 2026 - Store", "", "2026-03-14", "Store"),
        ("Decision 4: Store", "4", None, "Store"),
    ],
)
def test_openers(heading: str, identifier: str, date: str | None, title: str) -> None:
    name = read_name(heading)

    assert (name.identifier, name.date, name.title) == (identifier, date, title)


@pytest.mark.parametrize(
    "heading", ["UTF-8 everywhere", "SHA-256 for names", "3D view", "Debugging", "Decisions", "Drop D"]
)
def test_other_headings_have_no_identifier(heading: str) -> None:
    assert read_name(heading).identifier == ""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Superceded by [2. Other](0002-other.md)", ("0002-other.md",)),
        ("superseded by D-007", ("D-007",)),
        ("Ersetzt durch ADR-9 und ADR-10", ("ADR-9", "ADR-10")),
        ("abgelöst durch 2026-04-02", ("2026-04-02",)),
        ("remplacée par D-7", ("D-7",)),
        ("SUPERSEDED-BY-D-007", ("D-007",)),
        ("replaced by the new store", ("the new store",)),
        ("ersetzt nicht die Prüfung", ()),
        ("accepted", ()),
    ],
)
def test_what_replaced_an_entry(text: str, names: tuple[str, ...]) -> None:
    assert replaced_by(text) == names


def test_what_an_entry_replaces_needs_a_name_in_german() -> None:
    assert replaces("Ersetzt D-003") == ("D-003",)
    assert replaces("Supersedes [1. x](0001-x.md)") == ("0001-x.md",)
    assert replaces("ersetzt das alte Verfahren") == ()
    assert replaces("ersetzt durch D-7") == ()


def test_a_clause_may_say_what_was_rejected() -> None:
    (entry,) = entries("# D\n\n## D-1 Store\n- Decision: files instead of a database\n- Why: simple\n")

    assert entry.has_inline_rejected


def test_the_same_identifier_twice_is_kept_twice() -> None:
    assert [
        one.identifier for one in entries("# D\n\n## D-005 a\n- Decision: x\n\n## D-005 b\n- Decision: y\n")
    ] == ["D-005", "D-005"]


def test_a_log_without_entries_is_only_recognised_while_it_says_nothing() -> None:
    empty, prose = (
        b"# Decisions\n",
        b"# Decisions\n\nWe met and talked for a long time about many different things.\n",
    )

    assert decision_file(MemoryFile("decisions", "D.md", empty), Page("D.md", empty)).recognised
    assert not decision_file(MemoryFile("decisions", "D.md", prose), Page("D.md", prose)).recognised


def test_hostile_logs_take_linear_time() -> None:
    began = time.process_time()
    for text in (
        "## D-1 x\n- Decision: y\n" * 40_000,
        "## 2026-01-01\n" * 60_000,
        "| Decision |\n|---|\n" + "| x |\n" * 100_000,
        "## " + "D-1 " * 200_000,
        "- superseded by " * 60_000,
        "# " + "~~a" * 300_000,
        "## x\n### Decision\n" * 40_000,
        "## a\nsuperseded by [x](y)\n" * 30_000,
    ):
        assert len(entries(text)) >= 0
    assert time.process_time() - began < 60
