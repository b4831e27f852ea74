"""``zecher remember``, ``forget``, ``memory edit`` and ``memory list``, on real processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import write

BRAIN = ".bmad-plus/brain/memory"
NOTES = ".agents/memory/notes"


def test_a_fact_about_the_user_goes_into_the_brain_and_touches_no_project(zecher: Program) -> None:
    done = zecher("remember", "--user", "--category", "preferences", "likes", "tabs")

    file = zecher.home / BRAIN / "preferences.md"
    assert re.fullmatch(rf"remembered in a new category: {file}:5 \(\w{{4}}\)\n", done.out)
    assert (done.code, done.err) == (0, "")
    assert "likes tabs <!-- zecher: 2026-11-30 " in file.read_text()
    assert list(zecher.cwd.iterdir()) == []


@pytest.mark.parametrize("axis", [("--project",), ("-d", "."), ("--project", "-d", ".")])
def test_a_fact_about_a_project_goes_into_the_project(zecher: Program, axis: tuple[str, ...]) -> None:
    assert zecher("remember", *axis, "uses make").code == 0
    assert list(folder_state(zecher.cwd)) == [f"{NOTES}/general.md"]
    assert not (zecher.home / ".bmad-plus").exists()


def test_a_project_of_the_index_can_be_named(zecher: Program, indexed: Path) -> None:
    assert zecher("remember", "--project=Shop", "uses make").code == 0
    assert list(folder_state(indexed / "shop" / ".agents")) == ["memory/notes/general.md"]

    done = zecher("remember", "--project=shpo", "uses make")
    assert (done.code, "[project-unknown]" in done.err) == (2, True)
    assert "Did you mean shop?" in done.err


@pytest.mark.parametrize("mark", [".git", ".agents/memory", ".bmad/memory"])
def test_below_a_project_its_own_memory_is_meant(zecher: Program, mark: str) -> None:
    root = zecher.cwd
    (root / mark).mkdir(parents=True)
    zecher.cwd = root / "src/pkg"
    zecher.cwd.mkdir(parents=True)
    assert zecher("remember", "--project", "The gateway limits requests").code == 0
    assert (root / NOTES / "general.md").exists()
    assert not (zecher.cwd / ".agents").exists()
    assert len(zecher("memory", "search", "gateway", "--json").data["results"]) == 1
    assert len(zecher("recall", "gateway", "--json").data["sources"]) == 1
    assert zecher("memory", "list", "--json").data["categories"][0]["file"] == str(
        root / NOTES / "general.md"
    )


def test_below_a_project_of_the_index_its_memory_is_meant_without_any_mark(
    zecher: Program, indexed: Path
) -> None:
    root = indexed / "tools/engine"
    (root / ".git").rename(indexed / "gone.git")
    zecher.cwd = root / "src/pkg"
    zecher.cwd.mkdir(parents=True)
    write(root / "PROGRESS.md", "# Progress\n\n## State\n\nThe gateway limits requests.\n")

    assert len(zecher("memory", "search", "gateway", "--json").data["results"]) == 1
    assert zecher("memory", "status", "--json").data["project"]["path"] == str(root)
    assert {one["project"] for one in zecher("memory", "check", "--json").data["findings"]} == {str(root)}
    assert zecher("remember", "--project", "It has two engines").code == 0
    assert zecher("memory", "add", "lesson", "Oil", "--lesson", "Look at the oil").code == 0
    assert (root / NOTES / "general.md").exists()
    assert not (zecher.cwd / ".agents").exists()

    zecher.cwd = indexed / "tools"
    assert zecher("memory", "search", "gateway", "--json").data["results"] == []


def test_at_home_nothing_about_a_project_is_kept_unless_it_is_named(zecher: Program) -> None:
    zecher.cwd = zecher.home
    refused = zecher("remember", "--project", "x y z")
    assert (refused.code, "[project-none]" in refused.err) == (1, True)
    assert not (zecher.home / ".agents").exists()
    assert zecher("remember", "-d", ".", "x y z").code == 0


def test_standard_input_is_read_where_nothing_was_typed(zecher: Program) -> None:
    for words in ((), ("-",)):
        assert (
            zecher("remember", "--project", *words, answers=f"from a pipe {len(words)}\nin two lines\n").code
            == 0
        )
    assert "from a pipe 0\nin two lines <!-- zecher" in (zecher.cwd / NOTES / "general.md").read_text()


def test_a_person_who_says_nothing_is_told_and_not_waited_for(zecher: Program) -> None:
    done = zecher.at_terminal("remember", "--project")
    assert (done.code, "[no-text]" in done.out) == (2, True)


def test_the_document_of_a_fact_and_of_its_second_time(zecher: Program) -> None:
    first = zecher("remember", "--project", "Deploys go through CI", "--summary", "How it runs", "--json")
    second = zecher("remember", "--project", "deploys go through  ci.", "--json")
    near = zecher("remember", "--project", "deploys go through the CI", "--json")

    keys = [
        "outcome",
        "id",
        "file",
        "line",
        "near",
        "axis",
        "category",
        "similar",
        "summaryUpdated",
        "versionToken",
    ]
    assert first.document["schema"] == "zecher.remember"
    assert list(first.data) == list(second.data) == keys
    assert (first.data["outcome"], first.data["summaryUpdated"]) == ("created", True)
    assert (second.data["outcome"], second.data["summaryUpdated"]) == ("skipped", False)
    assert second.data["versionToken"] == first.data["versionToken"]
    assert near.data["outcome"] == "appended"
    assert list(near.data["near"][0]) == ["file", "line", "id", "text", "score"]
    assert near.data["near"][0]["id"] == first.data["id"]


def test_near_facts_and_categories_that_may_be_meant_are_notes(zecher: Program) -> None:
    zecher("remember", "--project", "--category", "preferences", "likes tabs in all files")
    done = zecher("remember", "--project", "--category", "prefs", "likes tabs in every file")
    assert "note: near: " in done.err
    assert "is it preferences?" in done.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("remember", "x"), "remember-axis"),
        (("remember", "--user", "--project", "x"), "remember-axis"),
        (("remember", "--project=a", "-d", ".", "x"), "remember-axis"),
        (("forget",), "forget-what"),
        (("forget", "a", "b"), "forget-what"),
        (("memory", "edit", "x"), "edit-what"),
        (("memory", "edit", "x", "--append", "a", "--prepend", "b"), "edit-what"),
        (("memory", "edit", "x", "--find", "a"), "edit-what"),
        (("memory", "edit", "x", "--append", "a", "--with", "b"), "edit-what"),
    ],
)
def test_what_makes_no_sense_ends_with_2_and_writes_nothing(
    zecher: Program, words: tuple[str, ...], code: str
) -> None:
    done = zecher(*words)
    assert (done.code, f"[{code}]" in done.err) == (2, True), done.err
    assert folder_state(zecher.home) == folder_state(zecher.cwd) == {}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--category", "x#y", "a"), "category-refused"),
        (("--category", "a|b", "a"), "category-refused"),
        (("--category", "  ", "a"), "category-refused"),
        (("  ",), "observation-blank"),
        (("a\x1b[2J",), "observation-refused"),
        (("api_key = 'sk-" + "a1B2" * 10 + "'",), "observation-secret"),
        (("--summary", "a\nb", "a"), "summary-refused"),
        (("--version-token", "0" * 64, "a"), "memory-changed"),
    ],
)
def test_what_is_refused_ends_with_1_and_writes_no_file(
    zecher: Program, words: tuple[str, ...], code: str
) -> None:
    done = zecher("remember", "--project", "--json", *words)
    assert (done.code, done.document["ok"]) == (1, False)
    assert [one["code"] for one in done.document["problems"]] == [code]
    assert "a1B2" not in done.out + done.err
    assert folder_state(zecher.cwd) == {}


def test_bytes_that_are_no_text_are_refused(zecher: Program) -> None:
    for arguments, given in (([b"caf\xe9"], b""), ([], b"caf\xe9")):
        done = subprocess.run(
            [*map(str.encode, zecher.command("remember", "--project")), *arguments],
            cwd=zecher.cwd, env=zecher.environment(), input=given, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, b"[observation-refused]" in done.stderr) == (1, True)
    assert folder_state(zecher.cwd) == {}


def test_a_fact_is_forgotten_by_its_name_and_comes_back(zecher: Program) -> None:
    kept = zecher("remember", "--project", "uses make", "--json").data
    zecher("remember", "--user", "likes tabs")
    before = folder_state(zecher.cwd)

    done = zecher("forget", kept["id"])
    again = zecher("forget", kept["id"], "--json")
    assert (done.code, done.out) == (0, f"archived: {kept['file']}:7 ({kept['id']}) uses make\n")
    assert list(again.data) == ["outcome", "id", "file", "line", "category", "text", "versionToken"]
    assert again.data["outcome"] == "unchanged"
    assert zecher("forget", kept["id"], "--user").code == 1

    assert zecher("forget", kept["id"], "--undo", "--project").out.startswith("restored: ")
    assert folder_state(zecher.cwd) == before


def test_a_name_that_is_not_there_is_told(zecher: Program) -> None:
    done = zecher("forget", "zzzz", "--json")
    assert (done.code, done.document["problems"][0]["code"]) == (1, "observation-missing")


def test_a_note_is_edited_in_each_of_the_five_ways(zecher: Program) -> None:
    path = write(zecher.cwd / NOTES / "looks.md", "---\ntitle: Looks\n---\n\nlikes tabs\n")
    edits = [
        ("--append", "## State\n\nold"),
        ("--prepend", "first"),
        ("--section", "state", "--with", "new"),
        ("--find", "tabs", "--with", "spaces"),
        ("--find", "first", "--with", ""),
    ]
    for words in edits:
        assert zecher("memory", "edit", "looks", *words).out.startswith(f"changed: {path}:")
    assert path.read_text() == "---\ntitle: Looks\n---\n\nlikes spaces\n\n## State\n\nnew\n"

    done = zecher("memory", "edit", "looks", "--replace", "-", "--json", answers="all new\n")
    assert list(done.data) == ["outcome", "operation", "file", "line", "versionToken"]
    assert path.read_text() == "---\ntitle: Looks\n---\n\nall new\n"
    stale = zecher("memory", "edit", "looks", "--append", "x", "--version-token", "0" * 64)
    assert (stale.code, "[memory-changed]" in stale.err) == (1, True)


def test_an_edit_outside_of_the_memory_is_refused(zecher: Program) -> None:
    path = write(zecher.cwd / "README.md", "theirs\n")
    done = zecher("memory", "edit", "README.md", "--append", "x")
    assert (done.code, "[memory-outside]" in done.err) == (1, True)
    assert path.read_text() == "theirs\n"


def test_the_list_shows_both_axes_and_what_they_cost(zecher: Program) -> None:
    zecher("remember", "--user", "likes tabs", "--category", "Looks", "--summary", "UI prefs")
    write(zecher.cwd / NOTES / "quiet.md", "---\nmuted: 'true'\ntags: [always-load]\n---\n\nnot now\n")

    shown = [line.split("\t") for line in zecher("memory", "list").out.splitlines()]
    assert shown[0] == ["axis", "category", "observations", "tokens", "newest", "flags", "summary", "file"]
    assert [row[:7] for row in shown[1:]] == [
        ["project", "quiet", "1", "2", "", "muted,always-load", "not now"],
        ["user", "Looks", "1", "2", "2026-11-30", "", "UI prefs"],
    ]
    document = zecher("memory", "list", "--user", "--json")
    assert document.document["schema"] == "zecher.memory.list"
    assert [one["category"] for one in document.data["categories"]] == ["Looks"]
    assert (document.data["categories"][0]["muted"], document.data["tokens"]) == (False, 2)
    assert "UI prefs" in zecher.at_terminal("memory", "list").out


def test_a_file_that_cannot_be_read_makes_the_list_partial(zecher: Program) -> None:
    write(zecher.cwd / NOTES / "a.md", "text\n")
    (zecher.cwd / NOTES / "b.md").symlink_to(zecher.cwd / NOTES / "a.md")
    done = zecher("memory", "list", "--json")
    assert (done.code, len(done.data["categories"])) == (3, 1)
    assert done.document["problems"][0]["code"] == "memory-unreadable"


def test_foreign_text_never_moves_the_cursor(zecher: Program) -> None:
    write(zecher.cwd / NOTES / "a.md", '---\ntitle: "a\\e[2Jb"\n---\n\nev\x1b[2Jil \u202e text\n')
    for words in (("memory", "list"), ("memory", "list", "--json")):
        done = zecher(*words)
        assert done.code == 0
        assert "\x1b" not in done.out
        assert "\u202e" not in done.out


def test_a_portfolio_brain_keeps_the_users_facts_in_its_memory(zecher: Program) -> None:
    write(zecher.cwd / "_brain/README.md", "# Mine\n")
    assert zecher("remember", "--user", "likes tabs").code == 0
    assert list(folder_state(zecher.cwd)) == ["_brain/README.md", "_brain/memory/general.md"]
    assert not (zecher.home / ".bmad-plus").exists()


def test_the_memory_of_another_tool_is_never_written(zecher: Program) -> None:
    write(zecher.home / ".claude/memory/MEMORY.md", "theirs\n")
    assert zecher("remember", "--user", "likes tabs").code == 0
    assert folder_state(zecher.home / ".claude") == {"memory/MEMORY.md": b"theirs\n"}
    assert (zecher.home / BRAIN / "general.md").exists()


def test_no_brain_is_made_through_a_link_that_leads_nowhere(zecher: Program, tmp_path: Path) -> None:
    (zecher.home / ".bmad-plus").symlink_to(tmp_path / "gone")
    done = zecher("remember", "--user", "likes tabs")
    assert (done.code, "[brain-write]" in done.err) == (1, True)
    assert not (tmp_path / "gone").exists()


HOLDER = """
import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def test_a_lock_that_is_held_ends_with_75(zecher: Program) -> None:
    zecher("remember", "--project", "uses make")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(zecher.cwd / NOTES)], stdout=subprocess.PIPE
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            done = zecher("remember", "--project", "uses cmake", "--json")
        finally:
            holder.kill()
    assert (done.code, done.document["problems"][0]["code"]) == (75, "brain-locked")


