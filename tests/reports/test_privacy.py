from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.privacy import HIDDEN, Places

HOME = "/home/ana"


def test_a_path_below_home_begins_with_a_tilde() -> None:
    places = Places(HOME)
    assert places.path("/home/ana/dev/shop") == "~/dev/shop"
    assert places.path("/home/anabel/dev") == "/home/anabel/dev"
    assert places.path("/srv/git") == "/srv/git"


def test_inside_a_sentence_home_is_a_tilde_and_a_longer_name_is_not() -> None:
    places = Places(HOME)
    assert places.text("see /home/ana/dev/a and /home/ana.") == "see ~/dev/a and ~."
    assert places.text("see /home/anabel and /home/ana-old/x") == "see /home/anabel and /home/ana-old/x"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("git -C ~/dev/shop push", "git -C … push"),
        ("git -C '/home/ana/my shop' push", "git -C … push"),
        ("the root /mnt/usb is not there", "the root … is not there"),
        ("/home/ana/dev/shop/src/a.py:3 is wrong", "…:3 is wrong"),
        ("read/write, 3/4, and/or", "read/write, 3/4, and/or"),
        (".agents/memory/context.md:7", ".agents/memory/context.md:7"),
        ("cd ~ana/x", "cd …"),
    ],
)
def test_redacted_a_sentence_keeps_all_but_its_paths(text: str, shown: str) -> None:
    known = ("/home/ana/dev/shop", "/home/ana/my shop", "/mnt/usb")
    assert Places(HOME, known, redact=True).text(text) == shown


def test_redacted_a_path_is_hidden_and_none_stays_none() -> None:
    places = Places(HOME, redact=True)
    assert places.path("/srv/secret") == HIDDEN
    assert places.path("") == ""


@given(
    st.lists(st.text("abc/ .-ü'\"", min_size=2), max_size=4).map(lambda names: [f"/{one}" for one in names])
)
def test_redacted_no_known_path_is_ever_left(known: list[str]) -> None:
    places = Places(HOME, known, redact=True)
    told = places.text(" ".join(f"at [{path}] " for path in known))
    assert [path for path in known if f"[{path}]" in told] == []


@given(st.text())
def test_any_text_is_shown_as_one_line(text: str) -> None:
    for redact in (False, True):
        shown = Places(HOME, (text,), redact=redact).text(text)
        assert shown.splitlines() in ([], [shown])
        shown.encode()
