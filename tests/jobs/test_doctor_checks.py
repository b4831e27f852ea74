"""``zecher doctor``: whether it works here, found out by doing."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from brain.files.lock import BrainLock
from jobs.doctor import _disk, _memory
from jobs.run_ledger import DAEMON_LOCK, Run, append_run, ledger_path, lock_path, read_runs
from tests.jobs.program import Program, folder_state
from tests.support import DAY, NOW

needs_a_user = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


@pytest.fixture
def here(zecher: Program, tmp_path: Path) -> Program:
    """The program with one root configured, on a machine without any scheduler."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/shop").mkdir()
    (tmp_path / "tmp").mkdir()
    zecher.extra |= {"TZ": "UTC", "PATH": str(tmp_path / "bin"), "TMPDIR": str(tmp_path / "tmp")}
    configure(zecher, f'[scan]\nroots = ["{tmp_path}/dev"]\n')
    return zecher


def configure(program: Program, text: str) -> None:
    path = program.home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def state(program: Program) -> str:
    return str(program.home / ".local/state/zecher")


def record(program: Program, job: str, slot: str, days: float, how: str = "ok") -> None:
    start = NOW - days * DAY
    end = None if how == "start" else start + 9
    append_run(state(program), Run(f"{job}{days}", job, slot, "timer", how, start, end))


def checks(program: Program, *flags: str) -> dict[str, dict[str, Any]]:
    """The checks by name; of several of one name the last."""
    return {check["name"]: check for check in program("doctor", "--json", *flags).data["checks"]}


def found(program: Program, name: str, *flags: str) -> tuple[str, str | None]:
    check = checks(program, *flags)[name]
    return check["state"], check["code"]


# -- all of it -----------------------------------------------------------------------------------------------


def test_where_all_is_well_it_says_so_and_leaves_nothing_behind(here: Program, tmp_path: Path) -> None:
    record(here, "nightly", "2026-11-30", 0)
    record(here, "weekly", "2026-W48", 0.9)
    before = folder_state(tmp_path)

    done = here("doctor")

    assert done.code == 0
    names = [line.split()[1] for line in done.out.splitlines() if not line.startswith(" ")]
    assert names == [
        *("versions", "configuration", "memory", "brain", "state", "cache", "reports", "root"),
        *("scheduler", "ledger", "clock", "nightly", "weekly", "disk", "lock"),
    ]
    assert done.err == "15 checks: 0 failed, 1 to look at\n"
    assert "warning  scheduler      nothing starts the jobs" in done.out
    assert folder_state(tmp_path) == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_document_holds_checks_problems_and_the_lock(here: Program) -> None:
    document = here("doctor", "--json").document

    assert (document["schema"], document["ok"], document["data"]["lock"]) == ("zecher.doctor", True, None)
    assert document["data"]["released"] is False
    codes = [problem["code"] for problem in document["problems"]]
    assert codes == ["doctor-scheduler", "doctor-job", "doctor-job"]
    assert set(document["data"]["checks"][0]) == {
        *("name", "state", "message", "code", "fix", "path", "mended")
    }


def test_the_check_ends_with_ten_only_where_something_fails(here: Program, tmp_path: Path) -> None:
    assert here("doctor", "--check").code == 0
    (tmp_path / "dev/shop").rmdir()
    (tmp_path / "dev").rmdir()

    assert here("doctor", "--check").code == 10
    assert here("doctor").code == 0


# -- memory, by doing ----------------------------------------------------------------------------------------


def test_memory_is_written_read_and_recalled(here: Program) -> None:
    check = checks(here)["memory"]

    assert check["state"] == "ok"
    assert check["message"].startswith("written, read and recalled in a temporary home (")


def test_a_memory_that_cannot_be_read_back_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from jobs import memory  # noqa: PLC0415 - to be broken here

    monkeypatch.setattr(memory, "add", lambda *_: None)

    check = _memory(NOW)

    assert (check.state, check.code) == ("error", "doctor-memory")
    assert "read back" in check.words


def test_a_memory_that_cannot_be_recalled_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from brain.recall import recall  # noqa: PLC0415 - to be broken here

    class Nothing:
        hits = ()

    monkeypatch.setattr(recall, "recall", lambda *_, **__: Nothing())

    assert "recalled" in _memory(NOW).words


# -- configuration and roots ---------------------------------------------------------------------------------


def test_each_mistake_of_the_configuration_is_a_check(here: Program) -> None:
    configure(here, '[scan]\ndept = 3\n\n[schedule]\nnightly = "25:00"\n')

    mistakes = [
        check for check in here("doctor", "--json").data["checks"] if check["name"] == "configuration"
    ]

    assert [check["state"] for check in mistakes] == ["error", "error"]
    assert [check["message"].partition(",")[0] for check in mistakes] == ["line 2", "line 5"]


def test_a_configuration_that_is_none_stops_no_other_check(here: Program) -> None:
    configure(here, "garbage")

    everything = checks(here)

    assert everything["configuration"]["state"] == "error"
    assert everything["memory"]["state"] == "ok"


def test_a_root_that_is_gone_is_an_error_and_one_that_is_there_is_listed(
    here: Program, tmp_path: Path
) -> None:
    assert checks(here)["root"]["message"] == f"{tmp_path}/dev: 1 entry read"
    configure(here, f'[scan]\nroots = ["{tmp_path}/nowhere"]\n')

    assert found(here, "root") == ("error", "doctor-root")


