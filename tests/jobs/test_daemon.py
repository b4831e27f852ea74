from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from jobs.daemon import SlotTrigger
from jobs.notify_socket import NotifySocket
from jobs.run_ledger import Run, append_run
from jobs.schedule.text import parse_schedule
from tests.jobs.daemons import daemon, runs
from tests.jobs.program import ROOT, Program
from tests.support import DAY, NOW

Start = Callable[..., Program]

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="processes are looked at in /proc"
)


@pytest.fixture
def zecherd(home: Path, tmp_path: Path) -> Start:
    """``zecher`` with the named jobs of ``tests.jobs.daemon_program``."""

    def make(*jobs: str, **extra: str) -> Program:
        (tmp_path / "here").mkdir(exist_ok=True)
        environ = {"TZ": "UTC", "TEST_JOBS": " ".join(jobs), **extra}
        return Program(home, tmp_path / "here", environ, module="tests.jobs.daemon_program")

    return make


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The end of a service manager that the daemon talks to."""
    # The address of a socket may be 107 bytes long, and the folders of tests are longer.
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
            listening.bind("notify")
            listening.settimeout(60)
            yield listening
    finally:
        os.chdir(here)


def heard(manager: socket.socket) -> list[str]:
    """All that lies in the socket."""
    manager.setblocking(False)
    found = []
    while True:
        try:
            found.append(manager.recv(4096).decode())
        except BlockingIOError:
            manager.settimeout(60)
            return found


def heard_until(manager: socket.socket, beginning: str) -> list[str]:
    """All that comes until a message with this beginning; fails when it does not come within a minute."""
    found = [manager.recv(4096).decode()]
    while not found[-1].startswith(beginning):
        found.append(manager.recv(4096).decode())
    return found


# -- what is due ---------------------------------------------------------------------------------------------


def test_jobs_that_are_due_run_once_one_after_the_other(zecherd: Start) -> None:
    with daemon(zecherd("good", "partly")) as running:
        running.until_states("ok", "partial")
        time.sleep(0.5)  # five ticks more
        done = running.stop()

    first, second = runs(running.program)
    assert (done.code, first["job"], second["job"]) == (0, "good", "partly")
    assert (first["trigger"], first["slot"]) == ("daemon", "2026-11-30")
    # The second child is told its time when it is started: some milliseconds before the first wrote its end.
    assert first["end"][:19] <= second["start"][:19]
    assert running.said.count("is due") == 2
    assert running.said.endswith("zecher daemon: stopped\n")


def test_the_beginning_of_a_slot_wakes_it_long_before_the_tick(zecherd: Start) -> None:
    # Five seconds are enough for the first run to be over, and the beginning is still to come.
    program = zecherd("good", TEST_TICK="600", ZECHER_NOW="2026-11-30T03:16:55Z")
    with daemon(program) as running:
        running.until_states("ok", "ok")

    before, after = runs(program)
    assert (before["slot"], after["slot"]) == ("2026-11-29", "2026-11-30")
    assert "2026-11-30T03:17:00" <= after["start"] < "2026-11-30T03:18:00"


def test_what_a_hand_has_run_is_not_run_again(zecherd: Start) -> None:
    program = zecherd("good")
    assert program("run", "good").code == 0
    with daemon(program) as running:
        time.sleep(0.5)
        running.stop()

    assert [run["trigger"] for run in runs(program)] == ["manual"]
    assert "is due" not in running.said


def test_a_job_that_failed_waits_for_its_pause(zecherd: Start) -> None:
    with daemon(zecherd("bad")) as running:
        running.until_states("failed")
        time.sleep(0.5)
        running.stop()

    assert [run["state"] for run in runs(running.program)] == ["failed"]


def test_slots_that_were_slept_through_are_one_run_that_counts_them(zecherd: Start) -> None:
    program = zecherd("good")
    assert program("run", "good", "--now", "2026-11-20T04:00:00Z").code == 0
    with daemon(program) as running:
        running.until_states("ok", "ok")

    assert [(run["slot"], run.get("missed_slots")) for run in runs(program)] == [
        ("2026-11-20", 0),
        ("2026-11-30", 9),
    ]


def test_a_job_is_handed_the_options_and_nothing_that_speaks_for_the_daemon(
    zecherd: Start, manager: socket.socket, tmp_path: Path
) -> None:
    program = zecherd("telling", NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="9000000")
    (program.cwd / "my.toml").write_text("")
    with daemon(program, "--config", "my.toml", "--brain", "brain") as running:
        running.until_states("ok")
    told = dict(line.split("=", 1) for line in (program.home / "told").read_text().splitlines())

    assert manager.getsockname() == "notify"
    assert told["ZECHER_TRIGGER"] == "daemon"
    assert {"NOTIFY_SOCKET", "WATCHDOG_USEC", "ZECHER_NOW"} & told.keys() == set()
    assert told["cwd"] == "/"
    options = f"'--config', '{program.cwd}/my.toml', '--brain', '{program.cwd}/brain'"
    assert f"{options}, '--now', '2026-11-30T03:17:" in told["argv"]


def test_a_job_looks_in_the_same_places_as_the_daemon(zecherd: Start) -> None:
    """It stands in the root folder: what a variable names from here would be elsewhere there."""
    program = zecherd("telling", ZECHER_CONFIG="my.toml", ZECHER_REPORTS="reports", ZECHER_CACHE="cache")
    (program.cwd / "my.toml").write_text("")
    with daemon(program) as running:
        running.until_states("ok")
    told = dict(line.split("=", 1) for line in (program.home / "told").read_text().splitlines())

    names = {"ZECHER_CONFIG": "my.toml", "ZECHER_REPORTS": "reports", "ZECHER_CACHE": "cache"}
    assert {name: told[name] for name in names} == {
        name: f"{program.cwd}/{value}" for name, value in names.items()
    }


# -- one daemon, its configuration ---------------------------------------------------------------------------


def test_a_second_daemon_is_told_of_the_first(zecherd: Start) -> None:
    program = zecherd("good")
    with daemon(program) as running:
        running.until_states("ok")
        second = program("daemon")
        running.stop()

    assert second.code == 75
    assert "the daemon is running already [daemon-runs]" in second.err
    assert f"process {running.process.pid} starts the jobs" in second.err


def test_a_daemon_whose_state_folder_was_removed_takes_its_lock_again(home: Path, zecherd: Start) -> None:
    program = zecherd("good")
    with daemon(program) as running:
        running.until_states("ok")
        (home / ".local/state/zecher").rename(home / "removed")
        running.until_said("its lock was removed, and is taken again")
        second = program("daemon")
        done = running.stop()

    assert (second.code, done.code) == (75, 0)
    assert done.err.count("taken again") == 1


def test_a_daemon_whose_lock_another_one_has_by_now_ends_and_says_so(home: Path, zecherd: Start) -> None:
    with daemon(zecherd("good", TEST_TICK="600")) as first:
        first.until_states("ok")
        job = Path("/proc", first.said.rpartition("process ")[2].strip())
        first.until(lambda: not job.exists())  # from here on it looks at nothing until it is woken
        (home / ".local/state/zecher").rename(home / "removed")
        with daemon(zecherd("good")) as second:
            first.process.send_signal(signal.SIGHUP)
            done = first.ends()
            second.until_states("ok")
            second.stop()

    assert done.code == 75
    assert "the daemon is running already [daemon-runs]" in done.err
    assert f"process {second.process.pid} starts the jobs" in done.err


def test_a_daemon_that_cannot_take_its_lock_again_says_so_once_and_goes_on(
    home: Path, zecherd: Start
) -> None:
    state = home / ".local/state/zecher"
    with daemon(zecherd("good", ZECHER_NOW="2026-11-30T03:18:00Z")) as running:
        running.until_states("ok")
        state.rename(home / "removed")
        state.write_text("in the way")
        running.until_said("cannot be taken again")
        time.sleep(0.5)  # five ticks more
        state.unlink()
        running.until_said("its lock was removed, and is taken again")
        done = running.stop()

    assert (done.code, done.err.count("cannot be taken again")) == (0, 1)


def test_a_hangup_has_it_read_its_configuration_again(home: Path, zecherd: Start) -> None:
    program = zecherd("good", ZECHER_NOW="2026-11-30T02:00:00Z")
    path = home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True)
    with daemon(program) as running:
        assert "started: idle, good is next at 2026-11-30T03:17:00Z" in running.said
        running.until_states("ok")
        path.write_text('[schedule]\nzone = "Asia/Tokyo"\n')
        running.process.send_signal(signal.SIGHUP)
        running.until_said("was read again")
        running.until_states("ok", "ok")

    assert [run.get("zone") for run in runs(program)] == ["UTC", "Asia/Tokyo"]


def test_a_configuration_that_makes_no_sense_leaves_the_one_before(home: Path, zecherd: Start) -> None:
    path = home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True)
    with daemon(zecherd("good")) as running:
        running.until_states("ok")
        path.write_text("[schedule\n")
        running.process.send_signal(signal.SIGHUP)
        running.until_said("the configuration is not used, the one before is")
        done = running.stop()

    assert done.code == 0


def test_a_configuration_that_makes_no_sense_keeps_it_from_starting(home: Path, zecherd: Start) -> None:
    path = home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[schedule\n")

    assert zecherd("good")("daemon").code == 2


# -- the manager of services ---------------------------------------------------------------------------------


def test_it_tells_the_manager_that_it_is_ready_alive_and_stopping(
    zecherd: Start, manager: socket.socket, tmp_path: Path
) -> None:
    program = zecherd("polite", NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="9000000")
    with daemon(program) as running:
        running.ready()
        messages = heard_until(manager, "WATCHDOG=1\nSTATUS=polite is running")
        (program.home / "go").touch()
        running.until_states("ok")
        messages += heard_until(manager, "WATCHDOG=1\nSTATUS=idle, polite is next at 2026-12-01T03:17:00Z")
        running.stop()
    messages += heard(manager)

    assert messages[0] == "READY=1\nSTATUS=idle, polite is next at 2026-12-01T03:17:00Z"
    assert messages[-1] == "STOPPING=1\nSTATUS=stopping"


def test_the_signs_of_life_come_twice_as_often_as_the_manager_wants_them(
    zecherd: Start, manager: socket.socket, tmp_path: Path
) -> None:
    program = zecherd("good", NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="400000", TEST_TICK="600")
    with daemon(program) as running:
        running.until_states("ok")
        heard(manager)
        moments = []
        for _ in range(8):
            heard_until(manager, "WATCHDOG=1")
            moments.append(time.monotonic())

    # Every 0.2 s. One that is late on a busy machine does not delay those after it.
    assert 0.1 < (moments[-1] - moments[0]) / 7 < 0.39


def test_a_reload_is_told_to_the_manager(zecherd: Start, manager: socket.socket, tmp_path: Path) -> None:
    with daemon(zecherd("good", NOTIFY_SOCKET=str(tmp_path / "notify"))) as running:
        running.until_states("ok")
        heard(manager)
        running.process.send_signal(signal.SIGHUP)
        running.until_said("was read again")
        running.stop()
    messages = [one for one in heard(manager) if not one.startswith("WATCHDOG")]

    assert messages[0].startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert messages[1].startswith("READY=1\n")


def test_an_address_in_the_space_of_names_is_reached() -> None:
    name = f"zecher-{os.getpid()}-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(b"\0" + name.encode())
        NotifySocket({"NOTIFY_SOCKET": "@" + name}).ready("one\ntwo")
        listening.settimeout(60)

        assert listening.recv(100) == b"READY=1\nSTATUS=one two"


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@" + "x" * 500, "/\udcff"])
def test_a_manager_that_is_not_there_is_no_failure(address: str) -> None:
    NotifySocket({"NOTIFY_SOCKET": address}).ready("ready")


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({"WATCHDOG_USEC": "120000000"}, 120.0),
        ({"WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "٣"}, None),
        ({}, None),
    ],
)
def test_the_time_for_signs_of_life_is_that_of_the_manager(
    environ: dict[str, str], seconds: float | None
) -> None:
    assert NotifySocket({"NOTIFY_SOCKET": "/run/notify", **environ}).watchdog_s == seconds


# -- when it wakes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"])
def test_it_wakes_once_on_each_local_day_of_a_year(zone: str) -> None:
    trigger = SlotTrigger(parse_schedule("daily 02:30", zone))
    moment, woken = datetime(2025, 12, 31, 23, tzinfo=UTC), []
    for _ in range(365):
        following = trigger.get_next_fire_time(None, moment)
        assert following is not None
        moment = following
        woken.append(moment)

    assert sorted(set(woken)) == woken
    gaps = {(later - earlier) for earlier, later in pairwise(woken)}
    assert gaps <= {timedelta(hours=hours) for hours in (23, 23.5, 24, 24.5, 25)}


def test_after_a_long_sleep_it_wakes_for_the_next_slot_only() -> None:
    trigger = SlotTrigger(parse_schedule("every 1h"))
    before, now = datetime(2016, 1, 1, tzinfo=UTC), datetime(2026, 11, 30, 3, 17, tzinfo=UTC)

    assert trigger.get_next_fire_time(before, now) == datetime(2026, 11, 30, 4, tzinfo=UTC)


def test_a_clock_that_is_ahead_is_reckoned_back_to_the_one_of_the_system() -> None:
    trigger = SlotTrigger(parse_schedule("every 1h"), ahead=600.0)

    assert trigger.get_next_fire_time(None, datetime(2026, 11, 30, 3, 17, tzinfo=UTC)) == datetime(
        2026, 11, 30, 3, 50, tzinfo=UTC
    )


def test_where_the_calendar_ends_it_wakes_no_more() -> None:
    trigger = SlotTrigger(parse_schedule("daily 03:17"))

    assert trigger.get_next_fire_time(None, datetime(9999, 12, 31, 12, tzinfo=UTC)) is None


# -- what it costs -------------------------------------------------------------------------------------------


def processor_seconds(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def resident_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def with_a_full_ledger(program: Program) -> None:
    """All is done, and the part of the ledger that is looked at is full."""
    state = str(program.home / ".local/state/zecher")
    for days in range(120, 0, -1):
        for job, slot in (("nightly", f"x{days}"), ("weekly", f"y{days}")):
            append_run(state, Run(f"{job}-{days}", job, slot, "daemon", "ok", NOW - days * DAY))
    for job, slot in (("nightly", "2026-11-30"), ("weekly", "2026-W48")):
        append_run(state, Run(f"{job}-0", job, slot, "daemon", "ok", NOW))


def test_idle_it_takes_at_most_32_mib(home: Path, tmp_path: Path) -> None:
    program = Program(home, tmp_path, {"TZ": "UTC"})
    with_a_full_ledger(program)
    with daemon(program) as running:
        time.sleep(1)
        taken = resident_kib(running.process.pid)
        running.stop()

    assert "is due" not in running.said
    assert taken <= 32 * 1024


def test_a_look_takes_at_most_a_thousandth_of_the_time_between_two(zecherd: Start) -> None:
    tick = 0.02
    program = zecherd("nightly", "weekly", TEST_TICK=str(tick))
    with_a_full_ledger(program)
    with daemon(program) as running:
        time.sleep(0.5)
        before, since = processor_seconds(running.process.pid), time.monotonic()
        time.sleep(3)
        share = (processor_seconds(running.process.pid) - before) / (time.monotonic() - since)
        running.stop()

    # It looks, waits for a tick, and looks again: what it uses of that tells what a look takes.
    look = tick * share / (1 - share)
    assert 0 < look <= 30 / 1000


def test_a_daemon_of_an_hour_is_no_larger(zecherd: Start, full: bool) -> None:
    program = zecherd("good", TEST_TICK="0.005")
    with daemon(program) as running:
        running.until_states("ok")
        # What leaks grows each time; what was not needed until now comes later on a busy machine.
        growths: list[int] = []
        while len(growths) < 5 and (not growths or growths[-1] > 512):
            time.sleep(2)
            before = resident_kib(running.process.pid)
            time.sleep(20 if full else 2)
            growths.append(resident_kib(running.process.pid) - before)
        running.stop()

    assert growths[-1] <= 512


def test_only_the_daemon_pays_for_the_library() -> None:
    code = "import sys, jobs.cli.gate, jobs.cli.daemon, jobs.runner; print('apscheduler' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
