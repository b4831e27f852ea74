"""When the commits, the reflogs, the stash and the worktrees say that somebody last worked."""

from __future__ import annotations

import pytest

from tests.scanner.support_cases import Case, Desk, assert_dated, edit, settle
from tests.support import DAY, NOW, Git, write


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def shallow_clone(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream", days=700)
    desk.commit(upstream, 90, "newer.py")
    desk.git("clone", "-q", "--depth", "1", f"file://{upstream}", str(desk.root / "shop"), days=0)
    settle(desk.root / "shop", 0)


def bare_repository(desk: Desk) -> None:
    work = desk.elsewhere("work", days=10)
    desk.git("clone", "-q", "--bare", str(work), str(desk.root / "shop.git"), days=0)


def bare_repository_pushed_to_a_branch(desk: Desk) -> None:
    work = desk.elsewhere("work", days=200)
    bare = desk.root / "shop.git"
    desk.git("clone", "-q", "--bare", str(work), str(bare), days=150)
    desk.git("checkout", "-q", "-b", "feature", cwd=work, days=40)
    desk.commit(work, 40, "feature.py")
    desk.git("push", "-q", str(bare), "feature", cwd=work, days=39)


def stash_on_top_of_a_stash(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    for days in (20, 6):
        edit(shop / "README.md", f"idea {days}\n", days)
        desk.git("stash", "-q", cwd=shop, days=days)
    settle(shop, 300)


def older_stash_is_the_newest_thing_left(desk: Desk) -> None:
    stash_on_top_of_a_stash(desk)
    desk.git("stash", "drop", "-q", cwd=desk.root / "shop", days=0)


def three_worktrees(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    for name, days in (("one", 9), ("two", 6), ("three", 12)):
        tree = desk.root / name
        desk.git("worktree", "add", "-q", "--detach", str(tree), cwd=shop, days=50)
        settle(tree, 300)
        desk.commit(tree, days)


def detached_worktree_outside_the_root(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    tree = desk.outside / "tree"
    desk.git("worktree", "add", "-q", "--detach", str(tree), cwd=shop, days=50)
    desk.commit(tree, 7)


def worktree_whose_folder_is_gone(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    tree = desk.root / "tree"
    desk.git("worktree", "add", "-q", "--detach", str(tree), cwd=shop, days=50)
    desk.commit(tree, 4)
    desk.git("-C", str(tree), "rev-parse", "HEAD")
    for file in tree.iterdir():
        file.unlink()
    tree.rmdir()


def uncommitted_edit_in_a_worktree(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    tree = desk.root / "tree"
    desk.git("worktree", "add", "-q", "-b", "feature", str(tree), cwd=shop, days=50)
    settle(tree, 300)
    edit(tree / "README.md", "work in a worktree\n", 2)


def uncommitted_edit_in_a_hidden_worktree(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    tree = shop / ".worktrees/feature"
    desk.git("worktree", "add", "-q", "-b", "feature", str(tree), cwd=shop, days=50)
    settle(shop, 300)
    edit(tree / "README.md", "work in a hidden worktree\n", 2)


def edit_in_a_worktree_of_a_bare_hub(desk: Desk) -> None:
    work = desk.elsewhere("work", days=100)
    hub = desk.root / "hub"
    desk.git("clone", "-q", "--bare", str(work), str(hub / ".bare"), days=90)
    write(hub / ".git", "gitdir: ./.bare\n")
    desk.git("worktree", "add", "-q", str(hub / "main"), "main", cwd=hub, days=90)
    settle(hub / "main", 100)
    edit(hub / "main/README.md", "work in the hub\n", 3)


def clock_an_hour_ahead(desk: Desk) -> None:
    shop = desk.repository("shop", days=90)
    desk.commit(shop, -1 / 24)


def clock_a_day_and_an_hour_ahead(desk: Desk) -> None:
    shop = desk.repository("shop", days=90)
    desk.commit(shop, -25 / 24)


def several_commits_in_the_future(desk: Desk) -> None:
    shop = desk.repository("shop", days=45)
    for days in (-300, -301, -302):
        desk.commit(shop, days)


def every_commit_in_the_future(desk: Desk) -> None:
    desk.repository("shop", days=-3000)
    settle(desk.root / "shop", 60)


def future_branch_beside_a_sane_one(desk: Desk) -> None:
    shop = desk.repository("shop", days=200)
    desk.git("checkout", "-q", "-b", "late", cwd=shop, days=199)
    desk.commit(shop, 12)
    desk.git("checkout", "-q", "-b", "broken-clock", "main", cwd=shop, days=11)
    desk.commit(shop, -500)


def only_commit_in_1970(desk: Desk) -> None:
    shop = desk.repository("shop", days=20)
    epoch = desk.raw_commit(shop, "0 +0000")
    desk.git("update-ref", "refs/heads/main", epoch, cwd=shop)
    desk.git("reflog", "expire", "--expire=now", "--all", cwd=shop)


def commit_in_1970_recorded_by_a_sane_clock(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    epoch = desk.raw_commit(shop, "0 +0000", desk.git("rev-parse", "HEAD", cwd=shop))
    desk.git("update-ref", "-m", "commit: epoch", "refs/heads/main", epoch, cwd=shop, days=20)


def head_in_1970_on_top_of_a_sane_commit(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    epoch = desk.raw_commit(shop, "0 +0000", desk.git("rev-parse", "HEAD", cwd=shop))
    desk.git("update-ref", "refs/heads/main", epoch, cwd=shop)
    desk.git("reflog", "expire", "--expire=now", "--all", cwd=shop)


def amended_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    author = f"@{int(NOW - 100 * DAY)}"
    desk.git("commit", "-q", "--amend", "--date", author, "-m", "better words", cwd=shop, days=0)
    settle(shop, 100)


def author_date_in_the_future(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    author = f"@{int(NOW + 900 * DAY)}"
    desk.git("commit", "-q", "--allow-empty", "--date", author, "-m", "odd", cwd=shop, days=35)


def branch_deleted_after_the_work(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "-b", "trial", cwd=shop, days=6)
    desk.commit(shop, 5)
    desk.git("checkout", "-q", "main", cwd=shop, days=1)
    desk.git("branch", "-q", "-D", "trial", cwd=shop, days=1)


def work_thrown_away_by_a_reset(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.commit(shop, 8, "wrong.py")
    desk.git("reset", "-q", "--hard", "HEAD~1", cwd=shop, days=0)
    settle(shop, 300)


def detached_commit_left_behind(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "--detach", cwd=shop, days=10)
    desk.commit(shop, 9)
    desk.git("checkout", "-q", "main", cwd=shop, days=2)


def old_work_pulled_today(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream", days=300)
    shop = desk.root / "shop"
    desk.git("clone", "-q", str(upstream), str(shop), days=250)
    desk.commit(upstream, 90, "theirs.py")
    desk.git("pull", "-q", "--ff-only", cwd=shop, days=0)
    settle(shop, 0)


def checked_out_an_old_branch_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("branch", "old", cwd=shop, days=299)
    desk.commit(shop, 190, "newer.py")
    desk.git("checkout", "-q", "old", cwd=shop, days=0)
    settle(shop, 0)


def merged_today(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=60)
    desk.commit(shop, 50, "feature.py")
    desk.git("checkout", "-q", "main", cwd=shop, days=49)
    desk.git("merge", "-q", "--no-ff", "-m", "merge", "feature", cwd=shop, days=0.5)
    settle(shop, 300)


def separate_git_folder(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", "--separate-git-dir", str(desk.root / "store"), str(shop))
    desk.commit(shop, 12, "code.py")
    settle(shop, 12)


def objects_borrowed_from_another_repository(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream", days=20)
    desk.git("clone", "-q", "--shared", str(upstream), str(desk.root / "shop"), days=0)
    settle(desk.root / "shop", 0)


def sha256_repository(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", "--object-format=sha256", cwd=shop)
    desk.commit(shop, 33, "code.py")
    settle(shop, 33)


def every_branch_packed(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=60)
    desk.commit(shop, 50)
    desk.git("checkout", "-q", "main", cwd=shop, days=49)
    desk.git("pack-refs", "--all", cwd=shop)
    desk.git("reflog", "expire", "--expire=now", "--all", cwd=shop)
    desk.git("gc", "-q", "--prune=now", cwd=shop)


def head_commit_lost(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=60)
    lost = desk.commit(shop, 9)
    (shop / ".git/objects" / lost[:2] / lost[2:]).unlink()


def head_names_a_branch_that_is_gone(desk: Desk) -> None:
    shop = desk.repository("shop", days=28)
    desk.git("symbolic-ref", "HEAD", "refs/heads/nowhere", cwd=shop)


def far_time_zone(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    far = desk.raw_commit(shop, f"{int(NOW - 31 * DAY)} +1400", desk.git("rev-parse", "HEAD", cwd=shop))
    desk.git("update-ref", "refs/heads/far", far, cwd=shop, days=31)


def only_tracking_branches_are_new(desk: Desk) -> None:
    shop = desk.repository("shop", days=100)
    upstream = desk.elsewhere("upstream", days=0)
    desk.git("remote", "add", "origin", str(upstream), cwd=shop)
    desk.git("fetch", "-q", "origin", cwd=shop, days=0)


CASES = {
    "shallow clone": Case(shallow_clone, 90, ("commit",), "paused", ("shallow",)),
    "bare repository": Case(bare_repository, 10, ("commit",), "active"),
    "bare repository pushed to a branch": Case(bare_repository_pushed_to_a_branch, 40, ("commit",), "paused"),
    "stash on top of a stash": Case(stash_on_top_of_a_stash, 6, ("stash",), "active"),
    "newest stash dropped": Case(older_stash_is_the_newest_thing_left, 20, ("stash",), "active"),
    "three worktrees": Case(three_worktrees, 6, ("worktree",), "active"),
    "detached worktree outside the root": Case(
        detached_worktree_outside_the_root, 7, ("worktree",), "active"
    ),
    "worktree whose folder is gone": Case(worktree_whose_folder_is_gone, 4, ("worktree",), "active"),
    "uncommitted edit in a worktree": Case(uncommitted_edit_in_a_worktree, 2, ("edit",), "active"),
    "uncommitted edit in a hidden worktree": Case(
        uncommitted_edit_in_a_hidden_worktree, 2, ("edit",), "active"
    ),
    "edit in a worktree of a bare hub": Case(edit_in_a_worktree_of_a_bare_hub, 3, ("edit",), "active"),
    "clock an hour ahead": Case(clock_an_hour_ahead, -1 / 24, ("commit",), "active"),
    "clock a day and an hour ahead": Case(
        clock_a_day_and_an_hour_ahead, 90, ("commit",), "paused", ("future-date",), ("medium", "low")
    ),
    "several commits in the future": Case(
        several_commits_in_the_future, 45, ("commit",), "paused", ("future-date",), ("medium", "low")
    ),
    "every commit in the future": Case(
        every_commit_in_the_future, None, ("none",), "unknown", ("future-date",), ("low",)
    ),
    "future branch beside a sane one": Case(
        future_branch_beside_a_sane_one, 12, ("commit",), "active", ("future-date",)
    ),
    "only commit in 1970": Case(
        only_commit_in_1970, NOW / DAY, ("commit",), "archived", ("epoch-date",), ("low",)
    ),
    "commit in 1970 recorded by a sane clock": Case(
        commit_in_1970_recorded_by_a_sane_clock, 20, ("reflog",), "active", ("epoch-date",)
    ),
    "HEAD in 1970 on a sane commit": Case(
        head_in_1970_on_top_of_a_sane_commit, 100, ("commit",), "paused", ("epoch-date",)
    ),
    "amended today": Case(amended_today, 0, ("commit",), "active"),
    "author's date in the future": Case(author_date_in_the_future, 35, ("commit",), "paused"),
    "branch deleted after the work": Case(branch_deleted_after_the_work, 5, ("reflog",), "active"),
    "work thrown away by a reset": Case(work_thrown_away_by_a_reset, 8, ("reflog",), "active"),
    "detached commit left behind": Case(detached_commit_left_behind, 9, ("reflog",), "active"),
    "old work pulled today": Case(old_work_pulled_today, 90, ("commit",), "paused"),
    "an old branch checked out today": Case(checked_out_an_old_branch_today, 190, ("commit",), "archived"),
    "merged today": Case(merged_today, 0.5, ("commit",), "active"),
    "separate git folder": Case(separate_git_folder, 12, ("commit",), "active"),
    "objects borrowed": Case(objects_borrowed_from_another_repository, 20, ("commit",), "active"),
    "sha256": Case(sha256_repository, 33, ("commit",), "paused"),
    "every branch packed": Case(every_branch_packed, 50, ("commit",), "paused"),
    "HEAD's commit lost": Case(head_commit_lost, 9, ("reflog",), "active"),
    "HEAD names a branch that is gone": Case(head_names_a_branch_that_is_gone, 28, ("commit",), "active"),
    "far time zone": Case(far_time_zone, 31, ("commit",), "paused"),
    "only tracking branches are new": Case(only_tracking_branches_are_new, 100, ("commit",), "paused"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_date_is_the_one_that_the_developer_would_name(desk: Desk, case: Case) -> None:
    case.build(desk)

    assert_dated(desk.only(), case)


def test_a_history_wholly_in_the_future_is_not_called_an_empty_one(desk: Desk) -> None:
    every_commit_in_the_future(desk)

    assert "future" in desk.only().status.reason
