from __future__ import annotations

from pathlib import Path

from brain.health.drift import RULES
from tests.brain.health.examined import Examined, project

RULEBOOK = "".join(
    f"- Rule {number}: keep the module number {number} free of side effects.\n" for number in range(20)
)


def test_a_copy_that_was_not_corrected_is_a_warning_with_the_lines(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS=f"# AGENTS.md\n\n{RULEBOOK}- Run make check.\n")
    made.has("CLAUDE.md", f"# CLAUDE.md\n\n{RULEBOOK}- Run make test.\n")
    (found,) = made.ask(RULES, "x-drift") or []

    assert (found.level, found.file, found.line, found.anchor) == ("warning", "CLAUDE.md", 23, "AGENTS.md")
    assert "AGENTS.md line 23 and CLAUDE.md line 23" in found.message


def test_a_project_that_does_not_hand_over_gets_information(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("AGENTS.md", f"# A\n\n{RULEBOOK}- Run make check.\n")

    assert made.has("CLAUDE.md", f"# C\n\n{RULEBOOK}").levels(RULES, "x-drift") == ["info"]


def test_files_that_differ_in_half_of_their_lines_are_information_at_most(tmp_path: Path) -> None:
    more = "".join(f"- Claude only {number} of all words\n" for number in range(10))
    made = project(tmp_path, AGENTS=f"# A\n\n{RULEBOOK}")

    assert made.has("CLAUDE.md", f"# C\n\n{RULEBOOK}{more}").levels(RULES, "x-drift") == ["info"]


def test_the_names_of_assistants_may_differ(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS=f"# AGENTS.md\n\nThis file guides agents.\n{RULEBOOK}")

    assert (
        made.has("CLAUDE.md", f"# CLAUDE.md\n\nThis file guides Claude Code.\n{RULEBOOK}").ask(
            RULES, "x-drift"
        )
        == []
    )


def test_files_about_different_things_have_not_drifted(tmp_path: Path) -> None:
    other = "".join(f"- Hint {number} is about colours and fonts.\n" for number in range(20))
    made = project(tmp_path, AGENTS=f"# A\n\n{RULEBOOK}")

    assert made.has("GEMINI.md", f"# G\n\n{other}").ask(RULES, "x-drift") == []


def test_a_link_cannot_drift(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS=f"# A\n\n{RULEBOOK}")
    (made.root / "CLAUDE.md").symlink_to("AGENTS.md")

    assert made.ask(RULES, "x-drift") is None


def test_a_single_instruction_file_is_not_compared(tmp_path: Path) -> None:
    assert project(tmp_path, AGENTS=f"# A\n\n{RULEBOOK}").ask(RULES, "x-drift") is None
