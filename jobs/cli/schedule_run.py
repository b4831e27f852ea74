"""One run of a ``zecher schedule`` command."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from brain.files.errors import WriteError
from jobs.cli.command import Invocation
from jobs.cli.show import last_line, show_problems
from jobs.errors import DONE, FAILED, PARTIAL, ExpectedError, UsageError, nearest
from jobs.job_status import daemon_state
from jobs.scheduler import AUTO, KINDS, carry_out, choose, plan_install, plan_removal, states
from jobs.scheduler.files import ensure_folder
from jobs.scheduler.installation import installation_of
from jobs.scheduler.machine import Machine
from jobs.scheduler.values import KEPT, SAME, Change, Installation, Plan, State, Step, words
from jobs.settings import output_settings, read_settings
from reports.document import Document, envelope, located, to_json
from reports.view import below_home
from scanner.project import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.typed import Typed


class _Run:
    """What every command of the family knows."""

    def __init__(self, invocation: Invocation, name: str) -> None:
        self.invocation = invocation
        self.typed = invocation.typed
        self.streams = invocation.streams
        self.name = name
        self.as_json = output_settings(self.typed, invocation.surroundings).format == "json"
        self.machine = Machine(invocation.surroundings, platform=sys.platform)
        self.home = invocation.surroundings.home if self.streams.result_is_terminal else ""

    def installation(self, *, daemon: bool) -> Installation:
        surroundings = self.invocation.surroundings
        return installation_of(self.typed, surroundings, sys.argv[0], sys.executable, daemon=daemon)

    def document(self, data: Document, problems: Sequence[Problem], code: int) -> int:
        now = self.invocation.surroundings.now
        document = envelope(f"schedule.{self.name}", now, data, tuple(problems), ok=code == DONE)
        self.streams.result(to_json(document))
        return code

    def lines(self, lines: Sequence[str]) -> None:
        """Print lines whose foreign parts were made harmless before."""
        self.streams.result("".join(f"{line}\n" for line in lines))

    def changes(self, plans: Sequence[Plan]) -> Iterator[str]:
        for plan in plans:
            for change in plan.changes:
                yield f"{change.action}\t{below_home(change.path, self.home)}"


# -- install ------------------------------------------------------------------------------------------------


def run_install(invocation: Invocation) -> int:
    """The exit code of ``zecher schedule install``."""
    run = _Run(invocation, "install")
    installation = run.installation(daemon=run.typed.on("daemon"))
    chosen = choose(run.machine, _wanted(run.typed), daemon=installation.daemon)
    plans = plan_install(run.machine, chosen, installation, linger=run.typed.on("linger"))
    if run.typed.on("dry_run"):
        return _dry(run, plans, chosen.kind)
    if not run.as_json:
        run.lines([*run.changes(plans)])
    _make_folders(installation)
    problems = carry_out(run.machine, plans)
    state = chosen.state()
    if not problems and state.active is False:
        problems = (_inactive(state),)
    return _installed(run, plans, problems, state)


def _installed(run: _Run, plans: Sequence[Plan], problems: Sequence[Problem], state: State) -> int:
    code = DONE if not problems else PARTIAL if state.installed else FAILED
    if run.as_json:
        data = {**_plan_document(plans, dry_run=False), "scheduler": _state_document(state)}
        return run.document(data, problems, code)
    show_problems(run.streams, problems, verbose=True)
    if state.installed:
        last_line(run.invocation, _state_line(state))
    if state.lingering is False:
        run.streams.hint(
            "note: it runs while you are logged in; a night that it missed is made up for at the next login"
            " (to have it run always: zecher schedule install --linger)"
        )
    return code


def _make_folders(installation: Installation) -> None:
    """The sandbox opens these folders for writing, and can only open what is there."""
    for folder in (*installation.folders, installation.logs):
        try:
            ensure_folder(folder)
        except WriteError as error:
            raise ExpectedError(
                "schedule-folder",
                "nothing was installed",
                str(error),
                "Mend what the message names, then run the command again.",
                path=folder,
            ) from None


def _inactive(state: State) -> Problem:
    return Problem(
        "schedule-inactive",
        "error",
        "",
        f"{state.kind} has the entry but does not have it active",
        "See systemctl --user status zecher-run.timer zecherd, or zecher doctor.",
    )


# -- remove, status, show -----------------------------------------------------------------------------------


def run_remove(invocation: Invocation) -> int:
    """The exit code of ``zecher schedule remove``."""
    run = _Run(invocation, "remove")
    plans = plan_removal(run.machine, _wanted(run.typed))
    if run.typed.on("dry_run"):
        return _dry(run, plans, "")
    if not run.as_json:
        run.lines([*run.changes(plans)])
    problems = carry_out(run.machine, plans, go_on=True)
    code = PARTIAL if problems else DONE
    if run.as_json:
        return run.document(_plan_document(plans, dry_run=False), problems, code)
    show_problems(run.streams, problems, verbose=True)
    if not plans:
        last_line(invocation, "nothing of zecher is installed")
    elif not problems:
        last_line(invocation, "removed; the record of runs, the reports and the brain stay")
    return code


def run_status(invocation: Invocation) -> int:
    """The exit code of ``zecher schedule status``."""
    run = _Run(invocation, "status")
    found = states(run.machine)
    current = _is_current(run)
    daemon = daemon_state(read_settings(run.typed, invocation.surroundings).state)
    if run.as_json:
        main = next((state for state in found if state.installed), None)
        data: Document = {
            "scheduler": None if main is None else _state_document(main),
            "all": [_state_document(state) for state in found],
            "current": current,
            "daemon": None if daemon is None else {"pid": daemon.pid},
        }
        return run.document(data, (), DONE)
    for state in found:
        run.lines([*_state_lines(state, run.home)])
    if daemon is not None:
        run.lines([f"daemon\trunning{f', process {daemon.pid}' if daemon.pid else ''}"])
    if not any(state.installed for state in found):
        last_line(
            invocation, "nothing is installed that would start the jobs; zecher schedule install does it"
        )
    elif current is False:
        last_line(invocation, "the configuration or zecher has moved on: run zecher schedule install again")
    return DONE


def run_show(invocation: Invocation) -> int:
    """The exit code of ``zecher schedule show``."""
    run = _Run(invocation, "show")
    installation = run.installation(daemon=run.typed.on("daemon"))
    chosen = choose(run.machine, _wanted(run.typed), daemon=installation.daemon)
    files = chosen.files(installation)
    if run.as_json:
        data: Document = {
            "kind": chosen.kind,
            "files": [{**located(path), "text": text} for path, text in files],
        }
        return run.document(data, (), DONE)
    for place, (path, text) in enumerate(files):
        heading = [*([""] if place else []), f"# -- {path}"] if len(files) > 1 else []
        run.lines([*heading, *text.splitlines()])
    return DONE


def _is_current(run: _Run) -> bool | None:
    """Whether an installation now would change nothing; None where nothing is there or nobody can tell."""
    found = next((state for state in states(run.machine) if state.installed), None)
    if found is None:
        return None
    try:
        installation = run.installation(daemon=found.runs == "daemon")
        plan = choose(run.machine, found.kind).plan(installation)
    except ExpectedError:
        return None
    return all(change.action in (SAME, KEPT) for change in plan.changes)


def _dry(run: _Run, plans: Sequence[Plan], kind: str) -> int:
    if run.as_json:
        return run.document({**_plan_document(plans, dry_run=True), "kind": kind or None}, (), DONE)
    for plan in plans:
        run.lines([f"run\t{words(step.command)}" for step in plan.before])
        for change in plan.changes:
            run.lines([f"{change.action}\t{change.path}", *_indented(change)])
        run.lines([f"run\t{words(step.command)}" for step in plan.after])
        run.lines([f"by hand\t{words(step.command)}" for step in plan.by_hand])
        show_problems(run.streams, plan.problems, verbose=True)
    last_line(run.invocation, "dry run, nothing changed")
    return DONE


def _indented(change: Change) -> Iterator[str]:
    for line in change.text.splitlines():
        yield f"\t{line}" if line else ""


# -- what was typed -----------------------------------------------------------------------------------------


def _wanted(typed: Typed) -> str:
    wanted = typed.text("scheduler") or AUTO
    if wanted in KINDS:
        return wanted
    neighbour = nearest(wanted, [*KINDS])
    raise UsageError(
        "bad-value",
        f"--scheduler {wanted}",
        f"{wanted!r} is not one of {', '.join(KINDS)}",
        f"Did you mean {neighbour}?" if neighbour else "Leave it out.",
    )


# -- how it is shown ----------------------------------------------------------------------------------------


def _state_line(state: State) -> str:
    word = {True: "active", False: "not active", None: "installed"}[state.active]
    after = f", next: {state.next_run}" if state.next_run else ""
    return f"{state.kind} ({state.runs}): {word}{after}"


def _state_lines(state: State, home: str) -> Iterator[str]:
    active = {True: "yes", False: "no", None: "cannot be told from here"}
    yield f"scheduler\t{state.kind}{f' ({state.runs})' if state.runs else ''}"
    yield f"active\t{active[state.active]}"
    if state.next_run:
        yield f"next\t{state.next_run}"
    if state.lingering is not None:
        yield f"lingering\t{'yes' if state.lingering else 'no: it runs while you are logged in'}"
    for entry in state.entries:
        yield f"{'edited' if entry in state.edited else 'entry'}\t{below_home(entry, home)}"


def _state_document(state: State) -> Document:
    return {
        "kind": state.kind,
        "runs": state.runs or None,
        "active": state.active,
        "lingering": state.lingering,
        "next": state.next_run or None,
        "entries": [located(path) for path in state.entries],
        "edited": [located(path) for path in state.edited],
    }


def _plan_document(plans: Sequence[Plan], *, dry_run: bool) -> Document:
    def commands(steps: Sequence[Step]) -> list[list[str]]:
        return [list(step.command) for step in steps]

    return {
        "dry_run": dry_run,
        "plans": [
            {
                "kind": plan.kind,
                "commands_before": commands(plan.before),
                "changes": [
                    {"action": change.action, **located(change.path), "text": change.text}
                    for change in plan.changes
                ],
                "commands_after": commands(plan.after),
                "by_hand": commands(plan.by_hand),
            }
            for plan in plans
        ],
    }
