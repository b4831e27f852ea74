from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from brain.health.parsed import ParsedMemory
from brain.health.permissions import RULES
from brain.health.today import Today
from brain.health.values import Finding, MemoryFile
from tests.brain.health.examined import DAY, Examined, project


def ask(parsed: ParsedMemory, code: str) -> list[Finding] | None:
    rule = next(rule for rule in RULES if rule.code == code)
    found = rule.check(parsed, Today(DAY))
    return None if found is None else list(found)


def owned(made: Examined, user: int, *foreign: str) -> ParsedMemory:
    """The memory as the user ``user`` sees it, with all files hers but the ``foreign`` ones."""
    memory = made.parsed().memory
    files = tuple(replace(file, owner=0 if file.path in foreign else 1000) for file in memory.files)
    return ParsedMemory(replace(memory, files=files, user=user))


def test_a_file_that_everybody_may_write_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path)
    (made.root / "PROGRESS.md").chmod(0o666)
    (found,) = made.ask(RULES, "m-mode") or []

    assert (found.level, found.file) == ("warning", "PROGRESS.md")


def test_a_file_system_without_permissions_is_not_judged(tmp_path: Path) -> None:
    made = project(tmp_path)
    for name in ("PROGRESS.md", "DECISIONS.md", "AGENTS.md"):
        (made.root / name).chmod(0o777)

    assert made.ask(RULES, "m-mode") is None


def test_a_file_that_the_group_may_write_is_fine(tmp_path: Path) -> None:
    made = project(tmp_path)
    (made.root / "PROGRESS.md").chmod(0o664)

    assert made.ask(RULES, "m-mode") == []


def test_one_file_of_another_user_is_a_warning(tmp_path: Path) -> None:
    (found,) = ask(owned(project(tmp_path), 1000, "PROGRESS.md"), "m-owner") or []

    assert (found.level, found.file) == ("warning", "PROGRESS.md")


def test_files_of_ones_own_are_fine(tmp_path: Path) -> None:
    assert ask(owned(project(tmp_path), 1000), "m-owner") == []


def test_the_superuser_and_a_foreign_project_are_not_judged(tmp_path: Path) -> None:
    made = project(tmp_path)

    assert ask(owned(made, 0, "PROGRESS.md"), "m-owner") is None
    assert ask(owned(made, 4711), "m-owner") is None


@pytest.mark.parametrize("problem", ["permission", "not-regular", "io", "too-large"])
def test_a_file_that_is_not_read_is_a_warning(tmp_path: Path, problem: str) -> None:
    memory = project(tmp_path).parsed().memory
    memory = replace(memory, files=(*memory.files, MemoryFile("progress", "STATUS.md", problem=problem)))
    (found,) = ask(ParsedMemory(memory), "m-unreadable") or []

    assert (found.level, found.file) == ("warning", "STATUS.md")


def test_a_large_ledger_is_not_called_unreadable(tmp_path: Path) -> None:
    memory = project(tmp_path).parsed().memory
    ledger = MemoryFile("ledger", ".bmad/memory/journal.ndjson", problem="too-large")

    assert ask(ParsedMemory(replace(memory, files=(*memory.files, ledger))), "m-unreadable") == []


def test_a_pipe_in_place_of_a_file_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path)
    os.mkfifo(made.root / "STATUS.md")

    assert made.levels(RULES, "m-unreadable") == ["warning"]


def test_a_link_that_leads_nowhere_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path)
    (made.root / "CLAUDE.md").symlink_to("gone.md")

    assert made.levels(RULES, "m-link") == ["warning"]


def test_a_link_out_of_the_project_is_information(tmp_path: Path) -> None:
    made = project(tmp_path)
    (tmp_path / "dotfiles.md").write_text("# Rules\n")
    (made.root / "CLAUDE.md").symlink_to(tmp_path / "dotfiles.md")

    assert made.levels(RULES, "m-link") == ["info"]


def test_a_link_within_the_project_is_fine(tmp_path: Path) -> None:
    made = project(tmp_path)
    (made.root / "CLAUDE.md").symlink_to("AGENTS.md")

    assert made.ask(RULES, "m-link") == []


def test_a_project_without_links_is_not_asked_about_them(tmp_path: Path) -> None:
    assert project(tmp_path).ask(RULES, "m-link") is None


@pytest.mark.parametrize("code", ["m-unreadable", "m-mode"])
def test_a_healthy_project_is_silent(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_without_memory_nothing_is_asked(tmp_path: Path, code: str) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, code) is None


@pytest.mark.parametrize("folder", [".agents/memory", ".agents", "memory-bank"])
def test_a_folder_of_the_memory_that_leads_out_of_the_project_is_a_warning(
    tmp_path: Path, folder: str
) -> None:
    (tmp_path / "vault/memory").mkdir(parents=True)
    (tmp_path / "vault/memory/context.md").write_text("# Context\n\nSearch.\n")
    made = project(tmp_path)
    (made.root / folder).parent.mkdir(exist_ok=True)
    (made.root / folder).symlink_to(tmp_path / "vault")

    (found,) = made.ask(RULES, "m-link") or []

    assert (found.level, found.file) == ("warning", folder)
    assert (
        found.message == f"{folder} is a link that leads out of the project: nothing in that folder is read."
    )


def test_a_folder_of_the_memory_that_is_a_dead_link_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path)
    (made.root / ".agents").mkdir()
    (made.root / ".agents/memory").symlink_to("../gone")

    (found,) = made.ask(RULES, "m-link") or []

    assert found.message == ".agents/memory is a link to gone, which is not there."


def test_a_folder_of_the_memory_that_is_a_link_within_the_project_is_read(tmp_path: Path) -> None:
    made = project(tmp_path).has("notes/context.md", "# Context\n\nSearch.\n")
    (made.root / ".agents").mkdir()
    (made.root / ".agents/memory").symlink_to("../notes")

    assert not made.ask(RULES, "m-link")
    assert ".agents/memory/context.md" in {file.path for file in made.parsed().memory.files}


def test_a_folder_in_place_of_a_page_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path, DECISIONS="")
    (made.root / "DECISIONS.md").mkdir()

    (found,) = made.ask(RULES, "m-unreadable") or []

    assert (found.level, found.message) == ("warning", "DECISIONS.md is not read: it is no regular file.")
