"""Ranked recall over journal and notes: which of them answer a question, best first.

The ranking is BMAD+'s ``lexical`` one, score for score. With scope ``portfolio`` and no portfolio named, all
indexed projects and the linked brain are searched as well; one that cannot be read is skipped and named.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from brain.files.errors import MemError
from brain.locate import PORTFOLIO, Brain
from brain.notes import BLANKS, section_text, sections
from brain.recall.decay import decay
from brain.recall.documents import (
    JOURNAL,
    JOURNAL_NAME,
    MEMORY_FOLDERS,
    NoteFile,
    event_ref,
    event_text,
    journal_of,
    notes_of,
)
from brain.recall.lexical import Score, contains_any, score, unique_tokens

PROJECT_SCOPE = "project"
PORTFOLIO_SCOPE = "portfolio"
DEFAULT_LIMIT = 8
MAX_LIMIT = 1000
BRAIN_NAME = "brain"


class Hit:
    """An event or a note that shares words with the query.

    ``score`` ranks it. ``kind`` is event or note; ``source`` its file's name, ``source_file`` the file's path
    relative to the project that asks, ``line`` the 1-based line; ``ref`` an event's id or a note's heading;
    ``text`` what was scored; ``event`` the event as stored, None for a note; ``project`` whose memory it is,
    None within one project. What the score is made of: ``hits``, ``matched`` of ``query_tokens`` tokens,
    ``length`` in tokens, ``decay`` by age, ``evidence_factor``. Evidence ranking sets ``lexical_score`` and
    ``evidence`` (as published).
    """

    __slots__ = (
        "decay",
        "event",
        "evidence",
        "evidence_factor",
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
        event: dict[str, object] | None = None,
        project: str | None = None,
        decay: float = 1.0,
    ) -> None:
        self.score = found.value * decay
        self.kind = kind
        self.source = source
        self.source_file = source_file
        self.line = line
        self.ref = ref
        self.text = text
        self.event = event
        self.project = project
        self.hits = found.hits
        self.matched = found.matched
        self.query_tokens = query_tokens
        self.length = found.length
        self.decay = decay
        self.evidence_factor = 1.0
        self.lexical_score: float | None = None
        self.evidence: dict[str, object] | None = None


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


def recall(
    project: str,
    query: str,
    *,
    now: float,
    limit: int = DEFAULT_LIMIT,
    scope: str = PROJECT_SCOPE,
    portfolio: str | None = None,
    projects: Sequence[tuple[str, str]] = (),
    brain: Brain | None = None,
    strict: bool = False,
) -> Recalled:
    """What the memory of ``project`` (an absolute path) holds about ``query``.

    ``now`` is in epoch seconds. Scope ``portfolio`` searches besides the project: with the brain folder
    ``portfolio`` its ``memory`` folder, as BMAD+ does; without, the indexed ``projects`` (name, path) and the
    linked ``brain``. ``strict`` (for evidence ranking) refuses bad UTF-8 and returns all hits unranked.
    ``MemError`` for an empty query, a scope or limit that is none, and own memory that cannot be read.
    """
    _check(query, scope, limit)
    search = _Search(os.path.realpath(project), query, now, strict=strict)
    wide = scope == PORTFOLIO_SCOPE and portfolio is None
    search.project(search.home, _name_of(search.home, projects) if wide else None)
    if wide:
        search.everywhere(projects, brain)
    elif scope == PORTFOLIO_SCOPE and portfolio is not None:
        search.portfolio(portfolio)
    hits = search.hits if strict else best(search.hits, limit)
    return Recalled(
        query, scope, "lexical", hits, limit=limit, damaged=search.damaged, skipped=search.skipped
    )


def best(hits: list[Hit], limit: int) -> list[Hit]:
    """The ``limit`` best hits, best first; equal scores stay in the order of their sources."""
    return sorted(hits, key=lambda hit: hit.score, reverse=True)[:limit]


def limit_of(text: str) -> int:
    """The limit that a person typed: a whole number from 1 to 1000, ``MemError`` otherwise."""
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_LIMIT)):
        _check_limit(int(digits))
        return int(digits)
    raise MemError(f"--limit takes a whole number from 1 to {MAX_LIMIT}, not {text!r}")


def hit_document(hit: Hit, *, explain: bool = False, with_project: bool = False) -> dict[str, object]:
    """A hit as JSON in BMAD+'s order of keys; what is ours (``project``, ``explain``) comes after it."""
    document: dict[str, object] = {"score": hit.score, "kind": hit.kind, "source": hit.source}
    if hit.kind == "note":
        document["sourceFile"] = hit.source_file
    document |= {"ref": hit.ref, "text": hit.text}
    if hit.event is not None:
        document["event"] = hit.event
    if hit.lexical_score is not None:
        document["lexicalScore"] = hit.lexical_score
    if hit.evidence is not None:
        document["evidence"] = hit.evidence
    if with_project:
        document["project"] = hit.project
    if explain:
        document["explain"] = {
            "hits": hit.hits,
            "matched": hit.matched,
            "queryTokens": hit.query_tokens,
            "coverage": hit.matched / hit.query_tokens,
            "length": hit.length,
            "decay": hit.decay,
            "evidenceFactor": hit.evidence_factor,
            "file": hit.source_file,
            "line": hit.line,
        }
    return document


