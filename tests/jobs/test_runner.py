from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import jobs.sandbox
from jobs.config_values import Configuration, ConfiguredSchedule
from jobs.crashes import close_crashed
from jobs.errors import UsageError
from jobs.machine import passing_time
from jobs.registry import JOBS, CancelledRun, CancelToken, Job, JobContext, JobResult, schedules
from jobs.run_ledger import LedgerError, Run, append_run, read_runs
from jobs.runner import RunReport, run_job
from jobs.sandbox import can_write, probe
from jobs.stopping import Stopping
from scanner.value import replace
from tests.jobs.program import ROOT
from tests.jobs.runs import run_settings
from tests.support import DAY, NOW

Doing = Callable[[JobContext], JobResult]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "zecher"


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Callable[[Doing], None]:
    """Registers a function as the job ``test``."""

    def register(function: Doing) -> None:
        monkeypatch.setitem(JOBS, "test", Job("test", "daily 03:17", function))

    return register


def run(state: Path, now: float = NOW, **how: bool) -> RunReport:
    return run_job("test", run_settings(state, now), trigger="timer", **how)


def ledger(state: Path) -> tuple[Run, ...]:
    return read_runs(str(state)).runs


def fine(_: JobContext) -> JobResult:
    return JobResult("ok", {})


# -- what a job is handed ------------------------------------------------------------------------------------


def test_a_job_is_handed_its_slot_its_clock_and_the_last_success(
    state: Path, job: Callable[[Doing], None]
) -> None:
    seen: list[JobContext] = []

    def look(context: JobContext) -> JobResult:
        seen.append(context)
        return JobResult("ok", {})

    job(look)
    run(state)
    run(state, NOW + 3 * DAY)

    first, second = seen
    assert (first.job, first.slot, first.now, first.missed_slots) == ("test", "2026-11-30", NOW, 0)
    assert (first.last_ok, first.clock_suspicious) == (None, False)
    assert (second.slot, second.missed_slots) == ("2026-12-03", 2)
    assert second.last_ok is not None
    assert second.last_ok.run == first.run == ledger(state)[0].run


def test_a_job_is_told_when_the_clock_cannot_be_believed(state: Path, job: Callable[[Doing], None]) -> None:
    doubts: list[bool] = []

    def look(context: JobContext) -> JobResult:
        doubts.append(context.clock_suspicious)
        return JobResult("ok", {})

    job(look)
    for now in (NOW, NOW + 3650 * DAY, NOW + DAY):
        run(state, now)

    assert doubts == [False, True, True]


def test_the_beginning_stands_in_the_ledger_while_the_job_runs(
    state: Path, job: Callable[[Doing], None]
) -> None:
    found: list[str] = []

    def look(_: JobContext) -> JobResult:
        found.extend(one.state for one in ledger(state))
        return JobResult("ok", {})

    job(look)
    run(state)

    assert (found, [one.state for one in ledger(state)]) == (["start"], ["ok"])


def test_the_jobs_of_this_version_have_schedules_and_are_imported_only_to_be_run() -> None:
    assert {name: (one.schedule, one.function) for name, one in JOBS.items()} == {
        "nightly": ("daily 03:17", "jobs.nightly:nightly"),
        "weekly": ("weekly sun 04:23", "jobs.weekly:weekly"),
        "dreaming": ("daily 03:47", "jobs.dreaming:dreaming"),
    }
    code = "import sys, jobs.runner; print([one in sys.modules for one in ('jobs.nightly', 'asyncio')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[False, False]\n"


