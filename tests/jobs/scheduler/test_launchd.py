"""The agent for macOS, with a launchctl that writes down how it was called."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from jobs.scheduler import carry_out
from jobs.scheduler.launchd import Launchd
from jobs.scheduler.values import Plan
from tests.jobs.program import folder_state
from tests.jobs.scheduler.tools import Tools, installation


@pytest.fixture
def mac(tools: Tools) -> Tools:
    tools.add("launchctl")
    return tools


def install(tools: Tools, *, daemon: bool = False, **changes: object) -> tuple[Plan, list[str]]:
    machine = tools.machine(platform="darwin")
    plan = Launchd(machine).plan(installation(tools.home, daemon=daemon, **changes))
    return plan, [problem.code for problem in carry_out(machine, [plan])]


def read(path: Path) -> dict[str, object]:
    found = plistlib.loads(path.read_bytes())
    assert isinstance(found, dict)
    return found


def test_the_agent_asks_every_hour_and_after_a_start_what_is_due(mac: Tools, home: Path) -> None:
    assert install(mac)[1] == []

    assert read(home / "Library/LaunchAgents/zecher.run.plist") == {
        "Label": "zecher.run",
        "ProgramArguments": ["/opt/zecher/bin/zecher", "run", "--if-due", "--all", "--quiet"],
        "EnvironmentVariables": {"ZECHER_TRIGGER": "timer"},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "Umask": 0o77,
        "RunAtLoad": True,
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": f"{home}/.local/state/zecher/logs/zecher.run.log",
        "StartCalendarInterval": [{"Minute": 17}],
    }


def test_it_is_loaded_anew_when_it_changed_and_left_alone_when_not(mac: Tools, home: Path) -> None:
    install(mac)
    uid = mac.machine().uid
    agent = home / "Library/LaunchAgents/zecher.run.plist"
    assert mac.calls == [
        f"launchctl bootout gui/{uid}/zecher.run",
        f"launchctl bootstrap gui/{uid} {agent}",
    ]

    install(mac)
    assert len(mac.calls) == 2

    install(mac, program="/opt/new/zecher")
    assert len(mac.calls) == 4


def test_the_daemon_is_kept_alive_and_takes_the_place_of_the_other(mac: Tools, home: Path) -> None:
    install(mac)

    assert install(mac, daemon=True, environment=(("ZECHER_BRAIN", "/b<&>"),))[1] == []

    (path,) = (home / "Library/LaunchAgents").iterdir()
    found = read(path)
    assert found["ProgramArguments"] == ["/opt/zecher/bin/zecher", "daemon"]
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["EnvironmentVariables"] == {"ZECHER_BRAIN": "/b<&>"}
    assert "StartCalendarInterval" not in found


def test_a_removal_undoes_it_and_keeps_what_was_edited(mac: Tools, home: Path) -> None:
    before = folder_state(home)
    install(mac)
    machine = mac.machine(platform="darwin")
    assert Launchd(machine).state().active is True
    assert carry_out(machine, [Launchd(machine).plan_removal()]) == ()
    assert folder_state(home) == before

    install(mac)
    agent = home / "Library/LaunchAgents/zecher.run.plist"
    agent.write_text(agent.read_text().replace("<integer>17<", "<integer>5<"))
    (problem,) = carry_out(machine, [Launchd(machine).plan_removal()])

    assert (problem.code, problem.path) == ("schedule-kept", str(agent))
    assert Launchd(machine).state().edited == (str(agent),)


def test_on_another_system_it_is_no_choice(tools: Tools) -> None:
    assert not Launchd(tools.machine()).is_possible
    assert Launchd(tools.machine()).state().entries == ()
    assert install(tools)[1] == ["no-scheduler"]
