"""Every command says it when the nightly run is dead, and says nothing while it lives."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs.deadman import dead_line
from jobs.run_ledger import Run, append_run, ledger_path
from jobs.surroundings import Surroundings
from tests.jobs.program import ROOT, Program
from tests.support import DAY, NOW

LINE = "zecher: the nightly run is dead: late by {late}, {last} (see zecher jobs) [nightly-dead]"


@pytest.fixture
def here(zecher: Program) -> Program:
    zecher.extra |= {"TZ": "UTC"}
    return zecher


def slot(days: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(NOW - days * DAY))


def record(home: Path, days: int, how: str = "ok", trigger: str = "timer", name: str = "") -> None:
    start = NOW - days * DAY
    run = Run(f"r{days}-{how}{name}", "nightly", name or slot(days), trigger, how, start, start + 9, 9.0)
    append_run(str(home / ".local/state/zecher"), run)


def line(home: Path, now: float = NOW) -> str:
    return dead_line(Surroundings({"TZ": "UTC"}, str(home), str(home), now), None)


def configure(home: Path, text: str) -> None:
    path = home / ".config/zecher/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


# -- when ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [0, 1, 2])
def test_nothing_is_said_up_to_two_periods(here: Program, days: int) -> None:
    record(here.home, days)

    assert line(here.home) == ""


def test_a_nightly_run_that_stopped_is_told_of(here: Program) -> None:
    record(here.home, 5)

    assert line(here.home) == LINE.format(late="4 d", last="last success 5 d ago")


def test_a_run_that_a_wrong_clock_put_into_the_future_is_no_sign_of_life(here: Program) -> None:
    record(here.home, 5)
    record(here.home, -3650)

    assert line(here.home) == LINE.format(late="4 d", last="last success 5 d ago")


def test_failures_are_no_sign_of_life(here: Program) -> None:
    record(here.home, 5)
    for days in (4, 3, 2, 1, 0):
        record(here.home, days, "failed")

    assert line(here.home) == LINE.format(late="4 d", last="last success 5 d ago")


def test_one_that_never_succeeded_is_dead_from_its_first_try_on(here: Program) -> None:
    record(here.home, 3, "failed")

    assert line(here.home) == LINE.format(late="3 d", last="it never succeeded")


def test_without_a_ledger_or_a_home_nobody_waits(here: Program) -> None:
    assert line(here.home) == ""
    assert dead_line(Surroundings({}, "", "", NOW), None) == ""


def test_where_only_hands_started_it_nobody_waits(here: Program) -> None:
    record(here.home, 9, trigger="manual")
    assert line(here.home) == ""

    record(here.home, 8, trigger="cron")
    assert line(here.home) != ""


@pytest.mark.parametrize(
    ("schedule", "name", "days", "dead"),
    [
        ("weekly sun 04:23", "2026-W46", 15, False),
        ("weekly sun 04:23", "2026-W44", 29, True),
        ("every 6h", "2026-11-30T00", 0, False),
        ("every 6h", "2026-11-29T00", 1, True),
    ],
)
def test_the_period_is_that_of_the_schedule(
    here: Program, schedule: str, name: str, days: int, *, dead: bool
) -> None:
    configure(here.home, f'[schedule]\nnightly = "{schedule}"\n')
    record(here.home, days, name=name)

    assert (line(here.home) != "") is dead


def test_it_can_be_turned_off(here: Program) -> None:
    record(here.home, 5)
    configure(here.home, "[notify]\nquiet_line = true\n")

    assert line(here.home) == ""


@pytest.mark.parametrize("broken", ["folder", "garbage", "large"])
def test_what_is_no_ledger_raises_nothing(here: Program, broken: str) -> None:
    path = Path(ledger_path(str(here.home / ".local/state/zecher")))
    path.parent.mkdir(parents=True)
    if broken == "folder":
        path.mkdir()
    else:
        path.write_bytes(b'{"job":"nightly","state":"ok"\xff\n' * (1 if broken == "garbage" else 200_000))

    assert line(here.home) == ""


def test_a_configuration_that_is_wrong_is_for_its_own_command_to_tell(here: Program) -> None:
    record(here.home, 5)
    configure(here.home, "garbage")

    assert line(here.home) == ""


# -- on the command line -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("projects",), ("explain", "nightly-dead"), ("status",), ("projects", "--json")]
)
def test_a_command_prints_it_on_standard_error(here: Program, words: tuple[str, ...]) -> None:
    record(here.home, 1)
    alive = here(*words)
    (here.home / ".local/state/zecher/runs.ndjson").unlink()
    record(here.home, 5)

    done = here(*words)

    lines = done.err.splitlines()
    assert (done.code, lines[-1]) == (alive.code, LINE.format(late="4 d", last="last success 5 d ago"))
    assert "nightly-dead" not in alive.err


@pytest.mark.parametrize("words", [("jobs",), ("projects", "--quiet"), ("mem", "outcomes"), ("--version",)])
def test_some_do_not(here: Program, words: tuple[str, ...]) -> None:
    record(here.home, 5)

    assert "nightly-dead" not in here(*words).err


# -- where the ledger is -------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["state", '"state" ', "  'state'"])
def test_a_ledger_in_a_place_of_its_own_is_looked_at(here: Program, key: str) -> None:
    record(here.home, 5)
    place = here.home / "mine"
    configure(here.home, f'{key} = "{place}"\n')
    assert line(here.home) == ""

    (here.home / ".local/state/zecher").rename(place)

    assert "nightly-dead" in here("projects").err


def test_a_ledger_in_the_place_that_a_variable_names_is_looked_at(here: Program) -> None:
    record(here.home, 5)
    here.extra["ZECHER_STATE"] = str(here.home / "none")
    assert "nightly-dead" not in here("projects").err

    here.extra["ZECHER_STATE"] = str(here.home / ".local/state/zecher")

    assert "nightly-dead" in here("projects").err


# -- what it costs -------------------------------------------------------------------------------------------


def test_a_living_nightly_costs_less_than_two_milliseconds_and_no_import(here: Program) -> None:
    for days in range(400, -1, -1):
        record(here.home, days)
    code = (
        "import sys, time\n"
        "from jobs.surroundings import Surroundings\n"
        "from jobs.deadman import dead_line\n"
        "import jobs.errors\n"
        "before = set(sys.modules)\n"
        f"around = Surroundings({{}}, {str(here.home)!r}, '/', {NOW})\n"
        "times = []\n"
        "for _ in range(20):\n"
        "    begun = time.process_time()\n"
        "    assert dead_line(around, None) == ''\n"
        "    times.append(time.process_time() - begun)\n"
        "print(min(times) * 1000, sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    lasted, _, imported = done.stdout.strip().partition(" ")
    assert imported == "[]"
    assert float(lasted) < 2.0
