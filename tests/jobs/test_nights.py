"""Nights as they happen, with the real nightly job and real processes: what the ledger says of them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from jobs.run_ledger import read_runs
from jobs.snapshots import latest_snapshot
from tests.jobs.program import Done, Program, folder_state

# The command line in which the job may be killed just before it writes, or the disk may be full.
_PROGRAM = """\
import os, resource, signal, sys
import jobs.nightly
from jobs.cli import main
if os.environ.get("POWER_CUT"):
    jobs.nightly.index = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
if os.environ.get("FULL_DISK"):
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
sys.exit(main())
"""


@pytest.fixture
def machine(home: Path, tmp_path: Path, dev: Path) -> Program:
    """``zecher`` as a timer calls it, with three projects configured."""
    configuration = home / ".config/zecher/config.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(f'[scan]\nroots = ["{dev}"]\n')
    configuration.chmod(0o600)
    (tmp_path / "night_program.py").write_text(_PROGRAM)
    program = Program(home, tmp_path, module="night_program")
    program.extra["PYTHONPATH"] = f"{tmp_path}:{program.environment()['PYTHONPATH']}"
    program.extra["ZECHER_TRIGGER"] = "timer"
    return program


def night(machine: Program, now: str, **trouble: str) -> Done:
    machine.extra["ZECHER_NOW"] = now
    before = dict(machine.extra)
    machine.extra |= trouble
    try:
        return machine("run", "nightly", "--if-due", "-v")
    finally:
        machine.extra = before


def cards(index: Path) -> dict[str, bytes]:
    """All of the index but the lock, in which the last owner leaves its number."""
    return {name: data for name, data in folder_state(index).items() if name != ".zecher.lock"}


def told(machine: Program) -> list[tuple[str, str, str, int]]:
    runs = read_runs(str(machine.home / ".local/state/zecher")).runs
    return [(run.slot, run.trigger, run.state, run.missed_slots) for run in runs]


def test_a_gap_a_power_cut_and_a_full_disk_come_out_as_the_ledger_says(machine: Program) -> None:
    index = machine.home / ".bmad-plus/brain"

    assert night(machine, "2026-11-30T03:17:30Z").code == 0
    assert night(machine, "2026-11-30T03:17:45Z").out.startswith("nightly: nothing is due")

    # Suspended for two nights, opened at nine.
    assert night(machine, "2026-12-03T09:00:00Z").code == 0

    # The power goes in the middle of the next night, before anything is written.
    before = cards(index)
    assert len(before) > 3
    assert night(machine, "2026-12-04T03:17:30Z", POWER_CUT="1").code == -signal.SIGKILL
    assert cards(index) == before
    again = night(machine, "2026-12-04T03:19:00Z")
    assert again.code == 0
    assert "[run-crashed]" in again.err

    # The disk is full: old files stay whole, no line is written, and the next call makes up for it.
    before = cards(index)
    full = night(machine, "2026-12-05T03:17:30Z", FULL_DISK="1")
    assert full.code in (1, 3)
    assert "[ledger-write]" in full.err
    assert cards(index) == before
    assert night(machine, "2026-12-05T04:17:30Z").code == 0

    assert told(machine) == [
        ("2026-11-30", "timer", "ok", 0),
        ("2026-12-03", "catchup", "ok", 2),
        ("2026-12-04", "timer", "crashed", 0),
        ("2026-12-04", "timer", "ok", 0),
        ("2026-12-05", "timer", "ok", 0),
    ]


def test_the_report_of_a_night_does_not_count_itself_as_not_run(machine: Program) -> None:
    for day in (1, 2, 3):
        assert night(machine, f"2026-12-0{day}T03:17:30Z").code == 0

    newest = latest_snapshot(str(machine.home / ".local/state/zecher"), "nightly", 2e9, other_than="")[0]
    assert newest is not None
    assert newest.runs.nights == (("2026-12-01", "ok"), ("2026-12-02", "ok"))
