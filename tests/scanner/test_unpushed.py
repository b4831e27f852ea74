"""What exists on this machine only: branches, detached heads, stashes, on real repositories."""

from __future__ import annotations

from pathlib import Path

from scanner.git import open_repository
from scanner.project import Branch
from scanner.unpushed import DETACHED, Unpushed, unpushed
from tests.support import DAY, NOW, Git


def look_at(path: Path) -> Unpushed:
    with open_repository(str(path)) as repository:
        return unpushed(repository)


def clone(git: Git) -> Path:
    git.repository("remote", days=50)
    git("clone", "-q", "remote", "clone")
    return git.root / "clone"


def commit(git: Git, path: Path, *, days: float = 1, times: int = 1) -> None:
    for _ in range(times):
        git("commit", "-q", "--allow-empty", "-m", "more", cwd=path, days=days)


def test_a_fresh_clone_has_nothing_that_is_only_here(git: Git) -> None:
    found = look_at(clone(git))

    assert found == Unpushed((Branch("main", "origin/main", 0, 0),), has_remote=True)


def test_commits_that_were_not_pushed_are_ahead_and_only_here(git: Git) -> None:
    path = clone(git)
    commit(git, path, days=7)
    commit(git, path, days=3)

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", 2, 0),)
    assert (found.only_here, found.oldest_only_here) == (2, NOW // 1 - 7 * DAY)


def test_a_branch_without_upstream_counts_as_only_here(git: Git) -> None:
    path = clone(git)
    git("checkout", "-q", "-b", "idea", cwd=path)
    commit(git, path)
    git("checkout", "-q", "main", cwd=path)

    found = look_at(path)

    assert Branch("idea") in found.branches
    assert found.only_here == 1


def test_an_upstream_that_was_deleted_is_gone(git: Git) -> None:
    path = clone(git)
    git("update-ref", "-d", "refs/remotes/origin/main", cwd=path)

    assert look_at(path).branches == (Branch("main", "origin/main", gone=True),)


def test_all_commits_of_a_repository_without_remote_are_only_here(git: Git) -> None:
    path = git.repository("alone")
    commit(git, path, times=2)

    found = look_at(path)

    assert (found.only_here, found.has_remote) == (3, False)


def test_an_address_in_the_place_of_a_remotes_name_is_a_remote(git: Git) -> None:
    path = git.repository("alone")
    git("config", "branch.main.remote", "https://example.com/x.git", cwd=path)

    assert look_at(path).has_remote


def test_a_remote_of_which_nothing_was_ever_fetched_is_a_remote(git: Git) -> None:
    path = git.repository("alone")
    git("remote", "add", "origin", "https://example.com/x.git", cwd=path)

    found = look_at(path)

    assert (found.has_remote, found.only_here) == (True, 1)


def test_an_empty_repository_has_nothing_to_lose(git: Git) -> None:
    git("init", "-q", "new")

    assert look_at(git.root / "new") == Unpushed()


def test_stashes_are_counted_and_dated(git: Git) -> None:
    path = git.repository("stashed")
    for days in (9, 4):
        (path / "README.md").write_text(f"{days}\n")
        git("stash", "-q", cwd=path, days=days)

    found = look_at(path)

    assert (found.stashes, found.oldest_stash, found.newest_stash) == (
        2,
        NOW // 1 - 9 * DAY,
        NOW // 1 - 4 * DAY,
    )


def test_a_stash_that_was_dropped_does_not_count(git: Git) -> None:
    path = git.repository("stashed")
    (path / "README.md").write_text("changed\n")
    git("stash", "-q", cwd=path)
    git("stash", "drop", "-q", cwd=path)

    assert look_at(path).stashes == 0


def test_a_log_of_stashes_longer_than_what_is_read_of_others_is_read_whole(git: Git) -> None:
    path = git.repository("stashed")
    oid = git("rev-parse", "HEAD", cwd=path)
    line = f"{oid} {oid} Ana <ana@example.com> 1700000000 +0000\tWIP on main: {'x' * 400}\n"
    (path / ".git" / "refs" / "stash").write_text(oid + "\n")
    (path / ".git" / "logs" / "refs" / "stash").write_text(line * 1_000)

    assert look_at(path).stashes == 1_000 == len(git("stash", "list", cwd=path).splitlines())


def test_a_stash_without_a_log_counts_although_git_does_not_list_it(git: Git) -> None:
    path = git.repository("stashed", days=5)
    git("update-ref", "refs/stash", "HEAD", cwd=path)
    (path / ".git" / "logs" / "refs" / "stash").unlink(missing_ok=True)

    found = look_at(path)

    assert git("stash", "list", cwd=path, check=False) == ""
    assert (found.stashes, found.oldest_stash) == (1, NOW // 1 - 5 * DAY)


def test_a_detached_head_with_commits_of_its_own_is_listed(git: Git) -> None:
    path = clone(git)
    git("checkout", "-q", "--detach", cwd=path)
    commit(git, path, times=2)

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", 0, 0), Branch(DETACHED, ahead=2))
    assert found.only_here == 2


def test_a_detached_head_on_a_tag_is_not_listed(git: Git) -> None:
    path = clone(git)
    git("checkout", "-q", "--detach", cwd=path)
    commit(git, path)
    git("tag", "-a", "-m", "kept", "v1", cwd=path)

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", 0, 0),)
    assert found.only_here == 1


def test_a_detached_head_of_a_linked_worktree_is_listed_from_every_work_tree(git: Git) -> None:
    path = clone(git)
    git("worktree", "add", "-q", "--detach", "../side", cwd=path)
    commit(git, git.root / "side")
    main, side = look_at(path), look_at(git.root / "side")

    assert main.branches == (Branch("main", "origin/main", 0, 0), Branch(DETACHED, ahead=1))
    assert side == main


def test_a_detached_main_head_is_seen_from_a_linked_worktree(git: Git) -> None:
    path = clone(git)
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=path)
    git("checkout", "-q", "--detach", cwd=path)
    commit(git, path)

    assert Branch(DETACHED, ahead=1) in look_at(git.root / "side").branches


def test_the_edge_of_a_shallow_clone_is_where_history_ends(git: Git) -> None:
    path = git.repository("remote")
    commit(git, path, times=5)
    git("clone", "-q", "--depth", "2", path.as_uri(), "clone")
    commit(git, git.root / "clone")

    found = look_at(git.root / "clone")

    assert found.branches == (Branch("main", "origin/main", 1, 0),)
    assert (found.only_here, found.problems) == (1, ())


def test_a_commit_that_is_missing_makes_the_counts_unknown(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=3)
    oid = git("rev-parse", "HEAD~1", cwd=path)
    (path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", None, None),)
    assert [problem.code for problem in found.problems] == ["git-object-missing"]


def test_a_missing_upstream_commit_leaves_the_work_at_risk(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=3)
    (path / ".git" / "refs" / "remotes" / "origin").mkdir(parents=True, exist_ok=True)
    (path / ".git" / "refs" / "remotes" / "origin" / "main").write_text("12" * 20 + "\n")
    (path / ".git" / "packed-refs").unlink(missing_ok=True)
    (path / ".git" / "refs" / "remotes" / "origin" / "HEAD").unlink(missing_ok=True)

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", None, None),)
    assert found.only_here == 4
    assert [problem.code for problem in found.problems] == ["git-object-missing"]


def test_replaced_commits_are_counted_as_they_were_made(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=3)
    git("replace", "--graft", "HEAD", "origin/main", cwd=path)

    replaced = git("rev-list", "--count", "origin/main..main", cwd=path)
    recorded = git("--no-replace-objects", "rev-list", "--count", "origin/main..main", cwd=path)

    assert (replaced, recorded) == ("1", "3")
    assert look_at(path).branches == (Branch("main", "origin/main", 3, 0),)


def test_grafts_change_the_history(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=3)
    tip, base = git("rev-parse", "main", "origin/main", cwd=path).split()
    (path / ".git" / "info").mkdir(exist_ok=True)
    (path / ".git" / "info" / "grafts").write_text(f"# by hand\n{tip} {base}\n")

    assert git("rev-list", "--count", "origin/main..main", cwd=path) == "1"
    assert look_at(path).branches == (Branch("main", "origin/main", 1, 0),)


def test_problems_of_earlier_readings_are_not_told_again(git: Git) -> None:
    path = clone(git)
    with open_repository(str(path)) as repository:
        repository.commit("12" * 20)
        found = unpushed(repository)

    assert len(repository.problems) == 1
    assert found.problems == ()
