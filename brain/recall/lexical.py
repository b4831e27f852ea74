"""The lexical score of BMAD+: shared words, less for repetitions, more for coverage, less for length.

    score = sum over matched query tokens of (1 + ln f)  *  matched / query tokens  /  sqrt(N)

with f the frequency of a token in a document of N tokens. Operations and their order are the original's, so
that scores agree to the last bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from brain.javascript_math import logarithm

# A maximal run of at least two word characters. All of them are below U+0100: one table look-up each.
_TOKENS = re.compile("[a-z0-9àâäéèêëïîôöùûüç_-]{2,}").findall

_FEW = 16


class Score:
    """A score above zero and what it was made of.

    ``hits`` is the sum over the matched tokens, ``matched`` their number, ``length`` the document's tokens.
    """

    __slots__ = ("hits", "length", "matched", "value")

    def __init__(self, value: float, hits: float, matched: int, length: int) -> None:
        self.value = value
        self.hits = hits
        self.matched = matched
        self.length = length


def tokens(text: str) -> list[str]:
    """The words of ``text``: lower-cased, of two or more of ``a-z 0-9 àâäéèêëïîôöùûüç _ -``.

    Everything else separates, so ``sign-up`` is one word, ``---`` is one too, and other scripts have none.
    """
    return _TOKENS(text.lower())


def unique_tokens(query: str) -> list[str]:
    """The words of a query, each once, in their order."""
    return list(dict.fromkeys(tokens(query)))


def contains_any(query: Sequence[str], text: str) -> bool:
    """Whether any token of ``query`` stands somewhere in ``text``: without that, no part of it can score."""
    lowered = text.lower()
    return any(token in lowered for token in query)


def score(query: Sequence[str], text: str) -> Score | None:
    """How well ``text`` answers the unique tokens ``query``; None when it shares no token with it."""
    lowered = text.lower()
    # A token that is no part of the text is no token of it; this test is much cheaper than to tokenise.
    candidates = [token for token in query if token in lowered]
    if not candidates:
        return None
    return weigh(candidates, len(query), _TOKENS(lowered))


def weigh(candidates: Sequence[str], asked: int, words: list[str]) -> Score | None:
    """The score of a text of ``words`` for the ``candidates`` among ``asked`` unique tokens of a query."""
    # To look through the list is faster for a few tokens; a whole page as a query must not make it quadratic.
    count = words.count if len(candidates) < _FEW else Counter(words).__getitem__
    hits = 0.0
    matched = 0
    for token in candidates:
        frequency = count(token)
        if frequency:
            matched += 1
            hits += _GAINS[frequency] if frequency < len(_GAINS) else 1.0 + logarithm(frequency)
    if not matched:
        return None
    length = len(words)
    return Score(hits * (matched / asked) / sqrt(length), hits, matched, length)


_GAINS = (0.0, *(1.0 + logarithm(frequency) for frequency in range(1, 64)))
