"""How a loop stands on a day, by its own day and by what a person said of it."""

from __future__ import annotations

from datetime import date

import pytest

from brain.loops.states import Mark, counted, judged
from brain.loops.values import Loop

TODAY = date(2026, 11, 30)


def loop(name: str = "a1", due: str = "", text: str = "x") -> Loop:
    return Loop(name, "item", text, "MEMORY.md", 1, date.fromisoformat(due) if due else None)


def state(one: Loop, mark: Mark | None = None, today: date = TODAY) -> str:
    return judged([one], {one.id: mark} if mark else {}, today)[0].state


@pytest.mark.parametrize(
    ("due", "expected"),
    [
        ("", "open"),
        ("2026-11-29", "overdue"),
        ("2026-11-30", "due"),
        ("2026-12-07", "due"),
        ("2026-12-08", "open"),
        ("0001-01-01", "overdue"),
        ("9999-12-31", "open"),
    ],
)
def test_the_day_tells_the_state(due: str, expected: str) -> None:
    assert state(loop(due=due)) == expected


def test_what_is_done_stays_done() -> None:
    mark = Mark("a1", "done", due=date(2026, 11, 1))

    assert state(loop(due="2026-11-01"), mark, date(2027, 6, 1)) == "done"


def test_a_new_day_opens_what_was_done() -> None:
    assert state(loop(due="2026-12-01"), Mark("a1", "done", due=date(2026, 11, 1))) == "due"


@pytest.mark.parametrize(
    ("today", "expected"),
    [(date(2026, 12, 13), "snoozed"), (date(2026, 12, 14), "overdue"), (date(2026, 12, 15), "overdue")],
)
def test_what_is_snoozed_returns_on_its_day(today: date, expected: str) -> None:
    assert state(loop(due="2026-11-01"), Mark("a1", "snoozed", until=date(2026, 12, 14)), today) == expected


def test_a_mark_of_another_loop_says_nothing() -> None:
    assert judged([loop("a1")], {"b2": Mark("b2", "done")}, TODAY)[0].state == "open"


def test_what_wants_a_person_first_stands_first() -> None:
    loops = [
        loop("open"),
        loop("later", "2027-01-01"),
        loop("late", "2026-11-29"),
        loop("soon", "2026-12-02"),
        loop("older", "2026-11-01"),
        loop("done", "2026-11-01"),
    ]
    found = judged(loops, {"done": Mark("done", "done", due=date(2026, 11, 1))}, TODAY)

    assert [one.id for one in found] == ["older", "late", "soon", "later", "open", "done"]
    assert counted(found) == {"overdue": 2, "due": 1, "open": 2, "snoozed": 0, "done": 1}
