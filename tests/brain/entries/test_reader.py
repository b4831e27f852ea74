"""Entries, fields, dates and marks are read with their places; samples are no entries."""

from __future__ import annotations

import time

import pytest

from brain.entries.document import Document, Entry
from brain.entries.reader import FILE_CAP, read_entries


def document(text: str, kind: str = "decisions") -> Document:
    return read_entries(text.encode(), kind)


def only(text: str, kind: str = "decisions") -> Entry:
    (entry,) = document(text, kind).entries
    return entry


def titles(text: str, kind: str = "decisions") -> list[str]:
    return [entry.title for entry in document(text, kind).entries]


def codes(text: str) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in document(text).problems]


ENTRY = """### 2026-03-14 — Use PostgreSQL
- **Context**: two writers
- **Decision**: PostgreSQL
- **Rationale**: it has locks
- **Consequences**: a server to run
- **Status**: active
"""


def test_a_decision_is_read_with_date_title_fields_and_status() -> None:
    entry = only(ENTRY)
    assert (entry.heading, entry.title, entry.date) == (
        "2026-03-14 — Use PostgreSQL",
        "Use PostgreSQL",
        "2026-03-14",
    )
    assert [(field.name, field.value) for field in entry.fields] == [
        ("context", "two writers"),
        ("decision", "PostgreSQL"),
        ("rationale", "it has locks"),
        ("consequences", "a server to run"),
        ("status", "active"),
    ]
    assert (entry.status, entry.archived, entry.superseded_by, entry.level) == ("active", False, None, 3)


@pytest.mark.parametrize(
    ("labels", "status"),
    [
        (("Kontext", "Entscheidung", "Begründung", "Folgen", "Status"), "aktiv"),
        (("Contexte", "Décision", "Raison", "Conséquences", "Statut"), "actif"),
        (("CONTEXT", "decided", "Why", "Consequence", "state"), "Active"),
        (("Kontext", "Entscheidung", "Begru\u0308ndung", "Folge", "Zustand"), "gu\u0308ltig"),
    ],
)
def test_fields_have_their_names_in_three_languages_and_any_composition(
    labels: tuple[str, ...], status: str
) -> None:
    values = ("a", "b", "c", "d", status)
    body = "".join(f"- **{label}**: {value}\n" for label, value in zip(labels, values, strict=True))
    entry = only(f"### 2026-03-14 — x\n{body}")
    assert [field.name for field in entry.fields] == [
        "context",
        "decision",
        "rationale",
        "consequences",
        "status",
    ]
    assert entry.status == "active"


@pytest.mark.parametrize(
    "line",
    [
        "- **Status**: active",
        "- **Status:** active",
        "* **Status** : active",
        "+ __Status__: active",
        "- **Statut**\u00a0: actif",
        "- **Statut**\u202f: actif",
        "- **Status**\uff1a active",
        "**Status:** active",
        "**Status.** active",
        "- Status: active",
        "Status: active",
        "   - **Status**: active",
        "- **Status**: ✅ **active**",
        "- **Status**: [active]",
        "- **Status**: ~~superseded~~ active",
        "- **Status**: active (since spring)",
        "- **Status**: active <!-- active / superseded -->",
        "#### Status\n\nactive",
        "**Status**:\n\nactive",
        "- **Status**:\n  active",
    ],
)
def test_a_status_is_read_in_every_shape_that_people_write(line: str) -> None:
    assert only(f"### 2026-03-14 — x\n{line}\n").status == "active"


@pytest.mark.parametrize(
    "line",
    [
        "Statuses: active",
        "    - **Status**: active",
        "> - **Status**: active",
        "text **Status**: active",
        "- **Status**: not active",
        "- **Status**: actively developed",
        "- `**Status**: active`",
    ],
)
def test_what_only_looks_like_a_status_is_none(line: str) -> None:
    assert only(f"### 2026-03-14 — x\n{line}\n").status is None


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("superseded", "superseded"),
        ("ersetzt", "superseded"),
        ("remplacée", "superseded"),
        ("rolled-back", "rolled-back"),
        ("Rolled back", "rolled-back"),
        ("zurückgenommen", "rolled-back"),
        ("annulé", "rolled-back"),
        ("Kandidat", "candidate"),
        ("validé", "validated"),
        ("veraltet", "deprecated"),
        ("archiviert", "archived"),
        ("accepted", "active"),
    ],
)
def test_status_words_mean_one_thing_in_three_languages(value: str, status: str) -> None:
    assert only(f"### x\n- **Status**: {value}\n").status == status


