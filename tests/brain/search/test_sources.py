"""Which files are searched, and which nobody gets to see."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain.files.errors import MemError
from brain.search import sources
from brain.search.sources import BRAIN, Place, find, list_sources
from tests.support import write


def _listed(root: Path, kind: str = "project") -> dict[str, tuple[str, str]]:
    found = list_sources([Place(str(root), kind)]).sources
    return {os.path.relpath(one.path, root): (one.kind, one.klass) for one in found}


def test_every_role_of_a_memory_is_searched(tmp_path: Path) -> None:
    wanted = {
        "MEMORY.md": ("note", "memory"),
        "memory/2026-05-01.md": ("note", "memory"),
        "memory/deep/er/topic.md": ("note", "memory"),
        "PROGRESS.md": ("note", "handover"),
        "DECISIONS.md": ("note", "decision"),
        "docs/decisions.md": ("note", "decision"),
        "docs/adr/0001-use-sqlite.md": ("note", "decision"),
        "packages/api/adr/0001-x.md": ("note", "decision"),
        "memory-bank/projectbrief.md": ("note", "doc"),
        ".agents/memory/decisions.md": ("note", "decision"),
        ".agents/memory/lessons.md": ("note", "memory"),
        ".agents/memory/patterns.md": ("note", "memory"),
        ".agents/memory/context.md": ("note", "doc"),
        ".agents/memory/sessions/2026-05-01-x.md": ("session", "handover"),
        ".agents/memory/notes/preferences.md": ("remembered", "memory"),
        ".bmad/memory/decisions.md": ("note", "decision"),
        ".bmad/memory/journal.ndjson": ("journal", "event"),
        ".notarium/memory/general.md": ("remembered", "memory"),
        ".notarium/memory/p1/general.md": ("remembered", "memory"),
    }
    for name in wanted:
        write(tmp_path / name)

    assert _listed(tmp_path) == wanted


@pytest.mark.parametrize(
    "name",
    [
        *("memory.md", "memory/UP.MD", "memory/notes.txt", "DREAMS.md", "memory/DREAMS.md"),
        *("memory/dreaming/deep/2026-05-01.md", "memory/.dreams/events.jsonl", "memory/.dreams/x.md"),
        *("memory/.openclaw-repair/root-memory/1/x.md", "README.md", "docs/guide.md", "src/a.md"),
        *(".bmad/memory/promotions.ndjson", ".bmad/memory/pattern-scores.json"),
        *("bmad-brain-export-2026-11-30.md", "memory/bmad-brain-export-2026-11-30-2.md"),
        *(".agents/memory/.brain-link", "memory/.hidden.md"),
    ],
)
def test_what_is_no_memory_is_not_searched(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)

    assert _listed(tmp_path) == {}


def test_links_lead_nowhere_and_only_files_count(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/secret.md")
    project = tmp_path / "project"
    write(project / "memory/own.md")
    (project / "memory/linked.md").symlink_to(outside)
    (project / "memory/folder").symlink_to(outside.parent)
    (project / "MEMORY.md").symlink_to(outside)
    (project / ".agents").mkdir()
    (project / ".agents/memory").symlink_to(outside.parent)
    (project / "docs").symlink_to(outside.parent)
    (project / "memory/folder.md").mkdir()
    os.mkfifo(project / "memory/pipe.md")

    assert set(_listed(project)) == {"memory/own.md"}


def test_a_brain_is_searched_with_its_memory_and_not_with_what_zecher_makes(tmp_path: Path) -> None:
    for name in (
        *("decisions.md", "HOT.md", "memory/likes.md", "notes/deep/a.md", ".notarium/memory/x.md"),
        *("projects/shop.yaml", "projects-index.md", "identity.yaml", "reports/weekly.md", ".git/x.md"),
    ):
        write(tmp_path / name)

    assert _listed(tmp_path, BRAIN) == {
        "decisions.md": ("note", "decision"),
        "HOT.md": ("note", "doc"),
        "memory/likes.md": ("remembered", "memory"),
        "notes/deep/a.md": ("note", "memory"),
        ".notarium/memory/x.md": ("remembered", "memory"),
    }


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "memory/own.md")
    os.close(os.open(os.fsencode(tmp_path / "memory") + b"/caf\xe9.md", os.O_CREAT | os.O_WRONLY))

    assert set(_listed(tmp_path)) == {"memory/own.md"}


def test_what_is_beyond_the_caps_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write(tmp_path / f"memory/{number}.md", "x" * 100)
    monkeypatch.setattr(sources, "FILES_CAP", 3)
    by_count = list_sources([Place(str(tmp_path))])
    monkeypatch.setattr(sources, "FILES_CAP", 100)
    monkeypatch.setattr(sources, "BYTES_CAP", 250)
    by_size = list_sources([Place(str(tmp_path))])

    assert (len(by_count.sources), by_count.left_out) == (3, 2)
    assert (len(by_size.sources), by_size.left_out) == (2, 3)


def test_a_file_of_the_memory_is_found_in_its_place_and_nothing_else_is(tmp_path: Path) -> None:
    place = Place(str(tmp_path))
    write(tmp_path / "memory/a.md")
    write(tmp_path / "secret.md")
    write(tmp_path / "memory/a.txt")

    assert find(f"{tmp_path}/memory/a.md", [place]) == (place, "memory/a.md")
    assert find(f"{tmp_path}/memory/a.txt", [place]) is None
    assert find(f"{tmp_path}/secret.md", [place]) is None
    assert find(f"{tmp_path}/memory/../secret.md", [place]) is None
    assert find("/etc/passwd", [place]) is None
    assert find(f"{tmp_path}/DREAMS.md", [place]) is None
    assert find(f"{tmp_path}/DREAMS.md", [place], diary=True) == (place, "DREAMS.md")


def test_a_link_on_the_way_to_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "other/a.md")
    (tmp_path / "memory").symlink_to(tmp_path / "other")

    with pytest.raises(MemError):
        find(f"{tmp_path}/memory/a.md", [Place(str(tmp_path))])


def test_what_cannot_be_searched_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "memory/good.md", "text\n")
    assert list_sources([Place(str(tmp_path))]).left_out == 0
    write(tmp_path / "memory/huge.md", "x" * (sources.FILE_CAP + 1))
    os.mkfifo(tmp_path / "memory/pipe.md")
    (tmp_path / "memory" / os.fsdecode(b"bad\xff.md")).write_bytes(b"odd name\n")
    write(tmp_path / "memory" / "/".join(["deep"] * 12) / "deep.md", "text\n")
    (tmp_path / "memory/link.md").symlink_to(tmp_path / "memory/good.md")
    found = list_sources([Place(str(tmp_path))])
    assert (len(found.rows), found.left_out) == (1, 4)
