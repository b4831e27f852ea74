"""What daily notes say that may last: an entry of the diary a note, and a preview of all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.dreaming.extract import Line
from brain.dreaming.values import Claim, Theme, Verdict
from brain.wording import plural
from reports.document import Document
from reports.dreaming import Dreamt, evidence_words, told
from reports.dreaming_document import candidate, dreamt_document, workspace_keys
from reports.markdown import escape
from reports.view import below_home, safe_display
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Grounded:
    """What the note at ``path`` says that may last: ``lasting`` and, less surely, ``candidates``."""

    path: str
    day: str
    lasting: tuple[Line, ...]
    candidates: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """All of them, those that last first."""
        return (*self.lasting, *self.candidates)


def backfill_entry(one: Grounded) -> str:
    """The entry of DREAMS.md for a note."""
    lines = [f"## {one.day}", ""]
    for title, found in (("Possible lasting updates:", one.lasting), ("Candidates:", one.candidates)):
        if found:
            lines += [title, ""]
            lines += [f"- {escape(told(line.text))} ({escape(one.path)}:{line.line})" for line in found] + [
                ""
            ]
    return "\n".join(lines).rstrip("\n")


def harness_document(
    one: Dreamt,
    truths: Sequence[tuple[Claim, Verdict]],
    grounded: Sequence[Grounded] | None,
    *,
    promoted: bool,
) -> Document:
    """``data`` of ``zecher.memory.rem-harness``."""
    document = dreamt_document(one, promoted=promoted)
    themes = one.sweep.themes if one.sweep is not None else ()
    return {
        **workspace_keys(one.root),
        "reflections": [_theme(theme) for theme in themes],
        "lastingTruths": [candidate(claim, verdict) for claim, verdict in truths],
        "candidates": document["candidates"],
        "groundedFiles": None if grounded is None else [grounded_document(note) for note in grounded],
        "counts": document["counts"],
    }


def _theme(theme: Theme) -> Document:
    return {
        "tag": safe_display(theme.tag),
        "claims": theme.claims,
        "days": theme.days,
        "strength": round(theme.strength, 4),
    }


def grounded_document(note: Grounded) -> Document:
    """What one note says, for a program."""
    return {
        "path": note.path,
        "day": note.day,
        "likelyDurable": [_line(note, line) for line in note.lasting],
        "candidates": [_line(note, line) for line in note.candidates],
    }


def _line(note: Grounded, line: Line) -> Document:
    return {
        "key": line.id,
        "text": told(line.text),
        "ref": f"{note.path}:{line.line}",
        "lang": line.lang or None,
        "reading": line.reading,
        "explicit": line.is_explicit,
        "until": line.until or None,
    }


def harness_text(
    one: Dreamt,
    truths: Sequence[tuple[Claim, Verdict]],
    grounded: Sequence[Grounded] | None,
    *,
    home: str,
) -> str:
    """The preview for a person."""
    lines = [below_home(one.root, home)]
    sweep = one.sweep
    if sweep is not None and sweep.themes:
        words = (f"{safe_display(theme.tag)} ({plural(theme.claims, 'claim')})" for theme in sweep.themes)
        lines.append(f"  themes: {', '.join(words)}")
    lines += _listed("lasting truths", [(claim, verdict) for claim, verdict in truths])
    if sweep is not None:
        lines += _listed("candidates", [(p.claim, p.verdict) for p in sweep.proposals])
    for note in grounded or ():
        lines.append(f"  {safe_display(note.path)}")
        lines += [f"    lasts  :{line.line} {told(line.text)}" for line in note.lasting]
        lines += [f"    may    :{line.line} {told(line.text)}" for line in note.candidates]
        if not note.lines:
            lines.append("    nothing that may last")
    return "".join(f"{line}\n" for line in lines)


def _listed(title: str, found: Iterable[tuple[Claim, Verdict]]) -> list[str]:
    rows = [
        f"    {claim.id}  {verdict.score:.2f}  {told(claim.text)} ({evidence_words(claim)})"
        for claim, verdict in found
    ]
    return [f"  {title}", *rows] if rows else [f"  no {title}"]
