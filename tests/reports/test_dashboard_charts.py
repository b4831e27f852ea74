"""The geometry of the charts as values: what is drawn is what is true."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.charts.bars import bars
from reports.charts.heat_map import heat_map
from reports.charts.ring import donut
from reports.charts.scatter import scatter
from reports.charts.trend import trend

TODAY = date(2026, 11, 30)  # a Monday
LIMITS = ((30.0, "paused"), (180.0, "archived"))


def test_the_ring_says_its_counts_and_leaves_out_what_is_zero() -> None:
    made = donut([("active", 3), ("paused", 0), ("archived", 1)])
    assert made.sentence == "Of 4 projects: 3 active, 1 archived."
    assert [(one.label, one.count, one.share) for one in made.arcs] == [
        ("active", 3, 75),
        ("archived", 1, 25),
    ]
    assert made.rows == (("active", "3", "75%"), ("archived", "1", "25%"))


def test_a_quarter_of_the_ring_ends_at_three_oclock() -> None:
    first, second = donut([("active", 1), ("paused", 3)]).arcs
    assert first.path == "M80 6A74 74 0 0 1 154 80L130 80A50 50 0 0 0 80 30z"
    assert second.path.startswith("M154 80A74 74 0 1 1 80 6L80 30")


def test_one_status_alone_is_a_whole_ring_without_a_seam() -> None:
    (arc,) = donut([("active", 7)]).arcs
    assert arc.path.count("M") == 2
    assert "L" not in arc.path


def test_ten_stacks_have_a_bar_of_their_own_and_the_others_one_together() -> None:
    labels = [f"s{number:02d}" for number in range(14) for _ in range(20 - number)]
    made = bars(labels)
    assert [one.label for one in made.bars] == [*(f"s{number:02d}" for number in range(10)), "4 others"]
    assert made.bars[-1].rest
    assert made.bars[-1].count == 10 + 9 + 8 + 7
    assert sum(one.count for one in made.bars) == len(labels)
    assert made.sentence == f"s00 leads with 20 of {len(labels)} projects; 14 stacks in all."


def test_one_stack_more_than_ten_is_named_and_not_called_others() -> None:
    made = bars(f"s{number}" for number in range(11))
    assert len(made.bars) == 11
    assert not any(one.rest for one in made.bars)


@given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1))
def test_bars_are_as_long_as_their_counts(labels: list[str]) -> None:
    made = bars(labels)
    most = max(one.count for one in made.bars)
    for one in made.bars:
        assert one.width == pytest.approx(max(1.0, 170 * one.count / most), abs=0.06)


@pytest.mark.parametrize("days", range(7))
def test_the_map_has_53_weeks_and_ends_with_today(days: int) -> None:
    today = TODAY + timedelta(days=days)
    first = today - timedelta(days=today.weekday() + 52 * 7)
    made = heat_map({first.isoformat(): 2, today.isoformat(): 9}, today)
    left, right = made.halves
    assert (left.width + right.width) // 12 == 53
    assert [(one.x, one.y, one.words) for one in left.cells] == [(0, 0, f"{first.isoformat()}: 2")]
    assert [(one.x, one.y, one.words) for one in right.cells] == [
        (25 * 12, 12 * days, f"{today.isoformat()}: 9")
    ]
    assert (left.empty + right.empty).count("M") == 52 * 7 + days + 1 - 2
    assert made.sentence == f"11 commits on 2 of {52 * 7 + days + 1} days; most, 9, on {today.isoformat()}."


def test_what_lies_outside_the_53_weeks_is_not_counted() -> None:
    made = heat_map({"2020-01-01": 5, "2026-12-01": 5, "nonsense": 5}, TODAY)
    assert made.sentence == "No commit in the last 53 weeks."
    assert made.rows == ()


def test_days_that_nobody_counted_are_not_called_idle() -> None:
    assert heat_map({}, TODAY).sentence == "Commits were not counted yet."


def test_one_busy_day_alone_has_one_shade() -> None:
    assert heat_map({TODAY.isoformat(): 398}, TODAY).levels == (("0", 0), ("398", 4))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=300))
def test_a_darker_day_never_has_fewer_commits(counts: list[int]) -> None:
    days = {(TODAY - timedelta(days=back)).isoformat(): count for back, count in enumerate(counts)}
    made = heat_map(days, TODAY)
    cells = sorted(
        (int(one.words.split(": ")[1].replace(",", "")), one.level)
        for half in made.halves
        for one in half.cells
    )
    assert [level for _, level in cells] == sorted(level for _, level in cells)
    assert {level for _, level in cells} <= {level for _, level in made.levels} - {0}
    assert cells[-1][1] == 4


def test_the_legend_says_which_counts_have_which_shade() -> None:
    days = {(TODAY - timedelta(days=back)).isoformat(): back + 1 for back in range(20)}
    made = heat_map(days, TODAY)
    assert made.levels == (("0", 0), ("1 to 5", 1), ("6 to 10", 2), ("11 to 15", 3), ("16 to 20", 4))


def test_the_line_breaks_where_no_run_was() -> None:
    known = [("2026-W44", 60), ("2026-W45", 62), ("2026-W48", 70), ("2026-W49", 71)]
    made = trend(known, TODAY)
    assert len(made.lines) == 2
    assert len(made.gaps) == 1
    assert made.gaps[0][1] == pytest.approx(2 * 270 / 25, abs=0.1)
    assert made.sentence == "Memory health rose from 60% in 2026-W44 to 71% in 2026-W49; no run in 2 weeks."
    assert [row[1] for row in made.rows] == ["71%", "70%", "no run", "no run", "62%", "60%"]
    assert made.last is not None
    assert made.last[0] == 304


def test_weeks_before_the_first_are_no_gap_and_missing_weeks_at_the_end_are_one() -> None:
    made = trend([("2026-W40", 50)], TODAY)
    assert len(made.gaps) == 1
    assert made.lines == ()
    assert made.sentence == "Memory health is 50% in 2026-W40, the first week measured; no run in 9 weeks."


def test_the_turn_of_the_year_breaks_no_line() -> None:
    made = trend([("2026-W52", 50), ("2026-W53", 51), ("2027-W01", 52)], date(2027, 1, 5))
    assert len(made.lines) == 1
    assert made.gaps == ()
    assert made.lines[0].count(",") == 3


def test_weeks_older_than_26_and_words_that_are_none_are_left_out() -> None:
    made = trend([("2025-W01", 5), ("nonsense", 9), ("2026-W49", 70)], TODAY)
    assert len(made.dots) == 1


def test_a_point_stands_where_its_numbers_are() -> None:
    made = scatter([("new", "active", 0.0, 100), ("old", "archived", 3650.0, 0)], LIMITS, 3)
    assert [(one.x, one.y) for one in made.points] == [(40, 14), (408, 204)]
    assert [one.words for one in made.points] == ["new: 0 days, 100%", "old: 3,650 days, 0%"]
    assert (
        made.sentence
        == "0 of 2 projects with a memory are active and below 70%; 3 without one are not drawn."
    )


@given(
    st.lists(st.tuples(st.just("n"), st.just("active"), st.floats(0, 9000), st.integers(0, 100)), min_size=1)
)
def test_the_numbers_below_the_points_count_every_one(projects: list[tuple[str, str, float, int]]) -> None:
    made = scatter(projects, LIMITS, 0)
    assert sum(int(cell) for row in made.rows for cell in row[1:]) == len(projects)
    assert all(len(row) == len(made.head) for row in made.rows)


def test_the_axis_grows_evenly_by_the_logarithm() -> None:
    made = scatter([("n", "active", 1000.0, 50)], LIMITS, 0)
    places = {words: x for x, words in made.ticks}
    assert places["1 month"] == pytest.approx(40 + 368 * math.log(31) / math.log(1001), abs=0.1)
    assert {words: x for x, words in made.limits}["paused"] == places["1 month"]


@given(st.lists(st.tuples(st.sampled_from(["active", "paused", "<x>"]), st.integers(0, 10**6)), max_size=5))
def test_every_sector_is_drawn_with_finite_numbers(counts: list[tuple[str, int]]) -> None:
    made = donut(counts)
    assert all(re.fullmatch(r"[MALz\d. -]+", one.path) for one in made.arcs)
    assert sum(one.count for one in made.arcs) == made.total
