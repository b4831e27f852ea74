"""Workspaces that the configuration names are checked, searched and reported like projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.program import Program
from tests.support import write


@pytest.fixture
def desk(zecher: Program, tmp_path: Path) -> Path:
    """A workspace outside of everything that is scanned, in a plain folder."""
    desk = tmp_path / "desk"
    write(desk / "SOUL.md", "# Soul\n")
    write(desk / "MEMORY.md", "# Long-Term Memory\n\n- The quorum sensor hangs in the attic\n" + "x" * 20_000)
    config = write(
        zecher.home / ".config" / "zecher" / "config.toml",
        f'[scan]\nroots = ["{zecher.cwd}"]\n[dreaming]\nworkspaces = ["{desk}", "{tmp_path}/gone"]\n',
    )
    config.chmod(0o600)
    return desk


def test_it_is_checked_with_all_others(zecher: Program, desk: Path) -> None:
    found = zecher("memory", "check", "--all", "--json").data["findings"]
    assert ("m-size", str(desk)) in {(one["code"], one["project"]) for one in found}


def test_it_is_searched_with_all_others(zecher: Program, desk: Path) -> None:
    (found,) = zecher("memory", "search", "quorum sensor", "--scope", "portfolio", "--json").data["results"]
    assert (found["project"], found["file"]) == ("desk", str(desk / "MEMORY.md"))


@pytest.mark.usefixtures("desk")
def test_the_reports_tell_of_it_and_count_it_as_no_project(zecher: Program) -> None:
    assert zecher("run", "weekly").code == 0

    report = (zecher.home / ".bmad-plus" / "reports" / "latest.md").read_text()
    assert "desk: MEMORY.md has " in report
    assert "projects: 0\n" in report


def test_a_project_that_is_named_as_a_workspace_is_looked_at_once(zecher: Program, desk: Path) -> None:
    (desk / ".git").mkdir()
    write(desk / ".git" / "HEAD", "ref: refs/heads/main\n")
    (desk / ".git" / "objects").mkdir()
    (desk / ".git" / "refs").mkdir()
    zecher("scan", desk, "--yes")

    found = zecher("memory", "check", "--all", "--json").data["findings"]
    assert len([one for one in found if (one["code"], one["project"]) == ("m-size", str(desk))]) == 1
