"""What a scan says of the places that it did not see; that it ends in time; that it only reads."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scanner.project import Root, Scan, Thresholds
from scanner.scan import Request, scan
from tests.scanner.support_cases import Desk, below, closed, only
from tests.support import NOW, Git, write

NODE = '{"name": "x", "scripts": {"test": "y"}}\n'


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def test_what_was_read_is_counted(desk: Desk) -> None:
    desk.manifest("group/a")
    write(desk.root / "group/notes.txt")

    coverage = desk.scan().coverage

    assert (coverage.directories, coverage.entries) == (3, 4)
    assert (coverage.unreadable, coverage.cut_by_depth, coverage.deadline_hit) == ((), 0, False)


def test_an_unreadable_folder_is_told_and_its_siblings_are_found(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("secret/b")
    desk.manifest("z")

    with closed(desk.root / "secret"):
        result = desk.scan()

    assert below(desk.root, result.projects) == ["a", "z"]
    assert result.coverage.unreadable == (str(desk.root / "secret"),)
    assert [(problem.path, problem.level) for problem in result.problems] == [
        (str(desk.root / "secret"), "warning")
    ]


def test_an_unreadable_folder_inside_a_project_does_not_lose_the_project(desk: Desk) -> None:
    desk.repository("shop", days=12)
    write(desk.root / "shop/private/x.txt", days=300)

    with closed(desk.root / "shop/private"):
        result = desk.scan()

    assert only(result).status.value == "active"
    assert [problem.path for problem in result.problems] == [str(desk.root / "shop/private")]


def test_an_unreadable_git_folder_is_told_and_the_project_listed(desk: Desk) -> None:
    desk.repository("shop", days=12)
    desk.manifest("a")

    with closed(desk.root / "shop/.git"):
        result = desk.scan()

    assert below(desk.root, result.projects) == ["a", "shop"]
    assert result.problems
    assert all(problem.path.startswith(str(desk.root / "shop")) for problem in result.problems)


def test_an_unreadable_manifest_is_told_and_spoils_nothing(desk: Desk) -> None:
    write(desk.repository("shop") / "package.json", NODE)
    desk.manifest("a")

    with closed(desk.root / "shop/package.json"):
        result = desk.scan()

    assert below(desk.root, result.projects) == ["a", "shop"]
    assert str(desk.root / "shop/package.json") in [problem.path for problem in result.problems]


def test_folders_that_vanish_during_the_walk_are_told(desk: Desk) -> None:
    for number in range(80):
        (desk.root / f"{number:02}").mkdir()

    def progress(directories: int, _found: int) -> None:
        if directories:
            shutil.rmtree(desk.root, ignore_errors=True)

    result = watched(desk, progress)

    assert len(result.coverage.unreadable) == 81 - 64
    assert {problem.path for problem in result.problems} == set(result.coverage.unreadable)


def test_progress_tells_folders_read_and_finds(desk: Desk) -> None:
    for number in range(130):
        desk.manifest(f"{number:03}")
    told: list[tuple[int, int]] = []

    watched(desk, lambda directories, found: told.append((directories, found)))

    assert told
    assert told == sorted(told)
    assert 0 < told[-1][1] <= told[-1][0] <= 131


def test_progress_is_told_between_any_two_projects_and_may_end_the_scan(desk: Desk) -> None:
    """One that stops waits for the reading of one project at most, not of all."""
    for number in range(20):
        desk.manifest(f"{number:02}")
    told: list[tuple[int, int]] = []
    watched(desk, lambda directories, found: told.append((directories, found)))
    whole = len(told)
    assert whole > 40  # each is looked for in a repository, and read

    def until_the_last_but_ten(directories: int, found: int) -> None:
        told.append((directories, found))
        if len(told) == 2 * whole - 10:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        watched(desk, until_the_last_but_ten)
    assert told[-10:] == [(21, 20)] * 10


# Deadline


def _ticking(step: float) -> Iterator[float]:
    moment = 1000.0
    while True:
        yield moment
        moment += step


def test_without_a_deadline_the_clock_is_not_asked_to_stop(desk: Desk) -> None:
    desk.manifest("a")
    ticks = _ticking(1e9)

    result = desk.scan(clock=lambda: next(ticks))

    assert below(desk.root, result.projects) == ["a"]
    assert not result.coverage.deadline_hit


def test_a_deadline_that_is_kept_leaves_no_trace(desk: Desk) -> None:
    desk.manifest("a")
    ticks = _ticking(0.001)

    result = desk.scan(clock=lambda: next(ticks), deadline=60.0)

    assert (below(desk.root, result.projects), result.problems) == (["a"], ())


def test_a_deadline_in_the_walk_gives_a_partial_result_that_says_so(desk: Desk) -> None:
    for number in range(200):
        (desk.root / f"{number:03}/x").mkdir(parents=True)
    ticks = _ticking(1.0)

    result = desk.scan(clock=lambda: next(ticks), deadline=3.0)

    assert result.coverage.deadline_hit
    assert 0 < result.coverage.directories < 401
    assert [(problem.code, problem.level) for problem in result.problems] == [("deadline", "error")]


def test_a_deadline_while_projects_are_read_keeps_those_that_were(desk: Desk) -> None:
    for number in range(20):
        desk.manifest(f"{number:02}")
    ticks = _ticking(1.0)

    result = desk.scan(clock=lambda: next(ticks), deadline=10.0)

    assert result.coverage.deadline_hit
    assert 0 < len(result.projects) < 20
    [problem] = result.problems
    assert problem.code == "deadline"
    assert str(20 - len(result.projects)) in problem.message


def test_a_deadline_that_has_passed_before_the_start_still_gives_a_result(desk: Desk) -> None:
    desk.manifest("a")
    ticks = _ticking(1.0)

    result = desk.scan(clock=lambda: next(ticks), deadline=0.0)

    assert result.projects == ()
    assert result.coverage.deadline_hit


# A scan only reads


def test_a_scan_changes_nothing_on_disk(desk: Desk) -> None:
    shop = desk.repository("shop", files={"package.json": NODE, "src/a.js": "x\n"})
    write(shop / "src/a.js", "changed\n")
    desk.manifest("plain")
    before = _picture(desk.root)

    desk.scan(nested="all", own_ignore=True)

    assert _picture(desk.root) == before


def test_a_scan_of_a_folder_that_cannot_be_written_works(desk: Desk) -> None:
    desk.repository("shop", days=12)
    desk.root.chmod(0o555)
    try:
        assert desk.only().status.value == "active"
    finally:
        desk.root.chmod(0o755)


def watched(desk: Desk, progress: Callable[[int, int], None]) -> Scan:
    request = Request(roots=(Root(str(desk.root)),), thresholds=Thresholds(), now=NOW)
    return scan(request, progress)


def _picture(folder: Path) -> list[tuple[str, int, int, bytes]]:
    """Every path below with its mode, its date and its bytes."""
    picture = []
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        picture.append((str(path), status.st_mode, status.st_mtime_ns, data))
    return picture
