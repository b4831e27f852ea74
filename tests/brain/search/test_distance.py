from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.search.distance import within

WORDS = st.text(alphabet="abc", max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "most", "distance"),
    [
        ("webhook", "webhook", 1, 0),
        ("webhok", "webhook", 1, 1),
        ("typsecript", "typescript", 1, 1),
        ("wbehok", "webhook", 1, None),
        ("wbehok", "webhook", 2, 2),
        ("xbcdefgy", "abcdefgh", 2, 2),
        ("abc", "abcdef", 2, None),
    ],
)
def test_so_many_typing_errors_lie_between(one: str, other: str, most: int, distance: int | None) -> None:
    assert within(one, other, most) == distance


def _slow(one: str, other: str) -> int:
    """By the definition, letter by letter from the end."""
    if not one or not other:
        return len(one) + len(other)
    best = min(
        _slow(one[:-1], other) + 1,
        _slow(one, other[:-1]) + 1,
        _slow(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    )
    if one[-2:] == other[-2:][::-1] and len(one) > 1:
        best = min(best, _slow(one[:-2], other[:-2]) + 1)
    return best


@given(st.text(alphabet="abc", max_size=5), st.text(alphabet="abc", max_size=5), st.sampled_from([1, 2]))
def test_the_shortcut_agrees_with_the_definition(one: str, other: str, most: int) -> None:
    slow = _slow(one, other)
    assert within(one, other, most) == (slow if slow <= most else None)


@given(WORDS, WORDS)
def test_the_distance_is_the_same_from_both_sides(one: str, other: str) -> None:
    assert within(one, other, 2) == within(other, one, 2)
