"""An initialisation that is killed, or refused, at each call that changes the disk.

After each, every file is absent or whole, what a person wrote is untouched, and one more run completes it.
Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from brain.files.atomic import is_temporary

TOP = Path(__file__).parents[2]
CALLS = "openat,write,fsync,rename,link,linkat,unlink,mkdir,chmod,fchmod,flock"
ERRORS = ("ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT", "EMFILE", "ENOMEM")
STRACE = ["strace", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none"]
MINE = b"### 2026-01-01 \xe2\x80\x94 mine\r\nno newline"

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")


def run(root: Path, *options: str, traced: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.brain.initialiser", str(root / "shop"), str(root / "user")]
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*STRACE, *options, *command] if traced else command,
        cwd=TOP,
        env=environment | {"HOME": str(root / "user"), "PYTHONHASHSEED": "0"},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


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
        done = run(clean, "-o", str(home / "trace"))
        assert (done.returncode, done.stderr) == (0, "")
        self.whole = files(clean)
        self.calls = self._calls((home / "trace").read_text(errors="replace"), str(clean))

    @staticmethod
    def _calls(trace: str, root: str) -> list[tuple[str, int]]:
        counts: Counter[str] = Counter()
        found: list[tuple[str, int]] = []
        begun = False
        for line in trace.split("\n"):
            if not (call := re.match(r"(?:\d+ +)?(\w+)\(", line)):
                continue
            counts[call[1]] += 1
            begun = begun or root in line
            if begun and (call[1] != "openat" or root in line):
                found.append((call[1], counts[call[1]]))
        return found

    def trial(self, call: tuple[str, int], fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        root = lay_out(self._home / f"trial-{self._trials}")
        return root, run(root, "-o", os.devnull, "-e", f"inject={call[0]}:{fault}:when={call[1]}")

    def check(self, root: Path) -> None:
        for name, data in files(root).items():
            assert data == self.whole[name], name
        healed = run(root, traced=False)
        assert (healed.returncode, healed.stderr) == (0, "")
        assert files(root) == self.whole

    def sample(self, full: bool, size: int) -> list[tuple[str, int]]:
        count = len(self.calls)
        return self.calls if full else [self.calls[number * count // size] for number in range(size)]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    probe = subprocess.run([*STRACE, "-o", os.devnull, "true"], check=False, capture_output=True, timeout=60)
    if probe.returncode:
        pytest.skip("strace may not trace here")
    return Scene(tmp_path_factory.mktemp("faults"))


def test_the_recorded_run_has_calls_to_try(scene: Scene) -> None:
    assert {"openat", "write", "fsync", "linkat", "mkdir"} <= {name for name, _ in scene.calls}
    assert len(scene.calls) > 40
    assert scene.whole["shop/.agents/memory/decisions.md"] == MINE


def test_killed_at_any_call_each_file_is_absent_or_whole_and_the_next_run_completes(
    scene: Scene, full: bool
) -> None:
    for call in scene.sample(full, 8):
        root, done = scene.trial(call, "signal=KILL")
        assert done.returncode in (-9, 137), (call, done)
        scene.check(root)


def test_refused_at_any_call_it_says_so_and_the_next_run_completes(scene: Scene, full: bool) -> None:
    for number, call in enumerate(scene.sample(full, 10)):
        for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
            root, done = scene.trial(call, f"error={error}")
            assert "Traceback" not in done.stderr, (call, error, done.stderr)
            assert done.returncode in (0, 1, 3), (call, error, done)
            scene.check(root)
