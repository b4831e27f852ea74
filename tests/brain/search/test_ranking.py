from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.search.analyser import Group
from brain.search.ranking import Score, Wanted, score
from brain.search.reader import Note

NOTES = 100


def _note(body: str, *, title: str = "", more: str = "") -> Note:
    length = len(title.split()) + len(body.split())
    return Note((1, "p", "memory", "/a", 1, "", "active", length, "digest", title, body, more))


def _word(
    word: str, *, holding: int = 5, weight: float = 1.0, kind: str = "word", inside: tuple[str, ...] = ()
) -> Wanted:
    variants = {word: (weight, "exact")} if weight else {}
    return Wanted(Group(word, word, word, kind, inside), variants, holding, NOTES)


def _score(body: str, *words: Wanted, title: str = "", more: str = "") -> Score:
    return score(list(words), _note(body, title=title, more=more), average=10.0)


def test_a_repetition_adds_less_than_the_occurrence_before_it() -> None:
    values = [
        _score(" ".join(["login"] * times + ["x"] * (10 - times)), _word("login")).value
        for times in (0, 1, 2, 3)
    ]
    gains = [after - before for before, after in pairwise(values)]
    assert gains[0] > gains[1] > gains[2] > 0


def test_a_rare_word_is_worth_more_than_a_common_one() -> None:
    words = (_word("rare", holding=1), _word("common", holding=60))
    assert _score("rare", *words).value > _score("common", *words).value


def test_a_long_note_is_worth_less_than_a_short_one() -> None:
    assert _score("login page", _word("login")).value > _score("login " + "page " * 50, _word("login")).value


def test_the_title_counts_more_than_the_text_and_parts_count_less() -> None:
    word = _word("login")
    in_title = _score("x", word, title="login").value
    in_text = _score("x login", word).value
    in_parts = _score("x y", word, more="login").value
    assert in_title > in_text > in_parts > 0


def test_coverage_is_the_share_of_rarity_and_an_unknown_word_counts_most() -> None:
    known, unknown = _word("login"), _word("quokka", holding=0, weight=0)
    result = _score("login", known, unknown)
    assert result.coverage == pytest.approx(known.idf / (known.idf + unknown.idf))
    assert unknown.idf > known.idf
    assert result.matched == (("login", "login", "exact"),)


def test_a_variant_covers_as_much_as_it_weighs() -> None:
    assert _score("login", _word("login", weight=0.4)).coverage == pytest.approx(0.4)


def test_the_parts_of_an_identifier_stand_in_for_it_and_do_not_exceed_it() -> None:
    whole = _word("getuser", holding=3)
    parts = [_word(part, holding=3, kind="part", inside=("getuser",)) for part in ("get", "user")]
    assert _score("get user", whole, *parts).coverage == pytest.approx(1.0)
    assert _score("get", whole, *parts).coverage == pytest.approx(0.5)
    assert _score("getuser get user", whole, *parts).coverage == pytest.approx(1.0)


def test_a_joined_form_covers_its_words_and_costs_nothing_where_it_is_missing() -> None:
    words = [_word("nacht"), _word("lauf"), _word("nachtlauf", kind="joined", inside=("nacht", "lauf"))]
    assert _score("nachtlauf", *words).coverage == pytest.approx(1.0)
    assert _score("nacht lauf", *words).coverage == pytest.approx(1.0)


def test_a_phrase_is_counted_where_its_words_are_neighbours() -> None:
    phrase = [_word("rate"), _word("limit"), _word("rate limit", kind="phrase")]
    assert _score("the rate limit of", *phrase).coverage == pytest.approx(1.0)
    assert _score("limit the rate", *phrase).coverage < 0.7
    assert _score("crate limits", *phrase).value == 0


def test_nothing_wanted_is_nothing_found() -> None:
    result = _score("login")
    assert (result.value, result.coverage, result.matched) == (0.0, 0.0, ())


@given(
    st.lists(st.sampled_from("abcdef"), max_size=60),
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.integers(0, NOTES), st.floats(0.1, 1.0)),
        min_size=1,
        max_size=6,
    ),
)
def test_score_and_coverage_are_between_0_and_1(body: list[str], asked: list[tuple[str, int, float]]) -> None:
    words = {word: _word(word, holding=holding, weight=weight) for word, holding, weight in asked}
    result = _score(" ".join(body), *words.values())
    assert 0 <= result.value <= 1
    assert 0 <= result.coverage <= 1
