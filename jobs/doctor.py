"""Does Zecher work here? Found out by doing: writing, reading, recalling, listing; not by what is there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from brain.wording import duration, plural
from jobs import __version__
from jobs.errors import ExpectedError
from jobs.job_status import daemon_state, job_state, ledger_state, lock_holder, read_ledger, scheduler_state
from jobs.run_ledger import START, LedgerError
from jobs.sandbox import can_write
from jobs.schedule.due import BUILD_DATE, clock_suspicion
from reports.doctor import ERROR, OK, WARNING, Check
from reports.jobs import job_words, scheduler_words
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Configuration
    from jobs.surroundings import Surroundings

_LOW, _FULL = 500 * 1024 * 1024, 20 * 1024 * 1024
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at: the folders by what they are called, the configuration, the surroundings.

    With ``fix`` what is safe is put right: folders are made, foreign rights to write taken away, runs that
    crashed written down.
    """

    folders: tuple[tuple[str, str], ...]
    state: str
    configuration: Configuration
    surroundings: Surroundings
    fix: bool = False


def examine(patient: Patient) -> Iterator[Check]:
    """Every check but those of the configuration and of the lock of a project, one after the other."""
    yield _memory(patient.surroundings.now)
    for name, path in patient.folders:
        yield _folder(name, path, fix=patient.fix)
    yield from _roots(patient.configuration)
    yield _scheduler(patient)
    yield from _runs(patient)
    yield _disk(dict(patient.folders)["brain"])


def versions() -> Check:
    """What runs here; nothing of it can be wrong, for it runs."""
    import platform  # noqa: PLC0415 - start-up: only the doctor asks

    python = platform.python_version()
    return Check(
        "versions", OK, f"zecher {__version__}, Python {python}, {platform.system()} {platform.release()}"
    )


def configuration_checks(
    surroundings: Surroundings, flag: str | None
) -> tuple[Configuration, tuple[Check, ...]]:
    """The configuration as far as it makes sense, and a check for each mistake in it."""
    from jobs.config import checked_configuration  # noqa: PLC0415 - as above
    from jobs.config_targets import check_targets  # noqa: PLC0415 - as above
    from jobs.config_values import Configuration  # noqa: PLC0415 - as above

    try:
        configuration, mistakes = checked_configuration(surroundings, flag)
    except ExpectedError as error:
        check = Check("configuration", ERROR, f"{error.what}: {error.why}", error.code, error.fix, error.path)
        return Configuration(), (check,)
    found = [
        Check(
            "configuration",
            WARNING if one.level == "warning" else ERROR,
            f"{f'line {one.line}, ' if one.line else ''}{one.key}: {one.complaint}",
            one.code,
            one.hint,
            configuration.path,
        )
        for one in (*mistakes, *check_targets(configuration))
    ]
    words = configuration.path or "none, all defaults"
    return configuration, tuple(found) or (Check("configuration", OK, words, path=configuration.path),)


# -- memory, by doing ----------------------------------------------------------------------------------------


def _memory(now: float) -> Check:
    """Make a project and a brain in a temporary home, write into its memory, read that, recall it."""
    import shutil  # noqa: PLC0415 - as above
    import tempfile  # noqa: PLC0415 - as above

    from brain.files.errors import MemError, WriteError  # noqa: PLC0415 - as above

    try:
        home = tempfile.mkdtemp(prefix="zecher-doctor-")
    except OSError as error:
        return _broken(f"no temporary folder: {error.strerror}")
    try:
        return _rehearsal(os.path.realpath(home), now)
    except (ExpectedError, MemError, WriteError, OSError) as error:
        return _broken(str(error))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _rehearsal(home: str, now: float) -> Check:
    from brain.folders import PROJECT_MEMORY  # noqa: PLC0415 - as above
    from brain.recall.recall import recall  # noqa: PLC0415 - as above
    from jobs import memory  # noqa: PLC0415 - as above

    project, brain = os.path.join(home, "project"), os.path.join(home, "brain")
    os.mkdir(project)
    settings = memory.MemorySettings(project, project, brain, (brain, "the doctor"), {}, home, now)
    made = memory.initialise(memory.plan(settings, user="doctor", language=None))
    if made.problems:
        return _broken(made.problems[0].message)
    title = "Rehearsal of the doctor"
    memory.add(settings, "lessons", title, {"context": "here", "lesson": "Memory works"})
    with open(os.path.join(project, PROJECT_MEMORY, "lessons.md"), encoding="utf-8") as file:
        if title not in file.read():
            return _broken("what was written could not be read back")
    if not any("Rehearsal" in hit.text for hit in recall(project, "rehearsal doctor", now=now).hits):
        return _broken("what was written could not be recalled")
    return Check("memory", OK, f"written, read and recalled in a temporary home ({len(made.created)} files)")


