from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.bundle.passages import ELLIPSIS, passage
from brain.bundle.tokens import tokens

PROSE = " ".join(
    f"Sentence number {number} says something about nothing in particular." for number in range(60)
)


def text_of(text: str, room: int, *matched: str) -> str:
    found = passage(text, room, matched)
    assert found is not None
    assert tokens(found.text) <= room
    return found.text


def test_what_fits_is_left_as_it_is() -> None:
    assert text_of("a\n\n- b", 10) == "a\n\n- b"


def test_prose_is_cut_behind_a_sentence() -> None:
    cut = text_of(PROSE, 60)
    assert cut.endswith(f"particular. {ELLIPSIS}")
    assert cut.startswith("Sentence number 0 ")


def test_the_passage_is_cut_around_what_matches() -> None:
    text = PROSE.replace("number 40", "number fourty gateway")
    assert "gateway" in text_of(text, 60, "gateway")
    assert "gateway" not in text_of(text, 60)


def test_an_abbreviation_and_a_date_end_no_sentence() -> None:
    text = "Wir nutzen z. B. Postgres seit dem 1. Januar ohne Ausfall. " * 20
    cut = text_of(text, 40)
    assert cut.removesuffix(f" {ELLIPSIS}").endswith("ohne Ausfall.")


def test_a_list_is_cut_between_items() -> None:
    items = [f"- item {number} with a few words" for number in range(50)]
    lines = text_of("\n".join(items), 60).splitlines()
    assert lines[-1] == ELLIPSIS
    assert set(lines[:-1]) <= set(items)


def test_a_fence_is_whole_or_not_there() -> None:
    fence = "```\n" + "code line\n" * 30 + "```"
    text = f"Before it stands this.\n\n{fence}\n\nAfter it stands that."
    for room in range(20, tokens(text)):
        found = passage(text, room, ("code",))
        if found is not None:
            assert found.text.count("```") in (0, 2)
            assert fence in found.text or "code line" not in found.text


def test_a_word_is_never_cut() -> None:
    text = "word" + " longerword" * 400
    assert set(text_of(text, 50).split()) <= {"word", "longerword", ELLIPSIS}


@pytest.mark.parametrize("text", ["д" * 8000, "日本語" * 3000, "e\u0301" * 4000])
def test_signs_without_a_blank_are_cut_between_them(text: str) -> None:
    cut = text_of(text, 300)
    assert tokens(cut) > 250
    assert not cut.removesuffix(ELLIPSIS).rstrip().endswith("e")


def test_where_no_room_is_worth_it_there_is_none() -> None:
    assert passage(PROSE, 3) is None
    assert passage("```\n" + "x\n" * 500 + "```", 100) is None


def test_the_lines_of_the_passage_are_told() -> None:
    found = passage("\n".join(f"- line {number} of it" for number in range(100)), 40, ("57",))
    assert found is not None
    assert found.first <= 57 <= found.last
    assert f"- line {found.first} of it" in found.text
    assert f"- line {found.last} of it" in found.text


@given(
    st.lists(
        st.sampled_from(["a b. C d", "- item", "```", "# h", "", "word " * 60, "| a | b |", "д" * 90]),
        max_size=40,
    ),
    st.integers(0, 120),
)
def test_no_text_makes_a_passage_larger_than_its_room(lines: list[str], room: int) -> None:
    found = passage("\n".join(lines), room, ("item",))
    assert found is None or tokens(found.text) <= room
