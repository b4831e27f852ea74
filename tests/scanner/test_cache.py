"""The cache of a scan: what is believed, what is read again, and what is never kept."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scanner.cache.keeper import ScanCache
from scanner.cache.plain import facts_from, plain
from scanner.cache.record import Record
from scanner.cache.rows import packed, unpacked
from scanner.mounts import read_mounts
from scanner.project import (
    Activity,
    Branch,
    Identity,
    Label,
    Member,
    Ownership,
    Problem,
    Risk,
    Root,
    Scan,
    Stacks,
    Thresholds,
    Unsaved,
    Vcs,
)
from scanner.project_facts import ProjectFacts
from scanner.scan import Request, scan
from tests.support import DAY, NOW, Git, write

LATER = 10.0
"""Seconds that the clock of a scan is ahead, so that no test has to wait until a change is old enough."""


class Portfolio:
    """A folder that is scanned again and again with what the scan before left."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.root = Path(os.path.realpath(git.root)) / "dev"
        self.root.mkdir()
        self.records: Mapping[str, Record] = {}
        self.kept = self.read = 0

    def repository(self, name: str = "shop", days: float = 1.0) -> Path:
        path = self.git.repository(
            f"dev/{name}",
            days=days,
            files={
                "package.json": '{"name": "shop"}',
                "src/a/b/c.js": "1\n",
                "lib/x.js": "2\n",
                "z/y.js": "3\n",
            },
        )
        return Path(os.path.realpath(path))

    def scan(self, *, ahead: float = LATER, **how: Any) -> Scan:
        time.sleep(0.012)  # longer than a tick of the file system
        asked: dict[str, Any] = {
            "now": NOW,
            "thresholds": Thresholds(),
            "roots": (Root(str(self.root)),),
        } | how
        cache = ScanCache(self.records, time.time() + ahead)
        found = scan(Request(**asked), cache=cache)
        assert found == scan(Request(**asked))
        self.records, self.kept, self.read = cache.fresh, cache.kept, cache.read
        return found


@pytest.fixture
def portfolio(git: Git) -> Portfolio:
    return Portfolio(git)


def test_what_did_not_change_is_not_read_again(portfolio: Portfolio) -> None:
    portfolio.repository()
    portfolio.repository("other")
    write(portfolio.root / "plain/package.json", '{"name": "plain"}', days=3)
    portfolio.scan()

    portfolio.scan()

    assert (portfolio.kept, portfolio.read) == (3, 0)


def test_only_what_changed_is_read_again(portfolio: Portfolio) -> None:
    shop = portfolio.repository()
    portfolio.repository("other")
    portfolio.scan()
    write(shop / "package.json", '{"name": "store"}', days=0)

    found = portfolio.scan()

    assert [project.name for project in found.projects] == ["shop", "store"]
    assert (portfolio.kept, portfolio.read) == (1, 1)


