"""An entry reaches its file whole and durable, or not at all; editors and other writers lose nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain.entries.add import Added, add_entry
from brain.entries.errors import DuplicateError, EntryError
from brain.entries.reader import FILE_CAP, read_entries
from brain.files import atomic
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.files.lock import FolderLock
from tests.support import DAY, NOW


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "shop"
    path.mkdir()
    return path


def memory(project: Path) -> Path:
    folder = project / ".agents" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def add_one(project: Path, title: str = "new", kind: str = "decisions", **more: float) -> Added:
    folder = os.path.join(project, ".agents", "memory")
    return add_entry(
        folder, kind, title, {"context": "c"}, now=NOW, base=str(project), project="shop", **more
    )


def titles(path: Path, kind: str = "decisions") -> list[str]:
    return [entry.title for entry in read_entries(path.read_bytes(), kind).entries]


@pytest.mark.parametrize("kind", ["decisions", "lessons", "patterns"])
def test_a_missing_file_is_made_from_its_template(project: Path, kind: str) -> None:
    added = add_one(project, kind=kind)
    path = project / ".agents" / "memory" / f"{kind}.md"
    lines = path.read_text().splitlines()
    assert added.file == str(path)
    assert lines[added.line - 1].startswith("### ")
    assert titles(path, kind) == ["new"]
    assert 'project: "shop"' in lines


def test_the_entry_has_the_day_of_universal_time(project: Path) -> None:
    add_one(project)
    assert "### 2026-11-30 — new" in (memory(project) / "decisions.md").read_text().splitlines()


def test_new_files_and_folders_are_open_to_their_owner_only(project: Path) -> None:
    before = os.umask(0)
    try:
        added = add_one(project)
    finally:
        os.umask(before)
    modes = [os.stat(path).st_mode & 0o777 for path in (added.file, memory(project), project / ".agents")]
    assert modes == [0o600, 0o700, 0o700]


def test_mode_line_ends_and_other_entries_stay_byte_for_byte(project: Path) -> None:
    path = memory(project) / "decisions.md"
    old = b"# D\r\n\r\n### 2026-01-01 - a\r\n- **Context**: \xff  \r\n\r\n### 2026-01-02 - b\r\ntext"
    path.write_bytes(old)
    path.chmod(0o640)
    add_one(project)
    new = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert new.startswith(old)
    assert new.removeprefix(old).decode() == (
        "\r\n\r\n### 2026-11-30 — new\r\n- **Context**: c\r\n- **Status**: active\r\n"
    )


def test_a_second_entry_of_the_same_name_changes_nothing(project: Path) -> None:
    path = Path(add_one(project).file)
    old, stamp = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(DuplicateError):
        add_one(project, "NEW")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (old, stamp)


def test_what_an_editor_saves_between_reading_and_replacing_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = memory(project) / "decisions.md"
    path.write_text("### 2026-01-01 — a\n")
    saves = iter(["### 2026-01-01 — a\n\n### 2026-01-02 — from the editor\n"])

    def interrupted(writes: list[atomic.Write], base: str) -> int:
        for text in saves:
            path.write_text(text)
        return atomic.replace_all(writes, base)

    monkeypatch.setattr("brain.entries.add.replace_all", interrupted)
    added = add_one(project)
    assert titles(path) == ["a", "from the editor", "new"]
    assert added.line == 5


def test_a_file_that_appears_meanwhile_is_extended(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = memory(project) / "decisions.md"

    def interrupted(writes: list[atomic.Write], base: str) -> int:
        if not path.exists():
            path.write_text("### 2026-01-01 — theirs\n")
        return atomic.replace_all(writes, base)

    monkeypatch.setattr("brain.entries.add.replace_all", interrupted)
    add_one(project)
    assert titles(path) == ["theirs", "new"]


def test_whoever_saves_without_pause_wins_and_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = memory(project) / "decisions.md"
    path.write_text("### 0\n")

    def interrupted(writes: list[atomic.Write], base: str) -> int:
        path.write_text(path.read_text() + "x\n")
        return atomic.replace_all(writes, base)

    monkeypatch.setattr("brain.entries.add.replace_all", interrupted)
    with pytest.raises(ChangedError, match=r"decisions\.md"):
        add_one(project)
    assert titles(path) == ["0"]
    assert os.listdir(memory(project)) == ["decisions.md"]


def test_links_below_the_project_are_refused_and_not_followed(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / ".agents").symlink_to(elsewhere)
    with pytest.raises(EntryError, match="symbolic link"):
        add_one(project)
    assert os.listdir(elsewhere) == []


def test_a_linked_file_is_refused_and_not_replaced(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.md"
    target.write_text("### theirs\n")
    (memory(project) / "decisions.md").symlink_to(target)
    with pytest.raises(EntryError, match="symbolic link"):
        add_one(project)
    assert target.read_text() == "### theirs\n"
    assert (memory(project) / "decisions.md").is_symlink()


def test_a_folder_outside_the_base_is_refused(project: Path, tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="does not lie in"):
        add_entry(str(tmp_path), "decisions", "x", {}, now=NOW, base=str(project))


@pytest.mark.parametrize("what", ["folder", "fifo"])
def test_what_is_no_file_is_left_as_it_is(project: Path, what: str) -> None:
    path = memory(project) / "decisions.md"
    if what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(EntryError, match="not a regular file"):
        add_one(project)


def test_a_file_larger_than_is_read_is_left_as_it_is(project: Path) -> None:
    path = memory(project) / "decisions.md"
    path.write_bytes(b"x" * (FILE_CAP + 1))
    with pytest.raises(EntryError, match="cap"):
        add_one(project)
    assert path.stat().st_size == FILE_CAP + 1


def test_an_entry_that_cannot_be_written_makes_no_folder(project: Path) -> None:
    with pytest.raises(EntryError, match="title"):
        add_one(project, "")
    assert os.listdir(project) == []


def test_a_project_that_is_not_there_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        add_one(tmp_path / "missing")
    assert os.listdir(tmp_path) == []


def test_a_busy_lock_is_waited_for_and_then_named(project: Path) -> None:
    folder = str(memory(project))
    with FolderLock(folder, wait=0.0), pytest.raises(LockedError, match="memory"):
        add_one(project, wait=0.05)
    assert os.listdir(folder) == []


def test_the_lock_is_free_after_use_and_leaves_nothing_behind(project: Path) -> None:
    folder = str(memory(project))
    for _ in range(2):
        with FolderLock(folder, wait=0.0):
            pass
    assert os.listdir(folder) == []


def test_a_file_system_without_locks_for_folders_keeps_nobody_out(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl  # noqa: PLC0415 - only this test asks for it

    def refused(_descriptor: int, _operation: int) -> None:
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refused)
    with FolderLock(str(memory(project)), wait=0.0):
        add_one(project)
    assert titles(memory(project) / "decisions.md") == ["new"]


def test_old_litter_of_a_killed_writer_is_removed_and_young_stays(project: Path) -> None:
    folder = memory(project)
    old, young = folder / ".decisions.md.7.0123abcd.tmp", folder / ".lessons.md.7.0123abcd.tmp"
    for path, days in ((old, 1.0), (young, 0.01)):
        path.touch()
        os.utime(path, (NOW - days * DAY, NOW - days * DAY))
    add_one(project)
    assert (old.exists(), young.exists()) == (False, True)


WRITER = """
import sys
from brain.entries.add import add_entry
folder, name, count, base = sys.argv[1:]
for number in range(int(count)):
    add_entry(folder, "lessons", f"{name} {number}", {"lesson": "x"}, now=1796008624.0, base=base, wait=60.0)
