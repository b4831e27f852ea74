"""The portfolio in words: rows for the tables, and the line that says what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.table import Row
from reports.view import below_home, branch_words
from scanner.project import Coverage, Project

STATUSES = ("active", "paused", "archived", "unknown")
_MOVES = 10

CHANGES = ("new", "changed", "same", "moved", "missing", "returned", "skipped")


def project_row(project: Project, change: str) -> Row:
    """One found project as a row."""
    vcs = project.vcs
    return Row(
        status=project.status.value,
        name=project.name,
        stack=project.stacks.primary,
        when=project.activity.when,
        source=project.activity.source,
        branch=branch_words(vcs.branch or "") if vcs is not None else "",
        flags=project.flags,
        path=project.path,
        change=change,
    )


def counts_by_status(statuses: Sequence[str]) -> dict[str, int]:
    """How many of each; the four known ones always, others where they occur."""
    counts = dict.fromkeys(STATUSES, 0)
    for status in statuses:
        counts[status] = counts.get(status, 0) + 1
    return counts


def moved_lines(moves: Sequence[tuple[str, str]], home: str, *, verbose: bool) -> list[str]:
    """``moved: ~/old -> ~/new`` for each pair of paths; without ``verbose`` the first ten."""
    shown = moves if verbose or len(moves) <= _MOVES + 1 else moves[:_MOVES]
    lines = [f"moved: {below_home(old, home)} -> {below_home(new, home)}" for old, new in shown]
    rest = len(moves) - len(shown)
    return [*lines, f"and {plural(rest, 'other')} moved, see -v"] if rest else lines


def totals_line(statuses: Mapping[str, int], changes: Mapping[str, int]) -> str:
    """``12 projects: 5 active, 7 paused; 3 new, 9 same``; what is zero is left out."""
    total = plural(sum(statuses.values()), "project")
    parts = [
        ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
        for counts in (statuses, changes)
    ]
    return f"{total}: " + "; ".join(part for part in parts if part)


def coverage_lines(coverage: Coverage, *, verbose: bool) -> list[str]:
    """What the scan did not see, short: nothing is left out in silence; with ``verbose`` each folder."""
    lines = []
    if coverage.deadline_hit:
        lines.append("the deadline passed: the result is partial")
    lines += [f"{root} holds more than is read of a root: partial" for root in coverage.over_budget]
    if coverage.placeholders:
        lines.append(f"{plural(coverage.placeholders, 'file')} in a cloud not opened")
    if coverage.unreadable:
        lines.append(f"{plural(len(coverage.unreadable), 'folder')} could not be read")
        lines += [f"  {path}" for path in coverage.unreadable] if verbose else []
    left_out = [f"{reason} {count:,}" for reason, count in coverage.pruned]
    if coverage.cut_by_depth:
        left_out.append(f"too-deep {coverage.cut_by_depth:,}")
    if left_out or verbose:
        searched = f"searched {plural(coverage.directories, 'folder')}"
        searched += f" with {plural(coverage.entries, 'entry', 'entries')}" if verbose else ""
        lines.append("; left out: ".join([searched, *([", ".join(left_out)] if left_out else [])]))
    return lines
