"""``zecher memory``: status, init, add, export, on real processes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from jobs.cli.memory import FIELDS
from jobs.cli.memory_run import KINDS
from jobs.memory import fields_of
from tests.jobs.program import Done, Program, folder_state
from tests.support import write

TODAY = "2026-11-30"


@pytest.fixture
def ready(zecher: Program) -> Program:
    """The program in a project whose memory and brain have been made."""
    done = zecher("memory", "init", "--user", "Ana", "--language", "Deutsch")
    assert (done.code, done.err) == (0, "13 created, 0 kept as they were\n")
    return zecher


# -- init ---------------------------------------------------------------------------------------------------


def test_init_creates_project_memory_and_global_brain(ready: Program) -> None:
    memory, brain = ready.cwd / ".agents/memory", ready.home / ".bmad-plus/brain"

    assert sorted(path.name for path in memory.iterdir()) == [
        *(".brain-link", "context.md", "decisions.md", "lessons.md", "patterns.md", "sessions"),
    ]
    assert sorted(path.name for path in brain.iterdir() if not path.name.startswith(".")) == [
        *("decisions.md", "identity.yaml", "lessons.md", "patterns.md", "projects"),
    ]
    assert json.loads((memory / ".brain-link").read_text()) == {
        "linked_brain": str(brain),
        "brain_type": "bmad-global",
        "linked_at": f"{TODAY}T03:17:04.000Z",
    }
    identity = (brain / "identity.yaml").read_text()
    assert 'user_name: "Ana"' in identity
    assert 'communication_language: "Deutsch"' in identity


def test_a_second_init_changes_no_byte(ready: Program) -> None:
    write(ready.cwd / ".agents/memory/lessons.md", "mine\r\n")
    before = folder_state(ready.home) | folder_state(ready.cwd)

    done = ready("memory", "init")

    assert done == Done(0, "", "nothing was missing: 13 of 13 are there\n")
    assert folder_state(ready.home) | folder_state(ready.cwd) == before


def test_a_dry_run_says_the_same_and_writes_nothing(zecher: Program) -> None:
    would = zecher("memory", "init", "--dry-run")

    assert folder_state(zecher.home) == folder_state(zecher.cwd) == {}
    done = zecher("memory", "init")
    assert done.out == would.out.replace("would create\t", "created\t")
    assert len(done.out.splitlines()) == 13
    assert would.err == "dry run, nothing written; 13 to create, 0 stay as they are\n"


def test_a_linked_brain_is_never_written(zecher: Program) -> None:
    write(zecher.cwd / "_brain/README.md", "# Mine\n")

    done = zecher("memory", "init")

    assert done.code == 0
    assert "is linked and stays as it is" in done.err
    assert folder_state(zecher.cwd / "_brain") == {"README.md": b"# Mine\n"}
    assert not (zecher.home / ".bmad-plus").exists()
    link = json.loads((zecher.cwd / ".agents/memory/.brain-link").read_text())
    assert link["brain_type"] == "portfolio"


def test_a_home_that_cannot_be_written_is_a_warning(zecher: Program) -> None:
    write(zecher.home / ".bmad-plus", "a file in the way")

    done = zecher("memory", "init")

    assert (done.code, done.err.startswith("note: ")) == (0, True)
    assert "[memory-init]" in done.err
    assert (zecher.cwd / ".agents/memory/decisions.md").exists()


def test_a_memory_that_may_not_be_looked_into_is_told_as_such(ready: Program) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into everything")
    closed = ready.cwd / ".agents"
    closed.chmod(0)
    try:
        shown = ready("memory", "status").out
    finally:
        closed.chmod(0o700)
    assert "permission denied" in shown
    assert "zecher memory init" not in shown.partition("brain")[0]


def test_a_project_that_cannot_be_written_fails(zecher: Program) -> None:
    write(zecher.cwd / ".agents", "a file in the way")

    done = zecher("memory", "init", "--json")

    assert (done.code, done.document["ok"]) == (1, False)
    assert done.document["problems"][0]["code"] == "memory-init"


def test_a_brain_is_looked_for_above_the_project_as_it_was_named(zecher: Program, tmp_path: Path) -> None:
    """BMAD+ resolves no link of ``-d``; everything else works on the folder that it leads to."""
    beside = tmp_path / "beside"
    write(beside / "_brain/README.md", "# Mine\n")
    write(tmp_path / "real/shop/go.mod", "")
    (beside / "shop").symlink_to(tmp_path / "real/shop")

    by_link = zecher("memory", "status", "-d", beside / "shop", "--json").data
    by_folder = zecher("memory", "status", "-d", tmp_path / "real/shop", "--json").data

    assert (by_link["brain"]["type"], by_link["brain"]["path"]) == ("portfolio", str(beside / "_brain"))
    assert by_folder["brain"]["type"] == "bmad-global"
    assert by_link["project"]["path"] == by_folder["project"]["path"] == str(tmp_path / "real/shop")


@pytest.mark.parametrize("place", [".bmad-plus/brain", ".bmad-plus"])
def test_no_brain_is_made_through_a_link_that_leads_nowhere(
    zecher: Program, tmp_path: Path, place: str
) -> None:
    """A disk that is not mounted: a second brain under its name would hide the first."""
    gone, link = tmp_path / "gone", zecher.home / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(gone)
    write(zecher.cwd / "go.mod", "")

    told = {
        "scan": zecher("scan", ".", "--yes"),
        "init": zecher("memory", "init"),
        "status": zecher("memory", "status"),
        "export": zecher("memory", "export"),
    }

    assert [name for name, done in told.items() if "leads nowhere" not in done.out + done.err] == []
    assert (told["scan"].code, told["init"].code, told["export"].code) == (3, 0, 1)
    assert not gone.exists()


def test_init_honours_the_brain_that_is_named(zecher: Program, tmp_path: Path) -> None:
    data = zecher("memory", "init", "--brain", tmp_path / "b", "--json").data

    assert (data["brain"]["path"], data["brain"]["source"]) == (str(tmp_path / "b"), "--brain")
    assert (tmp_path / "b/identity.yaml").exists()
    assert not (zecher.home / ".bmad-plus").exists()


def test_the_document_of_init_has_its_keys(zecher: Program) -> None:
    document = zecher("memory", "init", "--dry-run", "--json").document

    assert document["schema"] == "zecher.memory.init"
    assert list(document["data"]) == ["project", "brain", "created", "kept", "notes", "dry_run"]


# -- add ----------------------------------------------------------------------------------------------------


def test_add_appends_one_entry_with_todays_date_and_says_where(ready: Program) -> None:
    path = ready.cwd / ".agents/memory/decisions.md"
    before = path.read_text()

    done = ready("memory", "add", "decision", "Use", "SQLite", "--rationale", "One file", "--context", "Data")

    line = before.count("\n") + 2
    assert done == Done(0, f"added to {path.resolve()}:{line}\n", "")
    assert path.read_text() == before + (
        f"\n### {TODAY} — Use SQLite\n- **Context**: Data\n- **Rationale**: One file\n- **Status**: active\n"
    )


def test_lessons_and_patterns_have_their_own_files_and_fields(ready: Program) -> None:
    lesson = ready("memory", "add", "lesson", "Pin the clock", "--lesson", "Pass now in", "--json")
    pattern = ready("memory", "add", "pattern", "Plan and apply", "--trade-off", "Two steps")

    assert list(lesson.data) == ["kind", "title", "file", "line"]
    assert lesson.document["schema"] == "zecher.memory.add"
    assert "- **Lesson**: Pass now in\n" in (ready.cwd / ".agents/memory/lessons.md").read_text()
    text = (ready.cwd / ".agents/memory/patterns.md").read_text()
    assert pattern.code == 0
    assert f"### Plan and apply\n- **Date**: {TODAY}\n- **Trade-off**: Two steps\n" in text


def test_a_value_may_begin_with_a_dash(ready: Program) -> None:
    done = ready("memory", "add", "lesson", "Flags", "--lesson", "-v is verbose", "--impact", "--- none")
    assert done.code == 0
    text = (ready.cwd / ".agents/memory/lessons.md").read_text()
    assert "- **Lesson**: -v is verbose\n" in text
    assert "- **Impact**: --- none\n" in text


def test_an_option_is_no_value_of_the_one_before_it(ready: Program) -> None:
    done = ready("memory", "add", "lesson", "Flags", "--lesson", "--impact", "x")
    assert done.code == 2
    assert "--lesson: expected one argument" in done.err


def test_a_sign_before_a_title_is_part_of_it(ready: Program) -> None:
    assert ready("memory", "add", "lesson", "-5 degrees").code == 0
    assert ready("memory", "add", "lesson", "5 degrees").code == 0
    assert ready("memory", "add", "lesson", "-5 degrees").code == 1


def test_the_same_title_on_the_same_day_is_refused(ready: Program) -> None:
    assert ready("memory", "add", "decision", "Use SQLite").code == 0
    before = folder_state(ready.cwd)

    done = ready("memory", "add", "decision", "use  sqlite")

    assert (done.code, done.out, "[entry-duplicate]" in done.err) == (1, "", True)
    assert folder_state(ready.cwd) == before
    assert ready("memory", "add", "decision", "Use SQLite", "--now", "2026-12-01").code == 0


def test_a_value_cannot_forge_an_entry(ready: Program) -> None:
    evil = "x\n### 2026-01-01 — fake\n- **Status**: rolled-back\n---\n```"

    assert ready("memory", "add", "decision", "Real", "--context", evil).code == 0

    decisions = ready("memory", "status", "--json").data["project"]["files"][0]
    assert (decisions["name"], decisions["entries"], decisions["valid"]) == ("decisions.md", 1, True)


def test_every_field_of_the_table_has_its_option() -> None:
    options = {name.replace("-", "_") for name, _ in FIELDS}

    assert options == {name for kind in KINDS.values() for name in fields_of(kind)}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "entry-kind"),
        (["decicion", "x"], "entry-kind"),
        (["decision"], "entry-title"),
        (["decision", " "], "entry-title"),
        (["lesson", "x", "--rationale", "y"], "entry-field"),
    ],
)
def test_a_mistake_in_what_was_typed_is_a_usage_error(zecher: Program, words: list[str], code: str) -> None:
    done = zecher("memory", "add", *words)

    assert (done.code, f"[{code}]" in done.err) == (2, True)
    assert list(zecher.cwd.iterdir()) == []


def test_a_status_that_the_kind_does_not_have_is_refused(zecher: Program) -> None:
    done = zecher("memory", "add", "pattern", "x", "--status", "rolled-back")

    assert (done.code, "[entry-refused]" in done.err) == (1, True)
    assert list(zecher.cwd.iterdir()) == []


def test_add_writes_through_no_link(zecher: Program, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (zecher.cwd / ".agents").mkdir()
    (zecher.cwd / ".agents/memory").symlink_to(tmp_path / "elsewhere")

    done = zecher("memory", "add", "decision", "x")

    assert (done.code, "symbolic link" in done.err) == (1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


# -- status -------------------------------------------------------------------------------------------------


def test_status_shows_both_figures_and_each_check(ready: Program) -> None:
    ready("memory", "add", "decision", "Use SQLite")

    text = ready("memory").out

    data = ready("memory", "--json").data
    assert text.startswith(f"project  {ready.cwd.resolve()}: {data['project']['percent']}% healthy, ")
    assert re.search(r"\n  ✓ decisions.md {8}1 entry, changed \d{4}-\d\d-\d\d\n", text)
    assert "\n  ✗ lessons.md          no entry yet" in text
    brain = ready.home / ".bmad-plus/brain"
    assert f"\nbrain    {brain} (bmad-global, ~/.bmad-plus/brain): " in text
    assert text.endswith(f"\nhealth   90% as BMAD+ counts (9 of 10), {data['percent']}% healthy\n")


def test_status_of_nothing_ends_with_0_and_writes_nothing(zecher: Program) -> None:
    done = zecher("memory", "status")

    assert (done.code, done.err) == (0, "")
    assert "BMAD+ shows no figure here" in done.out
    assert folder_state(zecher.home) == folder_state(zecher.cwd) == {}


def test_a_linked_brain_counts_and_bmads_figure_is_the_projects(ready: Program) -> None:
    write(ready.cwd / "_brain/README.md", "# Mine\n")

    done = ready("memory", "status")
    data = ready("memory", "status", "--json").data

    assert "(portfolio, _brain in the project)" in done.out
    assert "health   80% as BMAD+ counts (4 of 5, the project alone), " in done.out
    assert (data["brain"]["type"], data["brain"]["compatible"]) == ("portfolio", None)
    assert data["compatible"] == {"passed": 4, "total": 5, "percent": 80}


def test_the_document_of_status_has_its_keys(ready: Program) -> None:
    document = ready("memory", "status", "--json").document
    data = document["data"]

    assert (document["schema"], document["ok"]) == ("zecher.memory.status", True)
    assert list(data) == [
        "project",
        "brain",
        "compatible",
        "percent",
        "index",
        "dreaming",
        "repair",
        "warnings",
    ]
    assert list(data["project"])[:1] == ["path"]
    assert {"files", "percent", "findings", "sessions", "ledgers", "link", "checks"} <= set(data["project"])
    assert {"path", "type", "source", "files", "projects", "percent", "checks"} <= set(data["brain"])
    assert list(data["project"]["files"][0])[:5] == ["name", "exists", "entries", "valid", "modified"]
    assert data["compatible"] == {"passed": 9, "total": 10, "percent": 90}


def test_a_named_folder_that_is_no_brain_is_told(zecher: Program) -> None:
    zecher.extra["BMAD_PLUS_BRAIN"] = "/nowhere"

    assert "BMAD_PLUS_BRAIN names /nowhere, which is not a folder" in zecher("memory").out
    assert zecher("memory", "--json").data["warnings"] != []


def test_at_a_terminal_the_home_is_a_tilde(ready: Program) -> None:
    assert "\nbrain    ~/.bmad-plus/brain (" in ready.at_terminal("memory", columns=120).out


# -- export -------------------------------------------------------------------------------------------------

NAME = f"bmad-brain-export-{TODAY}.md"


def test_export_writes_into_the_project_and_counts_secrets(ready: Program) -> None:
    token = "ghp_" + "a1B2" * 9
    brain = ready.home / ".bmad-plus/brain"
    write(brain / "lessons.md", f"### 2026-01-01 — Tokens\n- **Lesson**: {token} leaked\n")

    done = ready("memory", "export")

    path = ready.cwd / NAME
    assert (done.code, done.out) == (0, f"exported to {path.resolve()}\n")
    assert done.err == "4 parts, 1 secret replaced\n"
    assert token not in path.read_text()
    assert path.read_text().startswith(f"# BMAD+ Brain Export\n> Exported: {TODAY}T03:17:04.000Z\n")

    again = ready("memory", "export", "--no-redact")
    assert (again.out, again.err) == (done.out, "4 parts, secrets left in\n")
    assert token in path.read_text()
    assert token in (brain / "lessons.md").read_text()


def test_a_file_that_is_not_ours_is_left_and_another_name_taken(ready: Program) -> None:
    write(ready.cwd / NAME, "mine")

    done = ready("memory", "export", "--json")

    assert done.data["file"] == str(ready.cwd.resolve() / NAME.replace(".md", "-2.md"))
    assert (ready.cwd / NAME).read_text() == "mine"


def test_the_output_is_a_folder_or_a_file(ready: Program, tmp_path: Path) -> None:
    into, named = tmp_path / "into", tmp_path / "brain.md"
    into.mkdir()

    assert ready("memory", "export", "--output", into).out == f"exported to {into / NAME}\n"
    assert ready("memory", "export", f"--output={named}").out == f"exported to {named}\n"

    done = ready("memory", "export", "--output", tmp_path / "no/x.md")
    assert (done.code, "[brain-write]" in done.err) == (1, True)


def test_without_a_brain_the_export_fails(zecher: Program) -> None:
    done = zecher("memory", "export")

    assert (done.code, done.out, "[no-brain]" in done.err) == (1, "", True)
    assert list(zecher.cwd.iterdir()) == []


def test_a_part_that_cannot_be_read_makes_the_export_partial(ready: Program) -> None:
    lessons = ready.home / ".bmad-plus/brain/lessons.md"
    lessons.unlink()
    lessons.symlink_to("/etc/hostname")

    done = ready("memory", "export", "--json")

    assert (done.code, done.document["ok"]) == (3, False)
    assert [problem["code"] for problem in done.document["problems"]] == ["export-left-out"]
    assert [part["title"] for part in done.data["parts"]] == [
        *("identity.yaml", "decisions.md", "patterns.md", "Projects"),
    ]


def test_an_export_that_lacks_a_part_does_not_replace_a_whole_one(ready: Program) -> None:
    whole = ready.cwd / f"bmad-brain-export-{TODAY}.md"
    assert ready("memory", "export").code == 0
    before = whole.read_bytes()
    lessons = ready.home / ".bmad-plus/brain/lessons.md"
    lessons.unlink()
    lessons.mkdir()
    assert ready("memory", "export").code == 3
    assert whole.read_bytes() == before
    assert whole.with_name(f"bmad-brain-export-{TODAY}-2.md").exists()


def test_a_linked_brain_is_what_is_exported(zecher: Program) -> None:
    write(zecher.cwd / "_brain/README.md", "# Start here\n")
    write(zecher.cwd / "_brain/memory/lessons.md", "### A\nb\n")
    write(zecher.home / ".bmad-plus/brain/lessons.md", "### Not this\nc\n")

    data = zecher("memory", "export", "--json").data

    assert (data["brain"]["type"], [part["title"] for part in data["parts"]]) == (
        "portfolio",
        ["README.md", "Memory", "lessons.md"],
    )


# -- what all share -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["status", "init", "export"])
def test_a_project_that_is_not_there_fails(zecher: Program, command: str) -> None:
    done = zecher("memory", command, "-d", "nowhere", "--json")

    assert (done.code, done.document["problems"][0]["code"]) == (1, "project-missing")
    assert done.document["schema"] == f"zecher.memory.{command}"


def test_a_project_with_an_odd_name_is_shown_harmless(zecher: Program) -> None:
    name = os.fsdecode(b"od\xe9\x1b[2J")
    (zecher.cwd / name).mkdir()

    done = zecher("memory", "init", "-d", name)

    assert done.code == 0
    assert "od\\xe9\\x1b[2J/.agents/memory/decisions.md" in done.out
    assert (zecher.cwd / name / ".agents/memory/decisions.md").exists()
    assert zecher("memory", "status", "-d", name, "--json").code == 0
    assert zecher("memory", "add", "decision", "x", "-d", name, "--json").code == 0
    assert zecher("memory", "export", "-d", name, "--json").code == 0
    assert zecher("mem", "write", "--agent", "a", "-d", name, "--json").code == 0
    assert zecher("mem", "recall", "a", "-d", name, "--json").code == 0


@pytest.mark.parametrize(
    "words", [["memory", "status"], ["memory", "init", "--dry-run"], ["config", "show"], ["doctor"]]
)
def test_no_command_of_the_memory_imports_what_only_a_terminal_or_report_needs(
    zecher: Program, words: list[str]
) -> None:
    script = zecher.cwd.parent / "loaded.py"
    script.write_text(
        f"import sys; sys.argv = ['zecher', *{words!r}]\n"
        "from jobs.cli import main\nmain()\n"
        "print('loaded', *sorted(sys.modules), file=sys.stderr)\n"
    )
    zecher.module = "loaded"
    zecher.extra["PYTHONPATH"] = f"{zecher.environment()['PYTHONPATH']}:{script.parent}"

    loaded = set(zecher().err.splitlines()[-1].split())

    assert "brain" in loaded
    assert {"rich", "jinja2", "apscheduler", "asyncio", "subprocess", "pathspec"} & loaded == set()
