"""Reflogs: which lines are own work, and reading logs from their end."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.git import is_own_work, open_repository
from scanner.git.reflog import LogStore
from tests.scanner.git.repositories import skeleton
from tests.support import DAY, NOW, Git, write

A, B = "a" * 40, "b" * 40


def line(when: float, message: str) -> str:
    return f"{A} {B} Ana <ana@example.com> {int(when)} +0200\t{message}\n"


@pytest.mark.parametrize(
    "message",
    [
        "commit: add x",
        "commit (initial): first",
        "commit (amend): again",
        "commit (merge): Merge branch 'x'",
        "commit (cherry-pick): picked after a conflict",
        "commit: checkout page",
        "commit: fast-forward the tape",
        "commit: (start): odd subject",
        "revert: Revert 'x'",
        "cherry-pick: a fix",
        "am: a patch",
        "merge x: Merge made by the 'ort' strategy.",
        "merge feat-skip: Merge made by the 'recursive' strategy.",
        "merge x: In-index merge",
        "rebase (pick): a change",
        "rebase (continue): a change",
        "rebase (squash): a change",
        "rebase -i (reword): a change",
        "rebase -i (fixup): a change",
        "rebase (merge): Merge branch 'x'",
        "rebase: subject of an old git",
        "pull --rebase (pick): mine",
        "pull -q --rebase origin main (continue): mine",
        "pull: Merge made by the 'ort' strategy.",
        "pull https://example.com/x main: Merge made by the 'ort' strategy.",
    ],
)
def test_a_line_that_made_a_commit_is_own_work(message: str) -> None:
    assert is_own_work(message, "HEAD")


@pytest.mark.parametrize(
    "message",
    [
        "",
        "clone: from /srv/x.git",
        "pull: Fast-forward",
        "pull -q: fast-forward",
        "pull --rebase: fast-forward",
        "pull --rebase (start): checkout 1234",
        "pull --rebase (finish): refs/heads/main onto 1234",
        "initial pull",
        "fetch origin: fast-forward",
        "fetch: storing head",
        "merge x: Fast-forward",
        "merge x: updating HEAD",
        "cherry-pick: fast-forward",
        "checkout: moving from a to b",
        "checkout: moving from commit: x to y",
        "reset: moving to HEAD~1",
        "branch: Created from main",
        "Branch: renamed refs/heads/a to refs/heads/b",
        "update by push",
        "rebase (start): checkout main",
        "rebase (finish): returning to refs/heads/x",
        "rebase (finish): refs/heads/x onto 1234",
        "rebase finished: refs/heads/x onto 1234",
        "rebase (abort): updating HEAD",
        "rebase: aborting",
        "rebase: fast-forward",
        "am --abort",
        "WIP on main: 1234 x",
        "On main: a branch log that says so",
        "committee: founded",
        "amend everything",
    ],
)
def test_a_line_that_only_moved_is_no_own_work(message: str) -> None:
    assert not is_own_work(message, "refs/heads/main")


@pytest.mark.parametrize(
    "message", ["WIP on main: 1234 x", "On main: hello", 'Created via "git stash store".']
)
def test_every_line_of_the_stash_is_own_work(message: str) -> None:
    assert is_own_work(message, "refs/stash")


def test_pulling_other_peoples_commits_is_no_own_work_in_a_real_clone(git: Git) -> None:
    upstream = git.repository("upstream", days=50)
    git("clone", "-q", str(upstream), "mine", days=40)
    git("commit", "-q", "--allow-empty", "-m", "theirs", cwd=upstream, days=3)
    git("pull", "-q", cwd=git.root / "mine", days=2)
    git("checkout", "-q", "-b", "side", cwd=git.root / "mine", days=1)

    with open_repository(str(git.root / "mine")) as repository:
        assert repository.newest_own_work(NOW) is None


def test_the_newest_own_work_is_found_in_each_kind_of_log(git: Git) -> None:
    path = git.repository("p", days=300)
    git("worktree", "add", "-q", "../linked", "-b", "side", cwd=path, days=200)
    git("commit", "-q", "--allow-empty", "-m", "beside", cwd=git.root / "linked", days=4)
    write(path / "README.md", "changed\n")
    git("stash", "-q", cwd=path, days=6)
    git("reset", "-q", "--hard", "HEAD", cwd=path, days=2)

    with open_repository(str(path)) as repository:
        found = repository.newest_own_work(NOW)
        before = repository.newest_own_work(NOW - 5 * DAY)

    assert found is not None
    assert (found.worktree, found.time, found.message) == ("linked", int(NOW - 4 * DAY), "commit: beside")
    assert before is not None
    assert (before.ref, before.time) == ("refs/stash", int(NOW - 6 * DAY))


def test_a_rebase_of_own_commits_is_own_work_when_it_happened(git: Git) -> None:
    path = git.repository("p", days=300)
    git("checkout", "-q", "-b", "side", cwd=path, days=250)
    git("commit", "-q", "--allow-empty", "-m", "mine", cwd=path, days=250)
    git("checkout", "-q", "main", cwd=path, days=240)
    git("commit", "-q", "--allow-empty", "-m", "base", cwd=path, days=240)
    git("rebase", "-q", "main", "side", cwd=path, days=1)

    with open_repository(str(path)) as repository:
        found = repository.newest_own_work(NOW)

    assert found is not None
    assert found.time == int(NOW - DAY)


def test_entries_come_newest_first_with_broken_lines_left_out(git: Git) -> None:
    path = git.repository("p")
    log = path / ".git" / "logs" / "HEAD"
    log.write_text(
        line(1, "commit: one")
        + "garbage\n"
        + line(2, "commit: two").replace("+0200", "")
        + "\0\0\0\0\n"
        + line(3, "commit: \udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
        + "\n\n"
        + line(4, "").replace("\t", "")
        + line(5, "cut in the mid")[:70]
    )

    with open_repository(str(path)) as repository:
        entries = [entry for entry in repository.reflogs() if entry.ref == "HEAD"]

    assert [entry.time for entry in entries] == [4, 3, 1]


def test_only_the_end_of_a_huge_log_is_read(git: Git) -> None:
    path = git.repository("p")
    log = path / ".git" / "logs" / "HEAD"
    with log.open("w") as file:
        for number in range(100_000):
            file.write(line(number, "checkout: moving from a to b"))
        file.write(line(100_000, "commit: last"))

    began = time.process_time()
    with open_repository(str(path)) as repository:
        entries = [entry for entry in repository.reflogs() if entry.ref == "HEAD"]
    took = time.process_time() - began

    assert entries[0].message == "commit: last"
    assert len(entries) < 1_000
    assert took < 1.0


def test_a_log_that_is_a_pipe_or_a_link_is_reported_and_not_opened(git: Git, tmp_path: Path) -> None:
    path = git.repository("p")
    log = path / ".git" / "logs" / "HEAD"
    log.unlink()
    os.mkfifo(log)
    branch = path / ".git" / "logs" / "refs" / "heads" / "main"
    branch.unlink()
    branch.symlink_to(write(tmp_path / "secret", line(7, "commit: secret")))

    with open_repository(str(path)) as repository:
        entries = list(repository.reflogs())
        codes = {problem.code for problem in repository.problems}

    assert entries == []
    assert codes == {"git-not-regular", "git-link"}


def test_the_number_of_lines_has_a_bound(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanner.git.reflog.LINES_LIMIT", 50)
    path = git.repository("p")
    (path / ".git" / "logs" / "HEAD").write_text("\n".join(["x"] * 60))

    with open_repository(str(path)) as repository:
        assert list(repository.reflogs()) == []
        assert [problem.code for problem in repository.problems] == ["git-budget"]


def test_the_number_of_logs_has_a_bound(git: Git) -> None:
    path = git.repository("p")
    folder = path / ".git" / "logs" / "refs" / "heads" / "many"
    folder.mkdir()
    for number in range(2_100):
        (folder / str(number)).touch()

    with open_repository(str(path)) as repository:
        list(repository.reflogs())

        assert "git-budget" in {problem.code for problem in repository.problems}


WORDS = st.sampled_from(
    [
        "commit: x",
        "commit (amend): x: y",
        "commit",
        "commit (x y): z",
        "checkout: moving from a to b",
        "merge x: Fast-forward",
        "merge x: Merge made by y",
        "merge a: b: Fast-forward",
        "pull: Merge made by z",
        "pull --rebase (pick): x",
        "rebase (finish): x",
        "rebase -i: x",
        "cherry-pick: fast-forward",
        "cherry-pick: x",
        "reset: moving to x",
        "am: x",
        "amend: x",
        "WIP on x",
        "commit: " + "y" * 3_000,
        "merge " + "z" * 1_200 + ": x",
        "pull\u00e9: Merge made by x",
    ]
)
LINES = st.one_of(
    st.builds(line, st.integers(0, 50), WORDS),
    st.sampled_from(
        ["", "\n", "garbage\n", "\tcommit: x\n", f"{A} {B} x> 7 +0000\n", f"{A} {B} commit: y\n", "\0\n"]
    ),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    logs=st.dictionaries(
        st.sampled_from(["HEAD", "refs/heads/a", "refs/heads/b/c", "refs/stash"]),
        st.lists(LINES, max_size=12),
    ),
    limit=st.integers(0, 60),
    repeat=st.sampled_from([1, 1, 20]),
)
def test_the_quick_search_for_own_work_finds_what_reading_every_line_finds(
    tmp_path: Path, logs: dict[str, list[str]], limit: int, repeat: int
) -> None:
    git_dir = tmp_path / ".git"
    shutil.rmtree(git_dir, ignore_errors=True)
    skeleton(git_dir)
    for name, lines in logs.items():
        write(git_dir / "logs" / name, "".join(lines * repeat))
        if name != "HEAD":
            write(git_dir / name, A + "\n")

    with open_repository(str(tmp_path)) as repository:
        quick = repository.newest_own_work(limit)
        slow = LogStore.newest_own_work(repository._logs, limit)

    assert quick == slow


def test_many_branches_are_met_by_listing_their_logs(git: Git) -> None:
    path = git.repository("p", days=9)
    for number in range(40):
        git("update-ref", f"refs/heads/many/{number}", "HEAD", cwd=path)
    write(path / ".git" / "logs" / "refs" / "heads" / "many" / "7", line(NOW - DAY, "commit: seven"))
    write(path / ".git" / "logs" / "refs" / "remotes" / "origin" / "main", line(NOW, "commit: not ours"))

    with open_repository(str(path)) as repository:
        found = repository.newest_own_work(NOW)

    assert found is not None
    assert (found.ref, found.message) == ("refs/heads/many/7", "commit: seven")


def test_the_log_of_a_broken_reference_still_tells_of_work(git: Git) -> None:
    # A crash may leave an empty file in the place of the branch.
    path = git.repository("p", days=9)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=path, days=2)
    (path / ".git" / "refs" / "heads" / "main").write_text("")
    (path / ".git" / "logs" / "HEAD").unlink()

    with open_repository(str(path)) as repository:
        found = repository.newest_own_work(NOW)

    assert found is not None
    assert found.time == int(NOW - 2 * DAY)
