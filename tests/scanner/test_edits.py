from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scanner import content, ignore, untracked
from scanner.edits import Edit, newest_edit
from scanner.git import open_repository
from scanner.git.index import load_index
from scanner.ignore import parse_ignore
from scanner.junk import is_junk
from scanner.mounts import Mount, Mounts
from scanner.project import Problem
from scanner.reading import is_placeholder
from tests.scanner.support_cases import closed
from tests.support import DAY, NOW, Git, write


@dataclass(frozen=True)
class Seen:
    """An edit that can be compared and shown."""

    when: float | None = None
    path: str = ""
    kind: str = ""
    may_be_modified: int = 0
    truncated: bool = False
    problems: tuple[Problem, ...] = ()


NONE = Seen()


def seen(edit: Edit) -> Seen:
    return Seen(*(getattr(edit, one.name) for one in fields(edit)))


def edit_of(path: Path, *, since: float = 400.0, now: float = NOW, **options: Any) -> Seen:
    """The newest edit younger than ``since`` days."""
    with open_repository(str(path), allowed=[str(path.parent)]) as repository:
        return seen(newest_edit(repository, since=NOW - since * DAY, now=now, **options))


def found(path: str, kind: str, *, days: float, **more: Any) -> Seen:
    return Seen(NOW - days * DAY, path, kind, **more)


def date(path: Path, days: float) -> None:
    stamp = NOW - days * DAY
    os.utime(path, (stamp, stamp), follow_symlinks=False)


def refresh(git: Git, path: Path) -> None:
    """Let git take the present dates of all files into the index, as any ``git status`` does."""
    git("update-index", "-q", "--really-refresh", cwd=path, check=False)


def repository(git: Git, **files: str) -> Path:
    """A repository last worked on 400 days ago."""
    return git.repository("a", days=400, files={"README.md": "# a\n", "src/deep/main.py": "one\n", **files})


def test_a_repository_without_changes_has_no_edit(git: Git) -> None:
    assert edit_of(repository(git), since=1_000) == NONE


def test_an_uncommitted_change_deep_in_the_tree_counts_with_its_own_date(git: Git) -> None:
    path = repository(git)
    write(path / "src/deep/main.py", "two\n", days=2)
    write(path / "README.md", "# b\n", days=5)
    assert edit_of(path) == found("src/deep/main.py", "modified", days=2)


def test_a_change_of_the_same_length_is_seen_by_its_date(git: Git) -> None:
    path = repository(git)
    write(path / "src/deep/main.py", "two\n", days=2)
    assert edit_of(path) == found("src/deep/main.py", "modified", days=2)


def test_a_touched_file_with_the_same_content_is_no_edit(git: Git) -> None:
    path = repository(git)
    date(path / "src/deep/main.py", 1)
    assert edit_of(path) == NONE


def test_a_touched_file_does_not_hide_an_older_real_edit(git: Git) -> None:
    path = repository(git)
    date(path / "src/deep/main.py", 1)
    write(path / "README.md", "# b\n", days=5)
    assert edit_of(path) == found("README.md", "modified", days=5)


JUNK = [
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    ".localized",
    ".main.py.swp",
    "main.py~",
    ".#main.py",
    "#main.py#",
    "4913",
    "._main.py",
    ".~lock.plan.odt#",
    "~$plan.docx",
    "bmad-brain-export-2026-11-30.md",
]


@pytest.mark.parametrize("name", JUNK)
def test_litter_is_no_edit_where_the_same_file_under_another_name_is_one(name: str, git: Git) -> None:
    path = repository(git)
    write(path / name, "litter\n", days=1)
    assert edit_of(path) == NONE
    write(path / "notes.md", "litter\n", days=1)
    assert edit_of(path) == found("notes.md", "untracked", days=1)


def test_litter_that_is_tracked_is_no_edit_either(git: Git) -> None:
    path = repository(git, **{".DS_Store": "1\n"})
    write(path / ".DS_Store", "2\n", days=1)
    assert edit_of(path) == NONE


def test_ordinary_names_are_no_litter() -> None:
    assert not any(map(is_junk, [b"main.py", b"swp", b"a.swp.py", b"#1.md", b"bmad-brain-export.md", b"~a"]))


def test_an_ignored_build_is_no_edit(git: Git) -> None:
    path = repository(git, **{".gitignore": "build/\n*.log\n", "src/.gitignore": "/gen\n"})
    write(path / ".git/info/exclude", "private\n")
    for name in ("build/out.js", "a.log", "src/deep/b.log", "src/gen/c.py", "private"):
        write(path / name, "x\n", days=1)
    assert edit_of(path) == NONE
    write(path / "gen/c.py", "x\n", days=1)
    assert edit_of(path) == found("gen/c.py", "untracked", days=1)


