"""Pages are read by the rules that real Markdown files taught."""

# ruff: noqa: RUF001 - texts keep the signs of their languages

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.health.page import READ_CAP, ROWS_CAP, Page

SECONDS = 20.0  # of the processor, where one is usual; what is not linear takes many minutes


def page(text: str | bytes) -> Page:
    return Page("PROGRESS.md", text if isinstance(text, bytes) else text.encode())


def fields(text: str | bytes) -> list[tuple[str, str | None]]:
    return [(one.text, one.field) for one in page(text).headings]


def labels(text: str) -> list[tuple[str, str]]:
    return [(one.text, one.value) for one in page(text).labels]


# 1: bytes.


def test_a_byte_order_mark_is_no_text() -> None:
    assert fields(b"\xef\xbb\xbf# Title\n") == [("Title", None)]


def test_lines_may_end_with_cr_lf() -> None:
    read = page("# Title\r\n\r\n## Goal\r\nPaging\r\n")

    assert read.lines[1:] == ["# Title", "", "## Goal", "Paging"]
    assert read.sections("goal")[0].text == "Paging"


def test_a_lone_cr_is_content() -> None:
    assert len(page("one\rtwo\nthree\n")) == 2


def test_bytes_that_are_no_utf_8_are_replaced_and_told() -> None:
    read = page(b"# Title\n\n## Goal\nna\xefve\n")

    assert read.sections("goal")[0].text == "na\ufffdve"
    assert [(one.code, one.line) for one in read.problems] == [("encoding", 4)]


def test_utf_16_is_told_and_not_read() -> None:
    read = page("# Title\n".encode("utf-16"))

    assert read.headings == ()
    assert [one.code for one in read.problems] == ["encoding"]


def test_a_nul_byte_is_a_character_like_others() -> None:
    assert page(b"## Goal\na\0b\n").sections("goal")[0].text == "a\0b"


def test_no_bytes_are_a_page_without_lines() -> None:
    read = page(b"")

    assert len(read) == 0
    assert [*read.headings, *read.labels, *read.tables, *read.items] == []


# 2: front matter.


def test_front_matter_is_skipped_at_the_first_line_only() -> None:
    assert fields("---\nstatus: x\n---\n# Title\n") == [("Title", None)]
    assert fields("\n---\nnext: x\n---\n# Title\n")[-1] == ("Title", None)


def test_front_matter_that_closes_too_late_is_none() -> None:
    read = page("---\na: b\n" + "c: d\n" * 250 + "---\n# Title\n")

    assert read.front_matter is None


def test_front_matter_that_is_no_yaml_is_a_problem() -> None:
    read = page('---\na: {b | c}\nd: "e\n---\n# Title\n')

    assert [(one.code, one.line) for one in read.problems] == [("front-matter", 1)]
    assert read.title is not None


# 3 and 4: fences and comments.


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "```markdown"])
def test_headings_and_labels_in_fences_are_none(fence: str) -> None:
    close = fence[:4].rstrip("m")
    assert fields(f"# T\n{fence}\n## Next Step\n- HEAD: 4f2a9c1\n{close}\n## Goal\nx\n") == [
        ("T", None),
        ("Goal", "goal"),
    ]
    assert labels(f"{fence}\n- HEAD: 4f2a9c1\n{close}\n") == []


def test_a_fence_closes_only_with_as_many_signs() -> None:
    assert fields("````\n```\n## Goal\n````\n## Next\n") == [("Next", "next")]


def test_a_heading_after_a_comment_on_its_line_counts() -> None:
    assert fields("<!-- optional --> ## Goal\nx\n") == [("Goal", "goal")]
    assert fields("## Goal <!-- optional -->\nx\n") == [("Goal", "goal")]


def test_text_in_comments_counts_nowhere() -> None:
    assert fields("<!--\n## Goal\n-->\n") == []
    assert labels("text <!-- HEAD: 4f2a9c1 --> more\n") == []
    assert page("## Goal\n<!-- fill in -->\n").sections("goal")[0].lines == ()


def test_a_comment_inside_of_a_paragraph_may_go_on_for_lines() -> None:
    read = page("## Goal\nbefore <!-- a\nNext: b\n--> after\n")

    assert [text.strip() for _, text in read.sections("goal")[0].lines] == ["before", "after"]


def test_what_never_closes_is_a_problem() -> None:
    assert [(one.code, one.line) for one in page("# T\n\n```\ncode\n").problems] == [("never-closed", 3)]


def test_code_of_a_fence_is_content_of_its_section() -> None:
    assert "make check" in page("## Next\n```\nmake check\n```\n").sections("next")[0].text


# 5 to 8: headings.


def test_headings_may_be_closed_and_indented() -> None:
    assert fields("   ## Goal ##\n") == [("Goal", "goal")]
    assert fields("    ## Goal\n") == []
    assert fields("##Goal\n") == []


