"""Ranked recall over journal and notes: which of them answer a question, best first.

The ranking is BMAD+'s ``lexical`` one, score for score. With scope ``portfolio`` and no portfolio named, all
indexed projects and the linked brain are searched as well; one that cannot be read is skipped and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from brain.files.errors import MemError
from brain.locate import PORTFOLIO, Brain
from brain.notes import BLANKS, section_text, sections
from brain.recall.decay import decay
from brain.recall.documents import (
    JOURNAL,
    JOURNAL_NAME,
    MEMORY_FOLDERS,
    EventTexts,
    event_ref,
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
    search = _Search(os.path.realpath(project), query, now, None if strict else limit)
    wide = scope == PORTFOLIO_SCOPE and portfolio is None
    search.own(_name_of(search.home, projects) if wide else None)
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


class _Place:
    """A project or brain that is being searched: what it gives counts only when all of it could be read."""

    __slots__ = ("base", "damaged", "hits", "name", "prefix")

    def __init__(self, base: str, prefix: str, name: str | None) -> None:
        self.base = base
        self.prefix = prefix
        self.name = name
        self.hits: list[Hit] = []
        self.damaged: list[tuple[str, int]] = []


class _Search:
    """One query on its way through the places, with what it has found so far.

    ``limit`` is None when every hit is wanted. Otherwise those that can no longer be among the best are let
    go on the way: a later one needs more than the score of the last that would be shown.
    """

    def __init__(self, home: str, query: str, now: float, limit: int | None) -> None:
        self.home = home
        self.hits: list[Hit] = []
        self.damaged: list[tuple[str, int]] = []
        self.skipped: list[Skipped] = []
        self._query = unique_tokens(query)
        self._now = now
        self._limit = limit
        self._floor = 0.0
        self._texts = EventTexts()
        self._seen: set[tuple[int, int]] = set()

    def own(self, name: str | None) -> None:
        """Search the project that asks."""
        self._is_new(self.home)
        self._project(self.home, name)

    def portfolio(self, path: str) -> None:
        """Search the ``memory`` folder of the portfolio brain at ``path``."""
        base = os.path.realpath(os.path.join(self.home, path))
        _status_of(base)
        self._brain(base, "memory", None)

    def everywhere(self, projects: Sequence[tuple[str, str]], brain: Brain | None) -> None:
        """Search the indexed projects and the linked brain; what cannot be read is skipped and named."""
        for name, path in projects:
            try:
                if self._is_new(path):
                    self._project(path, name)
            except MemError as error:
                self.skipped.append(Skipped(name, path, str(error)))
        if brain is not None and brain.exists:
            base = os.path.realpath(brain.path)
            try:
                self._brain(base, "memory" if brain.type == PORTFOLIO else "", BRAIN_NAME)
            except MemError as error:
                self.skipped.append(Skipped(BRAIN_NAME, brain.path, str(error)))

    def _is_new(self, path: str) -> bool:
        """Whether the folder at ``path`` was not searched yet, under whatever name."""
        status = _status_of(path)
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _project(self, base: str, name: str | None) -> None:
        place = _Place(base, self._prefix(base), name)
        journal = journal_of(base, strict=self._limit is None)
        file = place.prefix + JOURNAL
        place.damaged.extend((file, line) for line in journal.damaged)
        for line, event in journal.lines:
            self._event(event, line, place, file)
        for folder in MEMORY_FOLDERS:
            self._notes(place, folder)
        self._take(place)

    def _brain(self, base: str, folder: str, name: str | None) -> None:
        own = [os.path.join(self.home, part) for part in MEMORY_FOLDERS]
        if os.path.join(base, folder) not in own:  # its files would be found twice
            place = _Place(base, self._prefix(base), name)
            self._notes(place, folder)
            self._take(place)

    def _take(self, place: _Place) -> None:
        self.hits += place.hits
        self.damaged += place.damaged
        if self._limit is not None and len(self.hits) >= 2 * self._limit:
            self.hits = best(self.hits, self._limit)
            self._floor = self.hits[-1].score

    def _event(self, event: dict[str, object], line: int, place: _Place, file: str) -> None:
        text = self._texts.of(event)
        found = score(self._query, text)
        if found is None or found.value <= self._floor:
            return
        factor = decay(event.get("ts"), self._now)
        if found.value * factor > self._floor:
            hit = Hit(
                "event",
                found,
                source=JOURNAL_NAME,
                source_file=file,
                line=line,
                ref=event_ref(event, line),
                text=text,
                query_tokens=len(self._query),
                decay=factor,
            )
            hit.event = event
            hit.project = place.name
            place.hits.append(hit)

    def _notes(self, place: _Place, folder: str) -> None:
        for file in notes_of(place.base, folder, strict=self._limit is None):
            if not contains_any(self._query, file.text):
                continue
            source_file = place.prefix + file.relative
            for section in sections(file.text):
                text = section_text(section)
                found = score(self._query, text)
                if found is None or found.value <= self._floor:
                    continue
                hit = Hit(
                    "note",
                    found,
                    source=file.name,
                    source_file=source_file,
                    line=section.line,
                    ref=section.heading,
                    text=text,
                    query_tokens=len(self._query),
                )
                hit.project = place.name
                place.hits.append(hit)

    def _prefix(self, base: str) -> str:
        """What leads from the asking project to ``base``, with a slash at its end; empty at home."""
        if base == self.home:
            return ""
        return os.path.relpath(base, self.home).replace(os.sep, "/") + "/"


def _status_of(folder: str) -> os.stat_result:
    try:
        status = os.stat(folder)
    except (FileNotFoundError, ValueError):  # a name with a NUL byte is none
        raise MemError(f"the folder is not there: {folder}") from None
    except OSError as error:
        raise MemError(f"the folder cannot be read: {folder}: {error.strerror}") from None
    if not stat.S_ISDIR(status.st_mode):
        raise MemError(f"not a folder: {folder}")
    return status


def _name_of(base: str, projects: Sequence[tuple[str, str]]) -> str:
    """The indexed name of the project at ``base``, else that of its folder."""
    here = _status_of(base)
    for name, path in projects:
        try:
            there = os.stat(path)
        except (OSError, ValueError):
            continue
        if os.path.samestat(here, there):
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
