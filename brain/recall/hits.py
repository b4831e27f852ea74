"""What a recall gives: hits with all that their score is made of, and what could not be searched."""

from __future__ import annotations

from collections.abc import Sequence

from brain.recall.lexical import Score

DEFAULT_LIMIT = 8


class Hit:
    """An event or a note that shares words with the query.

    ``score`` ranks it. ``kind`` is event or note; ``source`` its file's name, ``source_file`` the file's path
    relative to the project that asks, ``line`` the 1-based line; ``ref`` an event's id or a note's heading;
    ``text`` what was scored; ``event`` the event as stored, None for a note; ``project`` whose memory it is,
    None within one project. What the score is made of: ``hits``, ``matched`` of ``query_tokens`` tokens,
    ``length`` in tokens, ``decay`` by age, ``evidence_factor``. Evidence ranking sets ``lexical_score`` and
    ``evidence`` (as published); the ranking of the search index sets ``fused``, the share of the question
    that is covered, and how sure that is.
    """

    __slots__ = (
        "decay",
        "event",
        "evidence",
        "evidence_factor",
        "fused",
        "hits",
        "kind",
        "length",
        "lexical_score",
        "line",
        "matched",
        "project",
        "query_tokens",
        "ref",
        "score",
        "source",
        "source_file",
        "text",
    )

    def __init__(
        self,
        kind: str,
        found: Score,
        *,
        source: str,
        source_file: str,
        line: int,
        ref: str,
        text: str,
        query_tokens: int,
        decay: float = 1.0,
    ) -> None:
        self.score = found.value * decay
        self.kind = kind
        self.source = source
        self.source_file = source_file
        self.line = line
        self.ref = ref
        self.text = text
        self.event: dict[str, object] | None = None
        self.project: str | None = None
        self.hits = found.hits
        self.matched = found.matched
        self.query_tokens = query_tokens
        self.length = found.length
        self.decay = decay
        self.evidence_factor = 1.0
        self.lexical_score: float | None = None
        self.evidence: dict[str, object] | None = None
        self.fused: dict[str, object] | None = None


class Skipped:
    """A project or brain that could not be searched: its ``name``, its ``path`` and ``why``."""

    __slots__ = ("name", "path", "why")

    def __init__(self, name: str, path: str, why: str) -> None:
        self.name = name
        self.path = path
        self.why = why


class Recalled:
    """The answer to a query.

    ``hits`` are ranked and at most ``limit``, unless the recall was strict: then all of them in the order of
    their sources, for the evidence ranking to finish. ``damaged`` are (source file, line) of unreadable
    journal lines, ``skipped`` the places that could not be searched.
    """

    __slots__ = ("damaged", "hits", "limit", "query", "ranking", "scope", "skipped")

    def __init__(
        self,
        query: str,
        scope: str,
        ranking: str,
        hits: list[Hit],
        *,
        limit: int = DEFAULT_LIMIT,
        damaged: Sequence[tuple[str, int]] = (),
        skipped: Sequence[Skipped] = (),
    ) -> None:
        self.query = query
        self.scope = scope
        self.ranking = ranking
        self.hits = hits
        self.limit = limit
        self.damaged = list(damaged)
        self.skipped = list(skipped)


def best(hits: list[Hit], limit: int) -> list[Hit]:
    """The ``limit`` best hits, best first; equal scores stay in the order of their sources."""
    return sorted(hits, key=lambda hit: hit.score, reverse=True)[:limit]
