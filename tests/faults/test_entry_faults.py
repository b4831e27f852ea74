"""An entry is added while the writer is killed, or refused, at each call that changes the disk.

After each, the file is the old or the new one, an acknowledged entry is there, and one more run reaches what
the clean run reached, with the entry once. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from brain.files.atomic import is_temporary
from tests.faults.scene import Scene
from tests.faults.strace import needs_strace, skip_unless_allowed

MINE = b"# D\r\n\r\n### 2026-01-01 \xe2\x80\x94 mine\r\n- **Context**: \xff\r\n\r\n## Meta\r\nno newline"
ADDER = """
import sys
from brain.entries.add import add_entry
from brain.entries.errors import DuplicateError, EntryError
from brain.files.errors import LockedError, WriteError
folder, kind, base = sys.argv[1:]
try:
    add_entry(folder, kind, "new", {"context": "c"}, now=1796008624.0, base=base, project="shop", wait=1.0)
except DuplicateError:
    print("stands there already")
except (EntryError, LockedError, WriteError) as error:
    sys.exit(str(error))
"""

pytestmark = needs_strace


class AddScene(Scene):
    """An entry is added.

    ``decisions`` has a file that a person wrote; ``lessons`` begins without the folder.
    """

    def command(self, root: Path) -> list[str]:
        return [sys.executable, "-c", ADDER, str(root / ".agents" / "memory"), self.kind, str(root)]

    def lay_out(self, root: Path) -> None:
        if self.kind == "decisions":
            memory = root / ".agents" / "memory"
            memory.mkdir(parents=True)
            (memory / "decisions.md").write_bytes(MINE)

    def files(self, root: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not is_temporary(path.name)
        }


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {kind: AddScene(home, kind) for kind in ("decisions", "lessons")}


@pytest.mark.parametrize("kind", ["decisions", "lessons"])
def test_the_recorded_run_has_calls_to_try(scenes: dict[str, Scene], kind: str) -> None:
    scene = scenes[kind]
    names = {name for name, _ in scene.calls}
    assert {"openat", "write", "fsync", "fchmod", "flock"} <= names
    assert names & {"rename", "link", "linkat"}
    assert scene.old != scene.new


@pytest.mark.parametrize("kind", ["decisions", "lessons"])
def test_killed_at_any_call_the_file_is_old_or_new_and_the_next_run_adds_it_once(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scenes[kind].check_killed(full, 6)


@pytest.mark.parametrize("kind", ["decisions", "lessons"])
def test_refused_at_any_call_it_says_so_in_one_line_and_what_it_says_is_true(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    for tried, root, done in scenes[kind].refused(full, 6):
        assert done.stderr.count("\n") == done.returncode, (tried, done.stderr)
        if done.returncode and "stored, but not confirmed" not in done.stderr:
            assert scenes[kind].files(root) == scenes[kind].old, tried
