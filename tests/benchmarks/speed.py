"""The speed table: ratios of two things measured in turn in one run, because machines are noisy.

``python -m tests.benchmarks.speed [--portfolio DIR] [--rounds N] [--growth] [--check]``

Without ``--portfolio`` the reference portfolio is built in a temporary folder (about a minute). ``--growth``
adds portfolios of 1,000 and 3,000 repositories (about ten minutes, 20 GB). ``--check`` exits 1 when a bar is
missed. The lines against ``fd`` and against the C floor are left out where there is no ``fd`` or no compiler.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from jobs.scan_cache import CacheFile
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Root, Thresholds
from scanner.scan import Request, scan
from scanner.stacks import load_markers
from scanner.walk import Policy, walk
from tests.benchmarks.portfolio import NOW, build

_CLOCK = datetime.fromtimestamp(NOW, UTC).isoformat().replace("+00:00", "Z")
_FLOOR = Path(__file__).with_name("floor.c")


@dataclass(frozen=True)
class Line:
    """One line of the table: ``figure`` is a ratio, ``bar`` its limit (None: reported only)."""

    work: str
    against: str
    figure: float
    bar: float | None
    seconds: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure keeps its bar."""
        return self.bar is None or (self.figure >= self.bar if self.at_least else self.figure <= self.bar)

    def __str__(self) -> str:
        limit = "-" if self.bar is None else f"{'>=' if self.at_least else '<='} {self.bar:g}"
        verdict = "" if self.bar is None else ("ok" if self.met else "MISSED")
        measured = f"{self.figure:>8.2f}  {limit:<8}{verdict:<7}{self.seconds * 1000:>8.1f} ms"
        return f"{self.work:<32}{self.against:<26}{measured}"


Task = Callable[[], object]


def compare(one: Task, other: Task, rounds: int) -> tuple[float, float]:
    """The median ratio of the times of ``one`` and ``other``, in turn, and ``one``'s median seconds."""
    one(), other()
    pairs = [(_timed(one), _timed(other)) for _ in range(rounds)]
    return statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs)


def _timed(task: Task) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def _process(*command: str, env: dict[str, str] | None = None) -> Task:
    def run() -> None:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, check=False
        )
        if done.returncode not in (0, 3):
            raise SystemExit(f"{command[0]} ended with {done.returncode}")

    return run


def _discovery(root: Path) -> Task:
    markers = load_markers()
    policy = Policy(markers.root_class, markers.may_root, places=Places(read_mounts()))
    return lambda: walk([Root(str(root))], policy)


def measure(root: Path, rounds: int) -> Iterator[Line]:
    """The lines that the reference portfolio gives."""
    scratch = Path(tempfile.mkdtemp(prefix="zecher-speed-"))
    nothing = _process(sys.executable, "-c", "pass")
    fd = shutil.which("fd") or shutil.which("fdfind")
    find = _process(fd, "-u", "-td", r"^\.git$", "--prune", str(root)) if fd else None
    with _home(scratch) as env:
        command = (_script(), "scan", str(root), "--now", _CLOCK)
        dry = _process(*command, "--dry-run", "--json", "--no-cache", env=env)
        cached = _process(*command, "--dry-run", "--json", env=env)
        yield from _discovery_lines(root, scratch, find, rounds)
        if find is not None:
            yield Line(
                "scan --dry-run --json", "fd finding .git folders", *_bar(1.0, *compare(dry, find, rounds))
            )
        yield Line("scan --dry-run --json", "python -c pass", *_bar(30.0, *compare(dry, nothing, rounds)))
        if find is not None:
            yield Line(
                "the same, from the cache",
                "fd finding .git folders",
                *_bar(1.0, *compare(cached, find, rounds)),
            )
        yield Line(
            "the same, from the cache", "python -c pass", *_bar(30.0, *compare(cached, nothing, rounds))
        )
        first = _timed(_process(*command, "--yes", "--json", env=env))
        yield Line("scan --yes, every card new", "scan --dry-run", first / _timed(dry), None, first)
        again = _process(*command, "--yes", "--json", env=env)
        yield Line("scan --yes, nothing changed", "scan --dry-run", *_bar(1.3, *compare(again, dry, rounds)))
        yield from _cache_lines(root, rounds)
        help_text = _process(_script(), "--help", env=env)
        yield Line("zecher --help", "python -c pass", *_bar(4.0, *compare(help_text, nothing, rounds)))
    shutil.rmtree(scratch)


