"""Random histories with files: forks, merges of every outcome, nested folders; and git's word on them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.scanner.git.histories import GRAPHS
from tests.scanner.git.repositories import run, skeleton

PATHS = ("PROGRESS.md", "DECISIONS.md", "docs/PROGRESS.md", "src/a.py", "src/deep/b.py", "c")
HANDOVER = ("PROGRESS.md", "DECISIONS.md", "docs/PROGRESS.md")
START = 1_700_000_000

Tree = dict[str, str]


@dataclass
class Grown:
    """Commits by mark, 1 to n, with parents, object names, dates and trees; ``head`` is the last one."""

    parents: list[list[int]] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)
    dates: list[int] = field(default_factory=list)
    oids: list[str] = field(default_factory=list)

    @property
    def head(self) -> str:
        return self.oids[-1]


def _text(rng: random.Random) -> str:
    """One of few contents, so that lines meet again; lines of one content differ."""
    lines = [f"line {number}" for number in range(12) if rng.random() < 0.6]
    if rng.random() < 0.2:
        rng.shuffle(lines)
    return "\n".join(lines) + ("\n" if rng.random() < 0.9 and lines else "")


def _edited(rng: random.Random, tree: Tree) -> Tree:
    changed = dict(tree)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        path = rng.choice(PATHS)
        if path in changed and rng.random() < 0.2:
            del changed[path]
        else:
            changed[path] = _text(rng)
    return changed


def _merged(rng: random.Random, trees: list[Tree]) -> Tree:
    """Each path from one of the parents; at times all from one; at times something of its own."""
    if rng.random() < 0.3:
        return dict(rng.choice(trees))
    found: Tree = {}
    for path in PATHS:
        chosen = rng.choice(trees)
        if path in chosen:
            found[path] = chosen[path]
    return _edited(rng, found) if rng.random() < 0.2 else found


def grow(folder: Path, rng: random.Random) -> Grown:
    """Write a random history into a new repository at ``folder``; its branch is ``main``."""
    made = Grown()
    dates = rng.choice(("plain", "plain", "equal", "near", "skewed"))
    count, width, when = rng.choice((1, 4, 12, 25)), rng.choice((1, 2, 3, 5)), START
    lines: list[bytes] = []
    for mark in range(1, count + 1):
        pool = list(range(max(1, mark - width), mark))
        parents = [] if not pool or rng.random() < 0.03 else [rng.choice(pool)]
        while parents and len(parents) < 4 and rng.random() < 0.35:
            parents.append(rng.randrange(max(1, mark - 2 * width), mark))
        parents = list(dict.fromkeys(parents))
        trees = [made.trees[parent - 1] for parent in parents]
        tree = _merged(rng, trees) if len(trees) > 1 else _edited(rng, trees[0] if trees else {})
        when += {"plain": rng.randrange(1, 90_000), "near": rng.randrange(-9_000, 50_000)}.get(dates, 0)
        date = START + rng.randrange(0, 10_000_000) if dates == "skewed" else when
        made.parents.append(parents)
        made.trees.append(tree)
        made.dates.append(date)
        lines += _stream(mark, parents, tree, date)
    git_dir = skeleton(folder / ".git")
    packed = rng.random() < 0.5
    limit = () if packed else ("-c", "fastimport.unpackLimit=1000000")
    run(
        *limit, "fast-import", "--quiet", "--date-format=raw-permissive", f"--export-marks={folder}/marks",
        cwd=git_dir, stdin=b"\n".join(lines) + b"\ndone\n",
    )  # fmt: skip
    marks = dict(line.split() for line in (folder / "marks").read_text().splitlines())
    made.oids = [marks[f":{mark}"] for mark in range(1, count + 1)]
    how = rng.choice(GRAPHS)
    if how != "none":
        run("commit-graph", "write", "--reachable", cwd=git_dir)
    return made


def _stream(mark: int, parents: list[int], tree: Tree, date: int) -> list[bytes]:
    who = f"Bo <b@example.com> {date} +0000"
    message = f"commit {mark}\n"
    lines = [f"commit refs/heads/main\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata {len(message)}"]
    lines.append(message)
    if parents:
        lines.append(f"from :{parents[0]}")
        lines += [f"merge :{parent}" for parent in parents[1:]]
    elif mark > 1:
        lines.append(f"from {'0' * 40}")
    lines.append("deleteall")
    for path, text in tree.items():
        lines.append(f"M 100644 inline {path}\ndata {len(text)}")
        lines.append(text)
    return [line.encode() for line in lines]


def count_since(folder: Path, base: str, excluded: tuple[str, ...]) -> int:
    """How many commits git counts after ``base`` that touch more than ``excluded``."""
    scope = [".", *(f":(top,exclude,literal){path}" for path in excluded)]
    return int(run("rev-list", "--count", f"{base}..main", "--", *scope, cwd=folder / ".git"))


def log_of(folder: Path, path: str, count: int) -> list[tuple[str, int, int, int]]:
    """Commit, date, added and deleted lines of the last commits that touched ``path``, as git says.

    ``git log`` tells nothing of merges: those are compared with their first parent.
    """
    scope = ("--", f":(top,literal){path}")
    listed = run(
        *("log", f"-{count}", "--format=%x00%H %ct %P", "--numstat", "--minimal", "main", *scope),
        cwd=folder / ".git",
    )
    found = []
    for part in listed.split("\0")[1:]:
        lines = part.split("\n")
        commit, when, *parents = lines[0].split()
        if len(parents) > 1:
            lines[1:] = run(
                *("diff-tree", "--numstat", "--minimal", "-r", parents[0], commit, *scope),
                cwd=folder / ".git",
            ).split("\n")
        counts = next((line.split("\t")[:2] for line in lines[1:] if line), ["0", "0"])
        found.append((commit, int(when), int(counts[0]), int(counts[1])))
    return found
