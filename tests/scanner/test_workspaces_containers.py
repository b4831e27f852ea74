"""Containers of separate projects: what they list stays a project of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scanner import walk
from scanner.project import Root
from scanner.workspaces import containers
from scanner.workspaces.containers import listed_repositories
from tests.scanner.support_cases import Desk, one, scan_of
from tests.support import Git, write


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def hub_with(desk: Desk, name: str, text: str, *, folders: str = "api libs/core") -> Path:
    """A repository that holds a container file, with repositories inside that it ignores."""
    hub = desk.repository("hub", files={name: text, ".gitignore": "/api\n/libs\n/other\n"})
    for folder in [*folders.split(), "other"]:
        desk.repository(f"hub/{folder}")
    return hub


FILES = {
    "mani.yaml": "projects:\n  api:\n    url: x\n  core:\n    path: libs/core\n  gone:\n    path: gone\n",
    "mani.yml": "projects:\n  api:\n  core:\n    path: 'libs/core'\n",
    ".mrconfig": "[DEFAULT]\njobs = 2\n\n[api]\ncheckout = git clone x\n[libs/core]\ncheckout = git clone y\n"
    "[/elsewhere]\n[$HOME/x]\n",
    ".meta": '{"projects": {"api": "git@example.com:x.git", "libs/core": "y"}}',
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_repository_lists_is_found_inside_it(desk: Desk, name: str) -> None:
    hub_with(desk, name, FILES[name])

    assert desk.found() == ["hub", "hub/api", "hub/libs/core"]
    assert [project.vcs and project.vcs.role for project in desk.scan().projects] == ["normal"] * 3


def test_without_a_list_a_repository_hides_those_inside_it(desk: Desk) -> None:
    hub_with(desk, "README.md", "")

    assert desk.found() == ["hub"]
    assert one(desk.scan(), "hub").nested == (str(desk.root / "hub/api"), str(desk.root / "hub/other"))


def test_what_repo_checked_out_is_found_by_its_own_list(desk: Desk) -> None:
    hub = desk.root / "android"
    write(hub / "package.json", '{"name": "a", "scripts": {}}')
    write(hub / ".repo/project.list", "build/make\nframeworks/base\n")
    write(hub / ".repo/manifests/default.xml", "")
    for path in ("build/make", "frameworks/base"):
        bare = hub / f".repo/projects/{path}.git"
        desk.git("init", "-q", str(hub / path))
        desk.git("commit", "-q", "--allow-empty", "-m", "first", cwd=hub / path, days=1)
        bare.parent.mkdir(parents=True, exist_ok=True)
        (hub / path / ".git").rename(bare)
        (hub / path / ".git").symlink_to(os.path.relpath(bare, hub / path))

    assert set(desk.found()) >= {"android/build/make", "android/frameworks/base"}


def test_a_manifest_of_repo_names_projects_by_path_and_by_name(tmp_path: Path) -> None:
    write(tmp_path / ".repo/manifest.xml", '<manifest><include name="default.xml" /></manifest>')
    write(
        tmp_path / ".repo/manifests/default.xml",
        '<manifest><remote name="x" fetch=".."/>\n<project name="platform/a" path="a/b" />'
        '<project path="c"\n name="platform/c"><copyfile src="x" dest="y"/></project>'
        '<project name="plain"/><include name="more.xml"/></manifest>',
    )
    write(tmp_path / ".repo/manifests/more.xml", '<manifest><project name="d"/></manifest>')

    assert listed_repositories(str(tmp_path), {".repo"}) == ["a/b", "c", "plain", "d"]


def test_a_manifest_of_repo_that_is_a_link_still_has_its_default(tmp_path: Path) -> None:
    write(tmp_path / ".repo/manifests/default.xml", '<manifest><project name="a"/></manifest>')
    (tmp_path / ".repo/manifest.xml").symlink_to("manifests/default.xml")

    assert listed_repositories(str(tmp_path), {".repo"}) == ["a"]


def test_a_workspace_of_west_lists_its_manifest_repository_and_its_projects(tmp_path: Path) -> None:
    write(tmp_path / ".west/config", "[manifest]\npath = app\nfile = west.yml\n\n[zephyr]\nbase = zephyr\n")
    write(
        tmp_path / "app/west.yml",
        "manifest:\n  projects:\n    - name: zephyr\n      revision: main\n"
        "    - name: hal\n      path: modules/hal\n  self:\n    path: app\n",
    )

    found = listed_repositories(str(tmp_path), {".west"})

    assert found[:1] == ["app"]
    assert {"zephyr", "modules/hal"} <= set(found)


def test_the_repositories_of_a_plain_west_workspace_are_projects_each(desk: Desk) -> None:
    write(desk.root / "zephyrproject/.west/config", "[manifest]\npath = app\nfile = west.yml\n")
    desk.repository("zephyrproject/app", files={"west.yml": "manifest:\n  projects:\n    - name: zephyr\n"})
    desk.repository("zephyrproject/zephyr")
    desk.repository("zephyrproject/modules/hal")

    assert desk.found() == [f"zephyrproject/{name}" for name in ("app", "modules/hal", "zephyr")]


def test_a_listed_folder_is_not_entered_through_a_link(desk: Desk) -> None:
    outside = desk.elsewhere("secret")
    hub = desk.repository("hub", files={".meta": '{"projects": {"a": "x", "in/secret": "y"}}'})
    (hub / "a").symlink_to(outside)
    (hub / "in").symlink_to(outside.parent)

    assert desk.found() == ["hub"]


def test_a_listed_folder_below_the_depth_is_left_out_and_counted(desk: Desk) -> None:
    hub_with(desk, ".meta", FILES[".meta"])

    scan = scan_of(Root(str(desk.root), 2))

    assert [os.path.relpath(one.path, desk.root) for one in scan.projects] == ["hub", "hub/api"]
    assert scan.coverage.cut_by_depth >= 1


def test_a_listed_folder_that_is_excluded_stays_out(desk: Desk) -> None:
    hub_with(desk, ".meta", FILES[".meta"])

    assert desk.found(exclude=("libs/",)) == ["hub", "hub/api"]


def test_a_listed_submodule_belongs_to_its_repository(desk: Desk) -> None:
    library = desk.elsewhere("library")
    hub = desk.repository("hub", files={".meta": '{"projects": {"lib": "x"}}'})
    desk.git("submodule", "--quiet", "add", str(library), "lib", cwd=hub, days=1)

    assert desk.found() == ["hub"]


@pytest.mark.parametrize("name", sorted({*FILES, ".repo", ".west"}))
@pytest.mark.parametrize("data", [b"", b"\xff\xfe\0", b"[" * 5000, b"<project " * 5000, b"projects:\n" * 99])
def test_a_list_that_makes_no_sense_lists_nothing_and_ends_nothing(
    tmp_path: Path, name: str, data: bytes
) -> None:
    for path in (name, f"{name}/config", f"{name}/manifest.xml"):
        if "/" not in path and name in (".repo", ".west"):
            continue
        if "/" in path and name not in (".repo", ".west"):
            continue
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)

    assert listed_repositories(str(tmp_path), {name}) == []


def test_the_walk_knows_every_container_that_can_be_read() -> None:
    assert set(containers._READERS) == walk._CONTAINERS
