"""The real command line in real processes: a scratch home, sentinels on PATH, a time limit."""

from __future__ import annotations

import base64
import json
import os
import pty
import resource
import select
import subprocess
import sys
import time
import tty
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[2]
NOW = "2026-11-30T03:17:04Z"
LIMIT = 60.0
"""Seconds after which a command counts as hanging. Nothing that is tested here may come near."""

FORMATS = ("json", "tsv", "md", "table")
NESTED = ("none", "repos", "all")

# Every pair of (format, nested) and of (format, own ignore files) once; --full runs the whole product.
_PAIRS = (
    ("json", "none", False),
    ("json", "repos", True),
    ("json", "all", True),
    ("tsv", "none", True),
    ("tsv", "repos", False),
    ("tsv", "all", False),
    ("md", "none", True),
    ("md", "repos", False),
    ("md", "all", True),
    ("table", "none", False),
    ("table", "repos", True),
    ("table", "all", False),
)


@dataclass(frozen=True)
class Run:
    """One finished command: its words, exit code and both outputs as bytes.

    ``seconds`` are those of the processor, ``wall`` those of a clock: on a busy machine only the first are
    the command's own, and only the second tell of waiting.
    """

    words: tuple[str, ...]
    code: int
    out: bytes
    err: bytes
    seconds: float
    wall: float

    @property
    def format(self) -> str:
        """What its standard output is: ``json``, ``tsv``, ``md``, ``table`` or ``text``."""
        if "--json" in self.words:
            return "json"
        return self.words[self.words.index("--format") + 1] if "--format" in self.words else "text"

    def document(self) -> Any:
        """Its output as the one JSON document that it must be."""
        return json.loads(self.out.decode("utf-8"), parse_constant=_no_constant)

    def __str__(self) -> str:
        return " ".join(self.words)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


class Zecher:
    """Runs ``zecher`` with a home of its own."""

    def __init__(self, base: Path, marks: Path | None = None) -> None:
        self.home = base / "home"
        self.limit = LIMIT
        self.home.mkdir(parents=True, exist_ok=True)
        self.marks = marks or base / "marks"
        self.marks.mkdir(parents=True, exist_ok=True)
        self._path = base / "bin"
        self._path.mkdir(exist_ok=True)
        for name in ("git", "sh", "hg", "ssh", "gpg", "less", "pager", "node", "cargo"):
            program = self._path / name
            if not program.exists():
                program.write_text(f"#!/bin/sh\necho ran >> '{self.marks}/PATH-{name}'\n")
                program.chmod(0o755)

    @property
    def brain(self) -> Path:
        """Where the index is kept."""
        return self.home / ".bmad-plus" / "brain"

    def environment(self) -> dict[str, str]:
        """Nothing of the caller's: home, a PATH of sentinels, a terminal that knows colour."""
        return {
            "HOME": str(self.home),
            "PATH": str(self._path),
            "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TERM": "xterm-256color",
            "COLUMNS": "400",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }

    def argv(self, words: Sequence[str | bytes]) -> list[str | bytes]:
        """The command line of the process."""
        return [sys.executable, "-m", "jobs.cli", *words]

    def __call__(self, *words: str) -> Run:
        words = (*words, "--now", NOW)
        start, used = time.perf_counter(), _processor_seconds()
        if "table" in words:
            code, out, err = self._at_terminal(words)
        else:
            done = subprocess.run(
                self.argv(words),
                cwd=self.home,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.limit,
                check=False,
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        return Run(words, code, out, err, _processor_seconds() - used, time.perf_counter() - start)

    def converse(self, answers: str, *words: str) -> Run:
        """A command with a person at a terminal who types ``answers``; all that is shown comes as output."""
        words = (*words, "--now", NOW)
        start, used = time.perf_counter(), _processor_seconds()
        leader, follower = pty.openpty()
        tty.setraw(follower)
        os.write(leader, answers.encode())
        with subprocess.Popen(
            self.argv(words),
            cwd=self.home,
            env=self.environment(),
            stdin=follower,
            stdout=follower,
            stderr=follower,
        ) as process:
            os.close(follower)
            try:
                (out,) = _drain([leader])
            finally:
                process.kill()
                os.close(leader)
            process.wait(timeout=LIMIT)
        wall = time.perf_counter() - start
        return Run(words, process.returncode, out, b"", _processor_seconds() - used, wall)

    def _at_terminal(self, words: Sequence[str]) -> tuple[int, bytes, bytes]:
        leader, follower = pty.openpty()
        tty.setraw(follower)  # or the terminal itself would write CR before each LF
        with subprocess.Popen(
            self.argv(words),
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.PIPE,
        ) as process:
            os.close(follower)
            try:
                assert process.stderr is not None
                out, err = _drain([leader, process.stderr.fileno()])
            finally:
                process.kill()
                os.close(leader)
            process.wait(timeout=LIMIT)
        return process.returncode, out, err

    def scans(self, root: Path, *, full: bool, brief: bool = False) -> Iterator[Run]:
        """``scan`` of ``root`` in every format, nesting and ignore mode: dry first, then indexing."""
        chosen = product(FORMATS, NESTED, (False, True)) if full else _PAIRS[::2] if brief else _PAIRS
        for shown, nested, own_ignore in chosen:
            words = ["scan", str(root), "--dry-run", "--format", shown, "--nested", nested]
            # Told at length, so that every problem passes through the other stream.
            yield self(*words, "-v", *(["--respect-ignore"] if own_ignore else []))
        for shown in FORMATS:
            yield self("scan", str(root), "--yes", "--format", shown)

    def reads(self, paths: Sequence[Path], root: Path) -> Iterator[Run]:
        """Every command that shows what was indexed, and the explanation of ``paths`` below ``root``."""
        for shown in FORMATS:
            yield self("projects", "--format", shown)
        yield self("projects", "--json")
        for path in paths:
            yield from self.explanations(path, root)

    def explanations(self, path: Path, root: Path) -> Iterator[Run]:
        """``explain`` for one path, as text and as JSON."""
        yield self("explain", str(path), "-d", str(root))
        yield self("explain", str(path), "-d", str(root), "--json")


def _processor_seconds() -> float:
    """What all children of this process have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _drain(descriptors: list[int]) -> tuple[bytes, ...]:
    """All that comes out of some descriptors until all are closed; an error after the time limit."""
    parts: dict[int, list[bytes]] = {descriptor: [] for descriptor in descriptors}
    waiting = list(descriptors)
    end = time.monotonic() + LIMIT
    while waiting:
        ready = select.select(waiting, [], [], max(0.0, end - time.monotonic()))[0]
        if not ready:
            raise subprocess.TimeoutExpired("zecher", LIMIT)
        for descriptor in ready:
            try:
                data = os.read(descriptor, 65_536)
            except OSError:
                data = b""  # Linux says EIO when the last writer of a terminal is gone
            if data:
                parts[descriptor].append(data)
            else:
                waiting.remove(descriptor)
    return tuple(b"".join(parts[descriptor]) for descriptor in descriptors)


def path_of(document: dict[str, Any]) -> bytes:
    """The exact bytes of the path in a project or a problem of a JSON document."""
    if "path_b64" in document:
        return base64.b64decode(document["path_b64"], validate=True)
    path = document["path"]
    assert isinstance(path, str)
    return path.encode("utf-8")


def paths_of(run: Run) -> list[bytes]:
    """The paths of all projects in the output of a ``scan`` or of ``projects`` as JSON."""
    return [path_of(project) for project in run.document()["data"]["projects"]]
