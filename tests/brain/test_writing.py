"""Replacing files: old or new, never half; under a lock; with a word for whatever the system refuses."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain import portfolio
from brain.files import atomic
from brain.files.atomic import Write, make_folder, replace_all, sweep
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.files.lock import BrainLock
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.portfolio import apply, read_portfolio
from tests.brain import bmad
from tests.brain.brains import NOW, ROOT, card_path, decide, facts, index, put_card, snapshot
from tests.support import NOW as CLOCK


def seen(path: Path) -> Seen:
    return read_seen(str(path), 1 << 20)


def replace(path: Path, data: bytes, old: Seen | None = None) -> int:
    return replace_all([Write(str(path), data, old)], str(path.parent))


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the lock, whose pid is the last owner's."""
    return {name: file[2] for name, file in snapshot(folder).items() if name != portfolio.LOCK_NAME}


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777])
def umask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    assert tmp_path.is_dir()  # made before, or it could not be entered
    before = os.umask(request.param)
    yield
    os.umask(before)


# -- modes -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("umask")
def test_new_files_and_folders_are_the_owners_alone_under_any_umask(brain: Path) -> None:
    index(brain, facts())
    index(brain, facts(status="paused"))
    modes = {
        str(path.relative_to(brain.parent)): stat.S_IMODE(path.stat().st_mode)
        for path in (brain, brain / "projects", card_path(brain), brain / "projects-index.md")
    }
    assert modes == {
        "brain": 0o700,
        "brain/projects": 0o700,
        "brain/projects/af7574b5.yaml": 0o600,
        "brain/projects-index.md": 0o600,
    }


@pytest.mark.usefixtures("umask")
def test_the_mode_of_a_replaced_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o664)
    replace(path, b"new", seen(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_root_leaves_the_owner_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 1234, 1235)
    replace(path, b"new", seen(path))
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)


# -- compare, then replace ---------------------------------------------------------------------


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    assert replace(path, b"new", seen(path)) == 1
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_file_that_was_saved_since_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    old = seen(path)
    path.write_bytes(b"the editor's")
    with pytest.raises(ChangedError):
        replace(path, b"new", old)
    assert path.read_bytes() == b"the editor's"
    assert names(tmp_path) == ["a"]


def test_a_save_that_keeps_size_and_time_is_still_seen(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    old = seen(path)
    path.write_bytes(b"odd")
    os.utime(path, ns=(old.stamp[0], old.stamp[0]))
    with pytest.raises(ChangedError):
        replace(path, b"new", old)
    assert path.read_bytes() == b"odd"


def test_a_file_that_appeared_since_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"somebody's")
    with pytest.raises(ChangedError):
        replace(path, b"new")
    assert path.read_bytes() == b"somebody's"


