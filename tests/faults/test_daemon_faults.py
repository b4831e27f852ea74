from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.daemon import Daemon
from jobs.daemon_jobs import STOP_SECONDS, TICK_SECONDS, DaemonSettings
from jobs.notify_socket import NotifySocket
from tests.jobs.daemons import Running, daemon, is_alive, runs
from tests.jobs.program import Program
from tests.jobs.runs import run_settings

Start = Callable[..., Program]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks at processes in /proc")


@pytest.fixture
def zecherd(home: Path, tmp_path: Path) -> Start:
    """``zecher`` with the named jobs of ``tests.jobs.daemon_program``."""

    def make(*jobs: str, **extra: str) -> Program:
        (tmp_path / "here").mkdir(exist_ok=True)
        environ = {"TZ": "UTC", "TEST_JOBS": " ".join(jobs), **extra}
        return Program(home, tmp_path / "here", environ, module="tests.jobs.daemon_program")

    return make


def last(running: Running) -> tuple[str, str]:
    """State and error of the one run that there is."""
    (run,) = runs(running.program)
    return run["state"], run.get("error", {}).get("msg", "")


# -- signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_asked_to_end_it_ends_its_job_cleanly_first(
    zecherd: Start, number: signal.Signals, code: int
) -> None:
    with daemon(zecherd("polite")) as running:
        job = running.ready()
        done = running.stop(number)

    assert (done.code, is_alive(job)) == (code, False)
    assert last(running) == ("cancelled", "it was asked to end")
    assert not (running.program.home / "report.md").exists()


def test_idle_it_ends_at_once(zecherd: Start) -> None:
    with daemon(zecherd("good", TEST_TICK="600")) as running:
        running.until_states("ok")
        time.sleep(0.2)
        begin = time.monotonic()
        done = running.stop()

    assert done.code == 0
    assert time.monotonic() - begin < 15  # it would wait twenty for a job


@pytest.mark.parametrize("job", ["good", "polite", "stubborn"])
def test_a_hundred_signals_in_a_row_are_one_clean_end(zecherd: Start, job: str) -> None:
    with daemon(zecherd(job)) as running:
        if job == "good":
            running.until_states("ok")
        else:
            running.ready()
        for _ in range(100):
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGTERM)
            time.sleep(0.001)
        done = running.ends()

    assert done.code == 0
    assert done.err.count("zecher daemon: stopped") == 1
    assert "Traceback" not in done.err
    assert last(running)[0] == ("ok" if job == "good" else "cancelled")


def test_a_storm_of_all_signals_ends_in_one_clean_end(zecherd: Start, full: bool) -> None:
    for _ in range(20 if full else 2):
        with daemon(zecherd("good")) as running:
            for round_ in range(150):
                for number in (signal.SIGHUP, signal.SIGCHLD):
                    running.process.send_signal(number)
                if round_ % 10 == 0:
                    time.sleep(0.002)
            done = running.stop()
        assert (done.code, "Traceback" in done.err) == (0, False)


def test_a_job_that_does_not_end_is_killed_and_written_down_as_crashed(zecherd: Start) -> None:
    with daemon(zecherd("deaf", TEST_STOP="0.5")) as running:
        job = running.ready()
        begin = time.monotonic()
        done = running.stop()

    assert (done.code, is_alive(job)) == (0, False)
    assert 0.5 <= time.monotonic() - begin < 30
    assert last(running) == ("crashed", "it did not end within 0.5 s and was killed")


# -- jobs ----------------------------------------------------------------------------------------------------


def test_a_job_that_was_killed_is_written_down_at_once(zecherd: Start) -> None:
    with daemon(zecherd("polite", TEST_TICK="600")) as running:
        os.kill(running.ready(), signal.SIGKILL)
        running.until_states("crashed")
        running.stop()

    assert last(running) == ("crashed", "its process ended with SIGKILL")


def test_a_job_that_crashes_its_process_costs_the_others_nothing(zecherd: Start) -> None:
    with daemon(zecherd("falling", "stubborn", TEST_STOP="5")) as running:
        running.until_states("crashed", "start")
        time.sleep(0.5)
        done = running.stop()

    assert (done.code, [run["state"] for run in runs(running.program)]) == (0, ["crashed", "cancelled"])


