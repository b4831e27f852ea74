"""A stop in the middle of publishing, on a disk on which every new name takes its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.strace import STRACE, TOP, environment, needs_strace, skip_unless_allowed
from tests.support import write

pytestmark = needs_strace

COUNT = 45
SLOW = "linkat:delay_enter=500000"
"""Longer for all cards together than the fifteen seconds after which a run is ended by force."""


def test_a_stop_after_the_first_card_still_publishes_all_cards_and_their_page(
    tmp_path: Path, full: bool
) -> None:
    if not full:
        pytest.skip("takes half a minute: --full")
    skip_unless_allowed()
    for number in range(COUNT):
        write(tmp_path / "dev" / f"p{number:02d}" / "go.mod", "module p\n")
    write(tmp_path / ".config" / "zecher" / "config.toml", '[scan]\nroots = ["~/dev"]\n')
    (tmp_path / ".config" / "zecher" / "config.toml").chmod(0o600)
    cards = tmp_path / ".bmad-plus" / "brain" / "projects"
    program = [sys.executable, "-m", "jobs.cli", "run", "nightly", "--force", "--json"]
    running = subprocess.Popen(
        [*STRACE, "-o", str(tmp_path / "trace"), "-e", f"inject={SLOW}", *program],
        cwd=TOP, env=environment(tmp_path), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(cards.glob("*.yaml")):
        assert running.poll() is None
        time.sleep(0.05)
    started = len(list(cards.glob("*.yaml")))

    child = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0]
    os.kill(int(child), signal.SIGTERM)
    said, _ = running.communicate(timeout=120)

    assert started < 10
    assert json.loads(said)["data"]["outcome"] in ("ok", "failed")
    assert len(list(cards.glob("*.yaml"))) == COUNT
    assert (cards.parent / "projects-index.md").read_text().count("| p") >= COUNT
    assert list(cards.parent.rglob("*.tmp")) == []
