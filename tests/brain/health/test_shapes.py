"""The shapes that real repositories show are read as people mean them."""

# ruff: noqa: RUF001 - texts keep the signs of their languages

from __future__ import annotations

from collections.abc import Mapping

import pytest

from brain.health import roles
from brain.health.decision_log import ADR, BMAD, TABLE, Decision, adr_folders, entries_of, is_record
from brain.health.handover import Handover
from brain.health.page import Page
from brain.health.parsed import ParsedMemory
from brain.health.values import Memory, MemoryFile
from tests.brain.health import shapes


def handover(text: str, path: str = "PROGRESS.md") -> Handover:
    file = MemoryFile(roles.PROGRESS, path, text.encode())
    return Handover(file, Page(path, file.data))


def decisions(text: str, path: str = "DECISIONS.md") -> tuple[Decision, ...]:
    return entries_of(text.encode(), path)


def records(files: Mapping[str, str]) -> dict[str, Decision]:
    some = [MemoryFile(roles.ADR, path, text.encode()) for path, text in files.items()]
    folders = adr_folders(some, lambda file: Page(file.path, file.data))
    return {entry.file: entry for folder in folders for entry in folder.entries}


def page(text: str, path: str = "AGENTS.md") -> Page:
    return Page(path, text.encode())


def titles(some: tuple[Decision, ...]) -> list[str]:
    return [one.title for one in some]


# Progress files.


@pytest.mark.parametrize(
    "text",
    [
        shapes.KOREAN_TABLE,
        shapes.PHASE_TABLES,
        shapes.DATED_LOG,
        shapes.TICKED_PHASES,
        shapes.ROADMAP_HANDOFF,
        shapes.POINTER,
    ],
    ids=["1 table of giant cells", "2 phases", "3 dated log", "5 ticked phases", "8 roadmap", "9 pointer"],
)
def test_what_is_no_handover_is_not_recognised_and_misses_nothing(text: str) -> None:
    read = handover(text)

    assert not read.recognised
    assert "next" not in read.fields


def test_a_status_column_counts_as_state() -> None:
    assert handover(shapes.PHASE_TABLES).fields["state"].text == "Complete"


def test_a_commit_in_a_giant_cell_is_found() -> None:
    assert handover("# x\n\n| a | commit a1b2c3d " + "word " * 3000 + "|\n").commit is not None


def test_turkish_sessions_tell_state_tests_and_next_step() -> None:
    read = handover(shapes.TURKISH_SESSIONS)

    assert read.recognised
    assert read.fields["next"].text == "ödeme ekranını bağlamak"
    assert read.fields["state"].text.startswith("Fatura ekranı bitti")
    assert read.tests is not None
    assert read.tests.passed == 533


def test_of_two_headings_for_the_state_the_last_holds_and_both_are_kept() -> None:
    read = handover(shapes.SESSIONS_TXT, "claude-progress.txt")

    assert read.recognised
    assert read.fields["state"].text == "2/4 features (see feature_list.json)"
    assert [one.heading.line for one in read.page.sections("state")] == [3, 11]
    assert read.fields["next"].line == 15
    assert read.next_has_criterion


def test_two_of_four_features_are_no_evidence_of_tests() -> None:
    assert handover(shapes.SESSIONS_TXT).tests is None


def test_a_generated_handover_is_read_whole() -> None:
    read = handover(shapes.GENERATED_HANDOFF, "HANDOFF.md")

    assert read.recognised
    assert read.fields["goal"].text == "Search over all notes without a server."
    assert read.commit is not None
    assert read.commit.text == "3f9c2ab"
    assert read.tests is not None
    assert read.tests.passed == 214
    assert read.fields["next"].text.startswith("Rank titles higher")
    assert read.soft_blocker
    assert read.next_has_criterion


