from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from brain.health.sizes import RULES, loads
from brain.health.startup import injected
from brain.health.today import Today
from tests.brain.health.examined import DAY, Examined, project


def workspace(tmp_path: Path, **characters: int) -> Examined:
    """A workspace of OpenClaw whose files have so many characters."""
    made = Examined(tmp_path / "claw").has("SOUL.md", "# Soul\n")
    for name, length in characters.items():
        made.has(f"{name}.md", "x" * length)
    return made


def indexed(tmp_path: Path, lines: int, width: int = 20) -> Examined:
    return project(tmp_path).has("memory/MEMORY.md", ("x" * (width - 1) + "\n") * lines)


def loaded(made: Examined, day: date = DAY) -> dict[str, int]:
    return dict(loads(made.parsed(), Today(day)))


@pytest.mark.parametrize(
    ("lines", "levels"), [(169, []), (170, ["warning"]), (200, ["warning"]), (201, ["warning"])]
)
def test_an_index_is_measured_against_the_lines_that_are_loaded(
    tmp_path: Path, lines: int, levels: list[str]
) -> None:
    assert indexed(tmp_path, lines).levels(RULES, "m-size") == levels


@pytest.mark.parametrize(
    ("size", "levels"), [(21_759, []), (21_760, ["warning"]), (25_600, ["warning"]), (25_601, ["warning"])]
)
def test_an_index_is_measured_against_the_bytes_that_are_loaded(
    tmp_path: Path, size: int, levels: list[str]
) -> None:
    assert project(tmp_path).has("memory/MEMORY.md", "x" * size).levels(RULES, "m-size") == levels


@pytest.mark.parametrize(
    ("length", "levels"), [(16_999, []), (17_000, ["warning"]), (20_000, ["warning"]), (20_001, ["warning"])]
)
def test_a_file_of_a_workspace_is_measured_in_characters(
    tmp_path: Path, length: int, levels: list[str]
) -> None:
    assert workspace(tmp_path, MEMORY=length).levels(RULES, "m-size") == levels


def test_characters_are_counted_not_bytes(tmp_path: Path) -> None:
    made = workspace(tmp_path).has("MEMORY.md", "ä" * 16_000)

    assert made.ask(RULES, "m-size") == []


def test_all_files_of_a_workspace_are_measured_together(tmp_path: Path) -> None:
    sizes = {"AGENTS": 19_990, "TOOLS": 19_990, "USER": 19_990, "MEMORY": 5_000}
    (found,) = workspace(tmp_path, **sizes).ask(RULES, "m-total") or []

    assert (found.level, found.file) == ("warning", "MEMORY.md")


def test_a_file_that_is_left_out_is_an_error(tmp_path: Path) -> None:
    sizes = {"AGENTS": 19_990, "TOOLS": 19_990, "USER": 19_990, "MEMORY": 348}
    fitting = {"AGENTS": 19_990, "TOOLS": 19_990, "USER": 19_900, "MEMORY": 100}

    (found,) = workspace(tmp_path, **sizes).ask(RULES, "m-not-loaded") or []
    assert (found.level, found.file) == ("error", "MEMORY.md")
    assert workspace(tmp_path / "b", **fitting).ask(RULES, "m-not-loaded") == []


@pytest.mark.parametrize(("before", "levels"), [(19_929, []), (19_930, ["error"])])
def test_less_than_64_characters_are_not_filled(tmp_path: Path, before: int, levels: list[str]) -> None:
    sizes = {"AGENTS": 20_000, "TOOLS": 20_000, "USER": before, "MEMORY": 400}  # and 7 of SOUL.md
    assert workspace(tmp_path, **sizes).levels(RULES, "m-not-loaded") == levels


@pytest.mark.parametrize(
    ("length", "expected"), [(20_000, (20_000, 0)), (20_001, (14_917, 4_972)), (30_000, (14_917, 4_972))]
)
def test_of_a_long_file_the_middle_is_cut_out(tmp_path: Path, length: int, expected: tuple[int, int]) -> None:
    """What was measured of OpenClaw."""
    found = injected(workspace(tmp_path, MEMORY=length).parsed())
    assert [(one.head, one.tail) for one in found if one.file.path == "MEMORY.md"] == [expected]


def test_a_file_that_is_cut_by_the_total_is_named_with_what_is_left_of_it(tmp_path: Path) -> None:
    sizes = {"AGENTS": 20_000, "TOOLS": 20_000, "USER": 15_000, "MEMORY": 9_000}
    (found,) = workspace(tmp_path, **sizes).ask(RULES, "m-total") or []

    assert "of MEMORY.md OpenClaw takes 4,882 of 9,000" in found.message


