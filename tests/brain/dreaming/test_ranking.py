"""The score of a claim and the one gate: worked cases G21, G22, G24 and the border of each gate."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.dreaming import ranking
from brain.dreaming.ranking import consolidation, frequency, judge, recency, score_of
from brain.dreaming.values import Claim, Components, Gates
from tests.brain.dreaming.writing import claim, recalls

GATES = Gates()
THREE = ("2026-06-01", "2026-06-02", "2026-06-03")


def test_the_worked_score_of_three_signals_of_one_day_comes_out_the_same() -> None:
    parts = Components(
        frequency(3), 0.8867, 2 / 5, recency(0, 14), max(consolidation(["2026-06-01"]), 3 / 3), 1.0
    )
    assert round(score_of(parts), 4) == 0.7748


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ([], 0.0),
        (["2026-06-01"], 0.2),
        (["2026-06-01", "2026-06-02"], 0.3012),
        (["2026-06-01", "2026-06-08"], 0.6869),
        (["2026-06-01", "2026-06-02", "2026-06-03"], 0.504),
        (["2026-06-01", "2026-06-03", "2026-06-05", "2026-06-07", "2026-06-08"], 1.0),
    ],
)
def test_days_that_lie_apart_consolidate(when: list[str], expected: float) -> None:
    assert round(consolidation(when), 4) == expected


def test_the_weights_are_those_of_openclaw_and_sum_up_to_one() -> None:
    weights = ranking.WEIGHTS
    assert (weights.relevance, weights.frequency, weights.diversity) == (0.30, 0.24, 0.15)
    assert (weights.recency, weights.consolidation, weights.conceptual) == (0.15, 0.10, 0.06)
    assert round(score_of(Components(1, 1, 1, 1, 1, 1)), 9) == 1.0


def test_recency_halves_after_the_half_life() -> None:
    assert recency(0, 14) == 1.0
    assert recency(14, 14) == 0.5
    assert recency(28, 14) == 0.25


def test_ten_signals_are_as_frequent_as_can_be() -> None:
    assert frequency(10) == 1.0
    assert frequency(400) == 1.0


@pytest.mark.parametrize("age", range(11))
def test_three_plain_notes_on_adjacent_days_pass_for_ten_days(age: int) -> None:
    verdict = judge(claim(*THREE), GATES, date(2026, 6, 3) + timedelta(days=age))
    assert verdict.passed


def test_three_plain_notes_on_adjacent_days_no_longer_pass_after_that() -> None:
    assert judge(claim(*THREE), GATES, date(2026, 6, 14)).failed == ("score",)


@pytest.mark.parametrize("reading", [0.5, 0.62, 0.82, 0.92])
def test_one_note_never_passes_however_lasting_it_reads(reading: float) -> None:
    verdict = judge(claim("2026-06-01", reading=reading, tags=8), GATES, date(2026, 6, 1))
    assert verdict.failed[0] == "recurrence"


def test_two_notes_do_not_recur() -> None:
    assert "recurrence" in judge(claim(*THREE[:2]), GATES, date(2026, 6, 3)).failed


def test_two_lines_on_one_day_are_one_day() -> None:
    assert (
        "recurrence" in judge(claim(THREE[0], THREE[0], THREE[0], THREE[1]), GATES, date(2026, 6, 3)).failed
    )


def test_three_days_of_a_fragment_do_not_recur() -> None:
    """Said as what it is: its days are enough, its words are not."""
    assert judge(claim(*THREE, reading=0.5), GATES, date(2026, 6, 3)).failed == ("fragment", "score")
    assert "recurrence" in judge(claim(*THREE[:2], reading=0.5), GATES, date(2026, 6, 3)).failed


def test_a_line_marked_as_to_be_kept_passes_once() -> None:
    marked = claim("2026-06-01", reading=0.92, mark="explicit", marked="2026-06-01", tags=1)
    assert judge(marked, GATES, date(2026, 6, 1)).passed


def test_a_mark_does_not_age_within_the_highest_age() -> None:
    marked = claim("2026-06-01", reading=0.92, mark="explicit", marked="2026-06-01")
    assert judge(marked, GATES, date(2026, 7, 1)).passed
    assert judge(marked, GATES, date(2026, 7, 2)).failed == ("score", "age")


def test_three_recalls_by_two_questions_recur_with_a_single_note() -> None:
    found = recalls(("a", "2026-06-02"), ("b", "2026-06-03"), ("b", "2026-06-04"))
    assert "recurrence" not in judge(claim("2026-06-01", recalls=found), GATES, date(2026, 6, 4)).failed


def test_four_recalls_by_three_questions_are_enough_with_a_single_note() -> None:
    found = recalls(("a", "2026-06-02"), ("b", "2026-06-03"), ("c", "2026-06-04"), ("c", "2026-06-05"))
    assert judge(claim("2026-06-01", recalls=found), GATES, date(2026, 6, 5)).passed


@pytest.mark.parametrize(
    "found",
    [
        recalls(("a", "2026-06-02"), ("b", "2026-06-03")),
        recalls(("a", "2026-06-02"), ("a", "2026-06-03"), ("a", "2026-06-04")),
    ],
    ids=["two recalls", "one question"],
)
def test_fewer_recalls_or_questions_do_not(found: tuple[object, ...]) -> None:
    verdict = judge(claim("2026-06-01", recalls=found), GATES, date(2026, 6, 4))
    assert "recurrence" in verdict.failed


def test_the_score_just_at_its_minimum_passes() -> None:
    held = claim(*THREE)
    score = judge(held, GATES, date(2026, 6, 3)).score
    assert judge(held, Gates(min_score=score), date(2026, 6, 3)).passed
    assert judge(held, Gates(min_score=score + 0.001), date(2026, 6, 3)).failed == ("score",)


def test_the_highest_age_is_still_young_enough() -> None:
    gates = Gates(min_score=0)
    assert judge(claim(*THREE), gates, date(2026, 7, 3)).passed
    assert judge(claim(*THREE), gates, date(2026, 7, 4)).failed == ("age",)


def test_a_recall_makes_it_young_again() -> None:
    held = claim(*THREE, recalls=recalls(("a", "2026-07-20")))
    assert "age" not in judge(held, GATES, date(2026, 7, 21)).failed


def test_its_last_day_still_holds_and_the_next_does_not() -> None:
    held = claim(*THREE, until="2026-06-05")
    assert judge(held, GATES, date(2026, 6, 5)).passed
    assert judge(held, GATES, date(2026, 6, 6)).failed == ("expired",)


def test_what_others_found_is_failed_too_in_the_order_of_the_gates() -> None:
    verdict = judge(claim("2026-06-01"), GATES, date(2026, 6, 1), ("known", "promoted"))
    assert verdict.failed == ("recurrence", "score", "promoted", "known")


def test_more_days_can_be_asked_for() -> None:
    assert "recurrence" in judge(claim(*THREE), Gates(min_days=4), date(2026, 6, 3)).failed


def test_a_mark_counts_as_two_signals_and_two_questions() -> None:
    verdict = judge(
        claim("2026-06-01", reading=0.82, mark="staged", marked="2026-06-01"), GATES, date(2026, 6, 1)
    )
    assert verdict.components.frequency == frequency(3)
    assert verdict.components.diversity == 2 / 5
    assert verdict.components.relevance == pytest.approx((0.82 + 1 + 1) / 3)
    assert verdict.components.consolidation == 1.0


def test_a_claim_without_any_evidence_is_judged_too() -> None:
    assert "age" in judge(Claim("0" * 12, "text", "", ()), GATES, date(2026, 6, 1)).failed


@given(st.integers(0, 400), st.integers(0, 400))
def test_a_claim_that_is_only_waited_for_never_scores_higher(one: int, more: int) -> None:
    earlier = date(2026, 6, 3) + timedelta(days=one)
    later = earlier + timedelta(days=more)
    assert judge(claim(*THREE), GATES, later).score <= judge(claim(*THREE), GATES, earlier).score
