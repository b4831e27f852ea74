"""Mine or theirs: by the reflogs and the addresses under which the user commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner.project import Ownership, Project, Root, Thresholds
from scanner.scan import Request, scan
from tests.scanner.git.reftable_writer import Log
from tests.scanner.support_cases import Desk
from tests.scanner.test_activity_reftable import to_reftables
from tests.support import DAY, NOW, Git, write

ANA, BEN = "ana@example.com", "ben@example.com"


def look(path: Path, *emails: str) -> Project:
    """The project at ``path`` as a scan sees it for somebody with these addresses."""
    (found,) = scan(Request((Root(str(path), 0),), Thresholds(), NOW, emails=emails)).projects
    return found


def owner(path: Path, *emails: str) -> tuple[bool | None, float | None]:
    found = look(path, *emails).ownership
    return found.mine, None if found.last_own_work is None else round((NOW - found.last_own_work) / DAY)


def is_pulled(path: Path, *emails: str) -> bool:
    return "only-pulled" in look(path, *emails).flags


@pytest.fixture
def upstream(git: Git) -> Path:
    """A repository in which Ana made all commits."""
    return git.repository("upstream/shop", days=100)


@pytest.fixture
def clone(git: Git, upstream: Path) -> Path:
    path = git.root / "dev" / "shop"
    git("clone", "-q", str(upstream), str(path), days=50)
    return path


def pull(git: Git, upstream: Path, clone: Path, days: float) -> None:
    git("commit", "-q", "--allow-empty", "-m", "theirs", cwd=upstream, days=days)
    git("pull", "-q", "--ff-only", cwd=clone, days=days)


def test_where_i_committed_is_mine_since_then(git: Git) -> None:
    path = git.repository("dev/shop", days=7)
    assert owner(path, ANA) == (True, 7)
    assert not is_pulled(path, ANA)


def test_an_address_counts_in_any_case_and_beside_others(git: Git) -> None:
    path = git.repository("dev/shop", days=7)
    assert owner(path, "x@example.com", "ANA@Example.com") == (True, 7)


def test_without_any_address_nothing_is_mine_or_theirs(git: Git, clone: Path) -> None:
    assert owner(git.repository("dev/own", days=7)) == (None, 7)
    assert owner(clone) == (None, None)
    assert not is_pulled(clone)


def test_a_clone_of_somebody_elses_is_only_pulled(clone: Path) -> None:
    assert owner(clone, BEN) == (False, None)
    assert is_pulled(clone, BEN)


def test_a_clone_that_is_pulled_every_day_is_only_pulled(git: Git, upstream: Path, clone: Path) -> None:
    for days in (3, 2, 1):
        pull(git, upstream, clone, days)
    assert owner(clone, BEN) == (False, None)
    assert is_pulled(clone, BEN)


def test_a_clone_is_only_pulled_though_its_log_has_lost_its_beginning(
    git: Git, upstream: Path, clone: Path
) -> None:
    pull(git, upstream, clone, 1)
    git("reflog", "expire", "--expire=10.days.ago", "--all", cwd=clone)
    assert is_pulled(clone, BEN)


def test_a_clone_without_any_log_is_nobody_knows_whose(git: Git, clone: Path) -> None:
    git("reflog", "expire", "--expire=all", "--all", cwd=clone)
    assert owner(clone, BEN) == (None, None)
    assert not is_pulled(clone, BEN)


def test_a_fresh_clone_of_my_own_work_is_mine(clone: Path) -> None:
    assert owner(clone, ANA) == (True, None)
    assert not is_pulled(clone, ANA)


def test_one_commit_of_mine_makes_a_clone_mine(
    git: Git, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", BEN)
    git("commit", "-q", "--allow-empty", "-m", "mine", cwd=clone, days=4)
    assert owner(clone, BEN) == (True, 4)


def test_the_newest_of_my_own_lines_counts_though_somebody_worked_later(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_EMAIL", BEN)
        path = git.repository("dev/shop", days=30)
    git("commit", "-q", "--allow-empty", "-m", "later", cwd=path, days=3)
    assert owner(path, BEN) == (True, 30)
    assert owner(path, ANA) == (True, 3)


def test_where_somebody_else_works_without_a_remote_nothing_is_said(git: Git) -> None:
    path = git.repository("dev/shop", days=7)
    assert owner(path, BEN) == (None, None)
    assert not is_pulled(path, BEN)


def test_the_address_of_the_repository_itself_is_mine_too(git: Git) -> None:
    path = git.repository("dev/shop", days=7)
    git("config", "user.email", ANA, cwd=path)
    assert owner(path, BEN) == (True, 7)
    assert owner(path) == (True, 7)


def test_a_branch_of_mine_makes_a_clone_mine(git: Git, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", BEN)
    oid = git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "x", cwd=clone)
    git("branch", "side", oid, cwd=clone)
    assert owner(clone, BEN) == (True, None)


def test_a_log_with_a_broken_line_harms_nobody(git: Git) -> None:
    path = git.repository("dev/shop", days=7)
    log = path / ".git/logs/HEAD"
    log.write_bytes(b"\xff\x00 <<<>>> \n" + log.read_bytes() + b"0 0 <>\tcommit: x\n")
    assert owner(path, ANA) == (True, 7)


def test_the_lines_of_a_reftable_have_their_addresses(git: Git) -> None:
    desk = Desk.at(git)
    path = desk.repository("shop", days=300)
    logs = [
        Log("HEAD", 1, int(NOW - 300 * DAY), "commit (initial): first"),
        Log("HEAD", 2, int(NOW - 9 * DAY), "commit: thrown away"),
    ]
    to_reftables(desk, path, logs)
    assert owner(path, "a@example.com") == (True, 9)
    assert owner(path, BEN) == (None, None)


def test_a_project_without_version_control_is_nobody_knows_whose(tmp_path: Path) -> None:
    write(tmp_path / "plain" / "go.mod", "module plain\n")
    (found,) = scan(Request((Root(str(tmp_path), 2),), Thresholds(), NOW, emails=(ANA,))).projects
    assert found.ownership == Ownership()