def test_a_file_that_appears_in_the_last_moment_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    link = os.link

    def late(source: str, target: str, *, follow_symlinks: bool) -> None:
        path.write_bytes(b"somebody's")
        link(source, target, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(ChangedError):
        replace(path, b"new")
    assert path.read_bytes() == b"somebody's"
    assert names(tmp_path) == ["a"]


def test_a_new_file_is_written_where_the_file_system_has_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: str, **__: bool) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    replace(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_file_that_went_away_since_is_not_brought_back(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    old = seen(path)
    path.unlink()
    with pytest.raises(ChangedError):
        replace(path, b"new", old)
    assert names(tmp_path) == []


def test_two_plans_from_one_state_both_count(brain: Path) -> None:
    one, other = decide(brain, [facts("/a")]), decide(brain, [facts("/b")])
    assert one.index
    assert other.index
    assert b"/a" not in other.index  # written as planned, it would drop the first plan's row
    apply(one, str(brain))
    result = apply(other, str(brain))
    assert result.written == 1
    assert bmad.check_index((brain / "projects-index.md").read_bytes()).total == 2


def test_a_save_between_plan_and_writing_wins_and_the_facts_are_added(brain: Path) -> None:
    card = put_card(brain, bmad.scan_card(f"{ROOT}/shop"))
    decided = decide(brain, [facts(status="paused")])
    card.write_bytes(card.read_bytes() + b"\nnotes: saved meanwhile")
    apply(decided, str(brain))
    values = bmad.read_card(card.read_bytes())
    assert (values["status"], values["notes"]) == ("paused", "saved meanwhile")


def test_a_save_in_the_last_moment_wins_and_the_facts_are_added(
    brain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = put_card(brain, bmad.scan_card(f"{ROOT}/shop"))
    saves = iter([b"\nnotes: late", b"\nmore: later"])
    real = atomic._stage_chunk

    def stage(*args: object) -> None:
        real(*args)  # type: ignore[arg-type] # handed through
        if save := next(saves, b""):
            card.write_bytes(card.read_bytes() + save)

    monkeypatch.setattr(atomic, "_stage_chunk", stage)
    apply(decide(brain, [facts(status="paused")]), str(brain))
    values = bmad.read_card(card.read_bytes())
    assert (values["status"], values["notes"], values["more"]) == ("paused", "late", "later")
    assert [name for name in names(brain / "projects") if name.endswith(".tmp")] == []


def test_somebody_who_never_stops_saving_is_an_error(brain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card = put_card(brain, bmad.scan_card(f"{ROOT}/shop"))
    real = atomic._stage_chunk

    def stage(*args: object) -> None:
        real(*args)  # type: ignore[arg-type] # handed through
        card.write_bytes(card.read_bytes() + b"\n# more")

    monkeypatch.setattr(atomic, "_stage_chunk", stage)
    with pytest.raises(WriteError, match="keeps saving"):
        apply(decide(brain, [facts(status="paused")]), str(brain))
    assert b"active" in card.read_bytes()


# -- what the system refuses -------------------------------------------------------------------


class Fault:
    """Makes the n-th call of one ``os`` function fail; counts the calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str, code: int, nth: int) -> None:
        self.calls = 0
        real = getattr(os, name)

        def call(*args: object, **kwargs: object) -> object:
            self.calls += 1
            if self.calls == nth:
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        monkeypatch.setattr(f"brain.files.atomic.os.{name}", call)


@pytest.mark.parametrize("name", ["write", "fsync", "replace", "fchmod"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_refusal_names_path_and_reason_and_leaves_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    old = seen(path)
    with monkeypatch.context() as broken:
        Fault(broken, name, code, 1)
        with pytest.raises(WriteError) as refused:
            replace(path, b"new", old)
    error = refused.value
    assert (error.path, error.reason, error.stored) == (str(path), os.strerror(code), False)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with monkeypatch.context() as slow:
        slow.setattr(
            "brain.files.atomic.os.write", lambda descriptor, data: real(descriptor, bytes(data)[:3])
        )
        replace(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_short_write_on_a_full_disk_never_becomes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = os.write, [6]
    path = tmp_path / "a"
    path.write_bytes(b"old")
    old = seen(path)

    def write(descriptor: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = bytes(data)[: left[0]]
        left[0] -= len(taken)
        return real(descriptor, taken)

    with monkeypatch.context() as full:
        full.setattr("brain.files.atomic.os.write", write)
        with pytest.raises(WriteError, match="No space left"):
            replace(path, b"0123456789", old)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_count_that_lies_is_found_out_by_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as lying:
        lying.setattr("brain.files.atomic.os.write", lambda _, data: len(data))
        with pytest.raises(WriteError, match="fewer bytes"):
            replace(tmp_path / "a", b"new")
    assert names(tmp_path) == []


def test_a_folder_that_is_not_synced_means_stored_but_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        Fault(broken, "fsync", errno.EIO, 2)
        with pytest.raises(WriteError, match="stored, but not confirmed") as unsure:
            replace(tmp_path / "a", b"new")
    assert unsure.value.stored
    assert (tmp_path / "a").read_bytes() == b"new"


def test_all_is_durable_before_the_first_is_replaced_and_cards_before_the_page(
    brain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain.mkdir(parents=True)
    log: list[str] = []
    real_sync, real_link = os.fsync, os.link

    def fsync(descriptor: int) -> None:
        log.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_sync(descriptor)

    def link(source: str, target: str, *, follow_symlinks: bool) -> None:
        log.append(Path(target).name)
        real_link(source, target, follow_symlinks=follow_symlinks)

    (brain / "projects").mkdir()
    with monkeypatch.context() as watched:
        watched.setattr("brain.files.atomic.os.fsync", fsync)
        watched.setattr("brain.files.atomic.os.link", link)
        index(brain, facts("/a"), facts("/b"))
    cards = [f"{bmad.hash8(path)}.yaml" for path in ("/a", "/b")]
    assert log == ["file", "file", "file", *cards, "folder", "projects-index.md", "folder"]


def test_many_cards_are_synced_as_files_but_their_folder_once(
    brain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain.mkdir(parents=True)
    (brain / "projects").mkdir()
    fault = Fault(monkeypatch, "fsync", errno.EIO, -1)
    index(brain, *(facts(f"{ROOT}/p{n}") for n in range(150)))
    assert fault.calls == 150 + 1 + 2


def test_a_home_that_is_not_there_is_an_error_and_is_not_invented(tmp_path: Path) -> None:
    brain = tmp_path / "nobody" / ".bmad-plus" / "brain"
    with pytest.raises(WriteError, match="No such file") as refused:
        index(brain, facts())
    assert refused.value.path == str(brain.parent)
    assert names(tmp_path) == []


def test_a_brain_that_is_a_file_is_reported_and_left(brain: Path) -> None:
    brain.parent.mkdir(parents=True)
    brain.write_text("mine")
    result = index(brain, facts())
    assert [(problem.code, problem.level) for problem in result.problems] == [("brain-unreadable", "error")]
    assert result.written == 0
    assert brain.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WriteError, match="Permission denied"):
        index(tmp_path / ".bmad-plus" / "brain", facts())
    tmp_path.chmod(0o700)


def test_a_read_only_brain_is_an_error_and_nothing_changes(
    brain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(brain, facts())
    before = snapshot(brain)
    with monkeypatch.context() as read_only:
        real = os.open

        def open_(path: str, flags: int, *args: int, **kwargs: int) -> int:
            if flags & os.O_CREAT:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
            return real(path, flags, *args, **kwargs)

        read_only.setattr(os, "open", open_)
        with pytest.raises(WriteError, match="Read-only file system"):
            index(brain, facts(status="paused"))
    assert snapshot(brain) == before


def test_an_error_speaks_as_a_problem() -> None:
    problem = WriteError("/b/x", "No space left on device").problem()
    assert (problem.code, problem.level, problem.path) == ("brain-write", "error", "/b/x")
    assert problem.message == "cannot write /b/x: No space left on device"


# -- what a killed writer left -----------------------------------------------------------------


def test_old_temporary_files_of_ours_are_swept_and_nothing_else(brain: Path) -> None:
    index(brain, facts())
    projects = brain / "projects"
    ours_old, ours_new = projects / ".af7574b5.yaml.123.00ff00ff.tmp", projects / ".x.yaml.9.0123abcd.tmp"
    others = [projects / ".vimrc.tmp", projects / "a.yaml.1.00ff00ff.tmp", projects / ".a.txt.1.00ff00ff.tmp"]
    page = brain / ".projects-index.md.77.00ff00ff.tmp"
    for path in (ours_old, ours_new, page, *others):
        path.write_text("x")
        os.utime(path, (CLOCK - 4000, CLOCK - 4000))
    os.utime(ours_new, (CLOCK - 3000, CLOCK - 3000))
    index(brain, facts())
    left = [path.name for path in (ours_old, ours_new, page, *others) if path.exists()]
    assert left == [path.name for path in (ours_new, *others)]


def test_tidying_up_is_no_reason_to_fail(brain: Path) -> None:
    index(brain, facts())
    left = brain / "projects" / ".af7574b5.yaml.123.00ff00ff.tmp"
    left.write_text("x")
    os.utime(left, (0, 0))
    with BrainLock(str(brain / portfolio.LOCK_NAME), wait=0):
        assert index(brain, facts()).written == 0
    assert left.exists()
    index(brain, facts())
    assert not left.exists()


def test_a_link_that_is_named_like_a_temporary_file_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    link = tmp_path / ".a.yaml.1.00ff00ff.tmp"
    link.symlink_to(victim)
    os.utime(link, (0, 0), follow_symlinks=False)
    assert sweep(str(tmp_path), now=CLOCK) == 0
    assert victim.exists()


def test_a_temporary_name_that_is_taken_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    (tmp_path / "t").symlink_to(victim)
    monkeypatch.setattr(atomic, "_temporary_name", lambda _: str(tmp_path / "t"))
    with pytest.raises(WriteError, match="File exists"):
        replace(tmp_path / "a", b"new")
    assert victim.read_text() == "x"


def test_folders_are_made_at_most_two_levels_deep(tmp_path: Path) -> None:
    make_folder(str(tmp_path / "a" / "b"))
    with pytest.raises(WriteError):
        make_folder(str(tmp_path / "x" / "y" / "z"))
    assert names(tmp_path) == ["a"]


# -- the lock ----------------------------------------------------------------------------------

HOLDER = (
    "import sys, time; from brain.files.lock import BrainLock\n"
    "with BrainLock(sys.argv[1], wait=5):\n    print('held', flush=True)\n    time.sleep(60)"
)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_held_lock_is_an_error_with_its_owner_after_the_wait(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    start = time.monotonic()
    with pytest.raises(LockedError) as locked, BrainLock(str(tmp_path / "lock"), wait=0.2):
        pass
    assert 0.2 <= time.monotonic() - start < 30
    assert locked.value.pid == holder.pid
    assert str(holder.pid) in locked.value.problem().message


def test_a_lock_dies_with_its_owner(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with BrainLock(str(tmp_path / "lock"), wait=0):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_waiting_writer_goes_on_when_the_lock_is_free(tmp_path: Path) -> None:
    first = BrainLock(str(tmp_path / "lock"), wait=0)
    with first:
        timer = threading.Timer(0.1, first.__exit__)
        timer.start()
        with BrainLock(str(tmp_path / "lock"), wait=20):
            pass
    timer.join()


def test_a_lock_whose_file_was_removed_protects_nothing_and_is_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with BrainLock(str(path), wait=0):
        path.unlink()
        with BrainLock(str(path), wait=0):
            assert path.exists()


def test_a_lock_is_renewed_only_where_its_file_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with BrainLock(str(path), wait=0) as lock:
        assert not lock.renew()
        path.unlink()
        assert lock.renew()
        assert not lock.renew()
        with pytest.raises(LockedError), BrainLock(str(path), wait=0):
            pass


def test_a_lock_that_somebody_else_has_by_now_is_not_renewed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with BrainLock(str(path), wait=0) as lock:
        path.unlink()
        with BrainLock(str(path), wait=0), pytest.raises(LockedError):
            lock.renew()
        assert lock.renew()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_lock_file_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "lock"
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(WriteError), BrainLock(str(path), wait=0):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_locked_brain_is_an_error_and_nothing_is_written(brain: Path) -> None:
    index(brain, facts())
    before = contents(brain)
    decided = decide(brain, [facts(status="paused")])
    with BrainLock(str(brain / portfolio.LOCK_NAME), wait=0), pytest.raises(LockedError):
        apply(decided, str(brain), wait=0.05)
    assert contents(brain) == before


def test_a_plan_without_writes_does_not_wait_for_the_lock(brain: Path) -> None:
    index(brain, facts())
    with BrainLock(str(brain / portfolio.LOCK_NAME), wait=0):
        assert apply(decide(brain, [facts()]), str(brain), wait=0).written == 0


# -- reading -----------------------------------------------------------------------------------


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")
    with pytest.raises(UnreadableError) as refused:
        read_seen(str(tmp_path / "p"), 10)
    assert refused.value.code == "not-regular"


def test_a_huge_sparse_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "s").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UnreadableError) as refused:
        read_seen(str(tmp_path / "s"), 10)
    assert refused.value.code == "too-large"


def test_a_brain_that_is_not_there_is_empty(tmp_path: Path) -> None:
    empty = read_portfolio(str(tmp_path / "none"))
    assert (empty.cards, empty.problems, empty.index) == ((), (), None)


def test_the_clock_of_these_tests_is_the_clock_of_all() -> None:
    assert portfolio._seconds(NOW) == CLOCK
