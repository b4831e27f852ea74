from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.remember.errors import RememberError
from brain.remember.forget import forget
from brain.remember.places import Place, user_places
from brain.remember.remember import remember
from tests.jobs.program import folder_state
from tests.support import DAY, NOW, write


@pytest.fixture
def places(tmp_path: Path) -> tuple[Place, ...]:
    return user_places(str(tmp_path))


def test_a_forgotten_observation_stands_at_the_end_and_no_longer_counts(places: tuple[Place, ...]) -> None:
    first, second = remember(places, "a fact", now=NOW), remember(places, "another", now=NOW)

    done = forget(places, first.id, now=NOW + DAY)

    lines = Path(done.file).read_text().splitlines()
    assert lines[4:] == [
        f"another <!-- zecher: 2026-11-30 {second.id} -->",
        "",
        "## [ARCHIVED]",
        "",
        f"a fact <!-- zecher: 2026-11-30 {first.id}, archived 2026-12-01 -->",
    ]
    assert (done.outcome, done.line, done.text) == ("archived", 9, "a fact")
    again = remember(places, "a fact", now=NOW)
    assert again.outcome == "appended"
    assert again.id != first.id
    assert Path(done.file).read_text().index(again.id) < Path(done.file).read_text().index("[ARCHIVED]")


def test_what_was_forgotten_comes_back_whole(places: tuple[Place, ...]) -> None:
    kept = remember(places, "see\n\n```\nx\n\ny\n```\n\nend", now=NOW)
    before = Path(kept.file).read_bytes()

    forget(places, kept.id, now=NOW)
    assert Path(kept.file).read_bytes() != before
    assert forget(places, kept.id, now=NOW, undo=True).outcome == "restored"

    assert Path(kept.file).read_bytes() == before


def test_what_is_archived_already_stays_as_it_is(places: tuple[Place, ...]) -> None:
    kept = remember(places, "a fact", now=NOW)
    assert forget(places, kept.id, now=NOW, undo=True).outcome == "unchanged"
    forget(places, kept.id, now=NOW)
    before = Path(kept.file).read_bytes()
    assert forget(places, kept.id, now=NOW + DAY).outcome == "unchanged"
    assert Path(kept.file).read_bytes() == before


def test_an_observation_without_a_comment_is_named_by_its_text(tmp_path: Path) -> None:
    write(tmp_path / ".notarium/memory/looks.md", "---\ntitle: Looks\n---\nlikes tabs\n\nuses vim\n")
    places = user_places(str(tmp_path))
    name = remember(places, "uses vim", category="looks", now=NOW).id

    done = forget(places, name, now=NOW)

    assert (done.outcome, done.text) == ("archived", "uses vim")
    text = (tmp_path / ".notarium/memory/looks.md").read_text()
    assert text.startswith("---\ntitle: Looks\n---\nlikes tabs\n\n## [ARCHIVED]\n\nuses vim <!-- zecher:")


@pytest.mark.parametrize("name", ["zzzz", "", "abc"])
def test_a_name_that_nothing_has_is_told(places: tuple[Place, ...], name: str) -> None:
    remember(places, "a fact", now=NOW)
    with pytest.raises(RememberError) as caught:
        forget(places, name, now=NOW)
    assert caught.value.code == "observation-missing"


def test_a_name_that_several_have_is_refused_with_their_places(tmp_path: Path) -> None:
    text = "a <!-- zecher: 2026-11-30 abcde1 -->\n\nb <!-- zecher: 2026-11-30 abcde2 -->\n"
    write(tmp_path / "memory/looks.md", text)
    with pytest.raises(RememberError, match=r"looks\.md:1, .*looks\.md:3"):
        forget(user_places(str(tmp_path)), "abcde", now=NOW)
    assert forget(user_places(str(tmp_path)), "abcde2", now=NOW).text == "b"


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(RememberError):
        forget(user_places(str(tmp_path)), "abcd", now=NOW)
    assert folder_state(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_line_ends_of_the_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "memory/looks.md"
    path.parent.mkdir()
    path.write_bytes(b"a <!-- zecher: 2026-11-30 aaaa -->\r\n\r\nb\r\nc <!-- zecher: 2026-11-30 bbbb -->\r\n")
    forget(user_places(str(tmp_path)), "bbbb", now=NOW)
    forget(user_places(str(tmp_path)), "aaaa", now=NOW)
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")


@settings(max_examples=30)
@given(order=st.permutations(range(4)), undone=st.sets(st.integers(0, 3)))
def test_in_whatever_order_nothing_is_ever_lost(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], undone: set[int]
) -> None:
    places = user_places(str(tmp_path_factory.mktemp("brain")))
    texts = ["one", "two\n\nparts", "three\n```\nx\n```", "- four\n- items"]
    names = [remember(places, text, now=NOW).id for text in texts]
    for at in order:
        forget(places, names[at], now=NOW)
    for at in undone:
        forget(places, names[at], now=NOW, undo=True)
    file = Path(places[0].folder) / "general.md"
    for at, text in enumerate(texts):
        assert file.read_text().count(text) == 1
        assert forget(places, names[at], now=NOW, undo=at not in undone).text == text
