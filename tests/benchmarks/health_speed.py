"""The speed table of memory health: 500 projects, five memory files of 5 KB each, against ``python -c pass``.

``python -m tests.benchmarks.health_speed [--rounds N] [--check]``

Each line is a whole process that examines all projects: with an empty cache, and again with nothing changed.
The second half has a git history in each project, with a handover that names its commit. ``--check`` exits 1
when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.speed import Line, compare

PROJECTS = 500
SIZE = 5_000
FIRST, CACHED = 150.0, 50.0
NOW = 1_796_008_624
_COMMITS = 25

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()  # noqa: SIM905 - it reads best
# As many words as people use, the common ones often: by Zipf's law.
_WORDS = [first + second + third for first in _SYLLABLES for second in _SYLLABLES for third in _SYLLABLES]
_WEIGHTS = [1 / (rank + 8) for rank in range(len(_WORDS))]
_TURN = random.Random(1)  # noqa: S311 - the same words in each run
_TURN.shuffle(_WORDS)
_PROSE = _TURN.choices(_WORDS, _WEIGHTS, k=200_000)

# What a process does that examines and nothing else: the arguments are a folder of projects and a cache file.
# The collector of garbage rests, as it does in every command.
_EXAMINE = f"""
import gc, os, sys
gc.disable()
from jobs.health import HealthSettings, Subject, examine_all
root, cache = sys.argv[1:]
subjects = [Subject(os.path.join(root, name), name, "active", name) for name in sorted(os.listdir(root))]
settings = HealthSettings(None, "/nowhere", root + "-state", {NOW}.0, cache or None, os.getuid())
seen = examine_all(subjects, settings)
if len(seen.healths) != len(subjects) or seen.problems:
    sys.exit(f"{{len(seen.healths)}} examined, {{seen.problems[:3]}}")
"""


def _prose(rng: random.Random, size: int) -> str:
    start = rng.randrange(len(_PROSE) - size)
    words: list[str] = []
    for word in _PROSE[start:]:
        if size <= 0:
            break
        words.append(word)
        size -= len(word) + 1
    lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
    return "\n".join(lines) + "\n"


def _entries(rng: random.Random, title: str, fields: tuple[str, ...]) -> str:
    parts = [f"# {title}\n"]
    number = 0
    while sum(map(len, parts)) < SIZE - 600:
        number += 1
        heading = f"\n### 2026-{1 + number % 11:02}-{1 + number % 28:02} — {_prose(rng, 40).strip()}\n"
        parts.append(heading + "".join(f"- **{name}**: {_prose(rng, 90).strip()}\n" for name in fields))
    return "".join(parts)


def _files(rng: random.Random, name: str) -> dict[str, str]:
    """Five files as people and assistants write them, about 5 KB each."""
    progress = (
        f"# Progress {name}\n\n## Goal\nShip the {rng.choice(_WORDS)} {rng.choice(_WORDS)}.\n\n## State\n"
        "HEAD: @HEAD@\nTests: 142 passed (`make test`).\n\n## Blockers\nNone.\n\n## Next step\n"
        f"Write the {rng.choice(_WORDS)}; done when `make test` is green.\n\n## Notes\n"
    )
    agents = (
        f"# {name}\n\n## Session start\nRead PROGRESS.md and DECISIONS.md.\n\n## Session end\n"
        "Update PROGRESS.md, commit.\n\n## Rules\n"
    )
    return {
        "PROGRESS.md": progress + _prose(rng, SIZE - len(progress)),
        "DECISIONS.md": _entries(rng, "Decisions", ("Decision", "Rationale", "Rejected", "Constraint")),
        "AGENTS.md": agents + _prose(rng, SIZE - len(agents)),
        ".agents/memory/lessons.md": _entries(rng, "Lessons", ("Context", "Impact", "Lesson")),
        ".agents/memory/patterns.md": _entries(rng, "Patterns", ("Problem", "Shape", "Trade-off", "Status")),
    }


def build(root: Path, *, with_git: bool) -> None:
    """Write the projects below ``root``."""
    for number in range(PROJECTS):
        rng = random.Random(number)  # noqa: S311 - the same projects in each run
        project = root / f"project-{number:03}"
        files = _files(rng, project.name)
        if with_git:
            files["PROGRESS.md"] = files["PROGRESS.md"].replace("@HEAD@", _commit(project, rng, files))
        for path, text in files.items():
            place = project / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text.replace("@HEAD@", "4f2a9c1"))


def _commit(project: Path, rng: random.Random, files: dict[str, str]) -> str:
    """A history of code and handovers; the name of its newest commit that is code."""
    project.mkdir(parents=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(project), "GIT_CONFIG_NOSYSTEM": "1"}
    stream: list[str] = []
    for mark in range(1, _COMMITS + 1):
        stream.append(
            f"commit refs/heads/main\nmark :{mark}\ncommitter B <b@e> {NOW - (30 - mark) * 86_400} +0000"
        )
        message = f"Make the {rng.choice(_WORDS)} {rng.choice(_WORDS)} of the {rng.choice(_WORDS)} work"
        stream.append(f"data {len(message)}\n{message}")
        stream += [f"from :{mark - 1}"] if mark > 1 else []
        changed = {f"src/{rng.choice(_WORDS)}.py": _prose(rng, 300)}
        if mark % 5 == 0:
            changed |= {path: text + f"{mark}\n" for path, text in files.items()}
        for path, text in changed.items():
            stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}")
    run = ("git", "-c", "init.defaultBranch=main")
    subprocess.run([*run, "init", "-q"], cwd=project, env=env, check=True)
    text = "\n".join(stream) + "\n"
    subprocess.run([*run, "fast-import", "--quiet"], cwd=project, env=env, input=text.encode(), check=True)
    listed = [*run, "rev-parse", "--short=9", "main"]
    return (
        subprocess.run(listed, cwd=project, env=env, check=True, capture_output=True).stdout.decode().strip()
    )


def _process(*arguments: str) -> Callable[[], None]:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    # Without a cache of compiled modules each start would measure the compiler.
    command = (sys.executable, *arguments)

    def run() -> None:
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"ended with {done.returncode}: {done.stderr.decode()}")

    return run


def measure(folder: Path, rounds: int) -> Iterator[Line]:
    """The lines: first and cached, without and with version control."""
    nothing = _process("-c", "pass")
    for words, with_git in (("500 memories", False), ("500 memories with git", True)):
        root = folder / ("git" if with_git else "plain")
        build(root, with_git=with_git)
        cache = folder / "cache" / "health-cache"
        first = _process("-c", _EXAMINE, str(root), "")
        ratio, seconds = compare(first, nothing, rounds)
        yield Line(words, "python -c pass", ratio, None if with_git else FIRST, seconds)
        _process("-c", _EXAMINE, str(root), str(cache))()
        cached = _process("-c", _EXAMINE, str(root), str(cache))
        ratio, seconds = compare(cached, nothing, rounds)
        yield Line("  nothing changed", "python -c pass", ratio, None if with_git else CACHED, seconds)
        ratio, seconds = compare(cached, first, rounds)
        yield Line("  nothing changed", "the first time", ratio, 1 / 3, seconds)
        shutil.rmtree(cache.parent)


def main() -> int:
    """Print the table; see the module's text for the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="zecher-health-") as folder:
        for line in measure(Path(folder), options.rounds):
            print(line, flush=True)
            lines.append(line)
    return int(options.check and not all(line.met for line in lines))


if __name__ == "__main__":
    sys.exit(main())
