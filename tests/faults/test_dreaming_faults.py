"""A promotion that is killed, or refused, at each call that changes the disk (G44), and its taking back.

After each, MEMORY.md and the archive hold their old or their new content, what leaves one of them is in the
other, and the run can be taken back, or has not begun. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from brain.dreaming.memory_file import items_of
from brain.files.atomic import is_temporary, leftovers
from jobs.dreaming_state import WorkspaceState, fates, read_archive
from jobs.dreaming_undo import find_run, undo
from jobs.dreaming_writing import kept, locked
from tests.faults.scene import Scene
from tests.faults.strace import needs_strace, run, skip_unless_allowed

MEMORY = b"\xef\xbb\xbf# Mine\r\n\r\n- \xff likes tea\r\nno end"
OLD, NEW = "000000000001", "000000000002"
FIRST, SECOND = "20261130T031704Z-1", "20261201T031704Z-1"
WORKER = """
import sys
from brain.dreaming.memory_file import Promotion
from jobs.dreaming_state import WorkspaceState
from jobs.dreaming_undo import find_run, undo
from jobs.dreaming_writing import Wanted, locked, write
from jobs.errors import ExpectedError
mode, root = sys.argv[1:]
base, state = root + "/state/zecher", WorkspaceState(root + "/state/zecher", root + "/claw")

def promote(number, day, expired, now):
    one = Promotion(f"{number:012x}", f"Fact number {number}", "score=0.8")
    wanted = Wanted((one,), day, 10000, frozenset(expired))
    write(state, base, wanted, when=day + "T03:17:04Z", now=now)

try:
    with locked(state):
        if mode == "undo":
            kept = find_run(base, "20261201T031704Z-1")
            undo(state, base, kept, when="2026-12-02T00:00:00Z", day="2026-12-02", budget=10000)
        elif mode == "first":
            promote(1, "2026-11-30", (), 1796008624.0)
        else:
            promote(2, "2026-12-01", ("000000000001",), 1796095024.0)
except ExpectedError as error:
    sys.exit(f"{error.what}: {error.why}")
"""

pytestmark = needs_strace


def command(root: Path, mode: str) -> list[str]:
    return [sys.executable, "-c", WORKER, mode, str(root)]


def state_of(root: Path) -> WorkspaceState:
    return WorkspaceState(str(root / "state/zecher"), str(root / "claw"))


def lay_out(root: Path, *modes: str) -> None:
    (root / "claw").mkdir()
    (root / "claw" / "MEMORY.md").write_bytes(MEMORY)
    for mode in modes:
        done = run(command(root, mode), root)
        assert (done.returncode, done.stderr) == (0, "")


class DreamingScene(Scene):
    """Something is promoted and something archived, or that is taken back: ``apply`` or ``undo``."""

    def command(self, root: Path) -> list[str]:
        return command(root, self.kind)

    def lay_out(self, root: Path) -> None:
        lay_out(root, *(("first",) if self.kind == "apply" else ("first", "apply")))

    def files(self, root: Path) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes()
            for path in sorted((root / "claw").rglob("*"))
            if path.is_file() and not path.name.endswith(".tmp") and not is_temporary(path.name)
        }

    def places(self, root: Path) -> list[str]:
        return [str(root / "claw"), str(root / "state")]

    def check(self, root: Path, *, acknowledged: bool) -> None:
        held = self.files(root)
        for name in {*self.old, *self.new, *held}:
            choices = [self.new.get(name)] if acknowledged else [self.old.get(name), self.new.get(name)]
            assert held.get(name) in choices, name
        claw = root / "claw"
        archived = {one.id for data in read_archive(str(claw)) for one in items_of(data)}
        assert OLD in {one.id for one in items_of(held["MEMORY.md"])} | archived
        first = self.old if self.kind == "apply" else self.new
        runs, problems = kept(str(root / "state/zecher")).runs()
        assert problems == ()
        if SECOND in {one.name for one in runs}:
            state = state_of(root)
            with locked(state):
                undo(
                    state,
                    str(root / "state/zecher"),
                    find_run(str(root / "state/zecher"), SECOND),
                    when="2026-12-03T00:00:00Z",
                    day="2026-12-03",
                    budget=10_000,
                )
        else:
            assert held == first
        assert self.files(root) == first
        assert fates(state_of(root).history(), first["MEMORY.md"], (), "2026-12-03")[OLD] == ""
        assert all(pid for _, pid in leftovers(str(claw), r"[^/]+\.md"))


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {mode: DreamingScene(home, mode) for mode in ("apply", "undo")}


@pytest.mark.parametrize("mode", ["apply", "undo"])
def test_the_recorded_run_has_calls_to_try(scenes: dict[str, Scene], mode: str) -> None:
    scene = scenes[mode]
    assert {"openat", "write", "fsync", "fchmod", "flock", "rename"} <= {name for name, _ in scene.calls}
    assert len(scene.calls) > 20
    assert scene.old["MEMORY.md"] != scene.new["MEMORY.md"]
    assert ("promoted-2026.md" in scene.new) == (mode == "apply")


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
