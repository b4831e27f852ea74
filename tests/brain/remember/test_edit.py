from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.remember import modes
from brain.remember.edit import Note, edit, locate
from brain.remember.errors import RememberError
from brain.remember.places import Place, project_places, user_places
from brain.remember.remember import remember
from tests.jobs.program import folder_state
from tests.support import NOW, write

# -- the five rules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content", "expected"),
    [
        ("a\n\n\n", "b", "a\n\nb\n"),
        ("a", "b", "a\n\nb"),
        ("", "b", "b\n"),
        ("a\n", "", "a\n"),
    ],
)
def test_what_is_appended_stands_after_one_blank_line(body: str, content: str, expected: str) -> None:
    assert modes.append(body, content) == expected


@pytest.mark.parametrize(
    ("body", "content", "expected"),
    [("\n\na\n", "b", "b\n\na\n"), ("", "b", "b\n"), ("\na\n", "", "\na\n")],
)
def test_what_is_prepended_stands_before_one_blank_line(body: str, content: str, expected: str) -> None:
    assert modes.prepend(body, content) == expected


def test_what_replaces_everything_stands_as_it_is() -> None:
    assert modes.replace("a\n", " b ") == " b "
    assert modes.replace("a\n", "") == ""


SECTIONS = "# T\n\n```\n## Tests\n```\n\n## Tests\n\nold\n\n### Unit\n\nmore\n\n## Next\n\nkept\n"


def test_a_section_is_replaced_with_its_smaller_headings_and_up_to_the_next() -> None:
    new = modes.section(SECTIONS, " tests ", "new")
    assert new == "# T\n\n```\n## Tests\n```\n\n## Tests\n\nnew\n\n## Next\n\nkept\n"


def test_the_last_section_runs_to_the_end_and_an_empty_one_keeps_its_heading() -> None:
    assert modes.section(SECTIONS, "Next", "new").endswith("## Next\n\nnew\n")
    assert modes.section(SECTIONS, "Tests", "").endswith("## Tests\n\n## Next\n\nkept\n")


def test_a_heading_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(RememberError, match="those here are: T, Tests, Unit, Next"):
        modes.section(SECTIONS, "Test", "new")
    with pytest.raises(RememberError, match="none"):
        modes.section("text\n", "Test", "new")


def test_a_heading_that_stands_there_twice_is_refused_with_its_lines() -> None:
    with pytest.raises(RememberError, match="in lines 1, 3"):
        modes.section("## A\n\n## a\n", "A", "new")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("f1\n\nf2\n\nf3\n", "f1\n\nf3\n"),
        ("f1\nf2\nf3\n", "f1\nf3\n"),
        ("f1\n\n\n\nf2\nf3\n", "f1\n\nf3\n"),
        ("f2\n\nf3\n", "f3\n"),
        ("f1\n\nf2\n", "f1\n"),
        ("f1\n\nf2", "f1\n"),
        ("f2", ""),
        ("f1 f2 f3\n", "f1  f3\n"),
        ("f1\n\nf2 <!-- zecher: 2026-11-30 aaaa -->\n\nf3\n", "f1\n\nf3\n"),
    ],
)
def test_a_text_that_is_taken_out_leaves_one_blank_line_at_most(body: str, expected: str) -> None:
    assert modes.find(body, "f2", "") == expected


def test_a_text_is_replaced_where_it_stands_once() -> None:
    assert modes.find("a b c", "b", "x") == "a x c"
    assert modes.find("a b c", "b", "b") == "a b c"
    assert modes.find("aaa", "aa", "b") == "ba"
    assert modes.find("one\ntwo\n", "one\ntwo", "x") == "x\n"


@pytest.mark.parametrize(
    ("text", "message"), [("", "no text"), ("z", "does not stand"), ("a", "more than once, in lines 1 and 2")]
)
def test_a_text_that_is_not_there_once_is_refused(text: str, message: str) -> None:
    with pytest.raises(RememberError, match=message):
        modes.find("a\na\n", text, "b")


@given(
    before=st.text("ab \n#`<!-", max_size=30), after=st.text("ab \n#`<!-", max_size=30), new=st.text("xyz \n")
)
def test_all_but_the_text_that_is_replaced_stays(before: str, after: str, new: str) -> None:
    body = f"{before}@@{after}"
    if new:
        assert modes.find(body, "@@", new) == before + new + after
    else:
        assert modes.find(body, "@@", "").replace("\n", "") == (before + after).replace("\n", "")


# -- files --------------------------------------------------------------------------------------------------


@pytest.fixture
def places(tmp_path: Path) -> tuple[Place, ...]:
    base = tmp_path / "shop"
    base.mkdir()
    return project_places(str(base))


def note(path: Path) -> Note:
    return Note(str(path.parent), path.name)


def test_the_front_matter_stays_byte_for_byte(tmp_path: Path) -> None:
    front = "---\ntitle: Looks # mine\nmuted: true\n---\n\n"
    path = write(tmp_path / "looks.md", front + "old\n")
    for mode, expected in (
        ("append", "old\n\nnew\n"),
        ("prepend", "new\n\nold\n"),
        ("replace", "new"),
    ):
        path.write_text(front + "old\n")
        done = edit(note(path), mode, "new", now=NOW)
        assert path.read_text() == front + expected
        assert done.outcome == "changed"
    edit(note(path), "find", "", target="new", now=NOW)
    assert path.read_text() == front


