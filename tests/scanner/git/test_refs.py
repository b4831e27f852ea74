"""References of the files backend: which values count, and what a hostile folder cannot do."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scanner.git import open_repository
from scanner.git.refs import is_valid_name, parse_value
from tests.scanner.git.repositories import run, skeleton
from tests.support import Git, write

A, B = "a" * 40, "b" * 40


def heads(path: Path) -> tuple[dict[str, str], set[str]]:
    with open_repository(str(path)) as repository:
        found = dict(repository.local_heads())
        return found, {problem.code for problem in repository.problems}


@settings(deadline=None, max_examples=150)
@given(
    st.text(st.sampled_from("ab./@{}~^: *?[\\-lock\x7fé"), min_size=1, max_size=9).map(
        lambda part: "refs/heads/" + part
    )
)
@example("refs/heads/a.lock")
@example("refs/heads/a.lock/b")
@example("refs/heads/.a")
@example("refs/heads/a.")
@example("refs/heads/a//b")
@example("refs/heads/../../x")
@example("refs/heads/lock")
@example("refs/heads/a.lockb")
def test_a_name_is_valid_where_git_says_so(name: str) -> None:
    said = subprocess.run(["git", "check-ref-format", name], check=False, capture_output=True).returncode == 0

    assert is_valid_name(name) == said


@pytest.mark.parametrize(
    "name", ["", "/etc/passwd", "../x", "refs/heads/../../../x", "a\0b", "refs/" + "x" * 2_000]
)
def test_a_name_that_would_leave_the_folder_is_never_valid(name: str) -> None:
    assert not is_valid_name(name)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (A.encode() + b"\n", A),
        (A.encode(), A),
        (A.upper().encode(), A),
        (b"c" * 64 + b"\n", "c" * 64),
        (A.encode() + b" trailing\n", A),
        (b"ref: refs/heads/x\n", "ref: refs/heads/x"),
        (b"ref:refs/heads/x  \n", "ref: refs/heads/x"),
        (b"ref: HEAD\n", None),
        (b"ref: refs/heads/../../x\n", None),
        (b"ref: /etc/passwd\n", None),
        (b"0" * 40, None),
        (b"a" * 39, None),
        (b"a" * 41, None),
        (b"a" * 50, None),
        (b"\0" * 41, None),
        (b"", None),
    ],
)
def test_what_a_reference_file_holds(data: bytes, value: str | None) -> None:
    assert parse_value(data) == value


def test_a_loose_reference_wins_over_the_packed_one_even_when_broken(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "packed-refs").write_text(
        f"# pack-refs with: peeled fully-peeled sorted\n{A} refs/heads/broken\n"
        f"{A} refs/heads/main\n{A} refs/heads/only\n^{B}\n"
    )
    (git_dir / "refs" / "heads" / "main").write_text(B + "\n")
    (git_dir / "refs" / "heads" / "broken").write_bytes(b"\0" * 41)
    (git_dir / "refs" / "heads" / "x.lock").write_text(B + "\n")

    assert heads(tmp_path) == ({"refs/heads/main": B, "refs/heads/only": A}, {"git-ref-broken"})


def test_packed_lines_that_are_not_lines_give_nothing(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "packed-refs").write_text(
        f"{A[:-1]} refs/heads/short\nx{A} refs/heads/long\n{'0' * 40} refs/heads/null\n"
        f"{A} refs/heads/../../up\n{'g' * 40} refs/heads/nohex\n{A} refs/heads/good\n"
        f"{A} refs/tags/x refs/heads/inside\n{B} refs/heads/last"
    )

    assert heads(tmp_path)[0] == {"refs/heads/good": A, "refs/heads/last": B}


def test_a_head_that_is_an_old_style_link_is_read_and_never_followed(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "refs" / "heads" / "topic").write_text(A + "\n")
    (git_dir / "HEAD").unlink()
    (git_dir / "HEAD").symlink_to("refs/heads/topic")

    with open_repository(str(tmp_path)) as repository:
        assert (repository.head().branch, repository.head().oid) == ("topic", A)


def test_a_reference_that_is_a_link_to_a_file_outside_gives_nothing(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    outside = write(tmp_path / "outside", A + "\n")
    (git_dir / "refs" / "heads" / "main").symlink_to(outside)
    (git_dir / "refs" / "heads" / "up").symlink_to("../../../outside")

    assert heads(tmp_path) == ({}, {"git-link"})


def test_a_pipe_among_the_references_is_reported_and_blocks_nothing(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    os.mkfifo(git_dir / "refs" / "heads" / "main")
    os.mkfifo(git_dir / "packed-refs")

    assert heads(tmp_path) == ({}, {"git-not-regular"})


def test_a_link_to_a_folder_of_references_is_not_entered(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "refs" / "heads" / "loop").symlink_to("..")

    assert heads(tmp_path)[0] == {}


def test_symbolic_references_stand_in_chains_of_five_and_no_longer(tmp_path: Path) -> None:
    folder = skeleton(tmp_path / ".git") / "refs" / "heads"
    (folder / "0").write_text(A + "\n")
    for number in range(1, 9):
        (folder / str(number)).write_text(f"ref: refs/heads/{number - 1}\n")
    (folder / "self").write_text("ref: refs/heads/self\n")

    found, problems = heads(tmp_path)

    assert sorted(found) == [f"refs/heads/{number}" for number in range(5)]
    assert problems == {"git-ref-loop"}


def test_git_follows_symbolic_references_as_far(tmp_path: Path) -> None:
    folder = skeleton(tmp_path / ".git") / "refs" / "heads"
    oid = run("hash-object", "-w", "-t", "commit", "--stdin", "--literally", cwd=tmp_path, stdin=b"x").strip()
    (folder / "0").write_text(oid + "\n")
    for number in range(1, 9):
        (folder / str(number)).write_text(f"ref: refs/heads/{number - 1}\n")

    listed = run("for-each-ref", "--format=%(refname)", "refs/heads", cwd=tmp_path, check=False).split()

    assert sorted(listed) == sorted(heads(tmp_path)[0])


def test_the_number_of_references_has_a_bound(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    with (git_dir / "packed-refs").open("w") as file:
        for number in range(150_000):
            file.write(f"{A} refs/heads/n{number}\n")

    began = time.process_time()
    found, problems = heads(tmp_path)

    assert len(found) == 20_000
    assert problems == {"git-budget"}
    assert time.process_time() - began < 1.0


def test_the_number_of_loose_references_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanner.git.refs.REFS_LIMIT", 50)
    git_dir = skeleton(tmp_path / ".git")
    for number in range(60):
        (git_dir / "refs" / "heads" / f"n{number}").write_text(A + "\n")

    found, problems = heads(tmp_path)

    assert len(found) == 50
    assert problems == {"git-budget"}


def test_packed_references_beyond_their_cap_are_not_read(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    with (git_dir / "packed-refs").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)

    assert heads(tmp_path) == ({}, {"git-too-large"})


def test_a_hostile_single_line_of_packed_references_costs_little(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "packed-refs").write_bytes(b" refs/heads/x" * 2_000_000)

    began = time.process_time()
    assert heads(tmp_path)[0] == {}
    assert time.process_time() - began < 1.0


def test_many_searches_of_large_packed_references_come_to_an_end(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    with (git_dir / "packed-refs").open("wb") as file:
        file.truncate(60 * 1024 * 1024)
    for number in range(2_000):
        (git_dir / "refs" / "heads" / f"n{number}").write_text(f"ref: refs/heads/missing{number}\n")

    began = time.process_time()
    found, problems = heads(tmp_path)

    assert found == {}
    assert problems == {"git-budget"}
    assert time.process_time() - began < 3.0


def test_a_branch_that_is_also_a_folder_is_found_packed(git: Git) -> None:
    path = git.repository("p")
    git("branch", "a", cwd=path)
    git("pack-refs", "--all", cwd=path)
    (path / ".git" / "refs" / "heads" / "a").mkdir()

    assert set(heads(path)[0]) == {"refs/heads/a", "refs/heads/main"}


def test_a_detached_head_has_no_branch_and_an_unborn_one_no_commit(git: Git) -> None:
    path = git.repository("p")
    git("checkout", "-q", "--detach", cwd=path)
    with open_repository(str(path)) as repository:
        assert repository.head().branch is None
        assert repository.head().oid == git("rev-parse", "HEAD", cwd=path)
    git("checkout", "-q", "--orphan", "new", cwd=path)
    with open_repository(str(path)) as repository:
        assert (repository.head().branch, repository.head().oid) == ("new", None)


def test_a_damaged_head_gives_nothing_and_a_problem(git: Git) -> None:
    path = git.repository("p")
    (path / ".git" / "HEAD").write_bytes(b"\0" * 24)

    with open_repository(str(path)) as repository:
        assert (repository.head().branch, repository.head().oid) == (None, None)
        assert [problem.code for problem in repository.problems] == ["git-head-malformed"]
        assert set(repository.local_heads()) == {"refs/heads/main"}


def test_remote_heads_are_listed_apart(git: Git) -> None:
    upstream = git.repository("upstream")
    git("clone", "-q", str(upstream), "mine")

    with open_repository(str(git.root / "mine")) as repository:
        assert set(repository.remote_heads()) == {"refs/remotes/origin/HEAD", "refs/remotes/origin/main"}
        assert set(repository.local_heads()) == {"refs/heads/main"}
