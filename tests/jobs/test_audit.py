"""The log of questions: what is in it, how it is bounded, that it never gets in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import tomli

from jobs.audit import (
    DAYS,
    FILE_CAP,
    NAME,
    OLD_NAME,
    Asked,
    AuditSettings,
    is_plain,
    read_log,
    recalled,
    record,
)
from jobs.surroundings import Surroundings
from jobs.typed import Typed
from tests.jobs.program import ROOT, Program
from tests.support import NOW, write

DAY = 86_400.0
LOG = ".local/state/zecher/audit.ndjson"


class Desk:
    """Asks at chosen moments."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.settings = AuditSettings(str(home / ".local/state/zecher"), True, NOW)

    def ask(self, query: str, *hits: str, days: float = 0.0) -> None:
        now = NOW + days * DAY
        asked = Asked("search", query, "project", "/p", len(hits), 0.5, hits)
        record(Typed({}), Surroundings({}, str(self.home), "/", now), asked)


@pytest.fixture
def desk(home: Path) -> Desk:
    return Desk(home)


def test_each_question_is_one_line_that_its_owner_alone_can_read(zecher: Program) -> None:
    write(zecher.cwd / "PROGRESS.md", "# Notes\n\n## Backups\n\nBackups go to the red disk.\n")
    assert zecher("memory", "search", "backups red disk", "password=hunter2xyz1").code == 0
    assert zecher("recall", "backups").code == 0
    assert zecher("memory", "get", "PROGRESS.md:3").code == 0
    assert zecher("remember", "--project", "Disk is red").code == 0

    log = zecher.home / LOG
    found = [json.loads(line) for line in log.read_text().splitlines()]
    progress = str(zecher.cwd / "PROGRESS.md")
    assert [(one["by"], one["tool"], one.get("hits")) for one in found] == [
        ("command", "search", [f"{progress}:3"]),
        ("command", "recall", [f"{progress}:3"]),
        ("command", "get", [f"{progress}:3"]),
        ("command", "remember", [f"{zecher.cwd}/.agents/memory/notes/general.md:5"]),
    ]
    assert found[0]["at"] == "2026-11-30T03:17:04.000Z"
    assert "hunter2" not in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_log_is_shown_newest_last_and_as_a_document(zecher: Program) -> None:
    assert zecher("memory", "audit").err == "nothing was asked yet\n"
    for word in ("one", "two", "three"):
        zecher("memory", "search", word)

    shown = zecher("memory", "audit", "--limit", "2")
    assert [line.split("\t")[3] for line in shown.out.splitlines()] == ["query", "two", "three"]
    assert shown.err == "2 of 3 calls\n"
    document = zecher("memory", "audit", "--json").data
    assert list(document) == ["path", "on", "total", "damaged", "calls"]
    assert [one["query"] for one in document["calls"]] == ["one", "two", "three"]
    assert list(document["calls"][0]) == [
        *("at", "by", "tool", "query", "scope", "project", "count", "top", "hits")
    ]
    assert zecher("memory", "audit", "--limit", "0").code == 2
    assert "search three (0 results)" in zecher.at_terminal("memory", "audit").out


def test_every_word_that_announces_a_secret_has_the_question_looked_at() -> None:
    words = tomli.loads((ROOT / "brain/secrets.toml").read_text())["words"]
    announcing = [word for kind in ("password", "token", "key") for word in words[kind]]
    assert len(announcing) > 40
    assert [word for word in announcing if is_plain(f"the {word.upper()} is abcdefgh")] == []
    assert [text for text in ("a1", "x" * 21, "a:b", "a=b", "'a'", "a/b") if is_plain(text)] == []
    assert is_plain("where do backups go?")


def test_a_line_of_a_key_is_not_logged(zecher: Program) -> None:
    line = "qUx9ZtSECRETLINE" * 4
    zecher("memory", "search", line)
    zecher("memory", "search", "x" * 50)
    assert line not in (zecher.home / LOG).read_text()
    assert [one["query"] for one in zecher("memory", "audit", "--json").data["calls"]] == [
        "[REDACTED:long]",
        "x" * 50,
    ]


