"""A project as the tests of the ledgers need it, and what stands in its ledgers, read by other means."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).parents[3]


def memory(project: Path) -> Path:
    return project / ".bmad" / "memory"


def make_memory(project: Path) -> Path:
    memory(project).mkdir(parents=True)
    return memory(project)


def records(file: Path) -> list[Any]:
    """Every line of a ledger that is whole; each must be one."""
    text = file.read_bytes().decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def names(project: Path) -> set[str]:
    return set(os.listdir(memory(project)))


def start(*args: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.brain.ledgers.process", *map(str, args)],
        cwd=TOP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