@pytest.mark.parametrize(
    ("line", "successor"),
    [
        ("- **Status**: superseded by 2026-05-01 — Use SQLite", "2026-05-01 — Use SQLite"),
        ("- **Status**: ersetzt durch [D-7](#d-7).", "[D-7](#d-7)"),
        ("- **Status**: remplacé par D-7", "D-7"),
        ("- **Status**: Superceded by D-7", "D-7"),
        ("- **Superseded by**: D-7", "D-7"),
        ("- **Abgelöst durch**: D-7", "D-7"),
    ],
)
def test_the_entry_that_took_over_is_named(line: str, successor: str) -> None:
    assert only(f"### x\n{line}\n").superseded_by == successor


def test_a_choice_of_statuses_that_a_template_left_is_no_status() -> None:
    text = "### 2026-03-14 — x\n- **Status**: active / superseded / rolled-back\n"
    assert only(text).status is None
    assert codes(text) == [("status-unchosen", 2)]


def test_an_unknown_status_is_reported_with_its_line() -> None:
    assert codes("### 2026-03-14 — x\n\n- **Status**: bananas\n") == [("status-unknown", 3)]


@pytest.mark.parametrize(
    "heading",
    ["[ARCHIVED] 2026-03-14 — x", "2026-03-14 — [archived 2026-05-01] x", "2026-03-14 — x [ARCHIVIERT]"],
)
def test_an_archived_entry_is_marked_in_its_heading(heading: str) -> None:
    entry = only(f"### {heading}\n")
    assert (entry.archived, entry.date, entry.title) == (True, "2026-03-14", "x")


@pytest.mark.parametrize("heading", ["ARCHIVED x", r"\[ARCHIVED] x", "[ARCHIVED](link) x", "[archivedly] x"])
def test_the_word_alone_archives_nothing(heading: str) -> None:
    assert not only(f"### {heading}\n").archived


def test_the_status_archived_archives() -> None:
    assert only("### x\n- **Status**: archived\n").archived


@pytest.mark.parametrize(
    ("heading", "date", "title"),
    [
        ("2026-03-14 — x", "2026-03-14", "x"),
        ("2026-03-14 \u2013 x", "2026-03-14", "x"),
        ("2026-03-14 - x", "2026-03-14", "x"),
        ("2026-03-14: x", "2026-03-14", "x"),
        ("2026-03-14 x", "2026-03-14", "x"),
        ("[2026-03-14] x", "2026-03-14", "x"),
        ("[2026-03-14 10:00:00] x", "2026-03-14", "x"),
        ("2026/3/4 x", "2026-03-04", "x"),
        ("14.3.2026 — x", "2026-03-14", "x"),
        ("2026-08-21/22 — x", "2026-08-21", "x"),
        ("x (2026-03-14)", "2026-03-14", "x"),
        ("2024-02-29 — x", "2024-02-29", "x"),
        ("2026-03-14", "2026-03-14", ""),
        ("x of 2026-03-14", None, "x of 2026-03-14"),
        ("2026-03-141 x", None, "2026-03-141 x"),
        ("2026-03-14x", None, "2026-03-14x"),
        ("x ##", None, "x"),
        ("C#", None, "C#"),
    ],
)
def test_a_heading_is_divided_into_date_and_title(heading: str, date: str | None, title: str) -> None:
    entry = only(f"### {heading}\n")
    assert (entry.date, entry.title) == (date, title)


@pytest.mark.parametrize("date", ["2026-02-30", "2025-02-29", "2026-13-01", "0000-01-01"])
def test_a_day_that_does_not_exist_is_reported_and_is_no_date(date: str) -> None:
    text = f"### {date} — x\n"
    assert (only(text).date, only(text).title, codes(text)) == (None, "x", [("entry-date", 1)])


def test_the_date_of_a_pattern_is_its_field() -> None:
    entry = only("### Retry with a budget\n- **Date**: 2026-03-14\n- **Status**: candidate\n", "patterns")
    assert (entry.title, entry.date, entry.status) == ("Retry with a budget", "2026-03-14", "candidate")