def test_a_whole_piece_of_work(zecher: Program) -> None:
    """Remember, correct, forget, look: the files stay readable, and nothing is lost on the way."""
    kept = zecher("remember", "--project", "--category", "Runs", "The worker needs Redis 6", "--json").data
    zecher("remember", "--project", "--category", "runs", "Backups run at night")
    zecher("memory", "edit", "runs", "--find", "Redis 6", "--with", "Redis 7")
    assert zecher("forget", kept["id"]).code == 0
    assert zecher("remember", "--project", "--category", "runs", "The worker needs Valkey").code == 0
    text = (zecher.cwd / NOTES / "runs.md").read_text()
    assert re.sub(r" <!--.*?-->", "", text) == (
        '---\ntitle: "Runs"\n---\n\nBackups run at night\n\nThe worker needs Valkey\n\n'
        "## [ARCHIVED]\n\nThe worker needs Redis 7\n"
    )


@pytest.mark.parametrize(
    "words",
    [("remember", "--user", "likes tabs"), ("forget", "zzzz"), ("remember", "--help"), ("memory", "list")],
)
def test_none_of_the_heavy_packages_is_imported(zecher: Program, words: tuple[str, ...]) -> None:
    program = (
        "import sys; from jobs.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "import json; json.dump(sorted(sys.modules), open('modules.json', 'w'))"
    )
    write(zecher.home / BRAIN / "looks.md", '---\ntitle: "Looks"\nsummary: mine\n---\n\nlikes vim\n')
    subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=zecher.cwd, env=zecher.environment(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    modules = json.loads((zecher.cwd / "modules.json").read_text())
    assert "jobs.cli.gate" in modules
    assert {"rich", "jinja2", "yaml", "apscheduler", "asyncio"}.isdisjoint(modules)
