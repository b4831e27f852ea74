"""Snapshots: what they hold comes back as it was, and garbage costs no more than a comparison."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.files.errors import WriteError
from jobs.publishing import Page, is_ours, publish, sealed
from jobs.snapshot_format import parse_snapshot, snapshot_bytes
from jobs.snapshots import KEPT, latest_snapshot, write_snapshot
from reports.actions import Action
from reports.snapshot import (
    Dreaming,
    DreamNote,
    FindingNote,
    HealthNote,
    LoopNote,
    Noted,
    Repeat,
    RiskNote,
    RunHealth,
    Snapshot,
)
from scanner.project import Coverage, Problem, Thresholds
from scanner.value import replace
from tests.support import DAY, NOW

# Also what stands for bytes that are not UTF-8.
TEXTS = st.text(max_size=12) | st.binary(max_size=12).map(os.fsdecode)
KEYS = ("v", "job", "slot", "taken", "thresholds", "projects", "actions", "todo", "runs", "rules", "trend")
COUNTS = st.integers(0, 99)
MOMENTS = st.none() | st.floats(0, 4e9)
TUPLES = st.lists(TEXTS, max_size=3).map(tuple)
HEALTHS = st.builds(HealthNote, percent=st.none() | COUNTS, tokens=COUNTS, top=TEXTS, errors=COUNTS)
RISKS = st.builds(
    RiskNote, changed=COUNTS, capped=st.booleans(), branches=TUPLES, in_progress=TEXTS, since=MOMENTS
)
PROJECTS = st.builds(
    Noted,
    id=TEXTS,
    path=TEXTS,
    name=TEXTS,
    status=TEXTS,
    stack=TEXTS,
    labels=TUPLES,
    reason=TEXTS,
    risks=TUPLES,
    first_seen=TEXTS,
    last_activity=MOMENTS,
    source=TEXTS,
    branch=TEXTS,
    remote=st.none() | st.booleans(),
    risk=st.none() | RISKS,
    health=st.none() | HEALTHS,
    next_step=TEXTS,
)
FINDINGS = st.builds(
    FindingNote, *([TEXTS] * 5), line=COUNTS, message=TEXTS, fix=TEXTS, first_seen=TEXTS, since=TEXTS
)
ACTIONS = st.builds(
    Action, *([TEXTS] * 7), since=MOMENTS, weight=st.floats(0, 10), first_seen=TEXTS, weeks=COUNTS
)
PAIRS = st.tuples(TEXTS, TEXTS)
DREAMING = st.builds(
    Dreaming,
    st.lists(st.builds(DreamNote, *([TEXTS] * 4), *([COUNTS] * 5)), max_size=2).map(tuple),
    COUNTS,
    TEXTS,
    MOMENTS,
    MOMENTS,
    COUNTS,
    COUNTS,
)
RUNS = st.builds(
    RunHealth,
    nights=st.lists(PAIRS, max_size=2).map(tuple),
    median=MOMENTS,
    longest=MOMENTS,
    counts=st.dictionaries(TEXTS, COUNTS, max_size=2),
    errors=st.lists(PAIRS, max_size=2).map(tuple),
    next_run=MOMENTS,
    missed_weeks=COUNTS,
    damaged=COUNTS,
)
COVERAGES = st.builds(
    Coverage,
    directories=COUNTS,
    entries=COUNTS,
    pruned=st.lists(st.tuples(TEXTS, COUNTS), max_size=2).map(tuple),
    unreadable=TUPLES,
    cut_by_depth=COUNTS,
    deadline_hit=st.booleans(),
    over_budget=TUPLES,
    placeholders=COUNTS,
)
PARTS = {
    "projects": st.lists(PROJECTS, max_size=3).map(tuple),
    "actions": st.dictionaries(TEXTS, COUNTS, max_size=2),
    "home": TEXTS,
    "brain_path": TEXTS,
    "tool_version": TEXTS,
    "health": st.none() | COUNTS,
    "brain_health": st.none() | HEALTHS,
    "todo": st.lists(ACTIONS, max_size=2).map(tuple),
    "findings": st.lists(FINDINGS, max_size=2).map(tuple),
    "finding_counts": st.dictionaries(TEXTS, COUNTS, max_size=2),
    "silenced": COUNTS,
    "rules": st.dictionaries(TEXTS, st.tuples(COUNTS, COUNTS, COUNTS), max_size=2),
    "review": st.lists(FINDINGS, max_size=2).map(tuple),
    "repeats": st.lists(st.builds(Repeat, TUPLES, TUPLES, TEXTS), max_size=2).map(tuple),
    "loads": st.lists(st.tuples(TEXTS, TEXTS, COUNTS, st.none() | COUNTS), max_size=2).map(tuple),
    "tokens": COUNTS,
    "sizes": st.lists(FINDINGS, max_size=2).map(tuple),
    "trend": st.lists(st.tuples(TEXTS, COUNTS), max_size=2).map(tuple),
    "days": st.dictionaries(TEXTS, COUNTS, max_size=2),
    "runs": RUNS,
    "coverage": COVERAGES,
    "problems": st.lists(st.builds(Problem, *([TEXTS] * 5)), max_size=2).map(tuple),
    "problem_counts": st.dictionaries(TEXTS, COUNTS, max_size=2),
    "written": COUNTS,
    "skipped": COUNTS,
    "missed_slots": COUNTS,
    "clock_suspicious": st.booleans(),
    "export": TEXTS,
    "loops": st.lists(
        st.builds(LoopNote, *([TEXTS] * 7), line=COUNTS, due=TEXTS, owner=TEXTS), max_size=2
    ).map(tuple),
    "loop_counts": st.dictionaries(TEXTS, COUNTS, max_size=2),
    "dreaming": st.none() | DREAMING,
}


def snapshot(night: int = 0, *projects: Noted, slot: str = "", job: str = "nightly") -> Snapshot:
    taken = NOW + night * DAY
    return Snapshot(job, slot or f"night {night}", taken, Thresholds(), projects)


@given(parts=st.fixed_dictionaries(PARTS))
def test_a_snapshot_reads_back_as_it_was_written(parts: dict[str, object]) -> None:
    taken = Snapshot("weekly", "2026-W49", NOW, Thresholds(), **parts)  # type: ignore[arg-type] # of its kinds

    assert parse_snapshot(snapshot_bytes(taken)) == taken


def test_every_part_of_a_snapshot_is_tried_there() -> None:
    assert {"job", "slot", "taken", "thresholds", *PARTS} == set(Snapshot.__match_args__)


def test_a_snapshot_of_the_first_version_is_still_read() -> None:
    old = {
        "v": 1,
        "job": "weekly",
        "slot": "2026-W48",
        "taken": "2026-11-23T03:17:04Z",
        "thresholds": [30.0, 180.0],
        "brain": [3, 4],
        "actions": {"id1:stash": 2},
        "projects": [
            {"id": "id1", "path": "/a", "name": "a", "status": "active", "labels": ["Go"], "memory": [1, 2]}
        ],
    }

    assert parse_snapshot(json.dumps(old).encode()) == Snapshot(
        "weekly",
        "2026-W48",
        NOW - 7 * DAY,
        Thresholds(),
        (Noted("id1", "/a", "a", "active", labels=("Go",)),),
        actions={"id1:stash": 2},
    )


def test_one_of_a_version_that_is_not_known_is_refused_by_its_number() -> None:
    later = json.loads(snapshot_bytes(snapshot())) | {"v": 3}

    with pytest.raises(ValueError, match="its version is 3"):
        parse_snapshot(json.dumps(later).encode())


GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)


@given(data=st.binary(max_size=60) | GARBAGE.map(lambda value: json.dumps(value).encode()))
def test_garbage_is_a_value_error_and_nothing_else(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_snapshot(data)


@settings(max_examples=200)
@given(data=st.data())
def test_a_snapshot_with_a_part_of_another_kind_is_refused_or_read(data: st.DataObject) -> None:
    document = json.loads(snapshot_bytes(replace(snapshot(0, Noted("1", "/a", "a", "active")), health=70)))
    key = data.draw(st.sampled_from(sorted(document)))
    document[key] = data.draw(
        st.none()
        | st.integers()
        | st.floats()
        | TEXTS
        | st.lists(st.none() | st.integers() | TEXTS, max_size=2)
    )

    try:
        parse_snapshot(json.dumps(document).encode())
    except ValueError:
        return


def test_deep_nesting_is_garbage_too() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        parse_snapshot(b"[" * 200_000)


def test_the_newest_one_before_now_of_another_slot_is_taken(tmp_path: Path) -> None:
    state = str(tmp_path / "state" / "zecher")
    for night in (-3, -2, -1, 0, 1):
        write_snapshot(state, snapshot(night))
    write_snapshot(state, snapshot(-1, job="weekly"))

    found, problems = latest_snapshot(state, "nightly", NOW, other_than="night 0")
    assert (found, problems) == (snapshot(-1), ())
    aged, _ = latest_snapshot(state, "nightly", NOW, other_than="night 0", least_age=1.5 * DAY)
    assert aged == snapshot(-2)
    assert latest_snapshot(state, "hourly", NOW, other_than="") == (None, ())


def test_a_job_whose_name_begins_like_another_has_its_own(tmp_path: Path) -> None:
    state = str(tmp_path / "state" / "zecher")
    write_snapshot(state, snapshot(-1, job="nightly-extra"))

    assert latest_snapshot(state, "nightly", NOW, other_than="") == (None, ())


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    state = str(tmp_path / "state" / "zecher")
    for night in range(KEPT["nightly"] + 3):
        write_snapshot(state, snapshot(night))
    write_snapshot(state, snapshot(0, job="weekly"))

    names = sorted(os.listdir(f"{state}/snapshots"))
    assert len(names) == KEPT["nightly"] + 1
    assert names[0] == "nightly-20261203T031704Z.json"


def test_what_is_no_snapshot_is_let_be(tmp_path: Path) -> None:
    state = str(tmp_path / "state" / "zecher")
    write_snapshot(state, snapshot(-1))
    for name in ("nightly-20261399T031704Z.json", "nightly-notes.json", "notes.txt"):
        (tmp_path / "state/zecher/snapshots" / name).write_text("mine")
    os.mkfifo(tmp_path / "state/zecher/snapshots/nightly-20261130T000000Z.json")

    found, problems = latest_snapshot(state, "nightly", NOW, other_than="")

    assert found == snapshot(-1)
    assert [(problem.code, os.path.basename(problem.path)) for problem in problems] == [
        ("snapshot-damaged", "nightly-20261130T000000Z.json")
    ]


def test_a_clock_that_no_calendar_holds_is_an_error_not_a_name(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_snapshot(str(tmp_path / "state" / "zecher"), replace(snapshot(), taken=1e17))


def test_a_report_is_known_again_until_a_byte_of_it_changes() -> None:
    data = sealed("# A report\n\nText.\n")

    assert is_ours(data)
    assert not is_ours(data.replace(b"Text", b"text"))
    assert not is_ours(data + b"more\n")
    assert not is_ours(b"")


def test_a_link_in_the_place_of_a_report_is_moved_aside_and_what_it_names_stays(tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("mine\n")
    folder = tmp_path / "home" / "reports"
    folder.mkdir(parents=True)
    (folder / "latest.md").symlink_to(mine)
    (folder / "night.md").symlink_to(mine)

    publish(str(folder), (Page("night.md", b"new\n"), Page("latest.md", b"new\n", is_latest=True)), now=NOW)

    assert mine.read_text() == "mine\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        "latest.edited-20261130T031704Z.md",
        "latest.md",
        "night-2.md",
        "night.md",
    ]
    assert (folder / "latest.md").read_text() == (folder / "night-2.md").read_text() == "new\n"


_KILLED = """
import os, sys
from jobs.publishing import Page, publish, sealed
import brain.files.atomic as atomic
def die(*_): os._exit(9)
atomic.os.link = atomic.os.replace = die
pages = (Page("night.md", sealed("new")), Page("latest.md", sealed("new"), is_latest=True))
publish(sys.argv[1], pages, now=0.0)
"""


def test_a_run_that_is_killed_before_the_first_name_leaves_nothing_that_the_next_does_not_remove(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "home" / "reports"
    pages = (Page("night.md", sealed("old")), Page("latest.md", sealed("old"), is_latest=True))
    publish(str(folder), pages, now=NOW)
    root = Path(__file__).parents[2]
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(folder)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        check=False,
    )
    assert killed.returncode == 9
    assert len(list(folder.iterdir())) == 4
    assert (folder / "night.md").read_bytes() == (folder / "latest.md").read_bytes() == sealed("old")

    publish(str(folder), pages, now=NOW)

    assert sorted(path.name for path in folder.iterdir()) == ["latest.md", "night.md"]
