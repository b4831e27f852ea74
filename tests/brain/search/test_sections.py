"""How files are taken apart into the notes that are searched."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.archive.placing import sealed
from brain.search.sections import LONGEST, date_of_name, sections
from brain.search.values import Section
from jobs.publishing import sealed as sealed_report


def _sections(text: str, path: str = "/p/notes.md", kind: str = "note") -> list[Section]:
    return sections(text.encode(), kind, path)


def _titles(text: str, path: str = "/p/notes.md") -> list[str]:
    return [section.title for section in _sections(text, path)]


def test_markdown_is_split_at_every_level_with_the_headings_above() -> None:
    text = "".join(f"{'#' * level} h{level}\ntext {level}\n" for level in range(1, 7)) + "## other\nend\n"

    assert [(one.title, one.line, one.line_end, one.body) for one in _sections(text)] == [
        *(
            (" > ".join(f"h{one}" for one in range(1, level + 1)), 2 * level - 1, 2 * level, f"text {level}")
            for level in range(1, 7)
        ),
        ("h1 > other", 13, 14, "end"),
    ]


def test_underlined_headings_count_and_rules_and_lists_do_not() -> None:
    text = "Top\n===\nintro\n\nPart\n---\nbody\n\n- item\n---\nafter\n\n| a |\n|---|\n"

    assert _titles(text) == ["Top", "Top > Part"]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n# no heading\n```",
        "~~~sh\n## no\n~~~",
        "<!--\n# no heading\n-->",
        "<pre>\n# no\n</pre>",
        "    # code",
        "#hashtag",
    ],
)
def test_what_only_looks_like_a_heading_is_none(hidden: str) -> None:
    assert _titles(f"# One\n\nfoo\n\n{hidden}\n\nbar\n") == ["One"]


def test_comments_are_not_searched() -> None:
    (section,) = _sections("# One\ntext <!-- secret --> more\n<!-- several\nlines -->\nend\n")

    assert section.body == "text more\n\n\nend"


def test_what_stands_above_the_first_heading_is_a_note_and_front_matter_is_none() -> None:
    first, second = _sections("---\ntitle: The file\ndate: 2026-03-04\n---\nabove\n\n# One\nbelow\n")

    assert (first.title, first.body, first.line, first.date) == ("The file", "above", 5, "2026-03-04")
    assert (second.title, second.line, second.date) == ("One", 7, "2026-03-04")


def test_a_file_without_headings_is_found_by_its_name_unless_that_is_a_day() -> None:
    assert _titles("text\n", "/p/deploy-steps.md") == ["deploy steps"]
    assert _titles("text\n", "/p/2026-05-01-slug.md") == [""]


def test_a_heading_over_nothing_is_a_note_only_where_it_says_something() -> None:
    text = "# Decisions\n\n## Group\n\n### Use SQLite\n\n### Use WAL\nyes\n\n## [ARCHIVED]\n"

    assert _titles(text) == ["Decisions > Group > Use SQLite", "Decisions > Group > Use WAL"]


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-05-01.md", "2026-05-01"),
        ("sub/2026-05-01-slug.md", "2026-05-01"),
        ("handoff-2026-05-01-1530.md", "2026-05-01"),
        ("2026-13-01.md", ""),
        ("12026-05-01.md", ""),
        ("MEMORY.md", ""),
        ("2026-05-01/notes.md", ""),
    ],
)
def test_the_day_of_a_name_is_found_wherever_it_stands(name: str, day: str) -> None:
    assert date_of_name(f"/p/memory/{name}") == day


def test_the_date_of_an_entry_goes_before_that_of_the_file_and_holds_below_it() -> None:
    dates = [
        one.date
        for one in _sections(
            "above\n\n## 2026-01-02 — One\na\n\n### Part\nb\n\n## Two\nc\n", "/p/2026-05-01.md"
        )
    ]

    assert dates == ["2026-05-01", "2026-01-02", "2026-01-02", "2026-05-01"]


def test_what_was_superseded_or_archived_says_so_and_so_does_all_below() -> None:
    text = (
        "# Decisions\n\n### One\nyes\n- **Status**: superseded by Two\n\n"
        "### Two\nok\n- **Status**: active\n\n"
        "## [ARCHIVED] Three\nold\n\n### Part\nof it\n"
    )

    assert [one.status for one in _sections(text)] == ["superseded", "active", "archived", "archived"]


def test_a_record_of_its_own_file_has_the_status_that_its_section_tells() -> None:
    text = "# ADR 1\n\n## Status\n\nSuperseded by ADR 2\n\n## Context\n\nwhy\n"

    assert {one.status for one in _sections(text)} == {"superseded"}


def test_plain_text_is_cut_between_lines_without_overlap() -> None:
    parts = _sections("\n".join("x" * 99 for _ in range(100)), "/p/2026-01-01.md")

    assert [(one.line, one.line_end, len(one.body)) for one in parts] == [
        *((first, first + 15, 1599) for first in range(1, 97, 16)),
        (97, 100, 399),
    ]


def test_a_line_of_5000_characters_makes_no_note_above_the_limit() -> None:
    parts = _sections("y" * 5000)

    assert [len(one.body) for one in parts] == [1600, 1600, 1600, 200]
    assert {(one.line, one.line_end) for one in parts} == {(1, 1)}


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraph = "word " * 120
    parts = _sections("# T\n" + "\n\n".join([paragraph] * 5))

    assert [one.body.count("\n\n") for one in parts] == [1, 1, 0]
    assert [one.title for one in parts] == ["T"] * 3


def test_a_line_of_a_journal_is_one_note_with_its_id() -> None:
    journal = (
        '{"ts":"2026-05-01T10:00:00.000Z","agent":"forge","task":"login","outcome":"success","signals":{},'
        '"id":"abc123"}\nno json\n{"agent":"x","task":"second"}\n'
    )
    first, second = _sections(journal, "/p/journal.ndjson", "journal")

    assert (first.body, first.line, first.date) == ("forge login success {}", 1, "2026-05-01")
    assert (first.event, second.event, second.line, second.date) == ("abc123", "line 3", 3, "")


def test_an_observation_that_was_kept_is_one_note_with_its_id_and_day() -> None:
    text = (
        "---\ntitle: Preferences\n---\n# Preferences\n\n- Likes tabs <!-- zecher: 2026-11-30 k3f9 -->\n\n"
        "## [ARCHIVED]\n\n- Likes blanks <!-- zecher: 2026-11-01 p2m4, archived 2026-11-30 -->\n"
    )
    first, second = _sections(text, "/p/.agents/memory/notes/preferences.md", "remembered")

    assert (first.title, first.body, first.line, first.date, first.event, first.status) == (
        *("Preferences", "- Likes tabs", 6, "2026-11-30", "k3f9", "active"),
    )
    assert (second.event, second.status) == ("p2m4", "archived")


def test_what_is_muted_is_found_or_it_would_be_written_again() -> None:
    assert len(_sections("---\nmuted: true\n---\ntext\n")) == 1


def test_generated_blocks_are_left_out_and_a_mark_alone_hides_nothing() -> None:
    block = "<!-- zecher:status begin -->\n# Generated\nnumbers\n<!-- zecher:status end -->\n"

    assert [one.body.strip() for one in _sections(f"above\n\n{block}\nbelow\n")] == [
        "above\n\n\n\n\n\n\nbelow"
    ]
    assert _titles("<!-- zecher:status begin -->\n# Mine\ntext\n") == ["Mine"]


def test_reports_and_exports_are_no_memory() -> None:
    assert sections(sealed_report("# Weekly report\n\ntext\n"), "note", "/p/x.md") == []
    assert _sections(sealed(["Exported: today", "more"], "## Part\n\ntext\n")) == []


@given(st.binary(max_size=400), st.sampled_from(["note", "journal", "remembered"]))
def test_no_bytes_make_it_fail_and_no_note_is_too_long(data: bytes, kind: str) -> None:
    for section in sections(data, kind, "/p/a.md"):
        assert len(section.body) <= LONGEST
        assert 1 <= section.line <= section.line_end


_LINES = st.sampled_from(
    ["# a", "## b", "===", "---", "", "text", "```", "<!-- zecher: 2026-01-01 abcd -->", "<!--", "-->",
     "\ttab",
     "- x", "> q", "\u2028", "\r", "x" * 900, "title: y", "<!-- zecher:x begin -->", "<!-- zecher:x end -->"]
)  # fmt: skip


@given(st.lists(_LINES, max_size=14), st.sampled_from(["note", "remembered"]))
def test_every_word_stands_in_one_note_at_most_and_lines_ascend(lines: list[str], kind: str) -> None:
    numbered = [f"{line} w{number}w" if line == "text" else line for number, line in enumerate(lines)]
    found = sections("\n".join(numbered).encode(), kind, "/p/a.md")

    for number, line in enumerate(lines):
        if line == "text":
            assert sum(f"w{number}w" in f"{one.title} {one.body}".split(" > ")[-1] for one in found) <= 1
    assert [one.line for one in found] == sorted(one.line for one in found)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_by_its_mark(encoding: str) -> None:
    (found,) = sections("\ufeff# Größe\n\nText.\n".encode(encoding), "note", "/p/notes.md")
    assert (found.title, found.body) == ("Größe", "Text.")


@pytest.mark.parametrize(
    "text",
    [
        "aaaa\n" * 4 + "---\n" * 100_000,
        "a <!--" * 100_000,
        "<!-- b -->" + "\t" * 200_000 + "c\n" + "<!--" * 50_000 + "-->" * 50_000,
        "# " + "word " * 50_000 + "\n" + "## a\nx\n" * 20_000,
        "---\ntitle: " + "word " * 50_000 + "\n---\n" + "a <!-- zecher: 2026-01-01 abcd -->\n\n" * 5000,
    ],
    ids=["rules", "comments that never end", "tabs", "a title as long as a book", "front matter as long"],
)
@pytest.mark.parametrize("kind", ["note", "remembered"])
def test_a_hostile_file_is_taken_apart_in_time_and_grows_little(text: str, kind: str) -> None:
    """Each took minutes to hours, or memory many times its size."""
    start = time.process_time()
    notes = _sections(text, kind=kind)
    assert time.process_time() - start < 15
    assert sum(len(one.title) + len(one.body) for one in notes) < 20_000_000


def test_what_is_too_long_for_a_heading_is_found_in_its_own_note_and_in_no_other() -> None:
    above, below = _sections("# " + "long " * 100 + "walrus\n\n## Part\n\ntext\n")
    assert "walrus" in above.body
    assert "walrus" not in below.title + below.body
    assert below.title.endswith(" > Part")
