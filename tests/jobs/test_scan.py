"""``zecher scan`` from the outside: what is printed, what is written, how it ends."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import Git, write

BRAIN = ".bmad-plus/brain"


def cards(home: Path) -> dict[str, str]:
    """Names in the index's cards with their status."""
    found = {}
    for path in (home / BRAIN / "projects").glob("*.yaml"):
        values = dict(line.split(": ", 1) for line in path.read_text().splitlines())
        found[json.loads(values["name"])] = json.loads(values["status"])
    return found


# -- what is printed ---------------------------------------------------------------------------------------


def test_a_pipe_gets_tab_separated_text_with_a_header_and_whole_paths(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--dry-run")

    assert done.code == 0
    assert done.out == (
        "status\tname\tstack\tidle_days\tlast_activity\tsource\tbranch\tflags\tchange\tpath\n"
        f"archived\told\tGo\t900\t2024-06-13T03:17:04Z\tcommit\tmain\tno-license,no-readme,no-remote\tnew\t{dev}/old\n"
        f"active\tshop\tPython\t2\t2026-11-28T03:17:04Z\tcommit\tmain\tno-license,no-readme,no-remote\tnew\t{dev}/shop\n"
        "paused\tengine\tRust\t100\t2026-08-22T03:17:04Z\tcommit\tmain\tno-license,no-readme,no-remote\tnew\t"
        f"{dev}/tools/engine\n"
    )
    assert done.err == (
        "3 projects: 1 active, 1 paused, 1 archived; 3 new\ndry run, nothing written; --yes indexes this\n"
    )


def test_what_the_user_tells_git_to_ignore_everywhere_is_no_work(zecher: Program, dev: Path) -> None:
    for name in ("old/session.tmp", "notes/session.tmp"):
        write(dev / name, "x\n", days=1)
    write(dev / "notes/go.mod", "module notes\n", days=500)
    assert "active\told\t" in zecher("scan", dev, "--dry-run").out
    write(zecher.home / ".gitconfig", "[core]\n\texcludesFile = ~/.ignore-everywhere\n")
    write(zecher.home / ".ignore-everywhere", "*.tmp\n*a*b*c*d*e\n")

    done = zecher("scan", dev, "--dry-run", "--json")

    assert {one["name"]: one["status"] for one in done.data["projects"]} == {
        "old": "archived",
        "shop": "active",
        "engine": "paused",
        "notes": "archived",
    }
    paths = [problem["path"] for problem in done.document["problems"]]
    assert paths == [str(zecher.home / ".ignore-everywhere")]


def test_the_same_input_and_clock_give_the_same_bytes(zecher: Program, dev: Path) -> None:
    for shape in ("tsv", "json", "md", "table"):
        first = zecher("scan", dev, "--dry-run", "--format", shape)
        assert first.out
        assert first == zecher("scan", dev, "--dry-run", "--format", shape)


def test_markdown_is_a_table_with_paths_relative_to_home(zecher: Program, dev: Path) -> None:
    zecher.home = dev.parent
    done = zecher("scan", dev, "--dry-run", "--format", "md")

    assert done.out.splitlines()[:3] == [
        "| Status | Name | Stack | Idle | Branch | Flags | Change | Path |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| archived | old | Go | 2y | main | no-license, no-readme, no-remote | new | `~/dev/old` |",
    ]


def test_without_a_path_the_current_folder_is_searched(zecher: Program, dev: Path) -> None:
    zecher.cwd = dev

    assert zecher("scan", "--dry-run", "--json").data["roots"] == [{"path": str(dev), "depth": 4}]


def test_the_configured_roots_are_searched_each_by_its_own_rules(zecher: Program, dev: Path) -> None:
    config = write(
        zecher.home / ".config/zecher/config.toml",
        f'[scan]\nroots = ["{dev}/tools", {{ path = "{dev}", depth = 1, exclude = ["old/"] }}]\n',
    )
    config.chmod(0o600)

    data = zecher("scan", "--dry-run", "--json").data

    assert [project["name"] for project in data["projects"]] == ["shop", "engine"]
    assert data["roots"] == [{"path": str(dev), "depth": 1}, {"path": f"{dev}/tools", "depth": 4}]


def test_a_stack_of_ones_own_makes_projects_and_names_them(zecher: Program, tmp_path: Path) -> None:
    write(tmp_path / "dev" / "infra" / "main.acme", "x\n")
    config = write(
        zecher.home / ".config/zecher/config.toml",
        '[[stacks]]\nglob = "*.acme"\nlabel = "Acme"\nclass = "strong"\n',
    )
    config.chmod(0o600)

    (project,) = zecher("scan", tmp_path / "dev", "--dry-run", "--json").data["projects"]

    assert (project["name"], project["stack"]) == ("infra", "Acme")


def test_no_project_says_what_was_looked_for_how_deep_and_what_to_try(
    zecher: Program, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    done = zecher("scan", tmp_path / "empty", "--depth", "2")

    assert done.code == 0
    assert done.out.count("\n") == 1
    assert done.err == (
        f"no project in {tmp_path}/empty, 2 folders deep\n"
        "looked for version control (.git, .hg, ...) and manifests (package.json, pyproject.toml, ...)\n"
        "try a larger --depth, another folder, or zecher explain PATH for one that you miss\n"
    )


def test_an_empty_search_leaves_no_brain_behind(zecher: Program, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert zecher("scan", tmp_path / "empty", "--yes").code == 0
    assert folder_state(zecher.home) == {}


def test_quiet_leaves_results_and_errors(zecher: Program, dev: Path) -> None:
    assert zecher("scan", dev, "--dry-run", "-q").err == ""
    assert "[root-missing]" in zecher("scan", dev, dev / "nope", "--dry-run", "-q").err


def test_verbose_says_what_was_not_searched(zecher: Program, dev: Path) -> None:
    (dev / "node_modules").mkdir()

    first = zecher("scan", dev, "--dry-run", "-v").err.splitlines()[0]

    assert re.fullmatch(r"searched \d+ folders with \d+ entries; left out: tool-cache 1", first)


def test_what_was_left_out_is_counted_by_reason(zecher: Program, dev: Path) -> None:
    (dev / "node_modules").mkdir()
    (dev / "notes" / "deep" / "er").mkdir(parents=True)

    done = zecher("scan", dev, "--dry-run", "--depth", "2")

    first = done.err.splitlines()[0]
    assert re.fullmatch(r"searched \d+ folders; left out: tool-cache 1, too-deep 1", first)


# -- JSON --------------------------------------------------------------------------------------------------

ENVELOPE = ["schema", "schema_version", "generated_at", "ok", "data", "problems"]
DATA = ["roots", "thresholds", "counts", "projects", "coverage", "index", "changes"]
COUNTS = [
    *["projects", "active", "paused", "archived", "unknown"],
    *["new", "changed", "same", "moved", "missing", "returned", "skipped"],
]
PROJECT = [
    *["id", "path", "name", "stack", "stacks", "status", "status_reason", "last_activity", "activity_source"],
    *[
        "activity_confidence",
        "activity_detail",
        "mine",
        "last_own_work",
        "vcs",
        "git",
        "has_git",
        "bmad_installed",
        "agent_files",
        "memory",
    ],
    *[
        "workspace",
        "members",
        "nested",
        "flags",
        "package_manager",
        "toolchains",
        "ci",
        "containers",
        "description",
    ],
]
VCS = [
    *["kind", "role", "common_dir", "branch", "head", "remote", "object_format", "ref_storage", "shallow"],
    *["state", "worktrees", "submodules"],
]


def test_the_scan_document_keeps_its_keys(zecher: Program, dev: Path) -> None:
    document = zecher("scan", dev, dev / "nope", "--dry-run", "--json").document
    data = document["data"]

    assert list(document) == ENVELOPE
    assert (document["schema"], document["schema_version"]) == ("zecher.scan", 1)
    assert list(data) == DATA
    assert list(data["roots"][0]) == ["path", "depth"]
    assert data["thresholds"] == {"active_days": 30, "paused_days": 180}
    assert list(data["counts"]) == COUNTS
    assert [list(project) for project in data["projects"]] == [PROJECT] * 3
    assert list(data["projects"][0]["vcs"]) == VCS
    assert list(data["projects"][0]["stacks"][0]) == ["label", "role", "evidence", "confidence"]
    assert list(data["coverage"]) == [
        *["directories", "entries", "pruned", "unreadable", "cut_by_depth", "deadline_hit"],
        *["over_budget", "placeholders"],
    ]
    assert data["index"] == {"brain": f"{zecher.home}/{BRAIN}", "written": 0, "dry_run": True}
    assert list(data["changes"][0]) == ["kind", "path", "differences"]
    assert list(document["problems"][0]) == ["code", "level", "path", "message", "fix"]


def test_json_is_one_document_on_one_line_and_nothing_else(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--dry-run", "--json")

    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)


def test_a_project_in_the_document_says_what_is_known_and_from_where(zecher: Program, dev: Path) -> None:
    shop = zecher("scan", dev, "--dry-run", "--json").data["projects"][1]

    assert (shop["path"], shop["name"], shop["stack"], shop["status"]) == (
        f"{dev}/shop",
        "shop",
        "Python",
        "active",
    )
    assert (shop["last_activity"], shop["activity_source"], shop["activity_confidence"]) == (
        "2026-11-28T03:17:04Z",
        "commit",
        "high",
    )
    assert shop["vcs"]["branch"] == "main"
    assert len(shop["id"]) == 12


def test_a_name_that_is_not_utf_8_is_shown_and_its_bytes_are_kept(zecher: Program, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "dev") + b"/caf\xe9"
    os.makedirs(folder)
    with open(folder + b"/go.mod", "w") as file:
        file.write("module x\n")

    project = zecher("scan", tmp_path / "dev", "--yes", "--json").data["projects"][0]

    assert project["path"].endswith("/dev/caf\\xe9")
    assert project["path_b64"].endswith("Y2Fm6Q==") or "path_b64" in project
    again = zecher("scan", tmp_path / "dev", "--yes", "--json").data
    assert (again["counts"]["same"], again["projects"][0]["id"]) == (1, project["id"])


HOSTILE_NAMES = ["\x1b[2Jx", "a\nb", "[/nope]", "[link=x]y", ":skull:", "\u202egnp", "x" * 255, "-v"]


@pytest.mark.parametrize("shape", ["table", "tsv", "md", "json"])
def test_hostile_folder_names_are_harmless_in_every_output(
    zecher: Program, tmp_path: Path, shape: str
) -> None:
    for name in HOSTILE_NAMES:
        write(tmp_path / "dev" / name / "go.mod", "module x\n")

    done = zecher("scan", tmp_path / "dev", "--dry-run", "--format", shape)

    assert done.code == 0
    lines = done.out.splitlines() + done.err.splitlines()
    assert [line for line in lines if not line.replace("\t", "").isprintable()] == []
    if shape == "json":
        found = sorted(project["path"].removeprefix(f"{tmp_path}/dev/") for project in done.data["projects"])
        assert found == sorted(HOSTILE_NAMES)


# -- the index ---------------------------------------------------------------------------------------------


def test_yes_indexes_everything_and_a_second_run_changes_nothing(zecher: Program, dev: Path) -> None:
    first = zecher("scan", dev, "--yes")
    written = folder_state(zecher.home)
    second = zecher("scan", dev, "--yes")

    assert (first.code, second.code) == (0, 0)
    assert cards(zecher.home) == {"shop": "active", "engine": "paused", "old": "archived"}
    assert first.err.splitlines()[-1] == (f"3 cards written to ~/{BRAIN}; zecher projects shows the index")
    assert second.err.splitlines() == [
        "3 projects: 1 active, 1 paused, 1 archived; 3 same",
        f"0 cards written to ~/{BRAIN}; zecher projects shows the index",
    ]
    assert written == folder_state(zecher.home)


def test_a_card_holds_facts_that_stay_until_somebody_works_on_the_project(zecher: Program, dev: Path) -> None:
    zecher("scan", dev / "shop", "--yes")
    (card,) = (zecher.home / BRAIN / "projects").glob("*.yaml")

    lines = [line.split(": ", 1) for line in card.read_text().splitlines()]

    assert [key for key, _ in lines] == [
        *["path", "name", "hash", "stack", "status", "bmad_installed", "has_git", "last_scanned"],
        *["id", "stacks", "last_activity", "activity_source", "root_commit", "inode", "signature", "flags"],
        *["at_risk", "at_risk_since", "commits_only_here", "first_seen"],
    ]
    assert dict(lines)["last_activity"] == '"2026-11-28T03:17:04Z"'


def test_a_later_night_with_nothing_new_changes_only_the_date_of_the_scan(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    before = folder_state(zecher.home / BRAIN / "projects")

    zecher("scan", dev, "--yes", "--now", "2026-12-01T03:17:04Z")

    for name, data in folder_state(zecher.home / BRAIN / "projects").items():
        assert data.replace(b"2026-12-01", b"2026-11-30") == before[name]


def test_a_dry_run_writes_nothing_and_counts_what_it_would(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--dry-run", "--yes", "--json")

    assert (done.code, done.data["counts"]["new"], done.data["index"]["written"]) == (0, 3, 0)
    assert folder_state(zecher.home) == {}


def test_what_changed_is_counted_and_told(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    git = Git(dev.parent)
    write(dev / "old" / "more.go", "package main\n", days=1)
    git("add", "-A", cwd=dev / "old")
    git("commit", "-q", "-m", "again", cwd=dev / "old", days=1)
    git.repository("dev/fresh", days=3)
    os.rename(dev / "tools", dev.parent / "elsewhere")

    data = zecher("scan", dev, "--yes", "--json").data

    assert {key: data["counts"][key] for key in ("projects", "new", "changed", "same", "missing")} == {
        "projects": 3,
        "new": 1,
        "changed": 1,
        "same": 1,
        "missing": 1,
    }
    kinds = {change["path"].rpartition("/")[2]: change["kind"] for change in data["changes"]}
    assert kinds == {"fresh": "new", "old": "changed", "engine": "missing"}
    changed = next(change for change in data["changes"] if change["kind"] == "changed")
    assert {"key": "status", "old": "archived", "new": "active"} in changed["differences"]


def test_a_missing_project_stays_in_the_index_and_in_the_table(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    os.rename(dev / "old", dev.parent / "gone")

    done = zecher("scan", dev, "--yes")

    assert f"missing\told\t\t\t\t\t\t\tmissing\t{dev}/old\n" in done.out
    assert "; 2 same, 1 missing\n" in done.err
    assert cards(zecher.home)["old"] == "missing"


def test_what_was_missing_before_is_no_news(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    os.rename(dev / "old", dev.parent / "gone")

    assert zecher("scan", dev).code == 2
    assert zecher("scan", dev, "--yes").code == 0
    assert zecher("scan", dev).code == 0


def test_what_is_missing_elsewhere_is_not_part_of_this_scan(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    os.rename(dev / "old", dev.parent / "gone")
    zecher("scan", dev, "--yes")

    assert f"\t{dev}/old\n" not in zecher("scan", dev / "tools").out


def test_nothing_is_indexed_without_an_answer_and_nobody_to_ask(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev)

    assert done.code == 2
    assert done.out.count("\n") == 4
    assert done.err.endswith(
        "zecher: nothing was indexed [needs-answer]\n"
        "  why: whether to index must be answered, and nobody can be asked here\n"
        "  fix: Add --yes to index everything, or --dry-run to write nothing.\n"
    )
    assert folder_state(zecher.home) == {}


def test_the_same_with_json_keeps_the_result_and_says_not_ok(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--json")

    assert (done.code, done.err) == (2, "")
    assert (done.document["ok"], len(done.data["projects"]), done.data["index"]) == (False, 3, None)
    assert [problem["code"] for problem in done.document["problems"]] == ["needs-answer"]


def test_no_answer_is_needed_where_nothing_is_new(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")

    done = zecher("scan", dev)

    assert done.code == 0
    assert done.err.endswith("the index is up to date; zecher projects shows it\n")


def test_another_brain_is_written_where_it_is_named(zecher: Program, dev: Path, tmp_path: Path) -> None:
    zecher.extra["ZECHER_BRAIN"] = str(tmp_path / "other")
    assert zecher("scan", dev, "--yes").code == 0
    assert zecher("scan", dev, "--yes", "--brain", tmp_path / "third").code == 0

    assert (tmp_path / "other" / "projects-index.md").exists()
    assert (tmp_path / "third" / "projects-index.md").exists()
    assert folder_state(zecher.home) == {}


# -- what goes wrong ---------------------------------------------------------------------------------------


def test_a_root_that_is_not_there_fails_when_it_was_the_only_one(zecher: Program, tmp_path: Path) -> None:
    done = zecher("scan", tmp_path / "nope", "--yes")

    assert done.code == 1
    assert (
        done.err
        == f"error: {tmp_path}/nope: no such folder (Check the spelling of the path.) [root-missing]\n"
    )
    assert folder_state(zecher.home) == {}


def test_a_root_that_is_not_there_beside_another_is_done_in_part(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev / "nope", dev, "--yes")

    assert done.code == 3
    assert len(cards(zecher.home)) == 3


def test_a_root_that_is_a_file_is_an_error_value(zecher: Program, dev: Path) -> None:
    document = zecher("scan", dev / "notes" / "list.txt", "--dry-run", "--json").document

    assert (document["ok"], document["problems"][0]["code"]) == (False, "root-not-a-folder")


def test_cards_below_a_root_that_is_not_there_are_not_marked_missing(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    os.rename(dev, dev.parent / "unmounted")

    assert zecher("scan", dev, "--yes").code == 1
    assert "missing" not in cards(zecher.home).values()


def test_the_whole_disk_needs_its_own_word(zecher: Program) -> None:
    done = zecher("scan", "/", "--yes")

    assert (done.code, done.out) == (2, "")
    assert "--whole-disk" in done.err


def test_a_deadline_gives_a_partial_result_and_says_so(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--dry-run", "--json", "--deadline", "0.000001")

    assert done.code == 3
    assert done.data["coverage"]["deadline_hit"] is True
    assert "deadline" in [problem["code"] for problem in done.document["problems"]]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes everything")
def test_a_read_only_home_prints_the_result_and_warns_once_for_users(zecher: Program, dev: Path) -> None:
    zecher.home.chmod(0o500)
    try:
        done = zecher("scan", dev, "--yes")
    finally:
        zecher.home.chmod(0o700)

    assert done.code == 3
    assert done.out.count("\n") == 4
    assert done.err.count("[brain-write]") == 1


def test_a_brain_that_cannot_be_written_prints_the_result_and_warns_once(zecher: Program, dev: Path) -> None:
    zecher.home.rmdir()

    done = zecher("scan", dev, "--yes")

    assert done.code == 3
    assert done.out.count("\n") == 4
    assert [line.rpartition(" ")[2] for line in done.err.splitlines() if line.startswith("error")] == [
        "[brain-write]"
    ]
    assert not zecher.home.exists()


def test_a_brain_that_cannot_be_read_is_not_written_either(zecher: Program, dev: Path) -> None:
    write(zecher.home / BRAIN / "projects", "a file in the way\n")

    done = zecher("scan", dev, "--yes")

    assert (done.code, done.out.count("\n")) == (3, 4)
    assert "[brain-unreadable]" in done.err
    assert [*folder_state(zecher.home)] == [f"{BRAIN}/projects"]


def test_a_held_lock_ends_with_75_and_writes_nothing(zecher: Program, dev: Path) -> None:
    lock = write(zecher.home / BRAIN / ".zecher.lock", "")
    with lock.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = zecher("scan", dev, "--yes")

    assert done.code == 75
    assert done.out.count("\n") == 4
    assert "[brain-locked]" in done.err
    assert cards(zecher.home) == {}


def test_a_closed_pipe_ends_quietly_and_the_work_is_done(zecher: Program, dev: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        zecher.command("scan", dev, "--yes", "-q"),
        cwd=zecher.cwd,
        env=zecher.environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(cards(zecher.home)) == 3


def test_a_full_disk_behind_standard_output_is_one_message(zecher: Program, dev: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            zecher.command("scan", dev, "--dry-run"),
            cwd=zecher.cwd,
            env=zecher.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )

    assert done.returncode == 1
    assert (
        done.stderr.decode().splitlines()[0]
        == "zecher: the result could not be written [cannot-write-output]"
    )


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_missing_stream_does_no_harm(zecher: Program, dev: Path, stream: str) -> None:
    number = ("stdin", "stdout", "stderr").index(stream)
    command = " ".join(f"'{word}'" for word in zecher.command("scan", dev, "--yes", "-q"))
    done = subprocess.run(
        ["sh", "-c", f"exec {command} {number}{'<' if number == 0 else '>'}&-"],
        cwd=zecher.cwd,
        env=zecher.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(cards(zecher.home)) == 3


def wait_until_it_sleeps(process: subprocess.Popen[bytes]) -> None:
    """Until it waits for the lock: in a scan nothing else sleeps for longer than a moment."""
    told = Path(f"/proc/{process.pid}/stat")
    if not told.exists():
        time.sleep(1.5)  # a system that does not tell: long enough to scan, too short to give up
        return
    asleep, end = 0, time.monotonic() + 60
    while asleep < 20:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.005)
        asleep = asleep + 1 if told.read_text().rpartition(")")[2].split()[0] == "S" else 0


def test_ctrl_c_ends_with_130_one_short_message_and_an_unlocked_index(zecher: Program, dev: Path) -> None:
    lock = write(zecher.home / BRAIN / ".zecher.lock", "")
    with lock.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        process = subprocess.Popen(
            zecher.command("scan", dev, "--yes", "--debug"),
            cwd=zecher.cwd,
            env=zecher.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wait_until_it_sleeps(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err.decode().splitlines()[0] == "zecher: interrupted [interrupted]"
    assert b"Traceback" not in err
    assert zecher("scan", dev, "--yes").code == 0
