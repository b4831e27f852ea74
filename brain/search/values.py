"""What goes into the index and what comes out of it."""

from __future__ import annotations

from brain.value import Value


class Source(Value):
    """A file that notes come from.

    ``project`` is empty for the brain's own; ``kind`` says what the file is (note, session, journal),
    ``klass`` what is in it: memory, decision, doc, event, handover. Size, time and digest tell whether it
    changed. One that holds something else than text, and so no notes, is not ``is_text``.
    """

    __slots__ = ("digest", "is_text", "kind", "klass", "mtime_ns", "path", "project", "root", "size")

    def __init__(
        self,
        path: str,
        *,
        project: str = "",
        root: str = "",
        kind: str = "note",
        klass: str = "memory",
        size: int = 0,
        mtime_ns: int = 0,
        digest: str = "",
    ) -> None:
        self.path = path
        self.project = project
        self.root = root
        self.kind = kind
        self.klass = klass
        self.size = size
        self.mtime_ns = mtime_ns
        self.digest = digest
        self.is_text = True


class Section(Value):
    """One note: what stands below a heading, or one line of a journal.

    ``title`` is what is searched as the title (the heading path of a section); ``heading`` is what is shown.
    Lines count from 1. ``date`` is ISO or empty; ``status`` active, superseded or archived.
    """

    __slots__ = ("body", "date", "event", "heading", "line", "line_end", "status", "title")

    def __init__(
        self,
        body: str,
        *,
        title: str = "",
        heading: str = "",
        line: int = 1,
        line_end: int = 1,
        date: str = "",
        status: str = "active",
        event: str = "",
    ) -> None:
        self.body = body
        self.title = title
        self.heading = heading
        self.line = line
        self.line_end = line_end
        self.date = date
        self.status = status
        self.event = event


class Query(Value):
    """What is asked.

    ``scope`` is ``project`` (then ``project`` names it), ``brain`` (the brain's own notes) or ``portfolio``;
    ``klass`` one class of sources or all; ``since`` an ISO date, notes without a date are then left out;
    ``now`` seconds since the epoch, without it nothing ages. Hits that cover less than ``min_coverage`` of
    the question are left out.
    """

    __slots__ = ("klass", "limit", "min_coverage", "now", "project", "scope", "since", "text")

    def __init__(
        self,
        text: str,
        *,
        scope: str = "portfolio",
        project: str = "",
        klass: str = "",
        limit: int = 20,
        since: str = "",
        min_coverage: float = 0.15,
        now: float | None = None,
    ) -> None:
        self.text = text
        self.scope = scope
        self.project = project
        self.klass = klass
        self.limit = limit
        self.since = since
        self.min_coverage = min_coverage
        self.now = now


class Hit(Value):
    """A note that answers.

    ``score`` and ``coverage`` are between 0 and 1; ``confidence`` is high or low; ``matched`` holds for each
    word found (word asked, term in the note, why: exact, spelling, stem, compound, part, typo, phrase);
    ``also`` names up to 20 further places, ``path:line``, of the same text.
    """

    __slots__ = (
        "also",
        "body",
        "confidence",
        "coverage",
        "date",
        "event",
        "file",
        "heading",
        "kind",
        "klass",
        "line",
        "line_end",
        "matched",
        "project",
        "root",
        "score",
        "snippet",
        "status",
    )

    def __init__(
        self,
        *,
        project: str,
        root: str,
        file: str,
        line: int,
        line_end: int,
        heading: str,
        kind: str,
        klass: str,
        date: str,
        status: str,
        event: str,
        score: float,
        coverage: float,
        confidence: str,
        matched: tuple[tuple[str, str, str], ...],
        snippet: str,
        body: str,
        also: tuple[str, ...],
    ) -> None:
        self.project = project
        self.root = root
        self.file = file
        self.line = line
        self.line_end = line_end
        self.heading = heading
        self.kind = kind
        self.klass = klass
        self.date = date
        self.status = status
        self.event = event
        self.score = score
        self.coverage = coverage
        self.confidence = confidence
        self.matched = matched
        self.snippet = snippet
        self.body = body
        self.also = also


class Found(Value):
    """The answer: ``results`` best first, ``total`` of the notes that qualified, ``engine`` fts5 or scan."""

    __slots__ = ("engine", "results", "total")

    def __init__(self, results: tuple[Hit, ...], total: int, engine: str) -> None:
        self.results = results
        self.total = total
        self.engine = engine
