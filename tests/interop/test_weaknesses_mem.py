"""Known weaknesses of the original's ``mem``, each reproduced and done better."""

from __future__ import annotations

import json
import math
import os
import shutil
import socket
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.interop import checker, golden, nexus_run
from tests.interop.conftest import Zecher
from tests.support import write

LIMIT = 2 * 1024 * 1024


def bmad(project: Path) -> Path:
    folder = project / ".bmad" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def gone_pid() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    return process.pid


def foreign_lock(project: Path, pid: int, host: str | None = None) -> Path:
    lock = bmad(project) / "writer.lock"
    lock.write_text(
        golden.compact({"pid": pid, "hostname": host or socket.gethostname(), "token": str(uuid.uuid4())})
    )
    return lock


# lines that are valid JSON and no event


def test_damaged_lines_are_counted_on_stderr_and_kept(zecher: Zecher, project: Path) -> None:
    journal = bmad(project) / "journal.ndjson"
    journal.write_bytes(b"null\n\xff\xfe\n" + golden.ALPHA_EVENT.encode())
    before = journal.read_bytes()

    done = zecher("mem", "recall", "alpha")
    zecher("mem", "write", "--agent", "forge", "--task", "next")

    assert "1 match(es)" in done.out
    assert "2" in done.err
    assert journal.read_bytes().startswith(before)


# proposed promotions


def rewards(zecher: Zecher, pattern: str, *values: str, start: int = 0) -> list[bool]:
    """Reinforce once for each value, a second apart; whether each call proposed."""
    found = []
    for number, value in enumerate(values, start):
        done = zecher(
            "mem",
            "reinforce",
            "--pattern",
            pattern,
            "--eval",
            value,
            "--json",
            now=f"2026-11-01T00:00:{number:02d}Z",
        )
        assert done.code == 0, done.out
        found.append(done.json["promotion"] is not None)
    return found


def test_a_pattern_is_proposed_once_and_only_on_its_way_up(zecher: Zecher, project: Path) -> None:
    assert (
        rewards(zecher, "p", "1", "1", "1", "1", "0", "0", "1", "1", "1")
        == [False, False, True] + [False] * 6
    )

    data = (bmad(project) / "promotions.ndjson").read_bytes()
    assert data.count(b"\n") == 1
    assert checker.promotions_faults(data) == []


@pytest.mark.parametrize(
    ("status", "again"), [("PROPOSED", False), ("APPROVED", False), ("REJECTED", True), ("APPLIED", True)]
)
def test_only_an_open_proposal_of_bmad_hinders_a_new_one(
    zecher: Zecher, project: Path, status: str, again: bool
) -> None:
    old = golden.promotion("p", "2026-10-18T09:30:00.000Z", status)
    other = golden.promotion("other", "2026-10-18T09:30:00.000Z")
    path = bmad(project) / "promotions.ndjson"
    path.write_text(old + other)

    assert rewards(zecher, "p", "1", "1", "1") == [False, False, again]
    assert path.read_text().startswith(old + other)


# options that are checked


@pytest.mark.parametrize(
    "words",
    [
        ["reinforce", "--pattern", "p"],
        ["reinforce", "--pattern", " ", "--ci", "pass"],
        ["reinforce", "--ci", "pass"],
        ["reinforce", "--pattern", "p", "--ci", "PASS"],
        ["reinforce", "--pattern", "p", "--ci", "ok"],
        ["reinforce", "--pattern", "p", "--accept", "ture"],
        ["reinforce", "--pattern", "p", "--eval", "abc"],
        ["reinforce", "--pattern", "p", "--eval", ""],
        ["reinforce", "--pattern", "p", "--eval", "1.1"],
        ["reinforce", "--pattern", "p", "--eval", "-0.1"],
        ["reinforce", "--pattern", "p", "--eval", "nan"],
        ["reinforce", "--pattern", "p", "--eval", "inf"],
        ["reinforce", "--pattern", "p", "--eval", "0x1"],
        ["reinforce", "--pattern", "p", "--eval", "1_0"],
        ["reinforce", "--pattern", "p", "--eval", "\u0660"],
        ["write", "--agent", "a", "--eval", "abc"],
        ["write", "--agent", "a", "--cli", "claude"],
        ["write", "--agent", "a", "--outcome", ""],
        ["write", "--agent", "a", "--outcome", "Success"],
        ["write", "--agent", ""],
        ["write", "--agent", "  "],
        ["write"],
        ["recall", "x", "--scope", "projekt"],
        ["recall", "x", "--ranking", "semantic"],
        ["recall"],
        ["recall", " "],
        ["observe"],
        ["recall", "x", "--unknown"],
        ["recall", "x", "--lim", "3"],
    ],
    ids=" ".join,
)
def test_what_is_no_value_is_refused_and_nothing_is_stored(
    zecher: Zecher, project: Path, words: list[str]
) -> None:
    done = zecher("mem", *words, "--json")

    assert (done.code, done.err) == (1, "")
    assert "error" in done.json
    assert done.out.count("\n") == 1
    assert list(project.rglob("*.*")) == []


