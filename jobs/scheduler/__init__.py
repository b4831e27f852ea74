"""Puts the jobs into the scheduler of the system and takes them out again; exactly what it put there.

Three schedulers give the same answers: a plan of what would change, and how it stands. Here one is chosen,
its plan is carried out, and the entries of the others go.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobs.errors import ExpectedError
from jobs.scheduler.cron import Cron
from jobs.scheduler.files import carry_out as carry_out_changes
from jobs.scheduler.launchd import Launchd
from jobs.scheduler.machine import Machine
from jobs.scheduler.systemd import Systemd
from jobs.scheduler.values import CRON, LAUNCHD, SYSTEMD, Installation, Plan, State, Step, words
from scanner.project import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.surroundings import Surroundings

    Scheduler = Systemd | Cron | Launchd

AUTO = "auto"
KINDS = (AUTO, SYSTEMD, CRON, LAUNCHD)


def schedulers(machine: Machine) -> dict[str, Scheduler]:
    """Every scheduler that Zecher knows, by its kind."""
    return {SYSTEMD: Systemd(machine), CRON: Cron(machine), LAUNCHD: Launchd(machine)}


def choose(machine: Machine, wanted: str, *, daemon: bool = False) -> Scheduler:
    """The scheduler ``wanted``; for ``auto`` the one that is in use, else the best that works here.

    ``ExpectedError`` where none would ever start anything.
    """
    known = schedulers(machine)
    if wanted != AUTO:
        return known[wanted]
    if machine.platform == "darwin":
        return known[LAUNCHD]
    systemd, cron = Systemd(machine), Cron(machine)
    if not daemon and cron.is_possible and cron.state().installed:
        return cron
    if systemd.is_reachable:
        return systemd
    if not daemon and cron.is_possible:
        return cron
    if systemd.is_possible:
        return systemd
    raise ExpectedError(
        "no-scheduler",
        "this machine has no scheduler that would start the jobs",
        "neither a systemd manager of yours nor a running cron daemon was found",
        "Have zecher daemon started in some other way, or name one with --scheduler.",
    )


def plan_install(
    machine: Machine, chosen: Scheduler, installation: Installation, *, linger: bool = False
) -> tuple[Plan, ...]:
    """The plan of the chosen scheduler, then those that take our entries out of all others."""
    others = [other for other in schedulers(machine).values() if other.kind != chosen.kind]
    removals = [plan for plan in (other.plan_removal() for other in others) if plan.changes]
    return (chosen.plan(installation, linger=linger), *removals)


def plan_removal(machine: Machine, wanted: str) -> tuple[Plan, ...]:
    """The plans that take our entries out of the scheduler ``wanted``, for ``auto`` out of all."""
    found = [one for one in schedulers(machine).values() if wanted in (AUTO, one.kind)]
    return tuple(plan for plan in (one.plan_removal() for one in found) if plan.changes)


def carry_out(machine: Machine, plans: Sequence[Plan], *, go_on: bool = False) -> tuple[Problem, ...]:
    """Do what was planned, and say what went wrong.

    Once a plan failed, the following are left alone unless ``go_on``: an old entry stays until the new one
    works, and two of them do no harm, for each slot runs once.
    """
    problems: list[Problem] = []
    for plan in plans:
        problems += plan.problems
        problems += _steps(machine, plan.before)
        problems += carry_out_changes(plan.changes)
        problems += _steps(machine, plan.after)
        if problems and not go_on:
            break
    return tuple(problems)


def states(machine: Machine) -> tuple[State, ...]:
    """How each scheduler stands that holds something of ours."""
    found = (one.state() for one in schedulers(machine).values())
    return tuple(state for state in found if state.entries)


def current_state(surroundings: Surroundings) -> State | None:
    """How the scheduler stands that starts the jobs of this user, an active one first; None: there is none.

    Asks the system's own programs, which takes some ten milliseconds.
    """
    import sys  # noqa: PLC0415 - the platform, read where it is asked for

    found = [one for one in states(Machine(surroundings, platform=sys.platform)) if one.installed]
    return next((one for one in found if one.active), found[0] if found else None)


def _steps(machine: Machine, steps: Sequence[Step]) -> list[Problem]:
    problems = []
    for step in steps:
        answer = machine.ask(step.command, step.given)
        if step.needed and answer.code != 0:
            problems.append(_failed(step, answer.reason))
    return problems


def _failed(step: Step, reason: str) -> Problem:
    command = words(step.command)
    return Problem(
        "schedule-step",
        "error",
        "",
        f"{command}: {reason}",
        "Mend what the message names, then run the command again.",
    )
