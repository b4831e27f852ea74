from __future__ import annotations

from pathlib import Path

import pytest

from brain.bundle.tokens import tokens as estimate
from brain.remember.forget import forget
from brain.remember.index import Category, index
from brain.remember.places import user_places
from brain.remember.remember import remember
from tests.jobs.program import folder_state
from tests.support import NOW, write


def only(brain: Path) -> Category:
    (found,), unread = index(user_places(str(brain)), estimate)
    assert unread == ()
    return found


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcdefg", 2), ("Prüfung", 2), ("naïve café", 3), ("Привет", 3), ("日本語", 2)],
)
def test_tokens_are_a_quarter_of_ascii_and_half_of_the_rest(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_without_a_summary_the_beginning_of_the_text_is_one(tmp_path: Path) -> None:
    remember(user_places(str(tmp_path)), "many words " * 45, now=NOW)
    found = only(tmp_path)
    assert found.derived
    assert 100 < len(found.summary) <= 160
    assert "zecher" not in found.summary
    assert found.tokens == estimate(found.summary)
    assert found.body_tokens > found.tokens


def test_a_summary_is_shown_and_counted_and_the_text_is_not(tmp_path: Path) -> None:
    remember(user_places(str(tmp_path)), "many words " * 45, summary="UI prefs", now=NOW)
    found = only(tmp_path)
    assert (found.summary, found.derived, found.tokens) == ("UI prefs", False, 2)
    assert (found.observations, found.archived, found.newest) == (1, 0, "2026-11-30")


def test_what_was_forgotten_is_counted_apart(tmp_path: Path) -> None:
    places = user_places(str(tmp_path))
    name = remember(places, "a fact", now=NOW).id
    remember(places, "another", now=NOW)
    forget(places, name, now=NOW)
    found = only(tmp_path)
    assert (found.observations, found.archived, found.summary) == (1, 1, "another")


@pytest.mark.parametrize(
    ("line", "muted"),
    [
        ("muted: true", True),
        ('muted: "true"', True),
        ("muted: True", True),
        ("muted: false", False),
        ("a: 1", False),
    ],
)
def test_the_word_true_mutes_as_the_value_does(tmp_path: Path, line: str, muted: bool) -> None:
    write(tmp_path / "memory/looks.md", f"---\ntitle: Looks\n{line}\n---\n\ntext\n")
    assert only(tmp_path).muted is muted


@pytest.mark.parametrize(
    ("lines", "pinned"),
    [
        ("tags: [always-load]", True),
        ("tags:\n  - a\n  - always-load", True),
        ("tags: a, always-load", True),
        ('tags: ["#always-load"]', True),
        ("tags: [always]", False),
        ("always-load: true", False),
    ],
)
def test_a_tag_pins(tmp_path: Path, lines: str, pinned: bool) -> None:
    write(tmp_path / ".notarium/memory/looks.md", f"---\ntitle: Looks\n{lines}\n---\n\ntext\n")
    assert only(tmp_path).pinned is pinned


def test_a_category_without_front_matter_is_called_by_its_heading_or_its_file(tmp_path: Path) -> None:
    write(tmp_path / "memory/a.md", "# How it looks #\n\ntext\n")
    write(tmp_path / "memory/b.md", "text\n")
    write(tmp_path / "memory/c.md", "---\n: broken [\n---\n\ntext\n")
    found, _ = index(user_places(str(tmp_path)), estimate)
    assert [one.title for one in found] == ["How it looks", "b", "c"]


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    write(tmp_path / "memory/a.md", "text\n")
    (tmp_path / "memory/b.md").symlink_to(tmp_path / "memory/a.md")
    found, unread = index(user_places(str(tmp_path)), estimate)
    assert [one.title for one in found] == ["a"]
    assert [(Path(one.path).name, "link" in one.why) for one in unread] == [("b.md", True)]


def test_looking_writes_nothing(tmp_path: Path) -> None:
    assert index(user_places(str(tmp_path)), estimate) == ((), ())
    assert folder_state(tmp_path) == {}
