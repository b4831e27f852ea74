"""Build the portfolio that speed is measured on: deterministic but for the dates of unpinned files.

Per 300 repositories (eight kinds, commits 2 to 1,500 days before ``NOW``) about 370,000 entries: heavy
ignored trees as real ones have them, 40 plain projects and 300 folders of notes. Histories go in through
``git fast-import``, which is what makes thousands of repositories affordable.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support import DAY, GIT_ENVIRONMENT

NOW = 1_790_000_000
_AGES = (2, 12, 28, 40, 90, 170, 200, 400, 900, 1500)
_IGNORED = "node_modules/\ntarget/\n.venv/\nbuild/\nvendor/\n*.log\n__pycache__/\n"


@dataclass(frozen=True)
class Kind:
    """One kind of repository: its manifest and the ending of its sources."""

    name: str
    ending: str
    manifest: str
    text: str


def _package(**dependencies: str) -> str:
    return json.dumps({"name": "@NAME@", "dependencies": dependencies})


_KINDS = (
    Kind("node", "js", "package.json", _package(express="^4")),
    Kind("next", "tsx", "package.json", _package(next="^14", react="^18")),
    Kind("python", "py", "pyproject.toml", '[project]\nname = "@NAME@"\ndependencies = ["fastapi"]\n'),
    Kind("rust", "rs", "Cargo.toml", '[package]\nname = "@NAME@"\nversion = "0.1.0"\n'),
    Kind("go", "go", "go.mod", "module example.com/@NAME@\n\ngo 1.22\n"),
    Kind("java", "java", "pom.xml", "<project><artifactId>@NAME@</artifactId></project>\n"),
    Kind(
        "php",
        "php",
        "composer.json",
        json.dumps({"name": "x/@NAME@", "require": {"laravel/framework": "^11"}}),
    ),
    Kind("docs", "md", "README.md", "# @NAME@\n"),
)


def build(root: Path, repositories: int = 300) -> None:
    """Write the portfolio below ``root``, which must not exist yet."""
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda number: _repository(root, number), range(repositories)))
    for number in range(40 * repositories // 300):
        plain = root / f"scratch/plain{number}"
        _write(plain / "requirements.txt", "flask\n")
        for part in range(20):
            _write(plain / f"a{part}.py")
    for number in range(repositories):
        for part in range(5):
            _write(root / f"notes/n{number // 20}/d{number}/n{part}.md")


def _repository(root: Path, number: int) -> None:
    kind = _KINDS[number % 8]
    group = ("work", "oss", "clients", "play")[number % 4]
    team = ("", f"team{number % 7}", f"team{number % 7}/area{number % 5}")[number % 3]
    path = root / group / team / f"proj{number:04d}"
    choice = random.Random(7000 + number)  # noqa: S311 - the same portfolio every time
    sources = {
        f"src/pkg{k % 12}/mod{k % 3}/file{k}.{kind.ending}": f"// {number} {k}\n" * 20
        for k in range(choice.choice([30, 60, 120, 200]))
    }
    manifest = kind.text.replace("@NAME@", f"p{number}")
    files = {**sources, kind.manifest: manifest, ".gitignore": _IGNORED}
    last = NOW - _AGES[number % 10] * int(DAY)
    path.mkdir(parents=True)
    _git(path, "init", "-q", "-b", "main")
    _git(
        path, "fast-import", "--quiet", feed=_history(files, list(sources), last, choice.choice([2, 3, 5, 9]))
    )
    _git(path, "reset", "-q", "--hard")
    _heavy(path, number, kind.name)
    for relative in sources:
        os.utime(path / relative, (last, last))
    if number % 5 == 1:
        _git(path, "gc", "-q")
    if number % 5 == 2:
        _git(path, "branch", "feat/x", "HEAD~1")
    if number % 20 == 3:
        _git(path, "checkout", "-q", "--detach")


def _history(files: dict[str, str], sources: list[str], last: int, commits: int) -> bytes:
    """A fast-import stream: all files, then one changed file a commit, the last of them at ``last``."""
    states = [files] + [{sources[k]: f"c{k}\n"} for k in range(1, commits)]
    dates = [last - 50 * int(DAY)] + [last - (commits - k) * int(DAY) for k in range(2, commits)] + [last]
    stream = ""
    for state, date in zip(states, dates, strict=True):
        stream += f"commit refs/heads/main\ncommitter Ana <ana@example.com> {date} +0000\ndata 5\nwork\n\n"
        stream += "".join(f"M 644 inline {name}\ndata {len(text)}\n{text}\n" for name, text in state.items())
    return stream.encode()


def _heavy(path: Path, number: int, kind: str) -> None:
    if kind in ("node", "next") and number % 16 in (0, 1, 8, 9) and (number // 8) % 2 == 0:
        for k in range(250):
            for part in range(17):
                folder = ("", "lib/", "lib/a/", "dist/")[part % 4]
                _write(path / f"node_modules/dep{k:03d}/{folder}f{part}.js")
            _write(path / f"node_modules/dep{k:03d}/package.json", "{}")
    if kind == "python" and number % 16 == 2:
        _write(path / ".venv/pyvenv.cfg")
        for k in range(60):
            for part in range(24):
                _write(path / f".venv/lib/python3.11/site-packages/pk{k}/m{part}.py")
    if kind == "rust":
        for k in range(30):
            for part in range(14):
                _write(path / f"target/debug/build/c{k}/o{part}.o")


def _git(path: Path, *args: str, feed: bytes | None = None) -> None:
    subprocess.run(
        ["git", *args],
        cwd=path,
        env={**os.environ, **GIT_ENVIRONMENT},
        input=feed,
        check=True,
        capture_output=True,
    )


def _write(path: Path, text: str = "x\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