@pytest.mark.parametrize(
    "sample",
    [
        "```\n### no\n```",
        "```md\n### no\n```",
        "~~~\n### no\n~~~",
        "````\n```\n### no\n```\n### no\n````",
        "   ```\n### no\n   ```",
        "```\n### no\n``\n### no\n~~~\n### no\n```\t",
        "- ```\n  ### no\n  ```",
        "1. ~~~\n   ### no\n   ~~~",
        "<!-- ### no -->",
        "<!--\n### no\n-->",
        "<!-- a\n\n### no\n\n--> rest",
        "<pre>\n### no\n</pre>",
        "###no",
        "#### no",
        " ### no",
        "\t### no",
        "> ### no",
        "- ### no",
        "\\### no",
        "###",
        "no\n===",
    ],
)
def test_samples_and_other_headings_are_no_entries(sample: str) -> None:
    assert titles(f"{sample}\n\n### yes\n") == ["yes"]


@pytest.mark.parametrize(
    "before",
    [
        "    ```",  # indented code
        "``` a`b",  # a code span
        "``",
        "text ```",
        "- ```",  # ends with its list item
        "> ```",  # ends with its quote
        "text <!-- open",
        "<div>\n",
        "- <!--",
        "<!-->",
    ],
)
def test_what_is_no_open_block_hides_nothing(before: str) -> None:
    assert titles(f"{before}\n### yes\n") == ["yes"]


@pytest.mark.parametrize(
    ("opening", "code"), [("```", "code-open"), ("<!-- x", "comment-open"), ("<script>", "raw-open")]
)
def test_a_block_that_never_ends_is_reported_where_it_begins(opening: str, code: str) -> None:
    text = f"### yes\n\n{opening}\n### no\n"
    assert (titles(text), codes(text)) == (["yes"], [(code, 3)])


def test_a_fresh_template_holds_no_entry() -> None:
    sample = "```md\n### YYYY-MM-DD — <title>\n- **Status**: active / superseded\n```\n"
    text = f"---\ntitle: D\n---\n\n# D\n\n## Format\n\n{sample}\n---\n\n<!-- Entries below. -->\n"
    assert (titles(text), codes(text)) == ([], [])


@pytest.mark.parametrize("heading", ["YYYY-MM-DD — <title>", "<pattern name>", "TBD", "{title}"])
def test_a_sample_outside_a_fence_is_reported(heading: str) -> None:
    assert codes(f"### {heading}\n") == [("entry-placeholder", 1)]


