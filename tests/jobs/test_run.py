from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs.errors import CHECKED, DONE, FAILED, INTERRUPTED, LOCKED, PARTIAL, USAGE
from jobs.run_ledger import STATES, Run, read_runs
from jobs.runner import NOTHING_DUE, TERMINATED, RunReport
from tests.jobs.program import NOW as CLOCK
from tests.jobs.program import ROOT, Done, Program, folder_state
from tests.support import NOW

FAILURES = ("bad", "leaving", "nothing")


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Program:
    """``zecher`` with the jobs of ``tests.jobs.run_program``."""
    here = tmp_path / "here"
    here.mkdir()
    return Program(home, here, module="tests.jobs.run_program")


def state(program: Program) -> Path:
    return program.home / ".local/state/zecher"


def ledger(program: Program) -> tuple[Run, ...]:
    return read_runs(str(state(program))).runs


def states(program: Program) -> list[str]:
    return [one.state for one in ledger(program)]


@contextmanager
def begun(program: Program, *words: str, before: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[bytes]]:
    """``zecher run`` in the background, its job under way."""
    ready = program.home / "ready"
    ready.unlink(missing_ok=True)
    process = subprocess.Popen(
        [*before, *program.command("run", *words)],
        cwd=program.cwd,
        env=program.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        limit = time.monotonic() + 60
        while not ready.exists() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.005)
        assert ready.exists()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ends(process: subprocess.Popen[bytes]) -> Done:
    out, err = process.communicate(timeout=60)
    return Done(process.returncode, out.decode(), err.decode())


# -- one run -------------------------------------------------------------------------------------------------


def test_a_run_says_how_it_ended_and_the_ledger_knows(run: Program) -> None:
    done = run("run", "good")

    assert (done.code, done.err) == (0, "")
    assert done.out == "good: ok for 2026-11-30 in under a second: 3 projects\n"
    (one,) = ledger(run)
    assert (one.job, one.slot, one.trigger, one.state) == ("good", "2026-11-30", "manual", "ok")
    assert one.start == pytest.approx(NOW, abs=5)
    assert one.end is not None
    assert one.end >= one.start
    assert (dict(one.counts), one.missed_slots, one.zone) == ({"projects": 3}, 0, "UTC")
    assert one.outputs[0][0] == str(run.home / "report.md")
    assert one.outputs[0][2] == len("good 2026-11-30\n")
    assert one.sandbox in ("none", "partial", "effective")


def test_json_is_one_document_with_the_keys_of_the_contract(run: Program) -> None:
    document = run("run", "good", "--json").document

    assert (document["schema"], document["ok"], document["problems"]) == ("zecher.run", True, [])
    data = document["data"]
    assert data.pop("run").startswith("good-")
    assert data.pop("duration_s") >= 0
    assert data == {
        "job": "good",
        "slot": "2026-11-30",
        "outcome": "ok",
        "state": "ok",
        "outputs": [str(run.home / "report.md")],
        "counts": {"projects": 3},
        "missed_slots": 0,
        "message": "3 projects",
    }


def test_a_second_run_for_the_same_slot_has_nothing_to_do(run: Program) -> None:
    run("run", "good")
    again = run("run", "good")

    assert again == Done(0, "good: nothing is due: its run for 2026-11-30 is done\n", "")
    assert run("run", "good", "--if-due", "--json").data["outcome"] == "nothing-due"
    assert len(ledger(run)) == 1


def test_force_runs_again(run: Program) -> None:
    run("run", "good")

    assert run("run", "good", "--force").code == 0
    assert states(run) == ["ok", "ok"]


def test_a_run_in_part_ends_with_three_and_its_problems(run: Program) -> None:
    done = run("run", "partly")

    assert done.code == 3
    assert done.out == "partly: partial for 2026-11-30 in under a second: 2 projects\n"
    assert done.err == "error: /gone: no such folder [root-missing]\n"
    (one,) = ledger(run)
    assert (one.state, one.error_type, one.error) == ("partial", "root-missing", "no such folder")


@pytest.mark.parametrize("job", FAILURES)
def test_a_job_that_fails_in_whatever_way_is_written_down_as_failed(run: Program, job: str) -> None:
    done = run("run", job)

    assert done.code == 1
    assert "Traceback" not in done.err
    assert "[run-failed]" in done.err
    assert states(run) == ["failed"]


def test_a_secret_in_an_error_is_neither_shown_nor_kept(run: Program) -> None:
    done = run("run", "bad")

    assert "correct-horse" not in done.out + done.err
    assert "ValueError: cannot read" in done.out
    assert b"correct-horse" not in (state(run) / "runs.ndjson").read_bytes()


