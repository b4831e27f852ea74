"""An agent of the user for launchd, the scheduler of macOS (launchd.plist(5)).

Its calendar makes up for the time that the machine slept, ``RunAtLoad`` for the time that it was off.
"""

from __future__ import annotations

import os

from jobs.scheduler.files import remove_change, standing, write_change
from jobs.scheduler.machine import Machine
from jobs.scheduler.seal import EDITED, OURS, sealed
from jobs.scheduler.values import LAUNCHD, SAME, Installation, Plan, State, Step
from scanner.project import Problem

RUN, DAEMON = "zecher.run", "zecher.daemon"


class Launchd:
    """Plans and looks; ``jobs.scheduler`` carries out."""

    kind = LAUNCHD

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._launchctl = machine.program("launchctl")

    @property
    def is_possible(self) -> bool:
        """Whether this is a machine with launchd."""
        return self._machine.platform == "darwin" and self._launchctl is not None

    def files(self, installation: Installation) -> tuple[tuple[str, str], ...]:
        """Path and text of the plist."""
        label = DAEMON if installation.daemon else RUN
        return ((self._path(label), plist(label, installation)),)

    def plan(self, installation: Installation, *, linger: bool = False) -> Plan:  # noqa: ARG002 - agents need a login
        """What it takes that ``installation`` stands and runs."""
        wanted, other = (DAEMON, RUN) if installation.daemon else (RUN, DAEMON)
        ((path, text),) = self.files(installation)
        changes = [write_change(path, text)]
        before = [self._step("bootout", self._target(wanted), needed=False)]
        gone = remove_change(self._path(other))
        if gone is not None:
            before.append(self._step("bootout", self._target(other), needed=False))
            changes.append(gone)
        if all(change.action == SAME for change in changes) and self._active(wanted):
            return Plan(LAUNCHD, changes=tuple(changes))
        after = self._step("bootstrap", f"gui/{self._machine.uid}", path)
        if self._launchctl is None:
            return Plan(LAUNCHD, changes=tuple(changes), by_hand=(after,), problems=(_no_launchd(),))
        return Plan(LAUNCHD, tuple(before), tuple(changes), (after,))

    def plan_removal(self) -> Plan:
        """What it takes that nothing of ours is left; what somebody edited stays, but is not started."""
        found = [(label, remove_change(self._path(label))) for label in (RUN, DAEMON)]
        there = [(label, change) for label, change in found if change is not None]
        steps = [self._step("bootout", self._target(label), needed=False) for label, _ in there]
        return Plan(LAUNCHD, tuple(steps) if self._launchctl else (), tuple(change for _, change in there))

    def state(self) -> State:
        """How it stands now."""
        found = {label: standing(self._path(label)) for label in (RUN, DAEMON)}
        ours = {label: kind for label, kind in found.items() if kind in (OURS, EDITED)}
        main = next(iter(ours), "")
        return State(
            LAUNCHD,
            entries=tuple(self._path(label) for label in ours),
            edited=tuple(self._path(label) for label, kind in ours.items() if kind == EDITED),
            runs={RUN: "hourly", DAEMON: "daemon"}.get(main, ""),
            active=self._active(main) if main else None,
        )

    # -- parts ---------------------------------------------------------------------------------------------

    def _active(self, label: str) -> bool | None:
        if self._launchctl is None:
            return None
        return self._machine.ask([self._launchctl, "print", self._target(label)]).code == 0

    def _path(self, label: str) -> str:
        return os.path.join(self._machine.agents, f"{label}.plist")

    def _target(self, label: str) -> str:
        return f"gui/{self._machine.uid}/{label}"

    def _step(self, *arguments: str, needed: bool = True) -> Step:
        return Step((self._launchctl or "launchctl", *arguments), needed)


def plist(label: str, installation: Installation) -> str:
    """The property list of one agent, marked and sealed."""
    import plistlib  # noqa: PLC0415 - start-up: 9 ms for an XML parser

    arguments = ["daemon"] if installation.daemon else ["run", "--if-due", "--all", "--quiet"]
    values: dict[str, object] = {
        "Label": label,
        "ProgramArguments": [installation.program, *arguments],
        "EnvironmentVariables": {"ZECHER_TRIGGER": "timer", **dict(installation.environment)},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "Umask": 0o77,
        "RunAtLoad": True,
        "StandardOutPath": os.devnull,
        "StandardErrorPath": os.path.join(installation.logs, f"{label}.log"),
    }
    if installation.daemon:
        del values["EnvironmentVariables"]
        if installation.environment:
            values["EnvironmentVariables"] = dict(installation.environment)
        values["KeepAlive"] = {"SuccessfulExit": False}
    else:
        values["StartCalendarInterval"] = [{"Minute": 17}]
    text = plistlib.dumps(values, sort_keys=False).decode()
    first, _, rest = text.partition("\n")
    return sealed(f"{first}\n", rest, opening="<!-- ", hint="do not edit", closing=" -->")


def _no_launchd() -> Problem:
    return Problem(
        "no-scheduler",
        "error",
        "",
        "this machine has no launchctl that would start the agent",
        "Choose another --scheduler.",
    )