def test_a_job_that_ignores_its_deadline_is_killed(zecherd: Start) -> None:
    with daemon(zecherd("deaf", TEST_PAST="0.5")) as running:
        job = running.ready()
        running.until_states("crashed")
        running.stop()

    assert not is_alive(job)
    assert last(running) == ("crashed", "it did not end at its deadline and was killed")


def hooked(program: Program, script: str) -> None:
    """Configure a hook that is told of failures."""
    hook = program.home / "hook"
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    path = program.home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'[[hooks]]\nrun = ["{hook}"]\n')


def test_those_who_are_configured_are_told_of_a_job_that_crashed(zecherd: Start) -> None:
    program = zecherd("polite", TEST_TICK="600", NOTIFY_SOCKET="/nowhere")
    heard = program.home / "heard"
    hooked(program, f'echo "$ZECHER_OUTCOME $ZECHER_ERROR ${{NOTIFY_SOCKET-none}}" > {heard}; exit 1')
    with daemon(program) as running:
        os.kill(running.ready(), signal.SIGKILL)
        running.until_said("[notice-hook]")
        running.stop()

    assert heard.read_text() == "crashed crash: its process ended with SIGKILL none\n"
    (run,) = runs(program)
    assert (run["state"], len(run["untold"])) == ("crashed", 1)


def test_a_hook_that_hangs_keeps_the_daemon_neither_from_its_work_nor_from_its_end(zecherd: Start) -> None:
    program = zecherd("falling", "good", TEST_STOP="1")
    hooked(program, "echo > $HOME/hangs; exec /bin/sleep 120")
    with daemon(program) as running:
        running.until((program.home / "hangs").exists)
        running.until(lambda: "ok" in [run["state"] for run in runs(program)])
        begin = time.monotonic()
        done = running.stop()

    assert (done.code, "Traceback" in done.err) == (0, False)
    assert time.monotonic() - begin < 60


def test_those_who_are_configured_are_told_of_a_job_that_was_killed_at_the_end(zecherd: Start) -> None:
    program = zecherd("deaf", TEST_STOP="0.5")
    hooked(program, "echo $ZECHER_OUTCOME > $HOME/heard")
    with daemon(program) as running:
        running.ready()
        running.stop()

    assert (program.home / "heard").read_text() == "crashed\n"


def test_a_job_that_is_asked_to_end_before_it_can_listen_is_no_crash(zecherd: Start, tmp_path: Path) -> None:
    child = tmp_path / "child"
    child.write_text("#!/bin/sh\necho > $HOME/ready\nexec /bin/sleep 60\n")
    child.chmod(0o755)
    with daemon(zecherd("good", TEST_CHILD=str(child), TEST_TICK="600")) as running:
        running.until((running.program.home / "ready").exists)
        done = running.stop()

    assert (done.code, "run-crashed" in done.err, runs(running.program)) == (0, False, [])
    assert "good is asked to end" in done.err


@pytest.mark.parametrize("child", ["/bin/true", "/bin/false"])
def test_a_process_that_says_nothing_to_the_ledger_is_not_started_over_and_over(
    zecherd: Start, child: str
) -> None:
    with daemon(zecherd("good", TEST_CHILD=child, TEST_TICK="0.01")) as running:
        running.until_said("is due")
        time.sleep(0.5)
        done = running.stop()

    assert (done.code, done.err.count("is due")) == (0, 1)


def test_a_process_that_cannot_be_started_is_tried_again_later(zecherd: Start) -> None:
    with daemon(zecherd("good", "partly", TEST_CHILD="/nowhere/python", TEST_TICK="0.01")) as running:
        running.until_said("partly could not be started")
        time.sleep(0.5)
        done = running.stop()

    assert done.code == 0
    assert done.err.count("[daemon-start]") == 2


def test_who_asks_for_the_job_meanwhile_is_told_so(zecherd: Start) -> None:
    program = zecherd("polite")
    with daemon(program) as running:
        job = running.ready()
        by_hand, by_timer = program("run", "polite"), program("run", "--if-due", "--all")
        (program.home / "go").touch()
        running.until_states("ok")
        running.stop()

    assert (by_hand.code, by_timer.code) == (75, 75)
    assert f"process {job} is running it" in by_hand.out
    assert len(runs(program)) == 1


