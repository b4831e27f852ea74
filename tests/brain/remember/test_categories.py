from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.remember.categories import file_name, fold, is_reserved, key, label, same, similar, slug
from brain.remember.errors import RememberError

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ongoing Work", "ongoing work"),
        ("Ongoing Work", "ongoing-work"),
        ("Ongoing Work", "ongoingWork"),
        ("Ongoing Work", "ONGOING_WORK"),
        ("GitHub", "github"),
        ("Größe", "GRÖSSE"),
        ("Gro\u0308ße", "Größe"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_spellings_of_one_category_are_one(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("Größe & Maß", "Grosse Mass"),
        ("Größe", "Grosse"),
        ("🎉", "🎊"),
    ],
)
def test_categories_that_differ_in_more_than_spelling_are_two(one: str, other: str) -> None:
    assert not same(one, other)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Ongoing Work", "ongoing-work.md"),
        ("Größe & Maß", "grosse-mass.md"),
        ("a/b", "a-b.md"),
        ("..secret", "secret.md"),
        ("C:\\x", "c-x.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("C", "c.md"),
        ("C++", "cplusplus.md"),
        ("C#", "csharp.md"),
        ("日本語", "日本語.md"),
    ],
)
def test_a_file_is_named_after_its_category_and_lies_in_the_folder(name: str, file: str) -> None:
    assert file_name(label(name), NONE) == file


def test_a_name_that_is_taken_gets_a_part_of_the_hash() -> None:
    first = file_name("Größe & Maß", NONE)
    second = file_name("Grosse Mass", frozenset({fold(first)}))

    assert second != first
    assert second.startswith("grosse-mass-")


def test_a_category_without_letters_has_the_same_file_for_every_writer() -> None:
    assert file_name("🎉", NONE) == file_name("🎉\ufe0f", NONE)
    assert file_name("🎉", NONE) != file_name("🎊", NONE)
    assert file_name("🎉", NONE).startswith("category-")


def test_300_signs_fit_into_a_name_and_stay_apart_from_300_others() -> None:
    one, other = "字" * 300, "字" * 299 + "見"

    assert len(file_name(one, NONE).encode()) <= 143
    assert file_name(one, NONE) == file_name(one, NONE) != file_name(other, NONE)


@pytest.mark.parametrize("name", ["decisions", "Context", "MEMORY", "README", "2026-11-30", "con", "LPT1"])
def test_a_category_never_takes_the_name_of_another_kind_of_file(name: str) -> None:
    assert is_reserved(slug(name))
    assert file_name(name, NONE) == f"category-{slug(name)}.md"


@pytest.mark.parametrize(
    "name",
    [
        "x#y",
        "#x",
        "[x]",
        "a|b",
        "a\nb",
        "   ",
        "",
        "a\x00",
        "a\u202eb",
        "\ud800",
        "a\u200bb",
        "x" * 301,
        "--",
    ],
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(RememberError) as caught:
        label(name)
    assert caught.value.code == "category-refused"


@given(st.text(min_size=1, max_size=40))
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    try:
        name = label(name)
    except RememberError:
        return
    file = file_name(name, NONE)
    assert not {"/", "\\", "\0"} & set(file)
    assert not file.startswith(".")
    assert file.endswith(".md")
    assert len(file.encode()) <= 255
    assert key(name) == key(key(name)) or same(name, key(name))


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("prefs", ["general", "Preferences"], ("Preferences",)),
        ("preference", ["preferences"], ("preferences",)),
        ("work ongoing", ["Ongoing Work"], ("Ongoing Work",)),
        ("Grosse Mass", ["Größe & Maß"], ("Größe & Maß",)),
        ("deployment", ["deployments", "people"], ("deployments",)),
        ("C++", ["C", "C#"], ()),
        ("people", ["preferences", "general"], ()),
    ],
)
def test_a_new_category_that_may_be_an_old_one_is_told(
    name: str, others: list[str], expected: tuple[str, ...]
) -> None:
    assert similar(name, others) == expected
