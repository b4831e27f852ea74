from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from scanner import untracked
from scanner.edits import newest_file
from scanner.ignore import parse_ignore
from scanner.mounts import Mount, Mounts
from scanner.project import Problem
from tests.scanner.support_cases import closed
from tests.support import DAY, NOW, write

MINUTE = 60 / DAY


@dataclass(frozen=True)
class Seen:
    """A newest file that can be compared and shown."""

    when: float | None = None
    path: str = ""
    confidence: str = "low"
    truncated: bool = False
    problems: tuple[Problem, ...] = ()


def newest(path: Path, *, excludes: tuple[bytes, ...] = (), **options: Any) -> Seen:
    rules = [parse_ignore(data, "user") for data in excludes]
    file = newest_file(str(path), now=NOW, excludes=rules, **options)
    return Seen(*(getattr(file, one.name) for one in fields(file)))


def found(path: str, days: float, confidence: str = "medium") -> Seen:
    return Seen(NOW - days * DAY, path, confidence)


def spread(path: Path, count: int, *, first: float, step: float = 1.0) -> None:
    """Files written at different times, the newest ``first`` days ago."""
    for number in range(count):
        write(path / f"src/file{number}.py", "x\n", days=first + number * step)


def test_the_newest_file_of_several_days_work_is_the_date(tmp_path: Path) -> None:
    spread(tmp_path, 6, first=12)
    write(tmp_path / "README.md", "x\n", days=40)
    assert newest(tmp_path) == found("src/file0.py", 12)


def test_an_empty_folder_has_no_date(tmp_path: Path) -> None:
    assert newest(tmp_path) == Seen()


def test_a_folder_of_litter_has_no_date(tmp_path: Path) -> None:
    write(tmp_path / ".DS_Store", "x", days=1)
    write(tmp_path / "src/.main.py.swp", "x", days=1)
    assert newest(tmp_path) == Seen()


def test_ignored_generated_and_nested_files_do_not_count(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.log\n", days=60)
    write(tmp_path / "src/.gitignore", "/gen/\n", days=60)
    write(tmp_path / "main.py", "x\n", days=50)
    for name in ("a.log", "src/gen/a.py", "node_modules/a/b.js", "nested/.git/HEAD", "nested/a.py"):
        write(tmp_path / name, "x\n", days=1)
    write(tmp_path / "env/pyvenv.cfg", "home\n", days=1)
    write(tmp_path / "cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n", days=1)
    write(tmp_path / "user.tmp", "x\n", days=1)
    assert newest(tmp_path, excludes=(b"*.tmp\n",)) == found("main.py", 50)
    assert newest(tmp_path) == found("user.tmp", 1)


def test_a_date_after_tomorrow_does_not_count(tmp_path: Path) -> None:
    write(tmp_path / "a", "x\n", days=-2)
    write(tmp_path / "b", "x\n", days=9)
    assert newest(tmp_path) == found("b", 9)


def test_four_files_of_one_minute_are_a_persons_work(tmp_path: Path) -> None:
    spread(tmp_path, 4, first=9, step=MINUTE / 10)
    assert newest(tmp_path) == found("src/file0.py", 9)


def test_files_that_were_unpacked_in_one_minute_say_little(tmp_path: Path) -> None:
    spread(tmp_path, 20, first=9, step=MINUTE / 40)
    assert newest(tmp_path) == found("src/file0.py", 9, "low")


def test_files_that_kept_their_dates_through_the_unpacking_are_the_better_guess(tmp_path: Path) -> None:
    spread(tmp_path, 20, first=1, step=MINUTE / 40)
    write(tmp_path / "LICENSE", "x\n", days=700)
    write(tmp_path / "NOTES", "x\n", days=650)
    assert newest(tmp_path) == found("NOTES", 650, "low")


def test_work_after_the_unpacking_is_the_date(tmp_path: Path) -> None:
    spread(tmp_path, 20, first=100, step=MINUTE / 40)
    write(tmp_path / "mine.py", "x\n", days=3)
    assert newest(tmp_path) == found("mine.py", 3)


def test_less_than_four_fifths_in_one_minute_is_no_unpacking(tmp_path: Path) -> None:
    spread(tmp_path, 7, first=1, step=MINUTE / 40)
    write(tmp_path / "a", "x\n", days=50)
    write(tmp_path / "b", "x\n", days=60)
    assert newest(tmp_path) == found("src/file0.py", 1)
    (tmp_path / "b").unlink()
    assert newest(tmp_path) == found("a", 50, "low")


def test_links_out_of_the_project_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside/new.py", "x\n", days=1)
    write(tmp_path / "p/a.py", "x\n", days=9)
    (tmp_path / "p/link").symlink_to(tmp_path / "outside")
    os.utime(tmp_path / "p/link", (NOW - 20 * DAY,) * 2, follow_symlinks=False)
    assert newest(tmp_path / "p") == found("a.py", 9)


def test_a_project_larger_than_the_cap_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spread(tmp_path, 6, first=9)
    assert not newest(tmp_path).truncated
    monkeypatch.setattr(untracked, "ENTRIES_CAP", 5)
    assert newest(tmp_path).truncated


def test_a_name_that_is_not_utf8_is_a_file_like_any_other(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    write(tmp_path / name / name, "x\n", days=4)
    assert newest(tmp_path) == found(f"{name}/{name}", 4)


def test_generated_folders_do_not_count_only_beside_what_generates_them(tmp_path: Path) -> None:
    write(tmp_path / "main.rs", "x\n", days=50)
    write(tmp_path / "sub/target/a", "x\n", days=1)
    assert newest(tmp_path) == found("sub/target/a", 1)
    write(tmp_path / "sub/Cargo.toml", "x\n", days=60)
    assert newest(tmp_path) == found("main.rs", 50)


def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path / "a", "x\n", days=5)
    write(tmp_path / "private/b", "x\n", days=1)
    with closed(tmp_path / "private"):
        file = newest(tmp_path)
    assert file.path == "a"
    assert [(one.code, one.path) for one in file.problems] == [
        ("unreadable-folder", str(tmp_path / "private"))
    ]


def test_another_file_system_below_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "a", "x\n", days=5)
    write(tmp_path / "src/far/b", "x\n", days=1)
    mounts = Mounts({"/": Mount("8:1", True), str(tmp_path / "src/far"): Mount("0:77", False)})
    assert newest(tmp_path, mounts=mounts) == found("a", 5)
    assert newest(tmp_path, mounts=Mounts()) == found("src/far/b", 1)
