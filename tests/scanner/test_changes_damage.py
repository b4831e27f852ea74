"""Whatever the bytes of a repository hold, the answer is a value."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.changes import Changes
from tests.scanner.support_changes import changes_of
from tests.support import Git, write

_BITES = st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=12)), min_size=1, max_size=4)


def spoiled(data: bytes, bites: list[tuple[int, bytes]]) -> bytes:
    for at, piece in bites:
        start = at % (len(data) + 1)
        data = data[:start] + piece + data[start + len(piece) :]
    return data


def a_desk(git: Git) -> Path:
    path = git.repository("desk", files={"a": "one\n", "src/deep/b": "two\n", ".gitignore": "*.log\n"})
    write(path / "new", "three\n")
    git("add", "-N", "new", cwd=path)
    write(path / "a", "staged\n")
    git("add", "a", cwd=path)
    return path


def test_a_spoiled_index_gives_changes_or_a_problem(git: Git, full: bool) -> None:
    path = a_desk(git)
    index = path / ".git/index"
    whole = index.read_bytes()

    @settings(
        max_examples=3_000 if full else 300,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_BITES)
    def hold(bites: list[tuple[int, bytes]]) -> None:
        index.write_bytes(spoiled(whole, bites))
        assert changes_of(path) != Changes()  # never told as clean

    hold()


def test_spoiled_rules_and_settings_give_changes(git: Git, full: bool) -> None:
    path = a_desk(git)
    files = [path / ".gitignore", path / ".gitattributes", path / ".git/info/exclude", path / ".git/config"]
    files[1].write_bytes(b"* text=auto\n*.png binary\n[attr]own -text eol=lf\na own\n")
    whole = [file.read_bytes() for file in files]

    @settings(
        max_examples=1_000 if full else 100,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 3), _BITES)
    def hold(which: int, bites: list[tuple[int, bytes]]) -> None:
        for file, data in zip(files, whole, strict=True):
            file.write_bytes(data)
        files[which].write_bytes(spoiled(whole[which], bites))
        assert "a" in {*changes_of(path).staged, *changes_of(path).deleted} or which == 3

    hold()