def test_it_can_be_switched_off(zecher: Program) -> None:
    write(zecher.home / ".config/zecher/config.toml", "[memory]\naudit = false\n")
    assert zecher("memory", "search", "one").code == 0
    assert not (zecher.home / LOG).exists()
    assert "switched off" in zecher("memory", "audit").err


@pytest.mark.parametrize("obstacle", ["folder", "link", "pipe"])
def test_a_log_that_cannot_be_written_spoils_no_answer(zecher: Program, obstacle: str) -> None:
    log = zecher.home / LOG
    log.parent.mkdir(parents=True)
    target = zecher.home / "target"
    if obstacle == "folder":
        log.mkdir()
    elif obstacle == "link":
        log.symlink_to(target)
    else:
        os.mkfifo(log)
    done = zecher("memory", "search", "one")
    assert (done.code, "Traceback" in done.err, target.exists()) == (0, False, False)
    assert zecher("memory", "audit").code == 0


def test_a_full_log_is_put_aside_in_place_of_the_one_before(desk: Desk) -> None:
    for count in range(2 * FILE_CAP // 900):
        desk.ask("x" * 900 + str(count))
    folder = Path(desk.settings.folder)
    assert sorted(os.listdir(folder)) == [OLD_NAME, NAME]
    assert all((folder / name).stat().st_size <= FILE_CAP for name in (OLD_NAME, NAME))
    asked = read_log(desk.settings.folder).asked
    assert asked[-1].query.endswith(str(2 * FILE_CAP // 900 - 1))
    assert [one.query for one in asked] == sorted((one.query for one in asked), key=lambda q: int(q[900:]))


def test_an_old_log_is_put_aside(desk: Desk) -> None:
    desk.ask("old")
    desk.ask("younger", days=DAYS - 1)
    assert os.listdir(desk.settings.folder) == [NAME]
    desk.ask("new", days=DAYS + 1)
    assert sorted(os.listdir(desk.settings.folder)) == [OLD_NAME, NAME]
    assert [one.query for one in read_log(desk.settings.folder).asked] == ["old", "younger", "new"]


def test_damaged_lines_are_counted_and_skipped(desk: Desk) -> None:
    desk.ask("one")
    with open(desk.settings.path, "ab") as file:
        file.write(b'{"at": 5}\n\xff\xfe\n[1]\n' + b"[" * 10_000 + b"\n")
    desk.ask("two")
    log = read_log(desk.settings.folder)
    assert ([one.query for one in log.asked], log.damaged) == (["one", "two"], 4)


def test_what_was_recalled_is_known_once_the_log_reaches_back_far_enough(desk: Desk) -> None:
    folder = desk.settings.folder
    desk.ask("early", "/p/a.md:1")
    desk.ask("late", "/p/b.md:7", "/p/c:d.md:2", days=70)
    assert recalled(folder, NOW + 80 * DAY) is None
    assert recalled(folder, NOW + (DAYS + 1) * DAY) == frozenset(("/p/b.md", "/p/c:d.md"))
    # Nothing for more than a month: perhaps nobody asks, perhaps nobody keeps the log.
    assert recalled(folder, NOW + 101 * DAY) is None


def test_a_category_that_answers_nothing_for_a_season_is_told_as_information(
    zecher: Program, desk: Desk
) -> None:
    notes = zecher.cwd / ".agents/memory/notes"
    text = "---\ntitle: {}\n---\n\nA fact.\n"
    write(notes / "asked.md", text.format("asked"), days=200)
    write(notes / "unasked.md", text.format("unasked"), days=200)
    write(notes / "muted.md", text.format("muted\nmuted: true"), days=200)
    write(notes / "new.md", text.format("new"), days=5)
    desk.ask("early", days=-100)
    desk.ask("late", f"{notes}/asked.md:5", days=-10)

    def told(*options: str) -> list[tuple[str, str]]:
        found = zecher("memory", "check", "--json", *options).data["findings"]
        return [(one["level"], one["file"]) for one in found if one["code"] == "m-unrecalled"]

    expected = [("info", ".agents/memory/notes/unasked.md")]
    assert told("--no-cache") == told() == told() == expected
    desk.ask("again", f"{notes}/unasked.md:5", days=-1)
    assert told() == []
