"""What holds for every document: places are true, edits stay inside them, and CommonMark agrees."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from brain.entries.add import new_entry, plan_add
from brain.entries.document import Document
from brain.entries.edit import replace_span, replace_value
from brain.entries.errors import EntryError
from brain.entries.reader import KINDS, read_entries

DAY = "2026-11-30"
LINES = [
    "",
    "  ",
    "text",
    "### 2026-03-14 — a",
    "### 2026-03-14 — [ARCHIVED] b",
    "### c",
    "###\tc",
    "###d",
    " ### e",
    "    ### f",
    "#### Context",
    "## g",
    "# h",
    "- **Context**: i",
    "- **Status**: active",
    "* **Statut** : annulé",
    "**Begründung:** j",
    "  continued ä",
    "      deeper",
    "- item",
    "1. item",
    "10) item",
    "- - item",
    "-",
    "```",
    "````",
    "  ```",
    "    ```",
    "``` md",
    "~~~",
    "- ```",
    "  - ~~~",
    "> ```",
    "> ### k",
    "<!--",
    "-->",
    "<!-- l -->",
    " <!-- m",
    "text <!-- n",
    "<pre>",
    "</pre> o",
    "---",
    "***",
    "\\### p",
    "\ufeff",
    "e\u0301\u2028### q",
]
NEWLINES = ["\n", "\r\n", "\r"]
documents = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(NEWLINES)), max_size=30).map(
    lambda lines: "".join(text + end for text, end in lines)
)
damaged = st.tuples(documents, st.integers(0, 400), st.binary(max_size=4)).map(
    lambda parts: parts[0].encode()[: parts[1]] + parts[2] + parts[0].encode()[parts[1] :]
)
headed = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf", b"---\ntitle: a\n---\n", b"---\r\na: [\r\n---\r\n"]), damaged
)
contents = headed.map(b"".join)


def spans_of(document: Document) -> list[tuple[int, int]]:
    found = [entry.span for entry in document.entries]
    for entry in document.entries:
        found += [field.span for field in entry.fields]
        found += [field.value_span for field in entry.fields]
    return found


@settings(deadline=None, max_examples=200)
@given(contents, st.sampled_from(KINDS))
def test_places_lie_in_order_inside_each_other_and_on_their_text(data: bytes, kind: str) -> None:
    end = 0
    for entry in read_entries(data, kind).entries:
        start, stop = entry.span
        assert end <= start < stop <= len(data)
        assert data.startswith(b"#" * entry.level, start)
        assert entry.line == len(re.findall(rb"\r\n?|\n", data[:start])) + 1
        end = stop
        inner = start
        for field in entry.fields:
            assert (
                inner <= field.span[0] <= field.value_span[0] <= field.value_span[1] == field.span[1] <= stop
            )
            assert field.line == len(re.findall(rb"\r\n?|\n", data[: field.span[0]])) + 1
            value = data[slice(*field.value_span)].decode("utf-8", "replace")
            assert field.value.split() == value.split()
            inner = field.span[1]


@settings(deadline=None, max_examples=200)
@given(contents, st.binary(max_size=20), st.data())
def test_an_edit_changes_its_span_and_nothing_else(data: bytes, new: bytes, draw: st.DataObject) -> None:
    spans = spans_of(read_entries(data, "decisions"))
    if not spans:
        return
    start, end = draw.draw(st.sampled_from(spans))
    edited = replace_span(data, (start, end), new)
    assert (edited[:start], edited[start : start + len(new)], edited[start + len(new) :]) == (
        data[:start],
        new,
        data[end:],
    )


@settings(deadline=None, max_examples=200)
@given(documents)
def test_a_replaced_status_is_read_back_and_the_other_entries_stay(text: str) -> None:
    data = text.encode()
    before = read_entries(data, "decisions").entries
    for index, entry in enumerate(before):
        field = next((one for one in entry.fields if one.name == "status"), None)
        if field is None:
            continue
        after = read_entries(replace_value(data, field, b"superseded"), "decisions").entries
        assert [one.heading for one in after] == [one.heading for one in before]
        assert next(one for one in after[index].fields if one.name == "status").value == "superseded"
        assert [one.fields for one in after[:index]] == [one.fields for one in before[:index]]


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200), st.sampled_from(KINDS))
def test_no_content_makes_the_reader_fail(data: bytes, kind: str) -> None:
    assert read_entries(data, kind).size == len(data)


def commonmark_headings(text: str) -> list[int]:
    """Lines of the level 3 headings at the left margin, outside lists and quotes, with a blank behind."""
    lines = re.split(r"\r\n?|\n", text)
    return [
        token.map[0] + 1
        for token in MarkdownIt("commonmark").parse(text)
        if token.type == "heading_open"
        and token.level == 0
        and token.map
        and re.match(r"###[ \t]", lines[token.map[0]])
    ]


@settings(deadline=None, max_examples=600)
@given(documents)
def test_the_entries_are_the_headings_that_commonmark_sees(text: str) -> None:
    # A line before keeps the text from beginning with front matter or a byte order mark.
    text = "text\n\n" + text
    assert [entry.line for entry in read_entries(text.encode(), "decisions").entries] == commonmark_headings(
        text
    )


texts = st.lists(
    st.one_of(
        st.sampled_from([*LINES, "\n", "\x0b", "\x1c", "\x85", "\u2029", "\x1b[2J", "\u202e"]),
        st.text(max_size=8),
    ),
    max_size=8,
).map("\n".join)


@settings(deadline=None, max_examples=400)
@given(texts, texts, texts, st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_values_say_an_entry_is_one_entry(
    title: str, one: str, other: str, newline: str
) -> None:
    values = {"context": one, "decision": other}
    try:
        data = new_entry("decisions", f"t {title}"[:150], values, DAY, newline=newline.encode())
    except EntryError:
        return
    text = data.decode()
    (entry,) = read_entries(data, "decisions").entries
    names = [name for name in ("context", "decision") if values[name].strip()]
    assert [field.name for field in entry.fields] == [*names, "status"]
    assert (entry.date, entry.status, entry.archived, entry.span) == (DAY, "active", False, (0, len(data)))
    assert text.count(newline) == len(re.findall("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)) / len(
        newline
    )
    tokens = MarkdownIt("commonmark").parse(text)
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3"]
    assert not {token.type for token in tokens} & {
        "fence",
        "code_block",
        "hr",
        "html_block",
        "blockquote_open",
    }


@settings(deadline=None, max_examples=150)
@given(contents, texts, st.sampled_from(["decisions", "lessons", "patterns"]))
def test_adding_only_inserts(data: bytes, value: str, kind: str) -> None:
    before = read_entries(data, kind)
    try:
        new = plan_add(data, kind, "the new one", {"context": value}, DAY)
    except EntryError:
        assert not before.readable or any(one.code.endswith("-open") for one in before.problems)
        return
    after = read_entries(new, kind)
    at = next(index for index, entry in enumerate(after.entries) if entry.title == "the new one")
    rest = [entry for index, entry in enumerate(after.entries) if index != at]
    assert [(one.heading, one.status, one.archived) for one in rest] == [
        (one.heading, one.status, one.archived) for one in before.entries
    ]
    start, end = after.entries[at].span
    assert any(
        data == new[: start - lead] + new[end + trail :]
        for lead in range(min(start, 4) + 1)
        for trail in range(3)
    )


@pytest.mark.parametrize("text", ["- ```\n### a\n", "<!-- a\n-->\n### b\n", "~~~\n```\n~~~\n### c\n"])
def test_the_oracle_sees_headings_at_all(text: str) -> None:
    assert len(commonmark_headings(text)) == 1
