"""``zecher doctor --unlock``: a person releases the lock of a dead writer, nobody that of a living one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jobs.program import Done, Program, folder_state
from tests.support import NOW

HOST = socket.gethostname()


@pytest.fixture(scope="module")
def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def lock(program: Program, pid: int, host: str = HOST) -> Path:
    """A lock as BMAD+ writes it, three hours old."""
    path = program.cwd / ".bmad/memory/writer.lock"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"pid": pid, "hostname": host, "token": "t"}))
    os.utime(path, (NOW - 3 * 3600, NOW - 3 * 3600))
    return path


@pytest.mark.parametrize("flags", [["--unlock"], ["--unlock", "--yes"]])
def test_without_a_lock_there_is_nothing_to_do(zecher: Program, flags: list[str]) -> None:
    assert zecher("doctor", *flags) == Done(
        0, "", f"no lock: the ledgers of {zecher.cwd.resolve()} are free\n"
    )
    assert list(zecher.cwd.iterdir()) == []


def test_a_dead_owner_is_shown_and_released_with_yes(zecher: Program, dead: int) -> None:
    path = lock(zecher, dead)

    assert zecher("doctor", "--unlock", "--yes") == Done(
        0,
        f"{path.resolve()}\n  process  {dead} (gone)\n  host     {HOST}\n  age      3 h\n",
        "released\n",
    )
    assert list(path.parent.iterdir()) == []


def test_without_a_terminal_the_answer_is_missed(zecher: Program, dead: int) -> None:
    lock(zecher, dead)
    before = folder_state(zecher.cwd)

    done = zecher("doctor", "--unlock")

    assert (done.code, "[needs-answer]" in done.err, "Add --yes" in done.err) == (2, True, True)
    assert folder_state(zecher.cwd) == before


@pytest.mark.parametrize(("answer", "released"), [("y", True), ("yes", True), ("n", False), ("", False)])
def test_at_a_terminal_a_person_decides(zecher: Program, dead: int, answer: str, *, released: bool) -> None:
    path = lock(zecher, dead)

    done = zecher.at_terminal("doctor", "--unlock", answers=f"{answer}\n")

    assert done.code == 0
    assert "Release it? [y/N]" in done.out
    assert path.exists() is not released


@pytest.mark.parametrize("flags", [["--unlock"], ["--unlock", "--yes"], ["--unlock", "--yes", "--json"]])
def test_a_living_owner_keeps_its_lock(zecher: Program, flags: list[str]) -> None:
    lock(zecher, os.getpid())
    before = folder_state(zecher.cwd)

    done = zecher("doctor", *flags)

    assert done.code == 75
    assert "ledger-locked" in done.out + done.err
    assert folder_state(zecher.cwd) == before


def test_an_owner_on_another_host_needs_a_person(zecher: Program) -> None:
    path = lock(zecher, 1, host="elsewhere")

    refused = zecher("doctor", "--unlock", "--yes")
    assert (refused.code, "[ledger-owner-unknown]" in refused.err) == (75, True)
    assert path.exists()

    agreed = zecher.at_terminal("doctor", "--unlock", "--yes", answers="y\n")
    assert (agreed.code, "may still be writing" in agreed.out) == (0, True)
    assert not path.exists()


def test_a_lock_that_names_nobody_is_shown_as_such(zecher: Program) -> None:
    lock(zecher, 1).write_text("garbage")

    done = zecher("doctor", "--unlock")

    assert "  process  not named (may be running" in done.out


def test_the_document_tells_the_same(zecher: Program, dead: int) -> None:
    path = lock(zecher, dead)

    document = zecher("doctor", "--unlock", "--yes", "--json").document

    assert (document["schema"], document["ok"]) == ("zecher.doctor", True)
    assert document["data"] == {
        "project": str(zecher.cwd.resolve()),
        "lock": {
            "path": str(path.resolve()),
            "pid": dead,
            "hostname": HOST,
            "age_seconds": 10_800,
            "alive": False,
            "is_ours": False,
        },
        "released": True,
    }


def test_a_lock_that_is_a_link_is_not_followed(zecher: Program, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    (zecher.cwd / ".bmad/memory").mkdir(parents=True)
    (zecher.cwd / ".bmad/memory/writer.lock").symlink_to(secret)

    done = zecher.at_terminal("doctor", "--unlock", answers="y\n")

    assert done.code == 1
    assert "[lock-not-released]" in done.out
    assert secret.read_text() == "x"


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_no_writer_made_is_refused_in_words_of_its_own(zecher: Program, kind: str) -> None:
    (zecher.cwd / ".bmad/memory").mkdir(parents=True)
    path = zecher.cwd / ".bmad/memory/writer.lock"
    if kind == "link":
        path.symlink_to("nowhere")
    else:
        path.mkdir()

    done = zecher("doctor", "--unlock", "--yes")

    assert (done.code, "[lock-not-released]" in done.err) == (1, True)
    assert "remove it by hand" in done.err
    assert path.is_symlink() or path.is_dir()
    assert "remove it by hand" in zecher("mem", "write", "--agent", "a").err


@pytest.mark.parametrize("flags", [["--unlock"], ["--unlock", "--yes"], ["--unlock", "--json"]])
def test_where_the_ledgers_should_be_stands_a_file(zecher: Program, flags: list[str]) -> None:
    (zecher.cwd / ".bmad").write_text("")

    done = zecher("doctor", *flags)

    assert done.code == 1
    assert "[lock-unreadable]" in done.err or '"lock-unreadable"' in done.out
    assert f"{zecher.cwd.resolve()}/.bmad is not a folder: move it away" in done.err + done.out
    assert zecher("mem", "write", "--agent", "a").err == (
        f"mem write: {zecher.cwd.resolve()}/.bmad is not a folder: move it away\n"
    )


def test_a_project_that_is_not_there_fails(zecher: Program) -> None:
    done = zecher("doctor", "-d", "nowhere")

    assert (done.code, "[project-missing]" in done.err) == (1, True)
