"""The speed table of ``mem``: whole processes against ``python -c pass``, in turn in one run.

``python -m tests.benchmarks.mem_speed [--rounds N] [--without-command] [--check]``

Recall is asked for rare words, which has a bar, and for common ones, by the size of the memory.
``--without-command`` measures recall itself in a bare interpreter, without the command around it: what is
left of a bar for the parser and the output. ``--check`` exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.benchmarks.speed import Line, compare

NOW = datetime(2026, 11, 30, 3, 17, 4, tzinfo=UTC)
QUERY = "loyalty card sign-up"
COMMON = "the rate limit of a login page"

_FILES = ("decisions.md", "lessons.md", "patterns.md")
# fmt: off
_WORDS = [
    "the", "a", "of", "and", "to", "in", "is", "it", "for", "on", "with", "as", "by", "that", "this",
    "we", "be", "not", "are", "from", "at", "or", "page", "rate", "limit", "login", "user", "session",
    "token", "cache", "index", "query", "table", "schema", "deploy", "build", "release", "branch",
    "review", "merge", "conflict", "retry", "queue", "worker", "timeout", "backoff", "header", "cookie",
    "route", "handler", "parser", "reader", "writer", "ledger", "journal", "pattern", "decision",
    "lesson", "scope", "project", "folder", "file", "line", "section", "heading", "portfolio", "brain",
    "memory", "recall", "score", "receipt", "outcome", "permission", "template", "sample", "context",
    "impact", "rationale", "consequences", "status", "active", "superseded", "candidate",
]
# fmt: on
# What a process does that recalls and nothing else: the arguments are project, query, and a JSON of projects.
_BARE = """
import json, os, sys
from brain.recall.recall import recall
from reports.mem import hit_document
project, query, listed = sys.argv[1:]
projects = json.load(open(listed)) if listed else ()
scope = "portfolio" if listed else "project"
found = recall(project, query, now=1796008624.0, scope=scope, projects=projects)
os.write(1, json.dumps([hit_document(hit) for hit in found.hits]).encode())
"""


class Sizes:
    """Three memories below ``folder``: a small project, a full one, a portfolio whose home has an index."""

    def __init__(self, folder: Path) -> None:
        self._random = random.Random(7)  # noqa: S311 - the same memory in each run, nothing secret
        self.home = folder / "home"
        self.small = folder / "small"
        self.full = folder / "full"
        self.portfolio = [folder / "dev" / f"project-{number:03}" for number in range(500)]
        _journal(self.small, [self._event(number) for number in range(200)])
        self._notes(self.small, 100)
        _journal(self.full, self._until(2 * 1024 * 1024))
        self._notes(self.full, 1000)
        for project in self.portfolio:
            self._notes(project, 20)
        self.listed = folder / "projects.json"
        self.listed.write_text(json.dumps([(project.name, str(project)) for project in self.portfolio]))
        self._index()

    def _prose(self, count: int) -> str:
        words = self._random.choices(_WORDS, weights=[1 / (rank + 5) for rank in range(len(_WORDS))], k=count)
        if self._random.random() < 0.02:
            words += QUERY.split()
        return " ".join(words)

    def _event(self, number: int) -> dict[str, object]:
        ts = (NOW - timedelta(hours=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        task = self._prose(12)
        event_id = hashlib.sha256(f"{ts}\0forge\0{task}".encode()).hexdigest()[:12]
        return {
            "ts": ts,
            "agent": "forge",
            "cli": "claude-code",
            "model": None,
            "task": task,
            "outcome": "success",
            "signals": {"ci": "pass"},
            "artifactHashes": [],
            "id": event_id,
        }

    def _until(self, size: int) -> Iterator[dict[str, object]]:
        number = 0
        while True:
            event = self._event(number)
            size -= len(_line(event))
            if size < 0:
                return
            yield event
            number += 1

    def _notes(self, project: Path, count: int) -> None:
        parts: dict[str, list[str]] = {name: ["# Notes\n"] for name in _FILES}
        for number in range(count):
            parts[_FILES[number % 3]].append(
                f"### 2026-10-18 — {self._prose(8)}\n- **Context**: {self._prose(25)}\n"
                f"- **Decision**: {self._prose(20)}\n- **Status**: active\n"
            )
        for name, sections in parts.items():
            _write(project / ".agents" / "memory" / name, "\n".join(sections))

    def _index(self) -> None:
        """The cards of the portfolio in the global brain, as a scan writes them."""
        for project in self.portfolio:
            digest = hashlib.sha256(str(project).encode()).hexdigest()[:8]
            values = {
                "path": str(project),
                "name": project.name,
                "hash": digest,
                "stack": "Go",
                "status": "active",
                "bmad_installed": True,
                "has_git": False,
                "last_scanned": "2026-11-30",
            }
            card = "\n".join(f"{key}: {json.dumps(value)}" for key, value in values.items())
            _write(self.home / ".bmad-plus" / "brain" / "projects" / f"{digest}.yaml", card)


def measure(sizes: Sizes, rounds: int) -> Iterator[Line]:
    """The lines of the command."""
    env = _environment(sizes.home)
    nothing = _process("-c", "pass", env=env)
    for work, project, bar, options in (
        ("200 events, 100 notes", sizes.small, 8.0, ()),
        ("2 MiB, 1,000 notes", sizes.full, 25.0, ()),
        ("500 projects, 10,000 notes", sizes.small, 30.0, ("--scope", "portfolio")),
    ):
        command = _command("mem", "recall", QUERY, "--json", "-d", str(project), *options, env=env)
        yield _line_of(work, command, nothing, bar, rounds)
        common = _command("mem", "recall", COMMON, "--json", "-d", str(project), *options, env=env)
        yield _line_of("  with common words", common, nothing, None, rounds)
    write = _command(*("mem", "write", "--agent", "forge", "--task", "x", "-d", str(sizes.small)), env=env)
    ratio, seconds = compare(write, nothing, rounds)
    pause = _sync_seconds(sizes.small)
    yield Line("mem write without its fsync", "python -c pass", ratio * (1 - pause / seconds), 5.0, seconds)


def measure_bare(sizes: Sizes, rounds: int) -> Iterator[Line]:
    """The lines of recall alone."""
    env = _environment(sizes.home)
    nothing = _process("-c", "pass", env=env)
    for work, project, listed in (
        ("200 events, 100 notes", sizes.small, ""),
        ("2 MiB, 1,000 notes", sizes.full, ""),
        ("500 projects, 10,000 notes", sizes.small, str(sizes.listed)),
    ):
        for query, words in ((QUERY, work), (COMMON, "  with common words")):
            bare = _process("-c", _BARE, str(project), query, listed, env=env)
            yield _line_of(words, bare, nothing, None, rounds)


def _line_of(
    work: str, one: Callable[[], object], nothing: Callable[[], object], bar: float | None, rounds: int
) -> Line:
    ratio, seconds = compare(one, nothing, rounds)
    return Line(work, "python -c pass", ratio, bar, seconds)


def _sync_seconds(folder: Path) -> float:
    """What it takes here to append a line durably: the part of a write that no program can save."""
    taken = []
    for _ in range(15):
        start = time.perf_counter()
        with (folder / "sync-probe").open("ab") as file:
            file.write(b"x" * 200)
            file.flush()
            os.fsync(file.fileno())
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def _command(*arguments: str, env: dict[str, str]) -> Callable[[], object]:
    return _run(str(Path(sys.executable).with_name("zecher")), *arguments, env=env)


def _process(*arguments: str, env: dict[str, str]) -> Callable[[], object]:
    return _run(sys.executable, *arguments, env=env)


def _run(*command: str, env: dict[str, str]) -> Callable[[], object]:
    def run() -> None:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, check=False
        )
        if done.returncode:
            raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()}")

    return run


def _environment(home: Path) -> dict[str, str]:
    keep = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    return {**keep, "HOME": str(home)}


def _journal(project: Path, events: Iterable[dict[str, object]]) -> None:
    _write(project / ".bmad" / "memory" / "journal.ndjson", "".join(map(_line, events)))


def _line(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":")) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main() -> int:
    """Print the table; see the module's text for the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--without-command", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="zecher-memories-") as folder:
        sizes = Sizes(Path(folder))
        for line in (measure_bare if options.without_command else measure)(sizes, options.rounds):
            print(line, flush=True)
            lines.append(line)
    return int(options.check and not all(line.met for line in lines))


if __name__ == "__main__":
    sys.exit(main())
