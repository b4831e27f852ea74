from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scanner.changes import Changes, work_tree_changes
from scanner.changes.folders import read_folders
from scanner.changes.stored import looks_binary
from scanner.git import open_repository
from scanner.git.index import load_index
from scanner.ignore import parse_ignore
from scanner.mounts import Mount, Mounts
from scanner.untracked import ENTRIES_CAP, WorkTreeRules
from tests.scanner.support_changes import by_git, by_us, changes_of
from tests.support import DAY, NOW, Git, write

FILES = {"a": "one\n", "src/a": "one\n", "src/deep/b": "two\n", "lib/c": "three\n"}


@pytest.fixture
def path(git: Git) -> Path:
    """A clean repository of four files in three folders, all older than its index."""
    made = git.repository("work", days=10, files=FILES)
    git("update-index", "-q", "--refresh", cwd=made)
    return made


def test_a_clean_work_tree_has_no_changes(path: Path) -> None:
    assert changes_of(path) == Changes()


def test_each_kind_of_change_is_told_by_its_path(path: Path, git: Git) -> None:
    write(path / "a", "other\n")
    git("add", "a", cwd=path)
    write(path / "src/a", "longer than before\n")
    (path / "src/deep/b").unlink()
    write(path / "notes/today.md")
    write(path / "x")

    changes = changes_of(path)

    assert changes.staged == ("a",)
    assert changes.modified == ("src/a",)
    assert changes.deleted == ("src/deep/b",)
    assert changes.untracked == ("notes/", "x")
    assert by_us(path) == by_git(path)


def test_a_path_may_be_staged_and_modified_after_that(path: Path, git: Git) -> None:
    write(path / "a", "staged\n")
    git("add", "a", cwd=path)
    write(path / "a", "and once more\n")

    changes = changes_of(path)

    assert (changes.staged, changes.modified) == (("a",), ("a",))


def test_a_renamed_file_is_one_gone_and_one_new(path: Path, git: Git) -> None:
    git("mv", "a", "b", cwd=path)

    assert changes_of(path).staged == ("a", "b")


def test_a_conflict_is_nothing_else_besides(path: Path, git: Git) -> None:
    git("checkout", "-qb", "other", cwd=path)
    write(path / "a", "theirs\n")
    git("commit", "-qam", "theirs", cwd=path)
    git("checkout", "-q", "main", cwd=path)
    write(path / "a", "ours!\n")
    git("commit", "-qam", "ours", cwd=path)
    git("merge", "-q", "other", cwd=path, check=False)

    changes = changes_of(path)

    assert changes.conflicted == ("a",)
    assert (changes.staged, changes.modified) == ((), ())


def test_dates_are_those_of_the_changed_files_only(path: Path) -> None:
    write(path / "a", "changed\n", days=7)
    write(path / "new/b", days=3)
    write(path / "new/sub/c", days=5)

    changes = changes_of(path)

    assert (changes.oldest, changes.newest) == (NOW - 7 * DAY, NOW - 3 * DAY)


def test_a_deleted_file_has_no_date(path: Path) -> None:
    (path / "a").unlink()

    assert changes_of(path).oldest is None


def test_an_edit_of_the_same_size_and_date_is_found_by_its_change_time(path: Path) -> None:
    before = (path / "a").stat()
    while int(time.time()) == int(before.st_ctime):
        time.sleep(0.05)  # git records whole seconds of it
    (path / "a").write_text("two\n")
    os.utime(path / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert changes_of(path).modified == ("a",)


def test_another_file_of_the_same_size_and_date_is_found_by_its_inode(path: Path, git: Git) -> None:
    git("config", "core.trustCtime", "false", cwd=path)
    before = (path / "a").stat()
    write(path.with_name("other"), "two\n")
    os.utime(path.with_name("other"), ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_name("other").rename(path / "a")

    assert changes_of(path).modified == ("a",)


def test_with_a_minimal_check_size_and_date_say_enough(path: Path, git: Git) -> None:
    git("config", "core.checkStat", "minimal", cwd=path)
    before = (path / "a").stat()
    (path / "a").write_text("two\n")
    os.utime(path / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert changes_of(path).modified == ()
    assert by_us(path) == by_git(path)


def test_an_edit_within_the_moment_of_the_index_is_found(path: Path, git: Git) -> None:
    write(path / "a", "xxx\n")
    git("add", "a", cwd=path)
    status = (path / "a").stat()
    (path / "a").write_text("yyy\n")
    os.utime(path / "a", ns=(status.st_atime_ns, status.st_mtime_ns))
    os.utime(path / ".git/index", ns=(status.st_mtime_ns, status.st_mtime_ns))

    assert changes_of(path).modified == ("a",)


def test_a_touched_file_is_unchanged(path: Path) -> None:
    os.utime(path / "a", (NOW, NOW))

    assert changes_of(path) == Changes()


def test_a_copied_repository_is_unchanged(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copytree(path, copy, symlinks=True)

    assert changes_of(copy) == Changes()


def test_what_lies_behind_a_link_in_the_place_of_a_folder_is_gone(path: Path) -> None:
    shutil.move(path / "src", path.with_name("moved"))
    os.symlink(path.with_name("moved"), path / "src")

    changes = changes_of(path)

    assert changes.deleted == ("src/a", "src/deep/b")
    assert changes.untracked == ("src",)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda place: place.mkdir(), ()),
        (lambda place: (place / "deep/er").mkdir(parents=True), ()),
        (os.mkfifo, ()),
        (lambda place: write(place / "deep/file"), ("new/",)),
        (write, ("new",)),
        (lambda place: os.symlink("nowhere", place), ("new",)),
        (lambda place: write(place / "x.log"), ()),
        (lambda place: write(place / "build/x"), ()),
        (lambda place: write(place / ".git/x"), ()),
    ],
    ids=["empty", "deep empty", "pipe", "filled", "file", "link", "ignored", "ignored folder", "only .git"],
)
def test_what_is_new_is_listed_if_there_is_a_file_in_it(
    path: Path, git: Git, make: Callable[[Path], object], expected: tuple[str, ...]
) -> None:
    write(path / ".gitignore", "*.log\nbuild/\n")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "rules", cwd=path)

    make(path / "new")

    assert changes_of(path).untracked == expected
    assert by_us(path) == by_git(path)


