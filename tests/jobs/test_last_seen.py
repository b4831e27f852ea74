"""What the last job saw of the memories, in ``zecher projects`` and ``zecher status``."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.last_seen import last_seen
from jobs.snapshots import write_snapshot
from reports.actions import Action
from reports.snapshot import FindingNote, HealthNote, Noted, RiskNote, Snapshot
from scanner.project import Thresholds
from scanner.value import replace
from tests.jobs.program import Program
from tests.support import DAY, NOW, write


@pytest.fixture
def state(home: Path) -> str:
    return str(home / ".local/state/zecher")


def snapshot(*projects: Noted, job: str = "nightly", days: float = 0.5, **more: object) -> Snapshot:
    values: dict[str, object] = {
        "health": 78,
        "tokens": 41_200,
        "trend": (("2026-W47", 75), ("2026-W48", 78)),
    }
    return Snapshot(job, f"slot {days}", NOW - days * DAY, Thresholds(), projects, **values | more)  # type: ignore[arg-type] # of its kinds


def shop_of(indexed: Path, next_step: str = "Paging for GET /search") -> Noted:
    noted = Noted("id-shop", str(indexed / "shop"), "shop", "active", health=HealthNote(64, 900, warnings=2))
    return replace(noted, next_step=next_step)


def test_the_newest_snapshot_that_knows_the_memories_counts(state: str) -> None:
    assert last_seen(state, NOW) is None
    write_snapshot(state, snapshot(job="weekly", days=3, tokens=1))
    write_snapshot(state, snapshot(days=2, tokens=2))

    seen = last_seen(state, NOW)

    assert seen is not None
    assert seen.tokens == 2


def test_a_snapshot_that_knows_nothing_of_memories_does_not_count(state: str) -> None:
    write_snapshot(state, snapshot(health=None))

    assert last_seen(state, NOW) is None


def test_projects_show_memory_and_next_step_once_a_job_looked(
    zecher: Program, indexed: Path, state: str
) -> None:
    before = zecher("projects")
    assert before.out.splitlines()[0].endswith("\tpath\tmemory\tnext_step\tunpushed\tchanged\tstashes")
    assert before.out.splitlines()[1].endswith("\t\t\t0\t0\t0")

    write_snapshot(state, snapshot(replace(shop_of(indexed), risk=RiskNote(3, False, 2, stashes=1))))

    rows = {line.split("\t")[1]: line.split("\t")[-5:] for line in zecher("projects").out.splitlines()}
    assert rows["shop"] == ["64", "Paging for GET /search", "2", "3", "1"]
    assert rows["engine"] == ["", "", "0", "0", "0"]
    found = {one["name"]: one for one in zecher("projects", "--json").data["projects"]}
    assert found["shop"]["health"] == {"percent": 64, "errors": 0, "warnings": 2, "tokens": 900}
    assert found["shop"]["next_step"] == "Paging for GET /search"
    assert (found["engine"]["health"], found["engine"]["next_step"]) == (None, None)


def test_the_table_has_columns_for_them_and_keeps_its_width(
    zecher: Program, indexed: Path, state: str
) -> None:
    assert "MEMORY" not in zecher.at_terminal("projects").out
    write_snapshot(state, snapshot(shop_of(indexed, next_step="Paging\x1b[2J " + "long " * 50)))

    wide = zecher.at_terminal("--color", "never", "projects", columns=160).out.splitlines()
    narrow = zecher.at_terminal("--color", "never", "projects", columns=80).out.splitlines()

    assert "MEMORY" in wide[0]
    assert "NEXT STEP" in wide[0]
    (shop,) = [line for line in wide if " shop " in line and "64 %" in line]
    assert "Paging\\x1b[2J" in shop
    assert max(map(len, wide[:4])) <= 160
    assert max(map(len, narrow[:4])) <= 80


def test_a_row_is_sign_name_status_stack_idle_git_memory_and_next_step_at_eighty_columns(
    zecher: Program, indexed: Path, state: str
) -> None:
    shop = replace(shop_of(indexed), risk=RiskNote(3, False, 12, stashes=1))
    write_snapshot(state, snapshot(shop))

    lines = zecher.at_terminal("--color", "never", "projects", columns=80).out.splitlines()

    assert lines[0].split() == ["NAME", "STATUS", "STACK", "IDLE", "GIT", "MEMORY", "NEXT", "STEP"]
    (row,) = [line for line in lines if " shop " in line]
    assert row.split()[1:3] == ["shop", "active"]
    assert row.startswith("● ")
    assert "↑12 ±3 ≡1" in row
    assert "64 %" in row
    assert "Paging for" in row
    assert "↑ unpushed commits, ± changed files, ≡ stashes" in lines[4]
    assert max(map(len, lines)) <= 80


def test_the_legend_explains_only_the_signs_that_are_there(zecher: Program, indexed: Path) -> None:
    assert indexed.exists()
    lines = zecher.at_terminal("--color", "never", "projects", columns=80).out.splitlines()

    assert lines[4] == "● active, ◐ paused, ○ archived"


def test_the_markdown_has_the_columns_too(zecher: Program, indexed: Path, state: str) -> None:
    noted = replace(shop_of(indexed, next_step="Paging | now"), risk=RiskNote(0, False, 2))
    write_snapshot(state, snapshot(noted))

    lines = zecher("projects", "--format", "md").out.splitlines()

    assert lines[0] == "| Status | Name | Stack | Idle | Git | Memory | Next step | Flags | Path |"
    assert "| ↑2 | 64 % | Paging \\| now |" in "\n".join(lines)


def test_git_signs_come_from_the_newest_job_and_memory_from_the_newest_that_looked(
    zecher: Program, indexed: Path, state: str
) -> None:
    write_snapshot(state, snapshot(replace(shop_of(indexed), risk=RiskNote(9)), job="weekly", days=3))
    newer = replace(shop_of(indexed, ""), health=None, risk=RiskNote(1))
    write_snapshot(state, snapshot(newer, health=None))

    rows = {line.split("\t")[1]: line.split("\t")[-5:] for line in zecher("projects").out.splitlines()}

    assert rows["shop"] == ["64", "Paging for GET /search", "0", "1", "0"]


def test_a_damaged_snapshot_takes_nothing_away(zecher: Program, indexed: Path, state: str) -> None:
    write(Path(state) / "snapshots" / "nightly-20261130T000000Z.json", "no json")

    done = zecher("projects", "--json")

    assert done.code == 0
    assert {one["health"] for one in done.data["projects"]} == {None}
    assert indexed.exists()


# -- the state of the portfolio -----------------------------------------------------------------------------


def finding(indexed: Path, **more: object) -> Action:
    values: dict[str, object] = {
        "path": str(indexed / "shop"),
        "name": "shop",
        "kind": "m-secret",
        "fact": "a password stands in AGENTS.md",
        "why": "whoever reads the file has it",
        "command": "zecher memory check -d ~/dev/shop",
        "code": "m-secret",
        "since": None,
        "weight": 20.0,
        "first_seen": "2026-09-01",
    }
    return Action(**values | more)  # type: ignore[arg-type] # of its kinds


@pytest.fixture
def seen(zecher: Program, indexed: Path, home: Path, state: str) -> Program:
    """A portfolio that a job looked at."""
    write(home / ".config" / "zecher" / "config.toml", f'[scan]\nroots = ["{indexed}"]\n')
    old = FindingNote("d-old", "warning", str(indexed / "shop"), "shop", "DECISIONS.md", 3, "old", "look")
    taken = snapshot(
        shop_of(indexed),
        todo=(finding(indexed), finding(indexed, path="/elsewhere", name="other")),
        review=(old, old),
        finding_counts={"error": 1, "warning": 4},
        silenced=3,
    )
    write_snapshot(state, taken)
    return zecher


def test_the_state_says_how_healthy_the_memories_are(seen: Program) -> None:
    out = seen.at_terminal("status").out.splitlines()

    assert "memory     78 % healthy (+3), 2 decisions to review, 41,200 tokens loaded at the start" in out
    assert len(out) <= 12


def test_what_ails_a_memory_is_ranked_with_unsaved_work(seen: Program) -> None:
    actions = seen("status", "--json").data["actions"]

    assert [one["rank"] for one in actions] == list(range(1, len(actions) + 1))
    assert (actions[0]["code"], actions[0]["project"]) == ("m-secret", "shop")
    assert {one["code"] for one in actions} > {"m-secret"}
    assert "other" not in {one["project"] for one in actions}
    out = seen.at_terminal("status").out
    assert "  shop: a password stands in AGENTS.md; whoever reads the file has it" in out


def test_what_was_silenced_since_needs_nobody(seen: Program, indexed: Path) -> None:
    assert seen("ack", "m-secret", str(indexed / "shop")).code == 0

    assert "m-secret" not in {one["code"] for one in seen("status", "--json").data["actions"]}


def test_what_was_silenced_everywhere_since_needs_nobody_either(seen: Program) -> None:
    assert seen("ack", "m-secret").code == 0

    assert "m-secret" not in {one["code"] for one in seen("status", "--json").data["actions"]}


def test_the_memory_part_of_the_document_has_the_keys_of_the_contract(seen: Program) -> None:
    assert seen("status", "--json").data["memory"] == {
        "percent": 78,
        "change": 3,
        "compared_with": "2026-W47",
        "brain_percent": None,
        "errors": 1,
        "warnings": 4,
        "silenced": 3,
        "review": 2,
        "tokens": 41_200,
        "as_of": "2026-11-29T15:17:04Z",
        "job": "nightly",
    }


@pytest.mark.usefixtures("indexed")
def test_without_a_snapshot_nothing_is_said_of_memories(zecher: Program) -> None:
    assert zecher("status", "--json").data["memory"] is None
