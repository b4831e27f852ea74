"""A portfolio that never was, of any size, for the dashboard: the same for the same seed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from reports.actions import Action
from reports.snapshot import FindingNote, HealthNote, Noted, RiskNote, RunHealth, Snapshot
from reports.todo import ranked
from scanner.project import Coverage, Problem, Thresholds
from scanner.value import replace
from tests.support import DAY, NOW

HOME = "/home/ana"

_FIRST = (
    *("atlas", "beacon", "cinder", "delta", "ember", "fjord", "garnet", "harbor", "iris", "juniper", "kelp"),
    *("lumen", "meadow", "nimbus", "orchard", "pebble", "quartz", "river", "saffron", "thistle", "umbra"),
)
_SECOND = (
    "api",
    "app",
    "bot",
    "cli",
    "core",
    "docs",
    "infra",
    "jobs",
    "lab",
    "notes",
    "site",
    "store",
    "sync",
)
_STACKS = (
    *(("Python", 30), ("TypeScript", 22), ("Rust", 10), ("Go", 9), ("Java", 6), ("C++", 4), ("Ruby", 4)),
    *(("Shell", 3), ("PHP", 3), ("Kotlin", 2), ("Swift", 2), ("Elixir", 1), ("Haskell", 1), ("Zig", 1)),
)
_STEPS = (
    "Let the export write one file a month, then measure it on the large archive",
    "Replace the retry loop by the queue; the test test_backoff shows the case",
    "Ask Mira whether the old endpoint may go",
    "Write down why the cache is keyed by size and not by hash, in decisions.md, and say so in the release",
    "Bisect the flaky test of the importer",
    "",
)
_FINDINGS = (
    (
        "p-next",
        "warning",
        "the next step has no criterion by which it is done",
        "Say how one will see that it is done.",
    ),
    (
        "d-rejected",
        "warning",
        "3 decisions do not say what was rejected",
        "Add a line “Rejected” with the reason.",
    ),
    (
        "m-secret",
        "error",
        "something that looks like a key stands in clear text",
        "Remove it and make it invalid.",
    ),
    ("s-stale", "warning", "the handover is 14 commits behind", "Bring state and head up to date."),
    (
        "x-reference",
        "warning",
        "src/queue.py is named but does not exist",
        "Correct the path or drop the line.",
    ),
    (
        "m-size",
        "warning",
        "AGENTS.md has 312 lines, 200 are loaded",
        "Move what is rarely needed to a file of its own.",
    ),
)

_WHY = {
    "m-secret": "a key in a file is a key that leaks",
    "s-stale": "the next session would begin with old news",
}


def portfolio(count: int, *, seed: int = 6, findings: int | None = None) -> Snapshot:
    """``count`` projects; ``findings`` of each, some of some where it is None."""
    rnd = random.Random(seed)  # noqa: S311 - no secret is made
    projects, notes = [], []
    for number in range(count):
        project = _project(rnd, number)
        found = _findings(rnd, project, findings)
        notes += found
        projects.append(_counted(project, found))
    projects.sort(key=lambda one: one.path)
    notes.append(_of_the_brain())
    measured = [one.health.percent for one in projects if one.health and one.health.percent is not None]
    health = round(sum(measured) / len(measured)) if measured else None
    notes.sort(key=lambda one: (one.level, one.path))
    todo = _todo(projects, notes)
    return Snapshot(
        job="nightly",
        slot="2026-11-30",
        taken=NOW,
        thresholds=Thresholds(),
        projects=tuple(projects),
        home=HOME,
        brain_path=f"{HOME}/.bmad-plus/brain",
        tool_version="0.1.0",
        health=health,
        brain_health=HealthNote(percent=92, warnings=1),
        todo=todo,
        actions={f"{number}": 1 for number in range(len(todo))},
        findings=tuple(notes[:2000]),
        finding_counts={
            "error": sum(one.level == "error" for one in notes),
            "warning": sum(one.level == "warning" for one in notes),
        },
        silenced=2,
        rules={code: (count // 2, 1 + len(code) % 4, count // 3) for code, *_ in _FINDINGS}
        | {
            f"p-{word}": (count // 2, 0, count // 2)
            for word in ("goal", "state", "head", "tests", "open", "blockers")
        },
        loads=(("quartz-core", "AGENTS.md", 9_200, 8_000),),
        tokens=sum(one.health.tokens for one in projects if one.health),
        trend=_trend(rnd, health or 0),
        days=_days(rnd),
        runs=RunHealth(
            nights=tuple(
                (f"2026-11-{24 + place}", how)
                for place, how in enumerate(("ok", "ok", "ok", "partial", "ok", "none", "ok"))
            ),
            median=2.4,
            longest=7.1,
            errors=(("2026-11-27", f"the root {HOME}/mnt did not answer within 10 s"),),
            next_run=NOW + DAY,
        ),
        coverage=Coverage(directories=4_312, entries=61_204, pruned=(("node_modules", 212), ("ignored", 31))),
        problems=(
            Problem(
                "root-missing",
                "error",
                f"{HOME}/mnt/usb",
                "the root is not there",
                "Mount it or take it out.",
            ),
        ),
        problem_counts={"error": 1},
    )


def _project(rnd: random.Random, number: int) -> Noted:
    name = f"{rnd.choice(_FIRST)}-{rnd.choice(_SECOND)}" + (f"-{number}" if number >= 60 else "")
    days = rnd.choice((rnd.uniform(0, 6), rnd.uniform(0, 30), rnd.uniform(30, 180), rnd.uniform(180, 1500)))
    status = "active" if days < 30 else "paused" if days < 180 else "archived"
    if rnd.random() < 0.03:
        status = "missing"
    risk = _risk(rnd) if rnd.random() < 0.2 and status != "missing" else None
    has_memory = rnd.random() < (0.8 if status == "active" else 0.5)
    health = None
    if has_memory and status != "missing":
        percent = min(100, int(rnd.triangular(30, 104, 92)))
        health = HealthNote(percent=percent, tokens=rnd.randrange(300, 9_000))
    return Noted(
        id=f"id-{number}",
        path=f"{HOME}/{rnd.choice(('dev', 'work', 'lab'))}/{name}",
        name=name,
        status=status,
        stack=rnd.choices([one for one, _ in _STACKS], [weight for _, weight in _STACKS])[0],
        reason=f"last commit {int(days)} days ago (git), limits 30 and 180",
        risks=("uncommitted",) if risk else (),
        last_activity=NOW - days * DAY,
        source="git",
        branch="main",
        remote=risk is None or not risk.no_remote,
        risk=risk,
        health=health,
        next_step=rnd.choice(_STEPS) if has_memory else "",
    )


def _counted(project: Noted, found: list[FindingNote]) -> Noted:
    if project.health is None:
        return project
    errors = sum(one.level == "error" for one in found)
    return replace(project, health=replace(project.health, errors=errors, warnings=len(found) - errors))


def _risk(rnd: random.Random) -> RiskNote:
    return RiskNote(
        changed=rnd.choice((0, 2, 7, 12)),
        only_here=rnd.choice((0, 0, 3, 41)),
        branches=("main", "try/queue"),
        stashes=rnd.choice((0, 0, 1)),
        no_remote=rnd.random() < 0.3,
        since=NOW - rnd.uniform(0, 40) * DAY,
    )


def _findings(rnd: random.Random, project: Noted, number: int | None) -> list[FindingNote]:
    if project.health is None:
        return []
    wanted = rnd.choice((0, 0, 0, 1, 2)) if number is None else number
    return [
        FindingNote(
            *(
                code,
                level,
                project.path,
                project.name,
                f".agents/memory/{rnd.choice(('context', 'decisions'))}.md",
            ),
            *(rnd.randrange(1, 200), message, fix),
        )
        for code, level, message, fix in (rnd.choice(_FINDINGS) for _ in range(wanted))
    ]


def _of_the_brain() -> FindingNote:
    return FindingNote(
        *("d-review", "warning", f"{HOME}/.bmad-plus/brain", "brain", "decisions.md", 12),
        *("a decision is older than 90 days", "Confirm it, or write what replaced it."),
    )


def _todo(projects: list[Noted], notes: list[FindingNote]) -> tuple[Action, ...]:
    found = [
        Action(
            *(one.path, one.name, "uncommitted", f"{one.risk.changed} files are not committed"),
            *("git could not bring that back", f"git -C {one.path.replace(HOME, '~')} status", "dirty"),
            *(one.risk.since, 15.0),
        )
        for one in projects
        if one.risk is not None and one.risk.changed
    ]
    found += [
        Action(
            *(one.path, one.name, one.code, f"{one.message} ({one.file}:{one.line})", _WHY[one.code]),
            *(f"zecher memory check -d {one.path.replace(HOME, '~')}", one.code, None),
            weight=20.0 if one.level == "error" else 5.0,
        )
        for one in notes
        if one.code in _WHY
    ]
    return ranked(found, {}, None, now=NOW, is_new_week=True)


def _trend(rnd: random.Random, end: int) -> tuple[tuple[str, int], ...]:
    today = datetime.fromtimestamp(NOW, UTC).date()
    weeks = []
    for back in reversed(range(21)):
        year, week, _ = (today - timedelta(weeks=back)).isocalendar()
        if back not in (13, 12, 5):
            weeks.append(
                (f"{year}-W{week:02d}", max(0, min(100, end - back + rnd.randrange(-2, 3) * bool(back))))
            )
    return tuple(weeks)


def _days(rnd: random.Random) -> dict[str, int]:
    today = datetime.fromtimestamp(NOW, UTC).date()
    found = {}
    for back in range(371):
        day = today - timedelta(days=back)
        quiet = day.weekday() >= 5 or 120 < back < 141
        if rnd.random() < (0.15 if quiet else 0.8):
            found[day.isoformat()] = max(1, int(rnd.expovariate(1 / 7)))
    return found
