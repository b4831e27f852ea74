"""Faults at the system call: the writer is killed, or refused, at each call that changes the disk.

A clean run is recorded with strace; then the same run is repeated, each time with another one of its calls
killed or failing. After each, every file is the old or the new one, and one more run reaches what the clean
run reached. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from brain.files.atomic import is_temporary
from tests.brain import bmad
from tests.brain.brains import ROOT, card_path, put_card
from tests.faults.strace import (
    ERRORS,
    KILL,
    TOP,
    Call,
    environment,
    needs_strace,
    record,
    run,
    run_with_fault,
    sample,
    skip_unless_allowed,
)

ONE_LINE = "(cannot write|stored, but not confirmed to be durable:)"

pytestmark = needs_strace


def command(brain: Path) -> list[str]:
    mode = "moved" if brain.parent.parent.name.startswith("moved") else "once"
    return [sys.executable, "-m", "tests.brain.writer", mode, str(brain), "paused"]


def lay_out(home: Path, name: str) -> Path:
    """A home in which one indexing has much to do; ``fresh`` has no brain yet, in ``moved`` projects move."""
    brain = home / name / ".bmad-plus" / "brain"
    brain.parent.parent.mkdir(parents=True)
    if "fresh" in name:
        return brain
    if "moved" in name:
        return lay_out_moved(brain)
    card = bmad.scan_card(f"{ROOT}/a", notes="mine") + b"\n# mine\n"
    put_card(brain, card, f"{ROOT}/a")
    put_card(brain, bmad.install_card(f"{ROOT}/b"), f"{ROOT}/b")
    put_card(brain, b"\x00garbage", f"{ROOT}/c")
    (brain / "projects-index.md").write_bytes(
        bmad.index([("active", "a", "Go", False, f"{ROOT}/a")], "2026-11-01") + b"\nMy own words.\n"
    )
    return brain


def lay_out_moved(brain: Path) -> Path:
    """Two cards with words of a person, whose projects are found elsewhere."""
    paths = [f"{ROOT}/old/{name}" for name in ("a", "b")]
    for path in paths:
        name = path[-1]
        card = bmad.scan_card(
            path, root_commit=name * 40, inode=f"8:{ord(name)}", id=name, notes=f"words of {name}"
        )
        put_card(brain, card + f"\n# more of {name}\n".encode(), path)
    rows = [("active", path[-1], "Go", False, path) for path in paths]
    (brain / "projects-index.md").write_bytes(bmad.index(rows, "2026-11-01") + b"\nMy own words.\n")
    return brain


def files(brain: Path) -> dict[str, bytes]:
    """Every file of the brain but the lock and temporary files."""
    return {
        str(path.relative_to(brain)): path.read_bytes()
        for path in sorted(brain.rglob("*"))
        if path.is_file() and path.name != ".zecher.lock" and not is_temporary(path.name)
    }


class Scene:
    """A way to begin, the clean run from there, and the calls in it."""

    def __init__(self, home: Path, kind: str) -> None:
        self.kind = kind
        self._home = home
        self._trials = 0
        brain = lay_out(home, f"{kind}-clean")
        self.old = files(brain)
        place = brain.parent.parent
        done, self.calls = record(command(brain), place, [str(place)])
        assert done.returncode in (0, 3), done.stderr
        self.new = files(brain)

    def trial(self, call: Call, fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        brain = lay_out(self._home, f"{self.kind}-{self._trials}")
        return brain, run_with_fault(command(brain), brain.parent.parent, call, fault)

    def check(self, brain: Path) -> None:
        """Every file is the old or the new one, and none is missing that was there; then it heals.

        While a card cannot be read the page may lack its row; the page is whole and the next run adds it.
        """
        now = files(brain)
        for name in now:
            if self.kind == "moved" and (now[name] in self.old.values() or b'"new-' in now[name]):
                # It has its new name already and not yet its new content; or the old card could not be read,
                # and the project has a plain new one for now.
                assert name.startswith("projects/") or now[name] == self.old[name]
                continue
            if now[name] not in (self.old.get(name), self.new.get(name)):
                assert name == "projects-index.md"
                page, _, words = now[name].partition(b"\nMy own words.\n")
                assert bmad.check_index(page).total >= len(self.new) - 3
                assert words == b""
        for name, data in self.old.items():
            assert name in now or data in now.values() or self._moved(data, now), name
        healed = run(command(brain), brain.parent.parent)
        assert "Traceback" not in healed.stderr
        after = files(brain)
        assert {name: after.get(name) for name in self.new} == self.new
        assert set(after) == set(self.new)

    def _moved(self, card: bytes, now: dict[str, bytes]) -> bool:
        """Whether all that a person wrote in ``card`` stands in another file that is whole and new."""
        words = [line for line in card.split(b"\n") if line.startswith((b"id", b"notes", b"#"))]
        assert len(words) == 3
        return any(
            data == self.new.get(name) and all(word in data for word in words) for name, data in now.items()
        )


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {kind: Scene(home, kind) for kind in ("fresh", "lived", "moved")}


@pytest.mark.parametrize("kind", ["fresh", "lived", "moved"])
def test_a_recorded_run_has_calls_to_try(scenes: dict[str, Scene], kind: str) -> None:
    names = {name for name, _ in scenes[kind].calls}
    written = {"fresh": "linkat", "lived": "rename", "moved": "unlink"}[kind]
    assert {"openat", "write", "fsync", "fchmod", written} <= names
    assert len(scenes[kind].calls) > 20


@pytest.mark.parametrize("kind", ["fresh", "lived", "moved"])
def test_killed_at_any_call_the_brain_is_old_or_new_and_heals(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    for call in sample(scene.calls, full, 8):
        brain, done = scene.trial(call, KILL)
        assert done.returncode in (-9, 137), (call, done)
        scene.check(brain)


@pytest.mark.parametrize("kind", ["fresh", "lived", "moved"])
def test_refused_at_any_call_the_brain_is_old_or_new_and_says_so_in_one_line(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    number = 0
    for call in sample(scene.calls, full, 8):
        for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
            number += 1
            brain, done = scene.trial(call, f"error={error}")
            assert "Traceback" not in done.stderr, (call, error, done.stderr)
            if done.returncode == 1:
                assert re.fullmatch(rf"{ONE_LINE} /.*: .+\n", done.stderr)
            else:
                assert done.returncode in (0, 3), (call, error, done)
            scene.check(brain)


def _old_or_new(scene: Scene, now: dict[str, bytes]) -> None:
    for name, data in now.items():
        assert data in (scene.old.get(name), scene.new.get(name)), name
    for name, data in scene.old.items():
        assert name in now or data in now.values(), name


@pytest.mark.parametrize("blocks", [0, 1])
def test_a_limit_on_file_size_leaves_the_old(scenes: dict[str, Scene], tmp_path: Path, blocks: int) -> None:
    scene = scenes["lived"]
    brain = lay_out(tmp_path, "lived")
    done = subprocess.run(
        ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *command(brain)],
        cwd=TOP, env=environment(tmp_path), check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "File too large" in done.stderr
    assert files(brain) == scene.old


@pytest.mark.parametrize("pages", range(5, 12))
def test_a_disk_that_is_full_leaves_the_old_or_stores_all(
    scenes: dict[str, Scene], tmp_path: Path, pages: int
) -> None:
    """A real full disk: a small one of its own in a mount namespace, copied out afterwards."""
    scene = scenes["lived"]
    lay_out(tmp_path, "lived")
    (tmp_path / "disk").mkdir()
    script = (
        f'mount -t tmpfs -o size={pages * 4}k none "$1/disk" && cp -a "$1/lived" "$1/disk" || exit 99\n'
        'shift; "$@"; code=$?; cp -a "$0/disk/lived" "$0/after"; exit $code'
    )
    brain = tmp_path / "disk" / "lived" / ".bmad-plus" / "brain"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, str(tmp_path), str(tmp_path), *command(brain)],
        cwd=TOP, env=environment(tmp_path), check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("no disk of its own here")
    after = files(tmp_path / "after" / ".bmad-plus" / "brain")
    if done.returncode == 1:
        assert re.fullmatch(r"cannot write /.*: No space left on device\n", done.stderr)
        _old_or_new(scene, after)
    else:
        assert done.returncode == 3, done.stderr
        assert after == scene.new


def test_a_refusal_that_lasts_leaves_the_old_and_no_temporary_file(scenes: dict[str, Scene]) -> None:
    scene = scenes["lived"]
    first = next(nth for name, nth in scene.calls if name == "fsync")
    brain, done = scene.trial(("fsync", first), "error=ENOSPC")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr
    assert files(brain) == scene.old
    assert [path.name for path in brain.rglob("*.tmp")] == []
    assert card_path(brain, f"{ROOT}/a").exists()