def test_an_entry_without_title_is_reported() -> None:
    assert codes("### 2026-03-14\n") == [("entry-untitled", 1)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_are_right_with_every_line_end(newline: str) -> None:
    text = "# D\n\nä\n\n### 2026-03-14 — Müller\n- **Kontext**: é\n  zwei\n- **Status**: aktiv\n\n## Next\n"
    data = text.replace("\n", newline).encode()
    entry = read_entries(data, "decisions").entries[0]
    context, status = entry.fields
    assert data[slice(*entry.span)].decode().splitlines() == text.splitlines()[4:8]
    assert (entry.line, context.line, status.line) == (5, 6, 8)
    assert data[slice(*context.value_span)].decode().split() == ["é", "zwei"]
    assert data[slice(*status.value_span)] == b"aktiv"
    assert data[slice(*status.span)] == b"- **Status**: aktiv"
    assert context.value == "é\nzwei"


def test_lines_of_mixed_ends_are_counted_once_each() -> None:
    found = read_entries(b"a\r\nb\rc\n\n### x\r\n### y", "decisions")
    assert [entry.line for entry in found.entries] == [5, 6]
    assert (found.newline, found.mixed_newlines, found.final_newline) == (b"\r\n", True, False)


def test_a_bom_is_noticed_and_hides_no_heading() -> None:
    found = read_entries(b"\xef\xbb\xbf### x\n", "decisions")
    assert (found.bom, found.entries[0].title, found.entries[0].span) == (True, "x", (3, 9))


def test_the_front_matter_behind_a_bom_is_read() -> None:
    found = read_entries(b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n### y\r\n", "decisions")
    assert found.front_matter is not None
    assert (found.front_matter.text("title"), found.front_matter.span) == ("x", (3, 23))


def test_bytes_that_are_no_utf8_are_reported_with_line_and_place_and_read_around() -> None:
    data = b"### 2026-03-14 \xe2\x80\x94 M\xfcller\n- **K\xff\xfe**: x\n- **Status**: active\n"
    found = read_entries(data, "decisions")
    (entry,) = found.entries
    assert found.bad_utf8 == ((20, 21), (31, 33))
    assert [(one.code, one.line) for one in found.problems] == [
        ("entries-encoding", 1),
        ("entries-encoding", 2),
    ]
    assert (entry.title, entry.status) == ("M\ufffdller", "active")
    assert data[slice(*entry.fields[0].value_span)] == b"x"


def test_a_file_of_one_mebibyte_is_read_and_a_larger_one_refused() -> None:
    full = b"### x\n".ljust(FILE_CAP, b"a")
    assert len(read_entries(full, "decisions").entries) == 1
    refused = read_entries(full + b"a", "decisions")
    assert (refused.readable, refused.entries) == (False, ())
    assert [(one.code, one.line) for one in refused.problems] == [("entries-too-large", 1)]


def test_utf16_is_refused_with_its_reason() -> None:
    refused = read_entries("### x\n".encode("utf-16"), "decisions")
    assert (refused.readable, [one.code for one in refused.problems]) == (False, ["entries-encoding"])


def test_what_separates_entries_belongs_to_none() -> None:
    text = "### a\n- **Context**: x\n\n---\n\n<!-- b -->\n\n### c\ntext\n---\n\n\n## d\n"
    first, second = document(text).entries
    data = text.encode()
    assert data[slice(*first.span)] == b"### a\n- **Context**: x\n"
    assert data[slice(*second.span)] == b"### c\ntext\n---\n"


def test_a_section_ends_the_entry_above_it() -> None:
    text = "### a\n- **Status**: active\n\n## Meta\n- **Status**: superseded\n"
    entry = only(text)
    assert (entry.status, entry.span) == ("active", (0, text.index("\n## ")))
    assert [(one.text, one.level, one.line) for one in document(text).headings] == [("Meta", 2, 4)]


def test_deeper_headings_stay_inside_their_entry() -> None:
    text = "### a\n#### Background\nwhy\n\n##### more\n#### Decision\nyes\n"
    entry = only(text)
    assert entry.span == (0, len(text))
    assert [(field.name, field.value) for field in entry.fields] == [("context", "why"), ("decision", "yes")]


def test_a_value_runs_over_its_list_and_its_fence_and_ends_at_other_text() -> None:
    text = (
        "### a\n- **Shape**: first\n  - one\n  - **two\n\n  ```\n  **Status**: no\n\n  x\n  ```\n"
        "- **Trade-off**: none\n\nFree text.\n"
    )
    shape, trade_off = only(text, "patterns").fields
    assert shape.value == "first\n- one\n- **two\n\n```\n**Status**: no\n\nx\n```"
    assert (trade_off.name, trade_off.value) == ("trade_off", "none")


def test_the_last_field_of_a_name_counts() -> None:
    entry = only("### a\n- **Status**: active\n- **Status**: superseded\n")
    found = entry.field("status")
    assert found is not None
    assert (entry.status, found.line) == ("superseded", 3)


def test_labels_that_the_table_does_not_know_are_kept_as_written() -> None:
    entry = only("### a\n- **Ticket No.**: 7\n")
    assert [(field.name, field.label, field.value) for field in entry.fields] == [(None, "Ticket No", "7")]


@pytest.mark.parametrize("kind", ["context", "session"])
def test_context_and_sessions_are_divided_by_their_sections(kind: str) -> None:
    found = document("# C\n\n## Project Identity\n- **Name**: shop\n\n## Next steps\n\n### 1. a\nb\n", kind)
    assert [(entry.level, entry.title) for entry in found.entries] == [
        (2, "Project Identity"),
        (2, "Next steps"),
        (3, "1. a"),
    ]
    assert found.entries[0].fields[0].name == "name"


def test_an_empty_file_has_nothing_to_say() -> None:
    assert read_entries(b"", "decisions") == Document("decisions", 0)


@pytest.mark.parametrize(
    "text",
    [
        b"### x\n- **Context**:\n" + b"\n" * 1_000_000 + b"  y\n",
        b"### x" + b" " * 1_000_000 + b"y\n",
        b"### x\n- **Date**: a" + b" " * 1_000_000 + b"b\n",
        b"### x\n#### a" + b" " * 1_000_000 + b"b#c\n",
        b"### x\n####" + b" " * 1_000_000 + b"a#b\n",
    ],
)
def test_a_megabyte_of_blanks_takes_no_longer_than_any_other(text: bytes) -> None:
    """Each of them took hours: every blank was tried as the beginning of what ends further on."""
    begun = time.process_time()
    read_entries(text, "decisions")
    assert time.process_time() - begun < 20
