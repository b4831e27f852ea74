"""What is to be done first: weight times age, over unsaved work and what ails memories."""

from __future__ import annotations

import pytest

from jobs.codes import read_codes
from reports.actions import Action
from reports.snapshot import Snapshot
from reports.todo import (
    Reason,
    action_key,
    actions_of_findings,
    days_of,
    few_words,
    first_things,
    is_urgent,
    ranked,
)
from scanner.value import replace
from tests.reports.weeks import HOME, action, finding, noted, week
from tests.support import DAY, NOW

REASONS = {"d-rejected": Reason(7.5, "It keeps variants from being tried again. More."), "x": Reason(2.5, "")}


def order(*actions: Action, before: Snapshot | None = None, is_new_week: bool = True) -> tuple[Action, ...]:
    identifiers = {one.path: one.name for one in actions}
    return ranked(actions, identifiers, before, now=NOW, is_new_week=is_new_week)


def numbers(actions: tuple[Action, ...]) -> list[str]:
    return [one.name for one in actions]


def test_of_the_same_weight_the_older_one_comes_first() -> None:
    found = order(
        action(1, since=NOW - 2 * DAY), action(2, since=NOW - 9 * DAY), action(3, since=NOW - 5 * DAY)
    )

    assert numbers(found) == ["p2", "p3", "p1"]


def test_of_the_same_age_the_graver_one_comes_first() -> None:
    assert numbers(order(action(1, weight=2.5), action(2, weight=10.0), action(3, weight=5.0))) == [
        "p2",
        "p3",
        "p1",
    ]


def test_what_waits_long_overtakes_what_is_graver() -> None:
    old = action(1, weight=2.5, since=NOW - 60 * DAY)

    assert numbers(order(old, action(2, weight=10.0, since=NOW))) == ["p1", "p2"]


def test_after_two_months_waiting_makes_nothing_more_urgent() -> None:
    ancient = action(1, weight=2.5, since=NOW - 3_000 * DAY)

    assert numbers(order(ancient, action(2, weight=10.0, since=NOW - 14 * DAY))) == ["p2", "p1"]


def test_where_the_date_is_not_known_the_day_on_which_it_was_seen_first_counts() -> None:
    told = action(1, since=None, first_seen="2026-11-20")

    assert days_of(told, NOW) == 10
    assert days_of(action(1, since=None, first_seen=""), NOW) == 0


def test_what_stood_in_the_last_report_stands_a_week_longer() -> None:
    first = order(action(1))
    before = week(noted(1), days=7, todo=first, actions={"p1:uncommitted": 2})

    assert [one.weeks for one in first] == [1]
    assert [one.weeks for one in order(action(1), before=before)] == [3]
    assert [one.weeks for one in order(action(1), before=before, is_new_week=False)] == [2]
    assert [one.weeks for one in order(action(2), before=before)] == [1]


def test_the_day_on_which_something_was_seen_first_is_kept() -> None:
    before = week(noted(1, id="p1"), days=7, todo=(action(1, first_seen="2026-10-01"),))

    (kept,) = order(action(1, first_seen=""), before=before)
    (fresh,) = order(action(2, first_seen=""), before=before)

    assert (kept.first_seen, fresh.first_seen) == ("2026-10-01", "2026-11-30")


def test_findings_of_one_code_in_one_project_are_one_thing_to_do() -> None:
    found = actions_of_findings(
        [finding(1), finding(1, line=20, first_seen="2026-11-01"), finding(1, code="x"), finding(2)],
        REASONS,
        HOME,
    )

    assert [(one.name, one.code) for one in found] == [
        ("p1", "d-rejected"),
        ("p1", "x"),
        ("p2", "d-rejected"),
    ]
    assert found[0] == Action(
        path=f"{HOME}/dev/p001",
        name="p1",
        kind="d-rejected",
        fact="3 of 9 decisions do not say what was rejected (docs/decisions.md:12), and 1 more",
        why="it keeps variants from being tried again",
        command="zecher memory check -d ~/dev/p001",
        code="d-rejected",
        since=None,
        weight=7.5,
        first_seen="2026-11-01",
    )


def test_an_error_weighs_twice_as_much_as_the_gravest_rule_and_is_urgent_at_once() -> None:
    (told,) = actions_of_findings([finding(1, level="error", code="x")], REASONS, HOME)

    assert told.weight == 20.0
    assert is_urgent(told, NOW)


