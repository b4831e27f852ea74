from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.search.analyser import asked, stop_words, terms
from brain.search.folding import fold, spelled_out


@pytest.mark.parametrize(
    ("text", "ordered", "more"),
    [
        ("Häuser, Straße!", ["hauser", "strasse"], []),
        ("ﬁle Ⅳ m²", ["file", "iv", "m2"], []),
        ("Lo\u0308schen Lö\u00adschen", ["loschen", "loschen"], []),
        ("classify_by_age", ["classify", "by", "age"], ["classifybyage"]),
        ("classifyByAge", ["classifybyage"], ["classify", "by", "age"]),
        ("HTTPServer APIs GmbH2", ["httpserver", "apis", "gmbh2"], ["http", "server", "gmb"]),
        (
            "python3 k8s 10MB 10mb v2",
            ["python3", "k8s", "10mb", "10mb", "v2"],
            ["python", "10", "mb", "10", "mb", "2"],
        ),
        (
            "a/token_service.go",
            ["a", "token", "service", "go"],
            ["atokenservicego", "atokenservice", "tokenservicego", "tokenservice"],
        ),
        ("C++ c# F#. .NET", ["cplusplus", "csharp", "fsharp", "dotnet"], []),
        ("C/C++-Code in C++17", ["c", "cplusplus", "code", "in", "cplusplus", "17"], []),
        ("page#section # Titel", ["page", "section", "titel"], []),
        ("検索エンジン", ["検索", "索エ", "エン", "ンジ", "ジン"], list("検索エンジン")),
        ("水", ["水"], []),
        ("Docker起動", ["docker", "起動"], ["起", "動"]),
        ("💥 ❤️ → €", ["u1f4a5", "u2764"], []),
        ("x" * 100, ["x" * 64], []),
    ],
)
def test_a_text_has_these_terms(text: str, ordered: list[str], more: list[str]) -> None:
    assert terms(text) == (ordered, more)


@given(st.text())
def test_every_term_can_stand_between_blanks_and_in_a_quoted_query(text: str) -> None:
    for term in (*terms(text)[0], *terms(text)[1], *(group.term for group in asked(text).groups)):
        assert term
        assert not re.search(r'["\x00-\x1f\x7f]', term)
        assert len(term) <= 64 or " " in term
        term.encode()


@given(st.text(alphabet="abcäöüßéÆœ -_./'\"C+#9検索💥", max_size=40))
def test_the_terms_of_a_text_are_terms_of_themselves(text: str) -> None:
    for term in terms(text)[0]:
        assert terms(term)[0] == [term]


def _asked(text: str) -> list[tuple[str, str]]:
    return [(group.term, group.kind) for group in asked(text).groups]


def test_stop_words_are_left_out_when_something_is_left() -> None:
    assert _asked("Wie ist der Cache?") == [("cache", "word")]
    assert _asked("Wie ist der?") == [("wie", "word"), ("ist", "word"), ("der", "word")]
    assert asked("Wie ist der?").vague
    assert not asked("Cache").vague


def test_words_of_another_language_are_no_stop_words() -> None:
    assert {"war", "art", "rat", "links", "not"} & stop_words() == {"not"}


def test_what_an_apostrophe_cuts_off_is_no_word() -> None:
    assert [term for term, kind in _asked("what's l'index d\u2019une qu'il") if kind == "word"] == ["index"]


def test_neighbours_are_asked_for_as_one_word_too() -> None:
    assert ("nachtlauf", "joined") in _asked("Nacht Lauf")
    assert ("getuserorders", "joined") in _asked("get user orders")


def test_a_phrase_is_asked_for_in_whole_and_by_its_words() -> None:
    assert _asked('"rate limit"') == [
        ("rate", "word"),
        ("limit", "word"),
        ("rate limit", "phrase"),
        ("ratelimit", "joined"),
    ]


def test_an_umlaut_is_known_in_both_spellings() -> None:
    (group,) = asked("Müller").groups
    assert (group.term, group.spelled) == ("muller", "mueller")
    assert spelled_out("Größe ÄÖÜ") == "Groeße AeOeUe"


def test_a_whole_page_is_asked_by_its_beginning() -> None:
    groups = asked(" ".join(f"wort{chr(97 + at % 26)}{at}" for at in range(5000))).groups
    assert len([group for group in groups if group.kind in ("word", "whole")]) <= 64


@pytest.mark.parametrize("text", ["naïve", "Łódź", "한국어", "ÅNGSTRÖM", "été"])
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
