"""The timer, or the daemon, as units of the user's own manager (systemd.unit(5)).

The units are enabled by the very links that ``systemctl enable`` would make, so that they start with the next
login even where the manager cannot be reached now.
"""

from __future__ import annotations

import os

from jobs.scheduler.files import link_change, remove_change, standing, unlink_change, write_change
from jobs.scheduler.machine import Machine
from jobs.scheduler.seal import EDITED, FOREIGN, OURS
from jobs.scheduler.units import DAEMON, FAILED, RUN, TIMER, UNITS, render
from jobs.scheduler.values import REMOVE, SAME, SYSTEMD, Change, Installation, Plan, State, Step, words
from scanner.project import Problem

_ON = {TIMER: "timers.target.wants", DAEMON: "default.target.wants"}
# Patterns for all that may be loaded of ours, failed runs among it.
_LOADED = ("zecher-run.*", "zecher-failed@*", "zecherd.*")
_MODES = {False: (RUN, TIMER, FAILED), True: (DAEMON, FAILED)}


class Systemd:
    """Plans and looks; ``jobs.scheduler`` carries out."""

    kind = SYSTEMD

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._systemctl = machine.program("systemctl")

    @property
    def is_reachable(self) -> bool:
        """Whether the user's manager answers."""
        if self._systemctl is None:
            return False
        answer = self._machine.ask([self._systemctl, "--user", "show", "--property=Version", "--value"])
        return answer.code == 0 and bool(answer.out.strip())

    @property
    def is_possible(self) -> bool:
        """Whether units that are written here will be started one day."""
        return self._systemctl is not None and self._machine.was_started_by_systemd

    def files(self, installation: Installation) -> tuple[tuple[str, str], ...]:
        """Path and text of each unit."""
        return tuple((self._path(name), render(name, installation)) for name in _MODES[installation.daemon])

    def plan(self, installation: Installation, *, linger: bool = False) -> Plan:
        """What it takes that ``installation`` stands and runs."""
        wanted = _MODES[installation.daemon]
        main = DAEMON if installation.daemon else TIMER
        changes: list[Change | None] = [write_change(path, text) for path, text in self.files(installation)]
        # What somebody else calls by our name is not ours to start; what is ours and edited is.
        may_start = standing(self._path(main)) != FOREIGN
        if may_start:
            changes.append(link_change(self._link(main), self._path(main)))
        others = [name for name in UNITS if name not in wanted]
        gone = [change for name in others for change in self._gone(name)]
        kept = tuple(change for change in (*changes, *gone) if change is not None)
        changed = any(change.action != SAME for change in kept)
        before = self._stopped([name for name in others if self._is_ours(name)])
        # A daemon that runs already would go on as it was started; a timer is none the worse for it.
        after = [self._step("daemon-reload")]
        if may_start:
            after.append(self._step("restart" if changed else "start", main))
        steps = [*before, *after]
        if linger:
            after.append(self._linger())
        if self.is_reachable:
            return Plan(SYSTEMD, tuple(before), kept, tuple(after))
        return Plan(
            SYSTEMD,
            changes=kept,
            after=(self._linger(),) if linger else (),
            by_hand=tuple(steps),
            problems=(_no_bus(steps, self._machine.uid),),
        )

    def plan_removal(self) -> Plan:
        """What it takes that nothing of ours is left; what somebody edited stays, but is not started."""
        changes = tuple(change for name in UNITS for change in self._gone(name))
        if not changes:
            return Plan(SYSTEMD)
        before = self._stopped([name for name in _ON if self._is_ours(name)])
        after = [self._step("daemon-reload"), self._step("reset-failed", *_LOADED, needed=False)]
        if self.is_reachable:
            return Plan(SYSTEMD, tuple(before), changes, tuple(after))
        # Without the manager there is nothing running that would have to be stopped.
        return Plan(SYSTEMD, changes=changes)

    def state(self) -> State:
        """How it stands now."""
        found = {name: standing(self._path(name)) for name in UNITS}
        ours = {name: kind for name, kind in found.items() if kind in (OURS, EDITED)}
        main = next((name for name in (TIMER, DAEMON) if name in ours), "")
        active = self._active(main) if main else None
        return State(
            SYSTEMD,
            entries=tuple(self._path(name) for name in ours),
            edited=tuple(self._path(name) for name, kind in ours.items() if kind == EDITED),
            runs={TIMER: "timer", DAEMON: "daemon"}.get(main, ""),
            active=active,
            lingering=self._machine.lingers,
            next_run=self._next() if main == TIMER and active else "",
        )

    # -- parts ---------------------------------------------------------------------------------------------

    def _active(self, name: str) -> bool | None:
        """Whether the unit is active; None where the manager cannot be asked."""
        if self._systemctl is None:
            return None
        answer = self._machine.ask([self._systemctl, "--user", "is-active", name])
        word = answer.out.strip()
        return word in (b"active", b"reloading") if word else None

    def _next(self) -> str:
        if self._systemctl is None:
            return ""
        answer = self._machine.ask(
            [self._systemctl, "--user", "show", TIMER, "--property=NextElapseUSecRealtime", "--value"]
        )
        return answer.out.decode("utf-8", "replace").strip() if answer.code == 0 else ""

    def _gone(self, name: str) -> list[Change]:
        found = [remove_change(self._path(name))]
        if name in _ON and found[0] is not None:
            found.insert(0, unlink_change(self._link(name)))
        if name == TIMER and found[-1] is not None and os.path.isfile(self._machine.stamp):
            # When it last ran: a later timer would make up for what this one missed. "systemctl clean" would
            # remove it too, but only over a bus.
            found.append(Change(REMOVE, self._machine.stamp))
        return [change for change in found if change is not None]

    def _is_ours(self, name: str) -> bool:
        return standing(self._path(name)) in (OURS, EDITED)

    def _stopped(self, names: list[str]) -> list[Step]:
        return [self._step("stop", name, needed=False) for name in names if name in _ON]

    def _path(self, name: str) -> str:
        return os.path.join(self._machine.units, name)

    def _link(self, name: str) -> str:
        return os.path.join(self._machine.units, _ON[name], name)

    def _step(self, *arguments: str, needed: bool = True) -> Step:
        return Step((self._systemctl or "systemctl", "--user", *arguments), needed)

    def _linger(self) -> Step:
        return Step((self._machine.program("loginctl") or "loginctl", "enable-linger"))


def _no_bus(steps: list[Step], uid: int) -> Problem:
    return Problem(
        "no-user-bus",
        "error",
        "",
        "your service manager cannot be reached: the units start with your next login, not at once",
        f"To start them now, after a login of your own (or with XDG_RUNTIME_DIR=/run/user/{uid}): "
        + " && ".join(words(step.command) for step in steps),
    )
