from __future__ import annotations

from pathlib import Path

import pytest

from brain.health.entry_file import RULES
from tests.brain.health.examined import PROTOCOL, Examined, project


def test_the_model_protocol_has_no_finding(tmp_path: Path) -> None:
    assert project(tmp_path).codes(RULES) == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_without_an_instruction_file_nothing_is_asked(tmp_path: Path, code: str) -> None:
    assert project(tmp_path, AGENTS="").ask(RULES, code) is None


@pytest.mark.parametrize("code", ["s-ref-missing", "s-heavy", "s-dup"])
def test_what_an_instruction_file_does_not_have_is_not_judged(tmp_path: Path, code: str) -> None:
    assert project(tmp_path, AGENTS="# Rules\n\nUse tabs.\n").ask(RULES, code) is None


def test_instructions_without_a_protocol_are_told_where_files_hand_over(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\nUse tabs.\n")

    assert made.levels(RULES, "s-protocol") == ["warning"]


def test_elsewhere_a_missing_protocol_is_information(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("AGENTS.md", "# Rules\n\nUse tabs.\n")

    assert made.levels(RULES, "s-protocol") == ["info"]


def test_notes_that_an_installed_memory_keeps_ask_for_no_protocol(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("AGENTS.md", "# Rules\n\nUse tabs.\n")
    made.has(
        ".agents/memory/decisions.md",
        "# Decisions\n\n### 2026-11-01 — a\n- **Decision**: b\n- **Status**: active\n",
    )

    assert made.levels(RULES, "s-protocol") == ["info"]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("## Session start\n- look around\n", "## Ending a session\n- commit\n"),
        ("**Before you start:** look around\n\n", "**Before finishing:** commit\n"),
        ("- Read PROGRESS.md first.\n", "- Update PROGRESS.md last.\n"),
        ("- Lies zuerst DECISIONS.md.\n", "- Am Schluss PROGRESS.md aktualisieren.\n"),
        ("## Début de session\n- regarder\n", "## Fin de séance\n- valider\n"),
    ],
)
def test_every_form_of_a_protocol_is_found(tmp_path: Path, start: str, end: str) -> None:
    assert project(tmp_path, AGENTS=f"# Rules\n\n{start}{end}").ask(RULES, "s-protocol") == []


def test_half_a_protocol_is_information(tmp_path: Path) -> None:
    found = project(tmp_path, AGENTS="# Rules\n\n## Session start\n- look around\n").ask(RULES, "s-protocol")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        ("info", "The shift protocol says nothing of the end of a session.")
    ]


def test_the_protocol_may_stand_in_an_imported_file(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="@docs/shift.md\n").has("docs/shift.md", PROTOCOL)

    assert made.ask(RULES, "s-protocol") == []


def test_imports_that_go_round_in_a_ring_come_to_an_end(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="@a.md\n").has("a.md", "@b.md\n").has("b.md", "@a.md\nUse tabs.\n")

    assert made.levels(RULES, "s-protocol") == ["warning"]


def test_an_import_from_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(PROTOCOL)

    assert project(tmp_path, AGENTS="@../outside.md\n").levels(RULES, "s-protocol") == ["warning"]


def test_a_link_and_its_target_are_one_file_and_one_finding(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\nUse tabs.\n" * 5)
    (made.root / "CLAUDE.md").symlink_to("AGENTS.md")

    assert made.levels(RULES, "s-protocol") == ["warning"]
    assert made.ask(RULES, "s-dup") is None


@pytest.mark.parametrize(
    "name", ["HANDOFF.md", "docs/STATUS.md", "docs/DECISION_LOG.md", "memory-bank/activeContext.md"]
)
def test_a_handover_file_that_is_named_and_missing_is_told(tmp_path: Path, name: str) -> None:
    found = project(tmp_path, AGENTS=f"# Rules\n\nRead `{name}` first.\n").ask(RULES, "s-ref-missing")

    assert found is not None
    assert [(one.level, one.file, one.line, one.anchor) for one in found] == [
        ("warning", "AGENTS.md", 3, name)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Read PROGRESS.md.",
        "Read ./PROGRESS.md.",
        "Read [it](PROGRESS.md).",
        "Read HANDOFF.md if it exists.",
        "Lies HANDOFF.md, falls vorhanden.",
        "See https://example.com/HANDOFF.md.",
        "See ../other/HANDOFF.md.",
        "See MYHANDOFF.md and CHANGELOG.md.",
        "See *.HANDOFF.md.",
    ],
)
def test_what_is_there_or_elsewhere_or_optional_is_not_missed(tmp_path: Path, line: str) -> None:
    made = project(tmp_path, AGENTS=f"# Rules\n\nRead DECISIONS.md.\n{line}\n")

    assert made.ask(RULES, "s-ref-missing") == []


def test_a_missing_file_is_told_once_for_each_file_that_names_it(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\nRead HANDOFF.md.\nUpdate HANDOFF.md.\n")

    assert made.levels(RULES, "s-ref-missing") == ["warning"]


@pytest.mark.parametrize(
    ("lines", "levels"), [(200, []), (201, ["info"]), (400, ["info"]), (401, ["warning"])]
)
def test_long_instructions_are_told_from_two_hundred_lines_on(
    tmp_path: Path, lines: int, levels: list[str]
) -> None:
    made = project(tmp_path, AGENTS="# Rules\n" + "Use tabs.\n" * (lines - 1))

    assert made.levels(RULES, "s-long") == levels


@pytest.mark.parametrize(("lines", "levels"), [(15, []), (16, ["warning"])])
def test_a_protocol_of_more_than_fifteen_lines_is_heavy(
    tmp_path: Path, lines: int, levels: list[str]
) -> None:
    block = "## Session start\n" + "- look around\n" * lines
    made = project(tmp_path, AGENTS=f"# Rules\n\n{block}\n## Style\n" + "- tabs\n" * 20)

    assert made.levels(RULES, "s-heavy") == levels


def test_a_long_section_on_setting_up_is_no_protocol(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\n## Before you start\n" + "- install something\n" * 20)

    assert made.ask(RULES, "s-heavy") is None


def test_two_files_with_mostly_the_same_lines_are_told(tmp_path: Path) -> None:
    same = "".join(f"Rule {number}.\n" for number in range(7))
    made = project(tmp_path, AGENTS=same + "a\nb\nc\n", CLAUDE=same + "d\ne\nf\n")

    found = made.ask(RULES, "s-dup")

    assert found is not None
    assert [(one.level, one.message.split(" are")[0]) for one in found] == [("info", "7 of 10 lines")]


def test_six_of_ten_same_lines_are_not_too_many(tmp_path: Path) -> None:
    same = "".join(f"Rule {number}.\n" for number in range(6))
    made = project(tmp_path, AGENTS=same + "a\nb\nc\nx\n", CLAUDE=same + "d\ne\nf\ny\n")

    assert made.ask(RULES, "s-dup") == []