def test_nothing_to_do_writes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "looks.md", "old\n", days=3)
    before = path.stat()
    for mode, content, target in (("append", "", ""), ("replace", "old\n", ""), ("find", "old", "old")):
        done = edit(note(path), mode, content, target=target, now=NOW)
        assert done.outcome == "unchanged"
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_the_line_is_that_of_the_change(tmp_path: Path) -> None:
    path = write(tmp_path / "looks.md", "one\n\ntwo\n\nthree\n")
    assert edit(note(path), "find", "2", target="two", now=NOW).line == 3


@pytest.mark.parametrize("data", [b"a\r\n\r\nb\r\n", b"\xef\xbb\xbfa\r\n\r\nb\r\n"])
def test_line_ends_of_the_file_are_those_of_the_edit(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "looks.md"
    path.write_bytes(data)
    edit(note(path), "append", "c\nd", now=NOW)
    edit(note(path), "find", "x\ny", target="a\n\nb", now=NOW)
    assert path.read_bytes() == data.replace(b"a\r\n\r\nb\r\n", b"x\r\ny\r\n\r\nc\r\nd\r\n")


def test_mixed_line_ends_and_odd_bytes_outside_the_edit_stay(tmp_path: Path) -> None:
    path = tmp_path / "looks.md"
    path.write_bytes(b"a\r\nb\n\xff\r\n## H\r\nold\r\n")
    edit(note(path), "find", "B", target="b", now=NOW)
    edit(note(path), "section", "new", target="H", now=NOW)
    assert path.read_bytes().startswith(b"a\r\nB\n\xff\r\n## H")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("```\nopen", "edit-refused"),
        ("token ghp_" + "a1B2" * 9, "observation-secret"),
        ("a\x00", "observation-refused"),
    ],
)
def test_what_would_hide_or_leak_is_refused(tmp_path: Path, content: str, code: str) -> None:
    path = write(tmp_path / "looks.md", "old\n")
    with pytest.raises(RememberError) as caught:
        edit(note(path), "append", content, now=NOW)
    assert caught.value.code == code
    assert "a1B2" not in str(caught.value)
    assert path.read_text() == "old\n"


def test_a_stale_version_token_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "looks.md", "old\n")
    first = edit(note(path), "append", "new", now=NOW)
    with pytest.raises(RememberError) as caught:
        edit(note(path), "append", "newer", token="0" * 64, now=NOW)
    assert caught.value.code == "memory-changed"
    assert path.read_text() == "old\n\nnew\n"
    assert edit(note(path), "append", "newer", token=first.version, now=NOW).outcome == "changed"


def test_a_category_is_found_by_its_name_in_any_spelling_or_by_its_file(places: tuple[Place, ...]) -> None:
    done = remember(places, "a", category="Ongoing Work", now=NOW)
    for name in ("Ongoing Work", "ongoingWork", "ongoing-work", "ongoing-work.md", done.file):
        assert locate(places, name, "/").path == done.file


def test_notes_of_a_project_are_found_by_their_paths(places: tuple[Place, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "shop/.agents/memory/context.md")
    for name in ("context.md", ".agents/memory/context.md", str(path)):
        assert locate(places, name, "/").path == str(path)
    assert locate(places, "memory/context.md", str(tmp_path / "shop/.agents")).path == str(path)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md",
        "../../outside.md",
        "/etc/passwd",
        "README.md",
        ".agents/memory/../../README.md",
        ".agents/memory/notes.txt",
        ".agents/memory/missing.md",
        ".agents/memory/away/outside.md",
        "a\0.md",
        "",
    ],
)
def test_what_lies_outside_the_memory_is_refused(
    places: tuple[Place, ...], tmp_path: Path, name: str
) -> None:
    write(tmp_path / "outside.md")
    write(tmp_path / "shop/README.md")
    write(tmp_path / "shop/.agents/memory/notes.txt")
    (tmp_path / "shop/.agents/memory/away").symlink_to(tmp_path)
    before = folder_state(tmp_path)
    with pytest.raises(RememberError) as caught:
        edit(locate(places, name, str(tmp_path / "shop")), "append", "x", now=NOW)
    assert caught.value.code == "memory-outside"
    assert folder_state(tmp_path) == before


def test_a_file_that_is_a_link_is_not_edited(places: tuple[Place, ...], tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.md", "theirs\n")
    (tmp_path / "shop/.agents/memory").mkdir(parents=True)
    (tmp_path / "shop/.agents/memory/link.md").symlink_to(outside)
    with pytest.raises(RememberError) as caught:
        edit(locate(places, ".agents/memory/link.md", "/"), "append", "x", now=NOW)
    assert caught.value.code == "memory-link"
    assert outside.read_text() == "theirs\n"


def test_the_notes_of_a_brain_may_be_edited_its_index_may_not(tmp_path: Path) -> None:
    write(tmp_path / "decisions.md")
    write(tmp_path / "projects-index.md")
    places = user_places(str(tmp_path))
    assert locate(places, "decisions.md", "/").path == str(tmp_path / "decisions.md")
    with pytest.raises(RememberError):
        locate(places, "projects-index.md", "/")
