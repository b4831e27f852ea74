from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.bundle.tokens import affordable, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("abcd", 1), ("abcdefg", 2), ("Prüfung", 2), ("日本語", 2), ("naïve café", 3), ("дерево", 3)],
)
def test_the_estimate_is_that_of_the_worked_cases(text: str, expected: int) -> None:  # N36
    assert tokens(text) == expected


@given(st.text())
def test_it_is_never_below_a_quarter_of_ascii_and_half_of_all_else(text: str) -> None:
    ascii_signs = sum(sign.isascii() for sign in text)
    assert tokens(text) >= ascii_signs / 4 + (len(text) - ascii_signs) / 2


@given(st.text(), st.text())
def test_parts_never_weigh_less_than_the_whole(one: str, other: str) -> None:
    assert tokens(one + other) <= tokens(one) + tokens(other)


def test_a_sign_beyond_16_bits_is_a_token_and_half_a_pair_is_no_error() -> None:
    assert tokens("💥") == 1
    assert tokens("\ud83d") == 1


@given(st.text(), st.integers(0, 40))
def test_what_is_affordable_is_the_longest_beginning_that_fits(text: str, room: int) -> None:
    count = affordable(text, room)
    assert tokens(text[:count]) <= room
    assert count == len(text) or tokens(text[: count + 1]) > room
