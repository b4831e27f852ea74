"""When the files themselves say that somebody last worked, and when they must not be asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scanner.support_cases import JUNK, Case, Desk, age, assert_dated, date, edit, settle
from tests.support import DAY, NOW, Git, write

PROJECT = {"package.json": '{"name": "shop", "scripts": {"test": "t"}}\n', "src/main.js": "first\n"}
SIGNED = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 5\n"


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def edit_of_the_same_size(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "other\n", 1.5)


def new_file_deep_in_a_new_folder(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / "lab/one/two/idea.js", days=3)


def untracked_file_edited_in_place(desk: Desk) -> None:
    """Never added, older than the last commit, and written to today: its folder keeps its old date."""
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / "src/notes.txt", days=500)
    settle(shop / "src", 500)
    edit(shop / "src/notes.txt", "a thought\n", 2)


def file_in_an_untracked_folder_edited_in_place(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / "src/lab/try.js", days=500)
    settle(shop / "src", 500)
    edit(shop / "src/lab/try.js", "a try\n", 2)


def untracked_file_edited_in_place_deep_below(desk: Desk) -> None:
    """The documented limit: deep below, a folder that gained nothing since the last commit is not listed."""
    shop = desk.repository("shop", days=400, files=PROJECT | {"src/deep/er/code.js": "x\n"})
    write(shop / "src/deep/er/notes.txt", days=500)
    settle(shop / "src", 500)
    edit(shop / "src/deep/er/notes.txt", "a thought\n", 2)


def file_ignored_by_a_nested_ignore_file(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT | {"src/.gitignore": "*.log\n"})
    write(shop / "src/run.log", days=0)


def file_ignored_by_info_exclude(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / ".git/info/exclude", "scratch/\n")
    write(shop / "scratch/try.js", days=0)


def file_taken_back_by_a_negated_rule(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT | {".gitignore": "*.log\n!keep.log\n"})
    write(shop / "run.log", days=0)
    write(shop / "keep.log", days=21)


def tracked_file_that_is_ignored_now(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / ".gitignore", "src/\n", days=390)
    desk.git("add", ".gitignore", cwd=shop)
    desk.git("commit", "-q", "-m", "ignore", cwd=shop, days=390)
    edit(shop / "src/main.js", "tracked all the same\n", 4)


def generated_folders_that_nobody_ignored(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    for name in ("node_modules/left-pad/index.js", "__pycache__/x.pyc", ".venv/lib/x.py", ".idea/w.xml"):
        write(shop / name, days=0)


def file_deleted_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    (shop / "src/main.js").unlink()
    date(shop / "src", 0)


def mode_changed_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    (shop / "src/main.js").chmod(0o755)
    date(shop / "src/main.js", 0)


def staged_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "staged, not committed\n", 2)
    desk.git("add", "-A", cwd=shop, days=2)


def new_file_staged(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    write(shop / "src/new.js", days=2)
    desk.git("add", "-A", cwd=shop, days=2)


def staged_on_an_unborn_branch(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", cwd=shop)
    write(shop / "notes.md", days=50)
    desk.git("add", "-A", cwd=shop, days=50)


def unborn_branch_with_junk_only(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", cwd=shop)
    for name in JUNK:
        write(shop / name, days=1)


def junk_beside_a_commit(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    for name in JUNK:
        write(shop / name, days=0)


def line_ends_converted_at_checkout(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    desk.git("config", "core.autocrlf", "true", cwd=shop)
    check_out_again(desk, shop, "src/main.js")
    assert (shop / "src/main.js").read_bytes() == b"first\r\n"


def line_ends_converted_by_attributes(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT | {".gitattributes": "*.js text eol=crlf\n"})
    check_out_again(desk, shop, "src/main.js")
    assert (shop / "src/main.js").read_bytes() == b"first\r\n"


def large_file_behind_a_filter(desk: Desk) -> None:
    pointer = SIGNED.format("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    shop = desk.repository(
        "shop", days=400, files=PROJECT | {".gitattributes": "*.bin filter=lfs\n", "a.bin": pointer}
    )
    check_out_again(desk, shop, "a.bin", "-c", "filter.lfs.smudge=printf hello")
    assert (shop / "a.bin").read_text() == "hello"


def file_behind_an_unknown_filter(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT | {".gitattributes": "*.js filter=indent\n"})
    check_out_again(desk, shop, "src/main.js", "-c", "filter.indent.smudge=sed s/^/--/")
    assert (shop / "src/main.js").read_text() == "--first\n"


def edit_in_a_repository_inside(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    inner = desk.repository("shop/tools/inner", days=300)
    edit(inner / "README.md", "work on the inner one\n", 0)
    settle(shop / "tools", 400)
    edit(inner / "README.md", "work on the inner one\n", 0)


def edit_dated_in_the_future(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "from a machine with a broken clock\n", -40)


def edit_an_hour_ahead(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "from a machine with a fast clock\n", -1 / 24)


def edit_older_than_the_commit(desk: Desk) -> None:
    shop = desk.repository("shop", days=20, files=PROJECT)
    edit(shop / "src/main.js", "restored from a backup\n", 300)


def link_changed(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    (shop / "current").symlink_to("src")
    stamp = NOW - 5 * DAY
    os.utime(shop / "current", (stamp, stamp), follow_symlinks=False)


def sparse_checkout(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT | {"docs/x.md": "x\n"})
    desk.git("sparse-checkout", "set", "src", cwd=shop, days=0)
    settle(shop, 400)


CASES = {
    "edit of the same size": Case(edit_of_the_same_size, 1.5, ("edit",), "active"),
    "new file deep in a new folder": Case(new_file_deep_in_a_new_folder, 3, ("edit",), "active"),
    "untracked file edited in place": Case(untracked_file_edited_in_place, 2, ("edit",), "active"),
    "file in an untracked folder edited in place": Case(
        file_in_an_untracked_folder_edited_in_place, 2, ("edit",), "active"
    ),
    "untracked file edited in place deep below (a known limit)": Case(
        untracked_file_edited_in_place_deep_below, 400, ("commit",), "archived"
    ),
    "ignored by a nested ignore file": Case(
        file_ignored_by_a_nested_ignore_file, 400, ("commit",), "archived"
    ),
    "ignored by info/exclude": Case(file_ignored_by_info_exclude, 400, ("commit",), "archived"),
    "taken back by a negated rule": Case(file_taken_back_by_a_negated_rule, 21, ("edit",), "active"),
    "tracked although ignored now": Case(tracked_file_that_is_ignored_now, 4, ("edit",), "active"),
    "generated folders not ignored": Case(
        generated_folders_that_nobody_ignored, 400, ("commit",), "archived"
    ),
    "file deleted today": Case(file_deleted_today, 400, ("commit",), "archived"),
    "mode changed today": Case(mode_changed_today, 400, ("commit",), "archived"),
    "staged, not committed": Case(staged_today, 2, ("edit",), "active"),
    "new file staged": Case(new_file_staged, 2, ("edit",), "active"),
    "staged on an unborn branch": Case(staged_on_an_unborn_branch, 50, ("edit",), "paused"),
    "unborn branch with junk only": Case(unborn_branch_with_junk_only, None, ("none",), "unknown"),
    "junk beside a commit": Case(junk_beside_a_commit, 400, ("commit",), "archived"),
    "line ends by core.autocrlf": Case(line_ends_converted_at_checkout, 400, ("commit",), "archived"),
    "line ends by attributes": Case(line_ends_converted_by_attributes, 400, ("commit",), "archived"),
    "large file behind a filter": Case(large_file_behind_a_filter, 400, ("commit",), "archived"),
    "file behind an unknown filter": Case(file_behind_an_unknown_filter, 400, ("commit",), "archived"),
    "edit in a repository inside": Case(edit_in_a_repository_inside, 400, ("commit",), "archived"),
    "edit dated in the future": Case(edit_dated_in_the_future, 400, ("commit",), "archived"),
    "edit an hour ahead": Case(edit_an_hour_ahead, -1 / 24, ("edit",), "active"),
    "edit older than the commit": Case(edit_older_than_the_commit, 20, ("commit",), "active"),
    "new link": Case(link_changed, 5, ("edit",), "active"),
    "sparse checkout": Case(sparse_checkout, 400, ("commit",), "archived"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_date_is_the_one_that_the_developer_would_name(desk: Desk, case: Case) -> None:
    case.build(desk)

    assert_dated(desk.only(), case)


def test_the_reason_names_the_edited_file(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "changed\n", 2)

    project = desk.only()

    assert "src/main.js" in project.status.reason
    assert "src/main.js" in project.activity.detail


def test_a_filtered_file_that_may_have_changed_is_told_as_a_doubt(desk: Desk) -> None:
    file_behind_an_unknown_filter(desk)

    assert "may-be-modified" in desk.only().flags


def test_the_newest_of_several_edits_counts(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files={f"{name}.txt": "x\n" for name in "abc"})
    for name, days in (("a", 9.0), ("b", 7.0), ("c", 8.0)):
        edit(shop / f"{name}.txt", "edited\n", days)

    assert age(desk.only()) == pytest.approx(7, abs=0.001)


def test_the_time_of_an_edit_is_told_to_the_second(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=PROJECT)
    edit(shop / "src/main.js", "changed\n", 1.23456)

    assert desk.only().activity.when == pytest.approx(NOW - 1.23456 * DAY, abs=0.01)


def test_folder_dates_are_never_asked(desk: Desk) -> None:
    shop = desk.repository("shop", days=100, files=PROJECT)
    for folder in (shop, shop / "src", shop / ".git", desk.root):
        date(folder, 0)

    assert age(desk.only()) == pytest.approx(100, abs=0.001)


def test_gits_own_files_are_never_asked(desk: Desk) -> None:
    shop = desk.repository("shop", days=100, files=PROJECT)
    desk.git("update-ref", "ORIG_HEAD", "HEAD", cwd=shop, days=0)
    write(shop / ".git/FETCH_HEAD", "")
    for file in (shop / ".git").iterdir():
        date(file, 0)

    assert age(desk.only()) == pytest.approx(100, abs=0.001)


def test_dating_a_project_leaves_its_index_as_it_was(desk: Desk) -> None:
    shop = desk.repository("shop", days=100, files=PROJECT)
    date(shop / "src/main.js", 1)
    before = (shop / ".git/index").read_bytes(), (shop / ".git/index").stat().st_mtime_ns

    desk.only()

    assert ((shop / ".git/index").read_bytes(), (shop / ".git/index").stat().st_mtime_ns) == before


@pytest.mark.parametrize("build", [line_ends_converted_at_checkout, line_ends_converted_by_attributes])
def test_git_agrees_that_a_converted_file_is_unchanged(desk: Desk, build: Callable[[Desk], None]) -> None:
    """The sibling of the two cases with converted line ends: git itself sees nothing to commit there."""
    build(desk)

    assert desk.git("status", "--porcelain", cwd=desk.root / "shop") == ""


def check_out_again(desk: Desk, repository: Path, name: str, *options: str) -> None:
    """Let git write the file anew, as it converts or filters it, and touch it today."""
    (repository / name).unlink()
    desk.git(*options, "checkout", "-q", "--", name, cwd=repository)
    date(repository / name, 0)
