"""Which files of a workspace are daily notes, and how they are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain.dreaming import notes
from brain.dreaming.notes import day_of_note, list_notes, read_workspace


def _write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"- {path}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-05-01.md", "2026-05-01"),
        ("2026-05-01-standup.md", "2026-05-01"),
        ("2026-05-01-1423.md", "2026-05-01"),
        ("2026-05-01.MD", ""),
        ("2026-05-01.txt", ""),
        ("2026-02-30.md", ""),
        ("0000-01-01.md", ""),
        ("2026-05-011.md", ""),
        ("x2026-05-01.md", ""),
        ("notes.md", ""),
        (".2026-05-01.md", ""),
    ],
)
def test_the_name_of_a_note_gives_its_day(name: str, day: str) -> None:
    assert day_of_note(name) == day


def test_notes_stand_at_any_depth_below_memory_the_newest_first(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "memory/2026-05-01.md",
        "memory/sub/2026-05-03.md",
        "memory/2026-05-02-a.md",
        "memory/topic.md",
    )
    assert list_notes(str(tmp_path)) == [
        "memory/sub/2026-05-03.md",
        "memory/2026-05-02-a.md",
        "memory/2026-05-01.md",
    ]


@pytest.mark.parametrize(
    "folder", ["dreaming/deep", ".dreams", "archive", "reports", "exports", "Archive", ".git"]
)
def test_what_programs_leave_is_not_entered(tmp_path: Path, folder: str) -> None:
    _write(tmp_path, f"memory/{folder}/2026-05-01.md", "memory/2026-05-02.md")
    assert list_notes(str(tmp_path)) == ["memory/2026-05-02.md"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    _write(tmp_path, "out/2026-05-01.md", "w/memory/2026-05-02.md")
    (tmp_path / "w/memory/2026-05-03.md").symlink_to(tmp_path / "out/2026-05-01.md")
    (tmp_path / "w/memory/linked").symlink_to(tmp_path / "out")
    assert list_notes(str(tmp_path / "w")) == ["memory/2026-05-02.md"]
    (tmp_path / "v").mkdir()
    (tmp_path / "v/memory").symlink_to(tmp_path / "out")
    assert list_notes(str(tmp_path / "v")) == []


def test_a_folder_or_a_pipe_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "memory/2026-05-01.md").mkdir(parents=True)
    os.mkfifo(tmp_path / "memory/2026-05-02.md")
    assert list_notes(str(tmp_path)) == []


def test_a_workspace_without_anything_is_empty(tmp_path: Path) -> None:
    found = read_workspace(str(tmp_path / "none"))
    assert (found.notes, found.memory, found.unread) == ((), None, ())


def test_memory_is_read_in_its_own_name_only(tmp_path: Path) -> None:
    _write(tmp_path, "memory.md")
    assert read_workspace(str(tmp_path)).memory is None
    _write(tmp_path, "MEMORY.md")
    assert read_workspace(str(tmp_path)).memory == b"- MEMORY.md\n"


def test_a_memory_that_is_a_link_is_named_and_not_read(tmp_path: Path) -> None:
    _write(tmp_path, "out.md")
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "out.md")
    found = read_workspace(str(tmp_path))
    assert found.memory is None
    assert [(one.path, one.code) for one in found.unread] == [("MEMORY.md", "link")]


def test_a_note_that_is_too_large_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    _write(tmp_path, "memory/2026-05-01.md", "memory/2026-05-02.md")
    (tmp_path / "memory/2026-05-01.md").write_bytes(b"x" * (notes.FILE_CAP + 1))
    found = read_workspace(str(tmp_path))
    assert [note.path for note in found.notes] == ["memory/2026-05-02.md"]
    assert [(one.path, one.code) for one in found.unread] == [("memory/2026-05-01.md", "too-large")]


def test_of_too_many_notes_the_newest_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "FILES_CAP", 2)
    _write(tmp_path, *(f"memory/2026-05-0{day}.md" for day in range(1, 5)))
    found = read_workspace(str(tmp_path))
    assert [note.day for note in found.notes] == ["2026-05-04", "2026-05-03"]
    assert [(one.path, one.code, one.message) for one in found.unread] == [
        ("memory/2026-05-02.md", "too-many", "2 older notes are beyond what is read")
    ]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    _write(tmp_path, "memory/2026-05-01.md", "MEMORY.md")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.rglob("*.md")}
    read_workspace(str(tmp_path))
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.rglob("*.md")} == before
