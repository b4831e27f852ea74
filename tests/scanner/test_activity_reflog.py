"""Which lines of a reflog are somebody's work, and what else a dated history says about itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanner.support_cases import Desk, age, edit, one, settle
from tests.support import DAY, NOW, Git

OWN_WORK = (
    "commit: fix the till",
    "commit (initial): first",
    "commit (amend): fix the till",
    "commit (merge): Merge branch 'x'",
    "commit (cherry-pick): fix",
    "cherry-pick: fix",
    "rebase (pick): fix the till",
    "rebase -i (squash): fix the till",
    "rebase (continue): fix the till",
    "merge feature: Merge made by the 'ort' strategy.",
    "revert: Revert that",
    "am: apply a mailed patch",
)
NOT_OWN_WORK = (
    "clone: from https://example.com/shop.git",
    "checkout: moving from main to feature",
    "pull: Fast-forward",
    "pull origin main: Fast-forward",
    "reset: moving to HEAD~1",
    "rebase (start): checkout origin/main",
    "branch: Created from HEAD",
    "branch: Renamed refs/heads/master to refs/heads/main",
    "fetch origin: fast-forward",
    "fetch: storing head",
    "",
)


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


@pytest.mark.parametrize("message", OWN_WORK)
def test_a_reflog_line_of_own_work_dates_the_project(desk: Desk, message: str) -> None:
    shop = desk.repository("shop", days=200)
    append_reflog(shop, message, days=15)

    project = desk.only()

    assert (round(age(project), 4), project.activity.source) == (15, "reflog")


@pytest.mark.parametrize("message", NOT_OWN_WORK)
def test_a_reflog_line_of_anything_else_does_not(desk: Desk, message: str) -> None:
    shop = desk.repository("shop", days=200)
    append_reflog(shop, message, days=15)

    project = desk.only()

    assert (round(age(project), 4), project.activity.source) == (200, "commit")


def test_a_reflog_line_in_the_future_is_not_believed(desk: Desk) -> None:
    shop = desk.repository("shop", days=200)
    append_reflog(shop, "commit: from the future", days=-30)

    assert age(desk.only()) == pytest.approx(200, abs=0.001)


def test_the_reflog_of_a_linked_worktree_counts(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    tree = desk.root / "tree"
    desk.git("worktree", "add", "-q", "--detach", str(tree), cwd=shop, days=50)
    desk.commit(tree, 11)
    desk.git("checkout", "-q", "--detach", "main", cwd=tree, days=1)

    project = one(desk.scan(), "shop")

    assert (round(age(project), 3), project.activity.source) == (11, "reflog")


def test_the_runner_up_is_the_next_source(desk: Desk) -> None:
    shop = desk.repository("shop", days=40)
    edit(shop / "README.md", "changed\n", 2)

    activity = desk.only().activity

    assert activity.source == "edit"
    assert activity.runner_up == (NOW - 40 * DAY, "commit")


def test_of_commits_on_two_branches_the_reason_names_the_newer_branch(desk: Desk) -> None:
    feature_work(desk.repository("shop", days=200), desk)

    assert "feature" in desk.only().status.reason


def test_a_repository_without_commits_or_files_has_no_date_and_says_so(desk: Desk) -> None:
    (desk.root / "shop").mkdir()
    desk.git("init", "-q", cwd=desk.root / "shop")

    project = desk.only()

    assert (project.activity.when, project.activity.source, project.status.value) == (None, "none", "unknown")
    assert "no-commits" in project.flags
    assert "nothing was ever committed" in project.status.reason


def append_reflog(repository: Path, message: str, days: float) -> None:
    log = repository / ".git/logs/HEAD"
    oid = log.read_text().split()[1]
    with log.open("a") as lines:
        lines.write(f"{oid} {oid} Ana <ana@example.com> {int(NOW - days * DAY)} +0000\t{message}\n")


def feature_work(shop: Path, desk: Desk) -> None:
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=3)
    desk.commit(shop, 2, "feature.py")
    desk.git("checkout", "-q", "main", cwd=shop, days=1)
    settle(shop, 200)
