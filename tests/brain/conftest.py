"""Every test of the brain has one below a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    """Where a brain would stand in a home that exists; the brain itself does not yet."""
    return tmp_path / ".bmad-plus" / "brain"
