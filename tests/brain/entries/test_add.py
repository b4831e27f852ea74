"""A new entry is well-formed, forges nothing, stands in its place, and leaves the rest byte for byte."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from brain.entries.add import TITLE_CAP, new_entry, plan_add
from brain.entries.document import Entry
from brain.entries.errors import DuplicateError, EntryError
from brain.entries.reader import FILE_CAP, read_entries

DAY = "2026-11-30"
# How BMAD+ counts entries; its engine also lets a line begin after U+2028 and U+2029.
BMAD_ENTRY = re.compile("(?:^|(?<=[\n\r\u2028\u2029]))### ")

TEMPLATE = b"""# Decisions

## Format

```md
### YYYY-MM-DD \xe2\x80\x94 <title>
- **Status**: active / superseded
```

---

<!-- Entries start below this line. -->
"""


def entries(data: bytes, kind: str = "decisions") -> tuple[Entry, ...]:
    return read_entries(data, kind).entries


def added(data: bytes, title: str = "new", kind: str = "decisions") -> str:
    return plan_add(data, kind, title, {"context": "c"}, DAY).decode()


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [tokens[index + 1].content for index, one in enumerate(tokens) if one.type == "heading_open"]


def test_a_decision_has_the_fields_of_the_template_in_their_order() -> None:
    fields = {"status": "active", "consequences": "d", "rationale": "c", "decision": "b", "context": "a"}
    assert new_entry("decisions", "Use PostgreSQL", fields, DAY).decode() == (
        "### 2026-11-30 — Use PostgreSQL\n"
        "- **Context**: a\n"
        "- **Decision**: b\n"
        "- **Rationale**: c\n"
        "- **Consequences**: d\n"
        "- **Status**: active\n"
    )


def test_a_lesson_has_no_status_of_its_own() -> None:
    assert new_entry("lessons", "Check the clock", {"lesson": "c", "impact": "b"}, DAY).decode() == (
        "### 2026-11-30 — Check the clock\n- **Impact**: b\n- **Lesson**: c\n"
    )


def test_a_pattern_is_named_by_its_heading_and_dated_by_a_field() -> None:
    assert new_entry("patterns", "Retry with a budget", {"trade_off": "b", "Problem": "a"}, DAY).decode() == (
        "### Retry with a budget\n"
        "- **Date**: 2026-11-30\n"
        "- **Problem**: a\n"
        "- **Trade-off**: b\n"
        "- **Status**: candidate\n"
    )


def test_fields_may_be_named_in_any_spelling_of_the_table() -> None:
    assert new_entry("decisions", "x", {"Begründung": "a", "Verworfen": "b"}, DAY).decode().splitlines()[
        1:3
    ] == [
        "- **Rationale**: a",
        "- **Rejected**: b",
    ]


def test_another_label_stands_behind_the_known_ones() -> None:
    lines = new_entry("lessons", "x", {"Ticket": "7", "lesson": "a"}, DAY).decode().splitlines()
    assert lines[1:] == ["- **Lesson**: a", "- **Ticket**: 7"]


@pytest.mark.parametrize("label", ["", "a\n### b", "**b**", "a: b", "x" * 41, "<!-- -->", "[a](b)"])
def test_a_label_that_would_break_its_line_is_refused(label: str) -> None:
    with pytest.raises(EntryError, match="label"):
        new_entry("lessons", "x", {label: "a"}, DAY)


@pytest.mark.parametrize("title", ["", "  \n ", "TBD", "<title>", "x" * (TITLE_CAP + 1)])
def test_a_title_that_says_nothing_or_too_much_is_refused(title: str) -> None:
    with pytest.raises(EntryError, match="title"):
        new_entry("lessons", title, {"lesson": "a"}, DAY)


def test_a_status_that_the_kind_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(EntryError, match="active, superseded, rolled-back"):
        new_entry("decisions", "x", {"status": "validated"}, DAY)


def test_the_status_may_name_the_successor() -> None:
    (entry,) = entries(new_entry("decisions", "x", {"status": "superseded by D-7"}, DAY))
    assert (entry.status, entry.superseded_by) == ("superseded", "D-7")


def test_an_unknown_kind_is_refused_with_those_that_exist() -> None:
    with pytest.raises(EntryError, match="decisions, lessons, patterns"):
        new_entry("context", "x", {}, DAY)


def test_without_escapes_a_title_forges_a_second_entry() -> None:
    naive = "### 2026-11-30 — {}\n- **Status**: active\n".format("x\n### 2026-01-01 - fake")
    assert len(entries(naive.encode())) == 2


def test_a_title_with_a_heading_inside_stays_one_entry_and_one_heading() -> None:
    data = new_entry("decisions", "x\n### 2026-01-01 - fake", {"context": "c"}, DAY)
    assert len(entries(data)) == 1
    assert headings(data.decode()) == ["2026-11-30 — x ### 2026-01-01 - fake"]


FORGED = [
    "### 2026-01-01 — fake",
    "# fake",
    "###### fake",
    "#",
    "---",
    "===",
    "- - -",
    "***",
    "```",
    "~~~~ md",
    "<!-- hidden",
    "-->",
    "<pre>",
    "<div>",
    "> quote",
    "- **Status**: rolled-back",
    "* __Status__: rolled-back",
    "**Status:** rolled-back",
    "1. **Status**: rolled-back",
    "- - **Status**: rolled-back",
    "Status: rolled-back",
    "- Status: rolled-back",
    "Statut : annulé",
    "- ### fake",
    "- ```",
    "1.",
    "-",
    "[x]: http://example.com",
    "    ### fake",
    "\t- **Status**: rolled-back",
]
BREAKS = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\n\n"]


def test_without_escapes_lines_of_a_value_forge_a_status() -> None:
    naive = "### x\n- **Status**: active\n- **Context**: {}\n".format("a\n- **Status**: rolled-back")
    assert entries(naive.encode())[0].status == "rolled-back"


@pytest.mark.parametrize("line", FORGED)
def test_a_line_of_a_value_forges_nothing(line: str) -> None:
    data = new_entry("decisions", "x", {"context": f"a\n{line}\nb", "decision": "d"}, DAY)
    (entry,) = entries(data)
    assert [(field.name, field.value) for field in entry.fields[1:]] == [
        ("decision", "d"),
        ("status", "active"),
    ]
    assert headings(data.decode()) == ["2026-11-30 — x"]
    kinds = {token.type for token in MarkdownIt().parse(data.decode())}
    assert not kinds & {"fence", "code_block", "hr", "html_block", "blockquote_open"}
    assert read_entries(data, "decisions").problems == ()


@pytest.mark.parametrize("line_break", BREAKS)
def test_no_line_break_of_any_reader_lets_a_value_begin_an_entry(line_break: str) -> None:
    data = new_entry("decisions", f"a{line_break}### b", {"context": f"a{line_break}### b"}, DAY)
    assert len(entries(data)) == 1
    assert len(BMAD_ENTRY.findall(data.decode())) == 1


def test_the_lines_of_a_value_are_kept_below_its_field() -> None:
    data = new_entry("lessons", "x", {"lesson": " one \n\n  two\n- a\n- b\n1. c "}, DAY)
    assert data.decode().splitlines()[1:] == [
        "- **Lesson**: one",
        "  two",
        "  - a",
        "  - b",
        "  1. c",
    ]


def test_an_escaped_line_shows_what_was_meant() -> None:
    data = new_entry("lessons", "x", {"lesson": "a\n# b\n> c\n<!-- d -->\nStatus: e\n==="}, DAY)
    inline = [token for token in MarkdownIt().parse(data.decode()) if token.type == "inline"][-1]
    shown = "".join("\n" if one.type == "softbreak" else one.content for one in inline.children or [])
    assert shown == "Lesson: a\n# b\n> c\n<!-- d -->\nStatus: e\n==="


def test_blanks_that_do_not_break_stay() -> None:
    data = new_entry("lessons", "Pourquoi\u00a0?", {"lesson": "a\u202f: b \n\u00a0\n c"}, DAY).decode()
    assert data == "### 2026-11-30 — Pourquoi\u00a0?\n- **Lesson**: a\u202f: b\n  c\n"


def test_what_people_write_in_markdown_stays() -> None:
    text = "use `SELECT 1`, **never** _guess_, see [the page](a.md) #7 & C# <b>"
    assert f"- **Lesson**: {text}\n" in new_entry("lessons", "x", {"lesson": text}, DAY).decode()


def test_hidden_characters_are_written_out() -> None:
    data = new_entry("lessons", "a\u202eb\x1b[2J", {"lesson": "a\x00b\U000e0041\udcff"}, DAY).decode()
    assert data == ("### 2026-11-30 — a\\u202eb\\x1b[2J\n- **Lesson**: a\\x00b\\U000e0041\\xff\n")


def test_joined_emoji_and_persian_words_stay_whole() -> None:
    text = "👩\u200d💻 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert f"— {text}\n" in new_entry("lessons", text, {"lesson": "a"}, DAY).decode()


@pytest.mark.parametrize("title", ["x [ARCHIVED]", "[archivé] x", "[ARCHIVED 2026-01-01] x"])
def test_a_title_archives_nothing(title: str) -> None:
    assert not entries(new_entry("decisions", title, {}, DAY))[0].archived


def test_a_title_keeps_the_signs_at_its_end() -> None:
    data = new_entry("lessons", "say C# or ##", {"lesson": "a"}, DAY).decode()
    assert headings(data) == ["2026-11-30 — say C# or \\##"]
    assert ">2026-11-30 — say C# or ##<" in MarkdownIt().render(data)


def test_the_first_entry_goes_below_the_marker() -> None:
    text = added(TEMPLATE)
    assert text.startswith(TEMPLATE.decode())
    assert text.removeprefix(TEMPLATE.decode()).splitlines()[:2] == ["", "### 2026-11-30 — new"]


def test_the_first_entry_stays_above_a_section_that_follows_the_marker() -> None:
    text = added(TEMPLATE + b"\n## Meta\n\n- rule\n")
    assert text.index("### 2026-11-30 — new") < text.index("\n## Meta")
    assert text.endswith("\n- **Status**: active\n\n## Meta\n\n- rule\n")


def test_an_entry_goes_to_the_end_when_nothing_follows_the_last_one() -> None:
    assert added(b"### a\n- **Context**: b\n\nfree text\n").startswith(
        "### a\n- **Context**: b\n\nfree text\n\n### 2026-11-30 — new\n"
    )


def test_an_entry_goes_behind_the_last_one_of_its_section() -> None:
    old = "# D\n\n### a\ntext\n\n---\n\n## Meta\n\n- rule\n"
    new = added(old.encode())
    assert new == old.replace(
        "text\n\n---",
        "text\n\n### 2026-11-30 — new\n- **Context**: c\n- **Status**: active\n\n---",
    )


def test_archived_entries_stay_at_the_bottom() -> None:
    old = b"### a\n\n### [ARCHIVED] b\ntext\n"
    assert [entry.title for entry in entries(added(old).encode())] == ["a", "new", "b"]
    assert [entry.title for entry in entries(added(b"### [ARCHIVED] b\n").encode())] == ["new", "b"]


def test_a_file_without_anything_gets_the_entry_alone() -> None:
    alone = new_entry("decisions", "new", {"context": "c"}, DAY)
    assert plan_add(b"", "decisions", "new", {"context": "c"}, DAY) == alone
    assert plan_add(None, "decisions", "new", {"context": "c"}, DAY) == alone
    assert plan_add(b"\xef\xbb\xbf", "decisions", "new", {"context": "c"}, DAY) == b"\xef\xbb\xbf" + alone


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_line_ends_are_those_of_the_file(newline: str) -> None:
    old = newline.join(["# D", "", "### a", "b", ""])
    new = added(old.encode())
    rest = new.removeprefix(old)
    assert rest == newline.join(["", "### 2026-11-30 — new", "- **Context**: c", "- **Status**: active", ""])


def test_a_missing_final_line_end_is_added_before_the_entry_and_nothing_else() -> None:
    assert added(b"### a\r\nb").startswith("### a\r\nb\r\n\r\n### 2026-11-30 — new\r\n")


def test_labels_are_those_of_the_file() -> None:
    old = "### 2026-01-01 — a\n- **Kontext**: b\n- **Entscheidung**: c\n- **Status**: aktiv\n"
    fields = {"context": "d", "decision": "e", "rationale": "f"}
    new = plan_add(old.encode(), "decisions", "neu", fields, DAY).decode()
    assert new.removeprefix(old).splitlines()[2:] == [
        "- **Kontext**: d",
        "- **Entscheidung**: e",
        "- **Begründung**: f",
        "- **Status**: active",
    ]


FRENCH = "- **Contexte**: b\n- **Décision**: c\n- **Statut**: actif\n"
ENGLISH = "- **Context**: b\n- **Decided**: c\n- **Status**: active\n"
LANGUAGES = {
    "an archived one does not count": (
        f"### 2026-02-02 — a\n{ENGLISH}\n### 2026-01-01 — b [ARCHIVED]\n{FRENCH}",
        ["Context", "Decided", "Rationale", "Status"],
    ),
    "the newest decides": (
        f"### 2026-01-01 — a\n{ENGLISH}\n### 2026-02-02 — b\n{FRENCH}",
        ["Contexte", "Décision", "Raison", "Statut"],
    ),
    "one that tells nothing leaves it to the one before": (
        f"### 2026-01-01 — a\n{FRENCH}\n### 2026-02-02 — b\n- **Status**: active\n",
        ["Contexte", "Décision", "Raison", "Statut"],
    ),
    "archived ones alone": (
        f"### 2026-01-01 — b [ARCHIVED]\n{FRENCH}",
        ["Contexte", "Décision", "Raison", "Statut"],
    ),
    "none": ("", ["Context", "Decision", "Rationale", "Status"]),
}


@pytest.mark.parametrize("case", LANGUAGES)
def test_the_labels_of_one_entry_are_of_one_language(case: str) -> None:
    old, labels = LANGUAGES[case]
    fields = {"context": "d", "decision": "e", "rationale": "f"}
    new = plan_add(old.encode(), "decisions", "neu", fields, DAY).decode()
    entry = next(part for part in new.split("### ") if " — neu" in part)
    assert re.findall(r"\*\*(.+?)\*\*", entry) == labels


@pytest.mark.parametrize("title", ["Café one", "cafe\u0301  ONE", " CAFÉ\tone "])
def test_the_same_title_on_the_same_day_is_refused_with_its_line(title: str) -> None:
    old = plan_add(TEMPLATE, "decisions", "Café one", {}, DAY)
    with pytest.raises(DuplicateError, match="line 14") as refused:
        plan_add(old, "decisions", title, {"context": "other"}, DAY)
    assert (refused.value.line, refused.value.date) == (14, DAY)


def test_the_same_pattern_on_the_same_day_is_refused() -> None:
    old = plan_add(b"", "patterns", "Retry", {}, DAY)
    with pytest.raises(DuplicateError):
        plan_add(old, "patterns", "retry", {}, DAY)


def test_the_same_title_on_another_day_is_another_entry() -> None:
    old = plan_add(TEMPLATE, "decisions", "a", {}, "2026-11-29")
    assert len(entries(plan_add(old, "decisions", "a", {}, DAY))) == 2


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (b"### a\n\n```\nx\n", "line 3: the code fence"),
        (b"# D\n<!-- x\n", "line 2: the comment"),
        (b"x" * (FILE_CAP + 1), "bytes"),
        ("### a\n".encode("utf-16"), "UTF-16"),
        (b"### a\n" + b"x" * (FILE_CAP - 20), "bytes"),
    ],
)
def test_a_file_that_would_hide_the_entry_is_refused_with_the_place(old: bytes, why: str) -> None:
    with pytest.raises(EntryError, match=why):
        plan_add(old, "decisions", "new", {}, DAY)


def test_bytes_that_are_no_utf8_stay_where_they_are() -> None:
    old = b"### M\xfcller\n- **Context**: \xff\n"
    assert plan_add(old, "decisions", "new", {}, DAY).startswith(old)