def test_underlined_text_is_a_heading() -> None:
    assert fields("Title\n=====\n\nGoal\n----\nx\n") == [("Title", None), ("Goal", "goal")]


@pytest.mark.parametrize("above", ["- item", "| a | b |", "> quote", "one\ntwo", "# Title", ""])
def test_a_rule_below_anything_else_makes_no_heading(above: str) -> None:
    assert [one.level for one in page(f"{above}\n---\n").headings if one.level == 2] == []


def test_the_title_is_no_field_and_a_second_one_may_be() -> None:
    assert fields("# Stand — x\n\n# Stand\n") == [("Stand — x", None), ("Stand", "state")]


def test_titles_that_divide_the_whole_file_are_fields() -> None:
    assert fields("# Goal\nx\n# State\ny\n# Next Step\nz\n")[0] == ("Goal", "goal")


def test_a_sub_heading_without_a_field_keeps_that_of_its_parent() -> None:
    read = page("## Next Steps\n### IMMEDIATE\n- a\n### LATER\n- b\n## Other\n- c\n")

    assert read.sections("next")[0].text == "- a\n- b"
    assert read.field_at(5) == "next"
    assert read.field_at(7) is None


def test_a_sub_heading_with_a_field_is_its_own() -> None:
    read = page("## State\nfine\n### Blockers\nnone\n")

    assert read.sections("state")[0].text == "fine"
    assert read.sections("blockers")[0].text == "none"


def test_headings_twice_are_kept_both() -> None:
    assert [one.heading.line for one in page("## State\na\n## State\nb\n").sections("state")] == [1, 3]


# 10: tables.


def test_header_cells_are_labels_of_their_columns() -> None:
    (table,) = page("| Step | Status | Notes |\n|---|:-:|---|\n| a | done | x \\| y |\n").tables

    assert table.fields == (None, "state", None)
    assert table.rows == ((3, ("a", "done", "x | y")),)


def test_a_row_of_two_cells_is_a_label() -> None:
    assert labels("| Field | Value |\n|---|---|\n| HEAD | 4f2a9c1 |\n") == [("HEAD", "4f2a9c1")]


