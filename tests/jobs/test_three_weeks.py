"""Three weeks of one portfolio, on real folders, with real memories: what each report says of the last."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from jobs.publishing import is_ours
from jobs.snapshot_format import parse_snapshot
from scanner.project import Thresholds
from tests.jobs.job_contexts import Jobs, everything
from tests.jobs.program import Program
from tests.support import GIT_ENVIRONMENT, Git, write

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


class Life:
    """Three weeks of a shop whose decisions lack what was rejected, a paused engine and an archived tool."""

    def __init__(self, root: Path) -> None:
        self.dev, self.home = root / "dev", root / "home"
        self.git = Git(root)
        self.home.mkdir()
        self.zecher = Program(self.home, self.home)
        self.jobs = Jobs(self.home, self.dev)

    def begin(self) -> None:
        shop = {"pyproject.toml": '[project]\nname = "shop"\n'}
        engine = {"Cargo.toml": '[package]\nname = "engine"\n'}
        self.git.repository("dev/shop", days=2, files=shop)
        self.git.repository("dev/tools/engine", days=100, files=engine)
        self.git.repository("dev/old", days=900, files={"go.mod": "module example.com/old\n"})
        write(self.dev / "shop/docs/decisions.md", DECISIONS, days=3)
        write(self.dev / "shop/PROGRESS.md", PROGRESS, days=3)
        write(self.dev / "tools/engine/PROGRESS.md", PROGRESS.replace("Next step", "Later"), days=3)

    def live(self) -> None:
        self.jobs.nightly()
        self.jobs.weekly()

        self.git.repository("dev/fresh", days=-6, files={"package.json": '{"name": "fresh"}'})
        (self.dev / "old").rename(self.dev / "older")
        self.jobs.nightly(7)
        self.jobs.weekly(1)

        done = self.zecher("ack", "p-next", "engine", "--reason", "it sleeps")
        assert done.code == 0, done.err
        self.jobs.thresholds = Thresholds(active=10)
        self.jobs.nightly(14)
        self.jobs.weekly(2)


def lived_in(root: Path) -> Life:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in GIT_ENVIRONMENT.items():
            patch.setenv(name, value)
        life = Life(root)
        life.begin()
        life.live()
    return life


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Lived once, for tests that only read."""
    return lived_in(tmp_path_factory.mktemp("life"))


@pytest.fixture
def lived(life: Life) -> Jobs:
    return life.jobs


@pytest.fixture
def dev(life: Life) -> Path:
    return life.dev


@pytest.fixture
def going_on(tmp_path: Path) -> Life:
    """One of this test's own, to go on with."""
    return lived_in(tmp_path)


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


def test_what_is_mended_and_run_again_pays_and_every_run_counts_it(going_on: Life) -> None:
    jobs = going_on.jobs
    before = everything(jobs.reports)
    jobs.weekly(2)
    assert everything(jobs.reports) == before
    mended = DECISIONS + "- Rejected: Postgres, a server to run.\n"
    write(going_on.dev / "shop" / "docs/decisions.md", mended, days=-20)

    night, week = jobs.nightly(15).counts, jobs.weekly(3).counts

    (line,) = [
        line for line in jobs.section("weekly-2026-W52.md", "Memory health") if line.startswith("- shop: ")
    ]
    assert re.match(r"- shop: \d+ % \(\+\d+\)", line)
    assert "d-rejected" not in "\n".join(jobs.section("weekly-2026-W52.md", "Do this first"))
    for counts in (night, week):
        assert counts["memories"] >= 2
        assert 0 < counts["health"] < 100
        assert counts["findings_warning"] >= 1
        assert counts["silenced"] == 1
    shutil.rmtree(going_on.dev)
    again = going_on.zecher("report", "weekly", "--stdout")
    assert again.out.rstrip("\n") == jobs.text("weekly-2026-W52.md")


def test_what_the_second_report_compares_with_is_the_first(lived: Jobs) -> None:
    assert "first report, no comparison" in lived.text(ONE)
    assert "compared with 2026-11-30 03:17 UTC" in lived.text(TWO)
    assert "compared with 2026-12-07 03:17 UTC" in lived.text(THREE)


def test_the_dashboard_of_the_last_night_is_there(lived: Jobs) -> None:
    assert is_ours((lived.reports / "dashboard.html").read_bytes())
