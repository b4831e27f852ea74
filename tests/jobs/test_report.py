"""``zecher report``: the same reports again, from what the runs kept, without a look at any project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jobs.publishing import is_ours
from tests.jobs.job_contexts import Jobs, everything
from tests.jobs.program import Program

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
