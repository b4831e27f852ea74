"""Runs the real command line: in a pipe, and at a pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).absolute().parents[2]
NOW = "2026-11-30T03:17:04Z"


@dataclass(frozen=True)
class Done:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def data(self) -> dict[str, Any]:
        found = self.document["data"]
        assert isinstance(found, dict)
        return found


@dataclass
class Program:
    """``python -m jobs.cli`` with a home of its own and a fixed clock."""

    home: Path
    cwd: Path
    extra: dict[str, str] = field(default_factory=dict)
    module: str = "jobs.cli"

    def environment(self) -> dict[str, str]:
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("ZECHER_", "XDG_"))}
        environ.pop("COLUMNS", None)
        environ |= {"HOME": str(self.home), "PYTHONPATH": str(ROOT), "ZECHER_NOW": NOW, "TERM": "xterm"}
        return environ | self.extra

    def command(self, *args: str | Path) -> list[str]:
        return [sys.executable, "-m", self.module, *map(str, args)]

    def __call__(self, *args: str | Path, answers: str = "") -> Done:
        done = subprocess.run(
            self.command(*args),
            cwd=self.cwd,
            env=self.environment(),
            input=answers.encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def at_terminal(self, *args: str | Path, answers: str = "", columns: int = 80) -> Done:
        """Run with all three streams on one pseudo-terminal; what the screen got is ``out``."""
        leader, follower = pty.openpty()
        environ = self.environment() | {"COLUMNS": str(columns)}
        process = subprocess.Popen(
            self.command(*args),
            cwd=self.cwd,
            env=environ,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        try:
            screen = _converse(leader, process, answers.encode())
        finally:
            os.close(leader)
            if process.poll() is None:
                process.kill()
            process.wait()
        return Done(process.returncode, screen.decode("utf-8", "replace").replace("\r\n", "\n"), "")


def _converse(leader: int, process: subprocess.Popen[bytes], answers: bytes) -> bytes:
    """Type one line of ``answers`` at each question and collect the screen until the program ends."""
    pending = answers.splitlines(keepends=True)
    screen = b""
    heard = 0
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        ready, _, _ = select.select([leader], [], [], 0.05)
        if ready:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break  # the other side is closed
            if not piece:
                break
            screen += piece
        elif process.poll() is not None:
            break
        if pending and screen[heard:].rstrip(b" ").endswith((b":", b"]", b"?")):
            heard = len(screen)
            os.write(leader, pending.pop(0))
    return screen


def folder_state(folder: Path) -> dict[str, bytes]:
    """Every file below ``folder`` with its bytes: to show that nothing was written."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
