"""Asking for changes leaves a project as it was, and starts nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.hostile.tracing import (
    changes_below,
    differences,
    picture,
    started_processes,
    watched,
    why_no_strace,
)
from tests.scanner.support_changes import changes_of
from tests.support import Git, write

ASK = """
import sys
from scanner.changes import work_tree_changes
from scanner.git import open_repository
with open_repository(sys.argv[1]) as repository:
    changes = work_tree_changes(repository)
assert changes.modified or changes.may_be_modified, changes
"""


@pytest.fixture
def trapped(git: Git) -> Path:
    """A repository in which everything that git would run leaves a mark, with changes of every kind."""
    path = git.repository("trapped", files={"a": "one\n", "b": "two\n", "src/c": "three\n"})
    mark = f"touch {git.root}/fired"
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.process", "core.sshCommand"):
        git("config", key, mark, cwd=path)
    write(path / ".git/hooks/post-index-change", f"#!/bin/sh\n{mark}\n").chmod(0o755)
    write(path / ".gitattributes", "* filter=x\n")
    os.utime(path / "a", (1_600_000_000, 1_600_000_000))
    write(path / "src/c", "changed\n")
    write(path / "new/d")
    return path


def test_what_a_repository_planted_fires_under_git(trapped: Path, git: Git) -> None:
    git("status", cwd=trapped, check=False)

    assert (git.root / "fired").exists()


def test_nothing_that_a_repository_planted_is_run(trapped: Path, git: Git) -> None:
    changes = changes_of(trapped)

    assert changes.may_be_modified == ("a",)
    assert not (git.root / "fired").exists()


def test_not_one_byte_or_date_of_a_project_changes(trapped: Path) -> None:
    before = picture(trapped)

    changes_of(trapped)

    assert differences(before, picture(trapped)) == []


@pytest.mark.skipif(bool(why_no_strace()), reason=why_no_strace() or "strace is there")
def test_no_file_of_a_project_is_written_or_locked_and_no_process_started(
    trapped: Path, tmp_path: Path
) -> None:
    house = Path(__file__).resolve().parents[2]
    argv = [sys.executable, "-B", "-c", ASK, str(trapped)]

    calls = watched(argv, tmp_path / "calls", house, {"HOME": str(tmp_path)})

    assert any(str(trapped) in line for line in calls)
    assert changes_below(calls, trapped) == []
    assert started_processes(calls) == []
