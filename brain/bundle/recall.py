"""What is known about something, in one bundle within a budget: notes that answer, and their neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brain.bundle.blocks import Place, visible
from brain.bundle.graph import Graph, notes_at
from brain.bundle.muted import Marks
from brain.bundle.names import stem
from brain.bundle.packing import Bundle, LeftOut, Note, pack
from brain.bundle.tokens import tokens
from brain.search import ranking
from brain.search.analyser import asked
from brain.search.search import LEAST, reader_of, search, wanted_words
from brain.search.store import Store
from brain.search.values import Hit, Query
from brain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.semantic import Model

BUDGET, DEPTH, DEEPEST = 4000, 1, 3
MUTED, LOW, ARCHIVED = "muted", "low confidence", "archived"
"""Why something was left out, besides what packing says."""

_HITS, _MOST_HITS = 30, 100
_PER_HIT = 130  # tokens of the budget: more room, more hits that are looked at
_MOST_REACHED = 300
_MOST_NEIGHBOURS = 60
_USERS = "remembered"


class Wish(Value):
    """What is to be recalled.

    ``scope`` and ``project`` are those of a search; ``with_user`` adds what is remembered of the user.
    ``cap`` is the most of one file in tokens, None for half of the budget. ``names`` are the projects by
    folder.
    """

    __slots__ = ("budget", "cap", "depth", "names", "now", "project", "scope", "text", "with_user")

    def __init__(
        self,
        text: str,
        *,
        scope: str = "portfolio",
        project: str = "",
        with_user: bool = False,
        budget: int = BUDGET,
        depth: int = DEPTH,
        cap: int | None = None,
        now: float | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.text = text
        self.scope = scope
        self.project = project
        self.with_user = with_user
        self.budget = budget
        self.depth = depth
        self.cap = cap
        self.now = now
        self.names = names or {}


class Recalled(Value):
    """The bundle and all that is not in it.

    ``total`` notes answer, of which 30 to 100, by the budget, are looked at; ``is_low``: none surely does.
    """

    __slots__ = ("bundle", "engine", "is_low", "left_out", "total")

    def __init__(
        self, bundle: Bundle, left_out: tuple[LeftOut, ...], *, total: int, engine: str, is_low: bool
    ) -> None:
        self.bundle = bundle
        self.left_out = left_out
        self.total = total
        self.engine = engine
        self.is_low = is_low


def recall(store: Store, wish: Wish, model: Model | None = None) -> Recalled:
    """The bundle for ``wish``; with a ``model`` by meaning as well. Raises ``sqlite3.Error``."""
    return _Recall(store, wish, model).recalled()


class _Candidate:
    """A note on its way into the bundle."""

    __slots__ = ("hop", "id", "relevance")

    def __init__(self, note: int, hop: int, relevance: float) -> None:
        self.id = note
        self.hop = hop
        self.relevance = relevance


class _Recall:
    def __init__(self, store: Store, wish: Wish, model: Model | None) -> None:
        self._store = store
        self._wish = wish
        self._model = model
        self._reader = reader_of(store)
        self._wanted = wanted_words(self._reader, asked(wish.text).groups)
        self._marks = Marks()
        self._left_out: list[LeftOut] = []

    def recalled(self) -> Recalled:
        found, total, engine = self._hits()
        sure = any(hit.confidence == "high" for hit in found)
        kept = [hit for hit in found if not sure or _counts(hit)]
        for hit in found:
            if sure and not _counts(hit):
                self._leave(hit, LOW)
        candidates = self._candidates(kept)
        bundle = pack(self._notes(candidates), self._wish.budget, self._wish.cap)
        return Recalled(
            bundle,
            (*bundle.left_out, *self._left_out),
            total=total,
            engine=engine,
            is_low=bool(found) and not sure,
        )

    # -- the hits ------------------------------------------------------------------------------------------

    def _hits(self) -> tuple[list[Hit], int, str]:
        found = search(self._store, self._query(self._wish.scope, self._wish.project), self._model)
        results, total = list(found.results), found.total
        if self._wish.with_user and self._wish.scope == "project":
            of_user = search(self._store, self._query("brain", "", klass="memory"), self._model).results
            mine = [hit for hit in of_user if hit.kind == _USERS]
            results += mine
            total += len(mine)
            results.sort(key=lambda hit: (-hit.score, hit.project, hit.file, hit.line))
        kept = []
        for hit in results:
            if self._marks.is_muted(hit.file):
                self._leave(hit, MUTED)
            elif hit.status == ARCHIVED:
                self._leave(hit, ARCHIVED)
            else:
                kept.append(hit)
        return kept, total, found.engine

    def _query(self, scope: str, project: str, klass: str = "") -> Query:
        limit = min(_MOST_HITS, max(_HITS, self._wish.budget // _PER_HIT))
        return Query(
            self._wish.text, scope=scope, project=project, klass=klass, limit=limit, now=self._wish.now
        )

    def _leave(self, hit: Hit, why: str) -> None:
        size = tokens(hit.body or hit.heading)
        self._left_out.append(LeftOut(hit.project, hit.file, hit.line, size=size, why=why))

    # -- the neighbours ------------------------------------------------------------------------------------

    def _candidates(self, hits: Sequence[Hit]) -> list[_Candidate]:
        ids = notes_at(self._store, [(hit.file, hit.line, hit.body) for hit in hits])
        known = [(note, hit) for note, hit in zip(ids, hits, strict=True) if note is not None]
        found = {note: _Candidate(note, 0, hit.score) for note, hit in known}
        if self._wish.depth and known:
            graph = Graph(self._store, self._files(), self._marks.is_muted)
            seeds = [(note, hit.file, hit.score) for note, hit in known]
            reached = graph.neighbours(seeds, self._wish.depth)
            # Where each note links to many there are thousands: what answers well itself is a hit anyway.
            reached.sort(key=lambda one: (-one.strength, one.hop, one.file, one.line))
            del reached[_MOST_REACHED:]
            own = self._relevances([one.id for one in reached])
            reached.sort(key=lambda one: (-max(one.strength, own[one.id]), one.hop, one.file, one.line))
            for one in reached[:_MOST_NEIGHBOURS]:
                found[one.id] = _Candidate(one.id, one.hop, max(one.strength, own[one.id]))
        return list(found.values())

    def _relevances(self, notes: Sequence[int]) -> dict[int, float]:
        """How well the notes answer themselves."""
        return {
            note.id: ranking.score(self._wanted, note, self._reader.average).value
            * ranking.standing(note, self._wish.now)
            for note in self._reader.read(notes)
        }

    def _files(self) -> dict[str, str]:
        """The files that may be seen, each with its root."""
        wish = self._wish
        rows: Iterable[tuple[str, str, str, str]] = self._store.connection.execute(
            "SELECT path, root, project, kind FROM source ORDER BY path"
        )
        if wish.scope == "project":
            users = wish.with_user
            return {
                path: root
                for path, root, project, kind in rows
                if project == wish.project or (users and not project and kind == _USERS)
            }
        only_brain = wish.scope == "brain"
        return {path: root for path, root, project, _ in rows if not (only_brain and project)}

    # -- what is packed ------------------------------------------------------------------------------------

    def _notes(self, candidates: Sequence[_Candidate]) -> list[Note]:
        """The candidates, best first, visible and without secrets."""
        by_id = {one.id: one for one in candidates}
        matched = {term for part in self._wanted for term in part.variants}
        read = [
            note
            for note in self._reader.read(list(by_id))
            if not by_id[note.id].hop or note.status != ARCHIVED
        ]
        shown = [self._reader.shown(note.id) for note in read]
        # The index holds no secrets.
        texts = [
            (visible(one[2] or stem(note.file)), visible(one[5]))
            for note, one in zip(read, shown, strict=True)
        ]
        notes = []
        for note, (root, _, _, line_end, _, _), (title, text) in zip(read, shown, texts, strict=True):
            words = frozenset(f"{note.title} {note.body}".split())
            notes.append(
                Note(
                    title,
                    text,
                    place=Place(self._called(note.project), _below(note.file, root), note.line, note.status),
                    project=note.project,
                    file=note.file,
                    line_end=line_end,
                    hop=by_id[note.id].hop,
                    relevance=round(by_id[note.id].relevance, 9),
                    terms=words,
                    matched=frozenset(matched.intersection((*words, *note.more.split()))),
                )
            )
        notes.sort(key=lambda note: (-note.relevance, note.hop, note.project, note.file, note.place.line))
        return notes

    def _called(self, project: str) -> str:
        return self._wish.names.get(project) or _name(project) if project else "brain"


def _counts(hit: Hit) -> bool:
    """Whether a hit is of use beside a sure one; what is below the least share was found by its meaning."""
    return hit.confidence == "high" or hit.coverage < LEAST


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path


def _below(path: str, root: str) -> str:
    start = root.rstrip("/") + "/"
    return path.removeprefix(start)
