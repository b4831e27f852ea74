"""One run of ``zecher daemon``."""

from __future__ import annotations

import os
import sys
import time

from jobs.cli.command import Invocation
from jobs.daemon import Daemon
from jobs.daemon_jobs import TICK_SECONDS, DaemonSettings
from jobs.errors import ExpectedError, LockedError
from jobs.notify_socket import VARIABLES, NotifySocket
from jobs.places import named_places
from jobs.run_ledger import DAEMON_LOCK, GLANCE_SECONDS, lock_path
from jobs.run_settings import RunSettings, run_settings
from jobs.surroundings import Surroundings

# "-P": the process stands in the root folder, and no folder there shall be taken for a package of ours.
PROGRAM = (sys.executable, "-P", "-m", "jobs.cli")


def run_daemon(
    invocation: Invocation, *, program: tuple[str, ...] = PROGRAM, tick: float = TICK_SECONDS
) -> int:
    """The exit code of ``zecher daemon``; jobs are started with ``program``."""
    from brain.files.errors import LockedError as Kept  # noqa: PLC0415 - as the runner does
    from brain.files.errors import WriteError  # noqa: PLC0415 - as above
    from brain.files.lock import BrainLock  # noqa: PLC0415 - as above

    # What a job writes is its owner's alone, whatever the shell or the manager was set to.
    os.umask(0o077)
    settings = _settings(invocation, program, tick)
    notify = NotifySocket(invocation.surroundings.environ)
    daemon = Daemon(settings, notify)
    state = daemon.state
    try:
        with BrainLock(lock_path(state, DAEMON_LOCK), wait=GLANCE_SECONDS) as lock:
            # The path is made anew: what removed the file may have removed the folder.
            return daemon.run(lambda: bool(lock_path(state, DAEMON_LOCK)) and lock.renew())
    except Kept as error:
        owner = f"process {error.pid}" if error.pid else "another process"
        raise LockedError(
            "daemon-runs",
            "the daemon is running already",
            f"{owner} starts the jobs of this state folder",
            "Nothing to do; zecher schedule status shows what started it.",
        ) from None
    except WriteError as error:
        raise ExpectedError(
            "state-unwritable",
            "the daemon was not started",
            str(error),
            "Runs are kept apart by locks in that folder: mend its permissions, or take one that has locks.",
            path=error.path,
        ) from None


def _settings(invocation: Invocation, program: tuple[str, ...], tick: float) -> DaemonSettings:
    typed, surroundings = invocation.typed, invocation.surroundings
    is_fixed = bool(typed.text("now") or surroundings.variable("NOW"))
    ahead = surroundings.now - time.time() if is_fixed else 0.0

    def read() -> RunSettings:
        now = time.time() + ahead
        moved = Surroundings(surroundings.environ, surroundings.home, surroundings.cwd, now)
        return run_settings(typed, moved)

    options = [f"--{name}" for name in ("quiet", "verbose", "debug") if typed.on(name)]
    for name in ("config", "brain"):
        if value := typed.text(name):
            options += [f"--{name}", surroundings.absolute(value)]
    return DaemonSettings(
        read=read,
        command=program,
        environ=_environment(surroundings),
        say=lambda line: invocation.streams.hint(f"zecher daemon: {line}"),
        warn=lambda line: invocation.streams.message(f"zecher daemon: {line}"),
        options=options,
        ahead=ahead,
        fixed_clock=is_fixed,
        tick=tick,
    )


def _environment(surroundings: Surroundings) -> dict[str, str]:
    """Ours, without what lets a child speak for us; the clock, if fixed, is handed over with each start."""
    left_out = (*VARIABLES, "ZECHER_NOW")
    kept = {name: value for name, value in surroundings.environ.items() if name not in left_out}
    # The jobs stand in the root folder: a relative path would mean another place there.
    return {**kept, **named_places(surroundings), "ZECHER_TRIGGER": "daemon"}