def test_no_more_than_five_thousand_rows_are_read() -> None:
    read = page("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * (ROWS_CAP + 10))

    assert len(read.tables[0].rows) == ROWS_CAP


# 11: comparing.


@pytest.mark.parametrize(
    "heading",
    [
        "🚀 Next Steps (In Priority Order)",
        "Nächster Schritt (Phase 3)",
        unicodedata.normalize("NFD", "Nächster Schritt"),
        "Naechster Schritt",
        "Nachster Schritt",
        "NÄCHSTE SCHRITTE",
        "**Next Step**",
        "`Next`",
        "3. Next steps:",
        "Next Steps / Plan",
        "➡️ Next",
        "Next steps – today",
        "Next up",
        "What to work on next",
        "次のステップ",
        "Sıradaki adım",
        "Prochaine étape",
        "Prochaines étapes :",
        "Immediate next steps",
        "Next steps for the search",
    ],
)
def test_headings_for_the_next_step(heading: str) -> None:
    assert fields(f"## {heading}\n")[0][1] == "next"


@pytest.mark.parametrize(
    "heading",
    [
        "State machine",
        "Nextcloud",
        "Goalkeeper",
        "Test strategy",
        "Statement",
        "Doner",
        "Next.js",
        "Status codes",
    ],
)
def test_headings_that_only_begin_like_a_field_are_none(heading: str) -> None:
    assert fields(f"## {heading}\n")[0][1] is None


# 12: labels.


@pytest.mark.parametrize(
    "line",
    [
        "- HEAD: abc",
        "* HEAD: abc",
        "1. HEAD: abc",
        "**HEAD:** abc",
        "**HEAD**: abc",
        "**HEAD.** abc",
        "HEAD: abc",
        "> **HEAD:** abc",
        "- **HEAD**: abc",
        "- [x] **HEAD:** abc",
        "__HEAD:__ abc",
        "- ✅ **HEAD:** abc",
        "HEAD： abc",
        "_HEAD:_ abc",
        "**HEAD** — abc",
        "| HEAD | abc |",
        "  - HEAD: abc",
    ],
)
def test_labels_in_all_of_their_forms(line: str) -> None:
    (label,) = page(f"{line}\n").labels

    assert (label.field, label.value) == ("head", "abc")


def test_several_labels_may_share_a_line() -> None:
    assert labels("**Status:** Complete | **Commit:** abc\n") == [("Status", "Complete"), ("Commit", "abc")]
    assert labels("- Branch: main | Commit: abc\n") == [("Branch", "main"), ("Commit", "abc")]


def test_addresses_and_times_are_no_labels() -> None:
    assert labels("https://example.com/a: b\nat 10:30 today\n`a: b`\n") == []


def test_a_value_goes_on_in_wrapped_lines() -> None:
    (label,) = page("- Verworfen: eine Sicht,\n  die zu langsam war.\n- other\n").labels

    assert label.value == "eine Sicht,\ndie zu langsam war."
    assert (label.line, label.end) == (1, 2)


def test_a_label_may_announce_a_list() -> None:
    (label,) = page("**Next steps:**\n\n- a\n- b\n\nOther text.\n").labels

    assert (label.value, label.value_line) == ("- a\n- b", 3)


def test_the_next_label_ends_a_value() -> None:
    assert labels("Goal: a\nState: b\n") == [("Goal", "a"), ("State", "b")]
    assert labels("- Goal: a\n- State: b\n  c\n")[1] == ("State", "b\nc")


def test_list_items_have_indent_and_box() -> None:
    assert [
        (one.line, one.indent, one.text, one.checked)
        for one in page("- a\n  1. [x] b\n\t- [ ] c\n---\n").items
    ] == [
        (1, 0, "a", None),
        (2, 2, "b", True),
        (3, 4, "c", False),
    ]


# 14 and beyond: hostile pages take linear time.


def everything(read: Page) -> None:
    assert read.headings is not None
    assert read.labels is not None
    assert read.tables is not None
    assert read.items is not None
    assert read.problems is not None
    for field in ("goal", "state", "next"):
        read.sections(field)
        read.labelled(field)


MIB = 1024 * 1024


@pytest.mark.parametrize(
    "data",
    [
        b"x" * MIB,
        b"#" * MIB,
        b"# " + b" " * MIB,
        b"# a" + b" #" * (MIB // 2),
        b"**" * (MIB // 2),
        b"__" * (MIB // 2),
        b"> " * (MIB // 2),
        b"- " * (MIB // 2),
        b"|" * MIB,
        b"| " * (MIB // 2) + b"\n" + b"|-" * (MIB // 2),
        b"`" * MIB,
        b"[" * MIB,
        b"a: " * (MIB // 3),
        b":" * MIB,
        b"<!--" * (MIB // 4),
        b"--> <!-- " * (MIB // 9),
        b"```\n" * (MIB // 4),
        b"- a\n" * (MIB // 4),
        b"Next:\n" * (MIB // 6),
        b"## Next\n" * (MIB // 8),
        b"---\n" * (MIB // 4),
        b"a\n---\n" * (MIB // 6),
        b"**a** | " * (MIB // 8),
        b"Goal: a | " * (MIB // 10),
        b"\0" * MIB,
        b"\xff" * MIB,
        b"\r" * MIB,
        b"\n" * MIB,
        b"> " * 200 + b"x\n" + b">" * 100_000,
        (b"#" * 6 + b" next\n" + b"- " * 3 + b"state: x\n") * 40_000,
        "🚀".encode() * (MIB // 4),
        b"1. " * (MIB // 3),
        b"\\|" * (MIB // 2),
        b"Goal:\n" + b"  wrapped line\n" * 60_000,
        b"| a \\| b | " * 80_000,
        "ä̈".encode() * (MIB // 5),
        b"_a" * (MIB // 2),
        b"===\n" * (MIB // 4),
    ],
)
def test_a_hostile_page_takes_linear_time(data: bytes) -> None:
    began = time.process_time()

    everything(page(data))

    assert time.process_time() - began < SECONDS


def test_more_than_a_mebibyte_is_cut_at_a_line_and_told() -> None:
    read = page(b"line of text\n" * (READ_CAP // 10))

    assert len(read) <= READ_CAP // 13 + 1
    assert [one.code for one in read.problems] == ["too-large"]


def test_reading_a_usual_page_costs_little() -> None:
    text = (
        "# T\n\n## Goal\nSearch\n\n## State\n- HEAD: 4f2a9c1\n"
        + "- some text of the usual length about a thing\n" * 90
    ).encode()
    everything(page(text))
    began = time.process_time()
    for _ in range(100):
        read = page(text)
        assert read.labels
        assert read.sections("goal")

    assert (time.process_time() - began) / 100 < 0.003  # about 0.15 ms where nothing else runs


@given(st.binary(max_size=300))
def test_no_bytes_are_refused(data: bytes) -> None:
    everything(page(data))


@given(
    st.lists(
        st.sampled_from(
            [
                "# A",
                "## Goal",
                "x",
                "",
                "- HEAD: b",
                "```",
                "<!--",
                "-->",
                "| a | b |",
                "|---|---|",
                "---",
                "===",
                "> **Next:** c",
                "---\na: b\n---",
            ]
        ),
        max_size=30,
    )
)
def test_each_line_keeps_its_number(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    read = page(text)

    assert read.lines[1:] == [*text.split("\n")][: len(read)]
    assert len(read.visible) == len(read.lines)
    for one in read.headings:
        assert read.is_live(one.line) or "-->" in read.lines[one.line]
    for label in read.labels:
        assert label.line <= label.value_line <= max(label.end, label.line)
