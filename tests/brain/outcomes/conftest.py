"""Every test of the outcomes has a project of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.brain.outcomes.nexus_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