def test_an_error_without_json_is_one_line_on_stderr(zecher: Zecher) -> None:
    done = zecher("mem", "reinforce", "--pattern", "p", "--ci", "psas")

    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("mem reinforce: ")


def test_an_unknown_action_is_named_on_stderr_even_with_json(zecher: Zecher) -> None:
    done = zecher("mem", "remember", "--json")

    assert (done.code, done.out) == (1, "")
    assert "remember" in done.err


def test_a_missing_action_is_a_failure(zecher: Zecher) -> None:
    done = zecher("mem")

    assert (done.code, done.out) == (1, "")


@pytest.mark.parametrize(
    ("words", "reward"),
    [
        (["--accept", "YES"], 1),
        (["--accept", "False"], 0),
        (["--accept", "0.25"], 0.25),
        (["--ci", ".5"], 0.5),
        (["--eval", "1", "--accept", "no", "--ci", "fail"], 0.5),
    ],
)
def test_good_signals_weigh_as_published(zecher: Zecher, words: list[str], reward: float) -> None:
    assert zecher("mem", "reinforce", "--pattern", "p", *words, "--json").json["reward"] == reward


# damaged scores; names that JavaScript objects have already


@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString", "7", "größer"])
def test_a_pattern_may_have_any_name(zecher: Zecher, project: Path, name: str) -> None:
    (bmad(project) / "pattern-scores.json").write_text(golden.SCORES)

    done = zecher("mem", "reinforce", "--pattern", name, "--ci", "pass")

    assert (done.code, done.err) == (0, "")
    data = (bmad(project) / "pattern-scores.json").read_bytes()
    assert name in json.loads(data)
    assert next(iter(json.loads(data))) == "7"  # JavaScript puts numbers first
    assert checker.scores_faults(data) == []


# limits


@pytest.mark.parametrize("limit", ["0", "-1", "ten", "1.5", "1001", "", "1e2", "\u0663"])
def test_a_limit_is_a_number_from_1_to_1000(zecher: Zecher, limit: str) -> None:
    done = zecher("mem", "recall", "alpha", f"--limit={limit}", "--json")

    assert (done.code, list(done.json)) == (1, ["error"])


# lexical ranking stays what it is


def test_the_lexical_ranking_keeps_the_published_quirks(zecher: Zecher, project: Path) -> None:
    text = "### Größe\n\n```\n### Beispiel sample\n```\n\n## Meta\nsample tail\n"
    write(project / ".agents/memory/lessons.md", text)
    write(project / ".bmad/memory/lessons.md", text)

    assert zecher("mem", "recall", "größe", "--json").json["count"] == 2  # grö
    hits = zecher("mem", "recall", "sample", "--json").json["results"]

    assert [(hit["ref"], hit["sourceFile"]) for hit in hits] == [
        ("Beispiel sample", ".bmad/memory/lessons.md"),
        ("Beispiel sample", ".agents/memory/lessons.md"),
    ]
    assert hits[0]["score"] == (1 + math.log(2)) * 1 / math.sqrt(5)


# locks of dead owners


def test_a_dead_owner_is_named_and_released_only_by_doctor(zecher: Zecher, project: Path) -> None:
    pid = gone_pid()
    lock = foreign_lock(project, pid)
    os.utime(lock, (1_796_008_624 - 3600,) * 2)

    refused = zecher("mem", "write", "--agent", "forge")
    assert (refused.code, str(pid) in refused.err, "doctor --unlock" in refused.err) == (1, True, True)
    assert lock.exists()

    asked = zecher("doctor", "--unlock")  # no terminal, nobody to ask
    assert (asked.code, lock.exists()) == (2, True)
    assert "--yes" in asked.err

    shown = zecher("doctor", "--json").data["lock"]
    assert (shown["pid"], shown["alive"], shown["age_seconds"]) == (pid, False, 3600)

    assert zecher("doctor", "--unlock", "--yes").code == 0
    assert not lock.exists()
    assert zecher("mem", "write", "--agent", "forge").code == 0


