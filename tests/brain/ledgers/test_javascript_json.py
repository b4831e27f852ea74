"""JSON text as JavaScript writes it. The expected texts are what ECMAScript's specification says."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.javascript_json import number, to_compact, to_fixed, to_indented

NUMBERS = [
    (0.0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-1216.0, "-1216"),
    (0.5, "0.5"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1231.263693206478, "1231.263693206478"),
    (100.0, "100"),
    (123e20, "1.23e+22"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (1.2345678901234568e20, "123456789012345680000"),
    (1e16, "10000000000000000"),
    (12345678901234567.0, "12345678901234568"),
    (0.0001, "0.0001"),
    (0.00001, "0.00001"),
    (0.000001, "0.000001"),
    (0.00000123, "0.00000123"),
    (1e-7, "1e-7"),
    (1.5e-7, "1.5e-7"),
    (-2.25e-10, "-2.25e-10"),
    (1.5e300, "1.5e+300"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (5e-324, "5e-324"),
    (math.nan, "null"),
    (math.inf, "null"),
    (-math.inf, "null"),
    (7, "7"),
    (-7, "-7"),
    (2**53, "9007199254740992"),
    (2**53 + 1, "9007199254740992"),
    (12345678901234567890, "12345678901234567000"),
    (-(10**21), "-1e+21"),
    (10**400, "null"),
]
TEXTS = [
    ("", '""'),
    ('"\\/', '"\\"\\\\/"'),
    ("\b\f\n\r\t\v\0\x1f", '"\\b\\f\\n\\r\\t\\u000b\\u0000\\u001f"'),
    ("\x7f\x85\xa0\u2028\u2029\ufeff", '"\x7f\x85\xa0\u2028\u2029\ufeff"'),
    ("é🍮", '"é🍮"'),
    ("a\ud800b", '"a\\ud800b"'),
    ("\udfff", '"\\udfff"'),
    ("\udc00\ud800", '"\\udc00\\ud800"'),
    ("\ud83c\udf6e", '"🍮"'),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_a_number_is_printed_as_javascript_does(value: float, expected: str) -> None:
    assert number(value) == expected
    assert to_compact(value) == expected
    assert to_compact([value, {"a": value}]) == f'[{expected},{{"a":{expected}}}]'


@pytest.mark.parametrize(("value", "expected"), TEXTS)
def test_a_text_is_escaped_as_javascript_does(value: str, expected: str) -> None:
    assert to_compact(value) == expected
    assert to_compact({value: [value]}) == f"{{{expected}:[{expected}]}}"


def test_keys_keep_their_order() -> None:
    assert to_compact({"b": None, "a": True, "c": False}) == '{"b":null,"a":true,"c":false}'


def test_keys_that_look_like_an_index_come_first_ascending() -> None:
    value = {
        "b": 1,
        "10": 2,
        "9": 3,
        "01": 4,
        "-1": 5,
        "4294967295": 6,
        "4294967294": 7,
        "0": 8,
        "1.5": 9,
        "²": 10,
    }
    expected = '{"0":8,"9":3,"10":2,"4294967294":7,"b":1,"01":4,"-1":5,"4294967295":6,"1.5":9,"²":10}'
    assert to_compact(value) == expected


def test_the_keys_of_objects_inside_are_ordered_too() -> None:
    assert to_compact([{"x": {"b": 1, "2": 2}}]) == '[{"x":{"2":2,"b":1}}]'


def test_indented_text_has_two_blanks_a_level_and_short_empty_values() -> None:
    value: dict[str, object] = {"a": [1.0, {"b": "é"}], "c": {}, "d": [], "7": None}
    expected = (
        '{\n  "7": null,\n  "a": [\n    1,\n    {\n      "b": "é"\n    }\n  ],\n  "c": {},\n  "d": []\n}'
    )
    assert to_indented(value) == expected


@pytest.mark.parametrize("write", [to_compact, to_indented])
def test_what_is_nested_too_deeply_is_an_error_of_its_own(write: object) -> None:
    value: object = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValueError, match="too deeply"):
        write(value)  # type: ignore[operator] # both take any value


def test_a_text_that_looks_like_numbers_changes_nothing() -> None:
    value = {"task": '[1.0,2e5] {"7":1} :1.0, NaN', "at": "02:13:48.840Z,1.0]"}
    assert to_compact(value) == json.dumps(value, separators=(",", ":"))


@given(VALUES)
def test_the_text_reads_back_as_what_javascript_would_have(value: object) -> None:
    assert json.loads(to_compact(value), parse_int=float) == _as_floats(value)
    assert json.loads(to_indented(value), parse_int=float) == _as_floats(value)


@given(VALUES)
def test_the_quick_way_and_the_thorough_way_agree(value: object) -> None:
    compact = to_compact(value)
    assert json.dumps(json.loads(to_indented(value)), separators=(",", ":")) == json.dumps(
        json.loads(compact), separators=(",", ":")
    )
    assert compact.encode()  # no surrogate is left


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_has_the_form_and_the_value(value: float) -> None:
    text = number(value)
    assert float(text) == value
    assert re.fullmatch(r"-?(?:0|[1-9]\d{0,20})(?:\.\d+)?|-?\d(?:\.\d+)?e[+-]\d+", text)
    if "e" not in text and value:
        assert 1e-7 < abs(value) < 1e21


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.8125, 3, "0.813"),
        (0.7071, 3, "0.707"),
        (1216.0, 1, "1216.0"),
        (-1.5, 0, "-2"),
        (0.0005, 3, "0.001"),
        (1.005, 2, "1.00"),
        (0, 3, "0.000"),
        (2.5, 0, "3"),
        (-0.3125, 3, "-0.313"),
    ],
)
def test_fixed_digits_round_as_javascript_does(value: float, digits: int, expected: str) -> None:
    assert to_fixed(value, digits) == expected


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_fixed_digits_are_the_nearest(value: float, digits: int) -> None:
    assert abs(Decimal(to_fixed(value, digits)) - Decimal(value)) * 2 <= Decimal(10) ** -digits


def _as_floats(value: object) -> object:
    """``value`` after it went through JavaScript's numbers."""
    if isinstance(value, dict):
        return {key: _as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_floats(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return None
    return value