def test_a_failure_pauses_for_what_asks_whether_it_is_due_but_not_for_a_person(run: Program) -> None:
    run("run", "bad")
    paused = run("run", "bad", "--if-due")

    assert paused.code == 0
    assert "failed and is tried again at 2026-11-30T03:22" in paused.out
    assert run("run", "bad").code == 1
    assert states(run) == ["failed", "failed"]


def test_after_three_attempts_it_is_given_up_until_the_next_slot(run: Program) -> None:
    for clock in ("03:17:04", "03:23:04", "03:40:04"):
        run.extra["ZECHER_NOW"] = f"2026-11-30T{clock}Z"
        assert run("run", "bad", "--if-due").code == 1
    run.extra["ZECHER_NOW"] = "2026-11-30T09:00:00Z"
    given_up = run("run", "bad", "--if-due")
    run.extra["ZECHER_NOW"] = "2026-12-01T03:17:04Z"

    assert (given_up.code, given_up.out) == (
        0,
        (
            "bad: nothing is due: its run for 2026-11-30 failed 3 times and was given up; "
            "zecher run bad tries it once more\n"
        ),
    )
    assert run("run", "bad", "--if-due").code == 1


def test_a_catch_up_says_so_and_counts_the_slots_it_stands_for(run: Program) -> None:
    run("run", "good")
    run.extra |= {"ZECHER_NOW": "2026-12-04T09:00:00Z", "ZECHER_TRIGGER": "timer"}
    done = run("run", "good", "--if-due")

    assert done.out.startswith("good: ok for 2026-12-04 in under a second, for 3 missed before it as well: ")
    assert [(one.trigger, one.missed_slots) for one in ledger(run)] == [("manual", 0), ("catchup", 3)]


@pytest.mark.parametrize(
    ("said", "kept"), [("timer", "timer"), ("cron", "cron"), ("daemon", "daemon"), ("moon", "manual")]
)
def test_the_ledger_keeps_what_started_a_run(run: Program, said: str, kept: str) -> None:
    run.extra["ZECHER_TRIGGER"] = said
    run("run", "good", "--if-due")

    assert ledger(run)[0].trigger == kept


def test_a_configured_schedule_and_zone_decide_the_slot(run: Program) -> None:
    configuration = run.home / ".config/zecher/config.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text('[schedule]\nzone = "Pacific/Auckland"\n')
    configuration.chmod(0o600)
    run("run", "good")

    (one,) = ledger(run)
    assert (one.slot, one.zone, len(one.config_sha)) == ("2026-11-30", "Pacific/Auckland", 12)


# -- all jobs ------------------------------------------------------------------------------------------------


def test_all_runs_every_job_and_ends_with_the_gravest_code(tmp_path: Path, run: Program) -> None:
    program = tmp_path / "some.py"
    program.write_text(
        "import sys\nfrom tests.jobs import run_program as p\n"
        "kept = {name: p.JOBS[name] for name in sys.argv.pop(1).split(',')}\n"
        "p.JOBS.clear(); p.JOBS.update(kept)\nsys.exit(p.main())\n"
    )
    run.module = "some"
    run.extra["PYTHONPATH"] = f"{tmp_path}:{run.environment()['PYTHONPATH']}"

    mixed = run("good,partly", "run", "--all", "--if-due", "--json")
    assert mixed.code == 3
    assert (mixed.data["job"], mixed.data["outcome"]) == ("partly", "partial")
    assert [(one["job"], one["outcome"]) for one in mixed.data["runs"]] == [
        ("good", "ok"),
        ("partly", "partial"),
    ]
    assert run("good,partly,bad", "run", "--all", "--if-due").code == 1
    assert run("good,partly", "run", "--all", "--if-due").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "run-what"),
        (["good", "bad"], "run-what"),
        (["good", "--all"], "run-what"),
        (["goood"], "unknown-job"),
    ],
)
def test_what_is_no_job_is_a_usage_error(run: Program, words: list[str], code: str) -> None:
    done = run("run", *words)

    assert (done.code, done.out) == (2, "")
    assert f"[{code}]" in done.err
    assert not state(run).exists()


def test_a_mistyped_job_gets_its_neighbour(zecher: Program) -> None:
    done = zecher("run", "nigthly")

    assert done.code == 2
    assert "Did you mean nightly?" in done.err


# -- others at the same time ---------------------------------------------------------------------------------


