"""One portfolio as rows, and rows as tab-separated text or Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from reports.markdown import code_span, escape
from reports.view import SIGNS, below_home, idle, idle_days, iso_time, safe_display
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """What a table says about one project, not yet made harmless.

    ``when`` is the last activity in epoch seconds; ``change`` is ``new``, ``changed``, ``same``, ``moved``,
    ``returned``, ``missing``, ``skipped`` or empty. ``memory`` is the share of passed checks of its memory in
    per cent, None where no job looked; ``next_step`` is what it says comes next. ``unpushed`` commits,
    ``changed`` files and ``stashes`` exist only here, as far as a job saw.
    """

    status: str
    name: str
    stack: str
    when: float | None
    source: str
    branch: str
    flags: tuple[str, ...]
    path: str
    change: str = ""
    memory: int | None = None
    next_step: str = ""
    unpushed: int = 0
    changed: int = 0
    stashes: int = 0


COLUMNS = (
    "status",
    "name",
    "stack",
    "idle_days",
    "last_activity",
    "source",
    "branch",
    "flags",
    "change",
    "path",
)
SEEN_COLUMNS = ("memory", "next_step", "unpushed", "changed", "stashes")
GIT_SIGNS = (("\u2191", "unpushed commits"), ("\u00b1", "changed files"), ("\u2261", "stashes"))
"""How work that exists only here is shown: before its number, in the order of the parts of a row."""


def tsv(rows: tuple[Row, ...], now: float, *, with_seen: bool = False) -> str:
    """A header line and one line a row, whole paths, every field free of tabs and newlines.

    ``with_seen`` adds behind the others what the last job saw.
    """
    lines = ["\t".join((*COLUMNS, *SEEN_COLUMNS) if with_seen else COLUMNS)]
    for row in rows:
        days = idle_days(row.when, now)
        fields = (
            row.status,
            row.name,
            row.stack,
            "" if days is None else str(days),
            iso_time(row.when) or "",
            row.source,
            row.branch,
            ",".join(row.flags),
            row.change,
            row.path,
            *(_seen_fields(row) if with_seen else ()),
        )
        lines.append("\t".join(_field(field) for field in fields))
    return "\n".join(lines) + "\n"


def _field(text: str) -> str:
    return safe_display(text.replace("\t", "\\t"))


def _seen_fields(row: Row) -> tuple[str, ...]:
    counts = (row.unpushed, row.changed, row.stashes)
    return "" if row.memory is None else str(row.memory), row.next_step, *map(str, counts)


def memory_words(row: Row) -> str:
    """``78 %``; empty where nobody looked."""
    return "" if row.memory is None else f"{row.memory} %"


def git_signs(row: Row) -> str:
    """``↑2 ±3 ≡1``: what exists only here; empty for nothing."""
    counts = (row.unpushed, row.changed, row.stashes)
    return " ".join(f"{sign}{count}" for (sign, _), count in zip(GIT_SIGNS, counts, strict=True) if count)


def legend(rows: Iterable[Row]) -> str:
    """What the signs in a table of ``rows`` mean, those alone that it shows."""
    rows = tuple(rows)
    statuses = {row.status for row in rows}
    shown = [f"{sign} {status}" for status, sign in SIGNS.items() if status in statuses]
    sums = (
        sum(row.unpushed for row in rows),
        sum(row.changed for row in rows),
        sum(row.stashes for row in rows),
    )
    only_here = [f"{sign} {what}" for (sign, what), count in zip(GIT_SIGNS, sums, strict=True) if count]
    return "; ".join(", ".join(part) for part in (shown, only_here) if part)


def markdown(rows: tuple[Row, ...], now: float, home: str, *, with_seen: bool = False) -> str:
    """A Markdown table, paths relative to home; foreign text can make no link, image, heading or cell.

    ``with_seen``: with what the last job saw, in place of what a scan changes.
    """
    titles = _SEEN_TITLES if with_seen else _SCAN_TITLES
    lines = [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}"]
    for row in rows:
        cells = {
            "Status": escape(row.status),
            "Name": escape(row.name),
            "Stack": escape(row.stack),
            "Idle": escape(idle(row.when, now)),
            "Branch": escape(row.branch),
            "Flags": escape(", ".join(row.flags)),
            "Change": escape(row.change),
            "Git": escape(git_signs(row)),
            "Memory": memory_words(row),
            "Next step": escape(row.next_step.partition("\n")[0]),
            "Path": code_span(below_home(row.path, home)),
        }
        lines.append("| " + " | ".join(cells[title] for title in titles) + " |")
    return "\n".join(lines) + "\n"


_SCAN_TITLES = ("Status", "Name", "Stack", "Idle", "Branch", "Flags", "Change", "Path")
_SEEN_TITLES = ("Status", "Name", "Stack", "Idle", "Git", "Memory", "Next step", "Flags", "Path")
