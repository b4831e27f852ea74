"""What every hostile test stands on: one template repository, one place outside all roots."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.plain_git import Template
from tests.hostile.vectors import Ground, Outside, Vector, write_program


class Workshop:
    """Plants vectors: each with its own program, all with the same outside."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.template = Template(base / "template")
        self.outside = Outside(base / "beyond", self.template)

    def plant(self, vector: Vector, root: Path, marks: Path) -> Ground:
        """One repository with ``vector`` below ``root``; started programs leave their name in ``marks``."""
        programs = marks.with_name(marks.name + "-programs")
        marks.mkdir(parents=True, exist_ok=True)
        programs.mkdir(parents=True, exist_ok=True)
        ground = Ground(
            repository=self.template.copy(root / vector.name),
            program=write_program(programs, marks, vector.name),
            marks=marks,
            outside=self.outside,
            head=self.template.head,
        )
        vector.plant(ground)
        return ground


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The template and the outside, built once."""
    return Workshop(tmp_path_factory.mktemp("workshop"))