def test_a_new_file_in_a_folder_that_is_ignored_but_holds_tracked_files_is_ignored(git: Git) -> None:
    path = repository(git, **{".gitignore": "out/\n"})
    write(path / "out/kept", "x\n", days=400)
    git("add", "-f", "out/kept", cwd=path)
    git("commit", "-qm", "kept", cwd=path, days=400)
    write(path / "out/new", "x\n", days=1)
    assert edit_of(path) == NONE


def test_rules_of_the_user_are_weaker_than_those_of_the_repository(git: Git) -> None:
    path = repository(git, **{".gitignore": "!keep.tmp\n"})
    write(path / "a.tmp", "x\n", days=1)
    write(path / "keep.tmp", "x\n", days=3)
    assert edit_of(path).path == "a.tmp"
    assert edit_of(path, excludes=[parse_ignore(b"*.tmp\n", "ignore")]) == found(
        "keep.tmp", "untracked", days=3
    )


def test_what_git_itself_does_is_no_edit(git: Git) -> None:
    path = repository(git)
    git("branch", "side", cwd=path)
    git("status", cwd=path)
    git("gc", "-q", cwd=path)
    assert edit_of(path) == NONE


def test_files_that_a_checkout_wrote_are_no_edits(git: Git) -> None:
    path = repository(git)
    git("checkout", "-q", "-b", "side", cwd=path)
    write(path / "README.md", "# side\n")
    git("commit", "-qam", "side", cwd=path, days=400)
    git("checkout", "-q", "main", cwd=path)
    for name in ("README.md", "src/deep/main.py"):
        date(path / name, 1)
    assert edit_of(path) == NONE
    refresh(git, path)
    assert edit_of(path) == NONE


def test_files_that_a_clone_or_a_pull_wrote_are_no_edits(git: Git) -> None:
    upstream = repository(git)
    git("clone", "-q", str(upstream), "b")
    clone = git.root / "b"
    write(upstream / "src/new.py", "new\n", days=300)
    git("add", "-A", cwd=upstream)
    git("commit", "-qm", "new", cwd=upstream, days=300)
    git("pull", "-q", cwd=clone)
    for name in ("README.md", "src/deep/main.py", "src/new.py"):
        date(clone / name, 1)
    refresh(git, clone)
    assert edit_of(clone, since=300) == NONE


def test_a_change_that_was_stashed_is_no_edit_any_more(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=1)
    assert edit_of(path) == found("README.md", "modified", days=1)
    git("stash", "-q", cwd=path, days=1)
    date(path / "README.md", 1)
    assert edit_of(path) == NONE


def test_a_deleted_file_has_no_date(git: Git) -> None:
    path = repository(git)
    (path / "src/deep/main.py").unlink()
    date(path / "src/deep", 1)
    date(path / "src", 1)
    date(path, 1)
    assert edit_of(path) == NONE
    git("rm", "-q", "README.md", cwd=path)
    assert edit_of(path) == NONE


def test_a_changed_mode_is_no_edit(git: Git) -> None:
    path = repository(git)
    (path / "README.md").chmod(0o755)
    date(path / "README.md", 1)
    assert edit_of(path) == NONE


def test_only_what_is_newer_than_since_counts(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=5)
    write(path / "new", "x\n", days=5)
    assert edit_of(path, since=5) == NONE
    assert edit_of(path, since=5.000001) == found("README.md", "modified", days=5)


def test_a_date_after_tomorrow_is_a_mistake(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=-2)
    write(path / "new", "x\n", days=-2)
    assert edit_of(path) == NONE
    date(path / "new", -0.9)
    assert edit_of(path) == found("new", "untracked", days=-0.9)


def test_without_any_history_every_file_is_an_edit(git: Git) -> None:
    git("init", "-q", "a")
    write(git.root / "a/notes.md", "x\n", days=50)
    with open_repository(str(git.root / "a")) as opened:
        edit = newest_edit(opened, since=float("-inf"), now=NOW)
    assert seen(edit) == found("notes.md", "untracked", days=50)
    git("add", "notes.md", cwd=git.root / "a")
    assert edit_of(git.root / "a") == found("notes.md", "staged", days=50)


# What git changes on the way -------------------------------------------------------------------------


def test_line_ends_that_git_writes_are_no_edit(git: Git) -> None:
    path = repository(git)
    git("config", "core.autocrlf", "true", cwd=path)
    (path / "README.md").write_bytes(b"# a\r\n")
    date(path / "README.md", 1)
    assert edit_of(path) == NONE
    (path / "README.md").write_bytes(b"# b\r\n")
    date(path / "README.md", 1)
    assert edit_of(path) == found("README.md", "modified", days=1)


