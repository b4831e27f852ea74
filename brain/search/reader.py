"""What the index is asked; every answer is in an order that does not depend on how the index came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from brain.search.stems import LANGUAGES, Stems
from brain.search.store import Store
from brain.search.values import Query

_PER_QUERY = 500
# Of title, body, and joined forms and parts.
COLUMN_WEIGHTS = (1.5, 1.0, 0.6)


_Row = tuple[int, str, str, str, int, str, str, int, str, str, str, str]


class Note:
    """A candidate: where it stands and its terms."""

    __slots__ = (
        "body",
        "date",
        "digest",
        "file",
        "id",
        "klass",
        "length",
        "line",
        "more",
        "project",
        "status",
        "title",
    )

    def __init__(self, row: _Row) -> None:
        self.id, self.project, self.klass, self.file, self.line, self.date, self.status, self.length = row[:8]
        self.digest, self.title, self.body, self.more = row[8:]


class Reader:
    """Questions to an index with FTS5."""

    def __init__(self, store: Store) -> None:
        self._execute = store.connection.execute
        self.engine = store.engine
        facts = dict(
            self._execute("SELECT name, value FROM meta WHERE name IN ('notes', 'words')").fetchall()
        )
        self.notes: int = facts["notes"]
        self.average: float = facts["words"] / self.notes if self.notes else 1.0

    # Vocabulary: terms may be among them that no note holds any more.

    def stems(self, term: str) -> Stems | None:
        """The stems stored for ``term``, None when the index does not know it."""
        row = self._execute("SELECT de, en, fr FROM vocabulary WHERE term = ?", (term,)).fetchone()
        return None if row is None else (row[0] or "", row[1] or "", row[2] or "")

    def same_stem(self, stems: Stems) -> list[str]:
        """The terms that share a stem in one of the languages."""
        asked = " UNION ".join(
            f"SELECT term FROM vocabulary WHERE {language} = ?"  # noqa: S608 - of three names
            for language, stem in zip(LANGUAGES, stems, strict=True)
            if stem
        )
        if not asked:
            return []
        return [term for (term,) in self._execute(f"{asked} ORDER BY 1", [stem for stem in stems if stem])]

    def of_german_stems(self, stems: Sequence[str]) -> list[tuple[str, str]]:
        """The terms with one of the German ``stems``, each with its stem."""
        marks = ",".join("?" * len(stems))
        asking = f"SELECT term, de FROM vocabulary WHERE de IN ({marks}) ORDER BY term"  # noqa: S608 - only question marks
        return self._execute(asking, stems).fetchall()

    def containing(self, part: str) -> list[str]:
        """The alphabetic terms in which the letters ``part`` (four or more) stand together."""
        grams = dict.fromkeys(part[at : at + 3] for at in range(len(part) - 2))
        match = " AND ".join(f'"{gram}"' for gram in grams)
        rows = self._execute(
            "SELECT term FROM vocabulary WHERE id IN"
            " (SELECT rowid FROM vocabulary_parts WHERE vocabulary_parts MATCH ?) ORDER BY term",
            (match,),
        )
        return [term for (term,) in rows if part in term]

    def near(self, initial: str, shortest: int, longest: int) -> list[str]:
        """The terms of ``shortest`` to ``longest`` characters that begin with the character ``initial``."""
        rows = self._execute(
            "SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
            " ORDER BY term",
            (initial, chr(ord(initial) + 1), shortest, longest),
        )
        return [term for (term,) in rows]

    # Notes

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """How many notes hold each of ``terms``; those that no note holds are not there."""
        counted: dict[str, int] = {}
        for some in _portions(list(dict.fromkeys(terms))):
            marks = ",".join("?" * len(some))
            asking = f"SELECT term, doc FROM text_terms WHERE term IN ({marks})"  # noqa: S608 - only question marks
            counted.update(self._execute(asking, some).fetchall())
        return counted

    def count_any(self, terms: Sequence[str]) -> int:
        """How many notes hold at least one of ``terms`` (several words: next to each other)."""
        (count,) = self._execute("SELECT count(*) FROM text WHERE text MATCH ?", (_any(terms),)).fetchone()
        return int(count)

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """The notes that hold any of ``terms``, best first by BM25: one of each text, at most ``limit``."""
        conditions, values = selected(query)
        weights = ", ".join(map(str, COLUMN_WEIGHTS))
        rows = self._execute(
            "SELECT note.id, note.digest FROM text JOIN note ON note.id = text.rowid"  # noqa: S608 - our own conditions
            f" WHERE text MATCH ?{conditions} ORDER BY bm25(text, {weights}),"
            " note.date DESC, note.project, note.file, note.line",
            (_any(terms), *values),
        )
        return distinct(rows, limit)

    def read(self, ids: Sequence[int]) -> list[Note]:
        """The notes ``ids`` with their terms, in that order."""
        read: dict[int, Note] = {}
        for some in _portions(list(ids)):
            marks = ",".join("?" * len(some))
            asking = (
                "SELECT note.id, project, klass, file, line, date, status, length, digest, title, body, more"  # noqa: S608 - only question marks
                f" FROM note JOIN text ON text.rowid = note.id WHERE note.id IN ({marks})"
            )
            read.update((row[0], Note(row)) for row in self._execute(asking, some))
        return [read[note] for note in ids]

    def shown(self, note: int) -> tuple[str, str, str, int, str, str]:
        """Root, kind, heading, last line, event and raw text of a note."""
        row: tuple[str, str, str, int, str, str] = self._execute(
            "SELECT source.root, source.kind, note.heading, note.line_end, note.event, text.raw FROM note"
            " JOIN source ON source.id = note.source JOIN text ON text.rowid = note.id WHERE note.id = ?",
            (note,),
        ).fetchone()
        return row

    def copies(self, digest: str, query: Query, most: int) -> list[tuple[int, str, int]]:
        """The first ``most`` notes of one text in the scope by project, file and line: id, file, line."""
        conditions, values = selected(query)
        return self._execute(
            "SELECT id, file, line FROM note"  # noqa: S608 - our own conditions
            f" WHERE digest = ?{conditions} ORDER BY project, file, line LIMIT ?",
            (digest, *values, most),
        ).fetchall()


def has_vectors(store: Store) -> bool:
    """Whether notes were ever given vectors: else nothing of ``semantic`` need be loaded."""
    found = store.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector'").fetchone()
    return found is not None


def _any(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def _portions(values: list[str] | list[int]) -> Iterator[list[str] | list[int]]:
    for at in range(0, len(values), _PER_QUERY):
        yield values[at : at + _PER_QUERY]


def selected(query: Query) -> tuple[str, list[str]]:
    """The conditions on ``note`` that ``query`` sets, and their values."""
    conditions, values = "", []
    if query.scope == "project":
        conditions += " AND note.project = ?"
        values.append(query.project)
    elif query.scope == "brain":
        conditions += " AND note.project = ''"
    if query.klass:
        conditions += " AND note.klass = ?"
        values.append(query.klass)
    if query.since:
        conditions += " AND note.date >= ?"
        values.append(query.since)
    return conditions, values


def distinct(rows: Iterable[tuple[int, str]], limit: int) -> list[int]:
    """The first note of each text among ``rows`` of note and digest, at most ``limit``."""
    ids: list[int] = []
    seen: set[str] = set()
    for note, digest in rows:
        if digest not in seen:
            seen.add(digest)
            ids.append(note)
            if len(ids) == limit:
                break
    return ids
