"""The terms of the index that may stand for a word of a question, each with what it is worth and why.

The weights are those that were measured; they lie on a flat optimum.
"""

from __future__ import annotations

from brain.search.analyser import Group, stop_words
from brain.search.distance import within
from brain.search.reader import Reader
from brain.search.stems import Stemmer, Stems, stemmer

EXACT, SPELLING, STEM = 1.0, 0.95, 0.85
AFFIX, INSIDE, PART = 0.45, 0.27, 0.35
ONE_TYPO, TWO_TYPOS = 0.4, 0.28
STRONG = 0.5  # a variant of this weight is the same word
_SURE = 0.8  # with a variant of this weight there is no typing error

_MOST = 16
_HALF = 0.5

# Letters that a word needs: for being looked for at the ends of longer ones, anywhere in them, for being
# taken apart; for one typing error, for two.
_SHORTEST, _SHORTEST_INSIDE, _SHORTEST_COMPOUND = 4, 5, 8
_SHORTEST_TYPO, _SHORTEST_TWO_TYPOS = 5, 8
_LONGEST_ENDING = 3  # more than that is no ending but half of the word

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
        self._compounds(word, stems, found)
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

    def _stems(self, word: str) -> Stems | None:
        stored = self._reader.stems(word)
        if stored is not None:
            return stored
        if self._stemmer is None:
            self._stemmer = stemmer()
        return self._stemmer(word)

    def _compounds(self, word: str, stems: Stems | None, found: Variants) -> None:
        """Longer words with ``word`` in them, or what its endings leave, and words that it is made of."""
        if len(word) < _SHORTEST or not word.isalpha():
            return
        self._longer(word, found)
        for stem in sorted({stem for stem in stems or () if len(stem) >= _SHORTEST_INSIDE and stem != word}):
            if len(word) - len(stem) <= _LONGEST_ENDING:
                self._longer(stem, found)
        if len(word) >= _SHORTEST_COMPOUND:
            for term in _pieces(word):
                found.setdefault(term, (PART * min(1.0, _HALF + len(term) / len(word)), "part"))
            self._stems_inside((stems or ("",))[0], found)

    def _longer(self, word: str, found: Variants) -> None:
        for term in self._reader.containing(word):
            if term.startswith(word) or term.endswith(word):
                best = AFFIX
            elif len(word) >= _SHORTEST_INSIDE:
                best = INSIDE
            else:
                continue
            found.setdefault(term, (best * min(1.0, _HALF + len(word) / len(term)), "compound"))

    def _stems_inside(self, stem: str, found: Variants) -> None:
        """``Bilder`` and ``Produkte`` for ``produktbild``: German compounds are made of bent words."""
        stop = stop_words()
        for term, piece in self._reader.of_german_stems(_pieces(stem)):
            if term not in stop:
                found.setdefault(term, (PART * min(1.0, _HALF + len(piece) / len(stem)), "part"))

    def _typos(self, word: str, found: Variants) -> None:
        length = len(word)
        if length < _SHORTEST_TYPO or not word.isalpha():
            return
        most = 2 if length >= _SHORTEST_TWO_TYPOS else 1
        for term in self._reader.near(word[0], length - most, length + most):
            distance = within(word, term, most)
            if distance and term.isalpha():
                value = (ONE_TYPO if distance == 1 else TWO_TYPOS, "typo")
                if value[0] > found.get(term, (0.0, ""))[0]:
                    found[term] = value


def _pieces(word: str) -> list[str]:
    """What ``word`` begins and ends with, four letters or more, without words that say nothing."""
    stop = stop_words()
    pieces = (piece for size in range(_SHORTEST, len(word)) for piece in (word[:size], word[-size:]))
    return [piece for piece in dict.fromkeys(pieces) if piece not in stop]


def _spellings(word: str, spelled: str) -> list[str]:
    """``mueller`` for ``müller``, and ``muller``, which is how ``müller`` is stored, for ``mueller``."""
    others = [spelled] if spelled != word else []
    shorter = word
    for pair in ("ae", "oe", "ue"):
        if pair in word:
            others.append(word.replace(pair, pair[0]))
            shorter = shorter.replace(pair, pair[0])
    return [other for other in dict.fromkeys([*others, shorter]) if other != word]