def _cache_lines(root: Path, rounds: int) -> Iterator[Line]:
    """A scan of what did not change against the first one, in process, with the file of the cache and all."""
    with tempfile.TemporaryDirectory(prefix="zecher-cache-") as folder:
        kept = os.path.join(folder, "kept", "scan-cache")

        def scanned(path: str | None, *, unsaved: bool) -> None:
            request = Request((Root(str(root)),), Thresholds(), NOW, unsaved=unsaved)
            if path is None:
                scan(request)
                return
            file = CacheFile(path)
            cache = file.for_scan()
            file.take(cache, scan(request, cache=cache))
            file.save()

        def first(*, unsaved: bool) -> None:
            path = os.path.join(folder, "first", "scan-cache")
            shutil.rmtree(os.path.dirname(path), ignore_errors=True)
            scanned(path, unsaved=unsaved)

        for unsaved, name in ((False, "scan, nothing changed"), (True, "scan --unsaved, nothing changed")):
            again = partial(scanned, kept, unsaved=unsaved)
            ratio, seconds = compare(again, partial(first, unsaved=unsaved), rounds)
            yield Line(name, "the first scan", ratio, 0.6, seconds)
            ratio, seconds = compare(again, partial(scanned, None, unsaved=unsaved), rounds)
            yield Line(name, "scan --no-cache", ratio, None, seconds)


def _discovery_lines(root: Path, scratch: Path, find: Task | None, rounds: int) -> Iterator[Line]:
    discovery = _discovery(root)
    compiler = shutil.which("cc")
    if compiler:
        floor = scratch / "floor"
        subprocess.run([compiler, "-O2", "-o", str(floor), str(_FLOOR)], check=True)
        measured = compare(discovery, _process(str(floor), str(root)), rounds)
        yield Line("discovery only, in process", "C floor, whole process", *_bar(1.5, *measured))
    if find is not None:
        ratio, seconds = compare(find, discovery, rounds)
        yield Line("fd finding .git folders", "discovery only", ratio, 20.0, seconds, at_least=True)


def growth(sizes: tuple[int, ...]) -> Iterator[Line]:
    """Time per repository and peak memory as the portfolio grows, against the first size."""
    per_repository: list[float] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="zecher-growth-") as folder, _home(Path(folder)) as env:
            root = Path(folder, "portfolio")
            build(root, size)
            task = _process(_script(), "scan", str(root), "--now", _CLOCK, "--dry-run", "--json", env=env)
            task()
            seconds = statistics.median(_timed(task) for _ in range(5))
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        per_repository.append(seconds / size)
        ratio = per_repository[-1] / per_repository[0]
        yield Line(f"{size} repositories, time each", f"{sizes[0]} repositories", ratio, 1.2, seconds)
        yield Line(f"{size} repositories, peak memory", "1 MiB", peak, 120.0, seconds)


def _bar(bar: float, ratio: float, seconds: float) -> tuple[float, float, float]:
    return ratio, bar, seconds


def _script() -> str:
    return str(Path(sys.executable).with_name("zecher"))


@contextmanager
def _home(folder: Path) -> Iterator[dict[str, str]]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    keep = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    yield {**keep, "HOME": str(home)}


def main() -> int:
    """Print the table; see the module's text for the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--portfolio", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="zecher-portfolio-") as folder:
        root = options.portfolio or Path(folder, "portfolio")
        if options.portfolio is None:
            build(root)
        for line in measure(root, options.rounds):
            print(line, flush=True)
            lines.append(line)
    if options.growth:
        for line in growth((300, 1000, 3000)):
            print(line, flush=True)
            lines.append(line)
    return int(options.check and not all(line.met for line in lines))


if __name__ == "__main__":
    sys.exit(main())
