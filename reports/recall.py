"""What a recall brought and what it left out, for people and as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.bundle.packing import LeftOut, Packed
    from brain.bundle.recall import Recalled

_SHOWN = 10
_WHY = {
    "budget": "no room in the budget",
    "source": "its file has had its share",
    "cut": "the rest of it",
    "duplicate": "said already",
    "muted": "muted: found, never recalled",
    "archived": "archived: found, never recalled",
    "low confidence": "it may be about something else",
}


def recall_document(
    done: Recalled,
    names: Mapping[str, str],
    *,
    query: str,
    scope: str,
    budget: int,
    stale: int,
    rebuilt: str,
) -> Document:
    """``data`` of ``zecher.recall``; ``names`` are the projects by folder."""
    bundle = done.bundle
    return {
        "query": query,
        "scope": scope,
        "budget": budget,
        "used": bundle.used,
        "context": bundle.context,
        "sources": [_source(one, names) for one in bundle.packed],
        "left_out": [_left_out(one, names) for one in done.left_out],
        "truncated": bundle.is_truncated,
        "confidence": "low" if done.is_low else "high" if bundle.packed else None,
        "total": done.total,
        "engine": done.engine,
        "stale": stale,
        "rebuilt": rebuilt if rebuilt not in ("", "missing") else None,
    }


def _source(one: Packed, names: Mapping[str, str]) -> Document:
    note = one.note
    return {
        "project": _project(note.project, names),
        **_file(note.file),
        "line": one.line,
        "hop": note.hop,
        "tokens": one.tokens,
        "heading": note.title,
        "relevance": note.relevance,
    }


def _left_out(one: LeftOut, names: Mapping[str, str]) -> Document:
    return {
        "project": _project(one.project, names),
        **_file(one.file),
        "line": one.line,
        "tokens": one.tokens,
        "why": one.why,
        "like": one.like or None,
    }


def _project(folder: str, names: Mapping[str, str]) -> str | None:
    return names.get(folder, folder) or None


def _file(path: str) -> Document:
    found = located(path)
    return {"file": found.pop("path"), **{key.replace("path", "file"): value for key, value in found.items()}}


def recall_summary(done: Recalled, budget: int) -> str:
    """How much of the budget is filled, in one line."""
    packed = done.bundle.packed
    if not packed:
        return "nothing found" if not done.left_out else "nothing that may be recalled fits"
    sure = ", low confidence: none of them surely answers" if done.is_low else ""
    return f"{plural(len(packed), 'note')}, {done.bundle.used:,} of {budget:,} tokens{sure}"


def left_out_lines(left_out: Sequence[LeftOut], home: str, *, everything: bool = False) -> list[str]:
    """What is missing, where it stands, its size and why; the first ten, all with ``everything``."""
    shown = left_out if everything else left_out[:_SHOWN]
    lines = [
        f"left out: {below_home(one.file, home)}:{one.line} ({plural(one.tokens, 'token')})"
        f" {_reason(one, home)}"
        for one in shown
    ]
    if len(shown) < len(left_out):
        rest = left_out[len(shown) :]
        size = sum(one.tokens for one in rest)
        lines.append(f"left out: {len(rest):,} more ({plural(size, 'token')}); -v names all")
    return lines


def _reason(one: LeftOut, home: str) -> str:
    like = f" in {below_home(one.like, home)}" if one.like else ""
    return safe_display(_WHY.get(one.why, one.why)) + like