def test_the_title_is_no_state_and_a_date_after_it_is_none() -> None:
    read = handover(shapes.GERMAN_STAND, "STAND.md")

    assert read.recognised
    assert read.places["state"] == 5
    assert read.fields["state"].text.startswith("Der Import läuft")
    assert read.fields["next"].text == "Den Export nach CSV bauen."
    assert read.soft_blocker
    assert read.commit is None
    assert read.tests is None


def test_japanese_headings_are_known() -> None:
    read = handover(shapes.JAPANESE_CONTEXT, "memory-bank/activeContext.md")

    assert read.recognised
    assert {"goal", "next", "done"} <= read.fields.keys()
    assert read.fields["next"].text == "計算履歴を保\n存する"


def test_a_next_step_may_be_a_list_item() -> None:
    read = handover(shapes.SHORT_CONTEXT)

    assert read.fields["goal"].text == "Upgrade of the admin template"
    assert read.fields["next"].text == "run the migration of the theme"


def test_emoji_and_sub_headings_keep_the_field_of_their_heading() -> None:
    read = handover(shapes.EMOJI_CONTEXT)

    assert read.fields["goal"].text == "**Fishing spots on the map**\nEverything else waits."
    assert read.fields["next"].text == "Cluster the markers\nOffline tiles"
    assert read.fields["state"].text == "🟢 in development"
    assert read.page.title is not None


def test_numbered_headings_below_a_field_belong_to_it() -> None:
    read = handover(shapes.CANONICAL_BANK)

    assert read.fields["next"].text == "Finish the router\nCover the cache"
    assert read.fields["goal"].text == "The orchestrator, about 70% done."


def test_a_bank_that_appends_dated_lines_tells_its_next_step() -> None:
    assert handover(shapes.ROO_PROGRESS).fields["next"].text == "Roles"


def test_a_ritual_inside_of_a_progress_file_does_not_hide_its_fields() -> None:
    read = handover(shapes.RITUAL_IN_PROGRESS)

    assert {"goal", "next", "blockers"} <= read.fields.keys()
    assert read.is_none("blockers")


def test_french_headings_and_words_are_known() -> None:
    read = handover(shapes.FRENCH_PROGRESS)

    assert {"goal", "state", "head", "tests", "blockers", "next"} <= read.fields.keys() | {"tests"}
    assert read.is_none("blockers")
    assert read.tests is not None
    assert (read.tests.passed, read.tests.total, read.tests.command) == (57, 57, "make check")
    assert read.next_has_criterion


# Decision files.


def test_a_template_in_a_fence_is_no_entry_and_groups_by_status_are_none() -> None:
    first, second, third = decisions(shapes.LOCKED_DECISIONS)

    assert [first.identifier, second.identifier, third.identifier] == ["D-001", "D-002", "D-003"]
    assert set(first.fields) == {"decision", "rationale", "rejected", "constraint", "context"}
    assert (first.date, first.status, first.title) == ("2026-01-04", "active", "One table for all teams")
    assert second.superseded_by == ("D-003",)
    assert second.is_superseded
    assert third.status == "proposed"


def test_free_prose_below_an_identifier_is_its_decision() -> None:
    first, second = decisions(shapes.PROSE_DECISIONS)

    assert (first.identifier, first.date) == ("D1", "2026-02-03")
    assert {"decision", "rationale", "constraint"} <= first.fields.keys()
    assert "rejected" not in first.fields
    assert second.title == "One pass only"


def test_rows_of_a_table_are_entries_with_decision_and_reason() -> None:
    entries = decisions(shapes.TABLE_DECISIONS)

    assert titles(entries) == ["Suche", "Sprache", "Modell"]
    assert {one.kind for one in entries} == {TABLE}
    assert all({"decision", "rationale"} <= one.fields.keys() for one in entries)


def test_undated_german_titles_are_entries_by_their_labels() -> None:
    first, second = decisions(shapes.UNDATED_DECISIONS, "docs/entscheidungen.md")

    assert first.fields["decision"].text == (
        "Wir nutzen die Anmeldung, die es schon\ngibt, und bauen keine eigene."
    )
    assert set(second.fields) == {"decision", "rationale", "constraint"}
    assert (first.date, second.date) == (None, None)


