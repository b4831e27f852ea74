"""What exists on this machine only: branches, detached heads, stashes, on real repositories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scanner.git import graph, open_repository
from scanner.project import Branch
from scanner.unpushed import DETACHED, Unpushed, unpushed
from tests.hostile.tracing import differences, picture
from tests.scanner.git.reftable_writer import Log, stack, table
from tests.scanner.git.repositories import run
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


def test_references_and_stashes_in_tables_are_told_like_those_in_files(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=2)
    local, remote = git("rev-parse", "main", "origin/main", cwd=path).split()
    shutil.rmtree(path / ".git" / "refs")
    (path / ".git" / "packed-refs").unlink(missing_ok=True)
    (path / ".git" / "refs").mkdir()
    (path / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    references = {"refs/heads/main": local, "refs/remotes/origin/main": remote, "refs/stash": local}
    logs = [Log("refs/stash", number, 1_700_000_000 + number, "WIP on main: x") for number in (1, 2, 3)]
    stack(path / ".git", [table({"HEAD": "ref: refs/heads/main"} | references, logs)])

    found = look_at(path)

    assert found.branches == (Branch("main", "origin/main", 2, 0),)
    assert (found.stashes, found.oldest_stash, found.newest_stash) == (3, 1_700_000_001, 1_700_000_003)


def test_nothing_of_the_repository_is_changed(git: Git) -> None:
    path = clone(git)
    commit(git, path, times=3)
    git("checkout", "-q", "--detach", cwd=path)
    commit(git, path)
    git("commit-graph", "write", "--reachable", cwd=path)
    before = picture(path)

    look_at(path)

    assert differences(before, picture(path)) == []


def test_a_branch_whose_name_holds_what_is_no_text_is_told(git: Git) -> None:
    path = git.repository("r")
    oid = git("rev-parse", "HEAD", cwd=path)
    with (path / ".git" / "packed-refs").open("ab") as packed:
        packed.write(oid.encode() + b" refs/heads/caf\xe9\n")

    assert [branch.name for branch in look_at(path).branches] == ["caf\udce9", "main"]


def test_hundreds_of_branches_that_lag_far_behind_are_all_counted(git: Git) -> None:
    path = git.repository("r", days=50)
    commits = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_790_000_000 + number} +0000\ndata 1\nx\n"
        for number in range(600)
    )
    run("fast-import", "--quiet", "--force", cwd=path, stdin=commits.encode())
    oids = git("rev-list", "main", cwd=path).splitlines()
    git("remote", "add", "origin", "https://example.com/r.git", cwd=path)
    references = [f"{oids[0]} refs/remotes/origin/main"]
    with (path / ".git" / "config").open("a") as config:
        for number in range(300):
            references.append(f"{oids[number * 2 + 1]} refs/heads/b{number}")
            config.write(f'[branch "b{number}"]\n\tremote = origin\n\tmerge = refs/heads/main\n')
    (path / ".git" / "packed-refs").write_text("\n".join(references) + "\n")

    found = {branch.name: branch for branch in look_at(path).branches}

    assert all(
        found[f"b{number}"]
        == Branch(f"b{number}", "origin/main", 0, min(number * 2 + 1, 500), capped=number * 2 + 1 > 500)
        for number in range(300)
    )


def test_what_is_only_here_is_counted_before_the_budget_is_spent_on_branches(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = clone(git)
    commit(git, path, times=4)
    for name in ("a", "b", "c"):
        git("branch", "-q", "--track", name, "origin/main", cwd=path)
        git("update-ref", f"refs/heads/{name}", "main", cwd=path)
    monkeypatch.setattr(graph, "_STEPS", 15)

    found = look_at(path)

    assert found.only_here == 4
    assert found.branches[-1].ahead is None
    assert [problem.code for problem in found.problems] == ["git-budget"]
