"""One portfolio as rows, and rows as tab-separated text or Markdown."""

from __future__ import annotations

from reports.markdown import code_span, escape
from reports.view import below_home, idle, idle_days, iso_time, safe_display
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """What a table says about one project, not yet made harmless.

    ``when`` is the last activity in epoch seconds; ``change`` is ``new``, ``changed``, ``same``, ``moved``,
    ``returned``, ``missing``, ``skipped`` or empty. ``memory`` is the share of passed checks of its memory in
    per cent, None where no job looked; ``next_step`` is what it says comes next.
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
MEMORY_COLUMNS = ("memory", "next_step")


def tsv(rows: tuple[Row, ...], now: float, *, with_memory: bool = False) -> str:
    """A header line and one line a row, whole paths, every field free of tabs and newlines.

    ``with_memory`` adds the columns of the memory behind the others.
    """
    lines = ["\t".join((*COLUMNS, *MEMORY_COLUMNS) if with_memory else COLUMNS)]
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
            *(("" if row.memory is None else str(row.memory), row.next_step) if with_memory else ()),
        )
        lines.append("\t".join(_field(field) for field in fields))
    return "\n".join(lines) + "\n"


def _field(text: str) -> str:
    return safe_display(text.replace("\t", "\\t"))


def memory_words(row: Row) -> str:
    """``78 %``; empty where nobody looked."""
    return "" if row.memory is None else f"{row.memory} %"


def markdown(rows: tuple[Row, ...], now: float, home: str) -> str:
    """A Markdown table, paths relative to home; foreign text can make no link, image, heading or cell."""
    lines = [
        "| Status | Name | Stack | Idle | Branch | Flags | Change | Path |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        cells = (
            escape(row.status),
            escape(row.name),
            escape(row.stack),
            escape(idle(row.when, now)),
            escape(row.branch),
            escape(", ".join(row.flags)),
            escape(row.change),
            code_span(below_home(row.path, home)),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
