"""Starts daemons in the background and waits for what they do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.jobs.program import Done, Program

PATIENCE = 60.0


class Running:
    """A daemon in the background; ``err`` is the file with what it says."""

    def __init__(self, program: Program, process: subprocess.Popen[bytes], err: Path) -> None:
        self.program = program
        self.process = process
        self._err = err

    @property
    def said(self) -> str:
        return self._err.read_text()

    def until(self, happened: Callable[[], bool]) -> None:
        """Wait for it; fails when the daemon ends or nothing happens."""
        limit = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < limit, self.said
            assert self.process.poll() is None or happened(), self.said
            time.sleep(0.01)

    def until_said(self, words: str) -> None:
        self.until(lambda: words in self.said)

    def until_states(self, *states: str) -> None:
        """Wait until the ledger's runs have these states, in the order of their beginnings."""
        self.until(lambda: [run["state"] for run in runs(self.program)] == list(states))

    def ready(self) -> int:
        """The process of the job, once it is under way."""
        path = self.program.home / "ready"
        self.until(lambda: path.exists() and path.read_text() != "")
        return int(path.read_text())

    def stop(self, number: int = signal.SIGTERM) -> Done:
        self.process.send_signal(number)
        return self.ends()

    def ends(self) -> Done:
        code = self.process.wait(PATIENCE)
        return Done(code, "", self.said)


@contextmanager
def daemon(program: Program, *words: str) -> Iterator[Running]:
    """``zecher daemon``; killed at the end, with the job that it may have left behind."""
    (program.home / "ready").unlink(missing_ok=True)
    err = program.cwd / f"err-{time.monotonic_ns()}"
    with err.open("wb") as stream:
        process = subprocess.Popen(
            program.command("daemon", *words),
            cwd=program.cwd,
            env=program.environment(),
            stdout=subprocess.DEVNULL,
            stderr=stream,
        )
    running = Running(program, process, err)
    try:
        running.until_said("started")
        yield running
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for line in running.said.splitlines():
            if " is due: process " in line:
                with suppress(ProcessLookupError):
                    os.killpg(int(line.rpartition(" ")[2]), signal.SIGKILL)


def runs(program: Program) -> list[dict[str, Any]]:
    """The last line of each run in the ledger, in the order of the first ones."""
    path = program.home / ".local/state/zecher/runs.ndjson"
    found: dict[str, dict[str, Any]] = {}
    with suppress(FileNotFoundError):
        for line in path.read_bytes().split(b"\n")[:-1]:
            run = json.loads(line)
            found[run["run"]] = run
    return list(found.values())


def is_alive(pid: int) -> bool:
    """Whether a process runs that is no mere entry in the table of processes."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return words[0] not in ("Z", "X")
