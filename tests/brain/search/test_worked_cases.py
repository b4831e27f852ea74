from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain.search.search import LOW, search
from brain.search.store import Store, open_store
from brain.search.values import Hit, Query, Section, Source
from tests.brain.search.memory_notes import FIRST, FOREIGN, NOTES


@pytest.fixture(scope="module", params=["fts5", "scan"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    opened = open_store(":memory:", full_text=request.param == "fts5")
    assert opened.engine == request.param
    opened.write(
        (Source(f"/notes/{name}.md"), [Section(text, title=heading, heading=heading)])
        for name, (heading, text) in NOTES.items()
    )
    yield opened
    opened.close()


def _names(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.file.removeprefix("/notes/").removesuffix(".md") for hit in hits]


@pytest.mark.parametrize(
    ("kind", "question", "note"), FIRST, ids=[f"{kind}: {asked}" for kind, asked, _ in FIRST]
)
def test_the_right_note_comes_first_and_covers_the_question(
    store: Store, kind: str, question: str, note: str
) -> None:
    hits = search(store, Query(question)).results
    assert _names(hits)[:1] == [note], kind
    assert hits[0].coverage >= LOW
    assert hits[0].confidence == "high"


@pytest.mark.parametrize("question", FOREIGN)
def test_a_question_about_something_else_has_no_confident_answer(store: Store, question: str) -> None:
    assert [hit for hit in search(store, Query(question)).results if hit.confidence == "high"] == []


def test_strasse_and_its_sharp_s_have_the_same_scores(store: Store) -> None:
    one, other = (search(store, Query(word)).results for word in ("Strasse", "Straße"))
    assert [(hit.file, hit.score) for hit in one] == [(hit.file, hit.score) for hit in other]


@pytest.mark.parametrize("question", ["NOT AND OR NEAR", "der die das", "the of and"])
def test_stop_words_alone_are_never_answered_with_confidence(store: Store, question: str) -> None:
    assert {hit.confidence for hit in search(store, Query(question)).results} <= {"low"}


@pytest.mark.parametrize("question", ["", " ", "\n\t", "?!", '""', "\0", "\u200b", "*", "--"])
def test_a_question_without_words_finds_nothing(store: Store, question: str) -> None:
    found = search(store, Query(question))
    assert (found.results, found.total) == ((), 0)


def test_a_quoted_phrase_ranks_the_adjacent_words_above_the_scattered_ones(store: Store) -> None:
    quoted = search(store, Query('"too many connections"')).results
    assert _names(quoted)[:2] == ["connections", "connections-loose"]
    loose = search(store, Query("too many connections")).results
    share = [hits[1].score / hits[0].score for hits in (quoted, loose)]
    assert share[0] < share[1]


def test_a_quoted_phrase_that_stands_nowhere_is_not_covered(store: Store) -> None:
    scattered = search(store, Query('"too connections many"')).results
    assert scattered, "the words are there"
    assert {hit.confidence for hit in scattered} == {"low"}
    assert scattered[0].coverage < 1
    assert search(store, Query('"too many connections"')).results[0].confidence == "high"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("backoff", ("backoff", "backoff", "exact")),
        ("signatures", ("signatures", "signature", "stem")),
        ("müller", ("muller", "mueller", "spelling")),
        ("versandkosten", ("versandkosten", "versandkostenpauschale", "compound")),
        ("kundendaten", ("kundendaten", "kunden", "part")),
        ("webhok", ("webhok", "webhook", "typo")),
    ],
)
def test_a_match_says_why_it_is_one(store: Store, question: str, reason: tuple[str, str, str]) -> None:
    assert reason in search(store, Query(question)).results[0].matched


def test_the_words_of_a_question_are_never_all_required(store: Store) -> None:
    hits = search(
        store, Query("Wo liegt eigentlich die Signatur vom Stripe Webhook in der Abrechnung?")
    ).results
    assert _names(hits)[:1] == ["webhook"]
    assert hits[0].coverage < 1
