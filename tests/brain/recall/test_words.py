"""The ranking by words: scripts, compounds, real entries, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.recall.recall import WORDS, recall
from brain.recall.words import words
from tests.support import NOW, write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Größe, Straße", ["grösse", "strasse"]),
        ("cafe\u0301 \ufb01le", ["café", "file"]),
        ("sign-up", ["sign-up", "sign", "up"]),
        ("Память проекта", ["память", "проекта"]),
        ("זיכרון", ["זיכרון"]),
        ("記憶力", ["記憶", "憶力"]),
        ("the rate of the limit", ["rate", "limit"]),
        ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("--- ***", []),
    ],
)
def test_words_of_all_scripts_and_the_parts_of_compounds_count(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    write(
        folder / ".agents/memory/lessons.md",
        "## Format\n\n```md\n### YYYY-MM-DD — sample permission\n- **Lesson**: permission\n```\n\n"
        "### 2026-11-01 — Sign-up needs a name\n- **Lesson**: größere Felder\n\n"
        "## Meta\n\nNothing about permission here.\n",
    )
    write(
        folder / ".bmad/memory/lessons.md",
        "### 2026-11-01 — Sign-up needs a name\n- **Lesson**: größere Felder\n",
    )
    return folder


def found(project: Path, query: str, ranking: str = WORDS) -> list[str]:
    return [hit.ref for hit in recall(str(project), query, now=NOW, ranking=ranking).hits]


def test_a_compound_is_found_by_its_parts(project: Path) -> None:
    assert found(project, "sign up", "lexical") == []
    assert found(project, "sign up") == ["2026-11-01 — Sign-up needs a name"]


def test_letters_that_the_published_ranking_splits_are_found(project: Path) -> None:
    assert found(project, "GRÖSSERE") == ["2026-11-01 — Sign-up needs a name"]


def test_samples_and_following_sections_are_no_entries(project: Path) -> None:
    assert found(project, "permission", "lexical") != []
    assert found(project, "permission") == []


def test_a_text_in_both_layouts_is_found_once(project: Path) -> None:
    assert len(found(project, "name", "lexical")) == 2
    assert len(found(project, "name")) == 1