@pytest.mark.parametrize("has_commit", [False, True])
def test_a_repository_inside_is_one_path(path: Path, git: Git, has_commit: bool) -> None:
    inner = path / "inner"
    inner.mkdir()
    git("init", "-q", cwd=inner)
    if has_commit:
        git("commit", "-q", "--allow-empty", "-m", "x", cwd=inner)

    assert changes_of(path).untracked == ("inner/",)


def test_a_linked_worktree_has_its_own_changes(path: Path, git: Git) -> None:
    git("worktree", "add", "-q", "../linked", "-b", "topic", cwd=path)
    linked = path.with_name("linked")
    write(path / "only-main")
    write(linked / "a", "only linked\n")

    assert changes_of(path).untracked == ("only-main",)
    assert changes_of(linked).modified == ("a",)


def test_a_submodule_is_never_a_change(path: Path, git: Git) -> None:
    inner = git.repository("inner")
    git("submodule", "add", "-q", str(inner), "sub", cwd=path)
    git("commit", "-qm", "sub", cwd=path)
    write(path / "sub/README.md", "changed inside\n")
    write(path / "sub/new")

    assert changes_of(path) == Changes()


def test_without_a_commit_everything_in_the_index_is_staged(git: Git, tmp_path: Path) -> None:
    git("init", "-q", "fresh")
    fresh = tmp_path / "fresh"
    write(fresh / "a")
    write(fresh / "b")
    git("add", "a", cwd=fresh)

    changes = changes_of(fresh)

    assert (changes.staged, changes.untracked) == (("a",), ("b",))


def test_a_clone_without_checkout_has_everything_staged_as_gone(path: Path, git: Git) -> None:
    git("clone", "-q", "--no-checkout", str(path), "bare-desk")
    clone = path.with_name("bare-desk")

    assert changes_of(clone).staged == tuple(sorted(FILES))
    assert by_us(clone) == by_git(clone)


def test_a_repository_without_work_tree_has_no_changes(path: Path, git: Git) -> None:
    git("clone", "-q", "--bare", str(path), "hub.git")

    assert changes_of(path.with_name("hub.git")) == Changes()


@pytest.mark.parametrize("storage", ["--index-version=4", "--split-index"])
def test_every_kind_of_index_tells_the_same(path: Path, git: Git, storage: str) -> None:
    git("update-index", storage, cwd=path)
    write(path / "a", "changed\n")
    write(path / "lib/d")
    git("add", "lib/d", cwd=path)

    changes = changes_of(path)

    assert (changes.staged, changes.modified) == (("lib/d",), ("a",))


def test_sha256_repositories_are_compared_by_their_own_names(git: Git, tmp_path: Path) -> None:
    git("init", "-q", "--object-format=sha256", "long")
    path = tmp_path / "long"
    write(path / "a", "one\n", days=2)
    write(path / "b", "one\n", days=2)
    git("add", "-A", cwd=path)
    git("commit", "-qm", "x", cwd=path)
    os.utime(path / "a", (NOW, NOW))
    write(path / "b", "two\n")

    assert changes_of(path).modified == ("b",)
    assert by_us(path) == by_git(path)


def test_a_sparse_folder_that_is_not_there_is_no_change(path: Path, git: Git) -> None:
    git("sparse-checkout", "set", "--sparse-index", "lib", cwd=path)

    assert changes_of(path) == Changes()


