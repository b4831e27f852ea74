"""What an export collects, in which order, what it refuses to read, and where it is put."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.archive import Archive, NoBrainError, archive_name, collect, is_ours, place, sealed
from brain.archive.collecting import CODE, FILE_CAP
from brain.files.atomic import Write, replace_all
from brain.files.errors import WriteError
from brain.locate import Brain
from brain.outcomes.observe import observe
from tests.brain.outcomes.nexus_project import MEMORY, Project
from tests.support import NOW, write

HERE = Path(__file__).parent.parent.parent
NAME = "bmad-brain-export-2026-11-30.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A brain with everything that a global one holds."""
    brain = tmp_path / "brain"
    for name in ("patterns.md", "lessons.md", "identity.yaml", "decisions.md", "projects-index.md"):
        write(brain / name, f"text of {name}\n")
    for name in ("b0000000.yaml", "a0000000.yaml", "notes.txt"):
        write(brain / "projects" / name, f"text of {name}")
    return brain


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "shop"
    path.mkdir()
    return path


def brain_at(path: Path, kind: str = "bmad-global") -> Brain:
    return Brain(str(path), kind, "a test")


def titles(archive: Archive) -> list[str]:
    return [f"{'#' * part.level} {part.title}" for part in archive.parts]


def ledger(project: Path, name: str, *lines: str) -> None:
    write(project / ".bmad" / "memory" / name, "".join(f"{line}\n" for line in lines))


def facts(project: Path, folder: Path) -> dict[str, str]:
    archive = collect(brain_at(folder), str(project))
    return {part.title: part.text for part in archive.parts if part.kind == "ledger"}


def left_out(archive: Archive) -> list[tuple[str, str]]:
    assert {problem.code for problem in archive.problems} <= {CODE}
    return [(os.path.basename(problem.path), problem.message) for problem in archive.problems]


def test_the_order_is_that_of_bmad_then_the_index(folder: Path) -> None:
    archive = collect(brain_at(folder))
    assert titles(archive) == [
        "## identity.yaml", "## decisions.md", "## lessons.md", "## patterns.md", "## Projects",
        "### a0000000.yaml", "### b0000000.yaml", "## projects-index.md",
    ]  # fmt: skip
    assert archive.problems == ()


def test_every_part_brings_its_text_and_where_it_comes_from(folder: Path) -> None:
    for part in collect(brain_at(folder)).parts:
        if part.kind != "section":
            assert part.text == Path(part.source).read_text().strip() == f"text of {part.title}"


def test_what_a_half_brain_lacks_is_simply_not_there(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    archive = collect(brain_at(tmp_path))
    assert (titles(archive), archive.problems) == (["## Projects"], ())


def test_the_files_are_listed_in_the_order_of_their_bytes(tmp_path: Path) -> None:
    for name in ("é.yaml", "z.yaml", "Z.yaml", "a.yaml"):
        write(tmp_path / "projects" / name)
    names = [part.title for part in collect(brain_at(tmp_path)).parts[1:]]
    assert names == ["Z.yaml", "a.yaml", "z.yaml", "é.yaml"]


def test_a_portfolio_brings_its_entry_point_and_its_memory(folder: Path) -> None:
    write(folder / "AGENTS.md", "read me first\n")
    write(folder / "HOT.md")
    write(folder / "memory" / "lessons.md", "a lesson\n")
    write(folder / "memory" / "notes.md")
    write(folder / "memory" / "deeper" / "more.md")
    archive = collect(brain_at(folder, "portfolio"))
    assert titles(archive)[-4:] == ["## AGENTS.md", "## Memory", "### lessons.md", "### notes.md"]


def test_a_global_brain_does_not_bring_the_pages_of_a_portfolio(folder: Path) -> None:
    write(folder / "README.md")
    write(folder / "memory" / "lessons.md")
    assert titles(collect(brain_at(folder)))[-1] == "## projects-index.md"


def test_a_memory_folder_of_claude_brings_each_page_once(tmp_path: Path) -> None:
    for name in ("MEMORY.md", "lessons.md"):
        write(tmp_path / name)
    archive = collect(brain_at(tmp_path, "claude-memory"))
    assert titles(archive) == ["## lessons.md", "## Memory", "### MEMORY.md"]


def test_no_brain_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoBrainError, match=r"no brain at .*memory init"):
        collect(brain_at(tmp_path / "missing"))


