"""One run of ``zecher doctor``."""

from __future__ import annotations

import os

from brain.files.errors import MemError
from brain.files.writer_lock import Owner, owner_of, release
from brain.wording import duration
from jobs.cli.command import Invocation
from jobs.cli.show import last_line
from jobs.config_values import Configuration
from jobs.doctor import Patient, configuration_checks, examine, versions
from jobs.errors import CHECKED, DONE, ExpectedError, LockedError, UsageError
from jobs.memory import project_folder
from jobs.places import cache_folder, index_brain, reports_folder, state_folder
from jobs.settings import output_settings
from reports.doctor import ERROR, OK, WARNING, Check, checks_document, doctor_text, verdict
from reports.document import Document, envelope, located, to_json
from reports.view import safe_display


def run_doctor(invocation: Invocation) -> int:
    """The exit code of ``zecher doctor``."""
    if invocation.typed.on("reanchor"):
        from jobs.cli.doctor_reanchor import run_reanchor  # noqa: PLC0415 - start-up: only this option

        return run_reanchor(invocation)
    return _unlock(invocation) if invocation.typed.on("unlock") else _examine(invocation)


# -- the examination -----------------------------------------------------------------------------------------


def _examine(invocation: Invocation) -> int:
    typed, surroundings, streams = invocation.typed, invocation.surroundings, invocation.streams
    as_json = output_settings(typed, surroundings).format == "json"
    project = project_folder(typed, surroundings)
    os.umask(0o077)
    configuration, found = configuration_checks(surroundings, typed.text("config"))
    checks = [versions(), *found]
    patient = _patient(configuration, invocation)
    checks += examine(patient)
    lock, owner = _lock_check(project, surroundings.now)
    checks.append(lock)
    results = tuple(checks)
    failed = any(check.state == ERROR for check in results)
    code = CHECKED if failed and typed.on("check") else DONE
    if as_json:
        data: Document = {
            "project": project,
            "lock": None if owner is None else _document(owner),
            "released": False,
            "checks": checks_document(results),
        }
        problems = tuple(problem for problem in (check.problem for check in results) if problem is not None)
        streams.result(to_json(envelope("doctor", surroundings.now, data, problems, ok=code == DONE)))
        return code
    streams.result(doctor_text(results))
    last_line(invocation, verdict(results))
    return code


def _patient(configuration: Configuration, invocation: Invocation) -> Patient:
    typed, surroundings = invocation.typed, invocation.surroundings
    state = state_folder(surroundings, configuration)
    folders = (
        ("brain", index_brain(typed, surroundings, configuration)),
        ("state", state),
        ("cache", cache_folder(surroundings, configuration)),
        ("reports", reports_folder(surroundings, configuration)),
    )
    return Patient(folders, state, configuration, surroundings, fix=typed.on("fix"))


def _lock_check(project: str, now: float) -> tuple[Check, Owner | None]:
    """Whether the ledgers of the project are free, and who holds them."""
    try:
        owner = owner_of(project, now)
    except MemError as error:
        fix = "Mend what the message names, then look again."
        return Check("lock", ERROR, str(error), "lock-unreadable", fix, project), None
    if owner is None:
        return Check("lock", OK, f"the ledgers of {project} are free"), None
    who = f"process {owner.pid or 'not named'} on {owner.hostname or 'a host not named'}"
    words = f"{who} holds {owner.path} for {duration(owner.age_seconds)}"
    if owner.alive:
        return Check("lock", OK, f"{words} and is running", path=owner.path), owner
    if owner.alive is False:
        fix = f"Run zecher doctor --unlock -d {project}"
        return Check("lock", WARNING, f"{words} and is gone", "ledger-locked", fix, owner.path), owner
    fix = "Make sure that it is gone, then run zecher doctor --unlock at a terminal."
    words += " and may be running, which cannot be told from here"
    return Check("lock", WARNING, words, "ledger-owner-unknown", fix, owner.path), owner


# -- the lock of a project -----------------------------------------------------------------------------------


def _unlock(invocation: Invocation) -> int:
    typed, surroundings = invocation.typed, invocation.surroundings
    as_json = output_settings(typed, surroundings).format == "json"
    project = project_folder(typed, surroundings)
    owner = _owner(project, surroundings.now)
    if not as_json:
        _show(invocation, project, owner)
    released = False
    if owner is not None:
        _refuse_the_living(owner)
        if owner.seen is None or _agreed(invocation, owner, as_json=as_json):
            _release(project, owner)
            released = True
    if as_json:
        data: Document = {
            "project": project,
            "lock": None if owner is None else _document(owner),
            "released": released,
        }
        invocation.streams.result(to_json(envelope("doctor", surroundings.now, data, (), ok=True)))
    elif owner is not None:
        last_line(invocation, "released" if released else "nothing was released")
    return DONE


def _owner(project: str, now: float) -> Owner | None:
    try:
        return owner_of(project, now)
    except MemError as error:
        raise ExpectedError(
            "lock-unreadable",
            "nobody can tell whether the ledgers are locked",
            str(error),
            "Mend what the message names, then look again.",
            path=project,
        ) from None


def _release(project: str, owner: Owner) -> None:
    """Remove the lock; one that is no writer's is refused in words of its own, without a question."""
    try:
        release(project, owner)
    except MemError as error:
        raise ExpectedError(
            "lock-not-released",
            "the lock could not be released",
            str(error),
            "Look at the file and its folder.",
            path=owner.path,
        ) from None


def _refuse_the_living(owner: Owner) -> None:
    if owner.alive:
        raise LockedError(
            "ledger-locked",
            f"process {owner.pid} holds the lock and is running",
            "a lock is never taken from a living writer",
            "Wait until it has ended, or end it.",
            path=owner.path,
        )


def _agreed(invocation: Invocation, owner: Owner, *, as_json: bool) -> bool:
    """Whether the lock shall go: ``--yes`` is enough when its owner is dead, else a person decides."""
    sure = owner.alive is False
    if sure and invocation.typed.on("yes"):
        return True
    if as_json or not invocation.streams.can_ask:
        if not sure:
            raise LockedError(
                "ledger-owner-unknown",
                "nobody can tell from here whether the owner of the lock lives",
                "it names another host, or no process at all",
                "Make sure that it is gone, then run zecher doctor --unlock at a terminal.",
                path=owner.path,
            )
        raise UsageError(
            "needs-answer",
            "nothing was released",
            "whether to release the lock must be answered, and nobody can be asked here",
            "Add --yes to release it.",
            path=owner.path,
        )
    question = "Release it?" if sure else "Its owner may still be writing. Release it all the same?"
    answer = invocation.streams.ask(f"{question} [y/N]")
    return (answer or "").strip().lower() in ("y", "yes")


def _show(invocation: Invocation, project: str, owner: Owner | None) -> None:
    if owner is None:
        last_line(invocation, f"no lock: the ledgers of {project} are free")
        return
    state = {True: "running", False: "gone", None: "may be running, which cannot be told from here"}
    lines = (
        owner.path,
        f"  process  {owner.pid or 'not named'} ({state[owner.alive]})",
        f"  host     {owner.hostname or 'not named'}",
        f"  age      {duration(owner.age_seconds)}",
    )
    invocation.streams.result("".join(f"{safe_display(line)}\n" for line in lines))


def _document(owner: Owner) -> Document:
    return {
        **located(owner.path),
        "pid": owner.pid,
        "hostname": owner.hostname,
        "age_seconds": round(owner.age_seconds, 3),
        "alive": owner.alive,
        "is_ours": owner.is_ours,
    }
