"""From a question to the notes that answer it, best first."""

from __future__ import annotations

from brain.search import mmr, ranking
from brain.search.analyser import Group, asked
from brain.search.ranking import Score, Wanted
from brain.search.reader import Note, Reader
from brain.search.snippet import snippet
from brain.search.store import Store
from brain.search.values import Found, Hit, Query
from brain.search.vocabulary import STRONG, Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.semantic import Model, Near

CANDIDATES = 60
MOST_COPIES = 20
"""So many further places of one text are named."""
LOW = 0.30  # below this share of the question a note may be about something else
LEAST = 0.15  # what covers less says nothing about the question

_ALIKE = 9  # decimals to which two scores are the same


def search(store: Store, query: Query, model: Model | None = None) -> Found:
    """The notes of the index that answer ``query``; none when nothing does. Raises ``sqlite3.Error``.

    With a ``model`` their nearness in meaning counts as well, as far as they have vectors of it.
    """
    reader = reader_of(store)
    question = asked(query.text)
    wanted = wanted_words(reader, question.groups)
    terms = list(dict.fromkeys(term for part in wanted for term in part.variants))
    near = _near(store, query, model) if model is not None and question.groups else None
    engine = reader.engine if near is None else f"{reader.engine}+semantic"
    if query.limit < 1 or not (terms or near):
        return Found((), 0, engine)
    limit = max(CANDIDATES, 3 * query.limit)
    if near is None:
        terms = _telling(reader, wanted, terms, query)
    notes = reader.read(reader.candidates(terms, query, limit)) if terms else []
    if near is not None:
        there = {note.digest for note in notes}
        notes += reader.read([note for note, digest in near.nearest if digest not in there])
    scored = _ranked(wanted, notes, reader.average, query, near)
    order = mmr.diverse(
        [value for value, _, _ in scored],
        [frozenset(f"{note.title} {note.body}".split()) for _, _, note in scored],
        query.limit,
    )
    phrases = {part.group.term for part in wanted if part.group.kind == "phrase"}
    hits = tuple(
        _hit(reader, query, *scored[at], vague=question.vague or _lacks(scored[at][1], phrases))
        for at in order
    )
    return Found(hits, len(scored), engine)


def _telling(reader: Reader, wanted: list[Wanted], terms: list[str], query: Query) -> list[str]:
    """``terms`` without those that most notes hold, where a note that holds nothing else is no answer.

    BM25 gives such a term no weight, but each note that holds it is looked at: of 100,000 that takes 150 ms.
    """
    counts = reader.counts(term for term in terms if " " not in term)
    common = [term for term, count in counts.items() if 2 * count > reader.notes]
    if not common or len(common) == len(terms):
        return terms
    text = " ".join(common)
    nothing_else = Note((0, "", "", "", 0, "", "", len(common), "", text, text, text))
    if ranking.score(wanted, nothing_else, reader.average).coverage >= query.min_coverage:
        return terms
    return [term for term in terms if term not in common]


def _near(store: Store, query: Query, model: Model) -> Near | None:
    from brain.search.semantic import near  # noqa: PLC0415 - only with the extra

    return near(store, query, model)


def reader_of(store: Store) -> Reader:
    """What reads ``store``."""
    if store.engine == "fts5":
        return Reader(store)
    from brain.search.plain import PlainReader  # noqa: PLC0415 - start-up: 1 ms

    return PlainReader(store)


def wanted_words(reader: Reader, groups: tuple[Group, ...]) -> list[Wanted]:
    """The groups with the variants that the index holds.

    An identifier that no note has is asked for by its parts; joined forms that no note has are not asked for.
    """
    vocabulary = Vocabulary(reader)
    joined = reader.counts(group.term for group in groups if group.kind == "joined")
    wanted: list[Wanted] = []
    missing: set[str] = set()
    for group in groups:
        if group.kind == "joined" and group.term not in joined:
            continue
        if group.kind == "phrase":
            count = reader.count_any([group.term])
            wanted.append(Wanted(group, {group.term: (1.0, "phrase")} if count else {}, count, reader.notes))
            continue
        variants = vocabulary.variants(group)
        strong = [term for term, (weight, _) in variants.items() if weight >= STRONG]
        if not variants and group.kind in ("word", "whole"):
            missing.add(group.term)
            if group.kind == "whole":
                continue
        kind = "word" if group.kind == "part" and group.inside[0] in missing else group.kind
        asked_for = Group(group.word, group.term, group.spelled, kind, group.inside)
        wanted.append(Wanted(asked_for, variants, _holding(reader, strong), reader.notes))
    return wanted


def _holding(reader: Reader, strong: list[str]) -> int:
    if not strong:
        return 0
    return reader.count_any(strong) if len(strong) > 1 else reader.counts(strong)[strong[0]]


def _ranked(
    wanted: list[Wanted], notes: list[Note], average: float, query: Query, near: Near | None
) -> list[tuple[float, Score, Note]]:
    scores = [ranking.score(wanted, note, average) for note in notes]
    standings = [ranking.standing(note, query.now) for note in notes]
    values = [score.value * standing for score, standing in zip(scores, standings, strict=True)]
    if near is not None:
        from brain.search.semantic import mixed  # noqa: PLC0415 - it is loaded already

        values = mixed(values, [note.digest for note in notes], standings, near)
    scored = []
    for value, score, note in zip(values, scores, notes, strict=True):
        if value > 0 and (score.coverage >= query.min_coverage or _is_meant(query, note, near)):
            scored.append((round(value, _ALIKE), score, note))
    # Sorted from the last reason to the first: a younger note before an older one.
    scored.sort(key=lambda item: (item[2].project, item[2].file, item[2].line))
    scored.sort(key=lambda item: (item[0], item[2].date), reverse=True)
    return scored


def _is_meant(query: Query, note: Note, near: Near | None) -> bool:
    """Whether a note answers without the words; who demands more of them than usual gets no such note."""
    return near is not None and query.min_coverage <= LEAST and near.stands_out(note.digest)


def _lacks(score: Score, phrases: set[str]) -> bool:
    """Whether a note holds words of a quoted phrase at most, but not the phrase."""
    return not phrases.issubset({term for _, term, why in score.matched if why == "phrase"})


def _hit(reader: Reader, query: Query, value: float, score: Score, note: Note, *, vague: bool) -> Hit:
    copies = reader.copies(note.digest, query, MOST_COPIES + 1)
    root, kind, heading, line_end, event, raw = reader.shown(note.id)
    return Hit(
        project=note.project,
        root=root,
        file=note.file,
        line=note.line,
        line_end=line_end,
        heading=heading,
        kind=kind,
        klass=note.klass,
        date=note.date,
        status=note.status,
        event=event,
        score=value,
        coverage=round(score.coverage, _ALIKE),
        confidence="low" if vague or score.coverage < LOW else "high",
        matched=score.matched,
        snippet=snippet(raw, {term for _, term, _ in score.matched for term in term.split()}),
        body=raw,
        also=tuple(f"{file}:{line}" for copy, file, line in copies if copy != note.id)[:MOST_COPIES],
    )