def test_in_a_sparse_folder_that_is_there_files_are_compared(path: Path, git: Git) -> None:
    git("sparse-checkout", "set", "--sparse-index", "lib", cwd=path)
    write(path / "src/a", "back again\n")
    write(path / "src/new")

    changes = changes_of(path)

    assert (changes.modified, changes.untracked) == (("src/a",), ("src/new",))
    assert by_us(path) == by_git(path)


def test_a_folder_of_many_files_is_compared_as_a_whole(git: Git) -> None:
    path = git.repository(
        "wide", files={f"wide/a-rather-long-name-{number}": "x\n" for number in range(2500)}
    )
    git("gc", "-q", cwd=path)
    write(path / "wide/new")
    git("add", "-A", cwd=path)

    assert changes_of(path).staged == ("wide/new",)


def test_the_users_ignore_rules_hold(path: Path) -> None:
    write(path / "x.swp")
    write(path / "kept")

    with open_repository(str(path)) as repository:
        changes = work_tree_changes(repository, excludes=(parse_ignore(b"*.swp\n", "ignore"),))

    assert changes.untracked == ("kept",)


def test_nothing_in_another_file_system_is_a_change(path: Path) -> None:
    (path / "src/a").unlink()
    write(path / "mnt/x")
    mount, own = Mount("9:9", stable_inodes=True), Mount("1:1", stable_inodes=True)
    mounts = Mounts({"/": own, f"{path}/src": mount, f"{path}/mnt": mount})

    with open_repository(str(path)) as repository:
        changes = work_tree_changes(repository, mounts=mounts)

    assert changes == Changes()


def test_more_new_files_than_are_looked_at_are_said(path: Path) -> None:
    (path / "heap").mkdir()
    write(path / ".git/info/exclude", "*.tmp\n")
    for number in range(ENTRIES_CAP + 1):
        (path / f"heap/{number}.tmp").touch()

    changes = changes_of(path)

    assert changes.truncated
    assert changes.untracked == ()


def test_a_damaged_index_is_a_problem_and_no_change(path: Path) -> None:
    (path / ".git/index").write_bytes(b"DIRC" + bytes(40))

    changes = changes_of(path)

    assert [problem.code for problem in changes.problems] == ["git-index-damaged"]
    assert (changes.truncated, changes.untracked, changes.deleted) == (True, (), ())


def test_a_missing_tree_is_a_problem_and_the_rest_is_told(path: Path, git: Git) -> None:
    write(path / "a", "staged\n")
    git("add", "a", cwd=path)
    write(path / "new")
    tree = git("rev-parse", "HEAD^{tree}", cwd=path)
    (path / ".git/objects" / tree[:2] / tree[2:]).unlink()

    changes = changes_of(path)

    assert [problem.code for problem in changes.problems] == ["git-tree-unreadable"]
    assert (changes.truncated, changes.staged, changes.untracked) == (True, (), ("new",))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_problem_and_nothing_in_it_is_gone(path: Path) -> None:
    (path / "src").chmod(0)
    try:
        changes = changes_of(path)
    finally:
        (path / "src").chmod(0o755)

    assert [problem.code for problem in changes.problems] == ["unreadable-folder"]
    assert changes.deleted == ()


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems know no such names")
def test_a_name_that_is_no_text_is_told_in_a_form_that_opens_it_again(path: Path) -> None:
    (path / os.fsdecode(b"\xff")).touch()

    assert list(map(os.fsencode, changes_of(path).untracked)) == [b"\xff"]


def test_a_name_whose_accents_the_system_takes_apart_is_the_tracked_one(git: Git) -> None:
    path = git.repository("accents", files={"caf\u00e9/\u00e4": "x\n"})
    (path / "caf\u00e9/\u00e4").rename(path / "caf\u00e9/a\u0308")
    with open_repository(str(path)) as repository:
        index, _ = load_index(repository)
    assert index is not None
    root = os.open(path, os.O_RDONLY)
    try:
        apart = read_folders(str(path), root, index, WorkTreeRules(str(path), ()), (), fold=False)
        composed = read_folders(
            str(path), root, index, WorkTreeRules(str(path), ()), (), fold=False, compose=True
        )
    finally:
        os.close(root)

    assert apart.untracked == ["caf\u00e9/a\u0308".encode()]
    assert composed.untracked == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"text\r\n", False),
        (b"", False),
        (b"a\0b", True),
        (b"lone\rreturn", True),
        (b"\x01" * 3 + b"x" * 100, True),
        (b"\x01" + b"x" * 200, False),
        (b"\x1b\t\x0c\x08 tabs, pages and escapes\n", False),
        (b"end of an old file\x1a", False),
    ],
)
def test_text_is_told_from_binary_as_git_does(data: bytes, expected: bool) -> None:
    assert looks_binary(data) is expected
