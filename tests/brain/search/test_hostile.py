from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.search.search import search
from brain.search.store import Store, open_store
from brain.search.values import Query, Section, Source
from tests.brain.search.memory_notes import FIRST, NOTES

# What breaks a full-text query that is made of what was typed.
HOSTILE = [
    *("e2e-test", "state-of-the-art", "hello -foo", "-hello", "foo:bar", "title:x", "body : y", "C++"),
    *(
        "node.js",
        "src/a.go",
        "what?",
        "it's",
        "a,b",
        "50%",
        "@x",
        "#tag",
        "[x]",
        "x=y",
        "hello)",
        "(x",
        "(((",
    ),
    *(
        '"hello',
        'hello"',
        '"',
        '""',
        '"""',
        '" "',
        "AND",
        "NOT x",
        "x AND",
        "OR OR",
        "",
        " ",
        "\0",
        "a\0b",
        "*",
    ),
    *(
        "NEAR",
        "NEAR(a b, 3)",
        "hel*",
        "^hello",
        "hello + foo",
        "{a b}: x",
        "💥",
        "検索",
        "strasse",
        "mueller",
    ),
    *(
        "'; DROP TABLE note; --",
        "%",
        "_",
        "\\",
        "\ud83d",
        "\u202e abc",
        "a" * 10_000,
        "x " * 5_000,
        "ﷺ" * 300,
    ),
    *('"a" OR "b"', "rowid:1", "text MATCH 'x'", "\x1b[31m", "İstanbul", "\u017f", "\u0301\u0301", "'" * 99),
]


@pytest.fixture(scope="module", params=[True, False], ids=["fts5", "scan"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    opened = open_store(":memory:", full_text=request.param)
    opened.write(
        (Source(f"/{name}"), [Section(text, title=heading)]) for name, (heading, text) in NOTES.items()
    )
    yield opened
    opened.close()


def test_there_are_more_than_47() -> None:
    assert len(set(HOSTILE)) > 47


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_question_is_a_question(store: Store, text: str) -> None:
    search(store, Query(text))
    search(store, Query(f'Kunden "{text}" Daten {text}'))


@settings(max_examples=60)
@given(st.text())
def test_any_text_is_a_question(text: str) -> None:
    opened = open_store(":memory:")
    opened.write([(Source("/a"), [Section("login of customers", title="Kunden")])])
    search(opened, Query(text))
    opened.close()


@settings(max_examples=60)
@given(st.text())
def test_any_text_is_a_note_that_is_found_by_its_words(text: str) -> None:
    opened = open_store(":memory:")
    opened.write([(Source("/a"), [Section(f"{text} Leuchtturm", title=text)])])
    assert [hit.file for hit in search(opened, Query("Leuchtturm")).results] == ["/a"]
    opened.close()


_ANSWERS = """
import sys
from brain.search.search import search
from brain.search.store import open_store
from brain.search.values import Query, Section, Source
from tests.brain.search.memory_notes import FIRST, NOTES
store = open_store(":memory:", full_text=sys.argv[1] == "fts5")
store.write((Source(f"/{name}"), [Section(text, title=heading)]) for name, (heading, text) in NOTES.items())
for _, question, _ in FIRST:
    print(ascii(search(store, Query(question)).results))
"""


@pytest.mark.parametrize("engine", ["fts5", "scan"])
def test_the_answers_are_the_same_bytes_with_every_hash_seed(engine: str) -> None:
    answers = set()
    for seed in ("0", "1", "2", "3", "4"):
        done = subprocess.run(
            [sys.executable, "-c", _ANSWERS, engine],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=os.path.dirname(__file__) + "/../../..",
            capture_output=True,
            check=True,
            timeout=60,
        )
        answers.add(done.stdout)
    assert len(answers) == 1
    assert answers.pop().count(b"\n") == len(FIRST)


def test_asking_for_known_words_loads_no_stemmer_and_nothing_heavy() -> None:
    code = """
import sys
from brain.search.search import search
from brain.search.store import open_store
heavy = {"typing", "dataclasses", "pathlib", "subprocess", "logging", "asyncio", "snowballstemmer", "yaml"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__) + "/../../.."},
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
    )
    assert done.stdout.strip() == "[]"
