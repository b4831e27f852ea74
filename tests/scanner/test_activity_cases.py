"""The fifteen ordinary histories on which every single source of activity fails somewhere.

Each case is a real repository with pinned dates; ``days`` is what its developer would answer to "when did you
last work on this?". Of the usual sources a folder's own date is right in seven, HEAD's commit in nine, the
newest commit on any branch in eleven.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanner.support_cases import SECOND, Case, Desk, assert_dated, date, edit, settle
from tests.support import DAY, NOW, Git, write

SOURCES = {"src/deep/er/code.py": "first\n", "pyproject.toml": "[project]\nname = 'shop'\n"}


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def fresh_clone(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream", days=700, files=SOURCES)
    desk.git("clone", "-q", str(upstream), str(desk.root / "shop"), days=0)
    settle(desk.root / "shop", 0)
    desk.git("update-index", "--refresh", cwd=desk.root / "shop")
    date(desk.root / "shop/.git/index", 0)


def uncommitted_edit_deep_in_the_tree(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=SOURCES)
    edit(shop / "src/deep/er/code.py", "second line of work\n", days=0)


def touched_without_a_change(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=SOURCES)
    date(shop / "src/deep/er/code.py", 0)


def desktop_file_dropped_in(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=SOURCES)
    write(shop / ".DS_Store", "\0\0\0\1Bud1", days=0)
    date(shop, 0)


def ignored_build_output(desk: Desk) -> None:
    shop = desk.repository("shop", days=400, files=SOURCES | {".gitignore": "build/\n"})
    write(shop / "build/out.bin", days=0)
    date(shop / "build", 0)


def feature_branch_not_checked_out(desk: Desk) -> None:
    shop = desk.repository("shop", days=200, files=SOURCES)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=3)
    desk.commit(shop, 2, "feature.py")
    desk.git("checkout", "-q", "main", cwd=shop, days=2)
    settle(shop, 200)


def rebased_yesterday(desk: Desk) -> None:
    shop = desk.repository("shop", days=300, files=SOURCES)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=260)
    desk.commit(shop, 250, "feature.py")
    desk.git("checkout", "-q", "main", cwd=shop, days=249)
    desk.commit(shop, 240, "main.py")
    desk.git("checkout", "-q", "feature", cwd=shop, days=239)
    desk.git("rebase", "-q", "main", cwd=shop, days=1)
    author = int(desk.git("log", "-1", "--format=%at", cwd=shop))
    assert author == NOW - 250 * DAY  # the trap: the author's date survives a rebase
    settle(shop, 300)


def commit_far_in_the_future(desk: Desk) -> None:
    shop = desk.repository("shop", days=100, files=SOURCES)
    tree = desk.git("rev-parse", "HEAD^{tree}", cwd=shop)
    future = desk.git("commit-tree", tree, "-p", "HEAD", "-m", "from 2037", cwd=shop, days=-4000)
    desk.git("update-ref", "-m", "commit: from 2037", "refs/heads/main", future, cwd=shop, days=100)


def background_fetch(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream", days=600, files=SOURCES)
    shop = desk.root / "shop"
    desk.git("clone", "-q", str(upstream), str(shop), days=550)
    desk.commit(shop, 500, "own.py")
    settle(shop, 500)
    desk.commit(upstream, 0, "theirs.py")
    desk.git("fetch", "-q", cwd=shop, days=0)
    date(shop / ".git/FETCH_HEAD", 0)


def git_status_rewrote_the_index(desk: Desk) -> None:
    shop = desk.repository("shop", days=500, files=SOURCES)
    date(shop / "pyproject.toml", 499)
    desk.git("status", cwd=shop, days=0)
    date(shop / ".git/index", 0)


def garbage_collected_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=300, files=SOURCES)
    desk.git("reflog", "expire", "--expire=now", "--all", cwd=shop, days=0)
    desk.git("gc", "-q", "--prune=now", cwd=shop, days=0)
    assert not list((shop / ".git/objects").glob("[0-9a-f][0-9a-f]"))


def stash_made_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=300, files=SOURCES)
    edit(shop / "src/deep/er/code.py", "half an idea\n", days=0)
    desk.git("stash", "-q", cwd=shop, days=0)
    settle(shop, 300)


def detached_head(desk: Desk) -> None:
    shop = desk.repository("shop", days=300, files=SOURCES)
    desk.git("checkout", "-q", "--detach", cwd=shop, days=4)
    desk.commit(shop, 3)


def linked_worktree(desk: Desk) -> None:
    shop = desk.repository("shop", days=300, files=SOURCES)
    tree = desk.root / "shop-feature"
    desk.git("worktree", "add", "-q", "-b", "feature", str(tree), cwd=shop, days=5)
    settle(tree, 300)
    desk.commit(tree, 4)


def unborn_branch(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", cwd=shop)
    write(shop / "notes.md", days=50)
    settle(shop, 50)


CASES = {
    "a fresh clone of an old upstream": Case(fresh_clone, 700, ("commit",), "archived"),
    "an uncommitted edit deep in the tree": Case(uncommitted_edit_deep_in_the_tree, 0, ("edit",), "active"),
    "a file touched without a change": Case(touched_without_a_change, 400, ("commit",), "archived"),
    "a desktop file dropped into the root": Case(desktop_file_dropped_in, 400, ("commit",), "archived"),
    "ignored build output": Case(ignored_build_output, 400, ("commit",), "archived"),
    "work on a branch that is not checked out": Case(
        feature_branch_not_checked_out, 2, ("commit",), "active"
    ),
    "a rebase yesterday": Case(rebased_yesterday, 1, ("commit",), "active"),
    "a commit far in the future": Case(
        commit_far_in_the_future, 100, ("commit", "reflog"), "paused", ("future-date",)
    ),
    "a background fetch today": Case(background_fetch, 500, ("commit",), "archived"),
    "an index rewritten by git status": Case(git_status_rewrote_the_index, 500, ("commit",), "archived"),
    "garbage collected today": Case(garbage_collected_today, 300, ("commit",), "archived"),
    "a stash made today": Case(stash_made_today, 0, ("stash",), "active"),
    "a commit on a detached HEAD": Case(detached_head, 3, ("commit",), "active"),
    "a commit in a linked worktree": Case(linked_worktree, 4, ("commit", "worktree"), "active"),
    "an unborn branch with a file": Case(unborn_branch, 50, ("edit",), "paused"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_date_is_the_one_that_the_developer_would_name(desk: Desk, case: Case) -> None:
    case.build(desk)

    assert_dated(desk.only(), case)


def test_fifteen_histories_are_covered() -> None:
    assert len(CASES) == 15


def test_a_folder_date_would_have_been_wrong_about_most_of_the_fifteen(git: Git) -> None:
    """The guard's sibling: what the fifteen cases cost whoever trusts the folder's own date."""
    wrong = 0
    for number, case in enumerate(CASES.values()):
        (git.root / str(number)).mkdir()
        desk = Desk.at(Git(git.root / str(number)))
        case.build(desk)
        by_folder = (NOW - Path(desk.root, "shop").stat().st_mtime) / DAY
        wrong += abs(by_folder - (case.days or 0)) > SECOND
    assert wrong >= 8
