from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.search.search import search
from brain.search.store import Store, has_full_text, open_store
from brain.search.values import Found, Query, Section, Source

ENGINES = pytest.mark.parametrize("full_text", [True, False], ids=["fts5", "scan"])


def _note(name: str, text: str) -> tuple[Source, list[Section]]:
    return Source(name), [Section(text)]


def _files(store: Store, text: str) -> list[str]:
    return [hit.file for hit in search(store, Query(text)).results]


@ENGINES
def test_what_is_written_is_there_when_the_file_is_opened_again(tmp_path: Path, full_text: bool) -> None:
    path = str(tmp_path / "search.sqlite")
    store = open_store(path, full_text=full_text)
    store.write([_note("/a", "login")])
    store.close()
    again = open_store(path)
    assert again.engine == store.engine
    assert _files(again, "login") == ["/a"]
    again.close()


@ENGINES
def test_a_source_is_replaced_and_removed_as_a_whole(full_text: bool) -> None:
    store = open_store(":memory:", full_text=full_text)
    store.write([(Source("/a"), [Section("login one"), Section("login two", line=5)])])
    store.write([_note("/a", "logout")])
    assert (_files(store, "login"), _files(store, "logout")) == ([], ["/a"])
    store.write(removed=["/a", "/unknown"])
    assert _files(store, "logout") == []
    facts = dict(store.connection.execute("SELECT name, value FROM meta").fetchall())
    assert (facts["notes"], facts["words"]) == (0, 0)


def test_a_write_that_fails_leaves_everything_as_it_was() -> None:
    store = open_store(":memory:")
    store.write([_note("/a", "login")])

    def failing() -> Iterator[tuple[Source, list[Section]]]:
        yield _note("/b", "logout")
        raise KeyError

    with pytest.raises(KeyError):
        store.write(failing())
    assert _files(store, "logout") == []
    assert _files(store, "login") == ["/a"]
    store.write([_note("/b", "login page of the shop")])
    assert _files(store, "login") == ["/a", "/b"]


def test_text_that_is_no_unicode_is_kept_as_far_as_it_is() -> None:
    store = open_store(":memory:")
    store.write([_note("/a", "login \ud83d \0 end")])
    assert _files(store, "end") == ["/a"]


@ENGINES
def test_an_index_that_grew_answers_as_one_built_at_once(full_text: bool) -> None:
    grown, built = (open_store(":memory:", full_text=full_text) for _ in range(2))
    texts = {f"/{at:02}": f"login of shop{at % 3} Kunden{'daten' * (at % 2)} number {at}" for at in range(20)}
    grown.write(_note(name, f"earlier words of {name}, Kundenberater") for name in texts)
    for name, text in reversed(texts.items()):
        grown.write([_note(name, text)])
    grown.write([_note("/gone", "Kundennummer login")])
    grown.write(removed=["/gone"])
    built.write(_note(name, text) for name, text in texts.items())
    for question in ("login", "Kunden", "kundendatum shop2", "logn number 7"):
        assert search(grown, Query(question)) == search(built, Query(question))


def _answers(store: Store, questions: list[str]) -> list[Found]:
    return [search(store, Query(question, limit=50)) for question in questions]


WORDS = st.sampled_from(
    [
        "login",
        "Kunden",
        "Kundendaten",
        "daten",
        "der",
        "getUserOrders",
        "orders",
        "Straße",
        "検索",
        "💥",
        "webhok",
        "webhook",
        "C++",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@settings(max_examples=50)
@given(st.lists(TEXTS, max_size=12), st.lists(TEXTS, min_size=1, max_size=3))
def test_the_plain_scan_answers_as_the_full_text_index(texts: list[str], questions: list[str]) -> None:
    answers = []
    for full_text in (True, False):
        store = open_store(":memory:", full_text=full_text)
        store.write(_note(f"/{at}", text) for at, text in enumerate(texts))
        answers.append(
            [(found.total, found.results) for found in _answers(store, [*questions, f'"{questions[0]}"'])]
        )
        store.close()
    assert answers[0] == answers[1]


def test_the_full_text_index_is_sound_after_many_changes() -> None:
    store = open_store(":memory:")
    for at in range(50):
        store.write([_note(f"/{at % 7}", f"login word{at} other{at % 3}")])
    store.connection.execute("INSERT INTO text (text, rank) VALUES ('integrity-check', 1)")
    (notes,) = store.connection.execute("SELECT count(*) FROM text").fetchone()
    assert notes == 7


def test_this_sqlite_is_asked_whether_it_has_full_text() -> None:
    class Without:
        def execute(self, statement: str) -> None:
            raise sqlite3.OperationalError(statement)

    assert has_full_text(sqlite3.connect(":memory:"))
    assert not has_full_text(Without())  # type: ignore[arg-type] # what is asked of a connection
