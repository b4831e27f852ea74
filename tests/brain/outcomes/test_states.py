"""What a receipt is worth today: every state of the published table, the first that fits."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain.files.errors import MemError
from brain.outcomes import nexus, runs
from brain.outcomes.anchors import Anchors
from brain.outcomes.observe import observe
from brain.outcomes.states import judge, outcomes
from tests.brain.outcomes.nexus_project import (
    LESSON,
    MEMORY,
    Json,
    Project,
    compact,
    receipt_of,
    sealed,
    source_of,
)
from tests.support import NOW

OTHER = "Cache contract"
THIRD = "Billing export"


def state(project: Project, place: int = 0) -> str | None:
    found = outcomes(project.path)[place]
    assert found["eligible"] is (found["reason"] is None)
    reason = found["reason"]
    assert reason is None or isinstance(reason, str)
    return reason


def states(project: Project) -> list[str]:
    return [one.state for one in judge(project.path)]


def observed(project: Project, run_id: str = "one", heading: str = LESSON, **changes: Any) -> str:
    """Accept a task and observe it for a section of the lessons; the receipt's id."""
    if not (project.root / f".bmad-plus/nexus/runs/{run_id}.json").exists():
        project.accept(run_id)
    memory = {"file": MEMORY, "heading": heading}
    name = project.ask(runId=run_id, memory=memory, **changes)
    return str(observe(project.path, name, now=NOW)["id"])


@pytest.fixture
def three(project: Project) -> Project:
    """A project whose lessons have three sections."""
    project.lesson(OTHER, "Keep zero values.")
    project.lesson(THIRD, "Export yearly.")
    return project


def test_without_receipts_there_is_nothing_to_list(project: Project) -> None:
    assert outcomes(project.path) == []
    assert not (project.root / ".bmad").exists()


def test_an_untouched_receipt_is_current_and_listed_as_stored(project: Project) -> None:
    observed(project)
    (record,) = project.records()
    assert compact(outcomes(project.path)) == compact([record | {"eligible": True, "reason": None}])
    assert states(project) == ["accepted-current"]


def test_a_receipt_of_another_writer_is_current(project: Project) -> None:
    receipt = receipt_of(source_of(project.accept()), f"{LESSON}\nUse **one** limit for each account.")
    project.write(str(project.ledger), compact(receipt) + "\n")
    assert state(project) is None


def test_a_damaged_ledger_fails_as_a_whole(project: Project) -> None:
    observed(project)
    project.ledger.write_bytes(project.ledger.read_bytes() + b"{}\n")
    with pytest.raises(MemError, match="line 2"):
        outcomes(project.path)


# 1 and 2: relations


def test_a_superseded_receipt_says_so_and_its_successor_counts(three: Project) -> None:
    first = observed(three)
    observed(three, "two", OTHER, supersedes=[first])
    assert states(three) == ["superseded", "accepted-current"]


def test_a_contradiction_takes_both_sides_until_it_is_resolved(three: Project) -> None:
    first = observed(three)
    second = observed(three, "two", OTHER, contradicts=[first])
    assert states(three) == ["contradictory", "contradictory"]
    observed(three, "three", THIRD, supersedes=[first, second])
    assert states(three) == ["superseded", "superseded", "accepted-current"]


def test_a_contradiction_ends_when_the_one_that_contradicts_is_superseded(three: Project) -> None:
    first = observed(three)
    second = observed(three, "two", OTHER, contradicts=[first])
    observed(three, "three", THIRD, supersedes=[second])
    assert states(three) == ["accepted-current", "superseded", "accepted-current"]


def test_a_contradiction_of_what_is_superseded_hurts_nobody(three: Project) -> None:
    first = observed(three)
    observed(three, "two", OTHER, supersedes=[first])
    observed(three, "three", THIRD, contradicts=[first])
    assert states(three) == ["superseded", "accepted-current", "accepted-current"]


def test_observing_the_same_section_again_does_not_escape_a_contradiction(three: Project) -> None:
    first = observed(three)
    observed(three, "two", OTHER, contradicts=[first])
    observed(three, "three")
    assert states(three) == ["contradictory"] * 3


def test_a_section_of_the_same_name_in_another_file_is_another(three: Project) -> None:
    first = observed(three)
    observed(three, "two", OTHER, contradicts=[first])
    three.lesson(LESSON, "elsewhere", file=".bmad/memory/lessons.md")
    three.accept("three")
    memory = {"file": ".bmad/memory/lessons.md", "heading": LESSON}
    observe(three.path, three.ask(runId="three", memory=memory), now=NOW)
    assert states(three) == ["contradictory", "contradictory", "accepted-current"]


