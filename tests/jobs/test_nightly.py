"""The nightly job on real folders: it indexes, compares with the night before, and reports."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.nightly import nightly
from jobs.publishing import is_ours
from jobs.registry import CancelledRun, CancelToken
from scanner.project import Thresholds
from tests.jobs.job_contexts import Jobs, everything
from tests.jobs.program import ROOT
from tests.support import DAY, NOW, Git, write

REPORT = "nightly-2026-11-30.md"
NEXT = "nightly-2026-12-01.md"


@pytest.fixture
def jobs(home: Path, dev: Path) -> Jobs:
    return Jobs(home, dev)


def test_the_first_night_indexes_all_and_says_that_there_is_no_comparison(jobs: Jobs) -> None:
    done = jobs.nightly()

    assert (done.outcome, done.problems) == ("ok", ())
    assert len(list((jobs.brain / "projects").glob("*.yaml"))) == 3
    assert jobs.text(REPORT) == (
        "# Nightly report, 2026-11-30\n\n"
        "3 projects: 1 active, 1 paused, 1 archived; first report, no comparison; 3 at risk.\n\n"
        "## Coverage\n\n"
        f"{jobs.section(REPORT, 'Coverage')[0]}\n\n"
        "Seen 2026-11-30 03:17 UTC; 3 cards written to the index."
    )
    assert jobs.section(REPORT, "Coverage")[0].startswith("- searched ")
    assert done.summary == (
        "3 projects: 1 active, 1 paused, 1 archived; first report, no comparison; 3 at risk."
    )
    assert {key: done.counts[key] for key in ("projects", "active", "with_risk", "written", "errors")} == {
        "projects": 3,
        "active": 1,
        "with_risk": 3,
        "written": 3,
        "errors": 0,
    }


def test_the_latest_report_is_the_same_as_that_of_the_night(jobs: Jobs) -> None:
    jobs.nightly()

    assert (jobs.reports / "latest-nightly.md").read_bytes() == (jobs.reports / REPORT).read_bytes()


def test_every_output_is_named_with_its_digest_and_size(jobs: Jobs) -> None:
    done = jobs.nightly()

    assert [os.path.basename(one.path) for one in done.outputs] == [
        REPORT,
        "latest-nightly.md",
        "dashboard.html",
        "nightly-20261130T031704Z.json",
    ]
    for one in done.outputs:
        data = Path(one.path).read_bytes()
        assert (one.sha256, one.bytes) == (hashlib.sha256(data).hexdigest(), len(data))


def test_a_night_without_changes_says_so(jobs: Jobs) -> None:
    jobs.nightly()
    jobs.nightly(1)

    assert "; nothing changed since 2026-11-30 03:17 UTC; " in jobs.text(NEXT)
    assert jobs.section(NEXT, "What changed") == []


def test_what_changed_since_the_last_night_is_told(jobs: Jobs, dev: Path, git: Git) -> None:
    jobs.nightly()
    git.repository("dev/fresh", days=0.2, files={"package.json": '{"name": "fresh"}'})
    shutil.rmtree(dev / "tools" / "engine")
    (dev / "old").rename(dev / "older")
    write(dev / "shop" / "pyproject.toml", '[project]\nname = "shop"\ndependencies = ["django"]\n', days=1)

    done = jobs.nightly(1)

    below = str(dev)
    assert jobs.section(NEXT, "What changed") == [
        f"- at risk: shop, `{below}/shop`: uncommitted",
        f"- gone: engine, `{below}/tools/engine`, was paused",
        f"- moved: old, `{below}/old` -> `{below}/older`",
        f"- new: fresh, `{below}/fresh`: Node.js, active; at risk: no-remote",
        f"- stack: shop, `{below}/shop`: Python -> Django",
    ]
    assert done.counts["changes_moved"] == done.counts["changes_gone"] == done.counts["changes_new"] == 1


def test_a_project_that_was_taken_up_again_and_one_that_rests_now_are_told(jobs: Jobs, dev: Path) -> None:
    jobs.nightly()
    jobs.thresholds = Thresholds(active=1, paused=3000)

    jobs.nightly(1)

    assert [line.partition(" (")[0] for line in jobs.section(NEXT, "What changed")] == [
        f"- revived: old, `{dev}/old`: archived -> paused",
        f"- gone quiet: shop, `{dev}/shop`: active -> paused",
        "- the thresholds of active and paused were changed",
    ]


def test_work_that_is_newly_at_risk_is_told_once(jobs: Jobs, dev: Path) -> None:
    jobs.nightly()
    write(dev / "shop" / "draft.txt", "a thought\n")
    jobs.nightly(1)
    assert jobs.section(NEXT, "What changed") == [f"- at risk: shop, `{dev}/shop`: uncommitted"]

    jobs.nightly(2)

    assert jobs.section("nightly-2026-12-02.md", "What changed") == []


def test_a_project_on_a_root_that_is_away_for_a_night_is_neither_gone_nor_new(
    jobs: Jobs, tmp_path: Path, git: Git
) -> None:
    git.repository("disk/photos", days=2)
    jobs.roots = (*jobs.roots, tmp_path / "disk")
    jobs.nightly()
    (tmp_path / "disk").rename(tmp_path / "away")
    away = jobs.nightly(1)
    assert away.outcome == "partial"
    assert [problem.code for problem in away.problems if problem.level == "error"] == ["root-missing"]
    assert jobs.section(NEXT, "What changed") == ["- not looked at this time: 1"]
    (tmp_path / "away").rename(tmp_path / "disk")

    jobs.nightly(2)

    (line,) = jobs.section("nightly-2026-12-02.md", "What changed")
    assert line.startswith("- back: photos, ")


def test_the_same_night_on_the_same_folders_makes_the_same_bytes(home: Path, dev: Path) -> None:
    first, second = Jobs(home, dev), Jobs(home, dev)
    second.brain, second.state = home / "b2/brain", home / "s2/state/zecher"
    first.nightly()
    one = everything(first.reports)
    shutil.rmtree(first.reports)

    second.nightly()

    assert everything(second.reports) == one
    (kept,), (other,) = (everything(each.state / "snapshots").values() for each in (first, second))
    assert other.replace(os.fsencode(second.brain), os.fsencode(first.brain)) == kept


def test_a_night_that_is_run_again_writes_the_same_report(jobs: Jobs, dev: Path) -> None:
    jobs.nightly(-1)
    write(dev / "shop" / "draft.txt", "a thought\n")
    jobs.nightly()
    before = jobs.section(REPORT, "What changed")

    jobs.nightly()

    assert before != []
    assert jobs.section(REPORT, "What changed") == before
    assert not (jobs.reports / "nightly-2026-11-30-2.md").exists()


def test_what_a_person_wrote_into_a_report_is_kept(jobs: Jobs) -> None:
    jobs.nightly(-1)
    for name in ("nightly-2026-11-29.md", "latest-nightly.md"):
        with open(jobs.reports / name, "a") as file:
            file.write("mine\n")
    edited = (jobs.reports / "latest-nightly.md").read_text()

    jobs.nightly(-1)

    assert (jobs.reports / "nightly-2026-11-29.md").read_text() == edited
    assert (jobs.reports / "nightly-2026-11-29-2.md").exists()
    assert (jobs.reports / "latest-nightly.edited-20261129T031704Z.md").read_text() == edited
    assert "mine" not in (jobs.reports / "latest-nightly.md").read_text()


def test_a_cancelled_run_writes_nothing(jobs: Jobs) -> None:
    cancelled = CancelToken()
    cancelled.cancel()

    with pytest.raises(CancelledRun):
        jobs.nightly(cancel=cancelled)

    assert everything(jobs.home) == {}


def test_a_run_that_is_cancelled_after_its_scan_writes_no_index_and_no_report(jobs: Jobs) -> None:
    class Late(CancelToken):
        """Wants an end once the portfolio was seen and compared."""

        __slots__ = ("asked",)

        def __init__(self) -> None:
            super().__init__()
            self.asked = 0

        def check(self) -> None:
            self.asked += 1
            super().check()

    counted = Late()
    other = Jobs(jobs.home / "other", *jobs.roots)
    other.home.mkdir()
    other.nightly(cancel=counted)

    class Last(Late):
        __slots__ = ()

        def check(self) -> None:
            if self.asked == counted.asked - 1:
                self.cancel()
            super().check()

    with pytest.raises(CancelledRun):
        jobs.nightly(cancel=Last())

    assert without_locks(jobs.brain) == everything(jobs.reports, jobs.state) == {}
    assert everything(other.brain, other.reports, other.state) != {}


def test_with_a_suspicious_clock_no_status_changes_and_nothing_is_kept_or_removed(jobs: Jobs) -> None:
    jobs.nightly()
    jobs.nightly(1)
    jobs.keep_weeks = 1
    kept = everything(jobs.state / "snapshots").keys()
    later = NOW + 3650 * DAY

    done = nightly(jobs.context("nightly", "2036-11-27", later, clock_suspicious=True))

    assert done.outcome == "partial"
    assert (done.counts["active"], done.counts["paused"], done.counts["archived"]) == (1, 1, 1)
    cards = "".join(path.read_text() for path in (jobs.brain / "projects").glob("*.yaml"))
    assert cards.count('status: "archived"') == 1
    assert everything(jobs.state / "snapshots").keys() == kept
    assert (jobs.reports / REPORT).exists()
    assert "the clock is suspicious" in jobs.text("nightly-2036-11-27.md")


def test_a_new_project_is_not_archived_by_a_suspicious_clock_either(jobs: Jobs, dev: Path) -> None:
    write(dev / "shop" / "now.txt", days=-3650)

    done = nightly(jobs.context("nightly", "2036-11-27", NOW + 3650 * DAY, clock_suspicious=True))

    assert (done.counts.get("archived"), done.counts["unknown"]) == (None, 2)
    assert done.counts["active"] == 1


def test_with_a_clock_that_is_believed_the_same_run_would_archive_all(jobs: Jobs) -> None:
    jobs.nightly()
    later = NOW + 3650 * DAY

    done = nightly(jobs.context("nightly", "2036-11-27", later))

    assert done.counts["archived"] == 3


def test_old_reports_are_removed_unless_a_person_changed_them(jobs: Jobs) -> None:
    jobs.nightly(-20)
    jobs.nightly(-19)
    with open(jobs.reports / "nightly-2026-11-11.md", "a") as file:
        file.write("mine\n")
    write(jobs.reports / "nightly-2020-01-01.md", "not ours\n")
    jobs.keep_weeks = 2

    jobs.nightly()

    assert sorted(path.name for path in jobs.reports.iterdir()) == [
        "dashboard.html",
        "latest-nightly.md",
        "nightly-2020-01-01.md",
        "nightly-2026-11-11.md",
        REPORT,
    ]


def test_the_dashboard_is_renewed_and_one_that_a_person_changed_is_moved_aside(jobs: Jobs) -> None:
    jobs.nightly()
    first = (jobs.reports / "dashboard.html").read_bytes()
    with open(jobs.reports / "dashboard.html", "a") as file:
        file.write("mine\n")

    jobs.nightly(1)

    assert is_ours((jobs.reports / "dashboard.html").read_bytes())
    (aside,) = jobs.reports.glob("dashboard.edited-*.html")
    assert aside.read_bytes() == first + b"mine\n"


def test_a_dashboard_that_cannot_be_made_stops_neither_report_nor_snapshot(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr("reports.dashboard.dashboard_html", fail)

    done = jobs.nightly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("partial", ["dashboard-failed"])
    assert sorted(os.path.basename(one.path) for one in done.outputs) == [
        "latest-nightly.md",
        REPORT,
        "nightly-20261130T031704Z.json",
    ]


def test_memories_that_cannot_be_looked_at_stop_neither_index_nor_report(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("jobs.picture.examine_all", fail)

    done = jobs.nightly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("partial", ["health-failed"])
    assert "- error: the memories could not be looked at: RuntimeError: boom" in jobs.text(REPORT)
    assert done.counts["written"] == 3


def test_without_roots_the_indexed_projects_are_looked_at(jobs: Jobs, dev: Path) -> None:
    jobs.nightly()
    jobs.roots = ()
    shutil.rmtree(dev / "old")

    done = jobs.nightly(1)

    assert done.outcome == "ok"
    assert jobs.section(NEXT, "What changed") == [f"- gone: old, `{dev}/old`, was archived"]


def test_without_roots_and_without_an_index_the_run_fails_and_says_what_to_do(home: Path) -> None:
    done = Jobs(home).nightly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("failed", ["no-roots"])
    assert everything(home) == {}


def test_where_no_root_can_be_read_the_run_fails_and_publishes_nothing(home: Path, tmp_path: Path) -> None:
    jobs = Jobs(home, tmp_path / "nowhere")

    done = jobs.nightly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("failed", ["root-missing"])
    assert not jobs.reports.exists()


def test_where_reports_cannot_be_written_the_index_is_and_the_next_night_tells_what_was_missed(
    jobs: Jobs, git: Git
) -> None:
    jobs.nightly(-1)
    shutil.rmtree(jobs.reports)
    write(jobs.reports, "a file where the folder should be\n")
    git.repository("dev/fresh", days=0.2, files={"package.json": '{"name": "fresh"}'})
    done = jobs.nightly()
    assert (done.outcome, [problem.code for problem in done.problems]) == ("partial", ["report-write"])
    cards = [path.read_text() for path in (jobs.brain / "projects").iterdir()]
    assert sum('name: "fresh"' in card for card in cards) == 1
    jobs.reports.unlink()

    jobs.nightly(1)

    assert any(line.startswith("- new: fresh, ") for line in jobs.section(NEXT, "What changed"))


def test_a_damaged_snapshot_is_named_and_an_older_one_compared_with(jobs: Jobs) -> None:
    jobs.nightly(-2)
    jobs.nightly(-1)
    write(jobs.state / "snapshots" / "nightly-20261129T031704Z.json", "{")

    done = jobs.nightly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("ok", ["snapshot-damaged"])
    assert "nothing changed since 2026-11-28 03:17 UTC" in jobs.text(REPORT)


def test_a_skipped_project_is_in_no_report(jobs: Jobs, dev: Path) -> None:
    write(
        jobs.state / "skipped.json",
        json.dumps({"skipped": [{"path": str(dev / "old"), "since": "2026-11-01T00:00:00Z"}]}),
    )

    done = jobs.nightly()

    assert done.counts["projects"] == 2
    assert "skipped by you 1" in jobs.text(REPORT)


def test_a_folder_with_an_odd_name_is_followed_and_shown_harmless(
    home: Path, tmp_path: Path, git: Git
) -> None:
    name = os.fsdecode(b"od\xffd\x1b[2J`|<b>")
    root = tmp_path / "odd"
    root.mkdir()
    git.repository("plain", days=2, files={"README.md": "x\n"}).rename(root / name)
    jobs = Jobs(home, root)
    jobs.nightly()
    subprocess.run(["mv", str(root / name), str(root / "tame")], check=True)

    jobs.nightly(1)

    (line,) = jobs.section(NEXT, "What changed")
    assert line.startswith("- moved: ")
    assert line.isprintable()
    assert "\\xff" in line
    assert "\\x1b" in line


def test_everything_that_a_night_writes_is_open_to_its_owner_only(jobs: Jobs) -> None:
    old = os.umask(0)
    try:
        jobs.nightly()
    finally:
        os.umask(old)

    written = [*jobs.reports.rglob("*"), *(jobs.state / "snapshots").rglob("*"), jobs.reports]
    assert {path.stat().st_mode & 0o077 for path in written} == {0}


_FULL = """
import resource, sys
from pathlib import Path
from tests.jobs.job_contexts import Jobs
jobs = Jobs(Path(sys.argv[1]), Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
done = jobs.nightly(1)
print(done.outcome, sorted({problem.code for problem in done.problems if problem.level == "error"}))
"""


def test_where_no_file_can_grow_all_stays_as_it_was_and_the_run_says_so(jobs: Jobs, dev: Path) -> None:
    jobs.nightly()
    write(dev / "shop" / "draft.txt", "a thought\n")
    before = without_locks(jobs.home)

    done = subprocess.run(
        [sys.executable, "-c", _FULL, str(jobs.home), str(dev)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "failed ['brain-write', 'report-write']\n"
    assert without_locks(jobs.home) == before


def without_locks(folder: Path) -> dict[str, bytes]:
    """All files but the locks, which name their last owner."""
    return {path: data for path, data in everything(folder).items() if not path.endswith(".lock")}
