"""The published score: tokens, formula, last bits."""

from __future__ import annotations

import math
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.recall.lexical import contains_any, score, tokens, unique_tokens
from tests.brain.recall.reference import WORD, lexical_score, tokenise

EVENT = (
    "atelier claude-code Design read for the Orbit landing page: one job, the loyalty card sign-up "
    'success {"ci":"pass"}'
)
LETTERS = "abAB19éÉçßñ_- .,:{}\"'\n\u2019\u212a\u0130\u03a3e\u0301漢я"


def value(query: str, text: str) -> float:
    found = score(unique_tokens(query), text)
    return found.value if found else 0.0


def test_the_worked_case_of_the_tokeniser_comes_out_word_for_word() -> None:
    text = "Rate-limit: 429s, JSON_API v2 — l\u2019été à 5% a-b --- x"
    assert tokens(text) == ["rate-limit", "429s", "json_api", "v2", "été", "a-b", "---"]


def test_every_code_point_of_the_basic_plane_separates_or_belongs_to_a_word_as_published() -> None:
    inside = re.compile(f"[{WORD}]")
    differing = []
    for code in range(0x10000):
        if 0xD800 <= code < 0xE000:
            continue
        expected = [word for word in re.split(f"[^{WORD}]+", f"ab{chr(code)}cd".lower()) if len(word) >= 2]
        if tokens(f"ab{chr(code)}cd") != expected:
            differing.append(code)
        assert (len(expected) == 1) == bool(inside.fullmatch(chr(code).lower())), hex(code)
    assert differing == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("größe", ["grö"]),
        ("español", ["espa", "ol"]),
        ("e\u0301te\u0301", ["te"]),  # NFD: the accents separate
        ("漢字 Слово σήμα", []),
        ("\u212aelvin", ["kelvin"]),  # the sign for kelvin is a k in lower case
        ("a b c", []),
        ("", []),
    ],
)
def test_what_the_rule_does_to_other_languages_stays_as_published(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_query_counts_each_of_its_words_once() -> None:
    assert unique_tokens("Card card CARD loyalty") == ["card", "loyalty"]


def test_the_published_event_scores_three_over_the_root_of_eighteen() -> None:
    found = score(unique_tokens("loyalty card sign-up"), EVENT)
    assert found is not None
    assert (found.value, found.matched, found.length) == (3 / math.sqrt(18), 3, 18)


def test_the_published_note_of_0_522_is_reached_by_its_heading_its_labels_and_sixteen_words() -> None:
    note = (
        "2026-10-18 — The landing page has one job, the loyalty card sign-up\n"
        "- **Context**: design read for the Orbit landing page\n"
        "- **Decision**: we keep one action above the fold\n"
        "- **Rationale**: visitors\n"
        "- **Consequences**: none\n"
        "- **Status**: active\n"
    )
    found = score(unique_tokens("loyalty card sign-up"), note)
    assert found is not None
    assert (found.length, found.hits) == (33, 3.0)
    assert f"{found.value:.3f}" == "0.522"


def test_a_part_of_a_word_is_no_hit() -> None:
    assert contains_any(["sign"], "sign-up")
    assert score(["sign"], "the sign-up page") is None


def test_more_of_the_query_counts_more() -> None:
    assert value("alpha beta", "alpha gamma") == 0.5 / math.sqrt(2)
    assert value("alpha beta", "alpha beta") == 2 / math.sqrt(2)


@pytest.mark.parametrize(
    ("frequency", "logarithm"),
    [
        (2, "0x1.62e42fefa39efp-1"),
        (3, "0x1.193ea7aad030ap+0"),
        (48, "0x1.ef8383c50bb74p+1"),
        (185, "0x1.4e1a4f518c72cp+2"),
        (1000, "0x1.ba18a998fffa0p+2"),
    ],
)
def test_repetitions_count_with_the_last_bit_of_the_original(frequency: int, logarithm: str) -> None:
    text = "alpha " * frequency
    assert value("alpha", text) == (1 + float.fromhex(logarithm)) / math.sqrt(frequency)


def test_a_query_without_a_word_of_these_letters_hits_nothing() -> None:
    assert score([], "anything at all") is None


@given(st.text(alphabet=LETTERS, max_size=80))
def test_the_tokens_of_any_text_are_those_of_the_naive_reading(text: str) -> None:
    assert tokens(text) == tokenise(text)


WORDS = st.lists(
    st.sampled_from(["alpha", "Beta", "sign-up", "sign", "été", "---", "x", ",", "429s", "bet"]), max_size=12
)


@given(WORDS, WORDS)
def test_any_score_is_the_naive_one_to_the_last_bit(query: list[str], text: list[str]) -> None:
    counts = {word: text.count(word) for word in text}
    if max(counts.values(), default=0) <= 12:
        assert value(" ".join(query), " ".join(text)) == lexical_score(" ".join(query), " ".join(text))


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_a_long_query_is_scored_as_naively_as_a_short_one(query: list[int], text: list[int]) -> None:
    words = [f"w{number}" for number in text if text.count(number) <= 12]
    asked = " ".join(f"w{number}" for number in query)
    assert value(asked, " ".join(words)) == lexical_score(asked, " ".join(words))


def test_a_whole_page_as_a_query_against_a_full_file_takes_no_time_to_speak_of() -> None:
    page = " ".join(f"word{number}" for number in range(3000))
    start = time.process_time()
    assert value(page, page * 60) > 0
    assert time.process_time() - start < 1.0  # with a list searched for each word: 5 s