def test_a_file_in_place_of_the_brain_is_no_brain(tmp_path: Path) -> None:
    with pytest.raises(NoBrainError):
        collect(brain_at(write(tmp_path / "brain")))


def test_a_brain_behind_a_link_is_exported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert titles(collect(brain_at(tmp_path / "link"))) == titles(collect(brain_at(folder)))


def test_a_link_inside_the_brain_is_refused_and_named(folder: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", "content of the secret\n")
    for path in (folder / "lessons.md", folder / "projects" / "a0000000.yaml"):
        path.unlink()
        path.symlink_to(secret)
    archive = collect(brain_at(folder))
    why = "a symbolic link, which is not followed"
    assert left_out(archive) == [("lessons.md", why), ("a0000000.yaml", why)]
    assert "content of the secret" not in repr(archive)


@pytest.mark.parametrize("name", ["projects", "memory"])
def test_a_linked_folder_inside_the_brain_is_refused_and_named(
    name: str, folder: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path / "outside" / "x.yaml", "content of the secret\n").parent
    write(outside / "x.md", "content of the secret\n")
    if name == "projects":
        (folder / name).rename(tmp_path / "old")
    (folder / name).symlink_to(outside)
    archive = collect(brain_at(folder, "portfolio"))
    assert left_out(archive) == [(name, "a symbolic link, which is not followed")]
    assert "content of the secret" not in repr(archive)


def test_what_is_no_regular_file_is_named_without_waiting(folder: Path) -> None:
    (folder / "lessons.md").unlink()
    os.mkfifo(folder / "lessons.md")
    (folder / "projects" / "c.yaml").mkdir()
    assert left_out(collect(brain_at(folder))) == [
        ("lessons.md", "not a regular file"),
        ("c.yaml", "not a regular file"),
    ]


def test_an_endless_file_is_named_without_reading_it(folder: Path) -> None:
    with open(folder / "lessons.md", "wb") as file:
        file.truncate(1 << 40)
    ((name, why),) = left_out(collect(brain_at(folder)))
    assert (name, "1099511627776 bytes" in why) == ("lessons.md", True)


def test_a_file_of_just_the_cap_is_exported(folder: Path) -> None:
    write(folder / "lessons.md", "x" * FILE_CAP)
    assert collect(brain_at(folder)).problems == ()


def test_beyond_the_total_cap_the_rest_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brain.archive.collecting.TOTAL_CAP", 70)
    archive = collect(brain_at(folder))
    assert titles(archive)[:3] == ["## identity.yaml", "## decisions.md", "## lessons.md"]
    assert ("patterns.md", "the export is full") in left_out(archive)


def test_bytes_that_are_not_utf8_are_kept_apart(folder: Path) -> None:
    (folder / "lessons.md").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\n")
    assert collect(brain_at(folder)).parts[2].text == "caf\udce9"


def test_the_journal_is_counted_with_its_times_outcomes_and_damaged_lines(
    folder: Path, project: Path
) -> None:
    ledger(
        project,
        "journal.ndjson",
        '{"ts":"2026-03-01T00:00:00.000Z","agent":"forge","outcome":"success"}',
        '{"ts":"2026-01-01T00:00:00.000Z","agent":"forge","outcome":null}',
        '{"ts":"### forged","agent":"forge","outcome":"### forged"}',
        "null",
    )
    assert facts(project, folder) == {
        "journal.ndjson": "3 events; 1 other, 1 success, 1 without outcome; "
        "from 2026-01-01T00:00:00.000Z to 2026-03-01T00:00:00.000Z; 1 damaged line"
    }


def test_scores_and_proposals_are_counted_without_their_names(folder: Path, project: Path) -> None:
    record = {"elo": 1216, "alpha": 2, "beta": 1, "mean": 2 / 3, "updates": 3}
    scores = {"### one": record | {"lastTs": "2026-01-01T00:00:00.000Z"}, "__proto__": record}
    ledger(project, "pattern-scores.json", json.dumps(scores))
    ledger(
        project,
        "promotions.ndjson",
        '{"id":"a","patternId":"### one","ts":"2026-01-01T00:00:00.000Z","status":"PROPOSED"}',
        '{"id":"b","patternId":"two","ts":"2026-01-01T00:00:00.000Z","status":"PROPOSED"}',
        '{"id":"b","patternId":"two","ts":"2026-01-02T00:00:00.000Z","status":"REJECTED"}',
    )
    assert facts(project, folder) == {
        "pattern-scores.json": "2 patterns; 6 updates; at 2026-01-01T00:00:00.000Z",
        "promotions.ndjson": "2 proposals; 1 PROPOSED, 1 REJECTED; "
        "from 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z",
    }


def test_receipts_are_judged_as_they_stand_now_and_their_states_counted(folder: Path, tmp_path: Path) -> None:
    one = Project(tmp_path)
    one.accept("one")
    observe(str(one.root), one.ask(runId="one"), now=NOW)
    now = "at 2026-11-30T03:17:04.000Z"
    assert facts(one.root, folder)["outcomes.ndjson"] == f"1 receipt; 1 accepted-current; {now}"
    one.write(MEMORY, one.read(MEMORY).replace("### ", "### not "))
    assert (
        facts(one.root, folder)["outcomes.ndjson"] == f"1 receipt; 1 unavailable-or-ineligible-source; {now}"
    )


@pytest.mark.parametrize("text", ["[1]", "{", "9" * 5000, "[" * 100_000, "\0"])
def test_scores_that_are_none_are_named(text: str, folder: Path, project: Path) -> None:
    ledger(project, "pattern-scores.json", text)
    ((name, why),) = left_out(collect(brain_at(folder), str(project)))
    assert (name, "damaged" in why) == ("pattern-scores.json", True)


def test_a_pipe_in_place_of_a_ledger_is_named_without_waiting(folder: Path, project: Path) -> None:
    memory = project / ".bmad" / "memory"
    memory.mkdir(parents=True)
    for name in ("journal.ndjson", "pattern-scores.json", "promotions.ndjson", "outcomes.ndjson"):
        os.mkfifo(memory / name)
    archive = collect(brain_at(folder), str(project))
    assert len(left_out(archive)) == 4
    assert "## Ledgers" not in titles(archive)


def test_ledgers_stand_before_the_pages_of_a_portfolio(folder: Path, project: Path) -> None:
    write(folder / "README.md")
    ledger(project, "journal.ndjson", '{"agent":"forge"}')
    archive = collect(brain_at(folder, "portfolio"), str(project))
    assert titles(archive)[-4:] == ["## projects-index.md", "## Ledgers", "## journal.ndjson", "## README.md"]


@pytest.mark.parametrize("name", ["pattern-scores.json", "outcomes.ndjson"])
def test_a_damaged_ledger_is_named_and_left_untouched(name: str, folder: Path, project: Path) -> None:
    ledger(project, name, "[1]")
    archive = collect(brain_at(folder), str(project))
    assert [where for where, _ in left_out(archive)] == [name]
    assert os.listdir(project / ".bmad" / "memory") == [name]


def test_a_linked_ledger_folder_is_named_and_not_read(folder: Path, project: Path, tmp_path: Path) -> None:
    ledger(tmp_path / "other", "journal.ndjson", '{"agent":"forge"}')
    (project / ".bmad").symlink_to(tmp_path / "other" / ".bmad")
    archive = collect(brain_at(folder), str(project))
    assert all("symbolic link" in why for _, why in left_out(archive))
    assert len(archive.problems) == 4


def test_a_project_without_ledgers_has_no_section_of_them(folder: Path, project: Path) -> None:
    assert collect(brain_at(folder), str(project)) == collect(brain_at(folder))


def test_collecting_changes_nothing(folder: Path, project: Path) -> None:
    ledger(project, "journal.ndjson", '{"agent":"forge"}')
    before = list(snapshot(folder.parent))
    collect(brain_at(folder, "portfolio"), str(project))
    assert list(snapshot(folder.parent)) == before


def test_the_name_carries_the_date_in_utc() -> None:
    assert archive_name(NOW) == NAME
    assert archive_name(1_798_761_599.0) == "bmad-brain-export-2026-12-31.md"


def test_an_export_is_put_under_its_name_open_to_its_owner_only(project: Path) -> None:
    path = place(str(project), NAME, export("one"))
    assert path == str(project / NAME)
    assert (project / NAME).read_bytes() == export("one")
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(project) == [NAME]


def test_an_export_of_the_same_day_replaces_the_one_before(project: Path) -> None:
    place(str(project), NAME, export("one"))
    assert place(str(project), NAME, export("two")) == str(project / NAME)
    assert (project / NAME).read_bytes() == export("two")
    assert os.listdir(project) == [NAME]


@pytest.mark.parametrize(
    "theirs",
    [b"", b"my notes\n", b"# BMAD+ Brain Export\n> Exported: 2026-11-30T03:17:04.000Z\n\n## identity.yaml\n"],
    ids=["empty", "notes", "of BMAD+"],
)
def test_a_file_that_is_not_ours_stays_and_a_new_name_is_taken(theirs: bytes, project: Path) -> None:
    (project / NAME).write_bytes(theirs)
    assert place(str(project), NAME, export("one")) == str(project / "bmad-brain-export-2026-11-30-2.md")
    assert place(str(project), NAME, export("two")) == str(project / "bmad-brain-export-2026-11-30-2.md")
    assert (project / NAME).read_bytes() == theirs


def test_an_export_that_a_person_wrote_into_is_theirs(project: Path) -> None:
    place(str(project), NAME, export("one"))
    with open(project / NAME, "ab") as file:
        file.write(b"my remark\n")
    assert place(str(project), NAME, export("two")).endswith("-2.md")
    assert (project / NAME).read_bytes() == export("one") + b"my remark\n"


def test_a_link_under_the_name_is_not_written_through(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.md"
    target.write_bytes(export("one"))
    (project / NAME).symlink_to(target)
    assert place(str(project), NAME, export("two")).endswith("-2.md")
    assert target.read_bytes() == export("one")


def test_a_folder_under_the_name_makes_a_new_name(project: Path) -> None:
    (project / NAME).mkdir()
    assert place(str(project), NAME, export("one")).endswith("-2.md")


def test_a_missing_folder_is_an_error_and_not_made(project: Path) -> None:
    with pytest.raises(WriteError, match="no such folder"):
        place(str(project / "gone"), NAME, export("one"))
    assert os.listdir(project) == []


def test_what_a_killed_export_left_is_removed_and_what_a_running_one_writes_is_not(project: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    running = f".{NAME}.{os.getpid()}.0123abcd.tmp"
    for name in (f".{NAME}.{gone.pid}.0123abcd.tmp", running, f".mine.{gone.pid}.0123abcd.tmp"):
        write(project / name)
    place(str(project), NAME, export("one"))
    assert sorted(os.listdir(project)) == sorted([NAME, running, f".mine.{gone.pid}.0123abcd.tmp"])


def test_an_export_that_another_writes_meanwhile_is_looked_at_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_somebody_else(writes: list[Write], base: str) -> int:
        monkeypatch.undo()
        (project / NAME).write_text("their notes\n")
        return replace_all(writes, base)

    monkeypatch.setattr("brain.archive.placing.replace_all", first_somebody_else)
    assert place(str(project), NAME, export("one")).endswith("-2.md")
    assert (project / NAME).read_text() == "their notes\n"


def test_an_export_killed_at_its_rename_leaves_the_one_before(project: Path) -> None:
    place(str(project), NAME, export("one"))
    code = (
        "import os, signal, sys; from brain.archive import place, sealed\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "place(sys.argv[1], sys.argv[2], sealed(('a', 'b', 'c'), 'two\\n').encode())"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, str(project), NAME], cwd=HERE, check=False, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    assert (project / NAME).read_bytes() == export("one")
    assert len(os.listdir(project)) == 2
    place(str(project), NAME, export("three"))
    assert (os.listdir(project), (project / NAME).read_bytes()) == ([NAME], export("three"))


@pytest.mark.parametrize("position", range(0, 400, 7))
def test_any_changed_byte_breaks_the_seal(position: int) -> None:
    data = bytearray(export("text " * 60))
    assert is_ours(bytes(data))
    data[position] ^= 1
    assert not is_ours(bytes(data))


def export(text: str) -> bytes:
    return sealed(("Exported: today", "second", "third"), f"{text}\n").encode()


def snapshot(folder: Path) -> Iterator[tuple[str, int, bytes]]:
    for path in sorted(folder.rglob("*")):
        yield str(path), path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b""