@pytest.mark.parametrize("text", [shapes.RECOMMENDATIONS, shapes.QUESTIONS_DECISIONS], ids=["19", "20"])
def test_what_is_only_called_decisions_has_no_entries(text: str) -> None:
    assert decisions(text) == ()


def test_a_record_of_adr_tools_has_its_fields_and_its_number() -> None:
    read = records(shapes.ADR_TOOLS)["doc/adr/0009-help-scripts.md"]

    assert (read.kind, read.identifier, read.number, read.date, read.title) == (
        ADR,
        "0009",
        9,
        "2018-06-26",
        "Help scripts",
    )
    assert read.status == "active"
    assert set(read.fields) == {"decision", "constraint", "context"}
    assert read.nygard


def test_superceded_is_recognised_in_the_spelling_of_adr_tools_and_the_day_stands_first() -> None:
    read = records(shapes.ADR_TOOLS)

    old, new = read["doc/adr/0001-use-files.md"], read["doc/adr/0002-use-a-database.md"]
    assert old.superseded_by == ("0002-use-a-database.md",)
    assert old.is_superseded
    assert old.date == "1992-01-12"
    assert new.supersedes == ("0001-use-files.md",)
    assert new.status == "active"


def test_a_sample_in_a_fence_and_a_badge_give_a_record_no_status() -> None:
    read = records({"docs/decisions/0008-add-status-field.md": shapes.MADR_RECORD})
    (record,) = read.values()

    assert (record.status, record.superseded_by, record.date) == ("", (), None)
    assert {"decision", "rejected", "context"} <= record.fields.keys()
    assert not record.nygard


def test_a_template_of_records_is_none_and_its_front_matter_is_a_problem_not_an_exception() -> None:
    read = page(shapes.MADR_TEMPLATE, "template/adr-template.md")

    assert not is_record("adr-template.md")
    assert [one.code for one in read.problems] == ["front-matter"]
    assert [one.text for one in read.headings][1:] == [
        "Context and Problem Statement",
        "Decision Drivers",
        "Considered Options",
    ]


def test_bullet_metadata_of_log4brains_is_read_and_its_helpers_are_no_records() -> None:
    read = records(shapes.LOG4BRAINS)

    old = read["docs/adr/20200926-react-file-structure.md"]
    assert (old.date, old.status, old.superseded_by) == (
        "2020-09-26",
        "superseded",
        ("20201016-use-the-cli.md",),
    )
    assert {"decision", "rejected", "context"} <= old.fields.keys()
    assert read["docs/adr/20201016-use-the-cli.md"].supersedes == ("20200926-react-file-structure.md",)
    assert not [path for path in read if path.endswith(("template.md", "index.md", "README.md"))]


def test_records_without_title_or_metadata_are_records_all_the_same() -> None:
    read = records(shapes.LOG4BRAINS)

    assert read["docs/adr/20200101-no-metadata.md"].date == "2020-01-01"
    assert read["docs/adr/20200102-no-title.md"].status == "active"
    assert read["docs/adr/20200102-no-title.md"].title == "20200102-no-title"
    assert read["docs/adr/20200103-bare.md"].title == "20200103-bare"
    assert read["docs/adr/20200104-intro.md"].status == "proposed"
    assert read["docs/adr/odd.name.md"].title == "Odd"
    assert read["packages/one/adr/20200105-same.md"].status == "rejected"
    assert read["packages/two/adr/20200105-same.md"].status == "deprecated"


def test_two_ways_of_naming_in_one_folder() -> None:
    read = records(shapes.TWO_NAMINGS)

    assert set(read) == {"doc/adr/0001-language.md", "doc/adr/20251009-metrics.md"}
    assert read["doc/adr/0001-language.md"].number == 1
    assert read["doc/adr/0001-language.md"].title == "Language"
    assert read["doc/adr/20251009-metrics.md"].date == "2025-10-09"
    assert read["doc/adr/20251009-metrics.md"].supersedes == ("0001-language.md",)


