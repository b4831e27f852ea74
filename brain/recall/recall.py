"""Ranked recall over journal and notes: which of them answer a question, best first.

The ranking is BMAD+'s ``lexical`` one, score for score. With scope ``portfolio`` and no portfolio named, all
indexed projects and the linked brain are searched as well; one that cannot be read is skipped and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from brain.files.errors import MemError
from brain.javascript_math import half_to_the
from brain.locate import PORTFOLIO, Brain
from brain.notes import BLANKS, Section, section_text, sections
from brain.recall.decay import half_lives
from brain.recall.documents import (
    JOURNAL,
    JOURNAL_NAME,
    MEMORY_FOLDERS,
    EventTexts,
    NoteFile,
    event_ref,
    journal_of,
    notes_of,
)
from brain.recall.hits import DEFAULT_LIMIT, Hit, Recalled, Skipped, best
from brain.recall.lexical import Score, contains_any, score, unique_tokens

__all__ = [
    "DEFAULT_LIMIT",
    "LEXICAL",
    "MAX_LIMIT",
    "PORTFOLIO_SCOPE",
    "PROJECT_SCOPE",
    "WORDS",
    "Hit",
    "Recalled",
    "Skipped",
    "best",
    "check",
    "limit_of",
    "recall",
]

PROJECT_SCOPE = "project"
PORTFOLIO_SCOPE = "portfolio"
LEXICAL = "lexical"
WORDS = "words"
MAX_LIMIT = 1000
BRAIN_NAME = "brain"

_NEARLY = 1.000001


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
    ranking: str = LEXICAL,
) -> Recalled:
    """What the memory of ``project`` (an absolute path) holds about ``query``.

    ``now`` is in epoch seconds. Scope ``portfolio`` searches besides the project: with the brain folder
    ``portfolio`` its ``memory`` folder, as BMAD+ does; without, the indexed ``projects`` (name, path) and the
    linked ``brain``. ``ranking`` is BMAD+'s ``lexical``, or ``words`` (see ``brain.recall.words``).
    ``strict`` (for evidence ranking) refuses bad UTF-8 and returns all hits unranked.
    ``MemError`` for an empty query, a scope or limit that is none, and own memory that cannot be read.
    """
    check(query, scope, limit)
    kind = _Search if ranking == LEXICAL else _WordSearch
    search = kind(os.path.realpath(project), query, now, None if strict else limit)
    wide = scope == PORTFOLIO_SCOPE and portfolio is None
    search.own(_name_of(search.home, projects) if wide else None)
    if wide:
        search.everywhere(projects, brain)
    elif scope == PORTFOLIO_SCOPE and portfolio is not None:
        search.portfolio(portfolio)
    hits = search.hits if strict else best(search.hits, limit)
    return Recalled(query, scope, ranking, hits, limit=limit, damaged=search.damaged, skipped=search.skipped)


def limit_of(text: str) -> int:
    """The limit that a person typed: a whole number from 1 to 1000, ``MemError`` otherwise."""
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_LIMIT)):
        _check_limit(int(digits))
        return int(digits)
    raise MemError(f"--limit takes a whole number from 1 to {MAX_LIMIT}, not {text!r}")


class _Place:
    """A project or brain that is being searched: what it gives counts only when all of it could be read.

    ``limit`` is None when every hit is wanted. Otherwise hits that can no longer be among the best are let
    go on the way: a later one needs more than ``floor``, the score of the last that would be shown.
    """

    __slots__ = ("base", "damaged", "floor", "hits", "limit", "name", "prefix")

    def __init__(self, base: str, prefix: str, name: str | None, limit: int | None, floor: float) -> None:
        self.base = base
        self.prefix = prefix
        self.name = name
        self.limit = limit
        self.floor = floor
        self.hits: list[Hit] = []
        self.damaged: list[tuple[str, int]] = []

    def add(self, hit: Hit) -> None:
        """Keep ``hit``, whose score is above the floor."""
        hit.project = self.name
        self.hits.append(hit)
        if self.limit is not None and len(self.hits) >= 4 * self.limit:
            self.hits = best(self.hits, self.limit)
            self.floor = max(self.floor, self.hits[-1].score)


class _Search:
    """One query on its way through the places, with what it has found so far (``limit`` as in a place)."""

    def __init__(self, home: str, query: str, now: float, limit: int | None) -> None:
        self.home = home
        self.hits: list[Hit] = []
        self.damaged: list[tuple[str, int]] = []
        self.skipped: list[Skipped] = []
        self._query = self._words_of(query)
        self._now = now
        self._limit = limit
        self._floor = 0.0
        self._texts = EventTexts()
        self._seen: set[tuple[int, int]] = set()

    def _words_of(self, query: str) -> list[str]:
        return unique_tokens(query)

    def _score(self, text: str) -> Score | None:
        return score(self._query, text)

    def _sections(self, file: NoteFile) -> list[Section]:
        return sections(file.text) if contains_any(self._query, file.text) else []

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
        place = self._place(base, name)
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
        if os.path.normpath(os.path.join(base, folder)) not in own:  # its files would be found twice
            place = self._place(base, name)
            self._notes(place, folder)
            self._take(place)

    def _place(self, base: str, name: str | None) -> _Place:
        prefix = "" if base == self.home else os.path.relpath(base, self.home).replace(os.sep, "/") + "/"
        return _Place(base, prefix, name, self._limit, self._floor)

    def _take(self, place: _Place) -> None:
        self.hits += place.hits
        self.damaged += place.damaged
        if self._limit is not None and len(self.hits) >= 2 * self._limit:
            self.hits = best(self.hits, self._limit)
            self._floor = self.hits[-1].score

    def _event(self, event: dict[str, object], line: int, place: _Place, file: str) -> None:
        text = self._texts.of(event)
        found = self._score(text)
        if found is None or found.value <= place.floor:
            return
        age = half_lives(event.get("ts"), self._now)
        # Most events of a long journal are too old to be shown; to see that, the C library's power will do.
        if found.value * 0.5**age * _NEARLY <= place.floor:
            return
        factor = half_to_the(age)
        if found.value * factor > place.floor:
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
            place.add(hit)

    def _notes(self, place: _Place, folder: str) -> None:
        for file in notes_of(place.base, folder, strict=self._limit is None):
            source_file = place.prefix + file.relative
            for section in self._sections(file):
                text = section_text(section)
                found = self._score(text)
                if found is None or found.value <= place.floor:
                    continue
                place.add(
                    Hit(
                        "note",
                        found,
                        source=file.name,
                        source_file=source_file,
                        line=section.line,
                        ref=section.heading,
                        text=text,
                        query_tokens=len(self._query),
                    )
                )


class _WordSearch(_Search):
    """The same with the words and entries of ``brain.recall.words``, each text once."""

    def __init__(self, home: str, query: str, now: float, limit: int | None) -> None:
        from brain.recall import words  # noqa: PLC0415 - start-up: the published ranking needs none of it

        self._by = words
        self._told: set[str] = set()
        super().__init__(home, query, now, limit)

    def _words_of(self, query: str) -> list[str]:
        return list(dict.fromkeys(self._by.words(query)))

    def _score(self, text: str) -> Score | None:
        return self._by.score(self._query, text)

    def _sections(self, file: NoteFile) -> list[Section]:
        return self._by.once(self._by.entries(file), self._told)


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


def check(query: str, scope: str, limit: int) -> None:
    """``MemError`` for an empty query, a scope or a limit that is none."""
    if not query.strip(BLANKS):
        raise MemError("the query is empty; say what to look for")
    if scope not in (PROJECT_SCOPE, PORTFOLIO_SCOPE):
        raise MemError(f"--scope takes project or portfolio, not {scope!r}")
    _check_limit(limit)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise MemError(f"--limit takes a whole number from 1 to {MAX_LIMIT}, not {limit}")