def test_a_job_named_by_its_module_is_imported_when_it_runs(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_job_of_its_own.py").write_text(
        "from jobs.registry import JobResult\ndef go(context):\n    return JobResult('ok', {'n': 1})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(JOBS, "test", Job("test", "daily 03:17", "a_job_of_its_own:go"))

    assert run(state).state == "ok"
    assert dict(ledger(state)[0].counts) == {"n": 1}


def test_a_job_whose_module_is_broken_has_failed(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS, "test", Job("test", "daily 03:17", "no_such_module:go"))

    report = run(state)
    assert (report.state, report.exit_code) == ("failed", 1)
    assert ledger(state)[0].error_type == "ModuleNotFoundError"


def test_schedules_are_those_of_the_configuration_else_the_defaults(job: Callable[[Doing], None]) -> None:
    job(fine)
    configured = Configuration(schedule=ConfiguredSchedule(nightly="every 6h", zone="Europe/Berlin"))
    found = schedules(configured)

    assert {name: (one.text, one.zone) for name, one in found.items()} == {
        "nightly": ("every 6h", "Europe/Berlin"),
        "weekly": ("weekly sun 04:23", "Europe/Berlin"),
        "test": ("daily 03:17", "Europe/Berlin"),
    }


def test_a_schedule_that_makes_no_sense_is_a_usage_error() -> None:
    with pytest.raises(UsageError) as caught:
        schedules(Configuration(path="/c.toml", schedule=ConfiguredSchedule(nightly="0 3 * * *")))

    assert (caught.value.code, caught.value.path) == ("bad-schedule", "/c.toml")


# -- exactly once --------------------------------------------------------------------------------------------


def test_racing_processes_run_each_slot_once_and_never_two_at_a_time(tmp_path: Path, full: bool) -> None:
    slots = 300 if full else 30
    state = tmp_path / "zecher"
    command = [sys.executable, "-m", "tests.jobs.racer", str(state), str(slots)]
    racers = [subprocess.Popen(command, cwd=ROOT) for _ in range(8)]
    (tmp_path / "go").touch()
    assert [racer.wait(timeout=300) for racer in racers] == [0] * 8

    lines = [line.split() for line in (tmp_path / "executions").read_text().splitlines()]
    assert Counter(slot for slot, _, _ in lines).most_common(1)[0][1] == 1
    assert len(lines) == slots
    spans = sorted((int(begin), int(end)) for _, begin, end in lines)
    assert [one for one, other in pairwise(spans) if other[0] < one[1]] == []
    found = read_runs(str(state))
    assert ([one.state for one in found.runs], found.damaged, found.duplicates) == (["ok"] * slots, 0, 0)
    assert [one.slot for one in found.runs] == [slot for slot, _, _ in lines]


def test_a_slot_that_was_done_between_the_two_looks_is_not_done_again(
    state: Path, job: Callable[[Doing], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the second look, under the lock, the same slot would run twice."""
    job(fine)
    read = jobs.runner._read
    looks: list[int] = []

    def slowly(folder: str) -> object:
        looks.append(1)
        found = read(folder)
        if len(looks) == 1:  # another process is faster, right after this one looked
            run(state)
        return found

    monkeypatch.setattr("jobs.runner._read", slowly)
    report = run(state)

    assert report.state == "nothing-due"
    assert len(ledger(state)) == 1


@pytest.mark.parametrize(("trigger", "runs"), [("timer", 1), ("manual", 1), ("daemon", 0)])
def test_without_a_line_in_the_ledger_only_the_daemon_which_asks_for_ever_does_not_run_the_job(
    state: Path,
    job: Callable[[Doing], None],
    monkeypatch: pytest.MonkeyPatch,
    trigger: str,
    runs: int,
) -> None:
    done: list[str] = []

    def work(context: JobContext) -> JobResult:
        done.append(context.slot)
        return JobResult("ok", {})

    def full(folder: str, _: Run) -> None:
        raise LedgerError(f"{folder}/runs.ndjson", "No space left on device")

    job(work)
    monkeypatch.setattr("jobs.runner.append_run", full)
    report = run_job("test", run_settings(state), trigger=trigger, if_due=True)

    assert len(done) == runs
    assert report.exit_code == (0 if runs else 1)
    assert {problem.code for problem in report.problems} == {"ledger-write"}


# -- crashes told by others ----------------------------------------------------------------------------------


def begun(slot: str = "2026-11-30", job: str = "test") -> Run:
    return Run(f"{job}-{slot}", job, slot, "daemon", "start", NOW, pid=4711)


def test_a_parent_writes_down_that_its_child_crashed(state: Path) -> None:
    append_run(str(state), begun())
    append_run(str(state), begun(job="other"))

    (told,) = close_crashed("test", str(state), NOW + 9, "killed by signal 9")
    assert close_crashed("test", str(state), NOW + 9) == ()
    crashed, other = ledger(state)
    assert (crashed.state, crashed.end, crashed.error) == ("crashed", NOW + 9, "killed by signal 9")
    assert (told, other.state) == (crashed, "start")


def test_a_run_whose_process_lives_is_not_called_crashed(state: Path, job: Callable[[Doing], None]) -> None:
    found: list[int] = []

    def look(_: JobContext) -> JobResult:
        found.append(len(close_crashed("test", str(state), NOW)))
        return JobResult("ok", {})

    job(look)
    run(state)

    assert found == [0]
    assert [one.state for one in ledger(state)] == ["ok"]


def test_a_crash_does_not_end_before_it_began(state: Path) -> None:
    append_run(str(state), begun())
    close_crashed("test", str(state), NOW - DAY)

    assert ledger(state)[0].end == NOW


# -- the wish to stop ----------------------------------------------------------------------------------------


def test_the_first_wish_to_stop_counts() -> None:
    token = CancelToken()
    token.check()
    token.cancel("timeout")
    token.cancel()

    with pytest.raises(CancelledRun) as caught:
        token.check()
    assert caught.value.reason == "timeout"


def test_what_a_job_catches_to_survive_a_bad_project_does_not_catch_the_wish_to_stop() -> None:
    assert not issubclass(CancelledRun, Exception)


def test_outside_the_main_thread_a_job_runs_without_signals(
    state: Path, job: Callable[[Doing], None]
) -> None:
    job(fine)
    reports: list[RunReport] = []
    thread = threading.Thread(target=lambda: reports.append(run(state)))
    thread.start()
    thread.join(20)

    assert [report.state for report in reports] == ["ok"]


def test_after_a_run_signals_do_what_they_did_before() -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    with Stopping(CancelToken()) as stopping:
        stopping.watch(60)
        assert [signal.getsignal(number) for number in numbers] != before

    assert [signal.getsignal(number) for number in numbers] == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


# -- the sandbox ---------------------------------------------------------------------------------------------


def refuse(*_: object) -> None:
    raise OSError(errno.EAFNOSUPPORT, "refused")


def test_without_a_sandbox_the_probe_says_none_and_leaves_nothing(tmp_path: Path) -> None:
    assert probe(str(tmp_path)) == "none"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("home", "system", "network", "verdict"),
    [
        (False, False, False, "effective"),
        (True, False, False, "partial"),
        (False, True, False, "partial"),
        (False, False, True, "partial"),
        (True, False, True, "none"),
        (True, True, True, "none"),
    ],
)
def test_the_probe_is_effective_only_when_all_is_refused(
    monkeypatch: pytest.MonkeyPatch, home: bool, system: bool, network: bool, verdict: str
) -> None:
    monkeypatch.setattr(jobs.sandbox, "can_write", {"/home/ana": home, "/usr": system}.get)
    if not network:
        monkeypatch.setattr(socket, "socket", refuse)

    assert probe("/home/ana") == verdict


def test_what_is_no_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert can_write(str(tmp_path))
    assert not can_write(str(tmp_path / "gone"))
    assert not can_write(str(tmp_path / "file"))


def test_the_verdict_of_the_probe_stands_in_the_ledger(
    state: Path, job: Callable[[Doing], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    job(fine)
    monkeypatch.setattr(jobs.runner, "probe", lambda home: f"{Path(home).name}?")
    run(state)

    assert ledger(state)[0].sandbox == f"{state.parent.name}?"


# -- time ----------------------------------------------------------------------------------------------------


def test_of_two_jobs_in_one_process_the_second_begins_when_the_first_has_ended(
    state: Path, job: Callable[[Doing], None]
) -> None:
    job(fine)
    settings = run_settings(state)
    later = replace(settings, read_at=passing_time() - 600)

    run_job("test", later, force=True)

    assert ledger(state)[0].start == pytest.approx(NOW + 600, abs=5)
    assert settings.moment() == NOW


def test_the_name_of_the_systems_zone_is_kept(state: Path, job: Callable[[Doing], None]) -> None:
    job(fine)
    settings = run_settings(state)
    settings.surroundings.environ = {"TZ": ":Europe/Berlin"}
    run_job("test", settings)

    assert ledger(state)[0].zone == "Europe/Berlin"
    assert ledger(state)[0].host == os.uname().nodename
