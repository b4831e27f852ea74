"""Memory of an assistant whose folder is gone: found, named as well as it can be, never touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs.orphans import encoded, find_orphans
from reports.status import LeftBehind
from scanner.mounts import Mount, Mounts
from tests.jobs.program import Program, folder_state
from tests.support import write


@pytest.fixture
def dev(home: Path) -> Path:
    folder = home / "dev"
    folder.mkdir()
    return folder


def remember(home: Path, folder: Path | str, *names: str) -> Path:
    """What the assistant keeps of ``folder``: one file for each name."""
    memory = home / ".claude" / "projects" / encoded(str(folder)) / "memory"
    for name in names or ("MEMORY.md",):
        write(memory / name)
    return memory


def found(home: Path, *known: str) -> list[tuple[str, int, bool]]:
    return [(one.folder, one.files, one.ambiguous) for one in find_orphans(str(home), Mounts(), known=known)]


def test_a_name_has_a_dash_for_all_but_letters_and_digits() -> None:
    assert encoded("/home/ana/dev/my.app_x y") == "-home-ana-dev-my-app-x-y"
    assert encoded("/é/😀") == "-----"


def test_the_memory_of_a_folder_that_is_there_is_none(home: Path, dev: Path) -> None:
    (dev / "my.app_x").mkdir()
    remember(home, dev / "my.app_x")
    assert found(home) == []


def test_the_memory_of_a_folder_that_is_gone_is_found(home: Path, dev: Path) -> None:
    memory = remember(home, dev / "shop", "MEMORY.md", "topic.md")
    assert find_orphans(str(home), Mounts()) == (LeftBehind(str(dev / "shop"), str(memory), 2),)


def test_of_a_name_with_a_dash_more_than_one_folder_may_be_meant(home: Path, dev: Path) -> None:
    remember(home, dev / "my" / "app")
    assert found(home) == [(str(dev / "my-app"), 1, True)]


def test_what_the_index_knew_names_the_folder_for_sure(home: Path, dev: Path) -> None:
    remember(home, dev / "my.app")
    assert found(home, str(dev / "my.app"), str(dev / "other")) == [(str(dev / "my.app"), 1, False)]


def test_two_known_folders_of_one_name_are_said_to_be_so(home: Path, dev: Path) -> None:
    remember(home, dev / "my.app")
    assert found(home, str(dev / "my.app"), str(dev / "my_app")) == [(str(dev / "my.app"), 1, True)]


def test_a_folder_of_another_name_that_is_written_alike_is_there(home: Path, dev: Path) -> None:
    (dev / "my-app").mkdir()
    remember(home, dev / "my.app")
    assert found(home) == []


def test_every_way_to_read_a_name_is_followed(home: Path, dev: Path) -> None:
    (dev / "a").mkdir()
    (dev / "a-b").mkdir()
    (dev / "a-b" / "c").mkdir()
    remember(home, dev / "a" / "b" / "c")
    assert found(home) == []


def test_a_file_in_the_place_of_the_folder_is_no_folder(home: Path, dev: Path) -> None:
    write(dev / "shop")
    remember(home, dev / "shop")
    assert found(home) == [(str(dev / "shop"), 1, False)]


@pytest.mark.parametrize("names", [[], ["sub/file.md"]])
def test_a_memory_without_files_is_none(home: Path, dev: Path, names: list[str]) -> None:
    place = home / ".claude" / "projects" / encoded(str(dev / "shop"))
    (place / "memory").mkdir(parents=True)
    for name in names:
        write(place / "memory" / name)
    assert found(home) == []


def test_links_are_not_followed(home: Path, dev: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "memory" / "MEMORY.md")
    place = home / ".claude" / "projects"
    place.mkdir(parents=True)
    (place / encoded(str(dev / "one"))).symlink_to(tmp_path / "elsewhere")
    (place / encoded(str(dev / "two"))).mkdir()
    (place / encoded(str(dev / "two")) / "memory").symlink_to(tmp_path / "elsewhere" / "memory")
    assert found(home) == []


def test_a_name_that_was_cut_says_nothing(home: Path, dev: Path) -> None:
    remember(home, dev / ("x" * (201 - len(str(dev)))))
    assert found(home) == []


def test_a_home_without_an_assistant_has_none(home: Path) -> None:
    assert found(home) == []


def test_a_file_system_that_may_be_far_away_is_not_asked(
    home: Path, dev: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(home, dev / "net" / "shop")
    (dev / "net").mkdir()
    asked: list[str] = []
    listdir = os.listdir

    def listen(path: str) -> list[str]:
        asked.append(path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", listen)
    far = Mounts({"/": Mount("8:1", True), str(dev / "net"): Mount("0:50", False)})
    assert find_orphans(str(home), far) == ()
    assert str(dev / "net") not in asked
    assert len(find_orphans(str(home), Mounts({str(home): Mount("0:50", False)}))) == 1


def test_what_cannot_be_looked_into_may_hold_the_folder(home: Path, dev: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root looks into everything")
    remember(home, dev / "closed" / "shop")
    (dev / "closed").mkdir(mode=0)
    try:
        assert found(home) == []
    finally:
        (dev / "closed").chmod(0o700)


def test_the_status_names_them_and_touches_nothing(home: Path, dev: Path, zecher: Program) -> None:
    memory = remember(home, dev / "shop")
    before = folder_state(home / ".claude")
    (one,) = zecher("status", "--json").data["orphans"]
    assert one == {
        "folder": {"path": str(dev / "shop")},
        "memory": {"path": str(memory)},
        "files": 1,
        "ambiguous": False,
        "moved_to": None,
    }
    assert folder_state(home / ".claude") == before


def test_the_memory_of_a_moved_project_says_where_the_project_is_now(
    home: Path, dev: Path, zecher: Program
) -> None:
    write(dev / "shop" / "go.mod", "module shop\n")
    zecher("scan", dev, "--yes")
    remember(home, dev / "shop")
    (dev / "shop").rename(dev / "store")
    zecher("scan", dev, "--yes")
    (one,) = zecher("status", "--json").data["orphans"]
    assert (one["folder"], one["moved_to"]) == ({"path": str(dev / "shop")}, {"path": str(dev / "store")})
