"""An initialisation that is killed, or refused, at each call that changes the disk.

After each, every file is absent or whole, what a person wrote is untouched, and one more run completes it.
Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain.files.atomic import is_temporary
from tests.faults.strace import (
    ERRORS,
    KILL,
    Call,
    needs_strace,
    record,
    run,
    run_with_fault,
    sample,
    skip_unless_allowed,
)

MINE = b"### 2026-01-01 \xe2\x80\x94 mine\r\nno newline"

pytestmark = needs_strace


def command(root: Path) -> list[str]:
    return [sys.executable, "-m", "tests.brain.initialiser", str(root / "shop"), str(root / "user")]


def lay_out(root: Path) -> Path:
    """A project in which a person has written a decision, and a home without a brain."""
    (root / "user").mkdir(parents=True)
    memory = root / "shop" / ".agents" / "memory"
    memory.mkdir(parents=True)
    (memory / "decisions.md").write_bytes(MINE)
    return root


def files(root: Path) -> dict[str, bytes]:
    """Every file but temporary ones; the place of the trial is taken out of their bytes."""
    return {
        str(path.relative_to(root)): path.read_bytes().replace(os.fsencode(root), b"/root")
        for path in sorted(root.rglob("*"))
        if path.is_file() and not is_temporary(path.name)
    }


class Scene:
    """The clean run, and the calls in it that may change the disk."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._trials = 0
        clean = lay_out(home / "clean")
        done, self.calls = record(command(clean), clean, [str(clean)])
        assert (done.returncode, done.stderr) == (0, "")
        self.whole = files(clean)

    def trial(self, call: Call, fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        root = lay_out(self._home / f"trial-{self._trials}")
        return root, run_with_fault(command(root), root, call, fault)

    def check(self, root: Path) -> None:
        for name, data in files(root).items():
            assert data == self.whole[name], name
        healed = run(command(root), root)
        assert (healed.returncode, healed.stderr) == (0, "")
        assert files(root) == self.whole


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    skip_unless_allowed()
    return Scene(tmp_path_factory.mktemp("faults"))


def test_the_recorded_run_has_calls_to_try(scene: Scene) -> None:
    assert {"openat", "write", "fsync", "linkat", "mkdir"} <= {name for name, _ in scene.calls}
    assert len(scene.calls) > 40
    assert scene.whole["shop/.agents/memory/decisions.md"] == MINE


def test_killed_at_any_call_each_file_is_absent_or_whole_and_the_next_run_completes(
    scene: Scene, full: bool
) -> None:
    for call in sample(scene.calls, full, 8):
        root, done = scene.trial(call, KILL)
        assert done.returncode in (-9, 137), (call, done)
        scene.check(root)


def test_refused_at_any_call_it_says_so_and_the_next_run_completes(scene: Scene, full: bool) -> None:
    for number, call in enumerate(sample(scene.calls, full, 10)):
        for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
            root, done = scene.trial(call, f"error={error}")
            assert "Traceback" not in done.stderr, (call, error, done.stderr)
            assert done.returncode in (0, 1, 3), (call, error, done)
            scene.check(root)
