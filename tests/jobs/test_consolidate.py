"""``zecher memory consolidate`` as people and programs use it."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from jobs.consolidate import carry, look, project_scope
from jobs.consolidation_runs import FOLDER, KEPT, runs
from jobs.health_notes import PROMOTE
from jobs.settings import ReadSettings
from tests.jobs.program import Done, Program, folder_state
from tests.support import NOW

RULE = "pass the time in as a parameter and never read the clock inside of any function"
OLD = "### 2026-01-01 — Use SQLite\n- **Decision**: one file\n- **Status**: superseded by Postgres\n"
HELD = "### 2026-02-01 — Use Postgres\n- **Decision**: a server\n- **Status**: active\n"
LESSON = f"### 2026-05-01 — Pin the clock in every test\n- **Lesson**: {RULE}\n"
RICHER = f"### 2026-06-01 — In every test pin the clock\n- **Impact**: two days\n- **Lesson**: {RULE}\n"
STATE = ".local/state/zecher"
BRAIN = ".bmad-plus/brain"


def put(project: Path, name: str, text: str) -> Path:
    path = project / ".agents" / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def shop(indexed: Path, home: Path) -> Path:
    """A project with something of each kind; another one learned the same."""
    shop = indexed / "shop"
    put(shop, "decisions.md", f"# D\n\n{OLD}\n{HELD}")
    put(shop, "lessons.md", f"# L\n\n{LESSON}\n{RICHER}")
    put(indexed / "tools" / "engine", "lessons.md", LESSON)
    (home / BRAIN / "lessons.md").write_text("# Lessons\n")
    return shop


def ids(done: Done) -> dict[str, str]:
    """The id of the (last) proposal of each action."""
    return {line.partition("-")[0]: line.split("\t")[0] for line in done.out.splitlines()[1:]}


def audited(zecher: Program, *scope: str | Path) -> dict[str, str]:
    done = zecher("memory", "consolidate", *scope)
    assert done.code == 0, done.err
    return ids(done)


# -- looking ------------------------------------------------------------------------------------------------


def test_the_audit_names_what_there_is_and_writes_nothing(zecher: Program, shop: Path, home: Path) -> None:
    before = folder_state(shop), folder_state(home)

    done = zecher("memory", "consolidate", "-d", shop)

    assert [line.split("\t")[:5] for line in done.out.splitlines()[1:]] == [
        [line.split("\t")[0], str(shop), f".agents/memory/{file}", line_number, title]
        for line, file, line_number, title in zip(
            done.out.splitlines()[1:],
            ["lessons.md", "decisions.md", "decisions.md"],
            ["3", "3", "7"],
            ["Pin the clock in every test", "Use SQLite", "Use Postgres"],
            strict=True,
        )
    ]
    assert done.err.splitlines()[0] == "1 duplicate, 1 to archive, 1 to review; nothing written"
    assert (folder_state(shop), folder_state(home)) == before


def test_the_commands_that_it_names_can_be_copied(zecher: Program, shop: Path) -> None:
    done = zecher("memory", "consolidate", "-d", shop)
    named = done.err.splitlines()[-1].partition(": ")[2]

    assert zecher(*shlex.split(named)[1:]).code == 0


def test_the_command_of_a_report_shows_the_promotions(zecher: Program, shop: Path) -> None:
    done = zecher(*shlex.split(PROMOTE)[1:])

    assert "promote" in ids(done), shop
    assert zecher("memory", "consolidate", "--all", "--apply", ids(done)["promote"]).code == 0


def test_the_command_of_a_finding_shows_the_duplicate(zecher: Program, shop: Path) -> None:
    done = zecher("memory", "check", "-d", shop, "--json")
    fix = next(one["fix"] for one in done.data["findings"] if one["code"] == "l-repeats")
    command = fix.partition("entries: ")[2].rstrip(".")

    assert "merge" in ids(zecher(*shlex.split(command)[1:]))


def test_what_repeats_by_its_lesson_alone_can_be_merged(zecher: Program, shop: Path) -> None:
    """The finding names this command: it must not say that there is nothing to merge."""
    longer = "### 2026-06-01 — Clocks\n- **Context**: two days were lost over a night\n"
    put(shop, "lessons.md", f"# L\n\n{LESSON}\n{longer}- **Lesson**: {RULE}\n- **Impact**: a late release\n")

    codes = {one["code"] for one in zecher("memory", "check", "-d", shop, "--json").data["findings"]}
    proposed = ids(zecher("memory", "consolidate", "-d", shop))

    assert "l-repeats" in codes
    assert "merge" in proposed


def test_the_document_holds_the_texts(zecher: Program, shop: Path) -> None:
    done = zecher("memory", "consolidate", "-d", shop, "--json")
    merge = next(one for one in done.data["proposals"] if one["action"] == "merge")

    assert done.document["schema"] == "zecher.memory.consolidate"
    assert done.data["counts"] == {"merge": 1, "archive": 1, "review": 1, "promote": 0}
    keys = (
        "action adds also date file id kept line path project projects refused since target text title what"
    )
    assert " ".join(sorted(merge)) == keys
    assert (merge["text"], merge["kept"]["text"]) == (LESSON, RICHER)


@pytest.mark.parametrize("shape", [[], ["--json"], ["--format", "table"], ["--all"]], ids=" ".join)
def test_no_proposal_shows_a_secret(zecher: Program, shop: Path, shape: list[str]) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    put(
        shop,
        "decisions.md",
        f"# D\n\n### 2026-01-01 — Use {token}\n- **Decision**: it\n- **Status**: active\n",
    )
    where: list[str | Path] = [] if "--all" in shape else ["-d", shop]

    done = zecher("memory", "consolidate", *where, *shape)

    assert "review-" in done.out
    assert token not in done.out + done.err


def test_a_folder_without_notes_has_nothing_to_consolidate(zecher: Program) -> None:
    done = zecher("memory", "consolidate")

    assert (done.code, done.err) == (0, "nothing to consolidate\n")


def test_notes_that_are_a_link_are_named(zecher: Program, shop: Path) -> None:
    path = shop / ".agents/memory/patterns.md"
    path.symlink_to(shop / ".agents/memory/lessons.md")
    done = zecher("memory", "consolidate", "-d", shop)

    assert done.code == 3
    assert f"{path}: these notes are left out" in done.err


# -- applying -----------------------------------------------------------------------------------------------


def test_only_what_is_named_is_done(zecher: Program, shop: Path) -> None:
    lessons = (shop / ".agents/memory/lessons.md").read_text()
    done = zecher("memory", "consolidate", "-d", shop, "--apply", audited(zecher, "-d", shop)["archive"])

    assert done.code == 0
    assert (shop / ".agents/memory/decisions.md").read_text() == (
        f"# D\n\n{HELD}\n{OLD.replace('### ', '### [ARCHIVED] ')}"
    )
    assert (shop / ".agents/memory/lessons.md").read_text() == lessons


def test_several_ids_are_one_run_that_is_taken_back_at_once(zecher: Program, shop: Path) -> None:
    before = folder_state(shop)
    found = audited(zecher, "-d", shop)
    done = zecher(
        "memory", "consolidate", "-d", shop, "--apply", f"{found['archive']},{found['merge']}", "--json"
    )
    run = done.data["run"]["id"]

    assert (run, len(done.data["run"]["files"])) == ("20261130T031704Z-1", 2)
    assert zecher("memory", "consolidate", "--undo", run).code == 0
    assert folder_state(shop) == before


def test_a_dry_run_of_an_id_writes_nothing(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    before = folder_state(shop)
    done = zecher("memory", "consolidate", "-d", shop, "--apply", found["merge"], "--dry-run")

    assert (done.code, done.out) == (0, f"would be done\t{found['merge']}\tPin the clock in every test\n")
    assert folder_state(shop) == before


def test_an_id_whose_entry_was_changed_since_is_refused_with_all_others(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    put(shop, "decisions.md", f"# D\n\n{OLD.replace('one file', 'one file each')}\n{HELD}")
    before = folder_state(shop)
    done = zecher("memory", "consolidate", "-d", shop, "--apply", f"{found['merge']},{found['archive']}")

    assert done.code == 1
    assert "the entries were changed since it was shown" in done.err
    assert folder_state(shop) == before


def test_another_entry_that_was_added_since_is_no_hindrance(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    zecher("memory", "add", "decision", "Use Redis", "-d", shop)

    assert zecher("memory", "consolidate", "-d", shop, "--apply", found["archive"]).code == 0


def test_an_entry_that_changes_between_question_and_answer_is_refused(shop: Path, home: Path) -> None:
    settings = ReadSettings(str(home / BRAIN), str(home / STATE), str(home), NOW)
    seen = look(settings, project_scope(settings, str(shop)))
    put(shop, "decisions.md", f"# D\n\n{OLD.replace('one file', 'one file each')}\n{HELD}")
    carried = carry(settings, seen.proposals)

    assert [one.action for one in carried.done] == ["merge", "review"]
    assert ["changed since" in one.refused for one in carried.refused] == [True]


@pytest.mark.parametrize("ids", ["all", "", ",", "merge-1,all"])
def test_there_is_no_yes_to_all(zecher: Program, shop: Path, ids: str) -> None:
    before = folder_state(shop)
    done = zecher("memory", "consolidate", "-d", shop, "--apply", ids)

    assert (done.code, "there is no yes to all" in done.err) == (2, True)
    assert folder_state(shop) == before


@pytest.mark.parametrize(
    "args",
    [
        ("--all", "--global"),
        ("--ask", "--apply", "merge-1"),
        ("--undo", "x", "--runs"),
        ("--runs", "--all"),
        ("--all", "-d", "."),
    ],
)
def test_one_thing_is_done_at_a_time(zecher: Program, args: tuple[str, ...]) -> None:
    assert zecher("memory", "consolidate", *args).code == 2


def test_the_brain_has_duplicates_of_its_own(zecher: Program, shop: Path, home: Path) -> None:
    path = home / BRAIN / "lessons.md"
    path.write_text(f"# Lessons\n\n{LESSON}\n{RICHER}")
    found = audited(zecher, "--global")
    assert shop.exists()
    assert zecher("memory", "consolidate", "--global", "--apply", found["merge"]).code == 0
    assert path.read_text().startswith(f"# Lessons\n\n{RICHER}\n### [ARCHIVED] 2026-05-01 — Pin the clock")


def test_nobody_to_ask_is_told_the_flag(zecher: Program, shop: Path) -> None:
    done = zecher("memory", "consolidate", "-d", shop, "--ask", answers="y\ny\n")

    assert (done.code, "--apply ID,ID" in done.err) == (2, True)


def test_a_held_lock_ends_with_75(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    descriptor = os.open(shop / ".agents" / "memory", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        done = zecher("memory", "consolidate", "-d", shop, "--apply", found["archive"])
    finally:
        os.close(descriptor)

    assert done.code == 75


def test_a_lock_of_bmad_on_the_ledgers_ends_with_75(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    lock = shop / ".bmad" / "memory" / "writer.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text('{"pid":1,"hostname":"elsewhere","token":"t"}')

    assert zecher("memory", "consolidate", "-d", shop, "--apply", found["archive"]).code == 75
    assert lock.read_text() == '{"pid":1,"hostname":"elsewhere","token":"t"}'


def test_of_two_at_once_each_entry_is_archived_once(zecher: Program, shop: Path) -> None:
    text = "\n".join(OLD.replace("SQLite", f"SQLite {number}") for number in range(8))
    put(shop, "decisions.md", text)
    done = zecher("memory", "consolidate", "-d", shop)
    names = [line.split("\t")[0] for line in done.out.splitlines()[1:] if line.startswith("archive")]
    commands = [
        zecher.command("memory", "consolidate", "-d", shop, "--apply", ",".join(names[part::2]))
        for part in (0, 1)
    ]
    both = [
        subprocess.Popen(
            one, cwd=zecher.cwd, env=zecher.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for one in commands
    ]
    told = [one.communicate(timeout=60)[1].decode() for one in both]

    assert [one.returncode for one in both] == [0, 0], told
    after = (shop / ".agents/memory/decisions.md").read_text()
    assert sorted(line for line in after.splitlines() if line.startswith("### [ARCHIVED]")) == [
        f"### [ARCHIVED] 2026-01-01 — Use SQLite {number}" for number in range(8)
    ]
    assert len(list((zecher.home / STATE / FOLDER).glob("*.json"))) == 2


# -- taking back --------------------------------------------------------------------------------------------


def test_a_file_that_was_edited_since_is_not_taken_back(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    zecher("memory", "consolidate", "-d", shop, "--apply", f"{found['archive']},{found['merge']}")
    path = shop / ".agents/memory/decisions.md"
    path.write_text(path.read_text().replace("a server", "my server"))
    before = folder_state(shop)
    done = zecher("memory", "consolidate", "--undo", "20261130T031704Z-1")

    assert done.code == 1
    assert f"{path} was changed since, first in line 4" in done.err
    assert folder_state(shop) == before


def test_runs_are_listed_with_where_they_stand(zecher: Program, shop: Path) -> None:
    found = audited(zecher, "-d", shop)
    zecher("memory", "consolidate", "-d", shop, "--apply", found["archive"])
    zecher("memory", "consolidate", "-d", shop, "--apply", found["merge"])
    zecher("memory", "consolidate", "--undo", "20261130T031704Z-2")
    rows = [line.split("\t") for line in zecher("memory", "consolidate", "--runs").out.splitlines()[1:]]

    assert [(row[0], row[2], row[4]) for row in rows] == [
        ("20261130T031704Z-2", "undone", found["merge"]),
        ("20261130T031704Z-1", "done", found["archive"]),
    ]
    assert zecher("memory", "consolidate", "--runs", "--json").data["runs"][0]["state"] == "undone"


def test_a_run_is_taken_back_once(zecher: Program, shop: Path) -> None:
    zecher("memory", "consolidate", "-d", shop, "--apply", audited(zecher, "-d", shop)["archive"])
    zecher("memory", "consolidate", "--undo", "20261130T031704Z-1")
    done = zecher("memory", "consolidate", "--undo", "20261130T031704Z-1")

    assert (done.code, done.out) == (0, "")
    assert "nothing to do" in done.err


@pytest.mark.parametrize("name", ["20990101T000000Z-1", "../../x", "", "nonsense"])
def test_a_run_that_is_not_known_is_said(zecher: Program, name: str) -> None:
    done = zecher("memory", "consolidate", "--undo", name)

    assert (done.code, "--runs" in done.err) == (1, True)


def test_what_is_kept_is_open_to_its_owner_only(zecher: Program, shop: Path) -> None:
    zecher("memory", "consolidate", "-d", shop, "--apply", audited(zecher, "-d", shop)["archive"])
    (kept,) = (zecher.home / STATE / FOLDER).iterdir()

    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_oldest_runs_are_forgotten(shop: Path, home: Path) -> None:
    settings = ReadSettings(str(home / BRAIN), str(home / STATE), str(home), NOW)
    for _ in range(KEPT + 3):
        put(shop, "decisions.md", OLD + "\n## Rest\n")
        seen = look(settings, project_scope(settings, str(shop)))
        carry(settings, [one for one in seen.proposals if one.action == "archive"])
    names = [run.name for run in runs(settings.state)[0]]

    assert (len(names), names[0], names[-1]) == (KEPT, "20261130T031704Z-53", "20261130T031704Z-4")


def test_a_damaged_run_is_named_and_stops_nothing(zecher: Program, shop: Path) -> None:
    zecher("memory", "consolidate", "-d", shop, "--apply", audited(zecher, "-d", shop)["archive"])
    folder = zecher.home / STATE / FOLDER
    document = json.loads((folder / "20261130T031704Z-1.json").read_text())
    document["files"][0]["file"] = "../../../.bashrc"
    (folder / "20261130T031704Z-2.json").write_text(json.dumps(document))
    (folder / "20261130T031704Z-3.json").write_text("{")
    done = zecher("memory", "consolidate", "--runs")

    assert (done.code, done.out.count("20261130T031704Z-"), done.err.count("[run-damaged]")) == (0, 1, 2)
    assert zecher("memory", "consolidate", "--undo", "20261130T031704Z-2").code == 1


# -- at a terminal ------------------------------------------------------------------------------------------


def test_a_person_sees_both_texts_and_answers_each(zecher: Program, shop: Path) -> None:
    decisions = (shop / ".agents/memory/decisions.md").read_text()
    done = zecher.at_terminal("memory", "consolidate", "-d", shop, "--ask", answers="y\nn\nq\n")

    assert done.code == 0
    assert "- **Lesson**: pass the time in as a" in done.out
    assert " │ ### 2026-05-01 — Pin the clock in" in done.out
    assert max(len(line) for line in done.out.splitlines() if "│" in line) <= 80
    assert "1 file changed; take it back: zecher memory consolidate --undo 20261130T031704Z-1" in done.out
    assert (shop / ".agents/memory/decisions.md").read_text() == decisions
    assert "[ARCHIVED]" in (shop / ".agents/memory/lessons.md").read_text()


@pytest.mark.parametrize("answers", ["q\n", "n\nn\nn\n", "\n\n\n", "s\ns\ns\n", "y\n\x04"])
def test_without_a_yes_to_the_end_nothing_is_written(zecher: Program, shop: Path, answers: str) -> None:
    before = folder_state(shop)
    done = zecher.at_terminal("memory", "consolidate", "-d", shop, "--ask", answers=answers)

    assert (done.code, "nothing was approved, nothing written" in done.out) == (0, True), done.out
    assert folder_state(shop) == before


def test_skipping_leaves_out_the_rest_of_its_kind_alone(zecher: Program, shop: Path) -> None:
    put(shop, "decisions.md", f"{OLD}\n{OLD.replace('SQLite', 'files')}\n{HELD}")
    done = zecher.at_terminal("memory", "consolidate", "-d", shop, "--ask", answers="s\ns\ny\n")

    assert done.code == 0
    assert (shop / ".agents/memory/decisions.md").read_text().count("[ARCHIVED]") == 1
    assert "### [ARCHIVED] 2026-02-01 — Use Postgres" in (shop / ".agents/memory/decisions.md").read_text()


def test_hostile_text_is_shown_harmless(zecher: Program, shop: Path) -> None:
    put(shop, "decisions.md", OLD.replace("one file", "\x1b[2J\u202e evil"))
    done = zecher.at_terminal("memory", "consolidate", "-d", shop, "--ask", answers="n\nq\n")

    assert "\x1b[2J" not in done.out
    assert "\u202e" not in done.out
    assert "evil" in done.out


def test_at_a_terminal_the_audit_names_paths_below_the_home(zecher: Program, shop: Path) -> None:
    zecher.home = shop.parent.parent
    done = zecher.at_terminal("memory", "consolidate", "-d", shop)

    assert (done.code, "~/dev/shop\n" in done.out) == (0, True)
    assert "  archive-" in done.out
