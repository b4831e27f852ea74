"""The report of a night: one line that says it all, what changed, what went wrong, what was looked at."""

from __future__ import annotations

from collections.abc import Sequence

from brain.wording import plural
from reports.changes import Changes, change_lines, moment, slot_words
from reports.markdown import code_span, escape
from reports.snapshot import MISSING, Noted
from reports.view import below_home
from scanner.project import Coverage, Problem
from scanner.value import dataclass

LINES = 40
"""How long a report of 500 projects may be at most, however much happened."""

_CHANGES = 12
_PROBLEMS = 4
_STATUSES = ("active", "paused", "archived", "unknown", MISSING)


@dataclass(frozen=True, slots=True)
class NightlyReport:
    """All that the report tells.

    ``date`` names the night, ``taken`` is in epoch seconds; ``changes`` are None where there is nothing to
    compare with. ``written`` counts the cards that were written, ``skipped`` the projects that a person said
    to skip. ``missed_slots`` are nights before this one in which nothing ran.
    """

    date: str
    taken: float
    home: str
    projects: tuple[Noted, ...]
    changes: Changes | None
    coverage: Coverage
    problems: tuple[Problem, ...] = ()
    written: int = 0
    skipped: int = 0
    missed_slots: int = 0
    clock_suspicious: bool = False


def nightly_markdown(report: NightlyReport) -> str:
    """The report in Markdown, at most 40 lines. Same report, same text."""
    lines = [f"# Nightly report, {slot_words(report.date)}", "", verdict(report)]
    lines += _section("What changed", _changes(report))
    lines += _section("Problems", problem_lines(report.problems, report.home, room=_PROBLEMS))
    lines += _section("Coverage", _coverage(report))
    written = f"{plural(report.written, 'card')} written to the index"
    return "\n".join([*lines, "", f"Seen {moment(report.taken)}; {written}."]) + "\n"


def verdict(report: NightlyReport) -> str:
    """One line: how many projects of which kind, changes, work at risk, what went wrong."""
    parts = [portfolio_words(report.projects)]
    if report.changes is None:
        parts.append("first report, no comparison")
    elif report.changes.all:
        parts.append(f"{plural(len(report.changes.all), 'change')} since {moment(report.changes.since)}")
    else:
        parts.append(f"nothing changed since {moment(report.changes.since)}")
    risky = sum(bool(project.risks) for project in report.projects)
    parts.append(f"{risky:,} at risk" if risky else "nothing exists only here")
    errors = sum(problem.level == "error" for problem in report.problems)
    if errors:
        parts.append(plural(errors, "error"))
    if report.missed_slots:
        parts.append(f"{plural(report.missed_slots, 'run')} missed before")
    if report.clock_suspicious:
        parts.append("the clock is suspicious, so that every status stays as it was")
    return "; ".join(parts) + "."


def portfolio_words(projects: Sequence[Noted]) -> str:
    """``19 projects: 12 active, 7 paused``; what is zero is left out."""
    counts = dict.fromkeys(_STATUSES, 0)
    for project in projects:
        counts[project.status] = counts.get(project.status, 0) + 1
    parts = ", ".join(f"{count:,} {escape(status)}" for status, count in counts.items() if count)
    return plural(len(projects), "project") + (f": {parts}" if parts else "")


def problem_lines(problems: Sequence[Problem], home: str, *, room: int) -> list[str]:
    """A list in Markdown, errors first, one line each with its code; at most ``room`` and one more."""
    ordered = sorted(problems, key=lambda one: (one.level != "error", one.path, one.code, one.message))
    shown = ordered if len(ordered) <= room + 1 else ordered[:room]
    lines = [f"- {_problem(problem, home)}" for problem in shown]
    rest = len(ordered) - len(shown)
    return [*lines, f"- {rest:,} more"] if rest else lines


def _problem(problem: Problem, home: str) -> str:
    place = f"{code_span(below_home(problem.path, home))}: " if problem.path else ""
    fix = f" {escape(problem.fix)}" if problem.fix else ""
    return f"{problem.level}: {place}{escape(problem.message)}.{fix} ({code_span(problem.code)})"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *lines] if lines else []


def _changes(report: NightlyReport) -> list[str]:
    return change_lines(report.changes, report.home, room=_CHANGES) if report.changes is not None else []


def _coverage(report: NightlyReport) -> list[str]:
    coverage = report.coverage
    entries = plural(coverage.entries, "entry", "entries")
    searched = f"- searched {plural(coverage.directories, 'folder')} with {entries}"
    left_out = [f"{escape(reason)} {count:,}" for reason, count in coverage.pruned]
    if coverage.cut_by_depth:
        left_out.append(f"too deep {coverage.cut_by_depth:,}")
    if report.skipped:
        left_out.append(f"skipped by you {report.skipped:,}")
    lines = ["; left out: ".join([searched, *([", ".join(left_out)] if left_out else [])])]
    if coverage.unreadable:
        lines.append(f"- {plural(len(coverage.unreadable), 'folder')} could not be read")
    if coverage.deadline_hit:
        lines.append("- the deadline passed: this is a part only")
    return lines
