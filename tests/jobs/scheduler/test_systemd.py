"""Units in the user's folder: written, linked, taken out, and what a person did to them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jobs.registry import JOBS
from jobs.scheduler import carry_out
from jobs.scheduler.seal import OURS, judge
from jobs.scheduler.systemd import Systemd
from jobs.scheduler.units import DAEMON, FAILED, RUN, TIMER
from jobs.scheduler.values import Plan
from jobs.stopping import GRACE_SECONDS
from jobs.telling import TELLING_SECONDS
from tests.jobs.program import folder_state
from tests.jobs.scheduler.tools import Tools, age, installation
from tests.support import write


@pytest.fixture
def units(home: Path) -> Path:
    return home / ".config/systemd/user"


def install(tools: Tools, *, daemon: bool = False, linger: bool = False) -> tuple[Plan, list[str]]:
    machine = tools.machine()
    plan = Systemd(machine).plan(installation(tools.home, daemon=daemon), linger=linger)
    return plan, [problem.code for problem in carry_out(machine, [plan])]


def remove(tools: Tools) -> tuple[Plan, list[str]]:
    machine = tools.machine()
    plan = Systemd(machine).plan_removal()
    return plan, [problem.code for problem in carry_out(machine, [plan])]


def actions(plan: Plan) -> dict[str, str]:
    return {os.path.basename(change.path): change.action for change in plan.changes}


def test_the_units_are_written_for_the_user_alone_and_the_timer_is_started(tools: Tools, units: Path) -> None:
    tools.add_systemctl()

    assert install(tools)[1] == []

    assert {path.name for path in units.iterdir()} == {RUN, TIMER, FAILED, "timers.target.wants"}
    for name in (RUN, TIMER, FAILED):
        assert judge((units / name).read_text()) == OURS
        assert stat.S_IMODE((units / name).stat().st_mode) == 0o600
    assert os.readlink(units / "timers.target.wants" / TIMER) == str(units / TIMER)
    assert tools.calls == ["systemctl --user daemon-reload", f"systemctl --user restart {TIMER}"]


def test_a_second_time_nothing_is_written_and_the_timer_keeps_running(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    install(tools)
    before = {path: path.stat().st_mtime_ns for path in units.rglob("*")}

    plan, problems = install(tools)

    assert problems == []
    assert set(actions(plan).values()) == {"same"}
    assert {path: path.stat().st_mtime_ns for path in units.rglob("*")} == before
    assert tools.calls[-1] == f"systemctl --user start {TIMER}"


def test_the_daemon_takes_the_place_of_the_timer_and_back(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    install(tools)

    plan, problems = install(tools, daemon=True)

    assert problems == []
    assert {path.name for path in units.iterdir()} == {DAEMON, FAILED, "default.target.wants"}
    assert f"systemctl --user stop {TIMER}" in tools.calls
    assert actions(plan)[RUN] == "remove"
    assert Systemd(tools.machine()).state().runs == "daemon"

    assert install(tools)[1] == []
    assert {path.name for path in units.iterdir()} == {RUN, TIMER, FAILED, "timers.target.wants"}


def test_a_removal_undoes_an_installation_and_nothing_else(tools: Tools, home: Path, units: Path) -> None:
    tools.add_systemctl()
    write(units / "mine.service", "[Service]\n")
    (units / "timers.target.wants").mkdir()
    (units / "timers.target.wants/mine.timer").symlink_to(units / "mine.timer")
    write(units / f"{TIMER}.d/override.conf", "[Timer]\n")
    before = folder_state(home)
    install(tools)
    write(home / ".local/share/systemd/timers/stamp-zecher-run.timer", "")

    assert remove(tools)[1] == []

    assert folder_state(home) == before
    assert (units / "timers.target.wants/mine.timer").is_symlink()
    assert f"systemctl --user stop {TIMER}" in tools.calls


def test_the_unit_waits_for_longer_than_all_jobs_may_take_with_their_hooks(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    install(tools)
    (line,) = [line for line in (units / RUN).read_text().splitlines() if line.startswith("TimeoutStartSec=")]
    hours = int(line.removeprefix("TimeoutStartSec=").removesuffix("h"))

    # Before and after a job those who are configured are told; then it may need its time to end.
    longest = sum(job.deadline_s + 2 * TELLING_SECONDS + GRACE_SECONDS for job in JOBS.values())
    assert longest < hours * 3600


def test_nothing_is_done_where_nothing_is_installed(tools: Tools) -> None:
    tools.add_systemctl()

    assert remove(tools) == (Plan("systemd"), [])
    assert tools.calls == []


def test_an_edited_unit_survives_installation_and_removal(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    install(tools)
    with (units / RUN).open("a") as file:
        file.write("Environment=MINE=1\n")
    edited = (units / RUN).read_text()

    assert install(tools)[1] == ["schedule-kept"]
    assert Systemd(tools.machine()).state().edited == (str(units / RUN),)
    assert remove(tools)[1] == ["schedule-kept"]

    assert (units / RUN).read_text() == edited
    assert not (units / TIMER).exists()


def test_a_unit_of_that_name_by_somebody_else_is_not_touched(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    write(units / TIMER, "[Timer]\nOnCalendar=daily\n")

    plan, problems = install(tools)

    assert problems == ["schedule-kept"]
    assert actions(plan)[TIMER] == "kept"
    assert (units / TIMER).read_text() == "[Timer]\nOnCalendar=daily\n"
    assert TIMER not in actions(remove(tools)[0])
    assert not any(TIMER in call for call in tools.calls)


def test_a_masked_unit_and_a_link_into_a_repository_stay_links(tools: Tools, units: Path, home: Path) -> None:
    tools.add_systemctl()
    install(tools)
    kept = home / "dotfiles" / RUN
    kept.parent.mkdir()
    (units / RUN).rename(kept)
    (units / RUN).symlink_to(kept)
    (units / TIMER).unlink()
    (units / TIMER).symlink_to(os.devnull)

    assert install(tools)[1] == ["schedule-kept"] * 2
    assert remove(tools)[1] == ["schedule-kept"]

    assert (units / RUN).is_symlink()
    assert kept.exists()
    assert os.readlink(units / TIMER) == os.devnull


def test_an_edit_between_plan_and_removal_wins(tools: Tools, units: Path) -> None:
    tools.add_systemctl()
    install(tools)
    age(units / RUN)
    machine = tools.machine()
    plan = Systemd(machine).plan_removal()
    write(units / RUN, "mine\n")

    problems = carry_out(machine, [plan])

    assert [(problem.code, problem.path) for problem in problems] == [("schedule-write", str(units / RUN))]
    assert (units / RUN).read_text() == "mine\n"


def test_without_a_bus_the_units_are_enabled_and_the_commands_are_named(tools: Tools, units: Path) -> None:
    tools.add_systemctl(reachable=False)
    machine = tools.machine()

    plan = Systemd(machine).plan(installation(tools.home))
    (problem,) = carry_out(machine, [plan])

    assert (units / "timers.target.wants" / TIMER).is_symlink()
    assert problem.code == "no-user-bus"
    assert f"systemctl --user daemon-reload && systemctl --user restart {TIMER}" in problem.fix
    state = Systemd(machine).state()
    assert (state.runs, state.active) == ("timer", None)
    assert tools.calls == []
    assert remove(tools)[1] == []
    assert list(units.iterdir()) == []


def test_a_step_that_fails_says_what_systemctl_said(tools: Tools) -> None:
    tools.add(
        "systemctl", 'case "$*" in *Version*) echo 252;; *restart*) echo "Unit is bad" >&2; exit 5;; esac'
    )
    machine = tools.machine()

    (problem,) = carry_out(machine, [Systemd(machine).plan(installation(tools.home))])

    assert (problem.code, problem.message) == (
        "schedule-step",
        f"systemctl --user restart {TIMER}: Unit is bad",
    )


def test_lingering_is_turned_on_only_when_it_is_asked_for(tools: Tools) -> None:
    tools.add_systemctl()
    tools.add("loginctl")
    install(tools)
    assert not any(call.startswith("loginctl") for call in tools.calls)

    install(tools, linger=True)

    assert tools.calls[-1] == "loginctl enable-linger"


def test_lingering_is_read_from_the_file_that_logind_keeps(tools: Tools) -> None:
    tools.add_systemctl()
    machine = tools.machine()
    if not machine.user:
        pytest.skip("the system has no name for this user")
    assert Systemd(machine).state().lingering is False

    tools.linger(machine.user)

    assert Systemd(machine).state().lingering is True


def test_the_state_tells_of_the_next_run_and_of_a_stopped_timer(tools: Tools) -> None:
    tools.add_systemctl()
    install(tools)
    state = Systemd(tools.machine()).state()
    assert (state.runs, state.active, state.next_run) == ("timer", True, "Tue 2026-12-01 03:21:00 UTC")

    tools.add_systemctl(active="inactive")

    state = Systemd(tools.machine()).state()
    assert (state.active, state.next_run) == (False, "")


def test_a_folder_that_cannot_be_written_is_a_problem_and_no_half_file(tools: Tools, home: Path) -> None:
    tools.add_systemctl()
    write(home / ".config/systemd", "a file\n")

    _, problems = install(tools)

    assert problems == ["schedule-write"] * 4
    assert (home / ".config/systemd").read_text() == "a file\n"
