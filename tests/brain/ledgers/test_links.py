"""A path inside a project is one: written plainly, and through no symbolic link."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.errors import MemError
from brain.files.links import refuse_links, relative_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("a/b.json", "a/b.json"),
        ("a\\b.json", "a/b.json"),
        (".hidden/x", ".hidden/x"),
        ("...", "..."),
        ("é/ü", "é/ü"),
        (" a", " a"),
    ],
)
def test_a_plain_relative_path_is_taken(text: str, expected: str) -> None:
    assert relative_path(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "/a",
        ".hidden/..",
        "a/",
        "a//b",
        ".",
        "./a",
        "..",
        "a/../b",
        "a/.",
        "C:/a",
        "a:b",
        "\\a",
        "a\\..\\b",
        "a\0b",
    ],
)
def test_any_other_path_is_refused(text: str) -> None:
    with pytest.raises(MemError, match="no path inside the project"):
        relative_path(text)


@given(st.text())
def test_what_is_taken_stays_inside(text: str) -> None:
    try:
        path = relative_path(text)
    except MemError:
        return
    assert all(part not in ("", ".", "..") for part in path.split("/"))
    assert refuse_links("/nowhere", path) == f"/nowhere/{path}"


def test_a_path_that_is_there_or_not_is_made_absolute(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert refuse_links(str(tmp_path), "a/b/c") == str(tmp_path / "a" / "b" / "c")


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/c"])
def test_a_link_at_any_place_below_the_project_is_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "real" / "b" / "c").mkdir(parents=True)
    project = tmp_path / "project"
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(tmp_path / "real")
    with pytest.raises(MemError, match=rf"{link} is a symbolic link"):
        refuse_links(str(project), "a/b/c")


def test_a_link_that_leads_nowhere_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("nowhere")
    with pytest.raises(MemError, match="symbolic link"):
        refuse_links(str(tmp_path), "a")


def test_the_project_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "project").symlink_to("real")
    assert refuse_links(str(tmp_path / "project"), "a") == str(tmp_path / "project" / "a")