def test_alternatives_below_the_context_are_what_was_rejected() -> None:
    (record,) = records({"documentation/adr/nexusUpload.md": shapes.NEXUS_RECORD}).values()

    assert set(record.fields) == {"decision", "rejected", "constraint", "context"}
    assert record.status == "active"
    assert record.date is None


def test_a_template_of_bmad_has_no_entry_and_a_filled_one_its_own() -> None:
    path = ".agents/memory/decisions.md"

    assert decisions(shapes.BMAD_TEMPLATE, path) == ()
    (entry,) = decisions(shapes.BMAD_FILLED, path)
    assert (entry.kind, entry.date, entry.title, entry.status) == (
        BMAD,
        "2026-04-02",
        "One queue for all jobs",
        "active",
    )


def test_dated_lines_below_a_single_heading_are_entries() -> None:
    entries = decisions(shapes.ROO_LOG, "memory-bank/decisionLog.md")

    assert [(one.date, one.title) for one in entries] == [
        ("2026-03-14", "Store sessions in Redis"),
        ("2026-03-15", "One schema a tenant"),
    ]


# Entry files and memories of tools.


def test_front_matter_with_empty_keys_is_read() -> None:
    read = page(shapes.CURSOR_RULE, ".cursor/rules/paths.mdc")

    assert read.problems == ()
    assert read.front_matter is not None
    assert read.front_matter.text("alwaysApply") == "true"
    assert [one.text for one in read.headings] == ["Paths"]


def test_a_diagram_in_a_fence_has_no_structure() -> None:
    read = page(shapes.CLINE_RULE, ".clinerules/memory bank.md")

    assert read.problems == ()
    assert [one.text for one in read.headings] == ["Memory bank", "Next steps are kept in activeContext.md"]


def test_an_index_of_memories_is_a_list() -> None:
    assert [one.text[:9] for one in page(shapes.MEMORY_INDEX, "memory/MEMORY.md").items] == [
        "[Deploys]",
        "[Tests](t",
    ]


def test_an_empty_table_has_no_rows() -> None:
    (table,) = page(shapes.LONG_TERM_PAGE, "memory/MEMORY.md").tables

    assert (table.header, table.rows) == (("Name", "Role"), ())


def test_an_entry_file_of_one_line_imports_the_other() -> None:
    files = (
        MemoryFile(roles.ENTRY, "AGENTS.md", b"@CLAUDE.md\n", stamp=(1, 1, 1)),
        MemoryFile(roles.ENTRY, "CLAUDE.md", b"# Rules\n\nBe brief.\n", stamp=(1, 1, 2)),
    )
    entry = ParsedMemory(Memory("/p", "p", files=files)).entry_files[0]

    assert [one.path for one in entry.pages] == ["AGENTS.md", "CLAUDE.md"]
    assert ("CLAUDE.md", 3, "Be brief.") in entry.lines


def test_a_title_inside_of_a_managed_block_is_the_title() -> None:
    title = page(shapes.MANAGED_BLOCK).title

    assert title is not None
    assert (title.text, title.line) == ("This is a new version", 3)


def test_a_page_may_begin_at_level_two() -> None:
    read = page(shapes.STARTS_AT_TWO, "GEMINI.md")

    assert read.title is None
    assert [one.level for one in read.headings] == [2, 2]


def test_a_long_and_a_short_entry_file_are_read_whole() -> None:
    assert len(page(shapes.LONG_ENTRY)) == 334
    assert len(page(shapes.SHORT_COPILOT)) == 3


def test_the_blocks_of_a_session_protocol_are_headings() -> None:
    read = page(shapes.SESSION_PROTOCOL, "CLAUDE.md")

    assert [one.norm for one in read.headings][2:] == [
        "starting a session",
        "during a session",
        "ending a session",
    ]