def test_work_that_may_be_lost_is_urgent_in_its_second_week_and_what_reads_badly_never() -> None:
    def from_day(weight: float) -> int | None:
        waited = (action(1, weight=weight, since=NOW - days * DAY) for days in range(99))
        return next((days for days, one in enumerate(waited) if is_urgent(one, NOW)), None)

    assert [from_day(weight) for weight in (20.0, 15.0, 12.0)] == [0, 7, 7]
    assert [from_day(weight) for weight in (10.0, 7.5, 5.0, 2.5)] == [None] * 4


def test_the_only_copy_of_some_work_comes_before_lines_that_are_missing_as_long() -> None:
    work = action(1, kind="no-remote", weight=12.0, since=NOW - 20 * DAY)
    lines = [action(2, kind=f"d-{number}", weight=10.0, since=NOW - 20 * DAY) for number in range(3)]

    assert ranked([*lines, work], {}, None, now=NOW, is_new_week=True)[0].path == work.path


def test_what_one_command_shows_takes_one_of_the_first_places_and_is_counted() -> None:
    same = [action(1, kind=f"k{number}", fact=f"fact {number}", command="look") for number in range(4)]
    other = [action(number) for number in range(2, 6)]

    shown, rest = first_things([*same, *other], 3)

    assert [one.fact for one in shown] == ["fact 0; 3 things more there", *["3 files are not committed"] * 2]
    assert rest == 2


def test_a_reason_that_would_be_cut_is_left_out_where_the_message_gives_one() -> None:
    reasons = {"x": Reason(5.0, "Nobody who comes next can tell in any way what it is that is meant here.")}

    with_reason, without = actions_of_findings(
        [
            finding(1, code="x", message="It is gone"),
            finding(2, code="x", message="Gone: nobody can tell"),
        ],
        reasons,
        HOME,
    )

    assert with_reason.why == "nobody who comes next can tell in any way what it …"
    assert without.why == ""


def test_a_thing_to_do_is_known_again_where_the_project_was_moved() -> None:
    here, there = action(1), action(1, path="/elsewhere")

    assert action_key(here, {here.path: "id1"}) == action_key(there, {there.path: "id1"})


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("It may have changed.", "it may have changed"),
        ("A log only grows; what no longer holds is marked, and nothing is taken out.", "a log only grows"),
        (
            "Every session finds out by itself how to start, how to test and what comes next.",
            "every session finds out by itself how to start",
        ),
        (
            "Without a rule, the next session improves a choice that was made on purpose here.",
            "without a rule, the next session improves a choice that was …",
        ),
        ("BMAD reads it. More follows.", "BMAD reads it"),
        ("", ""),
    ],
)
def test_a_reason_is_cut_where_a_part_of_it_ends(why: str, expected: str) -> None:
    assert few_words(why) == expected


def test_every_reason_of_a_finding_has_at_most_twelve_words() -> None:
    pages = [code for code in read_codes().values() if code.kind == "finding"]

    assert len(pages) > 40
    assert [code.code for code in pages if not 1 <= len(few_words(code.why).split()) <= 12] == []


def test_what_a_fresh_clone_lacks_is_one_thing_to_do() -> None:
    codes = ("b-start", "b-verify", "b-tasks")
    reasons = {code: Reason(weight, "") for code, weight in zip(codes, (2.5, 5.0, 2.5), strict=True)}

    (found,) = actions_of_findings([replace(finding(1), code=code) for code in codes], reasons, HOME)

    assert found.fact == "a fresh clone lacks a way to start, a test and a list of tasks with criteria"
    assert (found.kind, found.code, found.weight) == ("bootstrap", "b-start", 5.0)


def test_one_thing_that_a_fresh_clone_lacks_is_told_as_it_is() -> None:
    (found,) = actions_of_findings([replace(finding(1), code="b-start")], {}, HOME)

    assert (found.kind, found.code) == ("b-start", "b-start")


def test_a_progress_file_that_is_missing_is_told_once() -> None:
    missing = replace(finding(1), code="p-missing", file="AGENTS.md", line=2)
    same = [replace(missing, code=code) for code in ("s-ref-missing", "b-progress")]
    other = replace(missing, code="s-ref-missing", line=9)

    assert [one.code for one in actions_of_findings([missing, *same], {}, HOME)] == ["p-missing"]
    told = [one.code for one in actions_of_findings([missing, *same, other], {}, HOME)]
    assert told == ["p-missing", "s-ref-missing"]
    assert [one.code for one in actions_of_findings(same, {}, HOME)] == ["s-ref-missing", "b-progress"]


def test_a_line_that_the_message_names_is_not_named_again() -> None:
    told = replace(finding(1), message="A secret stands in line 3.", file="AGENTS.md", line=3)

    (found,) = actions_of_findings([told], {}, HOME)

    assert found.fact == "A secret stands in line 3 of AGENTS.md"
