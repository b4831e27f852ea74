"""``zecher memory check`` as people and programs use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import Git, write

EMPTY = "# Shop\n\n## Goal\n\n## State\nHEAD: deadbee\n\n## Next step\nTBD\n"


@pytest.fixture
def ill(indexed: Path) -> Path:
    """A project whose handover says nothing and names a commit that is not there."""
    write(indexed / "shop" / "PROGRESS.md", EMPTY)
    return indexed / "shop"


def levels(done_out: str) -> dict[str, str]:
    rows = [line.split("\t") for line in done_out.splitlines()[1:]]
    return {row[1]: row[0] for row in rows}


def test_the_project_in_this_folder_is_checked(zecher: Program, ill: Path) -> None:
    zecher.cwd = ill

    done = zecher("memory", "check")

    assert done.code == 0
    found = levels(done.out)
    assert (found["p-head-unknown"], found["p-goal"]) == ("error", "warning")
    assert done.err.endswith("% healthy\n")


def test_a_document_has_the_keys_of_the_contract(zecher: Program, ill: Path) -> None:
    done = zecher("memory", "check", "-d", ill, "--json")

    assert done.document["schema"] == "zecher.memory.check"
    assert list(done.data) == ["findings", "score", "counts", "projects"]
    assert list(done.data["score"]) == ["percent", "gains"]
    assert list(done.data["counts"]) == ["projects", "errors", "warnings", "infos", "silenced"]
    assert list(done.data["findings"][0]) == [
        *("code", "level", "project", "file", "line", "message", "fix", "first_seen", "silenced")
    ]
    first = done.data["findings"][0]
    assert (first["code"], first["file"], first["first_seen"]) == (
        "p-head-unknown",
        "PROGRESS.md",
        "2026-11-30",
    )
    assert 0 < len(done.data["score"]["gains"]) <= 5


@pytest.mark.parametrize(("level", "code"), [("error", 10), ("warning", 10), ("info", 10)])
def test_a_level_that_is_reached_ends_with_10(zecher: Program, ill: Path, level: str, code: int) -> None:
    assert zecher("memory", "check", "-d", ill, "--fail-on", level).code == code


def test_a_level_that_is_silenced_is_not_reached(zecher: Program, ill: Path) -> None:
    zecher("ack", "p-head-unknown", "shop")

    done = zecher("memory", "check", "-d", ill, "--fail-on", "error", "--json")

    assert done.code == 0
    assert done.data["counts"]["silenced"] == 1
    assert done.data["findings"][0]["silenced"] is True


def test_a_level_that_does_not_exist_gets_its_neighbour(zecher: Program, ill: Path) -> None:
    done = zecher("memory", "check", "-d", ill, "--fail-on", "warn")

    assert done.code == 2
    assert "Did you mean warning?" in done.err


def test_all_projects_and_the_brain_are_checked(zecher: Program, ill: Path) -> None:
    done = zecher("memory", "check", "--all", "--json")

    assert done.code == 0
    assert [(one["name"], one["kind"]) for one in done.data["projects"]] == [
        ("old", "project"),
        ("shop", "project"),
        ("engine", "project"),
        ("brain", "brain"),
    ]
    assert str(ill) in {one["project"] for one in done.data["findings"]}


def test_a_folder_that_is_no_project_can_be_checked(zecher: Program, tmp_path: Path) -> None:
    write(tmp_path / "loose" / "PROGRESS.md", EMPTY)

    assert levels(zecher("memory", "check", "-d", tmp_path / "loose").out)["p-goal"] == "warning"


def test_a_folder_that_is_not_there_is_an_error(zecher: Program, tmp_path: Path) -> None:
    done = zecher("memory", "check", "-d", tmp_path / "nowhere")

    assert (done.code, done.out) == (1, "")
    assert "project-missing" in done.err


@pytest.mark.parametrize("command", ["check", "status", "init", "export", "consolidate"])
def test_an_empty_folder_is_refused(zecher: Program, ill: Path, command: str) -> None:
    """A variable in a script that was never set must not mean the folder that one happens to be in."""
    zecher.cwd = ill
    done = zecher("memory", command, "-d", "")

    assert (done.code, done.out) == (2, "")
    assert "[empty-path]" in done.err


def test_one_project_and_all_contradict_each_other(zecher: Program, ill: Path) -> None:
    assert zecher("memory", "check", "--all", "-d", ill).code == 2


def test_nothing_is_written_but_the_cache(zecher: Program, ill: Path) -> None:
    before = folder_state(zecher.home), folder_state(ill)

    zecher("memory", "check", "-d", ill)

    kept = {name: data for name, data in folder_state(zecher.home).items() if not name.startswith(".cache/")}
    assert before == (kept, folder_state(ill))


def test_a_terminal_gets_lines_of_80_cells(zecher: Program, ill: Path) -> None:
    done = zecher.at_terminal("memory", "check", "-d", ill)

    assert done.code == 0
    assert "✗    6 " in done.out
    assert "[p-head-unknown]" in done.out
    assert "what would help most:" in done.out
    assert [line for line in done.out.splitlines()[1:] if len(line) > 80] == []


@pytest.mark.parametrize("columns", [40, 57])
def test_a_narrow_terminal_gets_lines_that_fit(zecher: Program, ill: Path, columns: int) -> None:
    done = zecher.at_terminal("memory", "check", "-d", ill, columns=columns)

    assert "[p-head-unknown]" in done.out
    assert [line for line in done.out.splitlines()[1:-1] if len(line) > columns] == []


def test_drift_is_told_as_git_counts_it(zecher: Program, git: Git, indexed: Path) -> None:
    shop = indexed / "shop"
    head = git("rev-parse", "HEAD", cwd=shop)
    write(shop / "PROGRESS.md", EMPTY.replace("deadbee", head[:10]))
    git("add", "-A", cwd=shop)
    git("commit", "-qm", "Hand over what there is", cwd=shop, days=1)
    assert not {"p-head-drift", "p-head-unknown"} & set(levels(zecher("memory", "check", "-d", shop).out))

    write(shop / "till.py", "x = 1\n")
    git("add", "-A", cwd=shop)
    git("commit", "-qm", "Add a till that counts", cwd=shop, days=0.5)

    assert levels(zecher("memory", "check", "-d", shop).out)["p-head-drift"] == "warning"
