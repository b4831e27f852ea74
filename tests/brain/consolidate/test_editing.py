"""How files look afterwards, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.entries.reader import read_entries
from brain.layout import template
from tests.brain.consolidate.shelves import RULE, carried, lay, proposals
from tests.brain.consolidate.test_audit import LESSON, TEMPLATE, portfolio


def test_an_archived_entry_goes_behind_everything_else_with_its_mark(tmp_path: Path) -> None:
    text = (
        "---\ntitle: x\n---\n\n# Decisions\n\n"
        "### 2026-01-01 — Old\nMy words.\n- **Status**: superseded by New\n\n"
        "### 2026-11-01 — New\n- **Status**: active\n\n## Mine\n\nno newline"
    )
    _, files = carried(lay(tmp_path, {"decisions.md": text.encode()}))

    assert files[".agents/memory/decisions.md"].decode() == (
        "---\ntitle: x\n---\n\n# Decisions\n\n"
        "### 2026-11-01 — New\n- **Status**: active\n\n## Mine\n\nno newline\n\n"
        "### [ARCHIVED] 2026-01-01 — Old\nMy words.\n- **Status**: superseded by New\n"
    )


SHORT = (
    "2026-05-01 — Pin the clock in every test\r\n- **Impact**: a day\r\n  and a night\r\n"
    f"- **Lesson**: {RULE}\r\n"
)
LONG = (
    "2026-06-02 — In every test pin the clock\r\n- **Context**: a long story about midnight\r\n"
    f"- **Lesson**: {RULE}\r\n"
)


def test_a_merge_adds_what_only_the_poorer_one_has_and_names_the_kept_one(tmp_path: Path) -> None:
    text = f"\ufeff# Lessons\r\n\r\n### {SHORT}\r\n### {LONG}"
    _, files = carried(lay(tmp_path, {"lessons.md": text.encode()}))

    assert files[".agents/memory/lessons.md"].decode() == (
        "\ufeff# Lessons\r\n\r\n"
        f"### {LONG}"
        "- **Impact**: a day\r\n  and a night\r\n\r\n"
        f"### [ARCHIVED] {SHORT}"
        "- **Superseded by**: 2026-06-02 — In every test pin the clock\r\n"
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("Erkenntnis Auswirkung", "Ersetzt durch"),
        ("Leçon Effet", "Remplacé par"),
        ("Lesson Impact", "Superseded by"),
    ],
)
def test_the_kept_one_is_named_in_the_language_of_the_file(
    tmp_path: Path, labels: str, expected: str
) -> None:
    lesson, impact = labels.split()
    text = (
        f"### 2026-05-01 — Pin the clock in every test\n- **{lesson}**: {RULE}\n\n"
        f"### 2026-06-02 — In every test pin the clock\n- **{impact}**: two\n- **{lesson}**: {RULE}\n"
    )
    _, files = carried(lay(tmp_path, {"lessons.md": text.encode()}))

    assert (
        f"- **{expected}**: 2026-06-02 — In every test pin the clock\n".encode()
        in files[".agents/memory/lessons.md"]
    )


def test_the_sample_in_the_fence_of_a_template_stays_where_it_is(tmp_path: Path) -> None:
    page = template("decisions.md", TEMPLATE)
    entry = b"\n### 2026-01-01 \xe2\x80\x94 Old\n- **Status**: superseded by New\n"
    _, files = carried(lay(tmp_path, {"decisions.md": page + entry}))

    assert files[".agents/memory/decisions.md"] == page + entry.replace(b"### ", b"### [ARCHIVED] ")


def test_several_entries_go_to_the_end_in_their_order(tmp_path: Path) -> None:
    entries = [f"### 2026-01-0{day} — Old {day}\n- **Status**: superseded by New\n" for day in (1, 2, 3)]
    text = "\n".join((*entries[:2], "### 2026-11-01 — New\n- **Status**: active\n", entries[2]))
    _, files = carried(lay(tmp_path, {"decisions.md": text.encode()}))
    document = read_entries(files[".agents/memory/decisions.md"], "decisions")

    assert [(one.title, one.archived) for one in document.entries] == [
        ("New", False),
        ("Old 1", True),
        ("Old 2", True),
        ("Old 3", True),
    ]


def test_nothing_is_made_a_heading_by_a_rule_that_followed_an_entry(tmp_path: Path) -> None:
    text = "# D\nwords\n### 2026-01-01 — Old\n- **Status**: superseded by New\n\n---\n\n## Next\n"
    _, files = carried(lay(tmp_path, {"decisions.md": text.encode()}))

    assert files[".agents/memory/decisions.md"].startswith(b"# D\nwords\n\n---\n\n## Next\n")


def test_a_file_whose_end_lies_in_an_open_fence_is_refused(tmp_path: Path) -> None:
    text = "### 2026-01-01 — Old\n- **Status**: superseded by New\n\n## Rest\n\n```\nnever closed\n"
    (found,) = proposals(lay(tmp_path, {"decisions.md": text.encode()}))

    assert "never ends" in found.refused


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    text = b"\xff\xfe junk\n".replace(b"\xff\xfe", b"x\xff") + (
        b"### 2026-01-01 - Old \xff\n- **Status**: superseded by New\n- **Context**: \xc3\x28\n\n## Z\n\xff\n"
    )
    _, files = carried(lay(tmp_path, {"decisions.md": text}))
    new = files[".agents/memory/decisions.md"]

    assert new.endswith(
        b"### [ARCHIVED] 2026-01-01 - Old \xff\n- **Status**: superseded by New\n- **Context**: \xc3\x28\n"
    )


def test_two_merges_into_one_entry_add_each_field_once(tmp_path: Path) -> None:
    poorer = f"### 2026-05-0{{}} — Pin the clock in every test\n- **Impact**: a day\n- **Lesson**: {RULE}\n\n"
    rich = "### " + LONG.replace("\r", "")
    text = poorer.format(1) + poorer.format(2) + rich
    planned, files = carried(lay(tmp_path, {"lessons.md": text.encode()}))
    kept, *archived = read_entries(files[".agents/memory/lessons.md"], "lessons").entries

    assert (len(planned.done), len(archived)) == (2, 2)
    assert [field.label for field in kept.fields] == ["Context", "Lesson", "Impact"]


def test_a_duplicate_in_the_other_folder_is_archived_there(tmp_path: Path) -> None:
    entry = f"### 2026-05-01 — Pin the clock in every test\n- **Lesson**: {RULE}\n".encode()
    _, files = carried(lay(tmp_path, {"lessons.md": entry, ".bmad/memory/lessons.md": entry}))

    assert set(files) == {".bmad/memory/lessons.md"}
    assert (
        "- **Superseded by**: 2026-05-01 — Pin the clock in every test (.agents/memory/lessons.md)\n".encode()
        in files[".bmad/memory/lessons.md"]
    )


def test_a_promoted_lesson_says_where_it_was_learned(tmp_path: Path) -> None:
    memories, brain = portfolio(tmp_path, LESSON, LESSON.replace("- **L", "- **Impact**: a day\n- **L"))
    _, files = carried(*memories, brain=brain)

    assert files == {
        "lessons.md": (
            "# Lessons\n\n### 2026-05-01 — Pin the clock in every test\n- **Impact**: a day\n"
            f"- **Lesson**: {RULE}\n- **Evidence**: p0, p1\n"
        ).encode()
    }


def test_an_entry_is_moved_once_whatever_else_was_approved(tmp_path: Path) -> None:
    one = (
        "### 2026-01-01 — Keep all data in one single file\n"
        "- **Decision**: {} one file for all data we have\n"
        "- **Status**: active\n\n"
    )
    text = one.format("keep") + one.format("long ago we chose to keep")
    planned, _ = carried(lay(tmp_path, {"decisions.md": text.encode()}))

    assert [found.action for found in planned.done] == ["merge"]
    assert [found.action for found in planned.refused] == ["review", "review"]
    assert "another proposal" in planned.refused[0].refused
