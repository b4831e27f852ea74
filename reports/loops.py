"""Open loops for people, for pipes, for programs, and in the reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.loops.states import counted
from brain.loops.values import DONE, SNOOZED, Loop
from reports.document import Document, located
from reports.snapshot import LoopNote
from reports.view import cells, safe_display

COLUMNS = ("id", "state", "due", "kind", "project", "place", "owner", "text", "path")

_WIDTH = 80


def loops_document(loops: Sequence[Loop]) -> Document:
    """``data`` of ``zecher.loops.list``."""
    return {"loops": [loop_document(one) for one in loops], "counts": counted(loops)}


def loop_document(one: Loop) -> Document:
    """One loop for programs."""
    return {
        "id": one.id,
        "kind": one.kind,
        "state": one.state,
        "text": one.text,
        "file": one.file,
        "line": one.line,
        "due": one.due.isoformat() if one.due is not None else None,
        "until": one.until.isoformat() if one.until is not None else None,
        "unlock": one.unlock or None,
        "owner": one.owner or None,
        "project": {"id": one.project, **located(one.path), "name": one.name},
    }


def changed_document(loops: Iterable[Loop], ids: Sequence[str]) -> Document:
    """``data`` of the commands that change the state of loops: their ids, and those that stand in files."""
    return {"ids": list(ids), "loops": [loop_document(one) for one in loops]}


def loops_tsv(loops: Iterable[Loop]) -> str:
    """One line a loop, below a header."""
    return "".join(f"{line}\n" for line in ("\t".join(COLUMNS), *map(_tsv_line, loops)))


def _tsv_line(one: Loop) -> str:
    due = one.due.isoformat() if one.due is not None else ""
    fields = (one.id, one.state, due, one.kind, one.name, place_of(one), one.owner, one.text, one.path)
    return "\t".join(safe_display(field.replace("\t", "\\t")) for field in fields)


def loops_text(loops: Sequence[Loop]) -> str:
    """Two lines a loop, 80 cells wide: its state, day, id and text; then where it stands."""
    return "".join(f"{line}\n" for one in loops for line in _lines(one))


def _lines(one: Loop) -> tuple[str, str]:
    start = f"{one.state:<8} {_day(one):<10} {one.id}  "
    details = [one.kind, f"owner {one.owner}" if one.owner else "", _more(one)]
    beside = "".join(f", {safe_display(part)}" for part in details if part)
    place = f"{safe_display(one.name)}  {safe_display(place_of(one))}{beside}"
    indent = " " * len(start)
    return start + _cut(safe_display(one.text), _WIDTH - len(start)), indent + _cut(
        place, _WIDTH - len(indent)
    )


def _day(one: Loop) -> str:
    return one.due.isoformat() if one.due is not None else "-"


def _more(one: Loop) -> str:
    if one.state == SNOOZED and one.until is not None:
        return f"until {one.until.isoformat()}"
    return f"unlock: {one.unlock}" if one.unlock else ""


def place_of(one: Loop) -> str:
    """``file:line``."""
    return f"{one.file}:{one.line}"


def _cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "\u2026"


def counts_line(loops: Iterable[Loop]) -> str:
    """``3 overdue, 2 due, 14 open``; what is zero is left out."""
    counts = counted(loops)
    told = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    return told or "nothing is open"


def changed_text(loops: Sequence[Loop], ids: Sequence[str], what: str) -> str:
    """What became of each; one that no file holds any more has its id alone."""
    texts = {one.id: one for one in loops}
    lines = [
        f"{name} {what}: {safe_display(texts[name].text)}" if name in texts else f"{name} {what}"
        for name in ids
    ]
    return "".join(f"{line}\n" for line in lines)


def loop_notes(loops: Iterable[Loop]) -> tuple[LoopNote, ...]:
    """What is open, as a snapshot keeps it."""
    return tuple(
        LoopNote(
            id=one.id,
            kind=one.kind,
            state=one.state,
            text=one.text,
            path=one.path,
            name=one.name,
            file=one.file,
            line=one.line,
            due=one.due.isoformat() if one.due is not None else "",
            owner=one.owner,
        )
        for one in loops
        if is_open(one)
    )


def is_open(one: Loop) -> bool:
    """Whether it wants a person: nobody closed it or put it off."""
    return one.state not in (DONE, SNOOZED)
