"""The picture of a portfolio: bounded however bad it is, with what earlier runs knew carried on."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.health.values import Finding, Health, Outcome
from jobs.health import HealthSettings, PortfolioHealth, Subject
from jobs.picture import Earlier, take_picture, with_problems
from jobs.registry import CancelledRun, CancelToken
from jobs.rounds import make_round
from jobs.snapshot_format import snapshot_bytes
from reports.snapshot import FINDINGS, PROBLEMS, TODO, Noted, Snapshot
from scanner.project import Problem
from scanner.value import replace
from tests.jobs.job_contexts import Jobs
from tests.support import DAY, NOW

MEBIBYTE = 1024 * 1024


@pytest.fixture
def jobs(home: Path, dev: Path) -> Jobs:
    return Jobs(home, dev)


def ill(path: str) -> Health:
    findings = tuple(
        Finding(
            "d-rejected", "warning", path, f"decisions-{number}.md", number, "m" * 900, "f" * 900, str(number)
        )
        for number in range(12)
    )
    return Health(path, (Outcome("d-rejected", 7.5, passed=False),), findings, tokens=900)


def picture(
    jobs: Jobs,
    monkeypatch: pytest.MonkeyPatch,
    earlier: Earlier,
    *,
    count: int = 3,
    is_weekly: bool = False,
    slot: str = "2026-W49",
) -> Snapshot:
    """Of ``count`` projects whose memories are ill; the folders that the scan sees are three."""
    projects = tuple(Noted(f"id{n}", f"/dev/p{n:03d}", f"p{n}", "active") for n in range(count))

    def examine(subjects: list[Subject], _: HealthSettings, cancel: object) -> PortfolioHealth:
        assert callable(cancel)
        days = {"2025-11-23": 1, "2025-11-25": 2, "2026-11-30": 3}
        return PortfolioHealth({one.path: ill(one.path) for one in subjects}, percent=40, days=days)

    monkeypatch.setattr("jobs.picture.examine_all", examine)
    context = jobs.context("weekly", slot, NOW)
    made = make_round(context)
    return take_picture(context, made, projects, earlier, slot=slot, is_weekly=is_weekly).snapshot


NOTHING = Earlier(None, None)


def test_a_picture_of_500_ill_projects_is_bounded(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = picture(jobs, monkeypatch, NOTHING, count=500)
    problems = [Problem("x", "warning", f"/p/{n}", "m") for n in range(999)]

    kept = with_problems(taken, [*problems, Problem("y", "error", "/z", "m")])

    assert len(kept.findings) == FINDINGS
    assert kept.finding_counts == {"warning": 6_000}
    assert len(kept.todo) <= TODO
    assert len(kept.problems) == PROBLEMS
    assert (kept.problems[0].code, kept.problem_counts) == ("y", {"warning": 999, "error": 1})
    assert len(snapshot_bytes(kept)) < 3 * MEBIBYTE


def test_what_is_to_do_comes_from_work_and_from_memory(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = picture(jobs, monkeypatch, NOTHING)

    assert {one.code for one in taken.todo} >= {"d-rejected", "no-remote"}
    assert set(taken.actions) >= {f"id{number}:d-rejected" for number in range(3)}


def test_a_finding_that_stays_stands_a_week_longer_in_each_weekly_report(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = picture(jobs, monkeypatch, NOTHING, is_weekly=True)
    second = picture(jobs, monkeypatch, Earlier(first, None), is_weekly=True)
    third = picture(jobs, monkeypatch, Earlier(second, None), is_weekly=True)
    night = picture(jobs, monkeypatch, Earlier(third, None))

    assert [one.actions["id1:d-rejected"] for one in (first, second, third, night)] == [1, 2, 3, 3]


def test_what_a_late_weekly_run_measures_is_of_its_own_week(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run of Sunday, 2026-W48, caught up on Monday."""
    night = replace(picture(jobs, monkeypatch, NOTHING), trend=(("2026-W47", 30), ("2026-W49", 35)))

    late = picture(jobs, monkeypatch, Earlier(None, night), is_weekly=True, slot="2026-W48")

    assert late.trend == (("2026-W47", 30), ("2026-W48", 40), ("2026-W49", 35))
    assert (late.week, late.change) == ("2026-W48", ("2026-W47", 30))


def test_the_trend_is_carried_on_for_half_a_year_with_gaps(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = picture(jobs, monkeypatch, NOTHING)
    week = replace(base, trend=(("2026-W22", 50), ("2026-W24", 60), ("2026-W48", 70)))
    night = replace(base, trend=(("2026-W48", 71), ("2026-W49", 72)))

    assert base.trend == (("2026-W49", 40),)
    assert picture(jobs, monkeypatch, Earlier(week, night)).trend == (
        ("2026-W24", 60),
        ("2026-W48", 71),
        ("2026-W49", 40),
    )


def test_commits_by_day_reach_back_one_year(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    assert picture(jobs, monkeypatch, NOTHING).days == {"2025-11-25": 2, "2026-11-30": 3}


def test_a_run_that_shall_end_ends_between_two_memories(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    context = jobs.context("weekly", "2026-W49", NOW + DAY, cancel=CancelToken())
    made = make_round(context)

    def examine(_: object, __: object, cancel: object) -> PortfolioHealth:
        context.cancel.cancel()
        assert callable(cancel)
        cancel()
        raise AssertionError("it went on")

    monkeypatch.setattr("jobs.picture.examine_all", examine)

    with pytest.raises(CancelledRun):
        take_picture(context, made, made.projects, NOTHING, slot="2026-W49")
