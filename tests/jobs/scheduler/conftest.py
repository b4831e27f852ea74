"""A machine of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.scheduler.tools import Tools


@pytest.fixture
def tools(tmp_path: Path, home: Path) -> Tools:
    """No program at all, and nothing running but the first process."""
    folder = tmp_path / "machine"
    folder.mkdir()
    made = Tools(folder, home)
    made.run_process(1, "systemd")
    return made
