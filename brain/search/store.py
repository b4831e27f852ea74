"""The index: one SQLite file, derived from the notes, deleted without a loss.

The full-text table holds our own terms between blanks, so that its terms are ours, and the text as it was
written in a column that is not searched. Its tokenizer is ``ascii``: it takes every other character for part
of a word, so no Unicode version of the library cuts a term. The vocabulary holds each term with its stems.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from brain.search.analyser import VERSION, terms
from brain.search.sources import Row
from brain.search.stems import stemmer
from brain.search.values import Section, Source

SCHEMA = 4
TIMEOUT = 5.0
"""Seconds that a writer waits for another."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE, project TEXT, root TEXT, kind TEXT, klass TEXT,
    size INTEGER, mtime_ns INTEGER, digest TEXT, is_text INTEGER);
CREATE TABLE note (
    id INTEGER PRIMARY KEY, source INTEGER, place INTEGER, project TEXT, klass TEXT, file TEXT, heading TEXT,
    line INTEGER, line_end INTEGER, date TEXT, status TEXT, event TEXT, length INTEGER, digest TEXT);
CREATE INDEX source_root ON source (root);
CREATE INDEX note_source ON note (source);
CREATE INDEX note_digest ON note (digest);
CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, term TEXT UNIQUE, de TEXT, en TEXT, fr TEXT);
CREATE INDEX vocabulary_de ON vocabulary (de) WHERE de IS NOT NULL;
CREATE INDEX vocabulary_en ON vocabulary (en) WHERE en IS NOT NULL;
CREATE INDEX vocabulary_fr ON vocabulary (fr) WHERE fr IS NOT NULL;
"""
_FULL_TEXT = """
CREATE VIRTUAL TABLE text USING fts5 (title, body, more, raw UNINDEXED, tokenize = 'ascii');
CREATE VIRTUAL TABLE text_terms USING fts5vocab (text, row);
CREATE VIRTUAL TABLE vocabulary_parts USING fts5 (term, content = '', detail = none, tokenize = 'trigram');
"""
_PLAIN = "CREATE TABLE text (title TEXT, body TEXT, more TEXT, raw TEXT);"

_PER_QUERY = 500  # variables of one statement, of which SQLite allows at least 999
_SHORTEST_PART = 4  # a term that is looked for inside longer ones


class Store:
    """An open index. Not shared between threads; ``engine`` is fts5 or, where SQLite has none, scan."""

    def __init__(self, connection: sqlite3.Connection, engine: str) -> None:
        self.connection = connection
        self.engine = engine

    def close(self) -> None:
        """Give the file back."""
        self.connection.close()

    def write(
        self, changes: Iterable[tuple[Source, Sequence[Section]]] = (), *, removed: Iterable[str] = ()
    ) -> None:
        """Put sources with their notes in, in place of what was known of their paths; take ``removed`` out.

        Notes that stood there before are kept, wherever they stand now. All of it or nothing: one
        transaction. Raises ``sqlite3.Error``.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            writer = _Writer(self.connection, self.engine)
            for path in removed:
                writer.remove(path)
            for source, sections in changes:
                writer.put(source, sections)
            writer.finish()
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def known(self, roots: Collection[str] | None = None) -> dict[str, Row]:
        """What the index knows of all its sources, or of those in the folders ``roots``, by path."""
        asking = "SELECT path, size, mtime_ns, root, project, kind, klass FROM source"
        if roots is None:
            return {row[0]: row for row in self.connection.execute(asking)}
        return {
            row[0]: row
            for root in roots
            for row in self.connection.execute(f"{asking} WHERE root = ?", (root,))
        }

    def digest(self, path: str) -> str:
        """The digest of the file ``path`` as it was read, empty for one that is not known."""
        row = self.connection.execute("SELECT digest FROM source WHERE path = ?", (path,)).fetchone()
        return "" if row is None else str(row[0])

    def has_root(self, roots: Sequence[str]) -> bool:
        """Whether any source of all these folders is known."""
        return all(
            self.connection.execute("SELECT 1 FROM source WHERE root = ? LIMIT 1", (root,)).fetchone()
            for root in roots
        )

    def touch(self, sources: Iterable[Source]) -> None:
        """Keep size and time of files that were saved without another text. Raises ``sqlite3.Error``."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self.connection.executemany(
                "UPDATE source SET size = ?, mtime_ns = ? WHERE path = ?",
                [(one.size, one.mtime_ns, one.path) for one in sources],
            )
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def fact(self, name: str) -> str:
        """What was kept under ``name``, empty for nothing."""
        row = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def keep_fact(self, name: str, value: str) -> None:
        """Keep ``value`` under ``name``. Raises ``sqlite3.Error``."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def has_full_text(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite was built with FTS5 and its trigrams (3.34)."""
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.probe USING fts5 (word, tokenize = 'trigram')")
        connection.execute("DROP TABLE temp.probe")
    except sqlite3.OperationalError:
        return False
    return True


