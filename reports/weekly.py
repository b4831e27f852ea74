"""The report of a week: what to do first, what changed, what exists only here, how memory and runs are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brain.wording import plural
from reports.actions import GRAVITY, Action
from reports.changes import change_lines, changes_between, moment
from reports.dreaming_state import is_told, work_words, workspace_command, workspace_words
from reports.snapshot import (
    MISSING,
    Dreaming,
    FindingNote,
    HealthNote,
    Noted,
    Repeat,
    RiskNote,
    RunHealth,
    Snapshot,
)
from reports.todo import first_things, is_urgent
from reports.view import NIGHT_SIGNS, below_home, idle, iso_time
from scanner.project import Problem
from scanner.value import dataclass

LINES, QUIET_LINES = 120, 25
"""How long a report of 50 projects may be at most, and one of a week in which all is well."""

_STATUSES = ("active", "paused", "archived", "unknown", MISSING)
_ACTIONS, _WORST, _RULES = 7, 10, 5
_ERRORS, _FILES, _SIZES = 3, 5, 2
# How many of each are shown, and in weeks in which all of it together would be too long.
_WIDE = {"changes": 12, "risks": 8, "reviews": 6, "repeats": 4, "loops": 9, "dreams": 6}
_TIGHT = {"changes": 7, "risks": 4, "reviews": 3, "repeats": 2, "loops": 6, "dreams": 2}
_TIGHTEST = {"changes": 6, "risks": 3, "reviews": 2, "repeats": 1, "loops": 3, "dreams": 1}
_BRAIN = "brain"


@dataclass(frozen=True, slots=True)
class Ill:
    """One memory that fails rules: its score in per cent, how that changed, its worst finding."""

    name: str
    percent: int
    change: int | None
    finding: str
    code: str


def weekly_markdown(now: Snapshot, before: Snapshot | None) -> str:
    """The report of ``now`` in Markdown with its front matter, compared with ``before``.

    ``before`` is None for the first report. Same snapshots, same text.
    """
    text = ""
    for room in (_WIDE, _TIGHT, _TIGHTEST):
        text = _markdown(now, before, room)
        if text.count("\n") <= LINES:
            break
    return text


def _markdown(now: Snapshot, before: Snapshot | None, room: Mapping[str, int]) -> str:
    from reports.render import Marked, render_markdown  # noqa: PLC0415 - start-up: 50 ms, only for a report

    changes = changes_between(before, now) if before is not None else None
    changed = change_lines(changes, now.home, room=room["changes"]) if changes is not None else []
    ill, brain = _ill(now, before), _brain(now, before)
    first, more = first_things(now.todo, _ACTIONS)
    return render_markdown(
        "weekly.md.j2",
        now=now,
        generated=iso_time(now.taken) or "",
        count=len(now.actions),
        health="null" if now.health is None else now.health,
        headline=_headline(now, before),
        counts=_portfolio_words(now, before),
        compared=_compared(now, before),
        first=[_first(one) for one in first],
        more=more + len(now.actions) - len(now.todo),
        changes=[Marked(line) for line in changed],
        risks=_risks(now, room["risks"]),
        ill=[*brain, *ill[: _fitting(ill, _WORST)]],
        more_ill=len(ill) - _fitting(ill, _WORST),
        rules=_rules(now.rules) if ill or brain else None,
        review=[_review(one) for one in now.review[: _fitting(now.review, room["reviews"])]],
        more_review=len(now.review) - _fitting(now.review, room["reviews"]),
        repeats=[_repeat(one) for one in now.repeats[: _fitting(now.repeats, room["repeats"])]],
        more_repeats=len(now.repeats) - _fitting(now.repeats, room["repeats"]),
        nights="".join(NIGHT_SIGNS.get(state, "?") + " " for _, state in now.runs.nights).rstrip(),
        runs=_runs(now.runs),
        open_loops=_open_loops(now, room["loops"]),
        dreams=_dreams(now, room["dreams"]),
        errors=now.runs.errors[:_ERRORS],
        problems=[_problem(one, now.home) for one in now.problems[:_ERRORS]],
        more_problems=max(0, sum(now.problem_counts.values()) - _ERRORS),
        cost=_cost(now, before, is_quiet=not (ill or brain or changed or now.actions)),
        export=below_home(now.export, now.home),
    )


def verdict(now: Snapshot, before: Snapshot | None) -> str:
    """One line, fit to be the subject of a mail: the week, what is to do, projects and memory."""
    return f"{now.slot}: {_headline(now, before)}"


def _headline(now: Snapshot, before: Snapshot | None) -> str:
    parts = [_actions_words(now, before)]
    change = _difference(len(now.projects), len(before.projects)) if before is not None else ""
    parts.append(plural(len(now.projects), "project") + change)
    if now.health is not None:
        parts.append(f"memory {now.health} %{_points(now.health, before.health if before else None)}")
    return "; ".join(parts)


def _actions_words(now: Snapshot, before: Snapshot | None) -> str:
    if not now.actions:
        return "nothing needs you"
    change = _difference(len(now.actions), len(before.actions)) if before is not None else ""
    urgent = sum(is_urgent(action, now.taken) for action in now.todo)
    return f"{plural(len(now.actions), 'thing')} to do{change}" + (f", {urgent:,} urgent" if urgent else "")


def _portfolio_words(now: Snapshot, before: Snapshot | None) -> str:
    """``12 active (+1), 7 paused``; empty without a project."""
    counts = _by_status(now.projects)
    old = _by_status(before.projects) if before is not None else counts
    return ", ".join(
        f"{counts.get(status, 0):,} {status}{_difference(counts.get(status, 0), old.get(status, 0))}"
        for status in dict.fromkeys((*_STATUSES, *counts))
        if counts.get(status) or old.get(status)
    )


def _compared(now: Snapshot, before: Snapshot | None) -> str:
    words = f"compared with {moment(before.taken)}" if before else "first report, no comparison"
    if now.clock_suspicious:
        words += "; the clock is suspicious, so that every status stays as it was"
    return words


def _by_status(projects: Iterable[Noted]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for project in projects:
        counts[project.status] = counts.get(project.status, 0) + 1
    return counts


def _difference(now: int, before: int) -> str:
    return f" ({now - before:+,})" if now != before else ""


def _points(now: int, before: int | None) -> str:
    return "" if before is None else _difference(now, before)


def _fitting(items: Sequence[object], room: int) -> int:
    """How many of ``items`` are shown: a line that says "1 more" takes the room of that one."""
    return len(items) if len(items) <= room + 1 else room


# -- the parts -----------------------------------------------------------------------------------------------


def _first(action: Action) -> dict[str, object]:
    return {"action": action, "age": weeks_words(action.weeks)}


def weeks_words(weeks: int) -> str:
    """In which week on end something stands in the report: ``new``, ``2nd week``, ``21st week``."""
    if weeks <= 1:
        return "new"
    ending = "th" if weeks % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(weeks % 10, "th")
    return f"{weeks}{ending} week"


def _risks(now: Snapshot, room: int) -> dict[str, object]:
    """The projects with work that exists only here, the gravest first, then the oldest."""
    risky = sorted(
        ((project, project.risk) for project in now.projects if project.risk is not None),
        key=lambda one: _risk_order(*one),
    )
    shown = risky[: _fitting(risky, room)]
    rows = [
        {
            "name": project.name,
            "path": below_home(project.path, now.home),
            "told": _risk_words(risk),
            "oldest": idle(risk.since, now.taken).replace("<1d", "today") if risk.since is not None else "",
        }
        for project, risk in shown
    ]
    return {"rows": rows, "more": len(risky) - len(shown)}


def _risk_order(project: Noted, risk: RiskNote) -> tuple[object, ...]:
    gravity = min((GRAVITY.index(one) for one in project.risks if one in GRAVITY), default=len(GRAVITY))
    return gravity, risk.since is None, risk.since or 0.0, project.path


def _risk_words(risk: RiskNote) -> str:
    named = f" ({', '.join(risk.branches[:3])}{', …' if len(risk.branches) > 3 else ''})"
    commits = f"{risk.only_here:,}{'+' if risk.capped else ''} commit{'' if risk.only_here == 1 else 's'}"
    files = f"{risk.changed:,}{'+' if risk.changed_capped else ''} changed file"
    parts = [
        files + ("" if risk.changed == 1 else "s") if risk.changed else "",
        f"{commits} not pushed{named if risk.branches else ''}" if risk.only_here else "",
        plural(risk.stashes, "stash", "stashes") if risk.stashes else "",
        f"{risk.in_progress} in progress" if risk.in_progress else "",
        "no remote" if risk.no_remote else "",
    ]
    return ", ".join(part for part in parts if part)


def _ill(now: Snapshot, before: Snapshot | None) -> list[Ill]:
    """The memories of projects that fail rules, the worst one first."""
    old = {one.id or one.path: one.health for one in before.projects} if before is not None else {}
    found = [
        (one.path, _ill_one(one.name, one.health, old.get(one.id or one.path)))
        for one in now.projects
        if one.health is not None and _is_ill(one)
    ]
    found.sort(key=lambda one: (one[1].percent, one[0]))
    return [one for _, one in found]


def _brain(now: Snapshot, before: Snapshot | None) -> list[Ill]:
    """The brain, where it fails a rule."""
    health = now.brain_health
    if health is None or health.percent is None or health.percent == 100:
        return []
    return [_ill_one(_BRAIN, health, before.brain_health if before is not None else None)]


def _is_ill(project: Noted) -> bool:
    """An archived project is out of scope: nobody works there."""
    health = project.health
    return (
        health is not None
        and health.percent is not None
        and health.percent < 100
        and project.status not in ("archived", MISSING)
    )


def _ill_one(name: str, health: HealthNote, before: HealthNote | None) -> Ill:
    percent = health.percent if health.percent is not None else 100
    was = before.percent if before is not None else None
    return Ill(name, percent, None if was is None else percent - was, health.top.rstrip("."), health.top_code)


def _rules(rules: Mapping[str, tuple[int, int, int]]) -> dict[str, object]:
    """The sums, and the rules that fail most often."""
    failing = sorted(
        (code for code, (_, failed, _) in rules.items() if failed), key=lambda code: (-rules[code][1], code)
    )
    return {
        "passed": f"{sum(passed for passed, _, _ in rules.values()):,}",
        "failed": f"{sum(failed for _, failed, _ in rules.values()):,}",
        "beside": f"{sum(beside for _, _, beside in rules.values()):,}",
        "worst": [(code, f"{rules[code][1]:,}") for code in failing[:_RULES]],
    }


def _review(finding: FindingNote) -> dict[str, object]:
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    told = finding.message.rstrip(".")
    if finding.since:
        # The day stands in front of the line already.
        told = told.partition(f" since {finding.since}")[0]
    return {"finding": finding, "place": place, "told": told}


def _repeat(repeat: Repeat) -> dict[str, object]:
    projects = repeat.projects[:4]
    more = len(repeat.projects) - len(projects)
    return {
        "title": repeat.titles[0] if repeat.titles else "",
        "projects": projects,
        "more": more,
        "it": repeat,
    }


def _open_loops(now: Snapshot, room: int) -> dict[str, object]:
    """What the memories say is open: what is overdue first, then what is due, then the rest."""
    total = sum(count for state, count in now.loop_counts.items() if state not in ("done", "snoozed"))
    shown = now.loops[: _fitting(range(total), room)]
    rows = [
        {"it": one, "told": f"{one.state} {one.due}".rstrip(), "place": f"{one.file}:{one.line}"}
        for one in shown
    ]
    return {"rows": rows, "more": total - len(shown)}


def _dreams(now: Snapshot, room: int) -> dict[str, object]:
    """What dreaming proposes and where it wants a look; nothing where all is as it should be."""
    dreaming = now.dreaming or Dreaming()
    some = [one for one in dreaming.workspaces if is_told(one)]
    shown = some[: _fitting(some, room)]
    rows = [
        {
            "it": one,
            "path": below_home(one.path, now.home),
            "told": workspace_words(one),
            "command": workspace_command(one, now.home),
        }
        for one in shown
    ]
    return {"rows": rows, "more": len(some) - len(shown), "work": work_words(dreaming, now.taken)}


def _runs(runs: RunHealth) -> dict[str, object]:
    durations = [
        f"median {_seconds(runs.median)}" if runs.median is not None else "",
        f"longest {_seconds(runs.longest)}" if runs.longest is not None else "",
        *(f"{count:,} {word}" for word, count in runs.counts.items() if count),
    ]
    return {
        "told": ", ".join(one for one in durations if one),
        "next": moment(runs.next_run) if runs.next_run is not None else "",
        "missed": f"{plural(runs.missed_weeks, 'week')} not run" if runs.missed_weeks else "",
        "damaged": plural(runs.damaged, "line") if runs.damaged else "",
    }


def _seconds(length: float) -> str:
    return f"{length:.1f} s" if length >= 1 else "under a second"


def _problem(problem: Problem, home: str) -> dict[str, object]:
    return {"it": problem, "path": below_home(problem.path, home)}


def _cost(now: Snapshot, before: Snapshot | None, *, is_quiet: bool) -> dict[str, object] | None:
    """What is loaded; nothing in a week in which all is well, where no file is near its limit."""
    change = _difference(now.tokens, before.tokens) if before is not None and before.tokens else ""
    if not now.tokens or (is_quiet and not now.sizes):
        return None
    shown = now.sizes[: _fitting(now.sizes, _SIZES)]
    earlier = {(name, file): tokens for name, file, tokens, _ in before.loads} if before is not None else {}
    return {
        "total": f"{now.tokens:,}{change}",
        "files": [
            (name, file, f"{tokens:,}{_difference(tokens, earlier.get((name, file), tokens))}")
            for name, file, tokens, _ in now.loads[:_FILES]
        ],
        "sizes": shown,
        "more": len(now.sizes) - len(shown),
    }
