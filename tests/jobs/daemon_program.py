"""The daemon with jobs that behave and misbehave, in a hurry; for tests with real processes.

``python -m tests.jobs.daemon_program daemon``. ``TEST_JOBS`` names the jobs that there are, those of
``tests.jobs.run_program`` or of this module. ``TEST_TICK``, ``TEST_STOP`` and ``TEST_PAST`` are seconds;
``TEST_CHILD`` is a program to be started instead of this one; ``TEST_LOCKS=none`` takes the locks away.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

from brain.files import lock
from jobs.cli import main as command_line
from jobs.registry import JOBS, Job, JobContext, JobResult
from tests.jobs import run_program


def deaf(context: JobContext) -> JobResult:
    """Hear no signal, and never end."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGALRM})
    (Path(context.settings.home) / "ready").write_text(str(os.getpid()))
    time.sleep(120)
    return JobResult("ok", {})


def telling(context: JobContext) -> JobResult:
    """Write down what reached it from the daemon."""
    lines = [f"{name}={value}" for name, value in sorted(os.environ.items())]
    lines += [f"cwd={Path.cwd()}", f"argv={sys.argv[1:]}"]
    (Path(context.settings.home) / "told").write_text("\n".join(lines))
    return JobResult("ok", {})


JOBS["deaf"] = Job("deaf", "daily 03:17", deaf, deadline_s=0.2)
JOBS["telling"] = Job("telling", "daily 03:17", telling)
for name, schedule in (("nightly", "daily 03:17"), ("weekly", "weekly sun 04:23")):
    JOBS[name] = Job(name, schedule, run_program.good)
for name in set(JOBS) - set(os.environ["TEST_JOBS"].split()):
    del JOBS[name]


def no_lock(_: int) -> bool:
    """What a file system of the network answers that keeps no locks."""
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def main() -> int:
    """The command line, with another daemon behind it where that is asked for."""
    if "daemon" in sys.argv:
        from jobs import daemon_jobs  # noqa: PLC0415 - a job must not pay for the library
        from jobs.cli import daemon_run  # noqa: PLC0415 - as above

        environ = os.environ
        child = environ.get("TEST_CHILD")
        vars(daemon_run)["run_daemon"] = partial(
            daemon_run.run_daemon,
            program=(child,) if child else (sys.executable, "-P", "-m", "tests.jobs.daemon_program"),
            tick=float(environ.get("TEST_TICK", "0.1")),
        )
        vars(daemon_run)["DaemonSettings"] = partial(
            daemon_jobs.DaemonSettings, stop_seconds=float(environ.get("TEST_STOP", "20"))
        )
        vars(daemon_jobs)["_PAST_DEADLINE"] = float(environ.get("TEST_PAST", "120"))
    if os.environ.get("TEST_LOCKS") == "none":
        vars(lock)["try_lock"] = no_lock
    return command_line()


if __name__ == "__main__":
    sys.exit(main())
