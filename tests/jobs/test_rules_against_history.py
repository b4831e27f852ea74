"""The rules of the handover on real repositories, through the scan and the reader of histories."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.health.values import Finding, Health
from jobs.health import HealthSettings, examine_all, subject_of
from scanner.project import Root, Thresholds
from scanner.request import Request
from scanner.scan import scan
from tests.brain.health.examined import DECISIONS, ENGLISH, PROTOCOL
from tests.support import NOW, Git, write

SECOND = """
## 2026-04-02 - Search by tsvector
- Decision: tsvector with a GIN index
- Rationale: LIKE needs 1.8 s for 200k products
- Rejected: Elasticsearch, one more service to run
- Constraint: German and English only
"""


class Shop:
    """A repository with one commit of code, and what is found in it."""

    def __init__(self, git: Git) -> None:
        self.git = git
        files = {"main.c": "int main;\n", "AGENTS.md": PROTOCOL, "DECISIONS.md": DECISIONS + SECOND}
        self.path = git.repository("dev/shop", days=9, files=files)

    def commit(self, message: str, **files: str) -> str:
        """Commit ``files`` by their names without ending; the short name of the commit."""
        for name, text in files.items():
            write(self.path / ("main.c" if name == "main" else f"{name}.md"), text)
        self.git("add", "-A", cwd=self.path)
        self.git("commit", "-q", "--allow-empty", "-m", message, cwd=self.path, days=2)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "--short=7", "HEAD", cwd=self.path)

    def hands_over(self, name: str) -> Shop:
        """Commit a progress file that names the commit ``name``."""
        self.commit("hand over", PROGRESS=ENGLISH.replace("4f2a9c1", name))
        return self

    def health(self) -> Health:
        root = Root(str(self.path.parent))
        (project,) = scan(Request((root,), Thresholds(), NOW, unsaved=True)).projects
        settings = HealthSettings(
            brain=None, home=str(self.git.root), state=str(self.git.root / "state"), now=NOW
        )
        return examine_all([subject_of(project, "1")], settings).healths[project.path]

    def found(self, *codes: str) -> list[Finding]:
        return [one for one in self.health().findings if one.code in codes]

    def told(self, *codes: str) -> list[tuple[str, str]]:
        """(level, message) of what the rules ``codes`` found."""
        return [(one.level, one.message) for one in self.found(*codes)]


@pytest.fixture
def shop(git: Git) -> Shop:
    return Shop(git)


HEAD_RULES = ("p-head-missing", "p-head-unknown", "p-head-foreign", "p-head-drift", "p-stale")


def test_a_handover_that_names_the_commit_before_it_is_up_to_date(shop: Shop) -> None:
    assert shop.hands_over(shop.head()).told(*HEAD_RULES) == []


def test_a_commit_of_code_after_the_handover_is_drift(shop: Shop) -> None:
    named = shop.head()
    shop.hands_over(named).commit("more", main="int more;\n")

    assert shop.told(*HEAD_RULES) == [("warning", f"HEAD is 1 commit further than the named {named}.")]


def test_ten_commits_of_code_are_an_error_and_leave_the_file_behind(shop: Shop) -> None:
    named = shop.head()
    shop.hands_over(named)
    for number in range(10):
        shop.commit(f"more {number}", main=f"int more{number};\n")

    assert shop.told(*HEAD_RULES) == [
        ("error", f"HEAD is 10 commits further than the named {named}."),
        ("warning", "10 commits since this file was last committed."),
    ]


def test_notes_on_decisions_are_no_drift(shop: Shop) -> None:
    shop.hands_over(shop.head()).commit("note", DECISIONS=DECISIONS + SECOND + "\nA note.\n")

    assert shop.told(*HEAD_RULES) == []


def test_a_commit_that_nobody_knows_is_an_error(shop: Shop) -> None:
    assert shop.hands_over("deadbee1").told(*HEAD_RULES) == [
        ("error", "The named commit deadbee1 does not exist.")
    ]


def test_an_amended_commit_is_foreign(shop: Shop) -> None:
    shop.commit("work", main="int work;\n")
    named = shop.head()
    shop.git("commit", "-q", "--amend", "-m", "better", cwd=shop.path, days=1)

    assert [(one.level, one.code) for one in shop.hands_over(named).found(*HEAD_RULES)] == [
        ("warning", "p-head-foreign")
    ]


def test_marking_a_decision_as_replaced_loses_nothing(shop: Shop) -> None:
    marked = (DECISIONS + SECOND).replace("in Redis\n", "in Redis (ersetzt durch 2026-04-02)\n", 1)
    shop.commit("mark", DECISIONS=marked)

    assert shop.git("diff", "--numstat", "HEAD~1", cwd=shop.path).split()[:2] == ["1", "1"]
    assert shop.told("d-shrunk", "d-edited") == []


def test_deleting_a_decision_is_found_though_lines_were_added(shop: Shop) -> None:
    third = SECOND.replace("2026-04-02 - Search", "2026-05-02 - Sort")
    shop.commit("delete", DECISIONS=DECISIONS + third + third.replace("05-02 - Sort", "06-02 - Page"))

    assert shop.told("d-shrunk", "d-edited") == [
        ("error", '"2026-04-02 Search by tsvector" stood in an earlier commit and is gone.')
    ]


def test_a_decision_that_was_deleted_many_commits_ago_is_found(shop: Shop) -> None:
    shop.commit("delete", DECISIONS=DECISIONS)
    for number in range(5):
        shop.commit(f"note {number}", DECISIONS=f"{DECISIONS}\nNote {number}.\n")

    assert len(shop.told("d-shrunk")) == 1


ADR = """# {0}. {1}

