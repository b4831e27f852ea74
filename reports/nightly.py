"""The report of a night: one line that says it all, what changed, what went wrong, what was looked at."""

from __future__ import annotations

from collections.abc import Sequence

from brain.wording import plural
from reports.changes import change_lines, changes_between, moment
from reports.dreaming_state import dreaming_words
from reports.snapshot import MISSING, Noted, Snapshot
from reports.view import below_home
from scanner.project import Problem

LINES = 40
"""How long a report of 500 projects may be at most, however much happened."""

# How many changes and problems are shown, and in a night in which that would be too long.
_WIDE, _TIGHT = (12, 4), (12, 2)
_STATUSES = ("active", "paused", "archived", "unknown", MISSING)


def nightly_markdown(now: Snapshot, before: Snapshot | None) -> str:
    """The report of ``now`` in Markdown, at most 40 lines, compared with ``before``.

    ``before`` is None where there is nothing to compare with. Same snapshots, same text.
    """
    text = _markdown(now, before, *_WIDE)
    return text if text.count("\n") <= LINES else _markdown(now, before, *_TIGHT)


def _markdown(now: Snapshot, before: Snapshot | None, changes_room: int, problems_room: int) -> str:
    from reports.render import Marked, render_markdown  # noqa: PLC0415 - start-up: 50 ms, only for a report

    changes = changes_between(before, now) if before is not None else None
    changed = change_lines(changes, now.home, room=changes_room) if changes is not None else []
    shown, more = _problems(now, problems_room)
    return render_markdown(
        "nightly.md.j2",
        now=now,
        verdict=verdict(now, before),
        changes=[Marked(line) for line in changed],
        problems=shown,
        more_problems=more,
        coverage=_coverage(now),
        dreaming=dreaming_words(now.dreaming, now.taken),
        seen=moment(now.taken),
        written=plural(now.written, "card"),
    )


def verdict(now: Snapshot, before: Snapshot | None) -> str:
    """One line: how many projects of which kind, changes, work at risk, what went wrong."""
    parts = [portfolio_words(now.projects)]
    changes = changes_between(before, now) if before is not None else None
    if changes is None:
        parts.append("first report, no comparison")
    elif changes.all:
        parts.append(f"{plural(len(changes.all), 'change')} since {moment(changes.since)}")
    else:
        parts.append(f"nothing changed since {moment(changes.since)}")
    risky = sum(bool(project.risks) for project in now.projects)
    parts.append(f"{risky:,} at risk" if risky else "nothing exists only here")
    errors = now.problem_counts.get("error", 0)
    if errors:
        parts.append(plural(errors, "error"))
    if now.missed_slots:
        parts.append(f"{plural(now.missed_slots, 'run')} missed before")
    if now.clock_suspicious:
        parts.append("the clock is suspicious, so that every status stays as it was")
    return "; ".join(parts) + "."


def portfolio_words(projects: Sequence[Noted]) -> str:
    """``19 projects: 12 active, 7 paused``; what is zero is left out."""
    counts = dict.fromkeys(_STATUSES, 0)
    for project in projects:
        counts[project.status] = counts.get(project.status, 0) + 1
    parts = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    return plural(len(projects), "project") + (f": {parts}" if parts else "")


def _problems(now: Snapshot, room: int) -> tuple[list[dict[str, object]], int]:
    """The first few, errors first, and how many more there are."""
    total = sum(now.problem_counts.values())
    first = now.problems[: total if total <= room + 1 else room]
    shown = [_problem(problem, now.home) for problem in first]
    return shown, total - len(shown)


def _problem(problem: Problem, home: str) -> dict[str, object]:
    return {"it": problem, "path": below_home(problem.path, home)}


def _coverage(now: Snapshot) -> list[str]:
    coverage = now.coverage
    entries = plural(coverage.entries, "entry", "entries")
    searched = f"searched {plural(coverage.directories, 'folder')} with {entries}"
    left_out = [f"{reason} {count:,}" for reason, count in coverage.pruned]
    if coverage.cut_by_depth:
        left_out.append(f"too deep {coverage.cut_by_depth:,}")
    if now.skipped:
        left_out.append(f"skipped by you {now.skipped:,}")
    lines = ["; left out: ".join([searched, *([", ".join(left_out)] if left_out else [])])]
    if coverage.unreadable:
        lines.append(f"{plural(len(coverage.unreadable), 'folder')} could not be read")
    if coverage.deadline_hit:
        lines.append("the deadline passed: this is a part only")
    return lines