def open_store(path: str, *, full_text: bool | None = None, shared_memory: bool = True) -> Store:
    """The index at ``path`` (``:memory:`` for none on the disk), made when it is not there.

    ``full_text`` False goes without FTS5 even where it is there. A new one keeps a write-ahead log, unless
    without ``shared_memory``, which a file system of the network has not. Raises ``sqlite3.Error``.
    """
    connection = sqlite3.connect(path, timeout=TIMEOUT, isolation_level=None)
    try:
        return _opened(connection, path, full_text, shared_memory=shared_memory)
    except BaseException:
        connection.close()
        raise


def _opened(
    connection: sqlite3.Connection, path: str, full_text: bool | None, *, shared_memory: bool
) -> Store:
    row = None
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        row = connection.execute("SELECT value FROM meta WHERE name = 'engine'").fetchone()
    if row is not None:
        return Store(connection, row[0])
    if path != ":memory:":
        connection.execute(f"PRAGMA journal_mode = {'WAL' if shared_memory else 'DELETE'}")
        connection.execute("PRAGMA synchronous = NORMAL")
    engine = "fts5" if full_text is not False and has_full_text(connection) else "scan"
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have made it in the meantime.
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        for statement in (_TABLES + (_FULL_TEXT if engine == "fts5" else _PLAIN)).split(";"):
            connection.execute(statement)
        facts = {"schema": SCHEMA, "analyser": VERSION, "engine": engine, "notes": 0, "words": 0}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
    connection.execute("COMMIT")
    return Store(connection, engine)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored


def _digest(section: Section) -> str:
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms, and who asks does not write

    return sha256(f"{section.title}\0{_storable(section.body)}".encode("utf-8", "replace")).hexdigest()[:32]


