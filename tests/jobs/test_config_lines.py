"""Where keys stand in a file: by a reader of our own, for the parser keeps no lines."""

from __future__ import annotations

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.config_lines import Path, toml_lines


def line_of(text: str, *path: str | int) -> int | None:
    tomli.loads(text)  # the reader need not understand what the parser refuses
    return toml_lines(text).find(path)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = 1\nb = 2\n", ("b",), 2),
        ("\n# b = 0\n  b = 2", ("b",), 3),
        ("[t]\na = 1\n[u]\na = 2\n", ("u", "a"), 4),
        ("[t]\na = 1\n[u]\na = 2\n", ("u",), 3),
        ("[a.b]\nc = 1\n", ("a", "b", "c"), 2),
        ("a.b.c = 1\n", ("a", "b", "c"), 1),
        ("[[t]]\na = 1\n[[t]]\na = 2\n", ("t", 1, "a"), 4),
        ("[[t]]\n[[t]]\nb = 1\n", ("t", 1), 2),
        ("[[t]]\na = 1\n[[t.u]]\nb = 2\n[[t]]\n[[t.u]]\n[[t.u]]\nb = 3\n", ("t", 1, "u", 1, "b"), 8),
        ("[[t]]\n[t.u]\nb = 2\n", ("t", 0, "u", "b"), 3),
        ("a = [\n  1,\n  2, # two\n  3,\n]\nb = 1\n", ("a", 1), 3),
        ("a = [\n  1,\n  2, # ] two\n]\nb = 1\n", ("b",), 5),
        ("a = [\n  { x = 1 },\n  { y = { z = 2 } },\n]\n", ("a", 1, "y", "z"), 3),
        ('a = """\nb = 3\n"""\nb = 4\n', ("b",), 4),
        ("a = '''\nb = 3\\'''\nb = 4\n", ("b",), 3),
        ('a = """x\\"""" \nb = 4\n', ("b",), 2),
        ('a = """"x""""" # five\nb = 4\n', ("b",), 2),
        ('a = "\\" # \\\\"\nb = 4\n', ("b",), 2),
        ('"a b" = 1\n', ("a b",), 1),
        ('"\\u00e9.x" = 1\n', ("é.x",), 1),
        ("[ 'x' . \"y\" ]\nz = 1\n", ("x", "y", "z"), 2),
        ("a = 2026-11-30 03:17:04 # time\nb = 1", ("b",), 2),
        ("a = 1\r\nb = 2\r\n", ("b",), 2),
        ("a = [[1], [\n2]]\n", ("a", 1, 0), 2),
        ("a = []\nb = {}\nc = ''\nd = \"\"\ne = 1\n", ("e",), 5),
    ],
)
def test_a_key_is_found_on_its_line(text: str, path: Path, line: int) -> None:
    assert line_of(text, *path) == line


def test_what_has_no_line_of_its_own_counts_as_what_is_around_it() -> None:
    assert line_of("\n[t]\na = [1]\n", "t", "a", 7, "x") == 3
    assert line_of("\n[t]\na = [1]\n", "t", "nowhere") == 2
    assert line_of("\n[t]\na = [1]\n", "nowhere") is None


def test_nesting_beyond_reason_ends_the_search_and_nothing_else() -> None:
    text = "a = 1\nb = " + "[" * 300 + "]" * 300 + "\nc = 1\n"

    assert (line_of(text, "a"), line_of(text, "b"), line_of(text, "c")) == (1, 2, None)


NAMES = st.sampled_from(["a", "b-c", "d_1", '"e f"', "'g#h'", '"i\\"j"'])
VALUES = st.recursive(
    st.sampled_from(
        ["1", "true", '"x"', '"# ]"', "'\"'", '"""\n[x]\nk = 1\n"""', "'''\n\"\"\"'''", "07:32:00"]
    ),
    lambda inner: st.lists(inner, max_size=3).map(
        lambda items: "[" + "".join(f"\n  {item}, # ]" for item in items) + "\n]"
    ),
    max_leaves=6,
)


@given(pairs=st.lists(st.tuples(NAMES, VALUES), max_size=6, unique_by=lambda pair: pair[0]))
@settings(max_examples=300, deadline=None)
def test_whatever_stands_between_the_keys_their_lines_are_right(pairs: list[tuple[str, str]]) -> None:
    text, expected = "", {}
    for name, value in pairs:
        expected[next(iter(tomli.loads(f"{name} = 1")))] = text.count("\n") + 1
        text += f"{name} = {value}\n"

    lines = toml_lines(text)

    assert set(tomli.loads(text)) == set(expected)
    assert {name: lines.find((name,)) for name in expected} == expected


@pytest.mark.parametrize(
    "text", ["a = [}", "a = [}\n]", "a = {]", "a = [1}", "[", "[[a", 'a = "', 'a = "\\', "a"]
)
def test_a_text_that_is_no_toml_comes_to_an_end(text: str) -> None:
    toml_lines(text)


@given(text=st.text(alphabet="ab[]{}=.,\"'#\\\n 1", max_size=40))
@settings(max_examples=500, deadline=None)
def test_no_text_brings_it_down(text: str) -> None:
    toml_lines(text)
