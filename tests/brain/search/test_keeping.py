"""The index is kept like the files, mends itself, and loses nothing to others who write."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.search import keeping
from brain.search.keeping import Budget, Index, Waiter, changes, check, open_index, refresh
from brain.search.search import search
from brain.search.sources import Place, list_sources
from brain.search.store import open_store
from brain.search.values import Query, Section, Source
from tests.support import write

ROOT = Path(__file__).absolute().parents[3]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root / "memory/one.md", "# One\nthe login page\n", days=3)
    write(root / "memory/two.md", "# Two\nbackups of the database\n", days=2)
    return root


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache/search.sqlite")


def _current(path: str, project: Path, budget: Budget | None = None) -> tuple[Index, keeping.Refreshed]:
    index = open_index(path)
    return index, refresh(index, list_sources([Place(str(project))]), budget=budget)


def _found(index: Index, text: str) -> list[str]:
    return [os.path.basename(hit.file) for hit in search(index.store, Query(text)).results]


# -- up to date ---------------------------------------------------------------------------------------------


def test_a_new_index_is_filled_and_open_to_its_owner_alone(path: str, project: Path) -> None:
    index, done = _current(path, project)

    assert (index.rebuilt, done.added, done.stale) == ("missing", 2, 0)
    assert _found(index, "login") == ["one.md"]
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    index.close()


def test_what_was_added_changed_and_removed_is_told_and_found(path: str, project: Path) -> None:
    _current(path, project)[0].close()
    write(project / "memory/one.md", "# One\nthe logout page\n", days=1)
    write(project / "memory/three.md", "# Three\ncaching\n", days=1)
    (project / "memory/two.md").unlink()
    index, done = _current(path, project)

    assert (index.rebuilt, done.added, done.changed, done.removed) == ("", 1, 1, 1)
    assert [_found(index, word) for word in ("login", "logout", "caching", "backups")] == [
        *([], ["one.md"], ["three.md"], []),
    ]
    index.close()


def test_a_file_saved_again_with_the_same_text_is_not_taken_apart_again(path: str, project: Path) -> None:
    _current(path, project)[0].close()
    os.utime(project / "memory/one.md", (1, 1))
    index, done = _current(path, project)

    assert (done.added, done.changed, done.removed, done.stale) == (0, 0, 0, 0)
    assert changes(index, list_sources([Place(str(project))])).count == 0
    index.close()


def test_a_file_saved_twice_in_one_tick_of_the_clock_is_looked_at_again(path: str, project: Path) -> None:
    file = project / "memory/one.md"
    index = open_index(path)
    status = os.stat(file)
    refresh(index, list_sources([Place(str(project))]), started_ns=status.st_mtime_ns)
    file.write_text("# One\nthe lagin page\n")
    os.utime(file, ns=(status.st_mtime_ns, status.st_mtime_ns))
    done = refresh(index, list_sources([Place(str(project))]))

    assert done.changed == 1
    assert _found(index, "lagin") == ["one.md"]
    index.close()


def test_a_change_too_large_for_an_answer_is_stale_and_the_newest_are_read(path: str, project: Path) -> None:
    _current(path, project)[0].close()
    for number in range(4):
        write(project / f"memory/n{number}.md", f"caching {number}\n", days=1 + number / 10)
    index, done = _current(path, project, Budget(2, 1_000_000))

    assert (done.added, done.stale) == (2, 2)
    assert sorted(_found(index, "caching")) == ["n0.md", "n1.md"]
    assert refresh(index, list_sources([Place(str(project))])).added == 2
    index.close()


def test_of_places_that_were_not_listed_nothing_is_removed(path: str, project: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other/memory/x.md", "other login\n", days=1).parents[1]
    index = open_index(path)
    refresh(index, list_sources([Place(str(project)), Place(str(other))]))
    (project / "memory/one.md").unlink()
    done = refresh(index, list_sources([Place(str(project))]), roots={str(project)})

    assert (done.removed, _found(index, "login")) == (1, ["x.md"])
    index.close()


def test_a_note_that_only_moved_is_kept() -> None:
    store = open_store(":memory:")
    store.write([(Source("/a"), [Section("login", line=1), Section("backup", line=5)])])
    before = dict(store.connection.execute("SELECT digest, id FROM note").fetchall())
    store.write(
        [(Source("/a"), [Section("new", line=1), Section("backup", line=3), Section("login", line=9)])]
    )
    after = dict(store.connection.execute("SELECT digest, id FROM note").fetchall())

    assert before.items() <= after.items()
    assert [(hit.line, hit.body) for hit in search(store, Query("login")).results] == [(9, "login")]
    assert check(store, thorough=True) == ""


def test_a_file_that_cannot_be_read_is_told_and_taken_out(path: str, project: Path) -> None:
    _current(path, project)[0].close()
    listed = list_sources([Place(str(project))])
    (project / "memory/one.md").unlink()
    (project / "memory/one.md").symlink_to("/etc/passwd")
    row = listed.rows[f"{project}/memory/one.md"]
    listed.rows[row[0]] = (row[0], row[1] + 1, *row[2:])
    index = open_index(path)
    done = refresh(index, listed)

    assert [os.path.basename(one) for one, _ in done.skipped] == ["one.md"]
    assert _found(index, "login") == []
    index.close()


# -- mending ------------------------------------------------------------------------------------------------


def _garbage(path: str) -> None:
    Path(path).write_bytes(b"no database at all " * 1000)


def _torn(path: str) -> None:
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[: len(data) // 2])


def _empty(path: str) -> None:
    Path(path).write_bytes(b"")


def _foreign(path: str) -> None:
    os.unlink(path)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.close()


def _sql(*statements: str) -> Callable[[str], None]:
    def change(path: str) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.close()

    return change


AILMENTS = {
    "garbage": (_garbage, "damaged"),
    "torn": (_torn, "damaged"),
    "empty": (_empty, "half-built"),
    "another database": (_foreign, "damaged"),
    "schema": (_sql("UPDATE meta SET value = 0 WHERE name = 'schema'"), "version"),
    "analyser": (_sql("UPDATE meta SET value = 'x' WHERE name = 'analyser'"), "version"),
    "notes gone": (_sql("DELETE FROM note"), "drift"),
    "sources gone": (_sql("DELETE FROM source WHERE path LIKE '%one.md'"), "drift"),
    "texts gone": (_sql("DELETE FROM text"), "drift"),
    "a text changed behind the index": (_sql("UPDATE text_content SET c1 = 'something else'"), "drift"),
    "words gone": (_sql("DELETE FROM text_data WHERE id > 10"), "drift"),
    "half built": (_sql("INSERT INTO meta VALUES ('building', '1')"), "half-built"),
    "engine": (_sql("UPDATE meta SET value = 'scan' WHERE name = 'engine'"), "engine"),
}


@pytest.mark.parametrize("ailment", AILMENTS)
def test_whatever_is_wrong_with_the_index_is_mended_and_told(path: str, project: Path, ailment: str) -> None:
    _current(path, project)[0].close()
    harm, why = AILMENTS[ailment]
    harm(path)
    index, done = _current(path, project)

    assert (index.rebuilt, done.stale) == (why, 0)
    assert _found(index, "login") == ["one.md"]
    assert _found(index, "backups") == ["two.md"]
    assert check(index.store, thorough=True) == ""
    index.close()
    again, done = _current(path, project)
    assert (again.rebuilt, done) == ("", keeping.Refreshed())
    again.close()


@pytest.mark.parametrize("harm", ["a text changed behind the index", "words gone"])
def test_a_large_index_is_checked_as_a_whole_when_that_is_asked_for(
    path: str, project: Path, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "CHECKED_NOTES", 1)
    _current(path, project)[0].close()
    AILMENTS[harm][0](path)
    quick = open_index(path)
    assert quick.rebuilt == ""
    quick.close()
    thorough = open_index(path, thorough=True)
    assert thorough.rebuilt == "drift"
    thorough.close()


def test_where_no_file_can_be_kept_the_notes_are_read_all_the_same(tmp_path: Path, project: Path) -> None:
    for name in ("folder", "pipe"):
        place = tmp_path / name
        place.mkdir() if name == "folder" else os.mkfifo(place)
        index, done = _current(str(place), project)
        assert (index.on_disk, done.added, _found(index, "login")) == (False, 2, ["one.md"])
        assert index.why_not
        index.close()
    blocked = write(tmp_path / "file") / "search.sqlite"
    index, _ = _current(str(blocked), project)
    assert (index.on_disk, _found(index, "login")) == (False, ["one.md"])
    index.close()


def test_without_full_text_search_the_same_is_found_and_with_it_again_the_index_is_renewed(
    path: str, project: Path
) -> None:
    index = open_index(path, full_text=False)
    refresh(index, list_sources([Place(str(project))]))
    assert (index.store.engine, _found(index, "login")) == ("scan", ["one.md"])
    index.close()
    index, _ = _current(path, project)
    assert (index.rebuilt, index.store.engine, _found(index, "login")) == ("engine", "fts5", ["one.md"])
    index.close()


@pytest.mark.parametrize(("shared", "mode"), [(True, "wal"), (False, "delete")])
def test_a_remote_file_system_gets_no_write_ahead_log(path: str, shared: bool, mode: str) -> None:
    index = open_index(path, shared_memory=lambda: shared)

    assert index.store.connection.execute("PRAGMA journal_mode").fetchone() == (mode,)
    index.close()


def test_whoever_asks_for_an_end_gets_it_and_the_rest_is_done_next_time(
    path: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_BATCH_FILES", 1)
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise KeyError

    index = open_index(path)
    with pytest.raises(KeyError):
        refresh(index, list_sources([Place(str(project))]), waiter=Waiter(ask))
    index.close()
    index, done = _current(path, project, Budget(0, 0))
    assert (index.rebuilt, done.added, done.stale) == ("half-built", 1, 0)
    index.close()


def test_whoever_waits_hears_how_far_it_is(path: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "_BATCH_FILES", 1)
    told: list[tuple[int, int]] = []
    index = open_index(path)
    waiter = Waiter(told=lambda done, whole: told.append((done, whole)))
    refresh(index, list_sources([Place(str(project))]), waiter=waiter)
    refresh(index, list_sources([Place(str(project))]), waiter=waiter)
    assert told == [(1, 2), (2, 2)]
    index.close()


# -- others -------------------------------------------------------------------------------------------------

_WRITER = """
import sys
from brain.search.keeping import open_index
from brain.search.values import Section, Source
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
index = open_index(path)
for number in range(count):
    source = Source(f"/{name}/{number}.md", root="/" + name)
    index.store.write([(source, [Section(f"login {name} {number}", title=f"note {number}")])])
    print(number, flush=True)
