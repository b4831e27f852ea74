"""Daemon, ``jobs``, ``doctor`` and configuration from outside: who is told, who sees whom, what may be set.

Written from the reference alone, without a look at the code. A test that is marked as failing names the
defect that it found; whoever mends it takes the mark away.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.processes import Child
from jobs.run_ledger import append_run
from tests.jobs.daemons import daemon
from tests.jobs.program import ROOT, Program
from tests.jobs.test_jobs import a_run, state
from tests.support import write

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks at processes in /proc")


@pytest.fixture
def here(zecher: Program, dev: Path) -> Program:
    """The program with three projects and a configuration that names their folder; no scheduler anywhere."""
    empty = zecher.cwd / "bin"
    empty.mkdir()
    zecher.extra |= {"TZ": "UTC", "PATH": str(empty)}
    configure(zecher, f'[scan]\nroots = ["{dev}"]\n')
    return zecher


@pytest.fixture
def waiting(home: Path, tmp_path: Path) -> Program:
    """The program whose job waits for a file; for daemons."""
    (tmp_path / "here").mkdir(exist_ok=True)
    environ = {"TZ": "UTC", "TEST_JOBS": "polite"}
    return Program(home, tmp_path / "here", environ, module="tests.jobs.daemon_program")


def configure(program: Program, text: str) -> None:
    path = write(program.home / ".config/zecher/config.toml", text)
    path.parent.chmod(0o700)
    path.chmod(0o600)


def hooked(program: Program) -> Path:
    """A hook for failures and recoveries; the file that it writes to."""
    heard = program.home / "heard"
    path = write(program.home / "hook", f"#!/bin/sh\necho $ZECHER_OCCASION $ZECHER_OUTCOME >> {heard}\n")
    path.chmod(0o700)
    configure(program, f'[[hooks]]\nrun = ["{path}"]\n')
    return heard


# -- who is told of a crash ----------------------------------------------------------------------------------


@linux
def test_a_job_that_is_killed_under_the_daemon_is_told(waiting: Program) -> None:
    heard = hooked(waiting)
    with daemon(waiting) as running:
        os.kill(running.ready(), signal.SIGKILL)
        running.until_said("SIGKILL")
        running.until(lambda: heard.exists() and heard.read_text() != "")
        running.stop()

    assert heard.read_text() == "failure crashed\n"


def test_a_crash_that_doctor_writes_down_is_told(zecher: Program) -> None:
    heard = hooked(zecher)
    append_run(state(zecher), replace(a_run("2026-11-30", 0.1, "start"), pid=2**22 - 1))

    zecher("doctor", "--fix")

    assert heard.read_text() == "failure crashed\n"


def test_a_crash_that_the_next_run_writes_down_is_told(here: Program) -> None:
    text = (here.home / ".config/zecher/config.toml").read_text()
    heard = hooked(here)
    configure(here, text + (here.home / ".config/zecher/config.toml").read_text())
    append_run(state(here), replace(a_run("2026-11-30", 0.1, "start"), pid=2**22 - 1))

    here("run", "nightly")

    assert heard.read_text().split()[:3] == ["failure", "crashed", "recovery"]


# -- who sees the daemon -------------------------------------------------------------------------------------


@linux
@pytest.mark.parametrize("words", [("jobs",), ("doctor",), ("schedule", "status")])
def test_a_daemon_that_was_started_by_hand_is_seen(waiting: Program, words: tuple[str, ...]) -> None:
    empty = waiting.cwd / "bin"
    empty.mkdir()
    watcher = Program(waiting.home, waiting.cwd, {"TZ": "UTC", "PATH": str(empty)})
    with daemon(waiting) as running:
        running.ready()
        seen = watcher(*words)
        running.stop()

    assert str(running.process.pid) in seen.out + seen.err


@linux
def test_a_second_daemon_is_sent_away_with_the_number_of_the_first(waiting: Program) -> None:
    with daemon(waiting) as running:
        second = waiting("daemon")
        running.stop()

    assert second.code == 75
    assert str(running.process.pid) in second.err


@linux
def test_a_daemon_outlives_its_ledger_its_configuration_and_garbage(waiting: Program) -> None:
    ledger = waiting.home / ".local/state/zecher/runs.ndjson"
    with daemon(waiting) as running:
        running.ready()
        configure(waiting, "what = [\n")
        running.process.send_signal(signal.SIGHUP)
        running.until_said("the configuration is not used")
        ledger.write_bytes(b"\0\xff garbage\n" * 99)
        configure(waiting, "")
        running.process.send_signal(signal.SIGHUP)
        running.until_said("the configuration was read again")
        done = running.stop()

    assert done.code == 0
    assert "Traceback" not in done.err


class _Immortal:
    """A process that hangs in the kernel, as on a dead mount: no signal ends it."""

    pid = 2**22 - 1
    waited: list[float | None]

    def __init__(self) -> None:
        self.waited = []

    def poll(self) -> int | None:
        return None

    def wait(self, timeout: float | None = None) -> int:
        self.waited.append(timeout)
        return 0


def test_a_process_that_cannot_be_killed_is_not_waited_for_without_limit() -> None:
    process = _Immortal()

    Child(process).kill()  # type: ignore[arg-type] # as much of a process as it looks at

    assert None not in process.waited


# -- what may be set, and what is wrong with it --------------------------------------------------------------


@pytest.mark.parametrize("key", ["state", "cache"])
def test_every_place_can_be_set_in_the_configuration(zecher: Program, key: str) -> None:
    configure(zecher, f'{key} = "~/elsewhere"\n')

    assert zecher("config", "check").code == 0


def test_roots_at_the_top_are_sent_into_their_table(zecher: Program) -> None:
    configure(zecher, 'roots = ["~/dev"]\n')

    assert "[scan]" in zecher("config", "check").out


def _brain_in_the_place_of_reports(program: Program) -> None:
    program.extra["ZECHER_BRAIN"] = str(program.home / ".bmad-plus/reports")


def _reports_in_the_brain(program: Program) -> None:
    program.extra["ZECHER_REPORTS"] = str(program.home / ".bmad-plus/brain/reports")


def _link_into_the_brain(program: Program) -> None:
    brain = program.home / ".bmad-plus/brain"
    brain.mkdir(parents=True)
    (program.home / "link").symlink_to(brain)
    text = (program.home / ".config/zecher/config.toml").read_text()
    configure(program, f'{text}[reports]\nfolder = "{program.home}/link/reports"\n')


@pytest.mark.parametrize("way", [_brain_in_the_place_of_reports, _reports_in_the_brain, _link_into_the_brain])
def test_no_report_ever_lands_in_the_brain(here: Program, way: object) -> None:
    way(here)  # type: ignore[operator] # one of the three above

    here("run", "nightly")

    cards = list((here.home / ".bmad-plus").rglob("projects-index.md"))
    reports = list((here.home / ".bmad-plus").rglob("nightly-*.md"))
    assert not [report for report in reports for card in cards if card.parent in report.parents]


def test_the_whole_disk_is_no_root_of_a_night(zecher: Program) -> None:
    configure(zecher, '[scan]\nroots = ["/"]\ndepth = 1\n')

    assert zecher("run", "nightly").code == 2


def test_the_page_on_the_command_line_names_the_exit_code_of_a_run_that_was_ended() -> None:
    page = (ROOT / "docs/cli.md").read_text()
    table = page.partition("\n## Exit codes\n")[2].partition("\n## ")[0]

    assert "| 143 |" in table


def test_what_is_wrong_with_a_ledger_is_said_once_and_to_the_point(zecher: Program) -> None:
    ledger = zecher.home / ".local/state/zecher/runs.ndjson"
    ledger.mkdir(parents=True)

    said = zecher("jobs").err

    assert said.count(str(ledger)) == 1
    assert "permissions" not in said


@pytest.mark.parametrize(
    ("mode", "code"), [(0o600, 0), (0o644, 0), (0o400, 0), (0o606, 2), (0o666, 2)], ids=oct
)
def test_hooks_that_anybody_could_write_are_refused(here: Program, mode: int, code: int) -> None:
    (here.home / ".config/zecher/config.toml").chmod(mode)

    assert here("schedule", "show", "--scheduler", "cron").code == code


def test_two_configurations_are_refused_by_every_command(here: Program) -> None:
    write(here.home / ".config/zecher/config.yaml", "scan: {depth: 2}\n")

    for words in (("run", "nightly"), ("jobs",), ("config", "check"), ("daemon",)):
        done = here(*words)
        assert (done.code, done.out) == (2, "")
        assert "[config-twice]" in done.err
