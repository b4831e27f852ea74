"""What a scan finds, how deep it looks, and what its coverage says of what it did not see."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scanner.project import Root
from tests.scanner.support_cases import Desk, below, only, scan_of
from tests.support import DAY, NOW, Git, write

NODE = '{"name": "x", "scripts": {"test": "y"}}\n'


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


# What is a project


def test_a_manifest_makes_a_project_without_version_control(desk: Desk) -> None:
    desk.manifest("a")

    project = desk.only()

    assert (project.name, project.has_git, project.vcs, project.why) == ("a", False, None, "go.mod")


def test_a_git_folder_alone_makes_a_project(desk: Desk) -> None:
    (desk.root / "a").mkdir()
    desk.git("init", "-q", cwd=desk.root / "a")

    project = desk.only()

    assert (project.name, project.has_git, project.stacks.primary) == ("a", True, "Unknown")


def test_a_git_folder_with_nothing_in_it_is_a_project_with_a_problem(desk: Desk) -> None:
    (desk.root / "a/.git").mkdir(parents=True)

    result = desk.scan()

    assert (only(result).has_git, only(result).status.value) == (True, "unknown")
    assert [problem.path for problem in result.problems] == [str(desk.root / "a")]


def test_a_git_file_that_leads_nowhere_is_a_project_with_a_problem(desk: Desk) -> None:
    write(desk.root / "a/.git", "gitdir: /nowhere\n")
    desk.repository("b")

    result = desk.scan()

    assert below(desk.root, result.projects) == ["a", "b"]
    assert [problem.path for problem in result.problems] == [str(desk.root / "a")]
    assert all(problem.fix for problem in result.problems)


def test_a_memory_folder_is_seen_but_makes_no_project(desk: Desk) -> None:
    for name, folder in (("a", ".agents"), ("b", "_bmad"), ("c", "src")):
        desk.manifest(name)
        (desk.root / name / folder).mkdir()
    write(desk.root / "d/.agents/memory/x.md")
    write(desk.root / "d/AGENTS.md")

    projects = desk.scan().projects

    assert [(project.name, project.bmad_installed) for project in projects] == [
        ("a", True),
        ("b", True),
        ("c", False),
    ]


@pytest.mark.parametrize("marker", ["App.xcodeproj", ".obsidian"])
def test_a_folder_may_be_the_marker(desk: Desk, marker: str) -> None:
    write(desk.root / "app" / marker / "data.json", "{}\n")

    assert desk.found() == ["app"]


def test_a_folder_without_any_sign_is_no_project(desk: Desk) -> None:
    write(desk.root / "letters/2026/tax.txt")

    assert desk.found() == []


def test_the_walk_stops_at_a_project(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("a/b/c")

    assert desk.found() == ["a"]
    assert desk.scan().coverage.directories == 2


def test_projects_are_ordered_by_path(desk: Desk) -> None:
    for name in ("b", "a/z", "a-b", "B", "a b", "ä"):
        desk.manifest(name)

    paths = [project.path for project in desk.scan().projects]

    assert paths == sorted(paths)
    assert len(paths) == 6


def test_the_same_scan_gives_the_same_result(desk: Desk) -> None:
    for name in ("b", "a", "c/d"):
        desk.repository(name)
    desk.manifest("e/node_modules/x")

    assert desk.scan() == desk.scan()


# Depth


@pytest.mark.parametrize(
    ("depth", "found"),
    [
        (0, []),
        (1, ["one"]),
        (2, ["b/two", "one"]),
        (3, ["b/c/three", "b/two", "one"]),
        (4, ["b/c/d/four", "b/c/three", "b/two", "one"]),
        (5, ["b/c/d/e/five", "b/c/d/four", "b/c/three", "b/two", "one"]),
    ],
)
def test_depth_counts_folders_below_the_root(desk: Desk, depth: int, found: list[str]) -> None:
    for name in ("one", "b/two", "b/c/three", "b/c/d/four", "b/c/d/e/five"):
        desk.manifest(name)

    assert desk.found(depth) == found


def test_four_levels_are_the_default(desk: Desk) -> None:
    desk.manifest("1/2/3/four")
    desk.manifest("1/2/3/4/five")

    assert below(desk.root, scan_of(Root(str(desk.root))).projects) == ["1/2/3/four"]


def test_a_root_of_depth_zero_may_be_a_project_itself(desk: Desk) -> None:
    desk.manifest("a")

    assert only(scan_of(Root(str(desk.root / "a"), 0))).path == str(desk.root / "a")


def test_folders_below_the_depth_are_counted(desk: Desk) -> None:
    for name in ("1/2/x", "1/2/y", "1/z"):
        (desk.root / name).mkdir(parents=True)

    coverage = desk.scan(2).coverage

    assert (coverage.directories, coverage.cut_by_depth) == (4, 2)


def test_pruned_folders_below_the_depth_are_not_called_cut_off(desk: Desk) -> None:
    (desk.root / "1/node_modules").mkdir(parents=True)

    assert desk.scan(1).coverage.cut_by_depth == 0


# Links


def test_a_linked_folder_is_not_followed(desk: Desk) -> None:
    desk.elsewhere("theirs")
    (desk.root / "link").symlink_to(desk.outside / "theirs")
    desk.manifest("own")

    assert desk.found() == ["own"]


def test_a_linked_project_beside_itself_is_listed_once(desk: Desk) -> None:
    desk.manifest("own")
    (desk.root / "a-link").symlink_to("own")
    desk.manifest("sibling")

    assert desk.found() == ["own", "sibling"]


def test_loops_of_links_are_walked_once(desk: Desk) -> None:
    desk.manifest("x/y/project")
    (desk.root / "x/loop").symlink_to(".")
    (desk.root / "x/y/parent").symlink_to("..")
    (desk.root / "x/y/root").symlink_to(desk.root)
    (desk.root / "x/top").symlink_to("/")

    result = desk.scan(depth=30)

    assert below(desk.root, result.projects) == ["x/y/project"]
    assert result.coverage.directories == 4


def test_a_dangling_link_is_no_marker(desk: Desk) -> None:
    (desk.root / "a").mkdir()
    (desk.root / "a/go.mod").symlink_to("nowhere")

    assert desk.found() == []


# Markers that are not what their name says


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's whole path may not be longer than about 100 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


MANIFESTS = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod"]


@pytest.mark.parametrize("marker", MANIFESTS)
@pytest.mark.parametrize("make", [_pipe, _socket, _device])
def test_a_manifest_that_is_no_file_lists_its_folder_tells_why_it_was_not_read_and_never_hangs(
    desk: Desk, marker: str, make: Callable[[Path], None]
) -> None:
    (desk.root / "odd").mkdir()
    make(desk.root / "odd" / marker)
    desk.manifest("good")
    start = time.monotonic()

    result = desk.scan()

    assert time.monotonic() - start < 30
    assert below(desk.root, result.projects) == ["good", "odd"]
    assert [(problem.path, problem.level) for problem in result.problems] == [
        (str(desk.root / "odd" / marker), "warning")
    ]


@pytest.mark.parametrize("marker", MANIFESTS)
def test_a_folder_with_the_name_of_a_manifest_is_no_marker(desk: Desk, marker: str) -> None:
    (desk.root / "odd" / marker).mkdir(parents=True)
    desk.manifest("good")

    assert desk.found() == ["good"]


def test_a_manifest_of_a_terabyte_is_too_large_to_read_but_still_a_project(desk: Desk) -> None:
    manifest = write(desk.root / "a/package.json", NODE)
    os.truncate(manifest, 1 << 40)

    result = desk.scan()

    assert below(desk.root, result.projects) == ["a"]
    assert [(problem.code, problem.path) for problem in result.problems] == [("too-large", str(manifest))]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"name": NaN, "scripts": {}}',
        "\ufeff".encode() + NODE.encode(),
        NODE.encode("utf-16"),
        b'{"name": "\\ud800", "scripts": {}}',
        b'{"version": ' + b"9" * 5000 + b', "scripts": {}}',
        b'{"name": "a", "name": "b", "scripts": {}}',
        b'{"name": 123, "scripts": {}}',
        b"\x00\xff\xfe garbage",
        b"",
        b"null",
    ],
    ids=[
        "deep list",
        "deep object",
        "not a number",
        "byte order mark",
        "utf-16",
        "lone surrogate",
        "long number",
        "same key twice",
        "numeric name",
        "bytes",
        "empty",
        "null",
    ],
)
def test_an_odd_manifest_spoils_no_other_project(desk: Desk, data: bytes) -> None:
    desk.repository("a")
    (desk.root / "a/package.json").write_bytes(data)
    desk.manifest("b")

    result = desk.scan()

    assert below(desk.root, result.projects) == ["a", "b"]
    assert "project-failed" not in [problem.code for problem in result.problems]
    assert isinstance(result.projects[0].name, str)


# Names


@pytest.mark.parametrize(
    "name",
    [
        b"\x1b[2Jclear",
        b"\x1b]52;c;cm0gLXJm\x07",
        b"\xc2\x9b31m",
        "\u202egnp.exe".encode(),
        b"two\nlines",
        b"x\n### 2026-01-01 - fake",
        b"[nope]",
        b"[link=x]y",
        b":skull:",
        b"a|b`c<script>",
        b"x" * 255,
        b"caf\xe9",
        b"\xff\xfe",
        b" lead and trail ",
        b"-rf",
        b"*",
    ],
)
def test_a_project_may_bear_any_name_that_the_disk_takes(desk: Desk, name: bytes) -> None:
    folder = os.path.join(os.fsencode(desk.root), name)
    os.mkdir(folder)
    for marker, text in (("package.json", b'{"scripts": {"a": "b"}}'), ("code.js", b"x\n")):
        path = os.path.join(folder, marker.encode())
        with open(path, "wb") as file:
            file.write(text)
        os.utime(path, (NOW - DAY, NOW - DAY))

    project = only(desk.scan())

    assert os.fsencode(project.path) == folder
    assert project.name
    assert project.activity.when is not None


@pytest.mark.parametrize("name", [b"caf\xe9", b"two\nlines", b"x" * 200])
def test_a_repository_may_bear_any_name_that_the_disk_takes(desk: Desk, name: bytes) -> None:
    folder = Path(os.fsdecode(os.path.join(os.fsencode(desk.root), name)))
    desk.repository("plain", days=12).rename(folder)

    project = only(desk.scan())

    assert os.fsencode(project.path) == os.fsencode(folder)
    assert (project.status.value, project.activity.source) == ("active", "commit")
