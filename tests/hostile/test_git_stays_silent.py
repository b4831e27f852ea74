"""With ``--git`` the real git runs on what was planted: it starts nothing, writes nothing, never hangs.

That each vector fires under plain git is shown by ``test_plain_git_fires``.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.git_program import GitProgram, ask_git, find_git
from scanner.project import Activity, Problem, Project, Stacks, Status
from tests.hostile.command import Zecher
from tests.hostile.conftest import Workshop
from tests.hostile.tracing import differences, picture
from tests.hostile.vectors import HANGERS, PROGRAMS, SECRET, VECTORS, Vector

SECONDS = 0.6
PATIENCE = 20.0
"""For a git that answers, on a machine that is busy with other things as well."""


@dataclass(frozen=True)
class Asked:
    """What became of all vectors: the programs that ran, what changed on disk, how long each took."""

    fired: frozenset[str]
    touched: tuple[bytes, ...]
    answered: frozenset[str]
    seconds: dict[str, float]
    problems: tuple[Problem, ...]


@pytest.fixture(scope="module")
def asked(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    base = tmp_path_factory.mktemp("asked")
    root, marks = base / "root", base / "marks"
    for vector in VECTORS:
        workshop.plant(vector, root, marks)
    for mark in marks.iterdir():
        mark.unlink()
    before = picture(root)
    git = find_git(os.environ)
    answered: set[str] = set()
    seconds: dict[str, float] = {}
    problems: list[Problem] = []
    for vector in VECTORS:
        start = time.monotonic()
        program = GitProgram(git, seconds=SECONDS if vector in HANGERS else PATIENCE)
        told, complaints = ask_git(_project(root / vector.name), program, [str(root)])
        seconds[vector.name] = time.monotonic() - start
        problems += complaints
        if told is not None:
            answered.add(vector.name)
    fired = frozenset(mark.name for mark in marks.iterdir())
    touched = tuple(differences(before, picture(root)))
    return Asked(fired, touched, frozenset(answered), seconds, tuple(problems))


def _project(path: Path) -> Project:
    status = Status("active", "")
    return Project(
        str(path), path.name, Stacks(), Activity(), status, None, has_git=True, bmad_installed=False
    )


def test_nothing_that_was_planted_runs(asked: Asked) -> None:
    assert asked.fired == frozenset()


def test_nothing_is_written_or_locked(asked: Asked) -> None:
    assert asked.touched == ()


def test_most_repositories_are_answered_for_all_that(asked: Asked) -> None:
    # Without this half, a git that is never started would be as silent.
    assert len(asked.answered & {vector.name for vector in PROGRAMS}) >= len(PROGRAMS) - 6
    assert {"fsmonitor", "filter-clean", "filter-process", "hooks-path"} <= asked.answered


@pytest.mark.parametrize("vector", HANGERS, ids=lambda vector: vector.name)
def test_a_git_that_would_wait_for_ever_is_ended(asked: Asked, vector: Vector) -> None:
    assert asked.seconds[vector.name] < SECONDS + 30


def test_what_was_not_answered_is_told(asked: Asked) -> None:
    told = {os.path.basename(problem.path) for problem in asked.problems}

    assert {vector.name for vector in VECTORS} - asked.answered <= told


# -- whole processes ----------------------------------------------------------------------------------------


class _WithGit(Zecher):
    """The same sentinels on the path, behind the real git."""

    def environment(self) -> dict[str, str]:
        found = super().environment()
        return found | {"PATH": f"{os.path.dirname(find_git(os.environ))}:{found['PATH']}"}


@pytest.mark.parametrize("kind", [Zecher, _WithGit], ids=["own", "git"])
def test_the_status_of_what_was_planted_runs_prints_and_changes_nothing(
    workshop: Workshop, tmp_path: Path, kind: type[Zecher]
) -> None:
    root, marks = tmp_path / "root", tmp_path / "marks"
    # Those that hang cost five seconds each here; the test above has them.
    for vector in VECTORS:
        if vector not in HANGERS:
            workshop.plant(vector, root, marks)
    zecher = kind(tmp_path, marks)
    assert zecher("scan", str(root), "--yes", "--json").code == 0
    for mark in marks.iterdir():
        mark.unlink()
    before = picture(root)
    more = ["--git"] if kind is _WithGit else []

    runs = [zecher("status", *more, "--json"), zecher("status", "-v", *more)]

    assert list(marks.iterdir()) == []
    assert list(differences(before, picture(root))) == []
    for run in runs:
        assert run.code in (0, 3)
        assert SECRET.encode() not in run.out + run.err
    assert runs[0].document()["data"]["portfolio"]["projects"] >= len(PROGRAMS)
