"""The part of a note that answers, on one line."""

from __future__ import annotations

import re
from collections.abc import Collection

from brain.search.analyser import terms

LENGTH = 240  # characters, without the two ellipses

_WORDS = re.compile(r"\S+").finditer
_LONGEST_WORD = 80
_MOST_WORDS = 5000


def snippet(text: str, matched: Collection[str]) -> str:
    """About 240 characters of ``text`` around the densest place of the terms ``matched``."""
    words: list[str] = []
    found: list[str] = []
    known: dict[str, str] = {}
    for match in _WORDS(text):
        word = match.group()
        hit = known.get(word)
        if hit is None:
            hit = known[word] = _matching(word[: 4 * _LONGEST_WORD], matched)
        words.append(word if len(word) <= _LONGEST_WORD else word[: _LONGEST_WORD - 1] + "…")
        found.append(hit)
        if len(words) == _MOST_WORDS:
            break
    start, end = _densest(words, found)
    cut = " ".join(words[start:end])
    return ("… " if start else "") + cut + (" …" if end < len(words) else "")


def _matching(word: str, matched: Collection[str]) -> str:
    ordered, more = terms(word)
    return next((term for term in (*more, *ordered) if term in matched), "")


def _densest(words: list[str], found: list[str]) -> tuple[int, int]:
    """The window with the most different terms, then the most of them, then the first; centred on them."""
    best = (0, 0)
    window = (0, 0)
    start = 0
    length = 0
    inside: dict[str, int] = {}
    for end, (word, term) in enumerate(zip(words, found, strict=True)):
        length += len(word) + 1
        if term:
            inside[term] = inside.get(term, 0) + 1
        while length > LENGTH + 1 and start < end:
            length -= len(words[start]) + 1
            out = found[start]
            if out:
                inside[out] -= 1
                if not inside[out]:
                    del inside[out]
            start += 1
        value = (len(inside), sum(inside.values()))
        if term and value > best:
            best, window = value, (start, end)
    hits = [at for at in range(window[0], window[1] + 1) if at < len(found) and found[at]]
    first, last = (hits[0], hits[-1]) if hits else (0, 0)
    return _widened(words, first, last)


def _widened(words: list[str], first: int, last: int) -> tuple[int, int]:
    length = sum(len(word) + 1 for word in words[first : last + 1])
    start, end = first, min(last + 1, len(words))
    grows = True
    while grows:
        grows = False
        if start > 0 and length + len(words[start - 1]) < LENGTH:
            start -= 1
            length += len(words[start]) + 1
            grows = True
        if end < len(words) and length + len(words[end]) < LENGTH:
            length += len(words[end]) + 1
            end += 1
            grows = True
    return start, end
