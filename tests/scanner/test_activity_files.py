"""When a folder without git was last worked on: the newest file that somebody wrote."""

from __future__ import annotations

import pytest

from tests.scanner.support_cases import JUNK, Case, Desk, age, assert_dated, edit
from tests.support import Git, write

NODE = '{"name": "shop", "scripts": {"test": "t"}}\n'


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def spread(desk: Desk, files: dict[str, int]) -> None:
    """A folder without git whose files have the ages given."""
    for name, days in files.items():
        text = "module example.com/shop\n\ngo 1.22\n" if name == "go.mod" else f"{name}\n"
        write(desk.root / "shop" / name, text, days=days)


def plain_folder(desk: Desk) -> None:
    spread(desk, {"go.mod": 300, "main.go": 200, "deep/er/code.go": 12})


def plain_folder_with_fresh_generated_files(desk: Desk) -> None:
    spread(desk, {"main.go": 250, "src/main.js": 200} | {f"src/{n}.js": 200 + n for n in range(1, 5)})
    write(desk.root / "shop/package.json", NODE, days=210)
    for name in ("node_modules/x/index.js", "build/out.js", "__pycache__/x.pyc", ".venv/x.py"):
        write(desk.root / "shop" / name, days=0)


def plain_folder_with_an_ignore_file(desk: Desk) -> None:
    spread(desk, {"go.mod": 300, "main.go": 200, ".gitignore": 290, "data/today.csv": 0})
    edit(desk.root / "shop/.gitignore", "data/\n", 290)


def plain_folder_with_junk(desk: Desk) -> None:
    spread(desk, {"go.mod": 300, "main.go": 200} | dict.fromkeys(JUNK, 0))


def unpacked_from_an_archive(desk: Desk) -> None:
    spread(desk, {"go.mod": 3} | {f"src/{number}.go": 3 for number in range(20)})


def unpacked_over_older_work(desk: Desk) -> None:
    spread(desk, {"go.mod": 3, "own.go": 400} | {f"src/{number}.go": 3 for number in range(20)})


def edited_after_it_was_unpacked(desk: Desk) -> None:
    spread(desk, {"go.mod": 300} | {f"src/{number}.go": 300 for number in range(20)} | {"src/7.go": 5})


def unpacked_with_the_dates_kept(desk: Desk) -> None:
    spread(desk, {"go.mod": 900} | {f"src/{number}.go": 200 + 31 * number for number in range(12)})


def subversion_working_copy(desk: Desk) -> None:
    spread(desk, {"main.c": 40, "util.c": 55, ".svn/wc.db": 0, ".svn/entries": 0})


def mercurial_repository(desk: Desk) -> None:
    spread(desk, {"main.py": 31, "util.py": 70, ".hg/dirstate": 0, ".hg/store/00changelog.i": 0})


def repository_folder_that_git_cannot_read(desk: Desk) -> None:
    spread(desk, {"main.go": 30, "util.go": 90, "go.mod": 100})
    write(desk.root / "shop/.git", "gitdir: /nowhere/at/all\n", days=0)


CASES = {
    "plain folder": Case(plain_folder, 12, ("file",), "active", (), ("medium", "high")),
    "plain folder, fresh generated files": Case(
        plain_folder_with_fresh_generated_files, 200, ("file",), "archived"
    ),
    "plain folder with an ignore file": Case(plain_folder_with_an_ignore_file, 200, ("file",), "archived"),
    "plain folder with junk": Case(plain_folder_with_junk, 200, ("file",), "archived"),
    "unpacked from an archive": Case(unpacked_from_an_archive, 3, ("file",), "active", (), ("low",)),
    "unpacked over older work": Case(unpacked_over_older_work, 400, ("file",), "archived", (), ("low",)),
    "edited after it was unpacked": Case(edited_after_it_was_unpacked, 5, ("file",), "active"),
    "unpacked with the dates kept": Case(
        unpacked_with_the_dates_kept, 200, ("file",), "archived", (), ("medium", "high")
    ),
    "subversion": Case(subversion_working_copy, 40, ("file",), "paused"),
    "mercurial": Case(mercurial_repository, 31, ("file",), "paused"),
    "a .git that leads nowhere": Case(repository_folder_that_git_cannot_read, 30, ("file",), "paused"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_date_is_the_one_that_the_developer_would_name(desk: Desk, case: Case) -> None:
    case.build(desk)

    assert_dated(desk.only(), case)


@pytest.mark.parametrize("name", JUNK)
def test_a_file_that_a_program_left_behind_dates_no_plain_folder(desk: Desk, name: str) -> None:
    spread(desk, {"go.mod": 300, "main.go": 200, name: 0})

    assert age(desk.only()) == pytest.approx(200, abs=0.001)


def test_a_file_that_a_person_wrote_does(desk: Desk) -> None:
    spread(desk, {"go.mod": 300, "main.go": 200, "ideas.txt": 0})

    assert desk.only().status.value == "active"


def test_the_reason_of_a_plain_folder_names_its_newest_file(desk: Desk) -> None:
    plain_folder(desk)

    assert "deep/er/code.go" in desk.only().status.reason
