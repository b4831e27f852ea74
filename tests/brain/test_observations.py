from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.observations import new_id, normalised, read, stamped
from brain.remember.errors import RememberError
from brain.remember.refusals import observation

DATE = "2026-11-30"


def said(text: str) -> list[tuple[str, str, int]]:
    return [(one.text, one.id, one.line) for one in read(text).observations]


def test_an_observation_ends_with_its_comment_and_is_found_with_its_line() -> None:
    text = "\na <!-- zecher: 2026-11-30 aaaa -->\n\nb\nc <!-- zecher: 2026-11-30 bbbb -->\n"
    assert said(text) == [("a", "aaaa", 2), ("b\nc", "bbbb", 4)]


def test_several_blocks_are_one_observation_where_the_comment_says_so() -> None:
    text = "old\n\n" + stamped("a\n\nb", id="aaaa", date=DATE)
    assert "2 parts" in text
    assert [one for one, _, _ in said(text)] == ["old", "a\n\nb"]


def test_blocks_without_a_comment_are_observations_named_by_their_text() -> None:
    one, other = read("likes tabs\n\nuses vim\n").observations
    assert (one.text, other.text) == ("likes tabs", "uses vim")
    assert one.id != other.id
    assert read("something else\n\nLikes  tabs.\n").observations[1].id == one.id


def test_two_observations_whose_blank_line_went_missing_are_still_two() -> None:
    text = "a <!-- zecher: 2026-11-30 aaaa -->\nb <!-- zecher: 2026-11-30 bbbb -->\n"
    assert [one for one, _, _ in said(text)] == ["a", "b"]


def test_headings_and_what_lies_in_fences_are_no_observations() -> None:
    text = "# Title\n\n```\n\nx <!-- zecher: 2026-11-30 aaaa -->\n\n```\n"
    assert [one for one, _, _ in said(text)] == ["```\n\nx <!-- zecher: 2026-11-30 aaaa -->\n\n```"]


def test_a_fence_keeps_its_end_and_the_comment_stands_below_it() -> None:
    text = stamped("see\n```\nx\n```", id="aaaa", date=DATE)
    assert text.endswith("\n```\n<!-- zecher: 2026-11-30 aaaa -->")
    assert [one for one, _, _ in said(text)] == ["see\n```\nx\n```"]


def test_the_archive_is_where_its_heading_stands() -> None:
    text = "a\n\n## [ARCHIVED]\n\nb <!-- zecher: 2026-11-01 bbbb, archived 2026-11-30 -->\n"
    body = read(text)
    assert body.archive == 3
    assert [(one.text, one.archived) for one in body.observations] == [("a", ""), ("b", "2026-11-30")]


def test_case_blanks_a_bullet_and_a_full_stop_make_no_other_fact() -> None:
    assert normalised("- Likes   TABS.") == normalised("likes\ntabs")
    assert normalised("C") != normalised("C++")


def test_a_short_name_grows_where_it_is_taken() -> None:
    short = new_id("a fact", frozenset())
    longer = new_id("a fact", {short})
    assert len(short) == 4
    assert longer.startswith(short)
    assert len(longer) == 5


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_what_is_written_is_read_back_in_its_order(texts: list[str]) -> None:
    kept = []
    for text in texts:
        try:
            kept.append(observation(text))
        except RememberError:
            continue
    written = "\n\n".join(stamped(text, id=f"id{at:02}", date=DATE) for at, text in enumerate(kept))
    found = read(written + "\n").observations
    assert [(one.text, one.id) for one in found] == [(text, f"id{at:02}") for at, text in enumerate(kept)]