# 3: the scope of a question


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (["src/auth"], None),
        (["src"], None),
        (["src/auth/x"], None),
        (["docs", "src"], None),
        (["docs"], "outside-query-scope"),
        (["src/auth2"], "outside-query-scope"),
        (["SRC"], "outside-query-scope"),
    ],
)
def test_a_receipt_counts_where_its_scope_touches_the_question(
    project: Project, scope: list[str], expected: str | None
) -> None:
    observed(project)
    (found,) = judge(project.path, context_scope=scope)
    assert found.reason == expected


# 4: the section


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("account.\n", "account.\n\n \t\n\n"),
        ("# Lessons\n", "# Lessons, and more before the first section\n"),
        (f"### {LESSON}", f"###   {LESSON}  "),
    ],
)
def test_blanks_around_a_section_and_text_before_it_change_nothing(
    project: Project, old: str, new: str
) -> None:
    observed(project)
    assert old in project.read(MEMORY)
    project.write(MEMORY, project.read(MEMORY).replace(old, new))
    assert state(project) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [("one", "two"), ("Use **one**", "Use  **one**"), ("account.\n", "account.\n## Meta\n")],
)
def test_an_edited_section_is_stale_until_it_is_as_it_was(project: Project, old: str, new: str) -> None:
    observed(project)
    before = project.read(MEMORY)
    project.write(MEMORY, before.replace(old, new))
    assert state(project) == "stale-memory-section"
    project.write(MEMORY, before)
    assert state(project) is None


# 5: the task


def test_a_task_that_was_accepted_again_is_another_source(project: Project) -> None:
    observed(project)
    project.accept(change=lambda run: run["tasks"][0].update(acceptedAt="2026-11-30T00:00:00.000Z"))
    assert state(project) == "stale-outcome-source"


def test_a_task_with_a_newer_attempt_is_another_source(project: Project) -> None:
    observed(project)
    run = project.run()
    text = sealed(run).replace("one-limit-2", "one-limit-3")
    project.write(".bmad-plus/nexus/runs/one.json", text)
    assert (
        state(project)
        == "unavailable-or-ineligible-source: the run is damaged: its hash does not fit its content"
    )
    project.store(json.loads(text)["run"])
    assert state(project) == "stale-outcome-source"


# 6: everything else


def artifact_changed(project: Project) -> None:
    project.write("src/auth/limit.py", "LIMIT = 6\n")


def new_file_in_scope(project: Project) -> None:
    project.write("src/auth/more.py", "")


def checker_changed(project: Project) -> None:
    project.checker.write_text("#!/bin/sh\n")


def run_gone(project: Project) -> None:
    (project.root / ".bmad-plus/nexus/runs/one.json").unlink()


def run_torn(project: Project) -> None:
    os.truncate(project.root / ".bmad-plus/nexus/runs/one.json", 100)


def run_locked(project: Project) -> None:
    project.write(".bmad-plus/nexus/writer.lock", "")


def heading_twice(project: Project) -> None:
    project.lesson(LESSON, "again")


def heading_gone(project: Project) -> None:
    project.write(MEMORY, "# Lessons\n")


def memory_gone(project: Project) -> None:
    (project.root / MEMORY).unlink()


def memory_linked(project: Project) -> None:
    (project.root / ".agents").rename(project.root / "agents")
    (project.root / ".agents").symlink_to("agents")


@pytest.mark.parametrize(
    ("disturb", "words"),
    [
        (artifact_changed, "a file in the task's scope was changed, added or removed after the check"),
        (new_file_in_scope, "a file in the task's scope was changed, added or removed after the check"),
        (checker_changed, "a program that checked or did the work has changed since the plan was made"),
        (run_gone, ".bmad-plus/nexus/runs/one.json: no such file"),
        (run_torn, "the run is damaged: its file is not JSON"),
        (
            run_locked,
            ".bmad-plus/nexus/writer.lock is there: a run is being written; try again when it is gone",
        ),
        (
            heading_twice,
            ".agents/memory/lessons.md must have exactly one section with that ### heading; it has 2",
        ),
        (
            heading_gone,
            ".agents/memory/lessons.md must have exactly one section with that ### heading; it has 0",
        ),
        (memory_gone, ".agents/memory/lessons.md: no such file"),
        (memory_linked, ".agents is a symbolic link, which is not followed: put the real file there"),
    ],
)
def test_a_source_is_unavailable_with_its_cause(
    project: Project, disturb: Callable[[Project], None], words: str
) -> None:
    observed(project)
    disturb(project)
    assert state(project) == f"unavailable-or-ineligible-source: {words}"