def test_a_living_owner_is_never_released(zecher: Zecher, project: Path) -> None:
    lock = foreign_lock(project, os.getpid())

    done = zecher("doctor", "--unlock", "--yes")

    assert done.code != 0
    assert lock.exists()


def test_an_owner_on_another_host_is_not_known_to_be_dead(zecher: Zecher, project: Path) -> None:
    lock = foreign_lock(project, gone_pid(), "elsewhere.example")

    done = zecher("doctor", "--unlock", "--yes")

    assert done.code != 0
    assert lock.exists()
    assert "elsewhere.example" in done.out + done.err


def test_a_lock_that_nobody_can_read_is_not_released(zecher: Zecher, project: Path) -> None:
    lock = bmad(project) / "writer.lock"
    lock.write_text("???")

    zecher("doctor", "--unlock", "--yes")

    assert lock.read_text() == "???"


def test_a_project_folder_that_does_not_exist_is_not_made(zecher: Zecher, project: Path) -> None:
    for words in (
        ["write", "--agent", "a"],
        ["reinforce", "--pattern", "p", "--ci", "pass"],
        ["recall", "x"],
        ["outcomes"],
    ):
        done = zecher("mem", *words, "-d", project / "nothing")
        assert (done.code, done.out) == (1, ""), words

    assert not (project / "nothing").exists()


def test_a_project_below_a_linked_folder_takes_writes(zecher: Zecher, project: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project.parent)

    done = zecher("mem", "write", "--agent", "a", "-d", tmp_path / "alias" / "shop")

    assert done.code == 0
    assert (project / ".bmad/memory/journal.ndjson").exists()


# moved projects


def test_a_copied_project_is_told_that_it_moved_without_foreign_paths(
    zecher: Zecher, project: Path, tmp_path: Path
) -> None:
    write(project / "src/auth/limit.go")
    write(project / "go.mod")
    write(project / ".agents/memory/lessons.md", "### One\nbody\n")
    run = nexus_run.accepted_run(project, write(tmp_path / "go"))
    nexus_run.store(project, run)
    receipt = nexus_run.receipt(run, ".agents/memory/lessons.md", "One", "body\n")
    write(project / ".bmad/memory/outcomes.ndjson", golden.compact(receipt) + "\n")
    assert zecher("mem", "outcomes").out == f"{receipt['id']}: accepted-current\n"
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)

    text = zecher("mem", "outcomes", "-d", copy).out

    assert text.startswith(f"{receipt['id']}: unavailable-or-ineligible-source: ")
    assert "moved" in text
    assert str(tmp_path) not in text


# links


@pytest.mark.parametrize(
    "ranking", [[], ["--ranking", "evidence", "--context-scope", "src"]], ids=["lexical", "evidence"]
)
@pytest.mark.parametrize("linked", [".agents", ".agents/memory", ".agents/memory/lessons.md", ".bmad/memory"])
def test_a_link_below_the_project_is_refused_in_every_mode(
    zecher: Zecher, project: Path, tmp_path: Path, linked: str, ranking: list[str]
) -> None:
    secret = write(tmp_path / "secret" / "memory" / "lessons.md", "### Secret\npassword\n")
    target = {"memory": secret.parent, ".agents": secret.parent.parent, "lessons.md": secret}[
        Path(linked).name
    ]
    link = project / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)

    done = zecher("mem", "recall", "password", *ranking)

    assert done.code == 1
    assert "password" not in done.out
    assert done.err.startswith("mem recall: ")


def test_a_writer_follows_no_link_either(zecher: Zecher, project: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.ndjson", golden.ALPHA_EVENT)
    (bmad(project) / "journal.ndjson").symlink_to(outside)

    assert zecher("mem", "write", "--agent", "a").code == 1
    assert outside.read_text() == golden.ALPHA_EVENT


@pytest.mark.parametrize(("extra", "code"), [(0, 0), (1, 1)])
def test_a_ledger_may_have_2_mib_and_no_byte_more(
    zecher: Zecher, project: Path, extra: int, code: int
) -> None:
    journal = bmad(project) / "journal.ndjson"
    room = LIMIT - len(golden.event("2026-11-30T03:17:04.000Z", "a", "")) + extra
    line = golden.event("2026-01-01T00:00:00.000Z", "forge", "old")
    journal.write_text(line * (room // len(line)) + "\n" * (room % len(line)))
    assert journal.stat().st_size == room

    done = zecher("mem", "write", "--agent", "a")

    assert done.code == code, done.err
    assert journal.stat().st_size == (LIMIT if code == 0 else room)