class _Writer:
    """One transaction: counts and new terms are gathered and written at its end."""

    def __init__(self, connection: sqlite3.Connection, engine: str) -> None:
        self._execute = connection.execute
        self._connection = connection
        self._engine = engine
        self._notes = 0
        self._words = 0
        self._terms: dict[str, None] = {}

    def remove(self, path: str) -> None:
        for (source,) in self._execute("SELECT id FROM source WHERE path = ?", (path,)).fetchall():
            rows = self._execute("SELECT id, length FROM note WHERE source = ?", (source,)).fetchall()
            for note, length in rows:
                self._remove_note(note, length)
            self._execute("DELETE FROM source WHERE id = ?", (source,))

    def put(self, source: Source, sections: Sequence[Section]) -> None:
        known = self._execute(
            "SELECT id, project, root, kind, klass FROM source WHERE path = ?", (source.path,)
        ).fetchone()
        if known is None or known[1:] != (source.project, source.root, source.kind, source.klass):
            self.remove(source.path)
            self.add(source, sections)
            return
        self._execute(
            "UPDATE source SET size = ?, mtime_ns = ?, digest = ?, is_text = ? WHERE id = ?",
            (source.size, source.mtime_ns, source.digest, source.is_text, known[0]),
        )
        self._change(known[0], source, sections)

    def _change(self, source_id: int, source: Source, sections: Sequence[Section]) -> None:
        """Write what is new, take out what is gone, move what stands elsewhere."""
        old: dict[str, list[tuple[object, ...]]] = {}
        for row in self._execute(
            "SELECT digest, id, length, place, heading, line, line_end, date, status, event FROM note"
            " WHERE source = ? ORDER BY place DESC",
            (source_id,),
        ):
            old.setdefault(row[0], []).append(row[1:])
        for place, section in enumerate(sections):
            same = old.get(_digest(section))
            if not same:
                self._add_note(source_id, place, source, section)
                continue
            note, _, *facts = same.pop()
            now = [place, section.heading, section.line, section.line_end, section.date, section.status]
            if facts != [*now, section.event]:
                self._execute(
                    "UPDATE note SET place = ?, heading = ?, line = ?, line_end = ?, date = ?, status = ?,"
                    " event = ? WHERE id = ?",
                    (*now, section.event, note),
                )
        for rows in old.values():
            for note, length, *_ in rows:
                self._remove_note(note, length)

    def _remove_note(self, note: object, length: object) -> None:
        self._execute("DELETE FROM text WHERE rowid = ?", (note,))
        self._execute("DELETE FROM note WHERE id = ?", (note,))
        self._notes -= 1
        self._words -= length if isinstance(length, int) else 0

    def add(self, source: Source, sections: Sequence[Section]) -> None:
        inserted = self._execute(
            "INSERT INTO source (path, project, root, kind, klass, size, mtime_ns, digest, is_text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(source.path, source.project, source.root, source.kind, source.klass),
                *(source.size, source.mtime_ns, source.digest, source.is_text),
            ),
        ).lastrowid
        for place, section in enumerate(sections):
            self._add_note(inserted, place, source, section)

    def _add_note(self, source_id: int | None, place: int, source: Source, section: Section) -> None:
        raw = _storable(section.body)
        title, title_more = terms(section.title)
        body, body_more = terms(raw)
        more = title_more + body_more
        length = len(title) + len(body)
        digest = _digest(section)
        note = self._execute(
            "INSERT INTO note (source, place, project, klass, file, heading, line, line_end, date, status,"
            " event, length, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(source_id, place, source.project, source.klass, source.path, section.heading, section.line),
                *(section.line_end, section.date, section.status, section.event, length, digest),
            ),
        ).lastrowid
        self._execute(
            "INSERT INTO text (rowid, title, body, more, raw) VALUES (?, ?, ?, ?, ?)",
            (note, " ".join(title), " ".join(body), " ".join(more), raw),
        )
        self._notes += 1
        self._words += length
        self._terms.update(dict.fromkeys(title))
        self._terms.update(dict.fromkeys(body))
        self._terms.update(dict.fromkeys(more))

    def finish(self) -> None:
        new = self._new_terms()
        if new:
            self._add_terms(new)
        for name, difference in (("notes", self._notes), ("words", self._words)):
            self._execute("UPDATE meta SET value = value + ? WHERE name = ?", (difference, name))

    def _new_terms(self) -> list[str]:
        asked = list(self._terms)
        known: set[str] = set()
        for at in range(0, len(asked), _PER_QUERY):
            some = asked[at : at + _PER_QUERY]
            marks = ",".join("?" * len(some))
            asking = f"SELECT term FROM vocabulary WHERE term IN ({marks})"  # noqa: S608 - only question marks
            rows = self._execute(asking, some)
            known.update(term for (term,) in rows)
        return [term for term in asked if term not in known]

    def _add_terms(self, new: list[str]) -> None:
        stems = stemmer()
        (last,) = self._execute("SELECT coalesce(max(id), 0) FROM vocabulary").fetchone()
        numbered = list(enumerate(new, last + 1))
        self._connection.executemany(
            "INSERT INTO vocabulary VALUES (?, ?, ?, ?, ?)",
            ((number, term, *(stems(term) or (None, None, None))) for number, term in numbered),
        )
        if self._engine == "fts5":
            self._connection.executemany(
                "INSERT INTO vocabulary_parts (rowid, term) VALUES (?, ?)",
                (row for row in numbered if len(row[1]) >= _SHORTEST_PART and row[1].isalpha()),
            )
