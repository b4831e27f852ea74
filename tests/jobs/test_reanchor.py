"""``zecher doctor --reanchor``: the evidence of a project that was moved, after the move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.brain.outcomes.nexus_project import Project
from tests.jobs.program import Program


@pytest.fixture
def moved(home: Path, tmp_path: Path) -> Program:
    """The program in a project with one current receipt, after the project's folder was renamed."""
    project = Project(tmp_path)
    project.accept()
    assert Program(home, project.root)("mem", "observe", "--input", project.ask()).code == 0
    return Program(home, project.root.rename(tmp_path / "moved here"))


def run_file(zecher: Program) -> Path:
    (file,) = (zecher.cwd / ".bmad-plus/nexus/runs").glob("*.json")
    return file


def test_a_moved_project_gets_its_evidence_back(moved: Program) -> None:
    before = json.loads(run_file(moved).read_text())
    assert "doctor --reanchor" in moved("mem", "outcomes").out

    done = moved("doctor", "--reanchor", "--yes")

    assert (done.code, done.err) == (0, "1 run reanchored\n")
    assert done.out.splitlines()[1].endswith(before["run"]["project"])
    assert moved("mem", "outcomes").out.endswith(": accepted-current\n")
    after = json.loads(run_file(moved).read_text())
    assert after["run"] == {**before["run"], "project": str(moved.cwd)}
    assert list(after) == list(before)


def test_nothing_is_changed_where_nobody_can_be_asked(moved: Program) -> None:
    before = run_file(moved).read_bytes()

    done = moved("doctor", "--reanchor")

    assert (done.code, "[needs-answer]" in done.err) == (2, True)
    assert run_file(moved).read_bytes() == before


def test_no_is_the_default_at_a_terminal(moved: Program) -> None:
    before = run_file(moved).read_bytes()

    done = moved.at_terminal("doctor", "--reanchor", answers="\n")

    assert (done.code, done.out.splitlines()[-1]) == (0, "1 run left as they are")
    assert run_file(moved).read_bytes() == before


def test_a_run_whose_hash_is_wrong_is_not_made_right(moved: Program) -> None:
    file = run_file(moved)
    file.write_text(file.read_text().replace('"sequence"', '"sequenz"', 1))
    before = file.read_bytes()

    done = moved("doctor", "--reanchor", "--yes", "--json")

    assert (done.data["runs"], done.data["reanchored"]) == ([], False)
    assert file.read_bytes() == before


def test_a_run_that_is_being_written_is_left_alone(moved: Program) -> None:
    (moved.cwd / ".bmad-plus/nexus/writer.lock").write_text("{}")
    before = run_file(moved).read_bytes()

    assert moved("doctor", "--reanchor", "--yes", "--json").data["runs"] == []
    assert run_file(moved).read_bytes() == before