def _broken(why: str) -> Check:
    fix = "Check the space and the permissions of the folder for temporary files (TMPDIR)."
    return Check("memory", ERROR, f"could not be written and recalled: {why}", "doctor-memory", fix)


# -- folders -------------------------------------------------------------------------------------------------


def _folder(name: str, path: str, *, fix: bool) -> Check:
    """Whether a folder of ours can be written, and by nobody else."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return _missing(name, path, fix=fix)
    except OSError as error:
        return Check(name, ERROR, f"{path}: {error.strerror}", "doctor-folder", "Mend its permissions.", path)
    if not stat.S_ISDIR(found.st_mode):
        return Check(name, ERROR, f"{path} is no folder", "doctor-folder", "Move it away.", path)
    if not can_write(path):
        return Check(name, ERROR, f"{path} cannot be written", "doctor-folder", "Mend its permissions.", path)
    if found.st_uid != os.getuid():
        words = f"{path} belongs to somebody else"
        return Check(name, WARNING, words, "doctor-rights", "Make it yours with chown.", path)
    if found.st_mode & _OTHERS_WRITE:
        return _open_to_others(name, path, found.st_mode, fix=fix)
    return Check(name, OK, f"{path} can be written, by you alone", path=path)


def _missing(name: str, path: str, *, fix: bool) -> Check:
    if fix:
        from brain.files.errors import WriteError  # noqa: PLC0415 - as above
        from jobs.scheduler.files import ensure_folder  # noqa: PLC0415 - as above

        try:
            ensure_folder(path)
        except WriteError as error:
            return Check(name, ERROR, str(error), "doctor-folder", "Mend what the message names.", path)
        return Check(name, OK, f"{path} was missing and has been made", path=path, mended=True)
    above = path
    while not os.path.isdir(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    if not can_write(above):
        words = f"{path} is missing and cannot be made in {above}"
        return Check(name, ERROR, words, "doctor-folder", f"Mend the permissions of {above}.", path)
    return Check(name, OK, f"{path} is not there yet; it is made when it is needed", path=path)


def _open_to_others(name: str, path: str, mode: int, *, fix: bool) -> Check:
    words, mend = f"{path} may be written by others", f"Run zecher doctor --fix, or: chmod go-w {path}"
    if fix:
        with suppress(OSError):
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS_WRITE)
            return Check(name, OK, f"{path} was open to others and is closed", path=path, mended=True)
    return Check(name, WARNING, words, "doctor-rights", mend, path)


def _roots(configuration: Configuration) -> Iterator[Check]:
    from scanner.mounts import read_mounts  # noqa: PLC0415 - as above
    from scanner.places import Places  # noqa: PLC0415 - as above

    if not configuration.roots:
        words = "none configured: the jobs look at the projects of the index"
        yield Check(
            "roots", WARNING, words, "no-roots", "Name your folders as [scan] roots: zecher config init"
        )
    places = Places(read_mounts())
    for root in configuration.roots:
        if places.may_hang(root.path):
            yield Check(
                "root", OK, f"{root.path} lies on a mount that may hang and was not asked", path=root.path
            )
            continue
        try:
            with os.scandir(root.path) as entries:
                count = sum(1 for _ in entries)
        except OSError as error:
            words = f"{root.path}: {error.strerror}"
            fix = "Check the path, the mount and its permissions."
            yield Check("root", ERROR, words, "doctor-root", fix, root.path)
        else:
            yield Check("root", OK, f"{root.path}: {plural(count, 'entry', 'entries')} read", path=root.path)


# -- the jobs ------------------------------------------------------------------------------------------------


def _scheduler(patient: Patient) -> Check:
    found, daemon = scheduler_state(patient.surroundings), daemon_state(patient.state)
    words = scheduler_words(found, daemon)
    fix = "Run zecher schedule install, then zecher schedule status."
    if found is None and daemon is None:
        return Check("scheduler", WARNING, "nothing starts the jobs", "doctor-scheduler", fix)
    if found is not None and found.active is False:
        return Check("scheduler", ERROR if daemon is None else WARNING, words, "doctor-scheduler", fix)
    return Check("scheduler", OK, words)


def _runs(patient: Patient) -> Iterator[Check]:
    from jobs.registry import schedules  # noqa: PLC0415 - as above

    now, state = patient.surroundings.now, patient.state
    ledger = read_ledger(state)
    found = ledger_state(ledger, now, state)
    if found.unusable:
        words = f"{found.path}: {found.unusable}"
        yield Check("ledger", ERROR, words, "ledger-unreadable", found.fix, found.path)
    else:
        counts = f"{plural(found.runs, 'run')}, {plural(found.damaged, 'damaged line')}"
        yield Check("ledger", OK, counts, path=found.path)
    yield _clock(now, clock_suspicion(now, ledger.runs))
    try:
        planned = schedules(patient.configuration)
    except ExpectedError:
        return  # the check of the configuration has told of it
    for name, schedule in planned.items():
        job = job_state(name, schedule, ledger, now, state)
        words = job_words(job, now)
        fix = f"Run zecher run {name}, then zecher jobs."
        if job.outcome is None:
            yield Check(name, WARNING, words, "doctor-job", fix)
        elif job.dead:
            yield Check(name, ERROR, words, "doctor-job", f"See zecher schedule status. {fix}")
        elif job.failures:
            yield Check(name, WARNING, f"{words}: {job.error}", "doctor-job", fix)
        else:
            yield Check(name, OK, words)
        if any(run.state == START for run in ledger.of(name)) and not lock_holder(state, name)[0]:
            yield _crashed(name, patient)


def _crashed(name: str, patient: Patient) -> Check:
    """A run that began and that nobody runs any more."""
    words = f"a run of {name} ended without a word"
    if patient.fix:
        from jobs.crashes import close_crashed  # noqa: PLC0415 - as above
        from jobs.telling import Audience  # noqa: PLC0415 - as above

        with suppress(LedgerError):
            crashed = close_crashed(name, patient.state, patient.surroundings.now)
            if crashed:
                Audience(patient.configuration, patient.surroundings.environ, patient.state).hear_of_crashes(
                    crashed
                )
                return Check("crash", OK, f"{words} and is now written down as crashed", mended=True)
    fix = "Nothing to do: the next run writes it down. zecher doctor --fix does so now."
    return Check("crash", WARNING, words, "run-crashed", fix)


def _clock(now: float, suspicion: str) -> Check:
    fix = "Set the clock of this machine, best from the network."
    if now < BUILD_DATE - 86_400:
        words = f"the clock is {duration(BUILD_DATE - now)} behind the day this version was made"
        return Check("clock", WARNING, words, "clock-suspicious", fix)
    if suspicion:
        return Check("clock", WARNING, suspicion, "clock-suspicious", fix)
    return Check("clock", OK, "nothing speaks against it")


def _disk(path: str) -> Check:
    """The space where the brain lies, or will lie."""
    while not os.path.isdir(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    try:
        found = os.statvfs(path)
    except OSError as error:
        return Check("disk", WARNING, f"{path}: {error.strerror}", "doctor-disk", "Look at the disk.", path)
    free = found.f_bavail * found.f_frsize
    words = f"{free // _MEGABYTE:,} MB free at {path}"
    check = Check("disk", OK, words, path=path)
    few = found.f_files > 0 and found.f_favail < 1000
    if free < _FULL or few:
        words += ", and hardly any files can be made" if few else ""
        return replace(check, state=ERROR, words=words, code="doctor-disk", fix="Free space on that disk.")
    if free < _LOW:
        return replace(check, state=WARNING, code="doctor-disk", fix="Free space before it is full.")
    return check