def test_an_unfolded_id_is_no_edit(git: Git) -> None:
    path = repository(git, **{".gitattributes": "*.c ident\n", "a.c": "/* $Id$ */\n"})
    (path / "a.c").unlink()
    git("checkout", "-q", "a.c", cwd=path)
    assert b"$Id: " in (path / "a.c").read_bytes()
    date(path / "a.c", 1)
    assert edit_of(path) == NONE


def _filtered(git: Git, attributes: str = "*.secret filter=lock\n") -> tuple[Path, Path]:
    """A repository in which a program changes a file on its way, and the sign that the program ran."""
    path = repository(git, **{".gitattributes": attributes})
    sign = git.root / "ran"
    git("config", "filter.lock.clean", f"touch {sign}; tr a-z A-Z | sed s/^/locked:/", cwd=path)
    git("config", "filter.lock.smudge", f"touch {sign}; cat", cwd=path)
    write(path / "src/a.secret", "secret\n", days=400)
    git("add", "-A", cwd=path)
    git("commit", "-qm", "secret", cwd=path, days=400)
    assert sign.exists()
    sign.unlink()
    return path, sign


def test_a_file_behind_a_filter_is_never_run_through_it_and_at_most_may_be_modified(git: Git) -> None:
    path, sign = _filtered(git)
    date(path / "src/a.secret", 1)
    # The size is that of the entry, but whoever wrote "SECRET" over "secret" changed no size either.
    assert edit_of(path) == Seen(may_be_modified=1)
    write(path / "src/a.secret", "another secret\n", days=1)
    write(path / "README.md", "# b\n", days=2)
    assert edit_of(path) == found("README.md", "modified", days=2, may_be_modified=1)
    assert not sign.exists()


def test_the_same_change_without_a_filter_is_an_edit(git: Git) -> None:
    path, _ = _filtered(git)
    write(path / ".gitattributes", "*.secret -filter\n", days=400)
    write(path / "src/a.secret", "another secret\n", days=1)
    assert edit_of(path) == found("src/a.secret", "modified", days=1)


@pytest.mark.parametrize(
    "attributes",
    [
        "[attr]locked filter=lock\n*.secret locked\n",
        "*.secret -filter\nsrc/*.secret filter=lock\n",
        '"*.secret"\tfilter=lock text\n',
        "*.secret text filter=lock\n*.md !filter\n",
    ],
)
def test_a_filter_is_found_as_git_finds_it(attributes: str, git: Git) -> None:
    path, _ = _filtered(git, attributes)
    write(path / "src/a.secret", "another secret\n", days=1)
    assert edit_of(path) == Seen(may_be_modified=1)


def test_a_file_in_another_encoding_may_be_modified(git: Git) -> None:
    path = repository(git, **{".gitattributes": "*.txt working-tree-encoding=UTF-16LE\n"})
    (path / "a.txt").write_bytes("text\n".encode("utf-16-le"))
    date(path / "a.txt", 400)
    git("add", "-A", cwd=path)
    git("commit", "-qm", "text", cwd=path, days=400)
    date(path / "a.txt", 1)
    assert edit_of(path) == Seen(may_be_modified=1)
    (path / "a.txt").write_bytes("longer text\n".encode("utf-16-le"))
    date(path / "a.txt", 1)
    assert edit_of(path) == Seen(may_be_modified=1)


