"""The same histories in repositories that keep their references in reftables, git's next default."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scanner.git.reftable_writer import Log, stack, table
from tests.scanner.support_cases import Case, Desk, age, assert_dated, edit, settle
from tests.support import DAY, NOW, Git


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def to_reftables(desk: Desk, repository: Path, logs: Sequence[Log] = ()) -> None:
    """Move a repository's references into one reftable with the reflogs ``logs``."""
    lines = desk.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=repository).splitlines()
    refs = dict(line.split(" ") for line in lines)
    head = (repository / ".git/HEAD").read_text().strip()
    shutil.rmtree(repository / ".git/refs")
    shutil.rmtree(repository / ".git/logs", ignore_errors=True)
    (repository / ".git/packed-refs").unlink(missing_ok=True)
    (repository / ".git/refs").mkdir()
    (repository / ".git/refs/heads").write_text("this repository uses the reftable format\n")
    (repository / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    stack(repository / ".git", [table({"HEAD": head} | refs, logs)])
    config = (repository / ".git/config").read_text().replace("formatversion = 0", "formatversion = 1")
    (repository / ".git/config").write_text(config + "[extensions]\n\trefstorage = reftable\n")


def commit_on_head(desk: Desk) -> None:
    to_reftables(desk, desk.repository("shop", days=35))


def commit_on_a_branch_not_checked_out(desk: Desk) -> None:
    shop = desk.repository("shop", days=200)
    desk.git("checkout", "-q", "-b", "feature", cwd=shop, days=3)
    desk.commit(shop, 2, "feature.py")
    desk.git("checkout", "-q", "main", cwd=shop, days=1)
    settle(shop, 200)
    to_reftables(desk, shop)


def commit_on_a_detached_head(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    desk.git("checkout", "-q", "--detach", cwd=shop, days=4)
    desk.commit(shop, 3)
    to_reftables(desk, shop)


def stash_in_a_table(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    edit(shop / "README.md", "half an idea\n", 0)
    desk.git("stash", "-q", cwd=shop, days=0)
    settle(shop, 300)
    to_reftables(desk, shop, [Log("refs/stash", 1, int(NOW), "WIP on main: 1234567 first")])


def work_only_in_the_log(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    to_reftables(
        desk,
        shop,
        [
            Log("HEAD", 1, int(NOW - 300 * DAY), "commit (initial): first"),
            Log("HEAD", 2, int(NOW - 9 * DAY), "commit: thrown away"),
            Log("HEAD", 3, int(NOW - 1 * DAY), "reset: moving to HEAD~1"),
        ],
    )


def uncommitted_edit(desk: Desk) -> None:
    shop = desk.repository("shop", days=300)
    to_reftables(desk, shop)
    edit(shop / "README.md", "work in progress\n", 1.5)


CASES = {
    "commit on HEAD": Case(commit_on_head, 35, ("commit",), "paused"),
    "commit on a branch not checked out": Case(commit_on_a_branch_not_checked_out, 2, ("commit",), "active"),
    "commit on a detached HEAD": Case(commit_on_a_detached_head, 3, ("commit",), "active"),
    "stash": Case(stash_in_a_table, 0, ("stash",), "active"),
    "work only in the log": Case(work_only_in_the_log, 9, ("reflog",), "active"),
    "uncommitted edit": Case(uncommitted_edit, 1.5, ("edit",), "active"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_date_is_the_one_that_the_developer_would_name(desk: Desk, case: Case) -> None:
    case.build(desk)

    project = desk.only()

    assert_dated(project, case)
    assert project.vcs is not None
    assert project.vcs.ref_storage == "reftable"


def test_a_damaged_table_is_told_and_the_files_still_date_the_project(desk: Desk) -> None:
    uncommitted_edit(desk)
    [damaged] = (desk.root / "shop/.git/reftable").glob("*.ref")
    damaged.write_bytes(b"REFT" + bytes(20))

    result = desk.scan()

    assert age(result.projects[0]) == pytest.approx(1.5, abs=0.001)
    assert result.problems
