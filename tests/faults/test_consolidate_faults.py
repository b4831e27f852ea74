"""A consolidation that is killed, or refused, at each call that changes the disk.

After each, every file of notes is the old or the new one, and the run can be taken back to the old ones, or
has not begun. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from brain.files.atomic import is_temporary
from jobs.consolidate import undo
from jobs.consolidation_runs import runs
from jobs.settings import ReadSettings
from tests.faults.scene import Scene
from tests.faults.strace import needs_strace, run, skip_unless_allowed
from tests.support import NOW

RULE = b"pass the time in as a parameter and never read the clock inside of any function"
DECISIONS = (
    b"# D\r\n\r\n### 2026-01-01 \xe2\x80\x94 old\r\n- **Status**: superseded by new\r\n"
    b"- **Context**: \xff\r\n\r\n"
    b"## Meta\r\nno newline"
)
LESSONS = (
    b"### 2026-05-01 - Pin the clock in every test\n- **Lesson**: " + RULE + b"\n\n"
    b"### 2026-05-02 - In every test pin the clock\n- **Impact**: two\n- **Lesson**: " + RULE + b"\n"
)
WORKER = """
import sys
from jobs.consolidate import carry, look, project_scope, undo
from jobs.errors import ExpectedError
from jobs.settings import ReadSettings
mode, root = sys.argv[1:]
settings = ReadSettings(root + "/brain", root + "/state", root, 1796008624.0)
try:
    if mode == "apply":
        carried = carry(settings, look(settings, project_scope(settings, root + "/shop")).proposals)
        if len(carried.done) < 2:
            sys.exit("a file could not be read")
    else:
        undo(settings, "20261130T031704Z-1")
except ExpectedError as error:
    sys.exit(f"{error.what}: {error.why}")
"""

pytestmark = needs_strace


def command(root: Path, mode: str) -> list[str]:
    return [sys.executable, "-c", WORKER, mode, str(root)]


def lay_out(root: Path) -> Path:
    memory = root / "shop" / ".agents" / "memory"
    memory.mkdir(parents=True)
    (memory / "decisions.md").write_bytes(DECISIONS)
    (memory / "lessons.md").write_bytes(LESSONS)
    (root / "shop" / ".bmad" / "memory").mkdir(parents=True)
    return root


def files(root: Path) -> dict[str, bytes]:
    """Every file of notes, but temporary ones."""
    return {
        path.name: path.read_bytes()
        for path in sorted((root / "shop" / ".agents").rglob("*"))
        if path.is_file() and not is_temporary(path.name)
    }


def settings_of(root: Path) -> ReadSettings:
    return ReadSettings(str(root / "brain"), str(root / "state"), str(root), NOW)


class ConsolidateScene(Scene):
    """Notes are consolidated, or that is taken back: ``apply`` or ``undo``."""

    def command(self, root: Path) -> list[str]:
        return command(root, self.kind)

    def lay_out(self, root: Path) -> None:
        lay_out(root)
        if self.kind == "undo":
            done = run(command(root, "apply"), root)
            assert (done.returncode, done.stderr) == (0, "")

    def files(self, root: Path) -> dict[str, bytes]:
        return files(root)

    def places(self, root: Path) -> list[str]:
        return [str(root / "shop"), str(root / "state")]

    def check(self, root: Path, *, acknowledged: bool) -> None:
        """Each file old or new; then what is kept leads back to what stood there before anything was done."""
        held = files(root)
        assert set(held) == set(self.old)
        for name, data in held.items():
            assert data in ([self.new[name]] if acknowledged else [self.old[name], self.new[name]]), name
        kept, problems = runs(str(root / "state"))
        assert problems == ()
        first = self.old if self.kind == "apply" else self.new
        if not kept:
            assert held == first
        for one in kept:
            undo(settings_of(root), one.name)
        assert files(root) == first
        assert not (root / "shop" / ".bmad" / "memory" / "writer.lock").exists() or _freed(root)


def _freed(root: Path) -> bool:
    """Whether the next writer just takes the lock that a killed one left."""
    return run(command(root, "apply"), root).returncode == 0


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {mode: ConsolidateScene(home, mode) for mode in ("apply", "undo")}


@pytest.mark.parametrize("mode", ["apply", "undo"])
def test_the_recorded_run_has_calls_to_try(scenes: dict[str, Scene], mode: str) -> None:
    scene = scenes[mode]
    assert {"openat", "write", "fsync", "fchmod", "flock", "rename"} <= {name for name, _ in scene.calls}
    assert len(scene.calls) > 20
    assert all(scene.old[name] != scene.new[name] for name in ("decisions.md", "lessons.md"))


@pytest.mark.parametrize("mode", ["apply", "undo"])
def test_killed_at_any_call_each_file_is_old_or_new_and_all_can_be_taken_back(
    scenes: dict[str, Scene], mode: str, full: bool
) -> None:
    scenes[mode].check_killed(full, 8)


@pytest.mark.parametrize("mode", ["apply", "undo"])
def test_refused_at_any_call_it_says_so_and_all_can_be_taken_back(
    scenes: dict[str, Scene], mode: str, full: bool
) -> None:
    tried = [done for _, _, done in scenes[mode].refused(full, 8)]

    assert len(tried) >= 8
