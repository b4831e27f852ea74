from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.search.mmr import diverse
from brain.search.snippet import LENGTH, snippet


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("One\n\n- two\tthree", {"two"}) == "One - two three"


def test_a_long_text_is_cut_around_what_was_found() -> None:
    text = "before " * 100 + "the Häuser stand here " + "after " * 100
    cut = snippet(text, {"hauser"})
    assert cut.startswith("… before")
    assert cut.endswith("after …")
    at = cut.index("Häuser")
    assert LENGTH / 3 < at < 2 * LENGTH / 3
    assert len(cut) <= LENGTH + 4


def test_the_place_with_the_most_different_words_is_shown() -> None:
    text = "login login login " + "x " * 300 + "login page of the shop" + " y" * 300
    assert "login page of the shop" in snippet(text, {"login", "page", "shop"})


def test_a_text_without_a_match_is_shown_from_its_beginning() -> None:
    assert snippet("word " * 200, set()).startswith("word word")


def test_a_word_without_an_end_is_cut() -> None:
    assert len(snippet("a" * 100_000 + " login", {"login"})) < LENGTH + 4


@given(st.text(), st.sets(st.sampled_from(["a", "b", "u1f4a5"])))
def test_a_snippet_is_one_line_and_no_longer_than_it_may(text: str, matched: set[str]) -> None:
    cut = snippet(text * 20, matched)
    assert "\n" not in cut
    assert len(cut) <= LENGTH + 80


def test_without_repetitions_the_order_stays() -> None:
    terms = [frozenset({f"w{at}", "login"}) for at in range(4)]
    assert diverse([0.9, 0.8, 0.7, 0.1], terms, 3) == [0, 1, 2]


def test_a_repetition_stands_back_behind_what_is_nearly_as_good() -> None:
    terms = [frozenset("abcd"), frozenset("abcd"), frozenset("xyz")]
    assert diverse([0.9, 0.89, 0.8], terms, 3) == [0, 2, 1]
    assert diverse([0.9, 0.89, 0.1], terms, 3) == [0, 1, 2]


def test_no_notes_are_no_order() -> None:
    assert diverse([], [], 3) == []