def test_nothing_is_opened_in_what_did_not_change(
    portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    portfolio.repository()
    portfolio.scan()
    opened: list[object] = []
    real = os.open

    def watched(path: Any, *arguments: Any, **named: Any) -> int:
        opened.append(path)
        return real(path, *arguments, **named)

    request = Request((Root(str(portfolio.root)),), Thresholds(), NOW)
    cache = ScanCache(portfolio.records, time.time() + LATER)
    monkeypatch.setattr(os, "open", watched)
    scan(request, cache=cache)

    below = [
        path for path in opened if str(path).startswith(str(portfolio.root)) and not os.path.isdir(str(path))
    ]
    assert (cache.kept, below) == (1, [])


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_what_changed_within_the_last_two_seconds_is_not_kept(portfolio: Portfolio, seconds: float) -> None:
    portfolio.repository()

    portfolio.scan(ahead=seconds)

    assert all(record.told is None for record in portfolio.records.values())


def test_another_moment_is_the_same_as_long_as_no_date_crosses_it(portfolio: Portfolio) -> None:
    path = portfolio.repository()
    for one in (path, *path.rglob("*")):
        if not one.is_symlink():
            os.utime(one, (NOW - DAY, NOW - DAY))
    portfolio.scan()

    portfolio.scan(now=NOW + 100 * DAY)

    assert portfolio.kept == 1


def test_a_date_that_comes_out_of_the_future_is_read_again(portfolio: Portfolio) -> None:
    shop = portfolio.repository(days=30)
    write(shop / "new.txt", days=5)
    portfolio.scan(now=NOW - 10 * DAY)
    portfolio.scan(now=NOW - 9 * DAY)
    assert portfolio.kept == 1

    found = portfolio.scan(now=NOW - 4 * DAY)

    assert (portfolio.kept, found.projects[0].activity.source) == (0, "edit")


def _user_ignore(portfolio: Portfolio) -> dict[str, object]:
    path = write(portfolio.root.parent / "ignore", "*.txt\n")
    return {"user_ignore": (str(path),)}


@pytest.mark.parametrize(
    "otherwise",
    [
        lambda _: {"nested": "repos"},
        lambda _: {"emails": ("ana@example.com",)},
        _user_ignore,
    ],
    ids=["nested", "emails", "user ignore file"],
)
def test_what_was_read_under_other_options_is_read_again(
    portfolio: Portfolio, otherwise: Callable[[Portfolio], dict[str, Any]]
) -> None:
    portfolio.repository()
    portfolio.scan()

    portfolio.scan(**otherwise(portfolio))

    assert (portfolio.kept, portfolio.read) == (0, 1)


def test_another_program_believes_nothing(portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch) -> None:
    portfolio.repository()
    portfolio.scan()
    monkeypatch.setattr("scanner.cache.key._program", lambda: "a later one")

    portfolio.scan()

    assert (portfolio.kept, portfolio.read) == (0, 1)


def test_other_roots_make_no_difference_where_they_decided_nothing(portfolio: Portfolio) -> None:
    shop = portfolio.repository()
    portfolio.scan()

    portfolio.scan(roots=(Root(str(shop.parent)), Root(str(shop.parent.parent), 1)))

    assert portfolio.kept == 1


def test_what_exists_only_here_is_kept_and_only_shown_when_asked_for(portfolio: Portfolio) -> None:
    portfolio.repository()
    portfolio.scan()
    portfolio.scan(unsaved=True)
    assert portfolio.read == 1

    asked, not_asked = portfolio.scan(unsaved=True), portfolio.scan()

    assert portfolio.kept == 1
    assert (asked.projects[0].git is not None, not_asked.projects[0].git) == (True, None)


def test_a_file_that_is_edited_and_dated_back_counts_as_unsaved(portfolio: Portfolio) -> None:
    shop = portfolio.repository()
    path = shop / "src/a/b/c.js"
    portfolio.scan(unsaved=True)
    before = path.stat()
    path.write_text("other\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    found = portfolio.scan(unsaved=True)

    assert found.projects[0].git is not None
    assert found.projects[0].git.modified == 1


def test_a_git_folder_that_is_exchanged_for_another_is_noticed(portfolio: Portfolio) -> None:
    shop, other = portfolio.repository(), portfolio.repository("other")
    portfolio.git("commit", "-q", "--allow-empty", "-m", "more", cwd=other, days=0.5)
    portfolio.scan()
    shutil.rmtree(shop / ".git")
    shutil.copytree(other / ".git", shop / ".git")

    one, another = portfolio.scan().projects

    assert one.vcs is not None
    assert another.vcs is not None
    assert one.vcs.head == another.vcs.head


def test_what_a_link_leads_to_is_noticed_when_it_comes(portfolio: Portfolio) -> None:
    shop = portfolio.repository()
    write(shop / "extra/readme.txt", days=3)
    (shop / "extra/.git").symlink_to(shop.parent.parent / "later")
    portfolio.scan()
    portfolio.repository("other")
    (shop.parent / "other/.git").rename(shop.parent.parent / "later")
    shutil.rmtree(shop.parent / "other")

    found = portfolio.scan()

    assert found.projects[0].nested == (f"{shop}/extra",)


def test_an_object_that_is_lost_is_noticed(portfolio: Portfolio) -> None:
    shop = portfolio.repository()
    portfolio.scan()
    head = portfolio.git("rev-parse", "HEAD", cwd=shop)
    (shop / f".git/objects/{head[:2]}/{head[2:]}").unlink()

    found = portfolio.scan()

    assert "git-object-missing" in {problem.code for problem in found.problems}


def test_a_project_that_could_not_be_read_is_not_kept(
    portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    portfolio.repository()

    def fails(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr("scanner.project_facts.read_history", fails)
    portfolio.scan()

    assert [record.told for record in portfolio.records.values()] == [None]


def _mounted(monkeypatch: pytest.MonkeyPatch, table: Path, *lines: str) -> None:
    table.write_text(
        "".join(f"{number} 1 0:{number} / {line} x rw\n" for number, line in enumerate(lines, 1))
    )
    monkeypatch.setattr("scanner.scan.read_mounts", lambda: read_mounts(str(table)))


@pytest.mark.parametrize(("kind", "kept"), [("ext4", 1), ("fuse.x", 0), ("9p", 0)])
def test_only_a_file_system_that_dates_every_change_is_believed(
    portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, kept: int
) -> None:
    _mounted(monkeypatch, tmp_path / "table", f"/ rw - {kind}")
    portfolio.repository()
    portfolio.scan()

    portfolio.scan()

    assert portfolio.kept == kept


def test_a_project_in_which_something_is_mounted_is_read_each_time(
    portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop = portfolio.repository()
    _mounted(monkeypatch, tmp_path / "table", "/ rw - ext4", f"{shop}/lib rw - ext4")
    portfolio.scan()
    portfolio.scan()
    assert portfolio.kept == 0

    _mounted(monkeypatch, tmp_path / "table", "/ rw - ext4")
    portfolio.scan()
    assert portfolio.kept == 0
    _mounted(monkeypatch, tmp_path / "table", "/ rw - ext4", f"{shop}/lib rw - ext4")
    portfolio.scan()
    assert portfolio.kept == 0


# The form in which it is kept

FULL = ProjectFacts(
    stacks=Stacks(
        "Node", (Label("Node", "language", "package.json", 0.9),), "n", "d", "npm", (("node", "20"),),
        ("ci",), ("docker",), ("AGENTS.md",), (".agents",), "npm", ("no-license",),
        (Problem("a", "warning", "/p", "m", "f"),),
    ),
    activity=Activity(1.5, "edit", "high", "detail", (1.0, "commit"), ("future-date",)),
    vcs=Vcs("git", "normal", "/p/.git", "main", "0", "x", "sha1", "files", True, ("/t",), ("/s",), "am"),
    members=(Member("a", "b", "npm", "Node", (Label("x", "tool", "y", 0.1),)),),
    flags=("f",),
    below=("/p/\udcff",),
    bmad_installed=True,
    identity=Identity(("0" * 40,), True, "r", 1, 2, "s"),
    ownership=Ownership(True, 3.0),
    problems=[Problem("b", "error", "/p", "m")],
    git=Unsaved(branches=(Branch("main", "origin/main", 1, 2, False, True),), risk=Risk(("stash",), 1, 2.0)),
    git_problems=[Problem("c", "warning", "/p", "m")],
)  # fmt: skip


@pytest.mark.parametrize("facts", [FULL, ProjectFacts()], ids=["everything", "nothing"])
def test_facts_come_back_as_they_were(facts: ProjectFacts) -> None:
    back = facts_from(json.loads(json.dumps(plain(facts))))

    assert [getattr(back, name) for name in ProjectFacts.__slots__] == [
        getattr(facts, name) for name in ProjectFacts.__slots__
    ]


def test_records_come_back_from_their_bytes_and_are_believed(portfolio: Portfolio) -> None:
    shop = portfolio.repository("odd \udcff")
    portfolio.git("worktree", "add", "-q", str(portfolio.root / "tree"), cwd=shop)
    write(portfolio.root / "plain/package.json", '{"name": "plain"}', days=3)
    portfolio.scan(unsaved=True)
    portfolio.records = unpacked(memoryview(b"".join(packed(portfolio.records))))

    portfolio.scan(unsaved=True)

    assert (portfolio.kept, portfolio.read) == (2, 0)


def test_bytes_that_are_cut_are_no_records(portfolio: Portfolio) -> None:
    portfolio.repository()
    portfolio.scan()
    whole = b"".join(packed(portfolio.records))

    for length in (0, 7, 50, len(whole) - 1):
        with pytest.raises((ValueError, TypeError)):
            unpacked(memoryview(whole[:length]))
