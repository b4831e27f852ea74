"""A fact is remembered, forgotten, edited while the writer is killed, or refused, at each call to the disk.

After each, the file is the old or the new one, what was acknowledged is there, and one more run reaches what
the clean run reached, with the fact once. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.faults.scene import Scene
from tests.faults.strace import needs_strace, skip_unless_allowed

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


class RememberScene(Scene):
    """A fact is kept, forgotten or edited; ``create`` begins with nothing."""

    def command(self, root: Path) -> list[str]:
        return [sys.executable, "-c", WRITER, self.kind, str(root)]

    def lay_out(self, root: Path) -> None:
        if self.kind != "create":
            notes = root / ".agents" / "memory" / "notes"
            notes.mkdir(parents=True)
            (notes / "looks.md").write_bytes(MINE)

    def files(self, root: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not re.fullmatch(r"\..+\.md\.\d+\.[0-9a-f]{8}\.tmp", path.name)
        }


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {kind: RememberScene(home, kind) for kind in KINDS}


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
    scenes[kind].check_killed(full, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_refused_at_any_call_it_says_so_in_one_line_and_what_it_says_is_true(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    for tried, root, done in scenes[kind].refused(full, 4):
        assert done.stderr.count("\n") == done.returncode, (tried, done.stderr)
        if done.returncode and "stored, but not confirmed" not in done.stderr:
            assert scenes[kind].files(root) == scenes[kind].old, tried
