"""The same questions to an index without FTS5: every note is looked at.

The candidates are ranked by the formula and the constants of FTS5, so that the answers are in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from brain.search.reader import COLUMN_WEIGHTS, Reader, distinct, selected
from brain.search.store import Store
from brain.search.values import Query

_K1 = 1.2
_B = 0.75
_SMALLEST_IDF = 1e-6  # FTS5's for what stands in more than half of the notes


class PlainReader(Reader):
    """Questions to an index whose text lies in a plain table; reads all of it once."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._columns: dict[int, tuple[list[str], ...]] = {}
        self._texts: dict[int, tuple[str, str]] = {}
        self._holding: dict[str, set[int]] = {}
        words = 0
        for note, title, body, more in self._execute(
            "SELECT rowid, title, body, more FROM text ORDER BY rowid"
        ):
            self._columns[note] = columns = (title.split(), body.split(), more.split())
            self._texts[note] = (f" {title} ", f" {body} ")
            words += sum(map(len, columns))
            for column in columns:
                for term in column:
                    self._holding.setdefault(term, set()).add(note)
        self._average_row = words / len(self._columns) if self._columns else 1.0

    def containing(self, part: str) -> list[str]:
        """The alphabetic terms in which the letters ``part`` stand together."""
        rows = self._execute("SELECT term FROM vocabulary WHERE instr(term, ?) ORDER BY term", (part,))
        return [term for (term,) in rows if term.isalpha()]

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """How many notes hold each of ``terms``; those that no note holds are not there."""
        return {term: len(self._holding[term]) for term in terms if term in self._holding}

    def count_any(self, terms: Sequence[str]) -> int:
        """How many notes hold at least one of ``terms`` (several words: next to each other)."""
        return len(set().union(*(self._notes_with(term) for term in terms)))

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """The notes that hold any of ``terms``, best first by BM25: one of each text, at most ``limit``."""
        conditions, values = selected(query)
        held = [(term, notes) for term in terms if (notes := self._notes_with(term))]
        wanted = set().union(*(notes for _, notes in held))
        rows = self._execute(
            "SELECT id, digest, date, project, file, line FROM note WHERE 1" + conditions,  # noqa: S608 - our own conditions
            values,
        )
        ranked = sorted((row for row in rows if row[0] in wanted), key=lambda row: (row[3], row[4], row[5]))
        ranked.sort(key=lambda row: row[2], reverse=True)
        scores = {row[0]: self._bm25(row[0], held) for row in ranked}
        ranked.sort(key=lambda row: scores[row[0]], reverse=True)
        return distinct(((row[0], row[1]) for row in ranked), limit)

    def _notes_with(self, term: str) -> set[int]:
        words = term.split()
        notes = set.intersection(*(self._holding.get(word, set()) for word in words))
        if len(words) == 1:
            return notes
        phrase = f" {term} "
        return {note for note in notes if any(phrase in text for text in self._texts[note])}

    def _bm25(self, note: int, held: list[tuple[str, set[int]]]) -> float:
        columns = self._columns[note]
        norm = _K1 * (1.0 - _B + _B * sum(map(len, columns)) / self._average_row)
        total = 0.0
        for term, notes in held:
            if note not in notes:
                continue
            idf = log((len(self._columns) - len(notes) + 0.5) / (len(notes) + 0.5))
            frequency = self._frequency(note, term)
            total += (idf if idf > 0 else _SMALLEST_IDF) * (frequency * (_K1 + 1.0)) / (frequency + norm)
        return total

    def _frequency(self, note: int, term: str) -> float:
        if " " in term:
            title, body = (text.count(f" {term} ") for text in self._texts[note])
            return title * COLUMN_WEIGHTS[0] + body * COLUMN_WEIGHTS[1]
        pairs = zip(self._columns[note], COLUMN_WEIGHTS, strict=True)
        return sum(column.count(term) * weight for column, weight in pairs)