@needs_a_user
def test_a_root_that_keeps_us_out_is_an_error(here: Program, tmp_path: Path) -> None:
    (tmp_path / "dev").chmod(0)
    try:
        assert found(here, "root") == ("error", "doctor-root")
    finally:
        (tmp_path / "dev").chmod(0o755)


# -- folders -------------------------------------------------------------------------------------------------


def test_fix_makes_the_folders_that_are_missing(here: Program) -> None:
    brain = here.home / ".bmad-plus/brain"

    mended = [name for name, check in checks(here, "--fix").items() if check["mended"]]

    assert mended == ["brain", "state", "cache", "reports"]
    assert stat.S_IMODE(brain.stat().st_mode) == 0o700
    assert [name for name, check in checks(here, "--fix").items() if check["mended"]] == []


def test_a_brain_that_others_may_write_is_told_and_closed_with_fix(here: Program) -> None:
    brain = here.home / ".bmad-plus/brain"
    brain.mkdir(parents=True)
    brain.chmod(0o777)

    assert found(here, "brain") == ("warning", "doctor-rights")
    assert stat.S_IMODE(brain.stat().st_mode) == 0o777
    assert checks(here, "--fix")["brain"]["mended"]
    assert stat.S_IMODE(brain.stat().st_mode) == 0o755


def test_a_file_in_the_place_of_a_folder_is_an_error(here: Program) -> None:
    (here.home / ".bmad-plus").mkdir()
    (here.home / ".bmad-plus/brain").write_text("mine")

    assert found(here, "brain", "--fix") == ("error", "doctor-folder")
    assert (here.home / ".bmad-plus/brain").read_text() == "mine"


@needs_a_user
def test_a_folder_that_cannot_be_written_is_an_error(here: Program) -> None:
    brain = here.home / ".bmad-plus/brain"
    brain.mkdir(parents=True)
    brain.chmod(0o500)

    assert found(here, "brain") == ("error", "doctor-folder")


# -- the jobs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot", "days", "how", "expected"),
    [
        ("2026-11-30", 0, "ok", ("ok", None)),
        ("2026-11-30", 0, "failed", ("warning", "doctor-job")),
        ("2026-11-26", 4, "ok", ("error", "doctor-job")),
    ],
)
def test_the_last_run_is_judged(
    here: Program, slot: str, days: float, how: str, expected: tuple[str, str | None]
) -> None:
    record(here, "nightly", slot, days, how)

    assert found(here, "nightly") == expected


def test_where_a_daemon_runs_something_starts_the_jobs(here: Program) -> None:
    assert found(here, "scheduler") == ("warning", "doctor-scheduler")
    with BrainLock(lock_path(state(here), DAEMON_LOCK), wait=0.0):
        assert found(here, "scheduler") == ("ok", None)


def test_a_run_that_crashed_is_told_when_it_is_written_down(here: Program) -> None:
    hook = here.home / "hook"
    hook.write_text("#!/bin/sh\necho $ZECHER_OUTCOME > $HOME/heard\n")
    hook.chmod(0o755)
    configure(here, f'[[hooks]]\nrun = ["{hook}"]\n')
    record(here, "nightly", "2026-11-30", 0, "start")

    checks(here, "--fix")

    assert (here.home / "heard").read_text() == "crashed\n"


def test_a_run_that_crashed_is_written_down_with_fix(here: Program) -> None:
    record(here, "nightly", "2026-11-30", 0.01, "start")

    assert found(here, "crash") == ("warning", "run-crashed")
    assert [run.state for run in read_runs(state(here)).runs] == ["start"]
    assert checks(here, "--fix")["crash"]["mended"]
    assert [run.state for run in read_runs(state(here)).runs] == ["crashed"]


def test_a_ledger_that_is_none_is_an_error_and_stays(here: Program) -> None:
    Path(ledger_path(state(here))).mkdir(parents=True)

    assert found(here, "ledger", "--fix") == ("error", "ledger-unreadable")
    assert Path(ledger_path(state(here))).is_dir()


@pytest.mark.parametrize("now", ["2020-01-01T00:00:00Z", "2060-01-01T00:00:00Z"])
def test_a_clock_that_cannot_be_right_is_told(here: Program, now: str) -> None:
    assert found(here, "clock", "--now", now) == ("warning", "clock-suspicious")


# -- the disk and the lock -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "files", "expected"),
    [(10**10, 10**6, "ok"), (10**8, 10**6, "warning"), (10**7, 10**6, "error"), (10**10, 3, "error")],
)
def test_the_space_is_judged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, files: int, expected: str
) -> None:
    class Space:
        f_bavail, f_frsize, f_files, f_favail = free // 4096, 4096, 10**7, files

    monkeypatch.setattr(os, "statvfs", lambda _: Space)

    assert _disk(str(tmp_path / "not/there/yet")).state == expected


def test_the_lock_of_a_dead_writer_is_told_and_stays(here: Program) -> None:
    lock = here.cwd / ".bmad/memory/writer.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text(f'{{"pid": {2**22 + 1}, "hostname": "{os.uname().nodename}", "token": "t"}}')

    assert found(here, "lock", "--fix") == ("warning", "ledger-locked")
    assert lock.exists()


def test_a_name_cannot_reach_the_terminal_with_escapes(here: Program, tmp_path: Path) -> None:
    configure(here, f'[scan]\nroots = ["{tmp_path}/\\u001b[2J"]\n')

    done = here("doctor")

    assert "\x1b" not in done.out + done.err
    assert "\\x1b[2J" in done.out
