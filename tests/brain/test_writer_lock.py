"""The lock of the ledgers: BMAD+ sees it, a dead process of ours never blocks it, nobody's is stolen."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from brain.files import writer_lock
from brain.files.errors import MemError, OccupiedError
from brain.files.writer_lock import WriterLock, owner_of, release
from tests.brain.ledgers.projects import make_memory, memory, names, start
from tests.support import NOW

UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def put_lock(project: Path, pid: int, hostname: str | None = None, *, days: float = 0.0) -> Path:
    """A lock as BMAD+ leaves it."""
    file = make_memory(project) / "writer.lock"
    owner = {"pid": pid, "hostname": hostname or socket.gethostname(), "token": "t"}
    file.write_text(json.dumps(owner, separators=(",", ":")))
    if days:
        stamp = time.time() - days * 86_400
        os.utime(file, (stamp, stamp))
    return file


def test_the_lock_is_what_bmad_plus_writes(tmp_path: Path) -> None:
    with WriterLock(str(tmp_path)):
        text = (memory(tmp_path) / "writer.lock").read_text()
    assert re.fullmatch(
        rf'\{{"pid":{os.getpid()},"hostname":"{re.escape(socket.gethostname())}","token":"{UUID4}"\}}', text
    )


def test_afterwards_nothing_of_the_lock_is_left(tmp_path: Path) -> None:
    with WriterLock(str(tmp_path)):
        pass
    assert names(tmp_path) == set()


def test_an_error_inside_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), WriterLock(str(tmp_path)):
        raise RuntimeError
    assert names(tmp_path) == set()


def test_the_folders_are_made_for_their_owner_only_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with WriterLock(str(tmp_path)):
            mode = (memory(tmp_path) / "writer.lock").stat().st_mode & 0o777
    finally:
        os.umask(old)
    assert mode == 0o600
    assert [folder.stat().st_mode & 0o777 for folder in (tmp_path / ".bmad", memory(tmp_path))] == [0o700] * 2


def test_a_project_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(MemError, match="no project folder"):
        WriterLock(str(tmp_path / "shop")).__enter__()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", [".bmad", ".bmad/memory"])
def test_a_linked_folder_is_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "elsewhere" / "memory").mkdir(parents=True)
    project = tmp_path / "shop"
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MemError, match="symbolic link"):
        WriterLock(str(project)).__enter__()
    assert os.listdir(tmp_path / "elsewhere" / "memory") == []


def test_a_thread_may_take_its_lock_again(tmp_path: Path) -> None:
    with WriterLock(str(tmp_path), wait=0):
        with WriterLock(str(tmp_path), wait=0):
            pass
        assert "writer.lock" in names(tmp_path)
    assert names(tmp_path) == set()


def test_another_thread_waits(tmp_path: Path) -> None:
    inside: list[str] = []

    def second() -> None:
        with WriterLock(str(tmp_path), wait=30):
            inside.append("second")

    with WriterLock(str(tmp_path)):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        inside.append("first")
    thread.join()
    assert inside == ["first", "second"]


def test_locks_of_two_projects_are_two_locks(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    with WriterLock(str(tmp_path / "a"), wait=0), WriterLock(str(tmp_path / "b"), wait=0):
        pass


def test_a_living_process_of_ours_is_named_and_keeps_its_lock(tmp_path: Path) -> None:
    holder = start("hold", tmp_path)
    assert holder.stdout
    holder.stdout.readline()
    with pytest.raises(OccupiedError, match=f"process {holder.pid} on .* is running") as caught:
        WriterLock(str(tmp_path), wait=0.05).__enter__()
    assert (caught.value.pid, caught.value.alive) == (holder.pid, True)
    assert {"writer.lock", ".writer.lock.zecher"} <= names(tmp_path)
    holder.communicate(timeout=60)
    assert names(tmp_path) == set()


def test_a_killed_process_of_ours_blocks_nobody(tmp_path: Path) -> None:
    holder = start("hold", tmp_path)
    assert holder.stdout
    holder.stdout.readline()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert names(tmp_path) == {"writer.lock", ".writer.lock.zecher"}
    with WriterLock(str(tmp_path), wait=0):
        pass
    assert names(tmp_path) == set()


def test_a_lock_of_somebody_else_is_waited_for_and_stays(tmp_path: Path) -> None:
    """BMAD+ 0.22, presence lock: two seconds of waiting, and nothing is taken from anybody."""
    file = put_lock(tmp_path, dead_pid())
    before = (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino)
    begun = time.monotonic()
    with pytest.raises(OccupiedError):
        WriterLock(str(tmp_path)).__enter__()
    assert 1.9 < time.monotonic() - begun < 30
    assert (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert names(tmp_path) == {"writer.lock"}


def test_a_dead_owner_is_named_with_its_age_and_the_way_out(tmp_path: Path) -> None:
    pid = dead_pid()
    put_lock(tmp_path, pid, days=3.5)
    with pytest.raises(OccupiedError, match=f"process {pid} on .* since 3 d .*doctor --unlock") as caught:
        WriterLock(str(tmp_path), wait=0).__enter__()
    assert caught.value.alive is False
    assert caught.value.age_seconds == pytest.approx(3.5 * 86_400, abs=60)


def test_of_another_host_nobody_says_whether_it_lives(tmp_path: Path) -> None:
    put_lock(tmp_path, os.getpid(), "elsewhere.example")
    with pytest.raises(OccupiedError, match=r"elsewhere\.example") as caught:
        WriterLock(str(tmp_path), wait=0).__enter__()
    assert caught.value.alive is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b'{"pid":true}',
        b'{"pid":-1}',
        b'{"pid":"7"}',
        b"\xff",
        b"[" * 4000,
        b"x" * 9000,
        b'{"pid":99999999999999999999,"hostname":"%s"}' % socket.gethostname().encode(),
    ],
)
def test_a_lock_that_says_nothing_readable_is_somebody_s_all_the_same(tmp_path: Path, content: bytes) -> None:
    file = make_memory(tmp_path) / "writer.lock"
    file.write_bytes(content)
    with pytest.raises(OccupiedError):
        WriterLock(str(tmp_path), wait=0).__enter__()
    assert file.read_bytes() == content


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_a_lock_that_is_no_file_is_left_alone(tmp_path: Path, kind: str) -> None:
    file = make_memory(tmp_path) / "writer.lock"
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to("nowhere")
    else:
        os.mkfifo(file)
    with pytest.raises(MemError, match="by hand"):
        WriterLock(str(tmp_path), wait=0).__enter__()
    assert names(tmp_path) == {"writer.lock"}


def test_a_lock_that_goes_away_in_time_is_taken(tmp_path: Path) -> None:
    file = put_lock(tmp_path, os.getpid())
    threading.Timer(0.2, file.unlink).start()
    with WriterLock(str(tmp_path), wait=30):
        assert json.loads(file.read_text())["token"][8] == "-"


def test_a_lock_that_replaced_ours_is_not_removed(tmp_path: Path) -> None:
    file = memory(tmp_path) / "writer.lock"
    with WriterLock(str(tmp_path)):
        file.unlink()
        file.write_text("theirs")
    assert file.read_text() == "theirs"
    assert names(tmp_path) == {"writer.lock"}


def test_a_file_that_only_looks_like_our_half_of_a_lock_is_not_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    os.link(precious, make_memory(tmp_path) / ".writer.lock.zecher")
    with WriterLock(str(tmp_path)):
        pass
    assert precious.read_text() == "mine"


def test_where_there_are_no_hard_links_the_lock_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with WriterLock(str(tmp_path)):
        assert json.loads((memory(tmp_path) / "writer.lock").read_text())["pid"] == os.getpid()
    assert names(tmp_path) == set()


def test_where_there_are_no_hard_links_a_dead_process_of_ours_is_still_known(tmp_path: Path) -> None:
    folder = make_memory(tmp_path)
    for name in ("writer.lock", ".writer.lock.zecher"):
        (folder / name).write_text('{"pid":1,"hostname":"h","token":"one"}')
    with WriterLock(str(tmp_path), wait=0):
        pass
    assert names(tmp_path) == set()


def test_where_folders_cannot_be_locked_the_presence_of_the_file_keeps_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_lock, "_try_lock", lambda _: None)
    with WriterLock(str(tmp_path)):
        assert names(tmp_path) == {"writer.lock"}
        monkeypatch.setattr(writer_lock, "_depths", {})
        with pytest.raises(OccupiedError):
            WriterLock(str(tmp_path), wait=0).__enter__()
        monkeypatch.undo()
    assert names(tmp_path) == set()


def test_a_folder_that_nobody_can_look_into_is_not_called_free(tmp_path: Path) -> None:
    """A file in its place, as root may look into any folder; a closed one was "no lock" as well."""
    (tmp_path / ".bmad").mkdir()
    (tmp_path / ".bmad" / "memory").touch()
    with pytest.raises(MemError, match="memory is not a folder: move it away"):
        owner_of(str(tmp_path), NOW)


def test_nobody_owns_a_lock_that_is_not_there(tmp_path: Path) -> None:
    assert owner_of(str(tmp_path), NOW) is None
    make_memory(tmp_path)
    assert owner_of(str(tmp_path), NOW) is None


def test_the_owner_of_a_foreign_lock_is_shown(tmp_path: Path) -> None:
    pid = dead_pid()
    file = put_lock(tmp_path, pid)
    os.utime(file, (NOW - 90, NOW - 90))
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    shown = (owner.pid, owner.hostname, owner.token, owner.age_seconds, owner.alive, owner.is_ours)
    assert shown == (pid, socket.gethostname(), "t", 90.0, False, False)


def test_our_own_lock_is_shown_as_ours(tmp_path: Path) -> None:
    with WriterLock(str(tmp_path)):
        owner = owner_of(str(tmp_path), time.time())
    assert owner
    assert (owner.pid, owner.alive, owner.is_ours) == (os.getpid(), True, True)


def test_the_lock_of_a_dead_owner_can_be_released(tmp_path: Path) -> None:
    put_lock(tmp_path, dead_pid())
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    release(str(tmp_path), owner)
    assert names(tmp_path) == set()


def test_the_lock_of_a_living_owner_is_never_released(tmp_path: Path) -> None:
    put_lock(tmp_path, os.getpid())
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    with pytest.raises(MemError, match="is running"):
        release(str(tmp_path), owner)
    assert names(tmp_path) == {"writer.lock"}


def test_a_lock_that_changed_since_it_was_shown_is_not_released(tmp_path: Path) -> None:
    file = put_lock(tmp_path, dead_pid())
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    file.write_text("theirs")
    with pytest.raises(MemError, match="changed"):
        release(str(tmp_path), owner)
    assert file.read_text() == "theirs"


def test_a_lock_in_use_by_another_process_of_ours_is_not_released(tmp_path: Path) -> None:
    holder = start("hold", tmp_path)
    assert holder.stdout
    holder.stdout.readline()
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    with pytest.raises(MemError, match="in use"):
        release(str(tmp_path), owner)
    holder.communicate(timeout=60)


def test_what_a_dead_process_of_ours_left_is_released_whole(tmp_path: Path) -> None:
    holder = start("hold", tmp_path)
    assert holder.stdout
    holder.stdout.readline()
    holder.kill()
    holder.communicate()
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    release(str(tmp_path), owner)
    assert names(tmp_path) == set()


def test_a_lock_that_is_no_file_is_not_released(tmp_path: Path) -> None:
    (make_memory(tmp_path) / "writer.lock").mkdir()
    owner = owner_of(str(tmp_path), NOW)
    assert owner
    with pytest.raises(MemError, match="by hand"):
        release(str(tmp_path), owner)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("descriptors cannot be counted here")
    before = len(os.listdir("/proc/self/fd"))
    put_lock(tmp_path, dead_pid())
    for _ in range(5):
        with pytest.raises(OccupiedError):
            WriterLock(str(tmp_path), wait=0).__enter__()
        owner_of(str(tmp_path), NOW)
    assert len(os.listdir("/proc/self/fd")) == before
