"""Which decisions and lessons have to do with the goal: those that share words with it that say something."""

from __future__ import annotations

from brain.health.cold_start import content_words
from brain.health.words import fold

_REACH = 4000
_FIRST = "\u3040"
"""The first of the kana; Han and Hangul follow."""

_STEM = 5
"""So many letters must be the same for two forms of a word, or for a part of a compound."""

_ENDING = 3


def goal_words(text: str) -> frozenset[str]:
    """What ``text`` may be known by: words of four letters or more, Korean ones, pairs of Han and kana."""
    folded = fold(text[:_REACH])
    found = content_words(folded)
    if max(folded, default="") < _FIRST:
        return found
    from brain.recall.words import words  # noqa: PLC0415 - start-up: 10 ms, only for scripts of East Asia

    return found | frozenset(word for word in words(folded) if _is_unspaced(word))


def shared(goal: frozenset[str], text: str) -> tuple[str, ...]:
    """The words of ``goal`` that ``text`` has too, in another form or inside a compound as well; sorted."""
    theirs = goal_words(text)
    return tuple(
        sorted(word for word in goal if word in theirs or any(_is_form(word, one) for one in theirs))
    )


def _is_form(one: str, other: str) -> bool:
    """Whether two words are forms of one (search, searches), or one a compound that ends with the other."""
    short, long = sorted((one, other), key=len)
    if len(short) < _STEM or not short.isalpha():
        return False
    if long.endswith(short):
        return True
    stem = short[: max(_STEM, len(short) - 1)]
    return long.startswith(stem) and len(long) - len(stem) <= _ENDING


def _is_unspaced(word: str) -> bool:
    return len(word) >= 2 and _FIRST <= word[0] <= "\uffff"