def test_who_comes_while_it_runs_is_told_so_and_leaves_with_75(run: Program) -> None:
    with begun(run, "polite") as process:
        plain = run("run", "polite")
        due = run("run", "polite", "--if-due", "--json")
        forced = run("run", "polite", "--force")
        (run.home / "go").touch()
        first = ends(process)

    assert first.code == 0
    assert (plain.code, due.code, forced.code) == (75, 75, 75)
    assert plain.out == f"polite: skipped, process {process.pid} is running it\n"
    assert (due.data["outcome"], due.document["ok"]) == ("skipped", False)
    assert states(run) == ["ok"]


def test_another_job_runs_beside_it(run: Program) -> None:
    with begun(run, "polite"):
        assert run("run", "good").code == 0


def test_after_a_kill_the_next_run_starts_at_once_and_the_first_is_marked_crashed(run: Program) -> None:
    with begun(run, "polite", "--if-due") as process:
        process.kill()
        process.wait()
        assert states(run) == ["start"]
        (run.home / "go").touch()
        done = run("run", "polite", "--if-due", "-v")

    assert done.code == 0
    assert f"the run for 2026-11-30 that process {process.pid} began has crashed [run-crashed]" in done.err
    assert [(one.state, one.error_type) for one in ledger(run)] == [("crashed", "crash"), ("ok", "")]


def test_a_job_that_crashes_its_process_is_tried_three_times(run: Program) -> None:
    codes = [run("run", "falling", "--if-due").code for _ in range(4)]

    assert codes == [-signal.SIGSEGV] * 3 + [0]
    assert states(run) == ["crashed"] * 3


def test_every_code_that_a_run_ends_with_is_documented() -> None:
    table = (ROOT / "docs/cli.md").read_text().partition("## Exit codes")[2].partition("##")[0]
    documented = [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)]

    states = (*STATES, NOTHING_DUE)
    assert {RunReport("nightly", "2026-11-30", state).exit_code for state in states} <= set(documented)
    assert documented == sorted({DONE, FAILED, USAGE, PARTIAL, CHECKED, LOCKED, INTERRUPTED, TERMINATED})


# -- to the end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_with_143_and_nothing_half_published(
    run: Program, number: signal.Signals
) -> None:
    with begun(run, "polite", "--json") as process:
        process.send_signal(number)
        done = ends(process)

    assert done.code == 143
    assert (done.data["outcome"], done.data["state"]) == ("failed", "cancelled")
    assert [problem["code"] for problem in done.document["problems"]] == ["run-cancelled"]
    assert not (run.home / "report.md").exists()
    assert states(run) == ["cancelled"]


def test_a_job_that_does_not_listen_is_ended_all_the_same(run: Program) -> None:
    with begun(run, "stubborn") as process:
        process.terminate()
        begin = time.monotonic()
        done = ends(process)

    assert done.code == 143
    assert time.monotonic() - begin < 50
    assert states(run) == ["cancelled"]


def test_a_hundred_signals_are_one_clean_end(run: Program) -> None:
    with begun(run, "stubborn") as process:
        for _ in range(100):
            process.terminate()
            time.sleep(0.002)
        done = ends(process)

    # On a busy machine the last ones come when all is done and nobody listens any more.
    assert done.code in (143, -signal.SIGTERM)
    assert states(run) == ["cancelled"]


def with_hook(program: Program, script: str) -> None:
    """Configure a hook for every failure; it writes its number to ``ready`` once it runs."""
    hook = program.home / "hook"
    hook.write_text(f"#!/bin/sh\necho $$ > $HOME/pid; mv $HOME/pid $HOME/ready\n{script}\n")
    hook.chmod(0o755)
    path = program.home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[[hooks]]\nrun = ["{hook}"]\n')


def test_a_signal_while_a_hook_runs_ends_the_hook_in_time_and_leaves_the_run_as_it_ended(
    run: Program,
) -> None:
    run.extra["PATH"] = os.environ["PATH"]
    with_hook(run, "exec sleep 120")
    with begun(run, "bad", "--json") as process:
        hook = int((run.home / "ready").read_text())
        process.terminate()
        begin = time.monotonic()
        done = ends(process)

    assert time.monotonic() - begin < 50
    assert not Path(f"/proc/{hook}").exists()
    assert (done.code, done.data["state"]) == (1, "failed")
    assert [problem["code"] for problem in done.document["problems"]] == ["run-failed", "notice-cut-short"]
    (one,) = ledger(run)
    assert one.state == "failed"
    assert one.untold == ("not everybody was told of it: a signal asked for an end",)


def test_a_hook_that_has_almost_ended_when_a_signal_comes_ends_its_own_way(run: Program) -> None:
    run.extra["PATH"] = os.environ["PATH"]
    with_hook(run, "while [ ! -e $HOME/go ]; do sleep 0.01; done; echo > $HOME/told")
    with begun(run, "bad") as process:
        process.terminate()
        (run.home / "go").touch()
        done = ends(process)

    assert (done.code, (run.home / "told").exists()) == (1, True)
    assert ledger(run)[0].untold == ()


