"""One of several processes that want to run the same slots; ``python -m tests.jobs.racer STATE SLOTS``.

Each line of ``STATE/../executions`` is one execution: the slot, when it began, when it ended (monotonic ns).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from jobs.registry import JOBS, Job, JobContext, JobResult
from jobs.run_ledger import SKIPPED
from jobs.runner import run_job
from scanner.value import replace
from tests.jobs.runs import run_settings
from tests.support import DAY, NOW


def main(state: Path, slots: int) -> None:
    """Want each slot until somebody has done it."""
    executions = os.open(state.parent / "executions", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def job(context: JobContext) -> JobResult:
        begin = time.monotonic_ns()
        time.sleep(0.001)
        os.write(executions, f"{context.slot} {begin} {time.monotonic_ns()}\n".encode())
        return JobResult("ok", {})

    JOBS["race"] = Job("race", "daily 03:17", job)
    settings = run_settings(state)
    while not (state.parent / "go").exists():
        time.sleep(0.001)
    for slot in range(slots):
        now = replace(settings, scan=replace(settings.scan, now=NOW + slot * DAY))
        while run_job("race", now, trigger="timer", if_due=True).state == SKIPPED:
            time.sleep(0.0005)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
