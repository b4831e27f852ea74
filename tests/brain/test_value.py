"""Values of the brain behave as dataclasses of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from brain.value import Value, dataclass, field, parts_of, replace


@dataclass(frozen=True, slots=True)
class Said:
    """Frozen, with a default."""

    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Decided(Said):
    """With the parts of another before its own."""

    why: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass(slots=True, unsafe_hash=True)
class Entry:
    """Open to change, and hashed all the same."""

    name: str


@dataclass(slots=True)
class Box:
    """Open to change."""

    held: list[int] = field(default_factory=list)


class Plain(Value):
    """By hand."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def test_inherited_parts_come_first_and_keep_their_defaults() -> None:
    assert Decided("a", 3, "b") == Decided(line=3, why="b", text="a")
    assert (Decided("a").line, Decided("a").why, Decided("a").tags) == (0, "", [])
    assert isinstance(Decided("a"), Said)


def test_a_value_of_a_kind_is_none_of_the_kind_that_it_comes_from() -> None:
    assert Said("a") != Decided("a")
    assert Said("a") != Plain("a")
    assert len({Said("a"), Said("a", 0), Said("b")}) == 2


def test_each_value_makes_its_default_for_itself() -> None:
    box = Box()
    box.held.append(1)

    assert (box.held, Box().held, Decided("a").tags is Decided("a").tags) == ([1], [], False)


def test_what_is_frozen_refuses_every_change() -> None:
    said = Said("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="'text' of a Said"):
        said.text = "b"  # type: ignore[misc] # that it is refused is the point
    assert said == Said("a")


def test_only_what_says_so_can_be_hashed() -> None:
    entry = Entry("a")
    entry.name = "b"

    assert hash(entry) == hash(Entry("b"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Box())


def test_too_few_parts_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match="'text'"):
        Decided()  # type: ignore[call-arg] # as above


def test_the_standard_library_takes_them_for_its_own() -> None:
    decided = Decided("a", 1, "b")

    assert dataclasses.is_dataclass(decided)
    assert [one.name for one in dataclasses.fields(decided)] == ["text", "line", "why", "tags"]
    assert dataclasses.asdict(decided) == {"text": "a", "line": 1, "why": "b", "tags": []}
    assert dataclasses.replace(decided, why="c") == replace(decided, why="c") == Decided("a", 1, "c")


def test_they_are_shown_copied_and_pickled() -> None:
    decided = Decided("a", why="b")

    assert repr(decided) == "Decided(text='a', line=0, why='b', tags=[])"
    assert copy.copy(decided) == copy.deepcopy(decided) == decided
    assert pickle.loads(pickle.dumps(decided)) == decided  # noqa: S301 - our own bytes
    assert pickle.loads(pickle.dumps(Box([1]))) == Box([1])  # noqa: S301 - as above


def test_their_parts_have_names_and_others_have_none() -> None:
    assert parts_of(Decided("a")) == ("text", "line", "why", "tags")
    assert parts_of(Plain("a")) == parts_of("a") == ()