Date: 2026-03-0{0}

## Status

Accepted

## Context

{2}

## Decision

We use {1}.

## Consequences

It is used by all services.
"""


def keeps_records(shop: Shop) -> Shop:
    """Three ADRs in a folder of their own."""
    for number, (title, context) in enumerate(
        (
            ("Redis", "Settings are read by each request."),
            ("Kafka", "Orders wait."),
            ("Nix", "Tools differ."),
        ),
        1,
    ):
        write(shop.path / f"docs/adr/000{number}-{title.lower()}.md", ADR.format(number, title, context))
    shop.commit("records")
    return shop


def test_a_deleted_adr_is_found(shop: Shop) -> None:
    keeps_records(shop)
    (shop.path / "docs/adr/0002-kafka.md").unlink()
    shop.commit("tidy up")

    (found,) = shop.found("d-shrunk")

    assert (found.level, found.file, found.message) == (
        "error",
        "docs/adr",
        '"0002 Kafka" stood in an earlier commit, and its file is gone.',
    )


def test_the_last_adr_of_a_folder_that_keeps_its_index_is_found_too(shop: Shop) -> None:
    keeps_records(shop)
    write(shop.path / "docs/adr/README.md", "# Decisions\n")
    for path in (shop.path / "docs/adr").glob("0*.md"):
        path.unlink()
    shop.commit("tidy up")

    assert len(shop.told("d-shrunk")) == 3


def test_a_deleted_adr_is_found_in_a_project_without_another_log(shop: Shop) -> None:
    (shop.path / "DECISIONS.md").unlink()
    keeps_records(shop)
    (shop.path / "docs/adr/0002-kafka.md").unlink()
    shop.commit("tidy up")

    assert [message for _, message in shop.told("d-shrunk")] == [
        '"0002 Kafka" stood in an earlier commit, and its file is gone.'
    ]


@pytest.mark.parametrize(
    "to", ["docs/adr/0002-event-bus.md", "docs/adr/0009-kafka.md", "docs/old/0002-kafka.md"]
)
def test_an_adr_that_was_renamed_or_moved_is_not_lost(shop: Shop, to: str) -> None:
    keeps_records(shop)
    (shop.path / to).parent.mkdir(exist_ok=True)
    (shop.path / "docs/adr/0002-kafka.md").rename(shop.path / to)
    shop.commit("move")

    assert shop.told("d-shrunk") == []


def test_a_template_or_a_picture_that_is_gone_from_a_folder_of_adrs_is_no_decision(shop: Shop) -> None:
    keeps_records(shop)
    write(shop.path / "docs/adr/template.md", ADR.format(9, "TITLE", "why"))
    write(shop.path / "docs/adr/map.svg", "<svg/>")
    shop.commit("more")
    for name in ("template.md", "map.svg"):
        (shop.path / "docs/adr" / name).unlink()
    shop.commit("less")

    assert shop.told("d-shrunk") == []


def test_a_dirty_tree_is_counted_as_git_counts_it(shop: Shop) -> None:
    shop.commit("more files", README="# Shop\n", NOTES="# Notes\n")
    write(shop.path / "main.c", "int changed;\n")
    shop.git("add", "main.c", cwd=shop.path)
    for name in ("README.md", "NOTES.md", "new1.c", "new2.c", "new3.c"):
        write(shop.path / name, "changed, and longer than before\n")

    assert shop.told("g-dirty") == [("warning", "Uncommitted files: 1 staged, 2 unstaged, 3 untracked.")]


@pytest.mark.parametrize(("vague", "levels"), [(7, ["warning"]), (5, [])])
def test_vague_commits_among_the_last_twenty(shop: Shop, vague: int, levels: list[str]) -> None:
    for number in range(20):
        message = "update a.py" if number < vague else f"search: page {number} keeps its filter"
        shop.commit(message)

    assert [level for level, _ in shop.told("g-vague")] == levels


def test_a_body_or_trailers_alone(shop: Shop) -> None:
    for _ in range(10):
        shop.commit("update a.py\n\nThe pager lost its filter.")
    assert shop.told("g-vague") == []

    for _ in range(10):
        shop.commit("update a.py\n\nSigned-off-by: Ana <ana@example.com>")
    assert len(shop.told("g-vague")) == 1


def test_without_a_repository_no_rule_of_git_applies(tmp_path: Path, git: Git) -> None:
    shop = Shop(git)
    (shop.path / ".git").rename(tmp_path / "away")
    write(shop.path / "Makefile", "test:\n\ttrue\n")
    write(shop.path / "PROGRESS.md", ENGLISH)

    outcomes = {one.code: one.passed for one in shop.health().outcomes}

    assert {code: outcomes[code] for code in outcomes if code.startswith(("g-", "p-head"))} == dict.fromkeys(
        ["g-big", "g-dirty", "g-stash", "g-unpushed", "g-vague", "p-head-drift", "p-head-foreign",
         "p-head-missing", "p-head-unknown"]
    )  # fmt: skip
    assert outcomes["p-goal"] is True


def test_two_examinations_tell_the_same_and_touch_nothing(shop: Shop) -> None:
    shop.hands_over("deadbee1")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(shop.path.rglob("*"))}

    first, second = shop.health(), shop.health()

    assert first == second
    assert first.findings
    assert before == {
        path: (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(shop.path.rglob("*"))
    }
