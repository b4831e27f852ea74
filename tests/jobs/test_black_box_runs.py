"""``zecher run`` from outside: real processes, real signals, real locks, real refusals of the disk.

Written from the reference alone, without a look at the code. A test that is marked as failing names the
defect that it found; whoever mends it takes the mark away.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from jobs.registry import CancelToken
from tests.jobs.daemons import daemon, is_alive, runs
from tests.jobs.job_contexts import Jobs
from tests.jobs.program import Done, Program
from tests.support import write

PATIENCE = 60.0


@pytest.fixture
def here(zecher: Program, dev: Path) -> Program:
    """The program with three projects and a configuration that names their folder; no scheduler anywhere."""
    empty = zecher.cwd / "bin"
    empty.mkdir()
    zecher.extra |= {"TZ": "UTC", "PATH": str(empty)}
    configure(zecher, f'[scan]\nroots = ["{dev}"]\n')
    return zecher


def configure(program: Program, text: str) -> None:
    path = write(program.home / ".config/zecher/config.toml", text)
    path.parent.chmod(0o700)
    path.chmod(0o600)


def at(program: Program, moment: str, *words: str) -> Done:
    return program(*words, "--now", moment)


def started(
    program: Program, *words: str, before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        program.command(*words),
        cwd=program.cwd,
        env=program.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=before,  # noqa: PLW1509 - one thread, and a limit can be set no other way
    )


def until(happened: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < limit
        time.sleep(0.01)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The lock at ``path`` in the hands of somebody else."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def hook(program: Program, body: str, *, on: str = '["failure", "recovery", "success"]') -> Path:
    """A hook of the configuration; the path of its script."""
    path = write(program.home / "hook", f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    text = (program.home / ".config/zecher/config.toml").read_text()
    configure(program, f'{text}[[hooks]]\nrun = ["{path}"]\non = {on}\n')
    return path


# -- case 14: everybody in the same minute -------------------------------------------------------------------


def test_daemon_timer_cron_and_hands_in_the_same_minute_make_one_run(home: Path, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    environ = {"TZ": "UTC", "TEST_JOBS": "polite"}
    program = Program(home, tmp_path / "here", environ, module="tests.jobs.daemon_program")
    words = [("run", "polite"), ("run", "--if-due", "--all"), ("run", "polite", "--if-due")]

    with daemon(program) as running:
        running.ready()
        others = [started(program, *words[place % 3]) for place in range(6)]
        for other in others:
            other.communicate(timeout=PATIENCE)
        codes = [other.returncode for other in others]
        (home / "go").touch()
        running.until_states("ok")
        running.stop()

    assert set(codes) == {75}
    assert [run["state"] for run in runs(program)] == ["ok"]


def test_of_twelve_runners_one_runs_and_the_others_say_so(here: Program) -> None:
    racing = [started(here, "run", "nightly", "--json") for _ in range(12)]
    ends = [(process.communicate(timeout=PATIENCE)[0], process.returncode) for process in racing]

    told = sorted((json.loads(out)["data"]["outcome"], code) for out, code in ends)
    assert sum(outcome not in ("nothing-due", "skipped") for outcome, _ in told) == 1
    assert {one for one in told if one[0] in ("nothing-due", "skipped")} <= {
        ("nothing-due", 0),
        ("skipped", 75),
    }
    assert len(runs(here)) == 1


# -- case 28: SIGTERM at any moment --------------------------------------------------------------------------


def test_a_signal_at_any_moment_ends_a_run_whole_or_without_a_trace(here: Program, full: bool) -> None:
    chance = random.Random(28)  # noqa: S311 - moments, no secrets
    brain, reports = here.home / ".bmad-plus/brain", here.home / ".bmad-plus/reports"
    for _ in range(30 if full else 4):
        process = started(here, "run", "nightly", "--force")
        time.sleep(chance.uniform(0.02, 0.4))
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)

        assert time.monotonic() - begin < PATIENCE
        assert process.returncode in (0, 3, 143, -signal.SIGTERM)
        own = [run["state"] for run in runs(here) if run["pid"] == process.pid]
        assert own in ([], ["cancelled"], ["ok"], ["partial"])
        if {run["state"] for run in runs(here)} <= {"cancelled"}:
            assert not list(brain.glob("projects/*.yaml"))
            assert not reports.exists()
        litter = [path for path in here.home.rglob(".*.tmp") if "dev" not in path.parts]
        assert litter == []


def test_a_run_is_asked_to_stop_between_any_two_projects(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        write(tmp_path / "dev" / f"p{number:02}" / "go.mod", "module example.com/p\n")
    asked: list[None] = []
    check = CancelToken.check

    def counted_check(token: CancelToken) -> None:
        asked.append(None)
        check(token)

    monkeypatch.setattr(CancelToken, "check", counted_check)
    opened: list[int] = []
    real = os.open

    def counted(path: Any, *args: Any, **more: Any) -> int:
        if str(path).endswith("go.mod"):
            opened.append(len(asked))
        return real(path, *args, **more)

    monkeypatch.setattr(os, "open", counted)

    Jobs(home, tmp_path / "dev").nightly()

    # Whoever reads forty manifests without a question between them does not hear a signal meanwhile.
    assert len(opened) >= 40
    assert len(set(opened)) >= 39


def test_a_signal_during_a_hook_ends_the_hook_and_still_tells_how_the_run_ended(here: Program) -> None:
    hook(here, f"echo $$ > {here.home}/pid; exec /bin/sleep 120")
    process = started(here, "run", "nightly", "--json")
    pid = hook_pid(here)
    try:
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
        took = time.monotonic() - begin
        left = is_alive(pid)
    finally:
        end(pid)

    assert (left, took < PATIENCE) == (False, True)
    assert json.loads(out)["data"]["state"] in ("ok", "partial")
    assert process.returncode in (0, 3, 143)


def hook_pid(program: Program) -> int:
    path = program.home / "pid"
    until(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


# -- case 6: nothing can be written --------------------------------------------------------------------------


def test_a_night_that_could_write_nothing_has_failed(here: Program) -> None:
    write(here.home / ".bmad-plus", "in the way of brain and reports\n")

    done = here("run", "nightly", "--json")

    assert done.data["outputs"] == []
    assert (done.code, done.data["outcome"]) == (1, "failed")


def test_a_night_that_could_write_nothing_is_tried_again(here: Program) -> None:
    blocked = write(here.home / ".bmad-plus", "in the way of brain and reports\n")
    at(here, "2026-11-30T03:17:04Z", "run", "nightly", "--if-due")
    blocked.unlink()

    again = at(here, "2026-11-30T03:23:00Z", "run", "nightly", "--if-due")

    assert again.out.startswith("nightly: ok for 2026-11-30")


def test_nights_that_could_write_nothing_are_told(here: Program) -> None:
    hook(here, f"echo $ZECHER_OCCASION >> {here.home}/heard", on='["failure"]')
    write(here.home / ".bmad-plus", "in the way of brain and reports\n")

    for day in ("01", "02", "03"):
        at(here, f"2026-12-{day}T03:18:00Z", "run", "nightly", "--if-due")

    assert (here.home / "heard").read_text().splitlines() == ["failure", "failure"]


def test_a_night_that_found_the_brain_locked_is_made_up_for(here: Program, dev: Path) -> None:
    here("run", "nightly")
    write(dev / "fresh" / "go.mod", "module example.com/fresh\n")
    with held(here.home / ".bmad-plus/brain/.zecher.lock"):
        at(here, "2026-12-01T03:17:04Z", "run", "nightly", "--if-due")

    at(here, "2026-12-01T03:40:00Z", "run", "nightly", "--if-due")

    assert "fresh" in here("projects").out


def test_without_room_for_a_byte_the_old_index_stays_and_the_message_says_where(
    here: Program, dev: Path
) -> None:
    here("run", "nightly")
    index = here.home / ".bmad-plus/brain/projects-index.md"
    before = index.read_bytes()
    write(dev / "fresh" / "go.mod", "module example.com/fresh\n")

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    process = started(here, "run", "nightly", "--force", before=full)
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode in (1, 3)
    assert str(here.home / ".bmad-plus/brain").encode() in err
    assert b"Traceback" not in err
    assert index.read_bytes() == before


# -- cases 15, 18, 22: crashes, gaps, clocks -----------------------------------------------------------------


def test_killed_at_any_moment_the_next_run_starts_at_once_and_marks_the_crash(
    here: Program, full: bool
) -> None:
    chance = random.Random(15)  # noqa: S311 - moments, no secrets
    for _ in range(10 if full else 2):
        process = started(here, "run", "nightly", "--force")
        time.sleep(chance.uniform(0.05, 0.35))
        process.kill()
        process.communicate(timeout=PATIENCE)

        after = here("run", "nightly", "--force")

        assert after.code in (0, 3)
        own = [run["state"] for run in runs(here) if run["pid"] == process.pid]
        assert own in ([], ["crashed"], ["ok"], ["partial"])


def test_ten_years_on_and_back_archive_nothing_and_take_no_time(here: Program) -> None:
    at(here, "2026-11-30T03:18:00Z", "run", "nightly")
    before = here("projects").out
    begin = time.monotonic()
    ahead = at(here, "2036-11-30T03:18:00Z", "run", "nightly", "--json")
    back = at(here, "2026-12-01T03:18:00Z", "run", "nightly", "--json")

    assert time.monotonic() - begin < PATIENCE
    assert "clock-suspicious" in [one["code"] for one in ahead.document["problems"]]
    assert ahead.data["missed_slots"] == 3652
    assert back.data["slot"] == "2026-12-01"
    assert [line.split("\t")[0] for line in here("projects").out.splitlines()] == [
        line.split("\t")[0] for line in before.splitlines()
    ]


@pytest.mark.parametrize(
    ("zone", "schedule", "now", "begins"),
    [
        ("Europe/Berlin", "daily 02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "daily 02:30", "2026-03-29T12:00:00Z", "2026-03-30T00:30:00Z"),
        ("Europe/Berlin", "daily 02:30", "2026-10-25T00:31:00Z", "2026-10-26T01:30:00Z"),
        ("Europe/Berlin", "daily 00:00", "2025-03-30T12:00:00Z", "2025-03-30T22:00:00Z"),
        ("Europe/Berlin", "weekly mon 00:00", "2025-03-25T12:00:00Z", "2025-03-30T22:00:00Z"),
        ("America/Santiago", "daily 00:00", "2026-09-05T12:00:00Z", "2026-09-06T04:00:00Z"),
        ("Africa/Cairo", "daily 00:00", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"),
        ("Australia/Lord_Howe", "daily 02:15", "2026-10-03T02:00:00Z", "2026-10-03T15:30:00Z"),
    ],
)
def test_jobs_names_the_next_slot_over_a_change_of_the_clock(
    here: Program, zone: str, schedule: str, now: str, begins: str
) -> None:
    configure(here, f'[schedule]\nzone = "{zone}"\nnightly = "{schedule}"\n')

    nightly = at(here, now, "jobs", "--json").data["jobs"][0]

    assert nightly["next_slot"] == begins


# -- case 60: hooks ------------------------------------------------------------------------------------------


def test_a_hook_gets_its_arguments_as_they_are_and_no_shell(here: Program) -> None:
    script = hook(here, f'printf "%s\\n" "$@" > {here.home}/heard')
    text = (here.home / ".config/zecher/config.toml").read_text()
    hostile = f'["{script}", "a b", "; touch {here.home}/harm", "$HOME", "$(touch {here.home}/harm)", ""]'
    configure(here, text.replace(f'["{script}"]', hostile))

    here("run", "nightly")

    assert (here.home / "heard").read_text().splitlines() == [
        "a b",
        f"; touch {here.home}/harm",
        "$HOME",
        f"$(touch {here.home}/harm)",
        "",
    ]
    assert not (here.home / "harm").exists()


def test_a_hook_that_failed_is_recorded(here: Program) -> None:
    hook(here, "exit 7")
    here("run", "nightly")

    shown = here("jobs", "--json", "-v")

    assert "hook" in shown.out + (here.home / ".local/state/zecher/runs.ndjson").read_text()
