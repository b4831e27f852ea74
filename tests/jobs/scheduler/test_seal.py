"""The mark on what was generated: any edit is seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.scheduler.seal import EDITED, FOREIGN, MARK, OURS, judge, sealed

TEXT = "[Timer]\n# why\nOnCalendar=hourly\n"


def test_what_was_generated_is_ours() -> None:
    assert judge(sealed("", TEXT, hint="use a drop-in")) == OURS
    assert judge(sealed("<?xml?>\n", TEXT, opening="<!-- ", hint="no", closing=" -->")) == OURS


def test_the_first_line_says_by_whom_and_what_to_do_instead() -> None:
    first = sealed("", TEXT, hint="use a drop-in").splitlines()[0]

    assert first.startswith(f"# {MARK}; use a drop-in; sha256=")


@pytest.mark.parametrize("text", ["", TEXT, "# BEGIN\n" * 10, f"a\nb\nc\nd\n# {MARK}; sha256={'0' * 64}\n"])
def test_a_text_without_the_mark_at_its_top_is_foreign(text: str) -> None:
    assert judge(text) == FOREIGN


def test_a_mark_without_its_sum_is_an_edited_one() -> None:
    assert judge(f"# {MARK}\n{TEXT}") == EDITED


@given(st.data())
def test_every_single_edit_below_the_mark_is_seen(data: st.DataObject) -> None:
    text = sealed("", TEXT, hint="use a drop-in")
    start = text.index("\n") + 1
    place = data.draw(st.integers(start, len(text)))
    new = data.draw(st.sampled_from("#ax \n="))
    kind = data.draw(st.sampled_from(["insert", "delete", "replace"]))
    after = {"insert": place, "delete": place + 1, "replace": place + 1}[kind]
    edited = text[:place] + ("" if kind == "delete" else new) + text[after:]

    assert (judge(edited) == OURS) == (edited == text)
