from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain.search.analyser import asked
from brain.search.reader import Reader
from brain.search.search import reader_of
from brain.search.stems import has_stems, stemmer
from brain.search.store import Store, open_store
from brain.search.values import Section, Source
from brain.search.vocabulary import Variants, Vocabulary

WORDS = (
    "Löschfristen Haus Datenbankserver Serverdatenbank Unterdatenbankfehler Kunden Daten Produktbilder Bilder"
    " Produkte Mueller webhook webhooks configuration login"
)


@pytest.fixture(params=[True, False], ids=["fts5", "scan"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    opened = open_store(":memory:", full_text=request.param)
    opened.write([(Source("/a"), [Section(WORDS)])])
    yield opened
    opened.close()


def _variants(store: Store, word: str) -> Variants:
    (group, *_) = asked(word).groups
    return Vocabulary(reader_of(store)).variants(group)


@pytest.mark.parametrize(
    ("word", "term", "weight", "why"),
    [
        ("login", "login", 1.0, "exact"),
        ("Müller", "mueller", 0.95, "spelling"),
        ("Loeschfristen", "loschfristen", 0.95, "spelling"),
        ("Häuser", "haus", 0.85, "stem"),
        ("webhook", "webhooks", 0.85, "stem"),
        ("Datenbank", "datenbankserver", 0.45, "compound"),
        ("Datenbank", "serverdatenbank", 0.45, "compound"),
        ("Datenbank", "unterdatenbankfehler", 0.27 * 0.95, "compound"),
        ("Datenbanken", "datenbankserver", 0.45, "compound"),
        ("Kundendaten", "kunden", 0.35, "part"),
        ("Kundendaten", "daten", 0.35 * (0.5 + 5 / 11), "part"),
        ("Produktbildern", "bilder", 0.35 * (0.5 + 4 / 11), "part"),
        ("Produktbildern", "produkte", 0.35, "part"),
        ("webhok", "webhook", 0.4, "typo"),
        ("configurtaoin", "configuration", 0.28, "typo"),
    ],
)
def test_a_word_is_found_as(store: Store, word: str, term: str, weight: float, why: str) -> None:
    found, reason = _variants(store, word)[term]
    assert (found, reason) == (pytest.approx(weight), why)  # type: ignore[comparison-overlap] # nearly the same number


def test_where_the_word_itself_is_known_nobody_mistyped() -> None:
    store = open_store(":memory:")
    store.write([(Source("/a"), [Section("webhook webhoop")])])
    assert list(_variants(store, "webhook")) == ["webhook"]
    assert list(_variants(store, "webhooq")) == ["webhook", "webhoop"]


def test_a_typing_error_is_not_in_the_first_letter_nor_in_a_short_word(store: Store) -> None:
    assert _variants(store, "vogin") == {}
    assert _variants(store, "haks") == {}


def test_there_are_at_most_sixteen_and_the_best_stay() -> None:
    store = open_store(":memory:")
    store.write(
        [
            (
                Source("/a"),
                [Section(" ".join(f"login{chr(97 + at)}word" for at in range(26)) + " login logins")],
            )
        ]
    )
    variants = _variants(store, "login")
    assert len(variants) == 16
    assert list(variants)[:2] == ["login", "logins"]


def test_terms_that_no_note_holds_any_more_take_no_place() -> None:
    store = open_store(":memory:")
    many = " ".join(f"loginn{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(200))
    store.write(
        [
            (Source("/gone"), [Section(many)]),
            (Source("/a"), [Section("loginpage of a very long name loginnnnnnnnnnnnn")]),
        ]
    )
    store.write(removed=["/gone"])
    assert set(_variants(store, "login")) == {"loginpage", "loginnnnnnnnnnnnn"}


def test_a_known_word_needs_no_stemmer(store: Store) -> None:
    vocabulary = Vocabulary(Reader(store))
    assert vocabulary._stems("haus") == ("haus", "haus", "haus")
    assert vocabulary._stemmer is None


def test_the_three_stems_of_a_word_are_german_english_french() -> None:
    stems = [stemmer()(word) for word in ("nachrichten", "running", "chevaux")]
    assert [three and three[place] for place, three in enumerate(stems)] == ["nachricht", "run", "cheval"]
    assert [stemmer()(word) for word in ("x1", "ab", "検索検索", "a" * 41)] == [None] * 4
    assert has_stems("отчеты")
