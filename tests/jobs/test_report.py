"""``zecher report``: the same reports again, from what the runs kept, without a look at any project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jobs.memory_bodies import memory_bodies
from jobs.publishing import is_ours
from jobs.snapshots import latest_snapshot
from tests.jobs.job_contexts import Jobs, everything
from tests.jobs.program import Program
from tests.support import DAY, NOW, write

# Made up, of the form that the service gives them, and in two parts so that no scanner of secrets minds.
SECRET = "AKIA" + "Q3EGRT5KLMWZ7XYP"
LABEL = 'aria-label=".agents/memory/decisions.md"'
WEEK, NIGHT, PAGE = "weekly-2026-W50.md", "nightly-2026-12-01.md", "dashboard.html"


@pytest.fixture
def jobs(home: Path, dev: Path) -> Jobs:
    """Two nights and two weeks; after them the projects are gone."""
    made = Jobs(home, dev)
    made.nightly()
    made.weekly()
    made.nightly(1)
    made.weekly(1)
    shutil.rmtree(dev)
    return made


@pytest.mark.parametrize(("kind", "name"), [("weekly", WEEK), ("nightly", NIGHT)])
def test_a_report_from_stored_data_is_the_one_that_the_run_wrote(
    jobs: Jobs, zecher: Program, kind: str, name: str
) -> None:
    done = zecher("report", kind, "--stdout")

    assert (done.code, done.err) == (0, "")
    assert done.out.rstrip("\n") == jobs.text(name)


def test_the_dashboard_from_stored_data_is_the_one_of_the_last_run_at_its_hour(
    jobs: Jobs, zecher: Program
) -> None:
    done = zecher("report", "html", "--stdout", "--now", "2026-12-07T03:17:04Z")

    assert done.code == 0
    assert done.out.rstrip("\n") == jobs.text(PAGE)


@pytest.mark.parametrize("form", ["variable", "output", "link"])
def test_no_report_is_written_into_the_brain(jobs: Jobs, zecher: Program, tmp_path: Path, form: str) -> None:
    before = everything(jobs.brain)
    (tmp_path / "link").symlink_to(jobs.brain)
    words = ["--output", str(jobs.brain / "week.md")] if form == "output" else []
    zecher.extra["ZECHER_REPORTS"] = str(tmp_path / "link" if form == "link" else jobs.brain / "reports")

    done = zecher("report", "weekly", *words)

    assert done.code == 2
    assert "[reports-in-brain]" in done.err
    assert everything(jobs.brain) == before


def test_without_an_option_the_file_stands_where_reports_stand_and_its_path_is_printed(
    jobs: Jobs, zecher: Program
) -> None:
    before = everything(jobs.reports)
    (jobs.reports / WEEK).unlink()

    done = zecher("report", "weekly")

    assert (done.code, done.out, done.err) == (0, f"{jobs.reports / WEEK}\n", "")
    assert everything(jobs.reports) == before


def test_a_report_that_a_person_changed_is_kept_and_the_new_one_gets_a_number(
    jobs: Jobs, zecher: Program
) -> None:
    with open(jobs.reports / WEEK, "a") as file:
        file.write("mine\n")
    changed = (jobs.reports / WEEK).read_bytes()

    done = zecher("report", "weekly")

    assert done.out == f"{jobs.reports}/weekly-2026-W50-2.md\n"
    assert (jobs.reports / WEEK).read_bytes() == changed
    assert is_ours((jobs.reports / "weekly-2026-W50-2.md").read_bytes())


def test_a_file_that_is_named_is_written_and_no_other(jobs: Jobs, zecher: Program, tmp_path: Path) -> None:
    before = everything(jobs.home)
    target = tmp_path / "show" / "page.html"

    done = zecher("report", "html", "--output", str(target))

    assert (done.code, done.out) == (0, f"{target}\n")
    assert target.stat().st_mode & 0o777 == 0o600
    assert everything(jobs.home) == before


@pytest.mark.usefixtures("jobs")
def test_a_file_of_somebody_else_is_not_written_over(zecher: Program, tmp_path: Path) -> None:
    target = tmp_path / "notes.md"
    target.write_text("mine\n")

    done = zecher("report", "weekly", "--output", str(target))

    assert target.read_text() == "mine\n"
    assert done.out == f"{tmp_path}/notes-2.md\n"


def test_printing_writes_nothing(jobs: Jobs, zecher: Program) -> None:
    before = everything(jobs.home)

    assert zecher("report", "html", "--stdout").code == 0
    assert everything(jobs.home) == before


def test_a_dashboard_without_paths_names_no_folder(jobs: Jobs, zecher: Program, dev: Path) -> None:
    assert str(dev) in zecher("report", "html", "--stdout").out

    done = zecher("report", "html", "--stdout", "--redact-paths")

    assert done.code == 0
    assert str(dev) not in done.out
    assert str(jobs.home) not in done.out


@pytest.fixture
def remembered(home: Path, dev: Path) -> Jobs:
    """A night in which the shop has a memory with a secret in it."""
    memory = dev / "shop/.agents/memory"
    write(memory / "decisions.md", f"# Decisions\n\n### 2026-11-02 - Use <SQLite>\n\nWith {SECRET}.\n")
    write(memory / "lessons.md", "# Lessons\n\n" + "word " * 40_000 + "\n" + "word\n" * 40_000)
    write(dev / "shop/AGENTS.md", "# How to build\n")
    made = Jobs(home, dev)
    made.nightly()
    return made


def test_the_dashboard_has_bodies_of_memories_only_where_they_were_asked_for(
    remembered: Jobs, zecher: Program
) -> None:
    plain = zecher("report", "html", "--stdout").out
    page = zecher("report", "html", "--stdout", "--with-notes").out

    assert "Use &lt;SQLite&gt;" in page
    assert "# How to build" not in page
    assert LABEL in page
    assert LABEL not in plain
    assert LABEL not in remembered.text(PAGE)


def test_bodies_of_memories_are_shown_without_their_secrets(remembered: Jobs, zecher: Program) -> None:
    page = zecher("report", "html", "--stdout", "--with-notes").out

    assert SECRET in (remembered.roots[0] / "shop/.agents/memory/decisions.md").read_text()
    assert "\nWith [" in page
    assert SECRET not in page


def test_a_long_memory_is_cut_and_says_so(remembered: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, _ = latest_snapshot(str(remembered.state), "nightly", NOW + DAY, other_than="")
    assert snapshot is not None
    shop = str(remembered.roots[0] / "shop")

    (decisions, lessons) = memory_bodies(snapshot)[shop]
    monkeypatch.setattr("jobs.memory_bodies.TOTAL_CAP", 40)
    short = memory_bodies(snapshot)

    assert (decisions[0], lessons[0]) == (".agents/memory/decisions.md", ".agents/memory/lessons.md")
    assert lessons[1] == "# Lessons\n\n[cut here, the file has more]"
    assert [text.rpartition("[")[2] for _, text in short[shop]] == [
        "cut here, the file has more]",
        "left out, the page has no more room]",
    ]


@pytest.mark.usefixtures("remembered")
def test_a_project_that_is_gone_has_no_bodies(zecher: Program, dev: Path) -> None:
    shutil.rmtree(dev / "shop")

    done = zecher("report", "html", "--stdout", "--with-notes")

    assert (done.code, "SQLite&gt;\n" in done.out) == (0, False)


def test_the_page_with_memories_has_a_name_of_its_own(remembered: Jobs, zecher: Program) -> None:
    before = (remembered.reports / PAGE).read_bytes()

    done = zecher("report", "html", "--with-notes")

    path = remembered.reports / "dashboard-with-notes.html"
    assert (done.code, done.out) == (0, f"{path}\n")
    assert path.stat().st_mode & 0o777 == 0o600
    assert (remembered.reports / PAGE).read_bytes() == before


@pytest.mark.parametrize("kind", ["weekly", "nightly", "html"])
def test_before_the_first_run_there_is_nothing_to_make_a_report_from(zecher: Program, kind: str) -> None:
    done = zecher("report", kind)

    assert (done.code, done.out) == (1, "")
    assert "no-snapshot" in done.err
    assert f"zecher run {'weekly' if kind == 'weekly' else 'nightly'}" in done.err


def test_a_snapshot_that_is_damaged_is_named_and_the_one_before_is_used(jobs: Jobs, zecher: Program) -> None:
    *_, newest = sorted((jobs.state / "snapshots").glob("weekly-*"))
    newest.write_text("{")

    done = zecher("report", "weekly", "--stdout", "-v")

    assert done.code == 0
    assert 'week: "2026-W49"' in done.out
    assert "snapshot-damaged" in done.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), "report-what"),
        (("wekly",), "report-what"),
        (("weekly", "nightly"), "report-what"),
        (("weekly", "--stdout", "--open"), "report-conflict"),
        (("html", "--stdout", "--output", "x"), "report-conflict"),
        (("weekly", "--redact-paths"), "report-conflict"),
        (("weekly", "--with-notes"), "report-conflict"),
        (("html", "--with-notes", "--redact-paths"), "report-conflict"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_read(
    zecher: Program, words: tuple[str, ...], code: str
) -> None:
    done = zecher("report", *words)

    assert (done.code, done.out) == (2, "")
    assert code in done.err


def test_a_mistyped_kind_gets_its_neighbour(zecher: Program) -> None:
    assert "Did you mean weekly?" in zecher("report", "wekly").err


def viewer(folder: Path, script: str) -> str:
    folder.mkdir()
    program = folder / "xdg-open"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.skipif(os.uname().sysname == "Darwin", reason="another program opens files there")
def test_the_file_is_opened_by_the_program_of_the_desktop(
    jobs: Jobs, zecher: Program, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    path = viewer(tmp_path / "bin", f'printf %s "$1" > {seen}')
    zecher.extra["PATH"] = path

    done = zecher("report", "html", "--open")

    assert (done.code, done.err) == (0, "")
    assert seen.read_text() == str(jobs.reports / PAGE)


@pytest.mark.skipif(os.uname().sysname == "Darwin", reason="another program opens files there")
def test_a_desktop_that_cannot_open_it_is_an_error_after_the_path(
    jobs: Jobs, zecher: Program, tmp_path: Path
) -> None:
    path = viewer(tmp_path / "bin", "exit 3")
    zecher.extra["PATH"] = path

    done = zecher("report", "html", "--open")

    assert (done.code, done.out) == (1, f"{jobs.reports / PAGE}\n")
    assert "no-viewer" in done.err
    assert "xdg-open ended with code 3" in done.err
