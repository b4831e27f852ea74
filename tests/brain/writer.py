"""A process that indexes, for the tests that kill it or let several run at once.

``python -m tests.brain.writer hot BRAIN``: index the same six projects again and again, each time with new
facts, and print each generation once it is acknowledged. ``... naive FILE``: the same with one plain file
that is opened and written over. ``... own BRAIN NAME COUNT``: index COUNT projects of
its own, one after the other. ``... once BRAIN STATUS``: one indexing. ``... moved BRAIN STATUS``: one that
finds two projects in other places.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from brain.files.outline import Json
from brain.portfolio import Facts, LockedError, WriteError
from tests.brain.brains import ROOT, extra, facts, index


def paths() -> list[str]:
    """The six projects of the hot writer."""
    return [f"{ROOT}/p{project}" for project in range(6)]


def hot(brain: Path) -> None:
    number = 0
    while True:
        number += 1
        padding = "x" * (number % 150)
        found = [facts(path, extra=extra(generation=number, padding=padding)) for path in paths()]
        index(brain, *found)
        print(number, flush=True)


def naive(file: Path) -> None:
    number = 0
    while True:
        number += 1
        with file.open("w") as stream:
            json.dump({f"key {key}": number for key in range(500)}, stream)
        print(number, flush=True)


def own(brain: Path, name: str, count: int) -> None:
    for number in range(count):
        index(brain, facts(f"{ROOT}/{name}-{number}"), roots=[])


def once(brain: Path, status: str) -> int:
    return _index(
        brain,
        [facts(f"{ROOT}/{name}", status=status, extra=extra(id=name)) for name in ("a", "b", "c", "d")],
    )


def moved(brain: Path, status: str) -> int:
    """Where the commits ``a...`` and ``b...`` are now."""
    return _index(
        brain,
        [facts(f"{ROOT}/new/{name}", status=status, extra=marks(name)) for name in ("a", "b")],
    )


def marks(name: str) -> tuple[tuple[str, Json], ...]:
    return extra(id=f"new-{name}", root_commit=name * 40, inode=f"8:{ord(name)}")


def _index(brain: Path, found: list[Facts]) -> int:
    try:
        result = index(brain, *found)
    except (LockedError, WriteError) as error:
        print(error, file=sys.stderr)
        return 1
    for problem in result.problems:
        print(f"{problem.code}: {problem.path}: {problem.message}", file=sys.stderr)
    return 3 if result.problems else 0


if __name__ == "__main__":
    mode, folder, *rest = sys.argv[1:]
    if mode == "hot":
        hot(Path(folder))
    elif mode == "naive":
        naive(Path(folder))
    elif mode == "own":
        own(Path(folder), rest[0], int(rest[1]))
    else:
        sys.exit((moved if mode == "moved" else once)(Path(folder), rest[0]))
