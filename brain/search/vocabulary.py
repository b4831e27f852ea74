"""The terms of the index that may stand for a word of a question, each with what it is worth and why.

The weights are those that were measured; they lie on a flat optimum.
"""

from __future__ import annotations

from brain.search.analyser import Group, stop_words
from brain.search.distance import within
from brain.search.reader import Reader
from brain.search.stems import Stemmer, stemmer

EXACT, SPELLING, STEM = 1.0, 0.95, 0.85
AFFIX, INSIDE, PART = 0.45, 0.27, 0.35
ONE_TYPO, TWO_TYPOS = 0.4, 0.28
STRONG = 0.5  # a variant of this weight is the same word
_SURE = 0.8  # with a variant of this weight there is no typing error

_MOST = 16
_HALF = 0.5

Variants = dict[str, tuple[float, str]]
"""Term of the index: its weight and why (exact, spelling, stem, compound, part, typo)."""


class Vocabulary:
    """Looks words up; the stemmer is only loaded for a word that the index has never seen."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._stemmer: Stemmer | None = None

    def variants(self, group: Group) -> Variants:
        """The terms for ``group`` that some note holds, best first, at most 16."""
        word = group.term
        found: Variants = {word: (EXACT, "exact")}
        if group.kind != "joined":
            for other in _spellings(word, group.spelled):
                found.setdefault(other, (SPELLING, "spelling"))
        stems = self._stems(word)
        if stems:
            for other in self._reader.same_stem(stems):
                found.setdefault(other, (STEM, "stem"))
        if group.kind == "joined":
            return self._held(found)
        self._compounds(word, found)
        held = self._held(found)
        if not any(weight >= _SURE for weight, _ in held.values()):
            self._typos(word, found)
            held = self._held(found)
        return held

    def _held(self, found: Variants) -> Variants:
        """Those of ``found`` that stand in a note, the best 16."""
        best = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
        held: Variants = {}
        for at in range(0, len(best), 4 * _MOST):
            some = best[at : at + 4 * _MOST]
            counts = self._reader.counts(term for term, _ in some)
            held.update((term, value) for term, value in some if term in counts)
            if len(held) >= _MOST:
                break
        return dict(list(held.items())[:_MOST])

    def _stems(self, word: str) -> tuple[str, str, str] | None:
        stored = self._reader.stems(word)
        if stored is not None:
            return stored
        if self._stemmer is None:
            self._stemmer = stemmer()
        return self._stemmer(word)

    def _compounds(self, word: str, found: Variants) -> None:
        length = len(word)
        if length < 4 or not word.isalpha():
            return
        for term in self._reader.containing(word):
            if term.startswith(word) or term.endswith(word):
                best = AFFIX
            elif length >= 5:
                best = INSIDE
            else:
                continue
            found.setdefault(term, (best * min(1.0, _HALF + length / len(term)), "compound"))
        if length >= 8:
            stop = stop_words()
            for size in range(4, length):
                for term in (word[:size], word[-size:]):
                    if term not in stop:
                        found.setdefault(term, (PART * min(1.0, _HALF + size / length), "part"))

    def _typos(self, word: str, found: Variants) -> None:
        length = len(word)
        if length < 5 or not word.isalpha():
            return
        most = 2 if length >= 8 else 1
        for term in self._reader.near(word[0], length - most, length + most):
            distance = within(word, term, most)
            if distance and term.isalpha():
                value = (ONE_TYPO if distance == 1 else TWO_TYPOS, "typo")
                if value[0] > found.get(term, (0.0, ""))[0]:
                    found[term] = value


def _spellings(word: str, spelled: str) -> list[str]:
    """``mueller`` for ``müller``, and ``muller``, which is how ``müller`` is stored, for ``mueller``."""
    others = [spelled] if spelled != word else []
    shorter = word
    for pair in ("ae", "oe", "ue"):
        if pair in word:
            others.append(word.replace(pair, pair[0]))
            shorter = shorter.replace(pair, pair[0])
    return [other for other in dict.fromkeys([*others, shorter]) if other != word]