def test_after_a_signal_no_further_job_begins(tmp_path: Path, run: Program) -> None:
    """The wish to stop may come when the first job has done all: the second must not begin all the same."""
    run.extra["PATH"] = os.environ["PATH"]
    with_hook(run, "while [ ! -e $HOME/go ]; do sleep 0.01; done")
    program = tmp_path / "some.py"
    program.write_text(
        "import sys\nfrom tests.jobs import run_program as p\n"
        "kept = {name: p.JOBS[name] for name in ('bad', 'good')}\n"
        "p.JOBS.clear(); p.JOBS.update(kept)\nsys.exit(p.main())\n"
    )
    run.module = "some"
    run.extra["PYTHONPATH"] = f"{tmp_path}:{run.environment()['PYTHONPATH']}"
    with begun(run, "--all") as process:
        process.terminate()
        (run.home / "go").touch()
        done = ends(process)

    assert done.code == 143
    assert [one.job for one in ledger(run)] == ["bad"]


def test_a_run_started_with_nohup_goes_on_when_its_terminal_goes(run: Program) -> None:
    run.extra["PATH"] = os.environ["PATH"]
    with begun(run, "polite", before=("nohup",)) as process:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        (run.home / "go").touch()
        done = ends(process)

    assert done.code == 0
    assert states(run) == ["ok"]


def test_ctrl_c_is_written_down_and_ends_with_130(run: Program) -> None:
    with begun(run, "polite") as process:
        process.send_signal(signal.SIGINT)
        done = ends(process)

    assert (done.code, done.out) == (130, "")
    assert states(run) == ["cancelled"]


@pytest.mark.parametrize("job", ["slow", "hanging"])
def test_a_run_that_takes_too_long_is_a_timeout(run: Program, job: str) -> None:
    done = run("run", job)

    assert done.code == 1
    assert done.out.startswith(f"{job}: timeout for 2026-11-30 in ")
    assert done.out.endswith(": it took longer than 0.2 seconds\n")
    assert "[run-timeout]" in done.err
    assert states(run) == ["timeout"]
    assert not (run.home / "report.md").exists()


# -- a machine that is not well ------------------------------------------------------------------------------


def test_a_full_disk_costs_the_ledger_a_line_but_not_the_result(run: Program) -> None:
    done = run("run", "filling", "-v")

    assert done.code == 0
    assert done.out == "filling: ok for 2026-11-30 in under a second: 3 projects\n"
    assert "warning: " in done.err
    assert "[ledger-write]" in done.err
    assert states(run) == ["start"]


def test_the_run_after_a_full_disk_mends_the_ledger(run: Program) -> None:
    run("run", "filling")
    run.extra["ZECHER_NOW"] = "2026-12-01T03:17:04Z"
    run("run", "filling", "--if-due")

    assert states(run) == ["crashed", "start"]


def test_garbage_in_the_ledger_stops_no_run(run: Program) -> None:
    state(run).mkdir(parents=True)
    (state(run) / "runs.ndjson").write_bytes(b"\xff\xfe{\n[[[[\n{}\ntorn")

    assert run("run", "good").code == 0
    assert run("run", "good").out.endswith("is done\n")


def test_what_is_no_ledger_is_moved_aside_and_said(run: Program) -> None:
    state(run).mkdir(parents=True)
    os.mkfifo(state(run) / "runs.ndjson")
    done = run("run", "good", "-v")

    assert done.code == 0
    assert "[ledger-set-aside]" in done.err
    assert states(run) == ["ok"]


def test_a_state_folder_that_cannot_be_made_is_said_and_nothing_runs(run: Program) -> None:
    (run.home / ".local").write_text("in the way")
    before = folder_state(run.home)
    done = run("run", "good")

    assert done.code == 1
    assert "[state-unwritable]" in done.err
    assert folder_state(run.home) == before


def test_a_clock_that_jumped_is_said_and_told_to_the_job(run: Program) -> None:
    run("run", "good")
    run.extra["ZECHER_NOW"] = "2036-11-30T03:17:04Z"
    begin = time.monotonic()
    ahead = run("run", "good", "-v")
    run.extra["ZECHER_NOW"] = CLOCK
    back = run("run", "good", "--force", "-v")

    assert (ahead.code, back.code) == (0, 0)
    assert "more than 400 days" in ahead.err
    assert "went back by more than a day" in back.err
    assert time.monotonic() - begin < 60
    assert "for 3652 missed before it as well" in ahead.out
