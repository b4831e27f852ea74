"""A fact is remembered, forgotten, edited while the writer is killed, or refused, at each call to the disk.

After each, the file is the old or the new one, what was acknowledged is there, and one more run reaches what
the clean run reached, with the fact once. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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

MINE = (
    b"---\r\ntitle: Looks # mine\r\n---\r\n\r\nmine \xff <!-- zecher: 2026-01-01 abcd -->\r\n\r\nno newline"
)
WRITER = """
import sys
from brain.files.errors import LockedError, WriteError
from brain.remember.edit import edit, locate
from brain.remember.errors import RememberError
from brain.remember.forget import forget
from brain.remember.places import project_places
from brain.remember.remember import remember
kind, base = sys.argv[1:]
places, now = project_places(base), 1796008624.0
try:
    if kind in ("create", "append"):
        remember(places, "a new fact", category="looks", summary="all", now=now, wait=1.0)
    elif kind == "forget":
        forget(places, "abcd", now=now, wait=1.0)
    else:
        edit(locate(places, "looks", base), "replace", "edited", now=now, wait=1.0)
except (LockedError, RememberError, WriteError) as error:
    sys.exit(str(error))
"""
KINDS = ["create", "append", "forget", "edit"]

pytestmark = needs_strace


def command(root: Path, kind: str) -> list[str]:
    return [sys.executable, "-c", WRITER, kind, str(root)]


def files(root: Path) -> dict[str, bytes]:
    """Every file but temporary ones."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not re.fullmatch(r"\..+\.md\.\d+\.[0-9a-f]{8}\.tmp", path.name)
    }


class Scene:
    """A clean run, and the calls in it that may change the disk; ``create`` begins with nothing."""

    def __init__(self, home: Path, kind: str) -> None:
        self.kind = kind
        self._home = home
        self._trials = 0
        clean = self._lay_out("clean")
        self.old = files(clean)
        done, self.calls = record(command(clean, kind), clean, [str(clean)])
        assert (done.returncode, done.stderr) == (0, "")
        self.new = files(clean)

    def _lay_out(self, name: str) -> Path:
        root = self._home / f"{self.kind}-{name}"
        root.mkdir()
        if self.kind != "create":
            notes = root / ".agents" / "memory" / "notes"
            notes.mkdir(parents=True)
            (notes / "looks.md").write_bytes(MINE)
        return root

    def trial(self, call: Call, fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        root = self._lay_out(str(self._trials))
        return root, run_with_fault(command(root, self.kind), root, call, fault)

    def check(self, root: Path, *, acknowledged: bool) -> None:
        assert files(root) in ([self.new] if acknowledged else [self.old, self.new])
        healed = run(command(root, self.kind), root)
        assert (healed.returncode, healed.stderr) == (0, "")
        assert files(root) == self.new


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {kind: Scene(home, kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_recorded_run_has_calls_to_try(scenes: dict[str, Scene], kind: str) -> None:
    scene = scenes[kind]
    names = {name for name, _ in scene.calls}
    assert {"openat", "write", "fsync", "fchmod", "flock"} <= names
    assert names & {"rename", "link", "linkat"}
    assert scene.old != scene.new


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_call_the_file_is_old_or_new_and_the_next_run_ends_the_same(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    for call in sample(scene.calls, full, 4):
        root, done = scene.trial(call, KILL)
        assert done.returncode in (-9, 137), (call, done)
        scene.check(root, acknowledged=False)


@pytest.mark.parametrize("kind", KINDS)
def test_refused_at_any_call_it_says_so_in_one_line_and_what_it_says_is_true(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    for number, call in enumerate(sample(scene.calls, full, 4)):
        for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
            root, done = scene.trial(call, f"error={error}")
            assert done.returncode in (0, 1), (call, error, done)
            assert done.stderr.count("\n") == done.returncode, (call, error, done.stderr)
            assert "Traceback" not in done.stderr
            if done.returncode and "stored, but not confirmed" not in done.stderr:
                assert files(root) == scene.old, (call, error)
            scene.check(root, acknowledged=not done.returncode)
