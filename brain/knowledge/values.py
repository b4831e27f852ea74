"""A page of knowledge, what it claims, and what is wrong with either."""

from __future__ import annotations

from brain.value import dataclass

ENTITY, CONCEPT, SYNTHESIS, SOURCE = "entity", "concept", "synthesis", "source"
KINDS = {"entities": ENTITY, "concepts": CONCEPT, "syntheses": SYNTHESIS, "sources": SOURCE}
"""The kind of a page by the folder it stands in."""

FRESH, AGING, STALE, UNKNOWN = "fresh", "aging", "stale", "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a claim rests on: lines of a file, or a source by its id; ``lines`` is None for the whole file.

    ``path`` is as it was written, empty without one; ``updated`` is a day (``YYYY-MM-DD``) or empty.
    """

    path: str
    lines: tuple[int, int] | None
    source: str
    updated: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a page; ``line`` is where its text or id stands, 0 where that is not to be told.

    ``confidence`` is 0 to 1, None without one; ``updated`` its own day, or empty.
    """

    id: str
    text: str
    status: str
    confidence: float | None
    updated: str
    evidence: tuple[Evidence, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read.

    ``path`` is relative, with ``/``. ``kind`` is that of its folder, empty for a note that makes claims but
    stands in no folder of pages. ``complaint`` says why its front matter is none. ``links`` are what stands
    in ``[[...]]`` outside of code, each with its line; ``headings`` are the folded headings of its text.
    """

    path: str
    kind: str
    id: str = ""
    type: str = ""
    title: str = ""
    updated: str = ""
    sources: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    confidence: float | None = None
    is_import: bool = False
    has_provenance: bool = False
    claims: tuple[Claim, ...] = ()
    links: tuple[tuple[str, int], ...] = ()
    headings: frozenset[str] = frozenset()
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """What is wrong with a page; ``anchor`` tells issues of one code in one file apart."""

    code: str
    path: str
    line: int
    message: str
    fix: str
    anchor: str = ""
