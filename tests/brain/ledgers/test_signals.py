"""Reward signals are what was meant, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.errors import MemError
from brain.files.javascript_json import to_compact
from brain.ledgers.signals import parse_signals, reward

SHARES = st.floats(0, 1)


def test_nothing_given_is_nothing_stored() -> None:
    assert parse_signals(None, None, None) == {}


def test_signals_are_stored_in_the_published_order() -> None:
    assert (
        to_compact(parse_signals("0.25", "yes", "pass")) == '{"evalScore":0.25,"acceptance":true,"ci":"pass"}'
    )


@pytest.mark.parametrize(
    ("text", "stored"),
    [("0", "0"), ("1", "1"), ("1.0", "1"), (".5", "0.5"), ("1e-1", "0.1"), (" 1 ", "1"), ("-0", "0")],
)
def test_a_number_is_stored_as_javascript_would(text: str, stored: str) -> None:
    assert to_compact(parse_signals(text, None, None)) == f'{{"evalScore":{stored}}}'


@pytest.mark.parametrize(
    "text", ["", " ", "abc", "nan", "inf", "-0.1", "1.1", "0x1", "1_0", "0,5", "\u0661", "pass"]
)
def test_a_number_that_is_none_in_0_to_1_is_refused(text: str) -> None:
    with pytest.raises(MemError, match="--eval takes a number from 0 to 1"):
        parse_signals(text, None, None)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("YES", True), ("False", False), ("nO", False)])
def test_acceptance_knows_words_in_any_case(text: str, value: bool) -> None:
    assert parse_signals(None, text, None) == {"acceptance": value}


@pytest.mark.parametrize("text", ["", "ja", "ture", "2", "pass"])
def test_a_mistyped_acceptance_is_refused(text: str) -> None:
    with pytest.raises(MemError, match="--accept takes"):
        parse_signals(None, text, None)


@pytest.mark.parametrize(("text", "value"), [("pass", "pass"), ("fail", "fail"), ("0.5", 0.5), ("1", 1)])
def test_ci_knows_two_words_and_numbers(text: str, value: object) -> None:
    assert parse_signals(None, None, text) == {"ci": value}


@pytest.mark.parametrize("text", ["", "Pass", "FAIL", "passed", "true", "3"])
def test_a_mistyped_ci_is_refused(text: str) -> None:
    with pytest.raises(MemError, match="--ci takes"):
        parse_signals(None, None, text)


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        ({}, 0.0),
        ({"evalScore": 0.4}, 0.4),
        ({"acceptance": True, "ci": "pass"}, 1.0),
        ({"acceptance": True, "ci": "fail"}, 0.6),
        ({"evalScore": 1, "acceptance": False, "ci": "fail"}, 0.5),
        ({"ci": "pass"}, 1.0),
        ({"evalScore": 7, "ci": -3}, 0.5 / 0.7),
        ({"evalScore": None, "ci": "pass"}, 1.0),
        ({"evalScore": "abc"}, 0.0),
        ({"evalScore": float("nan"), "ci": "pass"}, 0.2 / 0.7),
    ],
)
def test_the_reward_is_the_weighted_mean_of_what_was_given(
    signals: dict[str, object], expected: float
) -> None:
    assert reward(signals) == pytest.approx(expected, abs=1e-15)


@given(st.fixed_dictionaries({}, optional={"evalScore": SHARES, "acceptance": SHARES, "ci": SHARES}))
def test_a_reward_lies_between_the_signals(signals: dict[str, float]) -> None:
    values = list(signals.values()) or [0.0]
    assert min(values) - 1e-12 <= reward(signals) <= max(values) + 1e-12