"""


def test_several_writers_lose_no_entry(project: Path, full: bool) -> None:
    writers, count = (8, 50) if full else (4, 8)
    folder = str(project / ".agents" / "memory")
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, folder, str(name), str(count), str(project)])
        for name in range(writers)
    ]
    assert [one.wait(timeout=300) for one in running] == [0] * writers
    found = titles(memory(project) / "lessons.md", "lessons")
    assert sorted(found) == sorted(f"{name} {number}" for name in range(writers) for number in range(count))
    assert os.listdir(folder) == ["lessons.md"]


@pytest.mark.parametrize("limit", [0, 100, 700])
def test_a_full_disk_leaves_the_old_file_and_no_litter(project: Path, limit: int) -> None:
    path = memory(project) / "lessons.md"
    path.write_text("### old\n" + "x" * 700)
    old = path.read_bytes()
    script = (
        "import resource, signal, sys\n"
        "from brain.entries.add import add_entry\n"
        "from brain.files.errors import WriteError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "try:\n"
        "    add_entry(sys.argv[1], 'lessons', 'new', {'lesson': 'x'}, now=1796008624.0)\n"
        "except WriteError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path.parent), str(limit)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "cannot write" in done.stdout
    assert "lessons.md" in done.stdout
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == ["lessons.md"]


def test_without_the_comparison_what_an_editor_saves_meanwhile_is_lost(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = memory(project) / "decisions.md"
    path.write_text("### 2026-01-01 — a\n")

    def interrupted(writes: list[atomic.Write], base: str) -> int:
        path.write_text("### 2026-01-02 — from the editor\n")
        return atomic.replace_all(writes, base)

    monkeypatch.setattr("brain.entries.add.replace_all", interrupted)
    monkeypatch.setattr(atomic, "_compare", lambda _write, _target: None)
    add_one(project)
    assert titles(path) == ["a", "new"]
