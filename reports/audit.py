"""What was asked of the memory and found: as text and as a document."""

from __future__ import annotations

from collections.abc import Sequence

from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, safe_display
from scanner.value import dataclass

COLUMNS = ("at", "by", "tool", "query", "scope", "project", "count", "top", "hits")


@dataclass(frozen=True, slots=True)
class Line:
    """One call, as the log has it; ``at`` is ISO, ``top`` None where nothing was scored."""

    at: str
    by: str
    tool: str
    query: str
    scope: str
    project: str
    count: int
    top: float | None
    hits: tuple[str, ...]


def audit_document(path: str, lines: Sequence[Line], *, total: int, damaged: int, is_on: bool) -> Document:
    """``data`` of ``zecher.memory.audit``, oldest call first; ``total`` are all that the log has."""
    return {
        **located(path),
        "on": is_on,
        "total": total,
        "damaged": damaged,
        "calls": [
            {
                "at": one.at,
                "by": one.by,
                "tool": one.tool,
                "query": one.query or None,
                "scope": one.scope or None,
                "project": one.project or None,
                "count": one.count,
                "top": one.top,
                "hits": list(one.hits),
            }
            for one in lines
        ],
    }


def audit_tsv(lines: Sequence[Line]) -> str:
    """A header line and one line a call."""
    rows = [COLUMNS, *(_fields(one) for one in lines)]
    return "".join("\t".join(safe_display(field) for field in row) + "\n" for row in rows)


def _fields(one: Line) -> tuple[str, ...]:
    top = "" if one.top is None else f"{one.top:.3f}"
    return (
        *(one.at, one.by, one.tool, one.query, one.scope, one.project, str(one.count)),
        *(top, " ".join(one.hits)),
    )


def audit_text(lines: Sequence[Line], home: str) -> str:
    """A block for each call: when, by whom, what; then the first results."""
    shown = []
    for one in lines:
        best = "" if one.top is None else f", best {one.top:.2f}"
        asked = f" {safe_display(one.query)}" if one.query else ""
        when = one.at[:16].replace("T", " ")
        shown.append(f"{when}  {one.by:<7}  {one.tool}{asked} ({plural(one.count, 'result')}{best})")
        shown.extend(f"    {below_home(hit, home)}" for hit in one.hits)
    return "".join(f"{line}\n" for line in shown)


def audit_summary(shown: int, total: int, *, is_on: bool) -> str:
    """How many there are, in one line."""
    off = "" if is_on else "; the log is switched off"
    if not total:
        return f"nothing was asked yet{off}"
    return (plural(total, "call") if shown == total else f"{shown:,} of {plural(total, 'call')}") + off
