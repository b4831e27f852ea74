"""Whatever a card file looks like: lines that Zecher does not own stay, and the card reads back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.files.cards import GarbageError, read_values, render, rewrite
from brain.files.outline import Json
from brain.portfolio import read_portfolio
from tests.brain import bmad
from tests.brain.brains import ROOT, facts, index, put_card

SHOP = f"{ROOT}/shop"
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
FOREIGN_KEY = st.from_regex(r"[a-z]{2,8}", fullmatch=True).map(lambda word: f"my_{word}")


def _foreign(key: str, value: object) -> bytes:
    return bmad.card({key: value})


FOREIGN_LINE = st.one_of(
    st.binary(max_size=20).map(lambda data: b"# " + data.translate(None, b"\n\r\0")),
    st.just(b""),
    st.builds(_foreign, FOREIGN_KEY, JSON),
    FOREIGN_KEY.map(lambda key: f"{key}: plain words # and why".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}: |\n  status: no key\n\n  # no comment".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}:\n  - a\n  - b: c".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}: [a,\n  b]".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}: it's: not *yaml".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}: 'two\n  lines'".encode()),
    FOREIGN_KEY.map(lambda key: f"{key}: &{key} anchored".encode()),
)
OWNED = bmad.scan_card(SHOP).split(b"\n")
OWNED_LINES = st.lists(st.sampled_from(OWNED[1:]), unique=True).map(lambda lines: [OWNED[0], *lines])


@st.composite
def cards(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A card file and the lines in it that are a person's."""
    owned = draw(OWNED_LINES)
    foreign = draw(st.lists(FOREIGN_LINE, max_size=6))
    order = draw(st.permutations([*((line, True) for line in owned), *((line, False) for line in foreign)]))
    text = b"\n".join(line for line, _ in order)
    if draw(st.booleans()):
        text += b"\n"
    if draw(st.booleans()):
        text = text.replace(b"\r", b"").replace(b"\n", b"\r\n")
    if draw(st.booleans()):
        text = b"\xef\xbb\xbf" + text
    theirs = [piece for line, mine in order if not mine for piece in line.split(b"\n")]
    return text, theirs


def _lines(data: bytes) -> list[bytes]:
    return [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def _contains(lines: list[bytes], theirs: list[bytes]) -> bool:
    """Whether ``theirs`` stand in ``lines`` in their order."""
    rest = iter(lines)
    return all(any(line == their.removesuffix(b"\r") for line in rest) for their in theirs)


@settings(deadline=None)
@given(cards(), st.sampled_from(["active", "paused"]), st.booleans())
def test_lines_of_a_person_survive_and_the_card_reads_back(
    card: tuple[bytes, list[bytes]], status: str, bmad_installed: bool
) -> None:
    data, theirs = card
    with tempfile.TemporaryDirectory() as home:
        brain = Path(home, ".bmad-plus", "brain")
        path = put_card(brain, data)
        found = facts(status=status, bmad_installed=bmad_installed)
        result = index(brain, found)
        new = path.read_bytes()
        assert _contains(_lines(new), theirs)
        assert data.startswith(b"\xef\xbb\xbf") == new.startswith(b"\xef\xbb\xbf")
        if data.count(b"\n") > 1:
            assert (b"\r\n" in data) == (b"\r\n" in new)
        (read,) = read_portfolio(str(brain)).cards
        assert (read.path, read.status, read.bmad_installed, read.name) == (
            SHOP,
            status,
            bmad_installed,
            "shop",
        )
        assert [change.kind for change in result.plan.changes] == ["changed"]
        again = index(brain, found)
        assert (again.written, again.index_written) == (0, False)


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_card_or_garbage(data: bytes) -> None:
    try:
        read_values(data)
    except GarbageError:
        return
    updates: dict[str, Json] = {"path": SHOP, "status": "active"}
    new, _ = rewrite(data, updates)
    values, _ = read_values(new)
    assert values["path"] == SHOP
    assert values["status"] == "active"


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                b"path: ",
                b"status: ",
                b"stack:\n",
                b"  primary: Go\n",
                b"x: ",
                b'"',
                b"'",
                b"|\n",
                b"[",
                b"]",
                b"{",
                b"}",
                b"- ",
                b"# ",
                b"&a ",
                b"*a ",
                b"\n",
                b"\r\n",
                b"  ",
                b"word",
                b": ",
                b"---\n",
                b"...\n",
                b"\t",
                b"? ",
                b"!t ",
                b"%x\n",
                b"\xe9",
            ]
        ),
        max_size=25,
    ).map(b"".join)
)
def test_any_mix_of_yaml_signs_is_a_card_or_garbage(data: bytes) -> None:
    test_any_bytes_are_a_card_or_garbage.hypothesis.inner_test(data)  # type: ignore[attr-defined] # the bare test


@given(st.dictionaries(FOREIGN_KEY, JSON, min_size=1, max_size=6))
def test_what_is_rendered_reads_the_same_everywhere(values: dict[str, Json]) -> None:
    data = render(values)
    assert read_values(data) == (values, "")
    assert bmad.read_card(data) == values
    assert yaml.safe_load(data) == values
