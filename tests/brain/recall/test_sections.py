"""Sections as published: where they begin and end, their text, their hash."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.notes import Section, section_sha256, section_text, sections
from tests.brain.recall.reference import split


def shape(text: str) -> list[tuple[str, str, int]]:
    return [(one.heading, one.body, one.line) for one in sections(text)]


def test_a_section_goes_on_to_the_next_heading_and_knows_its_line() -> None:
    text = "---\ntitle: x\n---\n# Decisions\n\n### One\nfirst\n\n### Two\nsecond"
    assert shape(text) == [("One", "first\n\n", 6), ("Two", "second", 9)]


def test_text_before_the_first_heading_belongs_to_no_section() -> None:
    assert shape("intro\n## Part\nmore\n") == []


def test_other_headings_and_fences_neither_end_nor_hide_a_section() -> None:
    text = "```markdown\n### Sample\n- **Context**: permission\n```\n---\n## Meta-lessons\n1. rule\n"
    assert shape(text) == [("Sample", "- **Context**: permission\n```\n---\n## Meta-lessons\n1. rule\n", 2)]


@pytest.mark.parametrize(
    "line", ["###x", "#### x", " ### x", "##", "###", "", "#", "\ufeff### x", "###\x1cx"]
)
def test_what_is_no_heading(line: str) -> None:
    assert shape(line) == []
    assert shape(f"a\n{line}\nb") == []


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("### A", "A"),
        ("###\tA  ", "A"),
        ("###   A b", "A b"),
        ("###\xa0A", "A"),
        ("###\ufeffA", "A"),
        ("### A\r", "A"),
        ("### A\u2028B", "A"),
        ("### ", ""),
        ("###\r", ""),
        ("### ###", "###"),
        ("### \x85A\x1c", "\x85A\x1c"),  # blanks for Python, not for the original
    ],
)
def test_a_heading_is_trimmed_as_the_original_trims(line: str, heading: str) -> None:
    assert shape(line) == [(heading, "", 1)]
    assert shape(f"a\n{line}\nbody\n") == [(heading, "body\n", 2)]


def test_windows_line_ends_stay_in_the_body() -> None:
    assert shape("### A\r\nx\r\n\r\n### B\r\ny\r\n") == [("A", "x\r\n\r\n", 1), ("B", "y\r\n", 4)]


def test_two_headings_in_a_row_leave_an_empty_section() -> None:
    assert shape("### A\n### B\n") == [("A", "", 1), ("B", "", 2)]


def test_the_text_of_a_section_is_trimmed_as_the_original_trims() -> None:
    assert section_text(Section("A", "\ufeff x \x85\n\u3000\n", 1)) == "A\n\ufeff x \x85"
    assert section_text(Section("", "\n x\n", 1)) == "x"


def test_the_published_hash_of_a_section_comes_out() -> None:
    expected = "3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8"
    assert section_sha256(sections("### A\nalpha text\n")[0]) == expected


def test_blank_lines_at_the_end_do_not_change_the_hash_and_a_word_does() -> None:
    first, second, third = (
        section_sha256(sections(f"### Ä\nsur l\u2019été 🎉{end}")[0]) for end in ("", "\n \r\n\n", " x\n")
    )
    assert first == second == hashlib.sha256("Ä\nsur l\u2019été 🎉".encode()).hexdigest()
    assert third != first


PIECES = [
    "### ",
    "###",
    "#### ",
    "##",
    " ",
    "\n",
    "\n",
    "\r\n",
    "A",
    "b c",
    "```",
    "\u2028",
    "\ufeff",
    "\t",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_falls_into_the_sections_of_the_naive_reading(text: str) -> None:
    assert [(one.heading, section_text(one), one.line) for one in sections(text)] == split(text)
