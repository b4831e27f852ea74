"""``zecher note``, on real processes: which workspace, which day, what is said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.jobs.program import Program
from tests.support import write


def test_a_note_goes_into_todays_file_of_this_folder(zecher: Program) -> None:
    done = zecher("note", "the", "printer", "is", "on", "floor", "2")

    file = zecher.cwd / "memory" / "2026-11-30.md"
    assert (done.code, done.out, done.err) == (0, f"noted: {file}:3\n", "")
    assert file.read_text() == "# 2026-11-30\n\n- the printer is on floor 2\n"


@pytest.mark.parametrize(("zone", "day"), [("America/New_York", "2026-11-29"), ("Asia/Tokyo", "2026-11-30")])
def test_the_day_is_that_of_the_local_clock(zecher: Program, zone: str, day: str) -> None:
    zecher.extra["TZ"] = zone
    assert zecher("note", "x y", "--json").data["day"] == day
    assert [path.name for path in (zecher.cwd / "memory").iterdir()] == [f"{day}.md"]


def test_from_within_a_repository_its_own_folder_is_meant(zecher: Program) -> None:
    inner = zecher.cwd / "src" / "deep"
    inner.mkdir(parents=True)
    (zecher.cwd / ".git").mkdir()
    zecher.cwd = inner

    assert zecher("note", "x y", "--json").data["workspace"] == str(inner.parent.parent)


def test_the_nearest_folder_that_keeps_notes_is_meant(zecher: Program) -> None:
    write(zecher.cwd / "MEMORY.md", "# Long-Term Memory\n")
    inner = zecher.cwd / "deep"
    inner.mkdir()
    top, zecher.cwd = zecher.cwd, inner

    assert zecher("note", "x y", "--json").data["workspace"] == str(top)
    write(inner / "memory" / "2026-01-01.md", "old\n")
    assert zecher("note", "x y", "--json").data["workspace"] == str(inner)


def test_a_folder_that_was_named_is_taken_as_it_is(zecher: Program, tmp_path: Path) -> None:
    write(zecher.cwd / "MEMORY.md", "# Long-Term Memory\n")
    other = tmp_path / "other"
    other.mkdir()

    assert zecher("note", "-d", other, "x y").code == 0
    assert (other / "memory" / "2026-11-30.md").is_file()
    assert "[project-missing]" in zecher("note", "-d", tmp_path / "none", "x y").err


def test_outside_of_everything_the_configured_workspace_is_meant(zecher: Program, tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    config = write(tmp_path / "config.toml", f'[dreaming]\nworkspaces = ["{desk}"]\n')
    config.chmod(0o600)

    assert zecher("note", "--config", config, "x y", "--json").data["workspace"] == str(desk)


def test_standard_input_is_noted_where_nothing_was_typed(zecher: Program) -> None:
    assert zecher("note", answers="first\nsecond\n").code == 0
    assert (zecher.cwd / "memory" / "2026-11-30.md").read_text().endswith("\n- first\n  second\n")
    assert "[no-text]" in zecher.at_terminal("note").out


def test_the_document(zecher: Program) -> None:
    done = zecher("note", "--slug", "release", "cut it", "--json")

    assert done.document["schema"] == "zecher.note"
    assert done.data == {
        "workspace": str(zecher.cwd),
        "day": "2026-11-30",
        "file": str(zecher.cwd / "memory" / "2026-11-30-release.md"),
        "line": 3,
        "line_end": 3,
        "created": True,
        "hidden_in": None,
    }


def test_a_refusal_says_what_why_and_what_to_do(zecher: Program) -> None:
    done = zecher("note", "token ghp_abcdefghijklmnopqrstuvwxyz0123456789")

    assert (done.code, done.out) == (1, "")
    assert "[observation-secret]" in done.err
    assert "  why: " in done.err
    assert "  fix: " in done.err
    assert "ghp_" not in done.err
    assert list(zecher.cwd.iterdir()) == []


def test_what_was_noted_is_found_by_a_search(zecher: Program) -> None:
    (zecher.cwd / ".git").mkdir()
    zecher("note", "The quorum sensor hangs in the attic")

    (found,) = zecher("memory", "search", "quorum sensor", "-d", ".", "--json").data["results"]
    assert (Path(found["file"]).name, found["line"]) == ("2026-11-30.md", 1)


def test_writers_in_many_processes_lose_nothing(zecher: Program) -> None:
    runs = [
        subprocess.Popen(zecher.command("note", f"fact {number}"), cwd=zecher.cwd, env=zecher.environment())
        for number in range(8)
    ]
    assert [run.wait(120) for run in runs] == [0] * 8

    lines = (zecher.cwd / "memory" / "2026-11-30.md").read_text().splitlines()
    assert sorted(lines) == sorted(["# 2026-11-30", "", *(f"- fact {number}" for number in range(8))])
