"""The one place that knows rich: a table at a terminal. Imported only when one is drawn.

Rich never sees a markup string: every cell is a ``Text`` whose content was made harmless before.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from reports.table import Row, git_signs, memory_words
from reports.view import below_home, idle, safe_display, sign

_GAP = 2
_STYLES = {
    "active": "bold blue",
    "paused": "yellow",
    "archived": "dim",
    "missing": "red",
    "new": "green",
    "changed": "cyan",
    "moved": "cyan",
    "returned": "green",
}

_QUIET_FLAGS = ("no-license", "no-readme", "env-file", "migrations", "mixed-lockfiles")

# What does not fit is given up from the end of these orders; then the least widths of those that are kept.
_KEPT_OF_SCAN = ("status", "name", "path", "idle", "stack", "flags", "change", "branch")
_KEPT_OF_SEEN = ("sign", "name", "status", "idle", "stack", "git", "memory", "next step", "path", "flags")
_LEAST = {"name": 12, "path": 20, "stack": 8, "flags": 9, "change": 7, "branch": 8, "next step": 14}
# Every column first grows to what is comfortable, then the room that is left goes round once more.
_COMFORT = {"name": 18, "path": 28, "stack": 12, "branch": 12, "flags": 14, "next step": 24}
_MOST = {"name": 32, "stack": 20, "branch": 28, "flags": 36, "next step": 48}
_SCAN = ("number", "status", "name", "stack", "idle", "branch", "flags", "change", "path")
_SEEN = ("sign", "name", "status", "stack", "idle", "git", "memory", "next step", "flags", "path")


def table(
    rows: Sequence[Row], *, now: float, home: str, width: int, colour: bool, with_seen: bool = False
) -> str:
    """``rows`` as aligned text at most ``width`` cells wide, one line a row, with a header.

    ``with_seen``: with what the last job saw of each, in place of what a scan changes.
    """
    cells = [_cells(row, now, home, with_seen=with_seen) for row in rows]
    titles = [name for name in (_SEEN if with_seen else _SCAN) if any(row.get(name) for row in cells)]
    sizes = {name: max(len(_title(name)), *(cell_len(row[name]) for row in cells)) for name in titles}
    widths = _fit(sizes, width, _KEPT_OF_SEEN if with_seen else _KEPT_OF_SCAN)
    out = StringIO()
    console = Console(
        file=out,
        # Both are given, so that rich asks neither the environment nor a terminal.
        width=max(width, 20),
        height=25,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    shown = [name for name in titles if name in widths]
    console.print(_line([(_title(name), "bold") for name in shown], shown, widths), soft_wrap=True)
    for row, source in zip(cells, rows, strict=True):
        styled = [(row[name], _style(name, source)) for name in shown]
        console.print(_line(styled, shown, widths), soft_wrap=True)
    return out.getvalue()


def _title(name: str) -> str:
    return "" if name == "sign" else name.upper()


def _cells(row: Row, now: float, home: str, *, with_seen: bool) -> dict[str, str]:
    status = safe_display(row.status)
    return {
        "sign": sign(row.status),
        "status": status if with_seen else f"{sign(row.status)} {status}",
        "name": safe_display(row.name),
        "stack": safe_display(row.stack),
        "idle": idle(row.when, now),
        "branch": safe_display(row.branch),
        "flags": safe_display(" ".join(sorted(row.flags, key=_rank))),
        "change": "" if row.change == "same" else safe_display(row.change),
        "path": below_home(row.path, home),
        "git": git_signs(row),
        "memory": memory_words(row),
        "next step": safe_display(row.next_step.partition("\n")[0]),
    }


def _rank(flag: str) -> int:
    """What may need a person comes first: the column is often cut."""
    return 1 if flag in _QUIET_FLAGS else 0


def _style(name: str, row: Row) -> str:
    if name in ("status", "sign"):
        return _STYLES.get(row.status, "")
    if name == "change":
        return _STYLES.get(row.change, "")
    return "bold" if name == "name" else ""


def _fit(natural: dict[str, int], width: int, kept_first: Sequence[str]) -> dict[str, int]:
    """How wide each column is; the least important columns are left out where they cannot get their least."""
    wanted = {name: min(size, _MOST.get(name, size)) for name, size in natural.items()}
    least = {name: min(size, _LEAST.get(name, size)) for name, size in wanted.items()}
    kept = [name for name in kept_first if name in wanted]
    while len(kept) > 3 and sum(least[name] for name in kept) + _GAP * (len(kept) - 1) > width:
        kept.pop()
    widths = {name: least[name] for name in kept}
    spare = width - sum(widths.values()) - _GAP * (len(kept) - 1)
    for goal in (_COMFORT, {}):
        for name in kept:
            grown = min(max(spare, 0), max(0, min(wanted[name], goal.get(name, wanted[name])) - widths[name]))
            widths[name] += grown
            spare -= grown
    return widths


def _line(cells: Sequence[tuple[str, str]], names: Sequence[str], widths: dict[str, int]) -> Text:
    line = Text(end="", no_wrap=True)
    for place, ((text, style), name) in enumerate(zip(cells, names, strict=True)):
        last = place == len(names) - 1
        if name == "flags":
            text = _whole_words(text, widths[name])  # noqa: PLW2901 - the same cell, shorter
        fitted = _cut(text, widths[name], keep_end=name == "path")
        line.append(fitted, style=style)
        if not last:
            line.append(" " * (widths[name] - cell_len(fitted) + _GAP))
    return line


def _whole_words(text: str, width: int) -> str:
    """As many words of ``text`` as fit and the number of the others; at least the first word."""
    words = text.split(" ")
    for kept in range(len(words), 0, -1):
        rest = f" +{len(words) - kept}" if kept < len(words) else ""
        shown = " ".join(words[:kept]) + rest
        if cell_len(shown) <= width:
            return shown
    return words[0]


def _cut(text: str, width: int, *, keep_end: bool) -> str:
    """``text`` in at most ``width`` cells; a path keeps its end, everything else its beginning."""
    if cell_len(text) <= width:
        return text
    room = max(width - 1, 1)
    if not keep_end:
        return chop_cells(text, room)[0] + "…"
    kept = text[-room:]
    while cell_len(kept) > room:
        kept = kept[1:]
    return "…" + kept
