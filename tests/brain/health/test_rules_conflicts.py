from __future__ import annotations

from pathlib import Path

import pytest

from brain.health.conflicts import RULES
from tests.brain.health.examined import PROGRESS, Examined, project

MERGE = "# Handoff\n\n<<<<<<< HEAD\nnext: paging\n=======\nnext: search\n>>>>>>> feature/search\n"


def test_an_unresolved_merge_is_an_error_with_its_line(tmp_path: Path) -> None:
    (found,) = project(tmp_path).has("HANDOFF.md", MERGE).ask(RULES, "m-conflict") or []

    assert (found.level, found.file, found.line) == ("error", "HANDOFF.md", 3)


def test_a_merge_with_windows_line_ends_is_found(tmp_path: Path) -> None:
    made = project(tmp_path).has("HANDOFF.md", MERGE.replace("\n", "\r\n"))

    assert made.levels(RULES, "m-conflict") == ["error"]


def test_a_merge_shown_in_a_fence_is_none(tmp_path: Path) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"# Handoff\n\n```\n{MERGE}```\n")

    assert made.ask(RULES, "m-conflict") == []


def test_marks_inside_a_sentence_are_no_merge(tmp_path: Path) -> None:
    text = "# Handoff\n\nResolve <<<<<<< and >>>>>>> first.\n=======\n"

    assert project(tmp_path).has("HANDOFF.md", text).ask(RULES, "m-conflict") == []


@pytest.mark.parametrize(
    "name",
    [
        "PROGRESS.sync-conflict-20261129-101500-ABCDEF7.md",
        "PROGRESS (Ana's conflicted copy 2026-11-29).md",
        "PROGRESS (In Konflikt stehende Kopie von Ana 2026-11-29).md",
        "PROGRESS (Copie en conflit de Ana 2026-11-29).md",
        "PROGRESS (1).md",
        "PROGRESS_conflict-20261129-101500.md",
        "PROGRESS - Kopie.md",
    ],
)
def test_a_copy_in_conflict_beside_its_original_is_a_warning(tmp_path: Path, name: str) -> None:
    (found,) = project(tmp_path).has(name, PROGRESS).ask(RULES, "m-sync-copy") or []

    assert (found.level, found.file, found.anchor) == ("warning", name, "PROGRESS.md")


@pytest.mark.parametrize(
    "name", ["Invoice (1).md", "chapter (2).md", "conflict-handling.md", "PROGRESS (old).md"]
)
def test_other_names_are_no_copies(tmp_path: Path, name: str) -> None:
    assert project(tmp_path).has(name, "# x\n").ask(RULES, "m-sync-copy") == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_a_healthy_project_is_silent(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_without_memory_nothing_is_asked(tmp_path: Path, code: str) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, code) is None
