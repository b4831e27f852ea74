from __future__ import annotations

from pathlib import Path

from brain.health.bank import CORE, RULES
from brain.health.values import FileHistory, GitFacts
from tests.brain.health.examined import Examined, project


def bank(tmp_path: Path, *names: str) -> Examined:
    made = project(tmp_path, PROGRESS="")
    for name in names:
        made.has(f"memory-bank/{name}", f"# {name}\n\n## Current Focus\nSearch\n")
    return made


def test_a_bank_with_its_six_files_has_no_finding(tmp_path: Path) -> None:
    assert bank(tmp_path, *CORE).ask(RULES, "bank-core") == []


def test_the_other_spelling_of_the_brief_is_known(tmp_path: Path) -> None:
    assert bank(tmp_path, "projectBrief.md", *CORE[1:]).ask(RULES, "bank-core") == []


def test_missing_files_are_named(tmp_path: Path) -> None:
    found = bank(tmp_path, *CORE[2:]).ask(RULES, "bank-core")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        ("info", "2 files of a memory bank's six missing: projectbrief.md, productContext.md.")
    ]


def test_without_a_bank_nothing_is_asked(tmp_path: Path) -> None:
    assert project(tmp_path).ask(RULES, "bank-core") is None


def test_only_the_files_that_follow_the_work_can_be_left_behind(tmp_path: Path) -> None:
    made = bank(tmp_path, *CORE)
    made.git = GitFacts(
        histories=tuple(
            FileHistory(f"memory-bank/{name}", ((1e9, 1, 0, 100),), commits_since=10, last_commit=1e9 + 60)
            for name in CORE
        )
    )

    found = made.ask(RULES, "bank-core")

    assert found is not None
    assert sorted((one.level, one.file) for one in found) == [
        ("info", "memory-bank/activeContext.md"),
        ("info", "memory-bank/progress.md"),
    ]


def test_a_bank_of_a_paused_project_may_rest(tmp_path: Path) -> None:
    made = bank(tmp_path, *CORE)
    made.status = "paused"
    made.git = GitFacts(
        histories=(
            FileHistory("memory-bank/progress.md", ((1e9, 1, 0, 9),), commits_since=99, last_commit=2e9),
        )
    )

    assert made.ask(RULES, "bank-core") == []
