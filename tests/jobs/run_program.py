"""The command line with jobs that behave and misbehave, for tests with real processes.

``python -m tests.jobs.run_program run NAME``. A job that waits says so with the file ``ready`` in the home.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from functools import partial
from hashlib import sha256
from pathlib import Path

from jobs import runner
from jobs.cli import main
from jobs.registry import JOBS, Job, JobContext, JobResult, Output
from jobs.stopping import Stopping
from scanner.project import Problem

OUTPUT = "report.md"


def good(context: JobContext) -> JobResult:
    """Publish a file and say so."""
    path = Path(context.settings.home) / OUTPUT
    data = f"{context.job} {context.slot}\n".encode()
    path.write_bytes(data)
    outputs = (Output(str(path), sha256(data).hexdigest(), len(data)),)
    return JobResult("ok", {"projects": 3}, outputs, summary="3 projects")


def partly(_: JobContext) -> JobResult:
    """Fail in part."""
    problem = Problem("root-missing", "error", "/gone", "no such folder")
    return JobResult("partial", {"projects": 2}, problems=(problem,), summary="2 projects")


def bad(_: JobContext) -> JobResult:
    """Raise an error that quotes a secret."""
    raise ValueError("cannot read 'password: correct-horse-battery'")


def leaving(_: JobContext) -> JobResult:
    """Try to leave the process."""
    sys.exit("enough")


def falling(_: JobContext) -> JobResult:
    """Crash as a broken extension does."""
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def polite(context: JobContext) -> JobResult:
    """Wait, and look at the cancel token; publish only at the end."""
    _ready(context)
    limit = time.monotonic() + 90
    while time.monotonic() < limit and not (Path(context.settings.home) / "go").exists():
        context.cancel.check()
        time.sleep(0.005)
    return good(context)


def stubborn(context: JobContext) -> JobResult:
    """Wait, look at nothing, and swallow every ordinary error."""
    _ready(context)
    limit = time.monotonic() + 90
    while time.monotonic() < limit:
        try:
            time.sleep(0.01)
        except Exception:  # noqa: BLE001, S112 - that is its nature
            continue
    return good(context)


def filling(context: JobContext) -> JobResult:
    """Finish just as the disk becomes full."""
    result = good(context)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    return result


def nothing(_: JobContext) -> JobResult:
    """Hand back what is no result."""
    return "done"  # type: ignore[return-value] # the point of it


def _ready(context: JobContext) -> None:
    (Path(context.settings.home) / "ready").write_text(str(os.getpid()))


JOBS.clear()
for function in (good, partly, bad, leaving, falling, polite, stubborn, filling, nothing):
    JOBS[function.__name__] = Job(function.__name__, "daily 03:17", function)
JOBS["slow"] = Job("slow", "daily 03:17", polite, deadline_s=0.2)
JOBS["hanging"] = Job("hanging", "daily 03:17", stubborn, deadline_s=0.2)

# Nobody waits fifteen seconds in a test for a job that does not listen.
vars(runner)["Stopping"] = partial(Stopping, grace=0.3)

if __name__ == "__main__":
    sys.exit(main())
