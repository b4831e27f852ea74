from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from brain.health import roles
from brain.health.examine import examine
from brain.health.gather import gather
from brain.remember.places import project_places, read_shelf, user_places
from brain.remember.remember import remember
from tests.support import NOW, write


@pytest.mark.parametrize(
    "path",
    [".agents/memory/notes/looks.md", ".notarium/memory/looks.md", ".notarium/memory/prj_1/looks.md"],
)
def test_the_health_of_a_project_sees_what_was_remembered(tmp_path: Path, path: str) -> None:
    write(tmp_path / path, "likes tabs\n")
    files = gather(str(tmp_path)).files
    assert [(file.path, file.role) for file in files] == [(path, roles.REMEMBERED)]
    assert roles.is_handover(path)


@pytest.mark.parametrize("path", ["memory/looks.md", ".notarium/memory/looks.md"])
def test_the_health_of_a_brain_sees_what_was_remembered(tmp_path: Path, path: str) -> None:
    write(tmp_path / path, "likes tabs\n")
    write(tmp_path / "notes.md", "no memory\n")
    files = gather(str(tmp_path), kind="brain").files
    assert [(file.path, file.role) for file in files] == [(path, roles.REMEMBERED)]


def test_a_secret_that_somebody_put_into_what_is_remembered_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path / ".agents/memory/notes/looks.md", "the token is ghp_" + "a1B2" * 9 + "\n")
    found = examine(gather(str(tmp_path)), date(2026, 11, 30))
    assert [(one.file, one.line) for one in found.findings if "secret" in one.code] == [
        (".agents/memory/notes/looks.md", 1)
    ]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (("Preferences", "prefs"), [".agents/memory/notes/b.md"]),
        (("Ongoing Work", "Work ongoing"), [".agents/memory/notes/b.md"]),
        (("Preferences", "Preferenecs"), [".agents/memory/notes/b.md"]),
        (("C", "C++"), []),
        (("Tools", "People"), []),
    ],
)
def test_categories_that_nearly_agree_are_named(
    tmp_path: Path, titles: tuple[str, str], expected: list[str]
) -> None:
    for name, title in zip("ab", titles, strict=True):
        write(tmp_path / f".agents/memory/notes/{name}.md", f'---\ntitle: "{title}"\n---\n\na fact\n')
    found = examine(gather(str(tmp_path)), date(2026, 11, 30)).findings
    assert [one.file for one in found if one.code == "m-alike"] == expected


def test_odd_things_in_the_folder_are_named_or_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    write(folder / "a.md", "text\n")
    write(folder / ".hidden.md")
    write(folder / "a.md.bak")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / os.fsdecode(b"\xff.md")).write_bytes(b"odd name\n")
    write(folder / "big.md", "x" * (1024 * 1024 + 1))

    shelf = read_shelf(*user_places(str(tmp_path)))

    assert [os.fsencode(Path(file.path).name) for file in shelf.categories] == [b"a.md", b"\xff.md"]
    assert sorted(Path(one.path).name for one in shelf.unread) == ["big.md", "pipe.md"]
    assert remember(user_places(str(tmp_path)), "a fact", now=NOW).outcome == "created"


def test_a_temporary_file_of_a_killed_writer_goes_after_an_hour(tmp_path: Path) -> None:
    old = write(tmp_path / ".agents/memory/notes/.looks.md.1.0123abcd.tmp", days=1)
    new = write(tmp_path / ".agents/memory/notes/.looks.md.2.0123abcd.tmp", days=0.01)
    remember(project_places(str(tmp_path)), "a fact", now=NOW)
    assert (old.exists(), new.exists()) == (False, True)


def test_new_folders_and_files_are_open_to_their_owner_alone(tmp_path: Path) -> None:
    done = remember(project_places(str(tmp_path)), "a fact", now=NOW)
    assert os.stat(done.file).st_mode & 0o777 == 0o600
    assert os.stat(Path(done.file).parent).st_mode & 0o777 == 0o700


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    path = write(tmp_path / "memory/general.md", "text\n")
    path.chmod(0o644)
    remember(user_places(str(tmp_path)), "a fact", now=NOW)
    assert path.stat().st_mode & 0o777 == 0o644
