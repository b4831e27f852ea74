"""The speed table of dreaming: half a year of notes in three languages, looked at every night.

    python -m tests.benchmarks.dreaming_speed [--rounds N] [--check]

All nights of one process against ``python -c pass``, in turns: first the rules alone, then all that the job
does that may write, with its locks, files and what it keeps; that waits for the disk. ``--check`` exits 1
when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from brain.dreaming.cues import tokens
from brain.dreaming.extract import judge_text
from brain.dreaming.kept import Kept
from tests.benchmarks.mem_speed import _environment, _process
from tests.benchmarks.speed import Line, compare
from tests.brain.dreaming.half_year import HELD_OUT, half_year, nights, promote_nightly
from tests.jobs.dreams import Claw

NIGHTS = 300.0


def measure(scratch: Path, rounds: int) -> Iterator[Line]:
    """The lines of the table."""
    written = half_year(4, HELD_OUT)
    env = _environment(scratch)
    nothing = _process("-c", "pass", env=env)

    def rules() -> None:
        _forget()
        promote_nightly(written, Kept())

    ratio, seconds = compare(rules, nothing, rounds)
    yield Line("half a year of nights: the rules", "python -c pass", ratio, NIGHTS, seconds)
    numbers = count()

    def writer() -> None:
        _forget()
        claw = Claw(scratch / f"home-{next(numbers)}")
        there: set[str] = set()
        for today, notes in nights(written.notes):
            for note in notes:
                if note.path not in there:
                    there.add(note.path)
                    (claw.root / note.path).write_bytes(note.data)
            claw.apply(today=today.isoformat())

    ratio, seconds = compare(writer, nothing, max(1, rounds // 3))
    yield Line("  with all that is written", "python -c pass", ratio, None, seconds)


def _forget() -> None:
    """What the process keeps of texts that it judged: another one begins without it."""
    caches: tuple[Callable[..., object], ...] = (judge_text, tokens)
    for cached in caches:
        cached.cache_clear()  # type: ignore[attr-defined] # both are made by lru_cache


def main() -> int:
    """Print the table; see the module's text for the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    met = True
    with tempfile.TemporaryDirectory(prefix="zecher-dreaming-speed-") as scratch:
        for line in measure(Path(scratch), options.rounds):
            print(line, flush=True)
            met = met and line.met
    return 1 if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
