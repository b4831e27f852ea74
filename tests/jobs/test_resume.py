"""``zecher resume`` as people, programs and assistants use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brain.health.examined import DECISIONS, PROGRESS
from tests.jobs.program import Program, folder_state
from tests.support import Git, write

KEYS = [
    *("project", "goal", "state", "tests", "next_step", "blockers", "last_handover", "loops", "commits"),
    *("unsaved", "decisions", "lessons", "open_questions", "not_found", "reasons", "conflicts"),
    *("more", "cold_start", "budget", "left_out"),
]


@pytest.fixture
def shop(indexed: Path) -> Path:
    """An indexed project with a handover that names its commit, one commit after it and unsaved work."""
    folder = indexed / "shop"
    git = Git(folder)
    head = git("rev-parse", "--short", "HEAD")
    write(folder / "PROGRESS.md", PROGRESS.replace("4f2a9c1", head))
    write(folder / "DECISIONS.md", DECISIONS)
    git("add", "-A")
    git("commit", "-q", "-m", "Handover", days=1.5)
    write(folder / "search.c", "int search;\n")
    git("add", "-A")
    git("commit", "-q", "-m", "search: the index instead of LIKE", days=1)
    write(folder / "notes.txt")
    return folder


def test_the_project_of_the_current_folder_is_shown_from_its_files_and_its_history(
    zecher: Program, shop: Path
) -> None:
    (shop / "src" / "deep").mkdir(parents=True)
    zecher.cwd = shop / "src" / "deep"

    done = zecher("resume")

    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    # A path that is longer than the line goes on in the next one.
    assert done.out.replace(f"\n{' ' * 15}", "").startswith(f"shop           {shop},")
    assert "goal           Suche im Produktkatalog (Funktion search-01)  PROGRESS.md:4" in lines
    assert "                 2026-11-28 by its commit" in lines
    head = Git(shop)("rev-parse", "--short", "HEAD~2")
    assert f"                 1 commit since {head}" in lines
    newest = Git(shop)("rev-parse", "--short=8", "HEAD")
    assert f"commits        {newest} 2026-11-29 search: the index instead of LIKE" in lines
    assert "unsaved        1 changed file, 3 unpushed commits, no remote" in lines
    assert "cold start     5 of 5" in lines


@pytest.mark.parametrize("columns", [40, 57])
def test_a_narrow_terminal_gets_lines_that_fit(zecher: Program, shop: Path, columns: int) -> None:
    zecher.extra["NO_COLOR"] = "1"
    done = zecher.at_terminal("resume", shop, columns=columns)

    assert "goal           Suche im" in done.out
    assert [line for line in done.out.splitlines() if len(line) > columns] == []


def test_a_document_has_the_keys_of_the_contract(zecher: Program, shop: Path) -> None:
    done = zecher("resume", "shop", "--json")

    assert done.code == 0
    assert done.document["schema"] == "zecher.resume"
    assert list(done.data) == KEYS
    assert list(done.data["project"]) == ["id", "path", "name", "status"]
    assert done.data["project"]["path"] == str(shop)
    assert done.data["next_step"]["line"] == 16
    assert list(done.data["commits"][0]) == ["text", "file", "line", "commit", "when"]
    assert [one["text"] for one in done.data["commits"]] == [
        "search: the index instead of LIKE",
        "Handover",
        "first",
    ]
    assert done.data["unsaved"]["untracked"] == 1
    assert done.data["last_handover"]["drift"] == 1
    assert (done.data["cold_start"]["score"], done.data["cold_start"]["of"]) == (5, 5)
    assert [(one["file"], one["line"]) for one in done.data["cold_start"]["questions"]] == [
        ("PROGRESS.md", 4),
        ("PROGRESS.md", 8),
        ("DECISIONS.md", 4),
        ("PROGRESS.md", 13),
        ("PROGRESS.md", 16),
    ]
    assert done.data["not_found"] == ["decisions", "open_questions", "lessons"]


@pytest.mark.parametrize("word", ["shop", "SHOP", "sho", "ho"])
def test_a_project_is_named_by_its_name_or_a_part_of_it(zecher: Program, shop: Path, word: str) -> None:
    assert zecher("resume", word, "--json").data["project"]["path"] == str(shop)


def test_a_project_is_named_by_a_path(zecher: Program, shop: Path) -> None:
    assert zecher("resume", shop / ".." / "shop", "--json").data["project"]["name"] == "shop"
    assert zecher("resume", "-d", shop, "--json").data["project"]["name"] == "shop"


def test_a_secret_in_the_name_of_a_branch_is_replaced(zecher: Program, shop: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    Git(shop)("checkout", "-q", "-b", f"b-{key}")
    document = zecher("resume", shop, "--json")

    assert key not in document.out
    assert "[REDACTED:" in document.data["unsaved"]["branches"][0]["name"]
    for command in (
        ("scan", shop, "--dry-run"),
        ("projects", "--json"),
        ("run", "nightly", "--force"),
        ("status",),
        ("scan", shop, "--dry-run", "--json"),
        ("explain", shop),
        ("explain", shop, "--json"),
    ):
        done = zecher(*command)
        assert key not in done.out + done.err
    for path in (zecher.home / ".bmad-plus").rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes(), path


def test_a_decision_stands_with_its_title_and_the_lines_of_both(zecher: Program, shop: Path) -> None:
    write(shop / "PROGRESS.md", PROGRESS.replace("Suche im Produktkatalog", "Cache der Einstellungen"))

    assert "DECISIONS.md:3-4: Cache der Benutzereinstellungen in Redis: Redis, TTL 5 Minuten" in (
        zecher("resume", shop, "--markdown").out
    )
    (decision,) = zecher("resume", shop, "--json").data["decisions"]
    assert (decision["title_line"], decision["line"]) == (3, 4)
    assert decision["title"] == "Cache der Benutzereinstellungen in Redis"


def test_a_word_that_fits_several_lists_them(zecher: Program, shop: Path) -> None:
    second = shop.parent / "other" / "shop"
    shutil.copytree(shop, second)
    assert zecher("scan", shop.parent, "--yes").code == 0

    done = zecher("resume", "shop")

    assert (done.code, done.out) == (2, "")
    assert "[project-ambiguous]" in done.err
    assert str(shop) in done.err
    assert str(second) in done.err


@pytest.mark.usefixtures("shop")
def test_a_word_that_fits_none_gets_its_neighbour(zecher: Program) -> None:
    done = zecher("resume", "shpo")

    assert done.code == 2
    assert "Did you mean shop?" in done.err


def test_a_project_whose_folder_is_gone_is_told(zecher: Program, shop: Path) -> None:
    shutil.rmtree(shop)
    done = zecher("resume", "shop")

    assert done.code == 1
    assert "[project-missing]" in done.err


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["shop", "engine"], "resume-what"),
        (["shop", "-d", "."], "resume-what"),
        (["--json", "--markdown"], "format-conflict"),
        (["--budget", "few"], "bad-value"),
        (["--budget", "0"], "bad-value"),
        (["--budget", "-5"], "bad-value"),
        (["shop", "--budget", "3"], "budget-too-small"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_makes_no_sense_is_refused(zecher: Program, options: list[str], code: str) -> None:
    done = zecher("resume", *options)

    assert done.code == 2
    assert code in done.err or done.document["problems"][0]["code"] == code


@pytest.mark.usefixtures("shop")
def test_a_terminal_shows_what_a_pipe_gets(zecher: Program) -> None:
    assert zecher.at_terminal("--color", "never", "resume", "shop").out.replace("~", os.environ["HOME"]) == (
        zecher("resume", "shop").out.replace("~", os.environ["HOME"])
    )
    shown = zecher.at_terminal("resume", "shop").out
    assert "\x1b[1mgoal           \x1b[0mSuche" in shown


@pytest.mark.usefixtures("shop")
def test_the_markdown_keeps_its_budget(zecher: Program) -> None:
    done = zecher("resume", "shop", "--markdown", "--budget", "380")

    assert done.code == 0
    assert len(done.out.encode()) <= 380 * 4
    assert "Suche im Produktkatalog" in done.out
    assert "## left out" in done.out


@pytest.mark.usefixtures("shop")
def test_a_document_keeps_a_budget_too(zecher: Program) -> None:
    done = zecher("resume", "shop", "--json", "--budget", "700")

    assert len(done.out.encode()) <= 700 * 4
    assert done.data["budget"] == 700
    assert done.data["goal"]["line"] == 4
    assert done.data["left_out"][-1]["section"] == "commits"
    assert "commits" not in done.data["not_found"]


def test_nothing_is_written_into_the_project(zecher: Program, shop: Path) -> None:
    before = folder_state(shop)

    zecher("resume", "shop")

    assert folder_state(shop) == before


def test_a_folder_that_is_no_project_is_answered_all_the_same(zecher: Program, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    done = zecher("resume", plain, "--json")

    assert done.code == 0
    assert {"goal", "commits", "unsaved"} <= set(done.data["not_found"])
    assert done.data["unsaved"] is None


def test_of_two_committed_progress_files_the_newer_commit_counts(zecher: Program, shop: Path) -> None:
    git = Git(shop)
    write(shop / "docs" / "PROGRESS.md", PROGRESS.replace("Produktkatalog", "Lager"))
    git("add", "-A")
    git("commit", "-q", "-m", "Another progress file", days=0.5)
    # A clone dates every file anew.
    os.utime(shop / "PROGRESS.md")

    done = zecher("resume", "shop", "--json")

    assert done.data["goal"]["file"] == "docs/PROGRESS.md"
    assert [(one["section"], one["file"], one["line"]) for one in done.data["conflicts"]] == [
        ("goal", "PROGRESS.md", 4),
        ("state", "PROGRESS.md", 7),
    ]


def test_a_secret_never_reaches_any_output(zecher: Program, shop: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    text = (shop / "PROGRESS.md").read_text()
    write(shop / "PROGRESS.md", text.replace("Keine Daten zur Morphologie", f"Token {key} fehlt"))

    for options in ([], ["--markdown"], ["--json"]):
        done = zecher("resume", "shop", *options)
        assert key not in done.out
        assert "[REDACTED:" in done.out


def test_a_project_of_ten_thousand_files_is_answered(zecher: Program, git: Git) -> None:
    root = git.root / "big"
    root.mkdir()
    git("init", "-q", cwd=root)
    for number in range(10_000):
        folder = root / "src" / str(number % 100)
        if number < 100:
            folder.mkdir(parents=True)
        (folder / f"{number}.c").write_bytes(b"int x;\n")
    write(root / "PROGRESS.md", PROGRESS)
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "first", cwd=root, days=1)

    done = zecher("resume", root, "--json")

    assert done.data["goal"]["line"] == 4
    assert done.data["unsaved"]["modified"] == 0


def test_what_stood_in_the_way_of_looking_is_told(zecher: Program, shop: Path) -> None:
    (shop / ".git" / "index").write_bytes(b"garbage")

    done = zecher("resume", "shop")

    assert done.code == 0
    assert "[git-index-damaged]" in done.err
    assert "not a readable index: an entry is cut off, or not as git writes it" in done.err
    assert [one["code"] for one in zecher("resume", "shop", "--json").document["problems"]] == [
        "git-index-damaged"
    ]


def test_the_command_starts_without_what_is_slow_to_import(shop: Path) -> None:
    """The standard dataclasses alone take as long as half an interpreter."""
    code = (
        "import sys; from jobs.cli.gate import run_guarded; "
        f"code = run_guarded('zecher', ['resume', '-d', {str(shop)!r}]); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stderr.split())
    assert "brain.resume.card" in loaded
    assert loaded.isdisjoint(("dataclasses", "inspect", "yaml", "rich", "jinja2", "typing", "pathlib"))
