"""The speed table of the search: 10,000 notes, once as files of their own, once in files of fifty.

    python -m tests.benchmarks.search_speed [--rounds N] [--notes N] [--check]

An index is made, made sure of when nothing changed, and one note in it is changed; a question is a whole
process against ``python -c pass``. ``--check`` exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from brain.search.keeping import SMALL, open_index, refresh
from brain.search.sections import sections
from brain.search.sources import FILES_CAP, Place, list_sources
from brain.search.values import Source
from tests.benchmarks.health_speed import _PROSE, _WORDS
from tests.benchmarks.mem_speed import _command, _environment, _process
from tests.benchmarks.speed import Line, compare

NOTES = 10_000
BUILD, UNCHANGED, CHANGE, QUERY = 6.0, 1.0, 0.005, 15.0
_WORDS_OF_NOTE = 45
_CHANGES = 50


def notes(folder: Path, count: int, *, in_file: int) -> None:
    """Write ``count`` notes of 45 words and an identifier, ``in_file`` to a file."""
    rng = random.Random(3)  # noqa: S311 - the same words in each run
    memory = folder / "memory"
    memory.mkdir(parents=True)
    parts: list[str] = []
    for number in range(count):
        start = rng.randrange(len(_PROSE) - _WORDS_OF_NOTE)
        words = _PROSE[start : start + _WORDS_OF_NOTE]
        parts.append(f"## {' '.join(words[:4])}\n\n{' '.join(words[4:])} note_{number}_id\n")
        if len(parts) == in_file or number == count - 1:
            (memory / f"topic-{number}.md").write_text("\n".join(parts))
            parts = []


def measure(scratch: Path, count: int, rounds: int) -> Iterator[Line]:
    """The lines of the table."""
    for in_file in (1, 50):
        if count / in_file > FILES_CAP:
            continue  # more files than are searched of one project
        project = scratch / f"project-{in_file}"
        notes(project, count, in_file=in_file)
        yield from _index_lines(
            project, scratch / f"cache-{in_file}", f"{count:,} notes, {in_file} a file", count
        )
        yield from _query_lines(project, scratch / f"home-{in_file}", rounds)


def _index_lines(project: Path, cache: Path, work: str, count: int) -> Iterator[Line]:
    places = [Place(str(project))]
    path = str(cache / "search.sqlite")
    start = time.perf_counter()
    index = open_index(path)
    done = refresh(index, list_sources(places))
    seconds = time.perf_counter() - start
    index.close()
    yield Line(f"{work}: index", "seconds", seconds, BUILD * count / NOTES, seconds)
    if done.stale or not done.added:
        raise SystemExit(f"the index was not made: {done}")
    start = time.perf_counter()
    index = open_index(path, thorough=True)
    refresh(index, list_sources(places), budget=SMALL)
    seconds = time.perf_counter() - start
    yield Line("  nothing changed, checked", "seconds", seconds, UNCHANGED * count / NOTES, seconds)
    file = next(iter(sorted((project / "memory").iterdir())))
    data = file.read_bytes()
    taken = []
    for number in range(_CHANGES):
        source = Source(str(file), project=str(project), root=str(project))
        changed = sections(data + f"changed {number}\n".encode(), "note", str(file))
        start = time.perf_counter()
        index.store.write([(source, changed)])
        taken.append(time.perf_counter() - start)
    middle = statistics.median(taken)
    yield Line("  one note changed", "ms", middle * 1000, CHANGE * 1000, middle)
    index.close()
    size = os.stat(path).st_size / count
    yield Line("  bytes on the disk for a note", "bytes", size, 2000.0, 0.0)


def _query_lines(project: Path, home: Path, rounds: int) -> Iterator[Line]:
    home.mkdir()
    env = _environment(home)
    nothing = _process("-c", "pass", env=env)
    _command("memory", "index", "-d", str(project), env=env)()
    for name, question in (
        ("two words", f"{_WORDS[5]} {_WORDS[300]}"),
        ("a question", "what do we know of " + " ".join(_WORDS[place] for place in (3, 40, 200, 900))),
        ("a name", "note_4711_id"),
    ):
        command = _command("memory", "search", question, "--json", "-d", str(project), env=env)
        ratio, seconds = compare(command, nothing, rounds)
        yield Line(f"  search: {name}", "python -c pass", ratio, QUERY, seconds)


def main() -> int:
    """Print the table; see the module's text for the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    met = True
    with tempfile.TemporaryDirectory(prefix="zecher-search-speed-") as scratch:
        for line in measure(Path(scratch), options.notes, options.rounds):
            print(line, flush=True)
            met = met and line.met
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"most memory of a search: {peak:.0f} MB")
    return 1 if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
