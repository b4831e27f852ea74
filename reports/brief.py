"""What a piece of work begins with, for people and as a document."""

from __future__ import annotations

from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.bundle.brief import Brief

_SHOWN = 10
_WHY = {"budget": "no room in the budget", "cut": "the rest of it", "muted": "muted"}


def brief_document(done: Brief, project: str, budget: int) -> Document:
    """``data`` of ``zecher.brief``."""
    return {
        "project": located(project),
        "budget": budget,
        "used": done.used,
        "context": done.context,
        "parts": [
            {
                "name": part.name,
                "tokens": part.tokens,
                "items": [{**_file(item.file), "line": item.line} for item in part.items],
            }
            for part in done.parts
        ],
        "left_out": [
            {"part": one.part, **_file(one.file), "line": one.line, "tokens": one.tokens, "why": one.why}
            for one in done.left_out
        ],
        "not_found": list(done.empty),
        "truncated": done.is_truncated,
    }


def _file(path: str) -> Document:
    found = located(path)
    return {"file": found.pop("path"), **{key.replace("path", "file"): value for key, value in found.items()}}


def brief_notes(done: Brief, budget: int, home: str, *, everything: bool = False) -> list[str]:
    """What is missing, the first ten of it or all, what nothing is written about, and how full it is."""
    shown = done.left_out if everything else done.left_out[:_SHOWN]
    lines = [
        f"left out: {one.part}, {below_home(one.file, home)}:{one.line} ({plural(one.tokens, 'token')})"
        f" {_WHY.get(one.why, one.why)}"
        for one in shown
    ]
    rest = done.left_out[len(shown) :]
    if rest:
        size = sum(one.tokens for one in rest)
        lines.append(f"left out: {len(rest):,} more ({plural(size, 'token')}); -v names all")
    if done.empty:
        lines.append(f"nothing is written about: {', '.join(done.empty)}")
    lines.append(f"{done.used:,} of {budget:,} tokens")
    return lines
