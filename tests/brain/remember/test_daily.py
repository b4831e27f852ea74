"""The note of a day: appended to, whatever stands there, and nothing of it changed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.files.lock import FolderLock
from brain.remember.daily import FILE_CAP, Noted, add_note, is_workspace
from brain.remember.errors import RememberError
from tests.support import write

DAY = "2026-11-30"


def held(path: Path, data: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def add(base: Path, text: str, *, slug: str = "", day: str = DAY) -> Noted:
    return add_note(str(base), text, lambda: day, slug=slug, wait=5.0)


def note_of(base: Path, name: str = DAY) -> Path:
    return base / "memory" / f"{name}.md"


def test_the_first_note_of_a_day_makes_its_file(tmp_path: Path) -> None:
    done = add(tmp_path, "The printer is on floor 2")

    assert note_of(tmp_path).read_bytes() == b"# 2026-11-30\n\n- The printer is on floor 2\n"
    assert (done.file, done.day) == (str(note_of(tmp_path)), DAY)
    assert (done.line, done.line_end, done.created, done.hidden_in) == (3, 3, True, "")
    assert note_of(tmp_path).stat().st_mode & 0o777 == 0o600


def test_later_notes_stand_below_in_the_order_they_came(tmp_path: Path) -> None:
    lines = [add(tmp_path, text).line for text in ("one", "two", "three\nand more")]

    assert note_of(tmp_path).read_bytes() == b"# 2026-11-30\n\n- one\n- two\n- three\n  and more\n"
    assert lines == [3, 4, 5]
    assert add(tmp_path, "four").line == 7


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (b"mine", b"mine\n- new\n"),
        (b"mine\r\n", b"mine\r\n- new\r\n"),
        (b"mine\r\nno end", b"mine\r\nno end\r\n- new\r\n"),
        (b"\xff\xfe broken \x00\n", b"\xff\xfe broken \x00\n- new\n"),
        (b"", b"# 2026-11-30\n\n- new\n"),
    ],
    ids=["no newline", "CRLF", "CRLF without end", "no UTF-8", "empty"],
)
def test_what_stands_there_is_kept_to_the_byte(tmp_path: Path, before: bytes, expected: bytes) -> None:
    held(note_of(tmp_path), before)
    done = add(tmp_path, "new")

    assert note_of(tmp_path).read_bytes() == expected
    assert expected.splitlines()[done.line - 1] == b"- new"


@pytest.mark.parametrize(
    "text", ["## Topic\n\ntext", "- a\n- b", "1. one", "> said", "| a |", "```\ncode\n```"]
)
def test_a_block_of_markdown_is_kept_as_it_is_after_a_blank_line(tmp_path: Path, text: str) -> None:
    add(tmp_path, "before")
    done = add(tmp_path, text)

    assert note_of(tmp_path).read_text() == f"# 2026-11-30\n\n- before\n\n{text}\n"
    assert (done.line, done.line_end) == (5, 5 + text.count("\n"))


def test_a_slug_names_a_file_beside_that_of_the_day(tmp_path: Path) -> None:
    add(tmp_path, "cut", slug="release-2.4")
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["2026-11-30-release-2.4.md"]


@pytest.mark.parametrize("slug", ["../up", "a/b", "a\0b", "-", ".", "x" * 65, "a\nb", "a."])
def test_a_slug_that_is_no_part_of_a_name_is_refused(tmp_path: Path, slug: str) -> None:
    with pytest.raises(RememberError) as caught:
        add(tmp_path, "cut", slug=slug)
    assert (caught.value.code, list(tmp_path.iterdir())) == ("note-slug", [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "# only a heading",
        "a \u202e b",
        "password: Xk29vbTTq81zzP",
        "```\nopen",
        "a <!-- b",
        "x" * 20_000,
    ],
)
def test_what_is_refused_leaves_nothing_behind(tmp_path: Path, text: str) -> None:
    with pytest.raises(RememberError):
        add(tmp_path, text)
    assert list(tmp_path.iterdir()) == []


def test_a_secret_is_named_by_its_kind_alone(tmp_path: Path) -> None:
    with pytest.raises(RememberError) as caught:
        add(tmp_path, "token ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    assert (caught.value.code, "ghp_" in caught.value.message) == ("observation-secret", False)


@pytest.mark.parametrize("where", ["memory", f"memory/{DAY}.md"])
def test_a_link_is_not_followed(tmp_path: Path, where: str) -> None:
    base, other = tmp_path / "base", tmp_path / "other"
    (base / "memory").parent.mkdir()
    other.mkdir()
    if where == "memory":
        (base / "memory").symlink_to(other)
    else:
        (base / "memory").mkdir()
        (base / where).symlink_to(other / "x.md")

    with pytest.raises(RememberError) as caught:
        add(base, "new")
    assert (caught.value.code, list(other.iterdir())) == ("memory-link", [])


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    os.mkfifo(note_of(tmp_path))
    with pytest.raises(RememberError) as caught:
        add(tmp_path, "new")
    assert caught.value.code == "note-write"


def test_a_full_note_stays_as_it_is(tmp_path: Path) -> None:
    held(note_of(tmp_path), b"x" * (FILE_CAP - 3) + b"\n")
    with pytest.raises(RememberError) as caught:
        add(tmp_path, "new")
    assert (caught.value.code, note_of(tmp_path).stat().st_size) == ("note-write", FILE_CAP - 2)


def test_what_could_not_be_made_durable_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(note_of(tmp_path), b"mine\n")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("brain.files.append.os.fsync", refuse)
    with pytest.raises(RememberError) as caught:
        add(tmp_path, "new")
    assert "No space left" in caught.value.message
    assert note_of(tmp_path).read_bytes() == b"mine\n"


def test_the_day_is_that_of_the_moment_in_which_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    days = ["2026-11-30"]
    written: list[Noted] = []
    waiting = threading.Thread(
        target=lambda: written.append(add_note(str(tmp_path), "late", lambda: days[0], wait=60.0))
    )
    with FolderLock(str(tmp_path / "memory"), wait=5.0):
        waiting.start()
        days[0] = "2026-12-01"  # midnight, while another holds the folder
    waiting.join(60)

    assert [done.day for done in written] == ["2026-12-01"]
    assert note_of(tmp_path, "2026-12-01").read_text().endswith("- late\n")


def test_a_note_below_open_code_says_that_readers_do_not_see_it(tmp_path: Path) -> None:
    write(note_of(tmp_path), "```\nsome code\n")
    done = add(tmp_path, "new")

    assert done.hidden_in == "a code fence"
    assert note_of(tmp_path).read_text() == "```\nsome code\n- new\n"


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    threads = [
        threading.Thread(
            target=lambda who=who: [
                add_note(str(tmp_path), f"{who}.{n}", lambda: DAY, wait=60.0) for n in range(25)
            ]
        )
        for who in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)

    lines = note_of(tmp_path).read_text().splitlines()
    assert sorted(lines[2:]) == sorted(f"- {who}.{n}" for who in range(4) for n in range(25))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.binary(max_size=200), text=st.text(min_size=1, max_size=60))
def test_the_file_always_begins_with_what_it_held(tmp_path: Path, before: bytes, text: str) -> None:
    file = held(note_of(tmp_path), before)
    try:
        done = add(tmp_path, text)
    except RememberError:
        assert file.read_bytes() == before
        return
    after = file.read_bytes()
    assert after.startswith(before)
    assert after.endswith(b"\n")
    assert after.count(b"\n") >= done.line_end >= done.line


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MEMORY.md", True),
        ("memory/2026-01-01.md", True),
        ("memory/2026-01-01-slug.md", True),
        ("memory/topic.md", False),
        ("README.md", False),
    ],
)
def test_a_workspace_is_known_by_its_files(tmp_path: Path, name: str, *, expected: bool) -> None:
    write(tmp_path / name, "x")
    assert is_workspace(str(tmp_path)) is expected
