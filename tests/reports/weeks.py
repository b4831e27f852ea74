"""Snapshots made by hand: portfolios of any size, in good order or as bad as they come."""

from __future__ import annotations

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
from scanner.project import Problem, Thresholds
from tests.support import DAY, NOW

HOME = "/home/ana"
BRAIN = f"{HOME}/.bmad-plus/brain"
NIGHTS = tuple((f"2026-11-{day}", "ok") for day in range(24, 31))
RUNS = RunHealth(NIGHTS, 2.0, 3.5, {"scanned": 50}, next_run=NOW + DAY)
WELL = HealthNote(percent=100, tokens=1_200)


def noted(number: int, **more: object) -> Noted:
    values: dict[str, object] = {
        "id": f"id{number}",
        "path": f"{HOME}/dev/p{number:03d}",
        "name": f"p{number}",
        "status": "active",
        "stack": "Python",
        "labels": ("Python",),
        "first_seen": "2026-11-01",
        "health": WELL,
    }
    return Noted(**values | more)  # type: ignore[arg-type] # the tests give the right ones


def action(number: int, **more: object) -> Action:
    path = f"{HOME}/dev/p{number:03d}"
    values: dict[str, object] = {
        "path": path,
        "name": f"p{number}",
        "kind": "uncommitted",
        "fact": "3 files are not committed",
        "why": "git could not bring that back",
        "command": f"git -C ~/dev/p{number:03d} status",
        "code": "dirty",
        "since": NOW - 3 * DAY,
        "weight": 15.0,
        "first_seen": "2026-11-27",
    }
    return Action(**values | more)  # type: ignore[arg-type] # as above


def finding(number: int, **more: object) -> FindingNote:
    values: dict[str, object] = {
        "code": "d-rejected",
        "level": "warning",
        "path": f"{HOME}/dev/p{number:03d}",
        "name": f"p{number}",
        "file": "docs/decisions.md",
        "line": 12,
        "message": "3 of 9 decisions do not say what was rejected",
        "fix": "Say it.",
        "first_seen": "2026-11-23",
    }
    return FindingNote(**values | more)  # type: ignore[arg-type] # as above


def loop(number: int, **more: object) -> LoopNote:
    values: dict[str, object] = {
        "id": f"{number:08x}",
        "kind": "waiting",
        "state": "open",
        "text": "the contract",
        "path": f"{HOME}/dev/p{number:03d}",
        "name": f"p{number}",
        "file": "MEMORY.md",
        "line": 4,
    }
    return LoopNote(**values | more)  # type: ignore[arg-type] # as above


def week(*projects: Noted, days: float = 0, **more: object) -> Snapshot:
    """The snapshot of a week, ``days`` before ``NOW``."""
    values: dict[str, object] = {
        "job": "weekly",
        "slot": "2026-W49" if days == 0 else "2026-W48",
        "taken": NOW - days * DAY,
        "thresholds": Thresholds(),
        "projects": projects,
        "home": HOME,
        "brain_path": BRAIN,
        "tool_version": "1.2.3",
        "health": 100,
        "runs": RUNS,
    }
    todo = more.get("todo", ())
    values["actions"] = {f"{one.path}:{one.kind}": one.weeks for one in todo}  # type: ignore[attr-defined] # actions
    return Snapshot(**values | more)  # type: ignore[arg-type] # as above


def worst_weeks(count: int) -> tuple[Snapshot, Snapshot]:
    """A week in which everything happened to ``count`` projects, and the one before it."""
    risk = RiskNote(3, False, 500, True, ("main", "next", "x", "y"), 2, "merge", True, NOW - 40 * DAY)
    before = [noted(number) for number in range(count)]
    after = [
        noted(
            number,
            risks=("uncommitted", "unpushed", "stash"),
            risk=risk,
            health=HealthNote(number % 90, 9_000, "3 of 9 decisions lack a reason", "d-fields", 1, 2, 3, 4),
        )
        for number in range(count)
    ]
    for number in range(0, count - 7, 8):
        after[number + 1] = noted(number + 1, status="missing")
        after[number + 2] = noted(number + 2, path=f"/moved/{number}")
        after[number + 3] = noted(number + 3, id=f"fresh{number}", first_seen="2026-11-30")
        before[number + 4] = noted(number + 4, status="missing")
        before[number + 5] = noted(number + 5, status="archived")
        after[number + 6] = noted(number + 6, status="archived")
        after[number + 7] = noted(number + 7, stack="Rust")
    now = week(
        *after,
        todo=tuple(action(number) for number in range(count)),
        health=41,
        brain_health=HealthNote(60, 800, "2 lessons are said twice", "l-repeats"),
        silenced=9,
        rules={f"d-{number}": (30, number, 9) for number in range(60)},
        review=tuple(finding(number, since="2026-05-02") for number in range(count)),
        repeats=tuple(
            Repeat((f"Lesson {number}",), ("p1", "p2", "p3", "p4", "p5"), "zecher memory consolidate --all")
            for number in range(30)
        ),
        loads=tuple((f"p{number}", "AGENTS.md", 12_000, None) for number in range(count)),
        sizes=tuple(finding(number, code="m-size") for number in range(count)),
        tokens=600_000,
        runs=RunHealth(
            nights=tuple((slot, "failed") for slot, _ in NIGHTS),
            errors=tuple((slot, "No space left on device") for slot, _ in NIGHTS),
            missed_weeks=2,
            damaged=3,
        ),
        problems=tuple(Problem("unreadable", "error", f"/p/{n}", "no way in") for n in range(99)),
        problem_counts={"error": 99},
        export=f"{HOME}/.bmad-plus/reports/export.md",
        loops=tuple(loop(number, state="overdue", due="2026-11-01") for number in range(count)),
        loop_counts={"overdue": count, "due": 0, "open": 900, "snoozed": 3, "done": 4},
        dreaming=dreaming(
            *(dream(number, proposed=9, near=20, size=12_000) for number in range(count)),
            outcome="failed",
            promoted=3,
            archived=2,
        ),
    )
    return now, week(*before, days=7, tokens=500_000, health=80)


def dream(number: int, **more: object) -> DreamNote:
    values: dict[str, object] = {
        "path": f"{HOME}/claws/c{number}",
        "name": f"c{number}",
        "at": "2026-11-30T03:47:00Z",
        "outcome": "ok",
        "budget": 10_000,
    }
    return DreamNote(**values | more)  # type: ignore[arg-type] # as above


def dreaming(*workspaces: DreamNote, **more: object) -> Dreaming:
    """Dreaming as it stands at ``NOW``, an hour after its last run."""
    values: dict[str, object] = {
        "workspaces": workspaces, "outcome": "ok", "at": NOW - 3600, "done": NOW - 3600,
    }  # fmt: skip
    return Dreaming(**values | more)  # type: ignore[arg-type] # as above