class _Search:
    """One query on its way through the places, with what it has found so far."""

    def __init__(self, home: str, query: str, now: float, *, strict: bool) -> None:
        self.home = home
        self.hits: list[Hit] = []
        self.damaged: list[tuple[str, int]] = []
        self.skipped: list[Skipped] = []
        self._query = unique_tokens(query)
        self._now = now
        self._strict = strict
        self._seen: set[str] = set()

    def project(self, base: str, name: str | None) -> None:
        """Search journal and notes of the project at ``base``, a real path."""
        self._seen.add(base)
        prefix = self._prefix(base)
        journal = journal_of(base, strict=self._strict)
        self.damaged.extend((prefix + JOURNAL, line) for line in journal.damaged)
        for line, event in journal.lines:
            self._event(event, line, prefix, name)
        for folder in MEMORY_FOLDERS:
            self._seen.add(f"{base}/{folder}")
            self._notes(notes_of(base, folder, strict=self._strict), prefix, name)

    def folder(self, base: str, folder: str, name: str | None) -> None:
        """Search the notes in ``folder`` below ``base``, a real path, unless they were searched before."""
        path = f"{base}/{folder}" if folder else base
        if path not in self._seen:
            self._seen.add(path)
            self._notes(notes_of(base, folder), self._prefix(base), name)

    def portfolio(self, path: str) -> None:
        """Search the ``memory`` folder of the portfolio brain at ``path``."""
        base = os.path.realpath(os.path.join(self.home, path))
        if not os.path.isdir(base):
            raise MemError(f"the portfolio folder does not exist: {path}; name the folder of a brain")
        self.folder(base, "memory", None)

    def everywhere(self, projects: Sequence[tuple[str, str]], brain: Brain | None) -> None:
        """Search the indexed projects and the linked brain; what cannot be read is skipped and named."""
        for name, path in projects:
            base = os.path.realpath(path)
            if base in self._seen:
                continue
            if os.path.isdir(base):
                self._attempt(name, base)
            else:
                self.skipped.append(Skipped(name, path, "the folder is not there"))
        if brain is not None and brain.exists:
            base = os.path.realpath(brain.path)
            try:
                self.folder(base, "memory" if brain.type == PORTFOLIO else "", BRAIN_NAME)
            except MemError as error:
                self.skipped.append(Skipped(BRAIN_NAME, brain.path, str(error)))

    def _attempt(self, name: str, base: str) -> None:
        found, damaged = len(self.hits), len(self.damaged)
        try:
            self.project(base, name)
        except MemError as error:
            # All or nothing: half an answer of a project would look like the whole.
            del self.hits[found:], self.damaged[damaged:]
            self.skipped.append(Skipped(name, base, str(error)))

    def _event(self, event: dict[str, object], line: int, prefix: str, name: str | None) -> None:
        text = event_text(event)
        found = score(self._query, text)
        if found is None:
            return
        factor = decay(event.get("ts"), self._now)
        if found.value * factor > 0:
            self.hits.append(
                Hit(
                    "event",
                    found,
                    source=JOURNAL_NAME,
                    source_file=prefix + JOURNAL,
                    line=line,
                    ref=event_ref(event, line),
                    text=text,
                    query_tokens=len(self._query),
                    event=event,
                    project=name,
                    decay=factor,
                )
            )

    def _notes(self, files: Sequence[NoteFile], prefix: str, name: str | None) -> None:
        for file in files:
            if not contains_any(self._query, file.text):
                continue
            for section in sections(file.text):
                text = section_text(section)
                found = score(self._query, text)
                if found is not None:
                    self.hits.append(
                        Hit(
                            "note",
                            found,
                            source=file.name,
                            source_file=prefix + file.relative,
                            line=section.line,
                            ref=section.heading,
                            text=text,
                            query_tokens=len(self._query),
                            project=name,
                        )
                    )

    def _prefix(self, base: str) -> str:
        """What leads from the asking project to ``base``, with a slash at its end; empty at home."""
        if base == self.home:
            return ""
        return os.path.relpath(base, self.home).replace(os.sep, "/") + "/"


def _name_of(base: str, projects: Sequence[tuple[str, str]]) -> str:
    for name, path in projects:
        if path == base or os.path.realpath(path) == base:
            return name
    return os.path.basename(base) or base


def _check(query: str, scope: str, limit: int) -> None:
    if not query.strip(BLANKS):
        raise MemError("the query is empty; say what to look for")
    if scope not in (PROJECT_SCOPE, PORTFOLIO_SCOPE):
        raise MemError(f"--scope takes project or portfolio, not {scope!r}")
    _check_limit(limit)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise MemError(f"--limit takes a whole number from 1 to {MAX_LIMIT}, not {limit}")
