"""Which scheduler is taken, and what becomes of entries in the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs.errors import ExpectedError
from jobs.scheduler import AUTO, carry_out, choose, current_state, plan_install, plan_removal, states
from jobs.scheduler.machine import Machine
from jobs.surroundings import Surroundings
from tests.jobs.scheduler.tools import Tools, installation
from tests.support import NOW, write


def install(tools: Tools, machine: Machine, wanted: str) -> list[str]:
    chosen = choose(machine, wanted)
    plans = plan_install(machine, chosen, installation(tools.home))
    return [problem.code for problem in carry_out(machine, plans)]


def test_a_manager_that_answers_comes_first(tools: Tools) -> None:
    tools.add_systemctl()
    tools.add_crontab()
    tools.run_process(300, "cron")

    assert choose(tools.machine(), AUTO).kind == "systemd"


def test_without_one_it_is_cron_if_that_runs(tools: Tools) -> None:
    tools.add_systemctl(reachable=False)
    tools.add_crontab()
    assert choose(tools.machine(), AUTO).kind == "systemd"  # it will be there after the next login

    tools.run_process(300, "crond")

    assert choose(tools.machine(), AUTO).kind == "cron"
    assert choose(tools.machine(), AUTO, daemon=True).kind == "systemd"


def test_a_mac_has_launchd(tools: Tools) -> None:
    assert choose(tools.machine(platform="darwin"), AUTO).kind == "launchd"


def test_where_nothing_would_ever_start_it_that_is_said(tools: Tools) -> None:
    tools.add_systemctl(reachable=False)
    tools.add_crontab()

    with pytest.raises(ExpectedError) as caught:
        choose(tools.machine(booted=False), AUTO)

    assert caught.value.code == "no-scheduler"


def test_installing_again_stays_with_the_scheduler_that_was_chosen(tools: Tools) -> None:
    tools.add_systemctl()
    tools.add_crontab()
    tools.run_process(300, "cron")
    install(tools, tools.machine(), "cron")

    assert choose(tools.machine(), AUTO).kind == "cron"


@pytest.mark.parametrize(("first", "then"), [("systemd", "cron"), ("cron", "systemd")])
def test_entries_of_another_scheduler_are_taken_out(tools: Tools, first: str, then: str) -> None:
    tools.add_systemctl()
    tools.add_crontab("0 0 * * * mine\n")
    tools.run_process(300, "cron")
    machine = tools.machine()
    assert install(tools, machine, first) == []
    assert [state.kind for state in states(machine)] == [first]

    assert install(tools, machine, then) == []

    assert [state.kind for state in states(machine)] == [then]


def test_the_old_entry_stays_while_the_new_one_does_not_work(tools: Tools) -> None:
    tools.add_systemctl()
    tools.add_crontab()
    tools.run_process(300, "cron")
    machine = tools.machine()
    install(tools, machine, "cron")
    tools.add_systemctl(reachable=False)

    assert install(tools, machine, "systemd") == ["no-user-bus"]

    assert [state.kind for state in states(machine)] == ["systemd", "cron"]


def test_a_removal_goes_through_all_of_them_whatever_one_says(tools: Tools, home: Path) -> None:
    tools.add_systemctl()
    table = tools.add_crontab()
    tools.run_process(300, "cron")
    machine = tools.machine()
    install(tools, machine, "systemd")
    carry_out(machine, [choose(machine, "cron").plan(installation(home))])
    with (home / ".config/systemd/user/zecher-run.timer").open("a") as file:
        file.write("# mine\n")

    problems = carry_out(machine, plan_removal(machine, AUTO), go_on=True)

    assert [problem.code for problem in problems] == ["schedule-kept"]
    assert not table.exists()


def test_the_state_for_others_is_that_of_the_scheduler_in_use(tools: Tools, home: Path) -> None:
    tools.add_systemctl()
    surroundings = Surroundings({"PATH": str(tools.bin)}, str(home), "/", NOW)
    assert current_state(surroundings) is None

    install(tools, tools.machine(), "systemd")

    state = current_state(surroundings)
    assert state is not None
    assert (state.kind, state.runs, state.active) == ("systemd", "timer", True)


def test_a_hanging_or_missing_program_has_failed_and_nothing_more(tools: Tools) -> None:
    assert tools.machine().ask([os.path.join(tools.bin, "missing")]).code != 0
    assert states(tools.machine()) == ()
    write(tools.home / ".config/systemd/user/zecher-run.timer", "\0" * 100_000)
    assert states(tools.machine()) == ()
