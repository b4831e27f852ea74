"""No reader asks the system about a name by itself: what the cache does not hear of, it would forget."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import scanner

_HOUSE = Path(scanner.__file__).parent

_QUESTIONS = frozenset(
    """
    open fdopen scandir listdir walk fwalk lstat stat access readlink statvfs pathconf getxattr listxattr
    """.split()  # noqa: SIM905 - a table of words reads best as words
)
_PATH_QUESTIONS = frozenset(
    """
    exists lexists isdir isfile islink ismount isjunction realpath samefile getsize getmtime getatime getctime
    """.split()  # noqa: SIM905 - as above
)
_OTHER_WAYS = frozenset({"pathlib", "glob", "shutil", "io", "fileinput", "linecache", "mmap", "posix"})

# Where the system may be asked directly, and why the cache need not hear of it.
_ALLOWED = {
    "trace.py": "the doors themselves",
    "reading.py": "the door to contents: it tells what it opened",
    "walk.py": "done anew by every scan",
    "roots.py": "done anew by every scan",
    "mounts.py": "read anew by every scan",
    "explain.py": "never uses the cache",
    "places.py": "done anew by every scan",
    "away.py": "what leads away makes a reading unsound",
    "manifests/table.py:load_table": "our own file, part of the key of every record",
    "manifests/table.py:_load": "our own file, part of the key of every record",
    "edits.py:open_folder": "a folder to ask in, not an answer",
    "edits.py:Look.at_folders": "looked at anew by every scan, against the record's glance",
    "edits.py:Look.at_files": "looked at anew by every scan, against the record's glance",
    "changes/work_tree.py:work_tree_changes": "a folder to ask in, not an answer",
    "changes/folders.py:_Reading.names_in_folder": "compared by the fingerprint of the whole work tree",
    "changes/folders.py:_Reading.names_in_place": "compared by the fingerprint of the whole work tree",
    "changes/tracked.py:_Comparison.look_at": "compared by the fingerprint of the whole work tree",
    "changes/tracked.py:_Comparison.look_at_special": "compared by the fingerprint of the whole work tree",
    "cache/key.py": "our own files: they are the key",
    "cache/evidence.py": "asks the same questions again",
    "cache/record.py": "asks the same questions again",
    "git/index.py:_read": "asks the open file, which the door has told of",
    "git/view.py:FileView.read": "asks the open file, which the door has told of",
}


def questions(code: str) -> Iterator[tuple[str, str]]:
    """Each direct question in ``code``: the function that holds it and what is called or imported."""
    yield from _below(ast.parse(code), "")


def _below(node: ast.AST, place: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{place}.{child.name}".lstrip(".")
        found = _question(child)
        if found:
            yield inner, found
        yield from _below(child, inner)


def _question(node: ast.AST) -> str:
    match node:
        case ast.Attribute(value=ast.Name("os"), attr=name) if name in _QUESTIONS:
            return f"os.{name}"
        case ast.Attribute(value=ast.Attribute(value=ast.Name("os"), attr="path"), attr=name):
            return f"os.path.{name}" if name in _PATH_QUESTIONS else ""
        case ast.Call(func=ast.Name("open")):
            return "open"
        case ast.Import(names=names):
            return next((one.name for one in names if one.name.partition(".")[0] in _OTHER_WAYS), "")
        case ast.ImportFrom(module=module, names=names) if module is not None:
            if module.partition(".")[0] in _OTHER_WAYS:
                return module
            asked = _QUESTIONS if module == "os" else _PATH_QUESTIONS if module == "os.path" else frozenset()
            return next((f"{module}.{one.name}" for one in names if one.name in asked), "")
    return ""


def unheard(relative: str, code: str) -> list[str]:
    """The direct questions in ``code`` that nothing allows."""
    return [
        f"{relative}:{place}: {question}"
        for place, question in questions(code)
        if relative not in _ALLOWED and f"{relative}:{place}" not in _ALLOWED
    ]


def test_no_reader_asks_the_system_by_itself() -> None:
    found = [
        one
        for path in sorted(_HOUSE.rglob("*.py"))
        for one in unheard(path.relative_to(_HOUSE).as_posix(), path.read_text())
    ]

    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "import os\ndef look(path): return os.lstat(path)",
        "import os\nclass Reader:\n    ask = staticmethod(os.access)",
        "import os\ndef look(path): return os.path.isfile(path)",
        "def look(path):\n    with open(path) as file: return file.read()",
        "from os import scandir",
        "from os.path import realpath",
        "from pathlib import Path",
        "import glob",
    ],
)
def test_a_new_question_is_noticed(code: str) -> None:
    assert unheard("reader.py", code)


def test_a_question_through_a_door_is_none() -> None:
    assert unheard("reader.py", "from scanner import trace\ndef look(path): return trace.lstat(path)") == []