def test_files_are_loaded_in_their_own_order(tmp_path: Path) -> None:
    made = workspace(tmp_path, MEMORY=1, BOOTSTRAP=1, HEARTBEAT=1, USER=1, IDENTITY=1, TOOLS=1, AGENTS=1)
    names = [one.file.path.removesuffix(".md") for one in injected(made.parsed())]

    assert names == ["AGENTS", "SOUL", "TOOLS", "IDENTITY", "USER", "HEARTBEAT", "BOOTSTRAP", "MEMORY"]


def test_notes_of_days_beside_a_memory_make_a_workspace(tmp_path: Path) -> None:
    made = Examined(tmp_path / "w").has("MEMORY.md", "x" * 400).has("AGENTS.md", "x" * 20_001)
    assert made.ask(RULES, "m-size") == []

    made.has("memory/2026-11-29-topic.md", "x\n")
    assert "20,001 of 20,000 characters" in str(made.ask(RULES, "m-size"))


@pytest.mark.parametrize(("length", "levels"), [(16_999, []), (17_000, ["warning"]), (20_001, ["warning"])])
def test_a_memory_alone_is_held_to_the_characters_of_a_workspace(
    tmp_path: Path, length: int, levels: list[str]
) -> None:
    made = Examined(tmp_path / "w").has("MEMORY.md", "x" * length)
    assert made.levels(RULES, "m-size") == levels


def test_a_small_workspace_fits(tmp_path: Path) -> None:
    assert workspace(tmp_path, AGENTS=2_000, MEMORY=2_000).codes(RULES) == []


def test_a_large_file_of_a_workspace_loses_the_others(tmp_path: Path) -> None:
    sizes = {"AGENTS": 20_000, "TOOLS": 20_000, "USER": 19_993, "MEMORY": 400}

    assert "MEMORY.md" not in loaded(workspace(tmp_path, **sizes))


def test_notes_near_two_mebibytes_are_told(tmp_path: Path) -> None:
    made = project(tmp_path).has(".agents/memory/lessons.md", "x" * (1_800_000))

    assert made.levels(RULES, "m-size") == ["info"]


def test_tokens_are_a_quarter_of_the_bytes(tmp_path: Path) -> None:
    assert loaded(project(tmp_path, AGENTS="# A\n" + "ä" * 200)) == {"AGENTS.md": 101}


def test_imports_are_loaded_with_their_file(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# A\n\n" + "x" * 395).has("CLAUDE.md", "@AGENTS.md\n")

    assert loaded(made) == {"AGENTS.md": 100, "CLAUDE.md": 3}


def test_of_several_assistants_the_dearest_counts(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="x" * 400).has("GEMINI.md", "y" * 4000)

    assert loaded(made) == {"GEMINI.md": 1000}


def test_of_a_long_index_only_what_is_loaded_counts(tmp_path: Path) -> None:
    made = indexed(tmp_path, 1000, 100).has("CLAUDE.md", "# C\n")

    assert loaded(made)["memory/MEMORY.md"] == 5000


def test_rules_of_cursor_count_where_they_always_apply(tmp_path: Path) -> None:
    made = Examined(tmp_path / "c").has(".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nx\n")
    made.has(".cursor/rules/b.mdc", "---\nalwaysApply: false\n---\n" + "y" * 900)

    assert list(loaded(made)) == [".cursor/rules/a.mdc"]


def test_notes_of_today_and_yesterday_are_loaded_in_a_workspace(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    for day in ("2026-11-28", "2026-11-29", "2026-11-30", "2026-12-01"):
        made.has(f"memory/{day}.md", "x" * 4000)

    assert loaded(made) == {"SOUL.md": 2, "memory/2026-11-30.md": 300, "memory/2026-11-29.md": 300}


def test_the_day_on_which_other_notes_are_loaded_is_told(tmp_path: Path) -> None:
    today = Today(DAY)
    loads(workspace(tmp_path).has("memory/2026-11-30.md", "x").parsed(), today)

    assert today.turns == date(2026, 12, 2)


def test_a_heavy_start_is_information(tmp_path: Path) -> None:
    (found,) = project(tmp_path, AGENTS="x" * 60_000).ask(RULES, "m-load") or []

    assert (found.level, found.file) == ("info", "AGENTS.md")


def test_a_light_start_is_silent(tmp_path: Path) -> None:
    assert project(tmp_path).ask(RULES, "m-load") == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_without_memory_nothing_is_asked(tmp_path: Path, code: str) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, code) is None
