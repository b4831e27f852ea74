from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.wording import plural
from reports.view import (
    below_home,
    has_odd_bytes,
    idle,
    idle_days,
    is_hostile,
    iso_time,
    parse_iso_time,
    path_bytes,
    safe_display,
    sign,
)
from tests.support import DAY, NOW


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name", "plain name"),
        ("café Straße 日本 🐍", "café Straße 日本 🐍"),
        ("a\tb", "a b"),
        ("a\nb", "a\\nb"),
        ("a\r\nb", "a\\r\\nb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x00", "\\x00"),
        ("\x7f", "\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2028", "\\u2028"),
        ("a\u200bb", "a\\u200bb"),
        ("\u061c\ufeff", "\\u061c\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        (os.fsdecode(b"caf\xe9"), "caf\\xe9"),
        ("\ud83d", "\\ud83d"),
        ("[/nope] [link=x] :skull:", "[/nope] [link=x] :skull:"),
    ],
)
def test_what_could_move_hide_or_reorder_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert shown == safe_display(text)


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
@settings(max_examples=500)
def test_shown_text_is_one_harmless_line_of_utf_8(text: str) -> None:
    shown = safe_display(text)

    shown.encode()
    assert not any(is_hostile(ord(character)) for character in shown)


@given(st.text(st.characters(codec="ascii", min_codepoint=0x20, max_codepoint=0x7E)))
def test_printable_ascii_is_left_alone(text: str) -> None:
    assert text == safe_display(text)


def test_the_bytes_of_an_odd_path_can_be_had_back() -> None:
    path = os.fsdecode(b"/srv/caf\xe9")

    assert has_odd_bytes(path)
    assert path_bytes(path) == "L3Nydi9jYWbp"
    assert not has_odd_bytes("/srv/café")


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        (-3, "<1d"),
        (0.99, "<1d"),
        (1, "1d"),
        (12.7, "12d"),
        (59.9, "59d"),
        (61, "2mo"),
        (729, "23mo"),
        (731, "2y"),
        (4000, "10y"),
    ],
)
def test_idle_time_is_short(days: float, shown: str) -> None:
    assert shown == idle(NOW - days * DAY, NOW)


def test_idle_time_of_no_date_is_a_dash() -> None:
    assert idle(None, NOW) == "-"
    assert idle_days(None, NOW) is None


@pytest.mark.parametrize(
    ("when", "text"),
    [(NOW, "2026-11-30T03:17:04Z"), (0.0, "1970-01-01T00:00:00Z"), (None, None), (1e20, None), (-1e13, None)],
)
def test_a_time_is_utc_or_nothing(when: float | None, text: str | None) -> None:
    assert text == iso_time(when)


@given(st.integers(min_value=-62_135_596_800, max_value=253_402_300_799))
def test_a_time_that_was_written_is_read_back(when: int) -> None:
    assert when == parse_iso_time(iso_time(float(when)))


@pytest.mark.parametrize("text", [None, "", "2026-11-30", "2026-13-30T03:17:04Z", "x" * 20])
def test_what_is_no_time_is_none(text: str | None) -> None:
    assert parse_iso_time(text) is None


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/ana/dev/shop", "~/dev/shop"),
        ("/home/ana", "~"),
        ("/home/anabel/x", "/home/anabel/x"),
        ("/srv/x", "/srv/x"),
        ("/home/ana/a\nb", "~/a\\nb"),
    ],
)
def test_a_path_is_shown_relative_to_home(path: str, shown: str) -> None:
    assert shown == below_home(path, "/home/ana")


def test_a_home_at_the_root_shortens_nothing() -> None:
    assert below_home("/srv/x", "/") == "/srv/x"
    assert below_home("/srv/x", "") == "/srv/x"


def test_every_status_has_a_sign_and_an_unknown_one_a_question_mark() -> None:
    assert "".join(map(sign, ("active", "paused", "archived", "missing", "unknown", "odd"))) == "●◐○✗??"


def test_counts_are_words() -> None:
    assert (plural(1, "entry", "entries"), plural(1200, "entry", "entries")) == ("1 entry", "1,200 entries")
