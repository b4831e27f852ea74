"""Which observations say much the same as another: their words, without endings, are mostly the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from brain.observations import Observation
from brain.remember.category_file import CategoryFile
from brain.remember.values import Near

Tokens = Callable[[str], Sequence[str]]
"""The words of a text, of one spelling, those that say nothing left out."""

JACCARD = 0.6
COVERAGE = 0.8
SHOWN = 5
_FEWEST = 3
# What is left of a word says enough to be shown to somebody who then decides.
_STEM, _SHORTEST = 6, 3
_ENDINGS = "esnrt"
_EXCERPT = 200
_ROUGH = re.compile(r"\w+")


def indexed_tokens(text: str) -> list[str]:
    """The words as the search index knows them."""
    from brain.search.analyser import stop_words, terms  # noqa: PLC0415 - start-up: 10 ms that only a writer needs

    found = terms(text)[0]
    return [term for term in found if term not in stop_words()] or found


def near(
    text: str, standing: Iterable[tuple[CategoryFile, Observation]], tokens: Tokens = indexed_tokens
) -> tuple[Near, ...]:
    """The observations that are near to ``text``, the nearest first, at most five."""
    wanted: frozenset[str] | None = None
    rough = _rough(text)
    found = []
    for file, one in standing:
        # Most have not a word in common: no analysis for them.
        if rough.isdisjoint(_rough(one.text)):
            continue
        wanted = wanted or _words(text, tokens)
        score = _likeness(wanted, _words(one.text, tokens))
        if score:
            found.append(Near(file.path, one.line, one.id, _excerpt(one.text), score))
    return tuple(sorted(found, key=lambda one: (-one.score, one.file, one.line))[:SHOWN])


def _words(text: str, tokens: Tokens) -> frozenset[str]:
    return frozenset(map(_stem, tokens(text)))


def _stem(word: str) -> str:
    """What ``file`` and ``files``, ``prefers`` and ``prefer``, ``nutzt`` and ``nutzen`` have in common."""
    bare = word.rstrip(_ENDINGS)
    return (bare if len(bare) >= _SHORTEST else word[:_SHORTEST])[:_STEM]


def _rough(text: str) -> frozenset[str]:
    words = frozenset(word[:3] for word in _ROUGH.findall(text.casefold()))
    # Scripts without blanks have no words that begin alike.
    return words if text.isascii() else words.union(sign for sign in text if sign >= "\u0e00")


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Between 0 and 1; 0 where it is not worth a word."""
    both = len(one & other)
    if not both:
        return 0
    jaccard = both / len(one | other)
    fewest = min(len(one), len(other))
    coverage = both / fewest if fewest >= _FEWEST else 0
    return round(max(jaccard, coverage), 2) if jaccard >= JACCARD or coverage >= COVERAGE else 0


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"
