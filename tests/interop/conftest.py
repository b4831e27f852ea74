"""The program as its own process, with a home of its own and the clock of the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).absolute().parents[2]
NOW = "2026-11-30T03:17:04Z"


@dataclass(frozen=True)
class Done:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def data(self) -> dict[str, Any]:
        found = self.json["data"]
        assert isinstance(found, dict)
        return found

    @property
    def one_line(self) -> str:
        """The output with every run of blanks and newlines as one blank."""
        return " ".join(self.out.split())


@dataclass
class Zecher:
    """``zecher ARGS --now NOW`` in ``cwd``."""

    home: Path
    cwd: Path
    extra: dict[str, str] = field(default_factory=dict)

    def start(self, *args: str | Path, now: str = NOW, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(*args, now=now),
            cwd=self.cwd,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def command(self, *args: str | Path, now: str = NOW) -> list[str]:
        return [sys.executable, "-m", "jobs.cli", *map(str, args), "--now", now]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.home), "PYTHONPATH": str(ROOT), "TERM": "dumb", **self.extra}

    def __call__(self, *args: str | Path, now: str = NOW, answers: str = "") -> Done:
        done = subprocess.run(
            self.command(*args, now=now),
            cwd=self.cwd,
            env=self.environment(),
            input=answers.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project folder."""
    folder = tmp_path / "dev" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def zecher(home: Path, project: Path) -> Zecher:
    """The program, started in the project."""
    return Zecher(home, project)
