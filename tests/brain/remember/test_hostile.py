"""Files that somebody made to hurt: read, listed, extended in no time to speak of, never a traceback."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.remember.edit import MODES, Note, edit
from brain.remember.errors import RememberError
from brain.remember.forget import forget
from brain.remember.index import index
from brain.remember.places import user_places
from brain.remember.remember import remember
from tests.support import NOW

BLANKS = b" \t\r\n"
MANY = 200_000
HOSTILE = {
    "blanks": " " * MANY,
    "a heading of blanks": "# " + " " * MANY + "x",
    "hashes": "#" * MANY,
    "openings": "<!--" * (MANY // 4),
    "stamps": "<!-- zecher: " * (MANY // 13),
    "blanks before stamps": (" " * 999 + "x") * 1000,
    "backticks": "`" * MANY,
    "fences": "```\n" * (MANY // 4),
    "rules": "---\n" * (MANY // 4),
    "keys": "---\n" + "a: b\n" * (MANY // 5) + "---\n",
    "a title": '---\ntitle: "' + "aB" * (MANY // 2) + '"\n---\n',
    "comments in front": "---\n" + " #\n" * (MANY // 3),
    "returns": "\r" * MANY,
    "bullets": "- " * (MANY // 2),
    "nulls": "\0" * MANY,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_takes_long(tmp_path: Path, name: str) -> None:
    path = tmp_path / "memory" / "looks.md"
    path.parent.mkdir()
    path.write_bytes(HOSTILE[name].encode())
    places = user_places(str(tmp_path))
    started = time.process_time()

    index(places, len)
    with suppress(RememberError):
        remember(places, "a fact", category="looks", now=NOW)
    with suppress(RememberError):
        forget(places, "abcd", now=NOW)
    for mode in (*MODES, "section", "find"):
        path.write_bytes(HOSTILE[name].encode())
        with suppress(RememberError):
            edit(Note(str(tmp_path), "memory/looks.md"), mode, "new", target="x", now=NOW)

    assert time.process_time() - started < 10


@given(
    data=st.binary(max_size=300)
    | st.text("-# \n`<!zecher:abcd1234[ARCHIVED]\r", max_size=300).map(str.encode)
)
def test_whatever_a_file_holds_it_is_kept_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("brain")
    path = folder / "memory" / "looks.md"
    path.parent.mkdir()
    path.write_bytes(data)
    places = user_places(str(folder))
    try:
        done = remember(places, "a fact", category="looks", now=NOW)
    except RememberError:
        assert path.read_bytes() == data
        return
    if done.outcome == "appended":
        kept = path.read_bytes()
        assert b"a fact <!-- zecher:" in kept
        rest = kept.replace(f"a fact <!-- zecher: 2026-11-30 {done.id} -->".encode(), b"")
        assert rest.translate(None, BLANKS) == data.translate(None, BLANKS)
        assert remember(places, "a fact", category="looks", now=NOW).outcome == "skipped"
        line = kept.split(b"\n")[done.line - 1]
        assert line.removeprefix(b"\xef\xbb\xbf").startswith(b"a fact")
        forget(places, done.id, now=NOW)
        forget(places, done.id, now=NOW, undo=True)
        assert b"a fact <!-- zecher:" in path.read_bytes()