def test_a_file_kept_in_a_large_file_store_is_compared_with_its_pointer(git: Git) -> None:
    path = repository(git, **{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    name = hashlib.sha256(b"large\n").hexdigest()
    pointer = write(
        git.root / "p", f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize 6\n"
    )
    git("config", "filter.lfs.clean", f"cat > {os.devnull}; cat {pointer}", cwd=path)
    write(path / "a.bin", "large\n", days=400)
    git("add", "a.bin", cwd=path)
    git("commit", "-qm", "large", cwd=path, days=400)
    assert git("cat-file", "blob", "HEAD:a.bin", cwd=path) == pointer.read_text().strip()
    date(path / "a.bin", 1)
    assert edit_of(path) == NONE
    write(path / "a.bin", "larger\n", days=1)
    assert edit_of(path) == found("a.bin", "modified", days=1)
    write(path / "a.bin", pointer.read_text(), days=1)
    assert edit_of(path) == NONE


def test_a_large_file_that_was_fetched_for_its_pointer_is_no_edit(git: Git) -> None:
    path = repository(git, **{".gitattributes": "*.bin filter=lfs\n"})
    name = hashlib.sha256(b"large\n").hexdigest()
    write(
        path / "a.bin", f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize 6\n", days=400
    )
    git("add", "a.bin", cwd=path)
    git("commit", "-qm", "pointer", cwd=path, days=400)
    write(path / "a.bin", "large\n", days=1)
    assert edit_of(path) == NONE
    write(path / "a.bin", "larger\n", days=1)
    assert edit_of(path) == found("a.bin", "modified", days=1)


def test_the_attributes_of_a_folder_are_stronger_than_those_above_it(git: Git) -> None:
    path, _ = _filtered(git)
    write(path / "src/a.secret", "another secret\n", days=1)
    write(path / "src/.gitattributes", "*.secret !filter\n", days=400)
    assert edit_of(path) == found("src/a.secret", "modified", days=1)
    write(path / ".git/info/attributes", "/src/*.secret filter=lock\n")
    assert edit_of(path) == Seen(may_be_modified=1)


# Kinds of entries ------------------------------------------------------------------------------------


def test_a_link_is_compared_by_its_text(git: Git) -> None:
    path = repository(git)
    (path / "link").symlink_to("README.md")
    git("add", "link", cwd=path)
    git("commit", "-qm", "link", cwd=path, days=400)
    date(path / "link", 1)
    assert edit_of(path) == NONE
    (path / "link").unlink()
    (path / "link").symlink_to("src")
    date(path / "link", 1)
    assert edit_of(path) == found("link", "modified", days=1)


def test_a_file_that_became_a_link_is_an_edit_of_the_links_date(git: Git) -> None:
    path = repository(git)
    outside = write(git.root / "outside", "# a\n", days=1)
    (path / "README.md").unlink()
    (path / "README.md").symlink_to(outside)
    date(path / "README.md", 3)
    assert edit_of(path) == found("README.md", "modified", days=3)


def test_a_folder_that_became_a_link_is_one_new_link_and_nothing_behind_it_is_looked_at(git: Git) -> None:
    path = repository(git, **{"src/deep/more/a.py": "a\n"})
    (path / "src").rename(git.root / "outside")
    write(git.root / "outside/deep/main.py", "other\n", days=1)
    write(git.root / "outside/deep/more/new.py", "other\n", days=1)
    (path / "src").symlink_to(git.root / "outside")
    date(path / "src", 400)
    assert edit_of(path, since=400) == NONE
    date(path / "src", 7)
    assert edit_of(path) == found("src", "untracked", days=7)


def test_a_pipe_in_the_place_of_a_file_is_not_opened(git: Git) -> None:
    path = repository(git)
    (path / "README.md").unlink()
    os.mkfifo(path / "README.md")
    date(path / "README.md", 1)
    assert edit_of(path) == found("README.md", "modified", days=1)
    os.mkfifo(path / "new")
    date(path / "new", 0)
    assert edit_of(path) == found("README.md", "modified", days=1)


def test_a_submodule_is_not_entered(git: Git) -> None:
    inner = git.repository("inner", days=400)
    path = repository(git)
    git("submodule", "add", "-q", str(inner), "sub", cwd=path)
    git("commit", "-qm", "sub", cwd=path, days=400)
    for name in (".gitmodules", "sub"):
        date(path / name, 400)
    refresh(git, path)
    write(path / "sub/README.md", "changed\n", days=1)
    write(path / "sub/new", "new\n", days=1)
    assert edit_of(path) == NONE


def test_a_nested_repository_is_not_entered(git: Git) -> None:
    path = repository(git)
    git.repository("a/nested", days=1)
    assert edit_of(path) == NONE


def test_what_git_is_told_not_to_compare_is_not_compared(git: Git) -> None:
    path = repository(git)
    git("update-index", "--assume-unchanged", "README.md", cwd=path)
    git("update-index", "--skip-worktree", "src/deep/main.py", cwd=path)
    write(path / "README.md", "# b\n", days=1)
    write(path / "src/deep/main.py", "two\n", days=1)
    assert edit_of(path) == NONE
    git("update-index", "--no-assume-unchanged", "README.md", cwd=path)
    assert edit_of(path) == found("README.md", "modified", days=1)


def test_a_file_that_is_only_meant_to_be_added_is_an_edit(git: Git) -> None:
    path = repository(git)
    write(path / "soon.py", "", days=3)
    git("add", "-N", "soon.py", cwd=path)
    assert edit_of(path) == found("soon.py", "modified", days=3)


def _conflict(git: Git) -> Path:
    path = repository(git)
    git("checkout", "-q", "-b", "side", cwd=path)
    write(path / "README.md", "# side\n", days=400)
    git("commit", "-qam", "side", cwd=path, days=400)
    git("checkout", "-q", "main", cwd=path)
    write(path / "README.md", "# main\n", days=400)
    git("commit", "-qam", "main", cwd=path, days=400)
    git("merge", "-q", "side", cwd=path, check=False)
    assert git("ls-files", "-u", cwd=path)
    return path


def test_a_file_in_conflict_is_an_edit_unless_it_is_one_of_the_sides(git: Git) -> None:
    path = _conflict(git)
    date(path / "README.md", 1)
    assert edit_of(path) == found("README.md", "modified", days=1)
    write(path / "README.md", "# side\n", days=1)
    assert edit_of(path) == NONE


def _racy(git: Git, index_days: float) -> Path:
    """A change of the length and the date that the entry has; the index was written ``index_days`` ago."""
    path = repository(git)
    date(path / "README.md", 1)
    refresh(git, path)
    write(path / "README.md", "# b\n", days=1)
    date(path / ".git/index", index_days)
    return path


def test_a_change_at_the_moment_when_the_index_was_written_is_seen(git: Git) -> None:
    assert edit_of(_racy(git, 1)) == found("README.md", "modified", days=1)


def test_without_that_moment_it_would_be_trusted(git: Git) -> None:
    assert edit_of(_racy(git, 0.9)) == NONE


# Staged work -----------------------------------------------------------------------------------------


def test_a_staged_change_is_work_until_it_is_committed(git: Git) -> None:
    path = repository(git)
    write(path / "src/deep/main.py", "two\n", days=3)
    git("add", "-A", cwd=path)
    assert edit_of(path) == found("src/deep/main.py", "staged", days=3)
    git("commit", "-qm", "two", cwd=path, days=2)
    assert edit_of(path) == NONE


def test_a_staged_new_file_in_a_new_folder_is_work(git: Git) -> None:
    path = repository(git)
    git("gc", "-q", cwd=path)
    write(path / "lib/new.py", "new\n", days=3)
    git("add", "-A", cwd=path)
    assert edit_of(path) == found("lib/new.py", "staged", days=3)


def test_what_a_checkout_wrote_is_not_taken_for_staged_because_something_else_is(git: Git) -> None:
    path = repository(git)
    date(path / "src/deep/main.py", 1)
    write(path / "README.md", "# b\n", days=3)
    refresh(git, path)
    git("add", "README.md", cwd=path)
    assert edit_of(path) == found("README.md", "staged", days=3)


def test_a_staged_file_that_was_touched_later_keeps_the_date_of_its_staging(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=3)
    git("add", "README.md", cwd=path)
    date(path / "README.md", 1)
    assert edit_of(path) == found("README.md", "staged", days=3)


def test_a_commit_that_was_taken_back_softly_is_staged_work(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=3)
    git("commit", "-qam", "b", cwd=path, days=3)
    git("reset", "-q", "--soft", "HEAD~1", cwd=path)
    assert edit_of(path) == found("README.md", "staged", days=3)


def test_an_old_version_that_was_fetched_into_the_index_is_staged_work(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=390)
    git("commit", "-qam", "b", cwd=path, days=390)
    git("checkout", "-q", "HEAD~1", "--", "README.md", cwd=path)
    date(path / "README.md", 3)
    refresh(git, path)
    assert edit_of(path, since=390) == found("README.md", "staged", days=3)


def test_staged_work_in_a_split_and_compressed_index_is_seen(git: Git) -> None:
    path = repository(git)
    git("update-index", "--index-version", "4", cwd=path)
    write(path / "README.md", "# b\n", days=3)
    git("add", "README.md", cwd=path)
    assert edit_of(path) == found("README.md", "staged", days=3)
    git("update-index", "--split-index", cwd=path)
    assert edit_of(path) == found("README.md", "staged", days=3)


def test_staged_work_is_seen_in_a_sha256_repository(git: Git) -> None:
    git("init", "-q", "--object-format=sha256", "a")
    path = git.root / "a"
    write(path / "src/a", "1\n", days=400)
    write(path / "src/b", "1\n", days=400)
    git("add", "-A", cwd=path)
    git("commit", "-qm", "1", cwd=path, days=400)
    assert edit_of(path, since=1_000) == NONE
    write(path / "src/a", "2\n", days=3)
    assert edit_of(path) == found("src/a", "modified", days=3)
    git("add", "-A", cwd=path)
    date(path / "src/b", 1)
    refresh(git, path)
    assert edit_of(path) == found("src/a", "staged", days=3)


def test_a_tree_that_cannot_be_read_claims_no_staged_work(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=3)
    git("add", "README.md", cwd=path)
    tree = git("rev-parse", "HEAD^{tree}", cwd=path)
    (path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert edit_of(path) == NONE


def test_a_folder_with_more_files_than_are_read_of_a_tree_claims_no_staged_work(git: Git) -> None:
    path = repository(git, **{f"many/{number:06}-{'x' * 40}": "" for number in range(1_100)})
    write(path / "README.md", "# b\n", days=3)
    git("add", "README.md", cwd=path)
    date(path / f"many/001099-{'x' * 40}", 1)
    refresh(git, path)
    assert edit_of(path) == found("README.md", "staged", days=3)


# New files -------------------------------------------------------------------------------------------


def test_a_new_file_deep_in_a_new_folder_counts(git: Git) -> None:
    path = repository(git)
    write(path / "drafts/2026/plan.md", "plan\n", days=1)
    assert edit_of(path) == found("drafts/2026/plan.md", "untracked", days=1)


def test_a_new_file_beside_folders_only_counts(git: Git) -> None:
    path = repository(git)
    write(path / "src/new.py", "new\n", days=1)
    assert edit_of(path) == found("src/new.py", "untracked", days=1)


def test_an_old_new_file_in_the_root_counts_when_it_is_written_in_place(git: Git) -> None:
    path = repository(git)
    write(path / "todo.md", "1\n", days=390)
    write(path / "drafts/a.md", "1\n", days=390)
    date(path, 390)
    date(path / "drafts", 390)
    write(path / "drafts/a.md", "2\n", days=1)
    date(path / "drafts", 390)
    assert edit_of(path, since=100) == found("drafts/a.md", "untracked", days=1)


def test_an_old_new_file_directly_below_the_root_counts_when_it_is_written_in_place(git: Git) -> None:
    path = repository(git)
    write(path / "src/notes.txt", "2\n", days=1)
    date(path / "src", 400)
    assert edit_of(path, since=100) == found("src/notes.txt", "untracked", days=1)


def test_a_deeper_tracked_folder_whose_entries_did_not_change_since_is_not_listed(git: Git) -> None:
    path = repository(git)
    write(path / "src/deep/new.py", "new\n", days=1)
    date(path / "src/deep", 100)
    assert edit_of(path, since=200) == found("src/deep/new.py", "untracked", days=1)
    assert edit_of(path, since=50) == NONE


def test_a_folder_dated_in_the_future_is_listed_only_if_it_changed_after_the_index(git: Git) -> None:
    path = repository(git)
    write(path / "src/deep/new.py", "new\n", days=3)
    date(path / "src/deep", -10)
    date(path / ".git/index", -20)
    assert edit_of(path) == NONE
    date(path / ".git/index", -10)
    assert edit_of(path) == NONE
    date(path / ".git/index", -9)
    assert edit_of(path) == found("src/deep/new.py", "untracked", days=3)


def test_a_repository_whose_files_are_all_younger_than_now_costs_no_listing(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository(git)
    for name in ("src/deep", "src"):
        date(path / name, 401)
    date(path / ".git/index", 400)
    listed: list[bytes] = []
    list_folder = os.listdir

    def watched(place: bytes) -> list[bytes]:
        listed.append(place)
        return list_folder(place)

    monkeypatch.setattr(os, "listdir", watched)
    assert edit_of(path, now=NOW - 1_000 * DAY, since=2_000) == NONE
    assert listed == [os.fsencode(path) + b"/", os.fsencode(path) + b"/src"]


def test_generated_folders_are_not_entered_only_beside_what_generates_them(git: Git) -> None:
    path = repository(git)
    for name in ("build/out.js", "src/build/out.js", "src/x.egg-info/PKG-INFO"):
        write(path / name, "x\n", days=2)
    assert edit_of(path).path == "build/out.js"
    write(path / "package.json", "{}\n", days=3)
    write(path / "src/package.json", "{}\n", days=3)
    assert edit_of(path).path == "package.json"
    (path / "src/vendor").write_text("a file is nothing generated\n")
    date(path / "src/vendor", 1)
    write(path / "src/go.mod", "module x\n", days=5)
    assert edit_of(path).path == "src/vendor"


def test_a_folder_that_may_not_be_read_is_told_and_the_rest_is_dated(git: Git) -> None:
    path = repository(git, **{"src/locked/deep/a": "a\n", "kept/b": "b\n"})
    write(path / "private/new", "x\n", days=1)
    write(path / "README.md", "# b\n", days=2)
    with closed(path / "src/locked"), closed(path / "private"), closed(path / "kept"):
        edit = edit_of(path)
    assert (edit.path, edit.when) == ("README.md", NOW - 2 * DAY)
    assert [(problem.code, problem.level) for problem in edit.problems] == [
        ("unreadable-folder", "warning")
    ] * 3
    folders = ["kept", "private", "src/locked"]
    assert [problem.path for problem in edit.problems] == [str(path / name) for name in folders]


def test_lines_of_an_ignore_file_that_are_not_used_are_told(git: Git) -> None:
    path = repository(git, **{".gitignore": "*a*b*c*d*e\n*.log\n", "src/.gitignore": "[z\n"})
    assert edit_of(path).problems == ()
    write(path / "src/new", "x\n", days=1)
    edit = edit_of(path)
    assert edit.path == "src/new"
    assert [problem.path for problem in edit.problems] == [
        str(path / ".gitignore"),
        str(path / "src/.gitignore"),
    ]


def test_more_rules_than_are_asked_are_told(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repository(git, **{".gitignore": "*.log\n"})
    write(path / "new/a", "x\n", days=1)
    monkeypatch.setattr(ignore, "EFFORT", 20)
    [problem] = edit_of(path).problems
    assert (problem.code, problem.path) == ("ignore-line", str(path))


def test_no_more_ignore_files_are_read_in_one_project_than_a_person_keeps(git: Git) -> None:
    lines = {
        f"{number}/.gitignore": "".join(f"/x{number}*/{line}*\n" for line in range(2_000))
        for number in range(30)
    }
    path = repository(git, **lines)
    for number in range(30):
        write(path / f"{number}/new/a", "x\n", days=1)
    started = time.process_time()
    edit = edit_of(path)
    assert time.process_time() - started < 10
    assert edit.path == "0/new/a"
    assert [(problem.code, problem.path) for problem in edit.problems] == [("ignore-line", str(path))]


def test_rules_hold_in_either_case_where_git_says_so(git: Git) -> None:
    path = repository(git, **{".gitignore": "Out/\n"})
    write(path / "out/a", "x\n", days=1)
    excludes = [parse_ignore(b"*.TMP\n", "ignore")]
    write(path / "b.tmp", "x\n", days=2)
    assert edit_of(path, excludes=excludes).path == "out/a"
    git("config", "core.ignoreCase", "true", cwd=path)
    assert edit_of(path, excludes=excludes) == NONE


def _mounts(path: Path, *points: str, device: str = "0:77") -> Mounts:
    here = {str(path): Mount("8:1", True)}
    return Mounts(here | {str(path / point): Mount(device, False) for point in points})


def test_what_another_file_system_covers_is_never_asked(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repository(git, **{"far/deep/a": "a\n", "fa": "b\n"})
    for name in ("far/deep/a", "far/new", "drafts/far/new", "fa"):
        write(path / name, "changed\n", days=1 if "far" in name else 2)
    assert edit_of(path).when == NOW - DAY
    mounts = _mounts(path, "far", "drafts/far")
    asked: list[str] = []

    def watched(place: Any, **options: Any) -> Any:
        asked.append(os.path.join(path, os.fsdecode(place)))
        return lstat(place, **options)

    lstat = os.lstat
    monkeypatch.setattr(os, "lstat", watched)
    assert edit_of(path, mounts=mounts) == found("fa", "modified", days=2)
    assert asked
    assert not [one for one in asked if "/far" in one]


def test_the_same_file_system_mounted_below_is_looked_at(git: Git) -> None:
    path = repository(git)
    write(path / "bound/new", "x\n", days=1)
    assert edit_of(path, mounts=_mounts(path, "bound", device="8:1")).path == "bound/new"
    assert edit_of(path, mounts=_mounts(path, "bound", device="8:2")) == NONE


def test_tool_stores_caches_and_environments_are_not_entered(git: Git) -> None:
    path = repository(git)
    write(path / "node_modules/a/index.js", "x\n", days=1)
    write(path / "env/pyvenv.cfg", "home = x\n", days=1)
    write(path / "env/lib/x.py", "x\n", days=1)
    write(path / "store/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n", days=1)
    write(path / "store/x", "x\n", days=1)
    assert edit_of(path) == NONE
    write(path / "store/CACHEDIR.TAG", "no signature\n", days=1)
    assert edit_of(path).path == "store/CACHEDIR.TAG"


def test_a_link_to_a_folder_is_a_new_file_and_is_not_followed(git: Git) -> None:
    path = repository(git)
    write(git.root / "outside/new.py", "new\n", days=1)
    (path / "link").symlink_to(git.root / "outside")
    date(path / "link", 3)
    assert edit_of(path) == found("link", "untracked", days=3)


def test_more_new_files_than_are_looked_at_are_told(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repository(git)
    for number in range(6):
        write(path / f"new/{number}/file", "x\n", days=number + 1)
    assert edit_of(path) == found("new/0/file", "untracked", days=1)
    monkeypatch.setattr(untracked, "FOLDERS_CAP", 3)
    assert edit_of(path).truncated
    monkeypatch.setattr(untracked, "FOLDERS_CAP", 100)
    monkeypatch.setattr(untracked, "ENTRIES_CAP", 3)
    assert edit_of(path).truncated


def test_a_name_that_is_not_utf8_is_an_edit_like_any_other(git: Git) -> None:
    path = repository(git, **{".gitignore": "*.log\n"})
    name = os.fsdecode(b"caf\xe9.txt")
    write(path / name, "x\n", days=2)
    write(path / os.fsdecode(b"caf\xe9.log"), "x\n", days=1)
    assert edit_of(path) == found(name, "untracked", days=2)
    git("add", "-A", cwd=path)
    assert edit_of(path) == found(name, "staged", days=2)


# Limits ----------------------------------------------------------------------------------------------


def test_a_file_too_large_to_compare_is_an_edit_only_by_its_size(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository(git)
    monkeypatch.setattr(content, "FILE_CAP", 3)
    write(path / "README.md", "# b\n", days=1)
    assert edit_of(path) == Seen(may_be_modified=1)
    write(path / "README.md", "# longer\n", days=1)
    assert edit_of(path) == found("README.md", "modified", days=1)


def test_no_more_than_the_budget_is_read_in_one_project(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repository(git)
    monkeypatch.setattr(content, "PROJECT_CAP", 5)
    date(path / "README.md", 1)
    date(path / "src/deep/main.py", 2)
    assert edit_of(path) == Seen(may_be_modified=1)


def test_a_file_whose_content_lies_elsewhere_is_not_opened(git: Git) -> None:
    path = repository(git)
    (path / "README.md").write_bytes(b"")
    os.truncate(path / "README.md", 1 << 20)
    if os.lstat(path / "README.md").st_blocks:
        pytest.skip("this file system gives blocks to a hole")
    date(path / "README.md", 1)
    assert edit_of(path) == Seen(may_be_modified=1)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"st_size": 1 << 20, "st_blocks": 0}, True),
        ({"st_size": 1 << 20, "st_blocks": 8}, False),
        ({"st_size": 150, "st_blocks": 0}, False),
        ({"st_size": 0, "st_blocks": 0}, False),
        ({"st_size": 150, "st_blocks": 0, "st_flags": 0x40000000}, True),
        ({"st_size": 1 << 20, "st_blocks": 0, "st_flags": 0x20}, False),
    ],
)
def test_a_small_file_may_lie_beside_its_name_without_a_block(status: dict[str, int], expected: bool) -> None:
    assert is_placeholder(cast("os.stat_result", SimpleNamespace(**status))) is expected


def test_a_damaged_index_is_a_problem_and_no_reason_to_take_all_files_for_new(git: Git) -> None:
    path = repository(git)
    (path / ".git/index").write_bytes(b"DIRC garbage")
    date(path / "README.md", 1)
    edit = edit_of(path)
    assert edit.when is None
    assert [problem.code for problem in edit.problems] == ["git-index-damaged"]


def test_a_missing_index_beside_a_commit_is_no_reason_either(git: Git) -> None:
    path = repository(git)
    (path / ".git/index").unlink()
    date(path / "README.md", 1)
    assert edit_of(path) == NONE


def test_a_bare_repository_has_no_edits(git: Git) -> None:
    git("init", "-q", "--bare", "a.git")
    assert edit_of(git.root / "a.git") == NONE


def test_an_index_that_was_read_before_is_not_read_again(git: Git) -> None:
    path = repository(git)
    write(path / "README.md", "# b\n", days=1)
    with open_repository(str(path)) as opened:
        read = load_index(opened)
        (path / ".git/index").unlink()
        edit = newest_edit(opened, since=NOW - 400 * DAY, now=NOW, load=lambda _: read)
    assert seen(edit) == found("README.md", "modified", days=1)


def _states(root: Path) -> dict[str, tuple[int, ...]]:
    states: dict[str, tuple[int, ...]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            status = os.lstat(os.path.join(folder, name))
            states[os.path.join(folder, name)] = (
                status.st_ino,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_size,
                stat.S_IMODE(status.st_mode),
            )
    return states


def _busy(git: Git) -> Path:
    path = _conflict(git)
    write(path / "src/deep/main.py", "two\n", days=1)
    write(path / "new/file", "x\n", days=1)
    return path


def test_nothing_is_written_or_locked(git: Git) -> None:
    path = _busy(git)
    before = _states(path)
    assert edit_of(path).when is not None
    assert _states(path) == before


def test_no_process_is_started(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _busy(git)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    names = ("fork", "posix_spawn", "posix_spawnp", "system", "execv", "execve")
    for name in names:
        monkeypatch.setattr(os, name, refuse)
    starts: Callable[..., None] = refuse
    monkeypatch.setattr("_posixsubprocess.fork_exec", starts)
    assert edit_of(path).when is not None
