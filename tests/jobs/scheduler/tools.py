"""Programs of the system that write down how they were called, for machines that have none or another."""

from __future__ import annotations

import os
import time
from pathlib import Path

from jobs.scheduler.machine import Machine
from jobs.scheduler.values import Installation
from jobs.surroundings import Surroundings
from tests.support import NOW, write


class Tools:
    """A folder of programs, the log of their calls, and the machine that finds them there only."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.home = home
        self._folder = folder
        self._log = folder / "calls"
        (folder / "proc" / "1").mkdir(parents=True)
        (folder / "lib").mkdir()

    def add(self, name: str, text: str = "exit 0") -> None:
        """A program that notes its call and then does what the shell's ``text`` says."""
        path = write(
            self.bin / name, f'#!/bin/sh\nPATH=/usr/bin:/bin\necho "{name} $*" >>"{self._log}"\n{text}\n'
        )
        path.chmod(0o755)

    def add_systemctl(self, *, reachable: bool = True, active: str = "active") -> None:
        if not reachable:
            self.add("systemctl", "echo 'Failed to connect to bus: No medium found' >&2; exit 1")
            return
        self.add(
            "systemctl",
            f'case "$*" in *Version*) echo 252;; *is-active*) echo {active};; '
            "*NextElapse*) echo 'Tue 2026-12-01 03:21:00 UTC';; esac",
        )

    def add_crontab(self, text: str | None = None) -> Path:
        """A crontab as cron keeps it; its file."""
        table = self._folder / "table"
        if text is not None:
            write(table, text)
        self.add(
            "crontab",
            f'case "$1" in\n-l) if [ -e "{table}" ]; then cat "{table}"\n'
            'else echo "no crontab for me" >&2; exit 1; fi;;\n'
            f'-r) rm "{table}";;\n-) cat >"{table}";;\nesac',
        )
        return table

    def run_process(self, number: int, name: str) -> None:
        """A process that the machine's list of processes shows."""
        write(self._folder / "proc" / str(number) / "comm", f"{name}\n")

    def linger(self, user: str) -> None:
        write(self._folder / "lib" / "linger" / user, "")

    @property
    def calls(self) -> list[str]:
        """The calls that changed something, in their order."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        asking = ("--property=", "is-active", "crontab -l", "launchctl print")
        return [line for line in lines if not any(word in line for word in asking)]

    def machine(self, *, platform: str = "linux", booted: bool = True, **environ: str) -> Machine:
        surroundings = Surroundings(
            {"PATH": f"{self.bin}:/usr/bin:/bin" if environ.pop("SYSTEM", "") else str(self.bin), **environ},
            str(self.home),
            "/",
            NOW,
        )
        return Machine(
            surroundings,
            platform=platform,
            processes=str(self._folder / "proc"),
            booted=str(self._folder) if booted else str(self._folder / "missing"),
            lingering=str(self._folder / "lib" / "linger"),
        )


def installation(home: Path, **changes: object) -> Installation:
    values: dict[str, object] = {
        "program": "/opt/zecher/bin/zecher",
        "folders": (f"{home}/.bmad-plus/brain", f"{home}/.local/state/zecher"),
        "logs": f"{home}/.local/state/zecher/logs",
        "calendar": ("*-*-* 03:17:00", "Sun *-*-* 04:23:00"),
    }
    return Installation(**{**values, **changes})  # type: ignore[arg-type] # the tests name its fields


def age(path: Path) -> None:
    """Let a moment pass for the clock of the file system, so that a new write is seen as one."""
    stamp = time.time() - 10
    os.utime(path, (stamp, stamp))
