"""The blocks of the dashboard: from a snapshot to the words and numbers that the template shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

from brain.wording import duration, plural
from reports.charts.bars import bars
from reports.charts.heat_map import heat_map
from reports.charts.ring import donut
from reports.charts.scatter import scatter
from reports.charts.trend import trend
from reports.dashboard_rows import rank
from reports.privacy import Places
from reports.todo import days_of, is_urgent
from reports.view import DAY, iso_time, safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reports.actions import Action
    from reports.snapshot import Noted, RunHealth, Snapshot

_AGEING, _DEAD = 26.0, 36.0
"""Hours after which the next night is late, and after which it is probably not coming."""

_PROBLEMS = 20
_NIGHTS = {
    "ok": ("✓", "done", "ok"),
    "partial": ("◐", "in part", "partial"),
    "failed": ("✗", "failed", "failed"),
    "this": ("●", "this run", "ok"),
    "none": ("·", "not run", "none"),
}


# -- the first lines -----------------------------------------------------------------------------------------


def heading(snapshot: Snapshot, now: float, places: Places) -> dict[str, object]:
    """The verdict, what comes first, and as of when that is told."""
    hours = (now - snapshot.taken) / 3600
    things = max(len(snapshot.todo), len(snapshot.actions))
    urgent = sum(is_urgent(one, snapshot.taken) for one in snapshot.todo)
    first = snapshot.todo[0] if snapshot.todo else None
    told = iso_time(snapshot.taken) or "?"
    return {
        "verdict": _verdict(things, urgent),
        "mood": "urgent" if urgent else "some" if first else "calm",
        "first": f"{safe_display(first.name)}: {places.text(first.fact)}" if first else "",
        "as_of": f"{told[:10]} {told[11:16]} UTC",
        "as_of_iso": told,
        "age": "dead" if hours > _DEAD else "ageing" if hours > _AGEING else "fresh",
        "clock_suspicious": snapshot.clock_suspicious,
    }


def _verdict(things: int, urgent: int) -> str:
    if not things:
        return "Nothing needs you."
    needs = "needs" if things == 1 else "need"
    if not urgent:
        return f"{plural(things, 'thing')} {needs} you; nothing is urgent."
    if urgent == things:
        return f"{plural(things, 'urgent thing')} {needs} you."
    return f"{plural(things, 'thing')} {needs} you, {urgent:,} of them urgent."


def tiles(snapshot: Snapshot, projects: Sequence[Noted]) -> list[tuple[str, str, str]]:
    """(label, figure, what stands below it)."""
    counts = status_counts(projects)
    risky = [project for project in projects if project.risks or project.risk is not None]
    notes = [project.risk for project in projects if project.risk is not None]
    lost = [
        plural(files, "file") if (files := sum(note.changed for note in notes)) else "",
        plural(commits, "commit") if (commits := sum(note.only_here for note in notes)) else "",
        plural(stashes, "stash", "stashes") if (stashes := sum(note.stashes for note in notes)) else "",
    ]
    errors, warnings = (snapshot.finding_counts.get(level, 0) for level in ("error", "warning"))
    silenced = f", {snapshot.silenced:,} silenced" if snapshot.silenced else ""
    return [
        ("Projects", f"{len(projects):,}", ", ".join(f"{count:,} {status}" for status, count in counts)),
        ("At risk", f"{len(risky):,}", ", ".join(word for word in lost if word) or "all is safe elsewhere"),
        ("Memory health", "-" if snapshot.health is None else f"{snapshot.health}%", _change(snapshot)),
        (
            "Findings",
            f"{errors + warnings:,}",
            f"{plural(errors, 'error')}, {plural(warnings, 'warning')}{silenced}",
        ),
        ("Memory load", _rounded(snapshot.tokens), _load(snapshot)),
    ]


def _load(snapshot: Snapshot) -> str:
    if not snapshot.tokens:
        return "not measured yet"
    return f"tokens; most: {safe_display(snapshot.loads[0][0])}" if snapshot.loads else "tokens"


def _rounded(tokens: int) -> str:
    if not tokens:
        return "-"
    return f"{tokens / 1000:,.0f}k" if tokens >= 10_000 else f"{tokens:,}"


def _change(snapshot: Snapshot) -> str:
    if snapshot.health is None:
        return "not measured yet"
    change = snapshot.change
    if change is None:
        return "the first week measured"
    before, was = change
    last = snapshot.health
    if was == last:
        return f"as in {safe_display(before)}"
    return f"{'▲' if last > was else '▼'} {abs(last - was)} since {safe_display(before)}"


def brain_words(snapshot: Snapshot) -> str:
    """How the memory that all projects share is, in a few words; empty where nobody asked."""
    health = snapshot.brain_health
    if health is None:
        return ""
    words = [
        "" if health.percent is None else f"{health.percent}%",
        plural(health.errors, "error") if health.errors else "",
        plural(health.warnings, "warning") if health.warnings else "",
    ]
    return ", ".join(word for word in words if word) or "no rule applies"


def status_counts(projects: Iterable[Noted]) -> list[tuple[str, int]]:
    """How many projects have which status."""
    counts: dict[str, int] = {}
    for project in projects:
        counts[project.status] = counts.get(project.status, 0) + 1
    return [(safe_display(one), counts[one]) for one in sorted(counts, key=lambda one: (rank(one), one))]


def action(todo: Action, snapshot: Snapshot, places: Places) -> dict[str, object]:
    """One thing to do."""
    days = days_of(todo, snapshot.taken)
    age = f"for {plural(days, 'day')}" if days else "new today"
    weeks = f"{todo.weeks} weeks on this list" if todo.weeks > 1 else ""
    return {
        "name": safe_display(todo.name),
        "fact": places.text(todo.fact),
        "why": places.text(todo.why),
        "command": places.text(todo.command),
        "code": safe_display(todo.code),
        "age": ", ".join(word for word in (age, weeks) if word),
        "urgent": is_urgent(todo, snapshot.taken),
    }


# -- the charts ----------------------------------------------------------------------------------------------


def charts(snapshot: Snapshot, projects: Sequence[Noted], now: float) -> dict[str, object]:
    """The five charts."""
    today = _today(snapshot)
    pairs = [
        (safe_display(one.name), one.status, max(0.0, (now - one.last_activity) / DAY), one.health.percent)
        for one in projects
        if one.health is not None and one.health.percent is not None and one.last_activity is not None
    ]
    limits = ((snapshot.thresholds.active, "paused"), (snapshot.thresholds.paused, "archived"))
    return {
        "status": donut(status_counts(projects)),
        "stacks": bars(safe_display(one.stack) for one in projects if one.stack),
        "commits": heat_map(snapshot.days, today),
        "health": trend(snapshot.trend, _last_day(snapshot, today)),
        "care": scatter(pairs, limits, len(projects) - len(pairs)),
    }


def _last_day(snapshot: Snapshot, today: date) -> date:
    """The day with whose week the trend ends: that of the report, though it was made on the Monday after."""
    newest = max((week for week, _ in snapshot.trend), default=snapshot.week)
    if snapshot.week == newest and snapshot.job == "weekly":
        try:
            return date.fromisoformat(f"{snapshot.week}-1")
        except ValueError:
            return today
    return today


def _today(snapshot: Snapshot) -> date:
    """The day of the run; where commits are dated a day ahead of UTC, that one."""
    try:
        day = datetime.fromtimestamp(snapshot.taken, UTC).date()
    except (OverflowError, ValueError, OSError):
        return date(1970, 1, 1)
    if day == date.max:
        return day
    ahead = day + timedelta(days=1)
    return ahead if ahead.isoformat() in snapshot.days else day


# -- the last blocks -----------------------------------------------------------------------------------------


def runs(snapshot: Snapshot, places: Places) -> dict[str, object]:
    """How the nights went, what the last one looked at, and what it could not read."""
    return {
        "nights": [_night(slot, how, snapshot) for slot, how in snapshot.runs.nights],
        "facts": [(label, words) for label, words in _run_facts(snapshot) if words],
        "errors": [(safe_display(slot), places.text(text)) for slot, text in snapshot.runs.errors],
        "problems": [
            {
                "level": safe_display(one.level),
                "code": safe_display(one.code),
                "path": places.path(one.path),
                "message": places.text(one.message),
                "fix": places.text(one.fix),
            }
            for one in snapshot.problems[:_PROBLEMS]
        ],
        "more_problems": max(0, sum(snapshot.problem_counts.values()) - _PROBLEMS),
    }


def _night(slot: str, how: str, snapshot: Snapshot) -> tuple[str, str, str, str]:
    """(slot, sign, words, class); the run that took the snapshot had not ended when it did."""
    if slot == snapshot.slot and how == "none":
        how = "this"
    return (safe_display(slot), *_NIGHTS.get(how, _NIGHTS["none"]))


def _run_facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    runs, coverage = snapshot.runs, snapshot.coverage
    following = iso_time(runs.next_run)
    entries = plural(coverage.entries, "entry", "entries")
    return [
        ("Next run", f"{following[:10]} {following[11:16]} UTC" if following else "not scheduled"),
        ("A run takes", _durations(runs)),
        ("Searched", f"{plural(coverage.directories, 'folder')}, {entries}"),
        ("Left out", ", ".join(f"{count:,} {safe_display(reason)}" for reason, count in coverage.pruned)),
        ("Too deep", plural(coverage.cut_by_depth, "folder") if coverage.cut_by_depth else ""),
        ("Skipped by you", f"{snapshot.skipped:,}" if snapshot.skipped else ""),
        ("Unreadable", plural(len(coverage.unreadable), "folder") if coverage.unreadable else ""),
        ("Missed before", plural(snapshot.missed_slots, "run") if snapshot.missed_slots else ""),
        ("Weeks without a report", f"{runs.missed_weeks:,}" if runs.missed_weeks else ""),
        ("Damaged lines of the ledger", f"{runs.damaged:,}" if runs.damaged else ""),
        ("Deadline", "it passed: this is a part only" if coverage.deadline_hit else ""),
    ]


def _durations(runs: RunHealth) -> str:
    if runs.median is None:
        return ""
    middle = duration(runs.median)
    if runs.longest is None or duration(runs.longest) == middle:
        return middle
    return f"{middle} in the middle, at most {duration(runs.longest)}"


def rules(snapshot: Snapshot) -> dict[str, object]:
    """How many memories pass which rule, those that most fail first."""
    what = _sentences()
    rows = [
        (safe_display(code), safe_display(what.get(code, "")), passed, failed, apart)
        for code, (passed, failed, apart) in sorted(snapshot.rules.items())
    ]
    return {
        "rows": sorted(rows, key=lambda row: (-row[3], row[0])),
        "total": len(rows),
        "clean": sum(failed == 0 and passed > 0 for _, _, passed, failed, _ in rows),
    }


def _sentences() -> dict[str, str]:
    """What each rule asks, by its code."""
    from brain.health.rules import ALL  # noqa: PLC0415 - start-up: all rules, wanted by this page only

    return {rule.code: rule.what for rule in ALL}
