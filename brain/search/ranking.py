"""How well a note answers: BM25 over groups of variants, more for covering more of the question.

    s     = sum over groups of  idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))
    score = s / sum(idf * (k1 + 1))  *  (0.7 + 0.3 * coverage)  *  recency  *  standing

with f the weighted occurrences of a group's variants and coverage the share of the idf that the note holds.
A repetition counts less than the occurrence before it, a long note less than a short one; no score exceeds 1.
"""

from __future__ import annotations

import re
from math import log

from brain.search.analyser import Group
from brain.search.reader import Note
from brain.search.vocabulary import Variants

K1 = 1.2
B = 0.6
_TITLE, _MORE = 1.5, 0.6
_COVERAGE = 0.3

_AGEING = frozenset({"event", "handover"})
_HALF_LIFE = 30.0  # days
_OLDEST = 0.2  # an exact match in an old event stays findable
_SET_ASIDE = 0.5

_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)").search

_PART_OF_WHOLE = 0.5


class Wanted:
    """A group of the question with its variants and its rarity."""

    __slots__ = ("group", "idf", "variants")

    def __init__(self, group: Group, variants: Variants, holding: int, notes: int) -> None:
        self.group = group
        self.variants = variants
        rarity = log(1.0 + (notes - holding + 0.5) / (holding + 0.5))
        self.idf = rarity * (_PART_OF_WHOLE if group.kind == "part" else 1.0)


class Score:
    """``value`` and ``coverage`` between 0 and 1; ``matched`` as in a hit."""

    __slots__ = ("coverage", "matched", "value")

    def __init__(self, value: float, coverage: float, matched: tuple[tuple[str, str, str], ...]) -> None:
        self.value = value
        self.coverage = coverage
        self.matched = matched


def score(wanted: list[Wanted], note: Note, average: float) -> Score:
    """The score of ``note``; without ageing and standing."""
    occurrences = _occurrences(wanted, note)
    norm = K1 * (1.0 - B + B * note.length / average)
    total = possible = 0.0
    covered = _Coverage()
    matched = []
    for part in wanted:
        possible += part.idf
        frequency = best = 0.0
        found = ""
        for term, (weight, _) in part.variants.items():
            count = occurrences.get(term)
            if count:
                frequency += weight * count
                if weight > best:
                    best, found = weight, term
        covered.add(part, best)
        if frequency:
            total += part.idf * frequency / (frequency + norm)
            matched.append((part.group.word, found, part.variants[found][1]))
    if not possible:
        return Score(0.0, 0.0, ())
    coverage = covered.share()
    value = total / possible * (1.0 - _COVERAGE + _COVERAGE * coverage)
    return Score(min(1.0, value), coverage, tuple(matched))


class _Coverage:
    """The share of the question's rarity that a note holds.

    A joined form covers the words it is made of; the parts of an identifier stand in for it where it is
    missing.
    """

    __slots__ = ("_reached", "_words")

    def __init__(self) -> None:
        self._words: dict[str, float] = {}  # what a word is worth
        self._reached: dict[str, float] = {}  # and how much of it is there

    def add(self, part: Wanted, best: float) -> None:
        term = part.group.term
        if part.group.kind == "joined":
            for word in part.group.inside:
                self._raise(word, self._words.get(word, 0.0) * best)
        elif part.group.kind == "part":
            (whole,) = part.group.inside
            self._raise(whole, self._reached.get(whole, 0.0) + part.idf * best)
        else:
            self._words[term] = part.idf
            self._reached[term] = part.idf * best

    def _raise(self, word: str, reached: float) -> None:
        if word in self._words:
            self._reached[word] = min(self._words[word], max(self._reached[word], reached))

    def share(self) -> float:
        possible = sum(self._words.values())
        return min(1.0, sum(self._reached.values()) / possible) if possible else 0.0


def _occurrences(wanted: list[Wanted], note: Note) -> dict[str, float]:
    terms = {term for part in wanted for term in part.variants}
    occurrences: dict[str, float] = {}
    for text, weight in ((note.title, _TITLE), (note.body, 1.0), (note.more, _MORE)):
        for term in text.split():
            if term in terms:
                occurrences[term] = occurrences.get(term, 0.0) + weight
    for part in wanted:
        if part.group.kind == "phrase":
            phrase = f" {part.group.term} "
            count = f" {note.title} ".count(phrase) * _TITLE + f" {note.body} ".count(phrase)
            if count:
                occurrences[part.group.term] = count
    return occurrences


def standing(note: Note, now: float | None) -> float:
    """What is left of a score by age, of events and handovers alone, and by being set aside."""
    factor = 1.0 if note.status in ("", "active") else _SET_ASIDE
    if now is not None and (note.klass in _AGEING or (note.klass == "memory" and _is_daily(note.file))):
        age = _age(note.date, now)
        if age is not None:
            factor *= max(_OLDEST, 0.5 ** (age / _HALF_LIFE))
    return factor


def _is_daily(file: str) -> bool:
    """Whether the name of the file holds a day, wherever; what has none is as good as on its first day."""
    return _DAY(file, file.rfind("/") + 1) is not None


def _age(date: str, now: float) -> float | None:
    """Days since ``date`` (ISO, the day alone counts), at least 0; None when it is no date."""
    from datetime import date as day  # noqa: PLC0415 - only what ages needs it

    try:
        then = day.fromisoformat(date[:10]).toordinal()
    except ValueError:
        return None
    return max(0.0, now / 86_400 + _EPOCH - then)


_EPOCH = 719_163  # the ordinal of 1970-01-01
