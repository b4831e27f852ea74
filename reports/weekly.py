"""The report of a week: what to do first, what changed, what exists only here, how memory and runs are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from brain.wording import plural
from reports.actions import Action, actions_of, age_days, at_risk
from reports.changes import Changes, change_lines, moment, slot_words
from reports.markdown import code_span, escape
from reports.snapshot import MISSING, Noted, RunHealth, Snapshot
from reports.view import below_home, idle, iso_time, safe_display
from scanner.project import Problem, Project
from scanner.risk import changed_files
from scanner.value import dataclass

LINES, QUIET_LINES = 120, 25
"""How long a report of 50 projects may be at most, and one of a week in which all is well."""

_SIGNS = {"ok": "✓", "partial": "◐", "failed": "✗", "none": "·"}
_LEGEND = "✓ done, ◐ in part, ✗ failed, · not run"
_STATUSES = ("active", "paused", "archived", "unknown", MISSING)
_ACTIONS, _CHANGES, _RISKS, _WORST, _ERRORS = 7, 12, 10, 10, 4
_URGENT_DAYS = 7


@dataclass(frozen=True, slots=True)
class Memory:
    """How many of how many checks of a memory passed, and the first that failed, in words."""

    passed: int
    total: int
    finding: str = ""

    @property
    def percent(self) -> int:
        """Rounded, a half goes up; 100 where there was nothing to check."""
        return percent((self.passed, self.total))


@dataclass(frozen=True, slots=True)
class WeeklyReport:
    """All that the report tells.

    ``now`` is the portfolio as it is, ``before`` as it was when it was compared with last, None for the first
    report. ``projects`` are the same as the scan knows them. ``memories`` are by path, for projects that have
    one. ``export`` is the path of the export, empty without one.
    """

    now: Snapshot
    before: Snapshot | None
    changes: Changes | None
    projects: tuple[Project, ...]
    memories: Mapping[str, Memory]
    brain: Memory
    brain_path: str
    home: str
    version: str
    runs: RunHealth
    export: str = ""
    problems: tuple[Problem, ...] = ()
    clock_suspicious: bool = False


def action_key(action: Action, identifiers: Mapping[str, str]) -> str:
    """By what a thing to do is known again a week later; ``identifiers`` are by path."""
    return f"{identifiers.get(action.path) or action.path}:{action.kind}"


def weeks_of_actions(
    projects: Sequence[Project], identifiers: Mapping[str, str], before: Snapshot | None
) -> dict[str, int]:
    """For each thing to do in how many reports on end it stands, this one included."""
    known = before.actions if before is not None else {}
    keys = (action_key(action, identifiers) for action in actions_of(projects, ""))
    return {key: known.get(key, 0) + 1 for key in keys}


def percent(score: tuple[int, int]) -> int:
    """The share of passed checks, rounded, a half goes up; 100 where there was nothing to check."""
    passed, total = score
    return int(passed / total * 100 + 0.5) if total else 100


def health(snapshot: Snapshot) -> int:
    """The share of passed checks of all memories and the brain, in per cent."""
    scores = [project.memory for project in snapshot.projects if project.memory is not None]
    scores += [snapshot.brain] if snapshot.brain is not None else []
    return percent((sum(passed for passed, _ in scores), sum(total for _, total in scores)))


def weekly_markdown(report: WeeklyReport) -> str:
    """The report in Markdown with its front matter. Same report, same text."""
    actions = actions_of(report.projects, report.home)
    lines = [*_front_matter(report, len(actions)), "", f"# {verdict(report)}"]
    lines += _section("Do this first", _first(report, actions))
    lines += _section("What changed", _changes(report))
    lines += _section("Work at risk", _risks(report))
    lines += _section("Memory health", _memory(report))
    lines += _section("Run health", _runs(report))
    return "\n".join([*lines, "", _footer(report)]) + "\n"


def verdict(report: WeeklyReport) -> str:
    """One line, fit to be the subject of a mail: what is to do, projects and memory with their changes."""
    actions = actions_of(report.projects, report.home)
    parts = [f"{slot_words(report.now.slot)}: {_actions_words(actions, report.now.taken)}"]
    parts.append(_portfolio_words(report))
    score = health(report.now)
    change = _signed(score - health(report.before)) if report.before is not None else ""
    parts.append(f"memory {score} %{change}")
    if report.before is None:
        parts.append("first report, no comparison")
    if report.clock_suspicious:
        parts.append("the clock is suspicious, so that every status stays as it was")
    return "; ".join(parts)


def _actions_words(actions: Sequence[Action], now: float) -> str:
    if not actions:
        return "nothing needs you"
    urgent = sum((age_days(action.since, now) or 0) >= _URGENT_DAYS for action in actions)
    return f"{plural(len(actions), 'thing')} to do" + (f", {urgent:,} older than a week" if urgent else "")


def _portfolio_words(report: WeeklyReport) -> str:
    now = _by_status(report.now.projects)
    before = _by_status(report.before.projects) if report.before is not None else now
    parts = [
        f"{now.get(status, 0):,} {escape(status)}{_signed(now.get(status, 0) - before.get(status, 0))}"
        for status in dict.fromkeys((*_STATUSES, *now))
        if now.get(status) or before.get(status)
    ]
    total = plural(len(report.now.projects), "project")
    return f"{total}: {', '.join(parts)}" if parts else total


def _by_status(projects: Iterable[Noted]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for project in projects:
        counts[project.status] = counts.get(project.status, 0) + 1
    return counts


def _signed(change: int) -> str:
    return f" ({change:+,})" if change else ""


# -- the parts -----------------------------------------------------------------------------------------------


def _front_matter(report: WeeklyReport, actions: int) -> list[str]:
    # A JSON string is a YAML string, whatever it holds.
    return [
        "---",
        "type: weekly-health",
        "schema_version: 1",
        f"week: {json.dumps(report.now.slot)}",
        f"generated_at: {json.dumps(iso_time(report.now.taken))}",
        f"brain: {json.dumps(safe_display(report.brain_path))}",
        f"tool_version: {json.dumps(report.version)}",
        f"projects: {len(report.now.projects)}",
        f"actions: {actions}",
        f"health: {health(report.now)}",
        "---",
    ]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *lines] if lines else []


def _first(report: WeeklyReport, actions: Sequence[Action]) -> list[str]:
    if not actions:
        return ["Nothing exists only here."]
    identifiers = {project.path: project.id for project in report.now.projects}
    lines = []
    for action in actions[:_ACTIONS]:
        weeks = report.now.actions.get(action_key(action, identifiers), 1)
        told = f"{escape(action.name)}: {escape(action.fact)}; {escape(action.why)}"
        command, code = code_span(action.command), code_span(action.code)
        lines.append(f"- {told}: {command} ({code}, {_weeks_words(weeks)})")
    rest = len(actions) - len(lines)
    return [*lines, f"- + {rest:,} more below"] if rest else lines


def _weeks_words(weeks: int) -> str:
    if weeks <= 1:
        return "new"
    ending = "th" if weeks % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(weeks % 10, "th")
    return f"{weeks}{ending} week"


def _changes(report: WeeklyReport) -> list[str]:
    return change_lines(report.changes, report.home, room=_CHANGES) if report.changes is not None else []


def _risks(report: WeeklyReport) -> list[str]:
    risky = at_risk(report.projects)
    shown = risky if len(risky) <= _RISKS + 1 else risky[:_RISKS]
    lines = [_risk(project, report) for project in shown]
    rest = len(risky) - len(shown)
    return [*lines, f"- {rest:,} more: `zecher status -v`"] if rest else lines


def _risk(project: Project, report: WeeklyReport) -> str:
    git = project.git
    if git is None or git.risk is None:
        raise AssertionError(project.path)
    ahead = [branch.name for branch in git.branches if branch.ahead or branch.upstream is None]
    changed, capped = changed_files(git), "+" if git.only_here_capped else ""
    named = f" ({', '.join(ahead[:3])}{', …' if len(ahead) > 3 else ''})" if ahead else ""
    parts = [
        plural(changed, "changed file") if changed else "",
        f"{git.only_here:,}{capped} {'commit' if git.only_here == 1 else 'commits'} not pushed{named}"
        if git.only_here
        else "",
        plural(git.stashes, "stash", "stashes") if git.stashes else "",
        f"{git.in_progress} in progress" if git.in_progress else "",
        "" if git.has_remote else "no remote",
    ]
    told = escape(", ".join(part for part in parts if part))
    since = f", oldest {idle(git.risk.since, report.now.taken)}" if git.risk.since is not None else ""
    return f"- {escape(project.name)}, {code_span(below_home(project.path, report.home))}: {told}{since}"


def _memory(report: WeeklyReport) -> list[str]:
    """The worst ones; nothing where every memory passes every check."""
    before = {one.id or one.path: one.memory for one in report.before.projects} if report.before else {}
    ill = [one for one in report.now.projects if one.memory is not None and percent(one.memory) < 100]
    ill.sort(key=lambda one: (percent(one.memory or (0, 0)), one.path))
    shown = ill if len(ill) <= _WORST + 1 else ill[:_WORST]
    lines = []
    if report.brain.percent < 100:
        old = report.before.brain if report.before is not None else None
        lines.append(f"- brain: {_score_told(report.brain, old)}")
    for one in shown:
        memory = report.memories.get(one.path) or Memory(*(one.memory or (0, 0)))
        lines.append(f"- {escape(one.name)}: {_score_told(memory, before.get(one.id or one.path))}")
    if len(ill) > len(shown):
        lines.append(f"- {len(ill) - len(shown):,} more")
    without = sum(one.memory is None and one.status != MISSING for one in report.now.projects)
    if lines and without:
        lines.append(f"- without a memory: {plural(without, 'project')}")
    return lines


def _score_told(memory: Memory, before: tuple[int, int] | None) -> str:
    change = _signed(memory.percent - percent(before)) if before is not None else ""
    return f"{memory.percent} %{change}" + (f", {escape(memory.finding)}" if memory.finding else "")


def _runs(report: WeeklyReport) -> list[str]:
    runs = report.runs
    if runs.nights:
        signs = " ".join(_SIGNS.get(state, "?") for _, state in runs.nights)
        lines = [f"- nights: {signs} ({_LEGEND}){_durations(runs)}"]
    else:
        lines = ["- nights: no run is recorded"]
    if runs.next_run is not None:
        lines[0] += f"; next {moment(runs.next_run)}"
    if runs.missed_weeks:
        lines.append(f"- the report before this one is missing: {plural(runs.missed_weeks, 'week')} not run")
    if runs.damaged:
        lines.append(f"- {plural(runs.damaged, 'line')} of the ledger of runs could not be read")
    lines += [f"- {slot_words(slot)}: {escape(text)}" for slot, text in runs.errors[:_ERRORS]]
    return [*lines, *_problems(report)]


def _durations(runs: RunHealth) -> str:
    parts = [
        f"median {runs.median:.1f} s" if runs.median is not None else "",
        f"longest {runs.longest:.1f} s" if runs.longest is not None else "",
        *(f"{count:,} {word}" for word, count in runs.counts.items() if count),
    ]
    told = ", ".join(part for part in parts if part)
    return f"; {told}" if told else ""


def _problems(report: WeeklyReport) -> list[str]:
    """What stood in the way of this report itself, errors first."""
    ordered = sorted(report.problems, key=lambda one: (one.level != "error", one.path, one.code, one.message))
    shown = ordered if len(ordered) <= _ERRORS + 1 else ordered[:_ERRORS]
    lines = []
    for one in shown:
        place = f"{code_span(below_home(one.path, report.home))}: " if one.path else ""
        lines.append(f"- now, {one.level}: {place}{escape(one.message)} ({code_span(one.code)})")
    rest = len(ordered) - len(shown)
    return [*lines, f"- {rest:,} more"] if rest else lines


def _footer(report: WeeklyReport) -> str:
    export = f" The brain was exported to {code_span(below_home(report.export, report.home))}."
    return (
        "Memory is the share of its checks that passed: `zecher memory status` shows each."
        f"{export if report.export else ''} Zecher {report.version}."
    )
