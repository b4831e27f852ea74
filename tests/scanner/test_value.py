from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from scanner.value import Value, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """Frozen, with a default."""

    x: int
    y: int = 2


@dataclass(slots=True)
class Box:
    """Open to change, with a default that each makes for itself."""

    held: list[int] = field(default_factory=list)


class Plain(Value):
    """By hand."""

    __slots__ = ("a",)

    def __init__(self, a: int) -> None:
        self.a = a


def test_parts_are_given_by_place_by_name_or_by_default() -> None:
    assert [Point(1), Point(1, 3), Point(y=5, x=4)] == [Point(1, 2), Point(1, 3), Point(4, 5)]


@pytest.mark.parametrize("wrong", [(), (1, 2, 3)])
def test_too_few_and_too_many_parts_are_refused_by_name(wrong: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\)"):
        Point(*wrong)


def test_equal_parts_of_one_class_are_equal_and_hash_alike() -> None:
    assert len({Point(1), Point(1, 2), Point(2)}) == 2
    assert Point(1) != Plain(1)
    assert Plain(1) == Plain(1)


def test_a_frozen_value_refuses_every_change() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x' of a Point"):
        point.x = 3  # type: ignore[misc] # that it is refused is the point
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert point == Point(1)


def test_an_open_value_changes_and_cannot_be_hashed() -> None:
    box = Box()
    box.held.append(1)
    box.held = [*box.held, 2]
    assert (box.held, Box().held) == ([1, 2], [])
    with pytest.raises(TypeError, match="unhashable"):
        hash(box)


def test_no_part_can_be_invented() -> None:
    with pytest.raises(AttributeError):
        Box().other = 1  # type: ignore[attr-defined] # as above


def test_replace_leaves_the_first_as_it_was() -> None:
    point = Point(1)
    assert (replace(point, y=7), point) == (Point(1, 7), Point(1, 2))
    with pytest.raises(TypeError):
        replace(point, z=1)  # type: ignore[call-arg] # as above


def test_copies_and_pickles_are_equal() -> None:
    assert copy.deepcopy(Point(1)) == pickle.loads(pickle.dumps(Point(1))) == Point(1)  # noqa: S301 - our own bytes


def test_it_is_shown_as_it_would_be_written() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2)"
    assert repr(Plain(1)) == "Plain(a=1)"


def test_the_standard_library_takes_it_for_a_dataclass() -> None:
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2}
    assert dataclasses.replace(Point(1), x=9) == Point(9)
    assert [(part.name, part.default_factory) for part in dataclasses.fields(Box)] == [("held", list)]


def test_parts_are_matched_by_place() -> None:
    match Point(1, 3):
        case Point(x, y):
            assert (x, y) == (1, 3)


def test_a_scan_brings_neither_dataclasses_nor_inspect() -> None:
    modules = "scanner.scan, brain.portfolio, jobs.cli.scan_run"
    code = f"import sys, {modules}; print(sorted({{'dataclasses', 'inspect', 'typing'}} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown == "[]\n"
