"""The file of the scan cache: found, rebuilt, never in the way."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from jobs.scan_cache import CacheFile
from scanner.project import Root, Scan, Thresholds
from scanner.scan import Request, scan
from tests.support import NOW, Git


class House:
    """A portfolio of two repositories and the place of the cache."""

    def __init__(self, git: Git, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = Path(os.path.realpath(git.root)) / "dev"
        self.file = home / ".cache/zecher/scan-cache"
        git.repository("dev/one")
        git.repository("dev/two")
        real = time.time
        # Ten seconds ahead: what was made just now counts as old enough.
        monkeypatch.setattr("jobs.scan_cache.time.time", lambda: real() + 10)

    def scan(self, root: Path | None = None, deadline: float | None = None) -> tuple[Scan, CacheFile]:
        file = CacheFile(str(self.file))
        cache = file.for_scan()
        request = Request(
            (Root(str(root or self.root)),), Thresholds(), NOW, deadline=deadline, clock=time.monotonic
        )
        found = scan(request, cache=cache)
        file.take(cache, found)
        file.save()
        return found, file


@pytest.fixture
def house(git: Git, home: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(git, home, monkeypatch)


def test_the_second_run_reads_nothing_again(house: House) -> None:
    first, _ = house.scan()

    second, file = house.scan()

    assert second == first
    assert (file.state, file.kept, file.read) == ("read", 2, 0)


def test_what_it_was_good_for_is_told_in_a_line(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house.scan()[1].story == "cache: 0 unchanged, 2 read"
    assert house.scan()[1].story == "cache: 2 unchanged, 0 read"
    house.file.write_bytes(b"x")
    assert house.scan()[1].story == "cache: 0 unchanged, 2 read, rebuilt: it was damaged"
    monkeypatch.setattr("jobs.scan_cache.__version__", "99.0")
    assert house.scan()[1].story == "cache: 0 unchanged, 2 read, rebuilt: another version wrote it"


def test_only_its_owner_may_read_it(house: House) -> None:
    house.scan()

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (house.file, house.file.parent)]
    assert modes == [0o600, 0o700]


def test_it_is_not_written_again_where_nothing_is_new(house: House) -> None:
    house.scan()
    before = house.file.stat()

    house.scan()

    assert house.file.stat() == before


@pytest.mark.parametrize("place", [0, 5, 25, 40, 200, -1])
def test_a_damaged_file_is_rebuilt_and_said(house: House, place: int) -> None:
    first, _ = house.scan()
    data = bytearray(house.file.read_bytes())
    data[place] ^= 0xFF
    house.file.write_bytes(bytes(data))

    second, file = house.scan()

    assert (second, file.read) == (first, 2)
    assert file.state in ("damaged", "other-version")
    assert house.scan()[1].kept == 2


@pytest.mark.parametrize("kept", [0, 1, 30, 100, -1])
def test_a_file_that_is_cut_is_rebuilt(house: House, kept: int) -> None:
    house.scan()
    house.file.write_bytes(house.file.read_bytes()[:kept])

    _, file = house.scan()

    assert [problem.code for problem in file.problems] == ["cache-damaged"]
    assert (file.kept, file.read) == (0, 2)


def test_a_file_of_another_version_is_rebuilt(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.scan()
    monkeypatch.setattr("jobs.scan_cache.__version__", "99.0")

    _, file = house.scan()

    assert (file.state, file.kept, file.problems) == ("other-version", 0, ())
    assert house.scan()[1].state == "read"


def test_a_link_in_its_place_is_not_followed(house: House, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    house.file.parent.mkdir(parents=True)
    house.file.symlink_to(target)

    _, file = house.scan()

    assert file.state == "damaged"
    assert target.read_text() == "mine"
    assert not house.file.is_symlink()


def test_a_folder_that_cannot_be_made_is_no_error(house: House, home: Path) -> None:
    (home / ".cache").write_text("a file")

    found, file = house.scan()

    assert (len(found.projects), file.state, file.problems) == (2, "none", ())


def test_what_lies_below_other_roots_stays_known(house: House) -> None:
    house.scan(house.root / "one")
    house.scan(house.root / "two")

    assert house.scan(house.root / "one")[1].kept == 1


def test_what_is_gone_is_forgotten(house: House) -> None:
    house.scan()
    (house.root / "one").rename(house.root.parent / "elsewhere")

    house.scan()

    assert list(CacheFile(str(house.file)).records) == [str(house.root / "two")]


def test_a_scan_that_ran_out_of_time_forgets_nothing(house: House) -> None:
    house.scan()

    house.scan(deadline=0.0)

    assert house.scan()[1].kept == 2


def test_what_a_killed_scan_left_is_swept(house: House) -> None:
    house.file.parent.mkdir(parents=True)
    left = house.file.parent / "scan-cache.1.new"
    left.write_bytes(b"half")
    os.utime(left, (1, 1))

    house.scan()

    assert [path.name for path in house.file.parent.iterdir()] == ["scan-cache"]
