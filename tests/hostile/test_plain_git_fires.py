"""Every vector harms plain git: without this half, silence under our own commands would prove nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.hostile.conftest import Workshop
from tests.hostile.plain_git import HANG, git, git_at_terminal, version
from tests.hostile.vectors import HANGERS, PROGRAMS, READERS, Ground, Vector


def _names(vectors: tuple[Vector, ...]) -> list[str]:
    return [vector.name for vector in vectors]


def _require(fired: bool, vector: Vector) -> None:
    """The git that was measured (2.39) must fire; another one may have been hardened since."""
    if not fired and version()[:2] != (2, 39):
        pytest.skip(f"git {'.'.join(map(str, version()))} no longer falls for {vector.name}")
    assert fired, f"plain git did not fall for {vector.name}: the vector proves nothing"


def _provoke(vector: Vector, ground: Ground) -> bytes:
    """The output of all provoking commands."""
    said = b""
    for words in vector.provoke:
        if words[0] == "at a terminal":
            said += git_at_terminal(*words[1:], cwd=ground.repository)
        else:
            done = git(*words, cwd=ground.repository, check=False, stdin=vector.stdin)
            said += done.stdout
    return said


@pytest.mark.parametrize("vector", PROGRAMS, ids=_names(PROGRAMS))
def test_plain_git_starts_the_planted_program(vector: Vector, workshop: Workshop, tmp_path: Path) -> None:
    ground = workshop.plant(vector, tmp_path / "root", tmp_path / "marks")

    _provoke(vector, ground)

    _require((ground.marks / vector.name).exists(), vector)


@pytest.mark.parametrize("vector", READERS, ids=_names(READERS))
def test_plain_git_prints_what_the_repository_planted(
    vector: Vector, workshop: Workshop, tmp_path: Path
) -> None:
    ground = workshop.plant(vector, tmp_path / "root", tmp_path / "marks")
    if not vector.provoke:
        pytest.skip(vector.because)

    said = _provoke(vector, ground)

    _require(vector.word in said, vector)


@pytest.mark.parametrize("vector", HANGERS, ids=_names(HANGERS))
def test_plain_git_waits_for_ever(vector: Vector, workshop: Workshop, tmp_path: Path) -> None:
    ground = workshop.plant(vector, tmp_path / "root", tmp_path / "marks")

    hung = False
    try:
        git(*vector.provoke[0], cwd=ground.repository, check=False, timeout=HANG)
    except subprocess.TimeoutExpired:
        hung = True

    _require(hung, vector)
