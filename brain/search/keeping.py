"""Keeps the index like the files: opened and mended, brought up to date, checked.

The index is derived, so that whatever is wrong with it is mended by making it anew; what was wrong is told.
Only one process at a time makes one, under a lock of the kernel beside the file. What changed is told by size
and time first, by the text second. A large change that an answer cannot wait for is left, and counted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from stat import S_ISREG

from brain.search.analyser import VERSION
from brain.search.sources import Listed, Row, source_of
from brain.search.store import SCHEMA, Store, has_full_text, open_store
from brain.search.values import Source
from brain.value import Value

MISSING = "missing"
DAMAGED = "damaged"
DRIFT = "drift"
OTHER_VERSION = "version"
OTHER_ENGINE = "engine"
HALF_BUILT = "half-built"
FORCED = "forced"
"""Why an index was made anew."""

CHECKED_NOTES = 2000
"""Up to so many notes the whole index is checked each time; it costs 5 ms."""

_BUILDING = "building"
_RACY_NS = 2_000_000_000
_UNSURE = 0
"""The time of a file that was saved so shortly before it was read that it may have been saved once more."""

_BATCH_FILES, _BATCH_BYTES = 500, 2 * 1024 * 1024
_LOCK_SECONDS = 60.0
_PAUSE = 0.05


class Waiter(Value):
    """Who waits for the work.

    ``ask`` is called between two batches of files; what it raises ends the work, and what was done stays.
    ``told`` then hears how many of how many files are done.
    """

    __slots__ = ("ask", "told")

    def __init__(
        self,
        ask: Callable[[], None] = lambda: None,
        told: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        self.ask = ask
        self.told = told


NOBODY = Waiter()


class Budget(Value):
    """How much may be read before an answer: files and bytes."""

    __slots__ = ("files", "size")

    def __init__(self, files: int, size: int) -> None:
        self.files = files
        self.size = size


SMALL = Budget(300, 1024 * 1024)


class Refreshed(Value):
    """What bringing up to date came to: counts of files.

    ``stale`` are those that the index does not have as they are; ``skipped`` those that could not be read, as
    (path, why).
    """

    __slots__ = ("added", "changed", "removed", "skipped", "stale")

    def __init__(
        self,
        added: int = 0,
        changed: int = 0,
        removed: int = 0,
        stale: int = 0,
        skipped: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.added = added
        self.changed = changed
        self.removed = removed
        self.stale = stale
        self.skipped = skipped


class State(Value):
    """An index after it was brought up to date, or as it stands.

    ``integrity`` is ``ok``, ``missing``, or what is wrong; ``size`` in bytes; ``left_out`` counts files
    beyond what is searched of one place, and those without text; ``why_not`` says why no file can be kept,
    empty where one is.
    """

    __slots__ = (
        *("done", "engine", "files", "integrity", "left_out", "notes", "path", "rebuilt", "size", "why_not"),
    )

    def __init__(
        self,
        path: str,
        *,
        engine: str = "",
        files: int = 0,
        notes: int = 0,
        size: int = 0,
        left_out: int = 0,
        rebuilt: str = "",
        integrity: str = "ok",
        why_not: str = "",
        done: Refreshed | None = None,
    ) -> None:
        self.path = path
        self.engine = engine
        self.files = files
        self.notes = notes
        self.size = size
        self.left_out = left_out
        self.rebuilt = rebuilt
        self.integrity = integrity
        self.why_not = why_not
        self.done = done or Refreshed()


class Changes(Value):
    """What the files and the index differ in: paths that are gone, files that are new or look changed.

    ``settled`` are files of which that was not certain, and that turned out to be the same.
    """

    __slots__ = ("gone", "known", "news", "settled")

    def __init__(
        self,
        gone: tuple[str, ...],
        news: tuple[Source, ...],
        known: dict[str, Row],
        settled: tuple[Source, ...] = (),
    ) -> None:
        self.gone = gone
        self.news = news
        self.known = known
        self.settled = settled

    @property
    def count(self) -> int:
        """How many files that are."""
        return len(self.gone) + len(self.news)


class Index:
    """An open index.

    ``rebuilt`` says why it was made anew, empty when it was not; it is then still to be filled. ``on_disk``
    is false where no file can be kept: ``why_not`` tells the reason, and everything is read each time.
    """

    def __init__(self, path: str, store: Store, *, rebuilt: str = "", why_not: str = "") -> None:
        self.path = path
        self.store = store
        self.rebuilt = rebuilt
        self.why_not = why_not

    @property
    def on_disk(self) -> bool:
        """Whether it will be there next time."""
        return not self.why_not

    def close(self) -> None:
        """Give the file back."""
        self.store.close()


# -- opening and mending ------------------------------------------------------------------------------------


def open_index(
    path: str,
    *,
    shared_memory: Callable[[], bool] = lambda: True,
    full_text: bool | None = None,
    force: bool = False,
    thorough: bool = False,
) -> Index:
    """The index in the file ``path``, made or mended where need be; never raises for what stands there.

    ``shared_memory`` is asked for a new file whether its file system has some; without, no write-ahead log is
    kept. ``full_text`` False goes without FTS5. ``force`` makes it anew. A large index is only checked as a
    whole when ``thorough``.
    """
    opener = _Opener(path, shared_memory, full_text, thorough=thorough)
    try:
        return opener.open(force=force)
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Index(path, open_store(":memory:", full_text=full_text), rebuilt=MISSING, why_not=why)


def mend(index: Index, *, shared_memory: Callable[[], bool] = lambda: True) -> Index:
    """A new index in place of one that turned out to be damaged while it was used."""
    index.close()
    renewed = open_index(index.path, shared_memory=shared_memory, force=True)
    renewed.rebuilt = DAMAGED
    return renewed


class _Opener:
    def __init__(
        self, path: str, shared_memory: Callable[[], bool], full_text: bool | None, *, thorough: bool
    ) -> None:
        self._path = path
        self._shared_memory = shared_memory
        self._full_text = full_text
        self._thorough = thorough

    def open(self, *, force: bool) -> Index:
        store, why = (None, FORCED) if force else self._opened()
        if store is not None:
            return Index(self._path, store, rebuilt=why)
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        with _lock(self._path):
            if not force:
                # Somebody else may have made it while we waited.
                store, why = self._opened()
            if store is None:
                vectors = _vectors_of(self._path)
                _remove(self._path)
                store = self._made()
                if vectors:
                    _keep_vectors(store, vectors)
            return Index(self._path, store, rebuilt=why)

    def _made(self) -> Store:
        # Made by us first, or it would be open to all whom the mask of the process lets in.
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))
        store = open_store(self._path, full_text=self._full_text, shared_memory=self._shared_memory())
        store.keep_fact(_BUILDING, "1")
        return store

    def _opened(self) -> tuple[Store | None, str]:
        """The sound index, or None and what is wrong with it; ``half-built`` is sound, but not whole."""
        try:
            status = os.lstat(self._path)
        except FileNotFoundError:
            return None, MISSING
        if not S_ISREG(status.st_mode):
            raise OSError(None, "something stands there that is no file")
        if not status.st_size:
            return None, HALF_BUILT
        store = None
        try:
            store = _as_it_is(self._path)
            why = self._ailing(store) if store is not None else DAMAGED
        except sqlite3.OperationalError as error:
            if not _is_damage(error):
                raise
            why = DAMAGED
        except sqlite3.DatabaseError:
            why = DAMAGED
        if not why and store is not None:
            return store, HALF_BUILT if store.fact(_BUILDING) else ""
        if store is not None:
            store.close()
        return None, why

    def _ailing(self, store: Store) -> str:
        if store.fact("schema") != str(SCHEMA) or store.fact("analyser") != str(VERSION):
            return OTHER_VERSION
        wants = self._full_text is not False and (store.engine == "fts5" or has_full_text(store.connection))
        if store.engine != ("fts5" if wants else "scan"):
            return OTHER_ENGINE
        return check(store, thorough=self._thorough)


def _as_it_is(path: str) -> Store | None:
    """The index that stands at ``path``; None for a database of another kind."""
    if not _has_meta(path):
        return None
    return open_store(path)


def _has_meta(path: str) -> bool:
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    try:
        found = connection.execute("SELECT value FROM meta WHERE name = 'engine'").fetchone()
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise
        return False
    finally:
        connection.close()
    return found is not None


_NO_NOTE = " OR ".join(
    f"typeof({name}) != '{kind}'"
    for kind, names in (
        ("integer", ("source", "line", "line_end", "length")),
        ("text", ("project", "klass", "file", "heading", "date", "status", "event", "digest")),
    )
    for name in names
)
_TERMS_LOST = "SELECT 1 FROM text_terms WHERE term NOT IN (SELECT term FROM vocabulary) LIMIT 1"


def check(store: Store, *, thorough: bool = False) -> str:
    """What is wrong with the index: ``drift`` when its parts disagree; empty when it is sound.

    Raises ``sqlite3.DatabaseError`` for a damaged file.
    """
    ask = store.connection.execute
    facts = dict(ask("SELECT name, value FROM meta WHERE name IN ('notes', 'words')").fetchall())
    notes, words = facts.get("notes"), facts.get("words")
    if not isinstance(notes, int) or not isinstance(words, int):
        return DRIFT
    (counted,) = ask("SELECT count(*) FROM note").fetchone()
    if counted != notes or (words > 0 and not ask("SELECT 1 FROM vocabulary LIMIT 1").fetchone()):
        return DRIFT
    if not thorough and notes > CHECKED_NOTES:
        return ""
    if ask(f"SELECT 1 FROM note WHERE {_NO_NOTE} LIMIT 1").fetchone():  # noqa: S608 - our own condition
        return DRIFT
    (texts,) = ask("SELECT count(*) FROM text").fetchone()
    (lost,) = ask("SELECT count(*) FROM note WHERE source NOT IN (SELECT id FROM source)").fetchone()
    (unread,) = ask("SELECT count(*) FROM note WHERE id NOT IN (SELECT rowid FROM text)").fetchone()
    if texts != notes or lost or unread:
        return DRIFT
    if store.engine == "fts5":
        try:
            ask("INSERT INTO text (text, rank) VALUES ('integrity-check', 1)")
        except sqlite3.OperationalError as error:
            if _is_damage(error):
                return DRIFT
        except sqlite3.DatabaseError:
            return DRIFT
        if thorough and ask(_TERMS_LOST).fetchone():
            return DRIFT
    return ""


def _is_damage(error: sqlite3.OperationalError) -> bool:
    """Whether it is the file that is wrong, not that somebody else is writing or that the disk is full."""
    text = str(error)
    return any(word in text for word in ("malformed", "no such", "not a database", "has no column", "vtable"))


def _vectors_of(path: str) -> list[tuple[str, str, bytes]]:
    """The vectors of an index that is to be made anew: they belong to texts, and cost minutes."""
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
        rows = connection.execute("SELECT digest, model, vector FROM vector").fetchall()
    except sqlite3.Error:
        return []
    finally:
        if connection is not None:
            connection.close()
    lengths: dict[str, int] = {}
    return [
        (digest, model, vector)
        for digest, model, vector in rows
        if isinstance(digest, str)
        and isinstance(model, str)
        and isinstance(vector, bytes)
        and len(vector) == lengths.setdefault(model, len(vector))
    ]


def _keep_vectors(store: Store, vectors: list[tuple[str, str, bytes]]) -> None:
    from brain.search.semantic import put_vectors  # noqa: PLC0415 - only where the extra was used

    put_vectors(store, vectors)


def _remove(path: str) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(path + ending)


@contextmanager
def _lock(path: str) -> Iterator[bool]:
    """The lock of those who make an index; false where it could not be had in time, or there is none."""
    from brain.files.kernel_lock import poll, try_lock  # noqa: PLC0415 - start-up: only to make an index

    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(f"{path}.lock", flags, 0o600)
    except OSError:
        yield False
        return
    try:
        try:
            yield poll(lambda: try_lock(descriptor), time.monotonic() + _LOCK_SECONDS, _PAUSE)
        except OSError as error:
            if error.filename is not None:
                raise
            yield False
    finally:
        os.close(descriptor)


# -- bringing up to date ------------------------------------------------------------------------------------


def changes(index: Index, listed: Listed, *, roots: Collection[str] | None = None) -> Changes:
    """What differs between the files that were ``listed`` and the index.

    With ``roots`` only the places in these folders were listed, and others stay as they are.
    """
    known = index.store.known(roots)
    if known == listed.rows:
        return Changes((), (), known)
    gone = tuple(sorted(path for path in known if path not in listed.rows))
    news: list[Source] = []
    settled: list[Source] = []
    for path in sorted(listed.rows):
        row, before = listed.rows[path], known.get(path)
        if row != before:
            source = source_of(row)
            is_settled = (
                before is not None and before[2] == _UNSURE and _has_text_of(index.store, before, source)
            )
            (settled if is_settled else news).append(source)
    return Changes(gone, tuple(news), known, tuple(settled))


def _has_text_of(store: Store, before: Row, source: Source) -> bool:
    if before[1] != source.size or before[3:] != (source.root, source.project, source.kind, source.klass):
        return False
    data = _data_of(source)
    return isinstance(data, bytes) and _digest(data) == store.digest(source.path)


def _data_of(source: Source) -> bytes | str:
    """The bytes of a file, or why it cannot be read; size and time of ``source`` become those of the file."""
    from brain.files.reading import UnreadableError, read_seen  # noqa: PLC0415 - start-up: only after a change
    from brain.search.sources import FILE_CAP  # noqa: PLC0415 - as above

    try:
        seen = read_seen(source.path, FILE_CAP)
    except UnreadableError as error:
        return error.message
    data = seen.data or b""
    source.mtime_ns, source.size = seen.stamp[0], len(data)
    return data


def refresh(
    index: Index,
    listed: Listed,
    *,
    roots: Collection[str] | None = None,
    budget: Budget | None = None,
    started_ns: int = 0,
    waiter: Waiter = NOBODY,
) -> Refreshed:
    """Bring the index up to date with the files ``listed`` (see ``changes``).

    With a ``budget`` only as much is read as it admits, the newest first, and the rest is told as stale; an
    index that was just made, or is half built, is always filled. ``started_ns`` is the clock when the files
    were listed: what was saved so shortly before might be saved again without another time, and is looked at
    again. Raises ``sqlite3.Error`` for a damaged index, and what the ``waiter`` raises.
    """
    if index.rebuilt:
        with _lock(index.path) if index.on_disk else _no_lock():
            done = _Refreshing(index, listed, None, started_ns, waiter).run(roots)
    else:
        done = _Refreshing(index, listed, budget, started_ns, waiter).run(roots)
    if index.rebuilt and not done.stale and index.store.fact(_BUILDING):
        index.store.connection.execute("DELETE FROM meta WHERE name = ?", (_BUILDING,))
    return done


@contextmanager
def _no_lock() -> Iterator[bool]:
    yield False


def state_of(index: Index, listed: Listed, done: Refreshed) -> State:
    """How ``index`` stands after ``done``. Raises ``sqlite3.DatabaseError`` for a damaged file."""
    ask = index.store.connection.execute
    size = 0
    for ending in ("", "-wal") if index.on_disk else ():
        with suppress(OSError):
            size += os.stat(index.path + ending).st_size
    return State(
        index.path,
        engine=index.store.engine,
        files=ask("SELECT count(*) FROM source").fetchone()[0],
        notes=ask("SELECT count(*) FROM note").fetchone()[0],
        size=size,
        left_out=listed.left_out + ask("SELECT count(*) FROM source WHERE NOT is_text").fetchone()[0],
        rebuilt=index.rebuilt,
        integrity=check(index.store, thorough=True) or "ok",
        why_not=index.why_not,
        done=done,
    )


class _Refreshing:
    def __init__(
        self, index: Index, listed: Listed, budget: Budget | None, started_ns: int, waiter: Waiter
    ) -> None:
        self._store = index.store
        self._index = index
        self._listed = listed
        self._budget = budget
        self._limit = started_ns - _RACY_NS if started_ns else None
        self._waiter = waiter
        self._added = self._changed = self._removed = self._done = 0
        self._skipped: list[tuple[str, str]] = []

    def run(self, roots: Collection[str] | None) -> Refreshed:
        found = changes(self._index, self._listed, roots=roots)
        self._settle(found.settled)
        if not found.count:
            return Refreshed()
        wanted = self._within_budget(found.news)
        try:
            gone: Sequence[str] = found.gone
            done = 0
            for batch in _batches(wanted):
                self._waiter.ask()
                self._write(batch, gone, found.known)
                gone = ()
                done += len(batch)
                self._waiter.told(done, len(wanted))
            if gone:
                self._write([], gone, found.known)
        except sqlite3.OperationalError as error:
            # Somebody else is writing for longer than one waits, or the disk is full: then it is stale.
            if _is_damage(error):
                raise
        stale = len(found.news) + len(found.gone) - self._done
        return Refreshed(self._added, self._changed, self._removed, stale, tuple(self._skipped))

    def _settle(self, sources: Sequence[Source]) -> None:
        for source in sources:
            self._mark_unsure(source)
        certain = [source for source in sources if source.mtime_ns != _UNSURE]
        if certain:
            with suppress(sqlite3.OperationalError):
                self._store.touch(certain)

    def _within_budget(self, news: Sequence[Source]) -> list[Source]:
        if self._budget is None:
            return list(news)
        newest = sorted(news, key=lambda source: (-source.mtime_ns, source.path))
        wanted: list[Source] = []
        size = 0
        for source in newest[: self._budget.files]:
            size += source.size
            if size > self._budget.size:
                break
            wanted.append(source)
        return wanted

    def _write(self, batch: Sequence[Source], gone: Sequence[str], known: dict[str, Row]) -> None:
        # Start-up: only where something changed.
        from brain.search.sections import is_text, sections  # noqa: PLC0415 - as above

        texts, touched, added = [], [], 0
        removed = list(gone)
        for source in batch:
            data = self._read(source)
            before = known.get(source.path)
            if data is None:
                if before is not None:
                    removed.append(source.path)
            elif before is not None and self._is_touched(before, source):
                touched.append(source)
            else:
                source.is_text = is_text(data, source.kind)
                texts.append((source, sections(data, source.kind, source.path)))
                added += before is None
        if touched:
            self._store.touch(touched)
        if texts or removed:
            self._store.write(texts, removed=removed)
        self._done += len(batch) + len(gone)
        self._added += added
        self._changed += len(texts) - added
        self._removed += len(removed)

    def _is_touched(self, before: Row, source: Source) -> bool:
        facts = (source.root, source.project, source.kind, source.klass)
        return before[3:] == facts and self._store.digest(source.path) == source.digest

    def _read(self, source: Source) -> bytes | None:
        """The bytes of a file; ``source`` gets their digest."""
        data = _data_of(source)
        if isinstance(data, str):
            self._skipped.append((source.path, data))
            return None
        self._mark_unsure(source)
        source.digest = _digest(data)
        return data

    def _mark_unsure(self, source: Source) -> None:
        if self._limit is not None and source.mtime_ns > self._limit:
            source.mtime_ns = _UNSURE


def _batches(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """``sources`` in portions that are written together: a writer that waits shall not wait long."""
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += source.size
        if len(batch) == _BATCH_FILES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _digest(data: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms, and who asks does not write

    return sha256(data).hexdigest()
