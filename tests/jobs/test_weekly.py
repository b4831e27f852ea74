"""The weekly job on real folders: the health of every memory, the report with its deltas, the export."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from brain.files.errors import WriteError
from brain.health.gather import gather_with_evidence
from brain.health.silence import Ack
from jobs.acks import add_ack, read_acks
from jobs.registry import CancelledRun, CancelToken
from jobs.run_ledger import Run, append_run
from jobs.weekly import weekly
from tests.jobs.job_contexts import Jobs, everything
from tests.support import DAY, NOW, Git, write

REPORT, NEXT = "weekly-2026-W49.md", "weekly-2026-W50.md"
EXPORT = "bmad-brain-export-2026-11-30.md"


@pytest.fixture
def jobs(home: Path, dev: Path) -> Jobs:
    """Three indexed projects, of which the shop has a memory."""
    made = Jobs(home, dev)
    made.nightly(-1)
    remember(dev / "shop")
    return made


def remember(project: Path, *, title: str = "Use SQLite") -> None:
    memory = project / ".agents/memory"
    write(memory / "decisions.md", f"# Decisions\n\n### 2026-11-02 - {title}\n- **Status**: active\n", days=3)
    write(memory / "context.md", "# Context\n\nLast updated: 2026-11-20\n\nA shop.\n", days=3)


def verdict(jobs: Jobs, name: str = REPORT) -> str:
    (line,) = [line for line in jobs.text(name).splitlines() if line.startswith("# ")]
    return line


def test_the_front_matter_says_what_it_is_about(jobs: Jobs) -> None:
    jobs.weekly()

    _, front, _ = jobs.text(REPORT).split("---\n", 2)
    found = yaml.safe_load(front)
    assert list(found) == [
        "type",
        "schema_version",
        "week",
        "generated_at",
        "brain",
        "tool_version",
        "projects",
        "actions",
        "health",
    ]
    assert (found["type"], found["week"], found["projects"]) == ("weekly-health", "2026-W49", 3)
    assert (found["generated_at"], found["brain"]) == ("2026-11-30T03:17:04Z", str(jobs.brain))
    assert 0 < found["health"] < 100


def test_the_verdict_counts_and_says_that_it_is_the_first(jobs: Jobs) -> None:
    done = jobs.weekly()

    assert re.fullmatch(
        r"# 2026-W49: \d+ things to do, \d+ urgent; 3 projects; memory \d+ %",
        verdict(jobs),
    )
    assert done.summary == verdict(jobs).removeprefix("# ")
    assert "\n1 active, 1 paused, 1 archived; first report, no comparison\n" in jobs.text(REPORT)
    assert jobs.section(REPORT, "What changed") == []


def test_a_week_later_everything_is_compared_with_the_week_before(jobs: Jobs, dev: Path) -> None:
    jobs.weekly()
    shutil.rmtree(dev / "old")
    remember(dev / "tools" / "engine")
    write(dev / "shop" / ".agents/memory/lessons.md", "# Lessons\n\n### 2026-11-03 - Ask first\n", days=1)

    jobs.weekly(1)

    assert re.search(r"; 3 projects; memory \d+ % \([+-]\d+\)$", verdict(jobs, NEXT))
    assert "\n2 active (+1), 0 paused (-1), 0 archived (-1), 1 missing (+1); compared " in jobs.text(NEXT)
    assert f"- gone: old, `{dev}/old`, was archived" in jobs.section(NEXT, "What changed")
    memory = "\n".join(jobs.section(NEXT, "Memory health"))
    assert re.search(r"^- engine: \d+ % \(-\d+\), ", memory, re.MULTILINE)


def test_what_is_to_do_comes_first_with_a_command_its_code_and_its_age(jobs: Jobs, dev: Path) -> None:
    jobs.weekly()
    assert all(line.endswith((", new)", " below")) for line in jobs.section(REPORT, "Do this first"))
    jobs.weekly(1)

    jobs.weekly(2)

    assert (
        "- shop: 1 file is not committed; git could not bring that back: "
        f"`git -C {dev}/shop status` (`dirty`, 3rd week)"
    ) in jobs.section("weekly-2026-W51.md", "Do this first")


@pytest.mark.parametrize(("project", "said"), [("shop", False), ("other", True)])
def test_unsaved_work_that_is_silenced_is_counted_and_no_longer_to_do(
    jobs: Jobs, dev: Path, project: str, said: bool
) -> None:
    jobs.weekly()
    before = int(re.search(r"(\d+) things to do", verdict(jobs))[1])  # type: ignore[index] # it is there
    add_ack(read_acks(str(jobs.state)), Ack("dirty", str(dev / project)), when="2026-12-01T00:00:00Z")

    jobs.weekly(1)

    assert any("not committed" in line for line in jobs.section(NEXT, "Do this first")) is said
    assert ("silences it (1 silenced)" in jobs.text(NEXT)) is not said
    assert f"{before - (not said)} things to do" in verdict(jobs, NEXT)
    assert any("shop" in line for line in jobs.section(NEXT, "Work at risk"))


def test_work_that_was_saved_meanwhile_is_new_when_it_comes_back(jobs: Jobs, dev: Path) -> None:
    jobs.weekly()
    shutil.move(dev / "shop" / ".agents", jobs.home / "aside")
    jobs.weekly(1)
    assert not any("`dirty`" in line for line in jobs.section(NEXT, "Do this first"))
    shutil.move(jobs.home / "aside", dev / "shop" / ".agents")

    jobs.weekly(2)

    (line,) = [line for line in jobs.section("weekly-2026-W51.md", "Do this first") if "`dirty`" in line]
    assert line.endswith("(`dirty`, new)")


def test_a_second_report_of_the_week_compares_with_the_week_before_not_with_the_first(jobs: Jobs) -> None:
    jobs.weekly()
    jobs.weekly(1)
    once = jobs.text(NEXT)

    jobs.weekly(1)

    assert jobs.text(NEXT) == once
    assert "first report" not in once
    assert not (jobs.reports / "weekly-2026-W50-2.md").exists()


def test_a_report_that_is_younger_than_five_days_is_no_comparison(jobs: Jobs) -> None:
    weekly(jobs.context("weekly", "2026-W48", NOW - 4 * DAY))

    jobs.weekly()

    assert "first report, no comparison" in jobs.text(REPORT)


def test_work_at_risk_names_files_commits_and_what_lacks(jobs: Jobs, dev: Path) -> None:
    jobs.weekly()

    assert jobs.section(REPORT, "Work at risk")[0] == (
        f"- shop, `{dev}/shop`: 1 changed file, 1 commit not pushed (main), no remote, oldest 3d"
    )


def test_memory_health_names_score_worst_finding_and_the_rules(jobs: Jobs) -> None:
    done = jobs.weekly()

    *memories, rules = jobs.section(REPORT, "Memory health")
    assert any(re.fullmatch(r"- shop: \d+ %, .+ \(`[a-z-]+`\)", line) for line in memories)
    assert re.match(r"- rules: [\d,]+ passed, [\d,]+ failed, [\d,]+ not applicable; most often ", rules)
    assert done.counts["memories"] == 3
    assert done.counts["passed"] > done.counts["failed"] > 0


def test_one_memory_that_cannot_be_looked_at_stops_no_other(
    jobs: Jobs, dev: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = gather_with_evidence

    def gather(path: str, *args: object, **more: object) -> object:
        if path.endswith("old"):
            raise RuntimeError("boom")
        return real(path, *args, **more)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr("jobs.subjects.gather_with_evidence", gather)

    done = jobs.weekly()

    assert done.outcome == "partial"
    assert [problem.path for problem in done.problems] == [str(dev / "old")]
    assert done.counts["memories"] == 2
    assert any("boom" in line for line in jobs.section(REPORT, "Run health"))


def test_an_indexed_project_outside_the_roots_is_looked_at_too(jobs: Jobs, tmp_path: Path, git: Git) -> None:
    remember(git.repository("far/away", days=2))
    inner = jobs.roots
    jobs.roots = (*inner, tmp_path / "far")
    jobs.nightly()
    jobs.roots = inner

    done = jobs.weekly()

    assert (done.counts["projects"], done.counts["memories"]) == (4, 4)


def test_the_brain_is_exported_beside_the_report(jobs: Jobs) -> None:
    done = jobs.weekly()

    text = (jobs.reports / EXPORT).read_text()
    assert text.startswith("# BMAD+ Brain Export\n")
    assert "shop" in text
    assert EXPORT in jobs.text(REPORT)
    assert [os.path.basename(one.path) for one in done.outputs] == [
        EXPORT,
        REPORT,
        "latest.md",
        "dashboard.html",
        "weekly-20261130T031704Z.json",
    ]
    assert all(Path(one.path).stat().st_size == one.bytes for one in done.outputs)


def test_where_the_export_lacks_something_the_rest_is_made_and_the_run_is_partial(jobs: Jobs) -> None:
    (jobs.brain / "lessons.md").symlink_to("/etc/passwd")

    done = jobs.weekly()

    assert done.outcome == "partial"
    assert "export-left-out" in [problem.code for problem in done.problems]
    assert (jobs.reports / REPORT).exists()
    assert (jobs.reports / EXPORT).exists()


def test_the_dashboard_is_renewed(jobs: Jobs) -> None:
    before = (jobs.reports / "dashboard.html").read_bytes()

    done = jobs.weekly()

    after = (jobs.reports / "dashboard.html").read_bytes()
    assert after != before
    assert str(jobs.reports / "dashboard.html") in [one.path for one in done.outputs]


def test_a_week_of_which_nothing_could_be_written_has_failed(jobs: Jobs) -> None:
    shutil.rmtree(jobs.reports)
    jobs.reports.write_text("in the way")

    done = jobs.weekly()

    assert (done.outcome, done.outputs) == ("failed", ())
    codes = [problem.code for problem in done.problems if problem.level == "error"]
    assert codes == ["export-write", "report-write"]


def test_a_week_whose_report_alone_could_not_be_written_is_partial(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> tuple[()]:
        raise WriteError("latest.md", "No space left on device")

    monkeypatch.setattr("jobs.weekly.publish", refused)

    done = jobs.weekly()

    assert (done.outcome, [os.path.basename(one.path) for one in done.outputs]) == ("partial", [EXPORT])


def test_reports_and_exports_older_than_the_weeks_that_are_kept_go(jobs: Jobs) -> None:
    jobs.weekly(-3)
    jobs.weekly(-2)
    with open(jobs.reports / "weekly-2026-W47.md", "a") as file:
        file.write("mine\n")
    jobs.keep_weeks = 1

    jobs.weekly()

    assert sorted(path.name for path in jobs.reports.iterdir()) == [
        EXPORT,
        "dashboard.html",
        "latest-nightly.md",
        "latest.md",
        "nightly-2026-11-29.md",
        "weekly-2026-W47.md",
        REPORT,
    ]


def test_with_a_suspicious_clock_nothing_is_removed_and_no_snapshot_kept(jobs: Jobs) -> None:
    jobs.weekly()
    before = everything(jobs.home).keys()
    jobs.keep_weeks = 1

    done = weekly(jobs.context("weekly", "2036-W48", NOW + 3650 * DAY, clock_suspicious=True))

    assert done.outcome == "partial"
    fresh = {path for path in everything(jobs.home) if path not in before}
    assert {os.path.basename(path) for path in fresh} == {
        "bmad-brain-export-2036-11-27.md",
        "weekly-2036-W48.md",
    }
    assert before <= everything(jobs.home).keys()
    assert "\n1 active, 1 paused, 1 archived; " in jobs.text("weekly-2036-W48.md")


def test_a_cancelled_run_writes_nothing(jobs: Jobs) -> None:
    before = everything(jobs.home)
    cancelled = CancelToken()
    cancelled.cancel()

    with pytest.raises(CancelledRun):
        jobs.weekly(cancel=cancelled)

    assert everything(jobs.home) == before


def test_the_same_week_on_the_same_folders_makes_the_same_bytes(jobs: Jobs) -> None:
    jobs.weekly()
    once = everything(jobs.reports, jobs.state)
    for path in (*jobs.reports.glob("weekly*"), *(jobs.state / "snapshots").glob("weekly*")):
        path.unlink()

    jobs.weekly()

    assert everything(jobs.reports, jobs.state) == once


def run(number: int, night: int, state: str, **more: object) -> Run:
    start = NOW + night * DAY
    values: dict[str, object] = {
        "run": f"run-{number}",
        "job": "nightly",
        "slot": f"2026-11-{30 + night}",
        "trigger": "timer",
        "state": state,
        "start": start,
        "end": start + 2,
        "duration": 2.0 + number,
    }
    return Run(**values | more)  # type: ignore[arg-type] # the tests give the right ones


def test_the_nights_of_the_week_are_shown_with_what_went_wrong(jobs: Jobs) -> None:
    state = str(jobs.state)
    append_run(state, run(1, -9, "ok"))
    append_run(state, run(2, -6, "ok"))
    append_run(state, run(3, -5, "failed", error_type="OSError", error="No space left on device"))
    append_run(state, run(4, -5, "ok"))
    append_run(state, run(5, -3, "partial"))
    append_run(state, run(6, -2, "crashed"))
    append_run(state, run(7, 0, "ok", counts={"projects": 19, "skipped": 2, "errors": 0}))

    jobs.weekly(missed_slots=2)

    assert jobs.section(REPORT, "Run health") == [
        (
            "- nights: ✓ ✓ · ◐ ✗ · ✓ (✓ done, ◐ in part, ✗ failed, · not run); median 6.0 s, longest 9.0 s, "
            "19 scanned, 2 skipped; next 2026-12-01 03:17 UTC"
        ),
        "- the report before this one is missing: 2 weeks not run",
        "- 2026-11-25: No space left on device",
    ]


def test_nights_from_before_the_first_run_are_no_failures(jobs: Jobs) -> None:
    append_run(str(jobs.state), run(1, -1, "ok"))

    jobs.weekly()

    assert jobs.section(REPORT, "Run health")[0].startswith("- nights: ✓ · (")


def test_a_job_that_never_ran_is_said(jobs: Jobs) -> None:
    jobs.weekly()

    assert jobs.section(REPORT, "Run health") == ["- nights: no run is recorded; next 2026-12-01 03:17 UTC"]


def test_where_nothing_is_configured_and_indexed_the_run_fails_and_writes_nothing(home: Path) -> None:
    done = Jobs(home).weekly()

    assert (done.outcome, [problem.code for problem in done.problems]) == ("failed", ["no-roots"])
    assert everything(home) == {}


def test_where_the_roots_are_away_the_memories_of_the_index_are_looked_at_as_far_as_they_are_there(
    jobs: Jobs, tmp_path: Path
) -> None:
    jobs.roots = (tmp_path / "nowhere",)

    done = jobs.weekly()

    assert done.outcome == "partial"
    assert (done.counts["projects"], done.counts["memories"]) == (3, 3)


def test_a_job_that_runs_at_other_times_still_reports_by_the_week(jobs: Jobs) -> None:
    weekly(jobs.context("weekly", "2026-11-30", NOW))

    assert (jobs.reports / REPORT).exists()


def test_secrets_in_the_brain_are_not_exported(jobs: Jobs) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    write(jobs.brain / "lessons.md", f"# Lessons\n\n### 2026-11-01 - Keys\n- token {secret}\n")

    jobs.weekly()

    assert secret not in (jobs.reports / EXPORT).read_text()