"""


def _writer(path: str, name: str, count: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", _WRITER, path, name, str(count)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_of_four_processes_with_a_hundred_writes_each_none_is_lost(path: str) -> None:
    writers = [_writer(path, name, 100) for name in "abcd"]
    for writer in writers:
        _, said = writer.communicate(timeout=120)
        assert (writer.returncode, said) == (0, b"")

    index = open_index(path, thorough=True)
    assert index.rebuilt == "half-built"  # nobody has filled it from files
    assert index.store.connection.execute("SELECT count(*) FROM note").fetchone() == (400,)
    assert check(index.store, thorough=True) == ""
    index.close()


def test_forty_killed_writers_leave_a_sound_index(path: str, full: bool) -> None:
    turn = random.Random(7)  # noqa: S311 - when a writer is killed is no secret
    acknowledged = 0
    for number in range(40 if full else 12):
        writer = _writer(path, f"w{number}", 10_000)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(turn.uniform(0, 0.05))
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        acknowledged += 1 + rest.count(b"\n")
        index = open_index(path, thorough=True)
        assert index.rebuilt == "half-built"
        (count,) = index.store.connection.execute("SELECT count(*) FROM note").fetchone()
        assert count >= acknowledged
        acknowledged = count
        index.close()


_FILLER = """
import sys
from brain.search.keeping import open_index, refresh
from brain.search.sources import Place, list_sources
index = open_index(sys.argv[1])
done = refresh(index, list_sources([Place(sys.argv[2])]))
print(index.store.connection.execute("SELECT count(*) FROM note").fetchone()[0], done.stale)
"""


def test_processes_that_make_one_index_at_once_all_have_it_whole(path: str, project: Path) -> None:
    for number in range(60):
        write(project / f"memory/n{number}.md", f"# {number}\nlogin {number}\n", days=1)
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", _FILLER, path, str(project)]
    fillers = [
        subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]

    assert [filler.communicate(timeout=120) for filler in fillers] == [(b"62 0\n", b"")] * 4
    index, done = _current(path, project)
    assert (index.rebuilt, done) == ("", keeping.Refreshed())
    assert check(index.store, thorough=True) == ""
    index.close()