def test_a_quiet_daemon_still_tells_of_a_crash(zecherd: Start) -> None:
    program = zecherd("falling")
    err = program.cwd / "err"
    with err.open("wb") as stream:
        process = subprocess.Popen(
            program.command("daemon", "--quiet"), cwd=program.cwd, env=program.environment(), stderr=stream
        )
    limit = time.monotonic() + 60
    while "run-crashed" not in err.read_text() and time.monotonic() < limit:
        time.sleep(0.02)
    process.terminate()

    assert process.wait(60) == 0
    assert err.read_text() == "zecher daemon: falling: its process ended with SIGSEGV [run-crashed]\n"


def test_a_run_of_somebody_else_is_left_alone(zecherd: Start) -> None:
    program = zecherd("polite")
    with daemon(program) as first:
        job = first.ready()
        first.process.kill()
        first.process.wait()
        with daemon(program) as second:
            second.until_said("is due")
            (program.home / "go").touch()
            second.until_states("ok")
            time.sleep(0.3)
            done = second.stop()

    assert [run["pid"] for run in runs(program)] == [job]
    assert (done.code, done.err.count("is due")) == (0, 1)


# -- the machine ---------------------------------------------------------------------------------------------


def test_a_daemon_that_stood_still_goes_on(zecherd: Start) -> None:
    begin = time.monotonic()
    with daemon(zecherd("good", ZECHER_NOW="2026-11-30T03:16:55Z")) as running:
        running.until_states("ok")
        running.process.send_signal(signal.SIGSTOP)
        # Its clock began after ours: a second more than the five until the next slot, and a slow start.
        time.sleep(max(0.0, begin + 8 - time.monotonic()))
        assert len(runs(running.program)) == 1
        running.process.send_signal(signal.SIGCONT)
        running.until_states("ok", "ok")
        running.stop()

    assert [run["slot"] for run in runs(running.program)] == ["2026-11-29", "2026-11-30"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3610.0, "1 h on"), (-3610.0, "1 h back"), (59.0, ""), (-59.0, "")],
)
def test_a_clock_that_was_changed_is_noticed_once(tmp_path: Path, seconds: float, words: str) -> None:
    said: list[str] = []
    runs_ = run_settings(tmp_path / "zecher")
    settings = DaemonSettings(
        read=lambda: runs_, command=("/bin/true",), environ={}, say=said.append, warn=said.append
    )
    one = Daemon(settings, NotifySocket({}))
    one._library.start(paused=True)
    try:
        one._drift = time.time() - time.monotonic() - seconds
        one._notice_clock()
        one._notice_clock()
    finally:
        one._library.shutdown(wait=False)

    assert len(said) == (1 if words else 0)
    assert all(line.startswith("the machine slept or its clock was changed: ") for line in said)
    assert all(line.endswith(words) for line in said)


def test_a_manager_that_goes_away_or_does_not_read_is_no_matter(zecherd: Start, tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as silent:
            silent.bind("n")
            program = zecherd("good", NOTIFY_SOCKET=str(tmp_path / "n"), WATCHDOG_USEC="10000")
            with daemon(program) as running:
                time.sleep(1)  # by now the socket is full
                silent.close()
                running.until_states("ok")
                time.sleep(0.2)
                done = running.stop()
    finally:
        os.chdir(before)

    assert done.code == 0


def test_a_state_folder_that_cannot_be_made_keeps_it_from_starting(home: Path, zecherd: Start) -> None:
    (home / ".local").write_text("a file")
    done = zecherd("good")("daemon")

    assert done.code == 1
    assert "the daemon was not started [state-unwritable]" in done.err


def test_where_no_locks_are_kept_it_does_not_start(zecherd: Start) -> None:
    done = zecherd("good", TEST_LOCKS="none")("daemon")

    assert done.code == 1
    assert "take one that has locks" in done.err
    assert "started" not in done.err.replace("not started", "")


def test_the_times_of_the_daemon_are_those_that_its_unit_relies_on() -> None:
    assert (TICK_SECONDS, STOP_SECONDS) == (30.0, 20.0)
