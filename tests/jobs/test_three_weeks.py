"""Three weeks of one portfolio, on real folders, with real memories: what each report says of the last."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from jobs.publishing import is_ours
from jobs.snapshot_format import parse_snapshot
from tests.jobs.job_contexts import Jobs, everything
from tests.jobs.program import Program
from tests.support import Git, write

ONE, TWO, THREE = (f"weekly-2026-W{week}.md" for week in (49, 50, 51))

DECISIONS = """\
# Decisions

## 2026-11-02 - Use SQLite

- Decision: Orders live in SQLite.
- Rationale: one file, no server to run.
- Constraint: one writer at a time.
"""

PROGRESS = """\
# State

Goal: Take orders in the shop.
State: The basket works.
Blockers: none.
Next step: Checkout by card, done when test_checkout passes.
Tests: 12/12 passed with `make test`.
"""


@pytest.fixture
def jobs(home: Path, dev: Path) -> Jobs:
    """A shop whose decisions lack what was rejected, a paused engine, an archived tool in Go."""
    write(dev / "shop" / "docs/decisions.md", DECISIONS, days=3)
    write(dev / "shop" / "PROGRESS.md", PROGRESS, days=3)
    write(dev / "tools/engine" / "PROGRESS.md", PROGRESS.replace("Next step", "Later"), days=3)
    return Jobs(home, dev)


def live_three_weeks(jobs: Jobs, dev: Path, git: Git, zecher: Program) -> None:
    jobs.nightly()
    jobs.weekly()

    git.repository("dev/fresh", days=-6, files={"package.json": '{"name": "fresh"}'})
    (dev / "old").rename(dev / "older")
    jobs.nightly(7)
    jobs.weekly(1)

    done = zecher("ack", "p-next", "engine", "--reason", "it sleeps")
    assert done.code == 0, done.err
    jobs.thresholds = type(jobs.thresholds)(active=10, paused=180)
    jobs.nightly(14)
    jobs.weekly(2)


@pytest.fixture
def lived(jobs: Jobs, dev: Path, git: Git, zecher: Program) -> Jobs:
    live_three_weeks(jobs, dev, git, zecher)
    return jobs


def ages(jobs: Jobs, code: str) -> list[str]:
    """In each of the three reports the age that is said of the thing to do with that code."""
    found = []
    for name in (ONE, TWO, THREE):
        match = re.search(rf"`{code}`, ([^)]+)\)", "\n".join(jobs.section(name, "Do this first")))
        found.append(match[1] if match else "")
    return found


def test_a_finding_that_stays_ages_from_week_to_week(lived: Jobs) -> None:
    assert ages(lived, "d-rejected") == ["new", "2nd week", "3rd week"]


def test_a_finding_that_is_silenced_is_said_no_more_and_counted(lived: Jobs) -> None:
    kept = [
        parse_snapshot(path.read_bytes()) for path in sorted((lived.state / "snapshots").glob("weekly-*"))
    ]

    assert [[one.weeks for one in week.todo if one.code == "p-next"] for week in kept] == [[1], [2], []]
    assert [week.silenced for week in kept] == [0, 0, 1]
    assert "silences it (1 silenced)" in lived.text(THREE)
    assert "silenced)" not in lived.text(TWO)


def test_a_new_project_and_one_that_was_moved_are_told_in_their_week_only(lived: Jobs, dev: Path) -> None:
    assert lived.section(ONE, "What changed") == []
    assert [line.partition(",")[0] for line in lived.section(TWO, "What changed")] == [
        "- moved: old",
        "- new: fresh",
    ]
    assert f"- moved: old, `{dev}/old` -> `{dev}/older`" in lived.section(TWO, "What changed")
    assert not any("fresh" in line or "moved" in line for line in lived.section(THREE, "What changed"))


def test_a_project_that_has_gone_quiet_is_told_with_the_reason(lived: Jobs, dev: Path) -> None:
    (line,) = [line for line in lived.section(THREE, "What changed") if line.startswith("- gone quiet: shop")]

    assert line.startswith(f"- gone quiet: shop, `{dev}/shop`: active -> paused (")


def test_memory_is_compared_with_the_week_before_and_mending_it_pays(lived: Jobs, dev: Path) -> None:
    write(
        dev / "shop" / "docs/decisions.md", DECISIONS + "- Rejected: Postgres, a server to run.\n", days=-20
    )

    lived.weekly(3)

    (line,) = [
        line for line in lived.section("weekly-2026-W52.md", "Memory health") if line.startswith("- shop: ")
    ]
    assert re.match(r"- shop: \d+ % \(\+\d+\)", line)
    assert "d-rejected" not in "\n".join(lived.section("weekly-2026-W52.md", "Do this first"))


def test_what_the_second_report_compares_with_is_the_first(lived: Jobs) -> None:
    assert "first report, no comparison" in lived.text(ONE)
    assert "compared with 2026-11-30 03:17 UTC" in lived.text(TWO)
    assert "compared with 2026-12-07 03:17 UTC" in lived.text(THREE)


def test_every_report_can_be_made_again_from_what_was_kept(lived: Jobs, dev: Path, zecher: Program) -> None:
    shutil.rmtree(dev)

    assert zecher("report", "weekly", "--stdout").out.rstrip("\n") == lived.text(THREE)


def test_a_week_that_is_run_again_leaves_its_report_as_it_is(lived: Jobs) -> None:
    before = everything(lived.reports)

    lived.weekly(2)

    assert everything(lived.reports) == before


def test_the_ledger_of_a_run_keeps_how_healthy_the_memories_are(lived: Jobs) -> None:
    night, week = lived.nightly(15).counts, lived.weekly(3).counts

    for counts in (night, week):
        assert counts["memories"] >= 2
        assert 0 < counts["health"] < 100
        assert counts["findings_warning"] >= 1
        assert counts["silenced"] == 1


def test_the_dashboard_of_the_last_night_is_there(lived: Jobs) -> None:
    assert is_ours((lived.reports / "dashboard.html").read_bytes())
