"""Notes and claims for tests, in a line each."""

from __future__ import annotations

from datetime import date

from brain.dreaming.cues import standard_cues
from brain.dreaming.extract import Extraction, extract
from brain.dreaming.kept import Kept
from brain.dreaming.notes import note_of
from brain.dreaming.sweep import sweep
from brain.dreaming.values import Claim, Evidence, Gates, Marks, Note, Recall, Sweep, Workspace

PORT = "The staging database listens on port 5433."
TODAY = date(2026, 6, 11)


def note(day: str, *lines: str, slug: str = "") -> Note:
    """The note of a day, a line each."""
    return note_of(f"memory/{day}{slug}.md", ("\n".join(lines) + "\n").encode())


def days(text: str, *when: str) -> list[Note]:
    """A note with ``text`` as its only bullet on each day."""
    return [note(day, f"- {text}") for day in when]


def swept(
    *notes: Note,
    today: date = TODAY,
    memory: bytes | None = None,
    marks: Marks | None = None,
    gates: Gates | None = None,
    kept: Kept | None = None,
) -> Sweep:
    """A sweep over these notes."""
    return sweep(Workspace(notes, memory), today=today, marks=marks, gates=gates, kept=kept)


def proposed(found: Sweep) -> list[str]:
    """The texts that a sweep proposes, the best first."""
    return [one.claim.text for one in found.proposals]


def failed(found: Sweep, text: str) -> tuple[str, ...]:
    """The gates that a claim with this text failed."""
    (one,) = [one for one in found.near_misses if one.claim.text == text]
    return one.verdict.failed


def extracted(text: str) -> Extraction:
    """What a note with this text gives."""
    return extract(text.encode(), standard_cues())


def candidates(text: str) -> list[str]:
    """The candidates of a note with this text."""
    return [line.text for line in extracted(text).lines]


def reasons(text: str) -> dict[str, int]:
    """Why lines of a note with this text were left out, and how many."""
    return {left.reason: left.count for left in extracted(text).left}


def claim(*when: str, reading: float = 0.62, tags: int = 3, **more: object) -> Claim:
    """A claim that was noted on these days."""
    evidence = tuple(Evidence(f"memory/{day}.md", 1, day) for day in when)
    words = tuple(f"tag{number}" for number in range(tags))
    return Claim("0" * 12, "text", "en", evidence, reading=reading, tags=words, **more)  # type: ignore[arg-type] # the parts by name


def recalls(*pairs: tuple[str, str], score: float = 1.0) -> tuple[Recall, ...]:
    """Recalls by question and day."""
    return tuple(Recall(query, day, score) for query, day in pairs)