def test_a_restored_artifact_makes_the_receipt_current_again(project: Project) -> None:
    observed(project)
    before = project.read("src/auth/limit.py")
    artifact_changed(project)
    assert str(state(project)).startswith("unavailable-or-ineligible-source: ")
    project.write("src/auth/limit.py", before)
    assert state(project) is None


@pytest.mark.parametrize("act", [shutil.move, shutil.copytree])
def test_a_moved_or_copied_project_is_told_so_without_its_old_place(
    project: Project, act: Callable[[str, str], object]
) -> None:
    observed(project)
    there = project.path + "-new"
    act(project.path, there)
    (found,) = outcomes(there)
    assert str(found["reason"]).startswith(
        "unavailable-or-ineligible-source: the run belongs to another folder"
    )
    assert "moved or copied" in str(found["reason"])
    assert str(project.root.parent) not in str(found["reason"])


# The first that fits


def test_the_first_state_that_fits_is_told(three: Project) -> None:
    first = observed(three)
    second = observed(three, "two", OTHER, contradicts=[first])
    artifact_changed(three)
    three.write(MEMORY, three.read(MEMORY).replace("Keep", "Drop").replace("one", "two"))
    assert states(three) == ["contradictory", "contradictory"]
    artifact_restored = "LIMIT = 5\n"
    three.write("src/auth/limit.py", artifact_restored)
    observed(three, "three", THIRD, supersedes=[first, second])
    artifact_changed(three)
    three.write(MEMORY, three.read(MEMORY).replace("yearly", "monthly"))
    assert states(three) == ["superseded", "superseded", "stale-memory-section"]
    assert [one.state for one in judge(three.path, context_scope=["docs"])] == [
        "superseded",
        "superseded",
        "outside-query-scope",
    ]


def test_one_source_that_fails_leaves_the_others_alone(three: Project) -> None:
    three.write("docs/a.md", "a\n")
    docs = three.plan("docs", scope=["docs"], artifacts=["docs/a.md"])
    three.accept("two", docs)
    observed(three)
    memory = {"file": MEMORY, "heading": OTHER}
    observe(three.path, three.ask(runId="two", taskId="docs", memory=memory, scope=["docs"]), now=NOW)
    artifact_changed(three)
    reasons = states(three)
    assert reasons[0].startswith("unavailable-or-ineligible-source: ")
    assert reasons[1] == "accepted-current"


def test_results_stay_in_the_order_of_the_ledger(three: Project) -> None:
    ids = [
        observed(three, run_id, heading) for run_id, heading in [("z", LESSON), ("a", OTHER), ("m", THIRD)]
    ]
    assert [found["id"] for found in outcomes(three.path)] == ids


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_thousand_receipts_of_one_run_read_it_once(
    project: Project, is_whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = project.accept()
    section = f"{LESSON}\nUse **one** limit for each account."
    small: Json = source_of(run)
    first = receipt_of(small, section)
    rest = [receipt_of(small | {"attemptId": f"old{number}"}, section) for number in range(999)]
    project.write(str(project.ledger), "".join(compact(one) + "\n" for one in [first, *rest]))
    if not is_whole:
        run_torn(project)
    read: list[str] = []

    def counted(path: str, run_id: str) -> runs.Run:
        read.append(run_id)
        return runs.read_run(path, run_id)

    monkeypatch.setattr(nexus, "read_run", counted)
    found = states(project)
    assert read == ["one"]
    if is_whole:
        assert found == ["accepted-current", *["stale-outcome-source"] * 999]
    else:
        assert set(found) == {"unavailable-or-ineligible-source: the run is damaged: its file is not JSON"}


def test_nothing_is_written_while_receipts_are_judged(project: Project) -> None:
    observed(project)
    before = {path: path.lstat().st_mtime_ns for path in project.root.rglob("*")}
    outcomes(project.path)
    assert {path: path.lstat().st_mtime_ns for path in project.root.rglob("*")} == before


def test_a_thousand_questions_about_a_file_of_many_sections_read_and_hash_it_once(tmp_path: Path) -> None:
    """Each receipt went through all sections again: a full ledger took half a minute."""
    (tmp_path / ".agents" / "memory").mkdir(parents=True)
    (tmp_path / MEMORY).write_text("### a\n" * 100_000 + "### b\n" + "x" * 1_000_000)
    anchors = Anchors(str(tmp_path))
    begun = time.process_time()
    found = [anchors.find({"file": MEMORY, "heading": "b"}) for _ in range(1000)]
    assert time.process_time() - begun < 3
    assert len({str(one["textSha256"]) for one in found}) == 1
