"""The words that a claim is about: names and compounds first, then words, eight at most."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

from brain.search.analyser import stop_words
from brain.search.folding import fold

MOST = 8

_WORDS = re.compile(r"[^\W_](?:[\w./-]*[^\W_])?")
_DATE = re.compile(r"[\d./:-]+")
_SHORTEST, _LONGEST = 3, 32
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=1 << 14)
def tags_of(text: str) -> tuple[str, ...]:
    """The tags of ``text`` in lower case, in their order; no numbers, no dates, no words of grammar."""
    compounds: list[str] = []
    words: list[str] = []
    stop = stop_words()
    for match in _WORDS.finditer(normalize("NFKC", text)):
        tag = match[0].lower().replace("_", "-")
        shortest = 2 if _CJK.search(tag) else _SHORTEST
        if not shortest <= len(tag) <= _LONGEST or _DATE.fullmatch(tag) or fold(tag).casefold() in stop:
            continue
        (compounds if re.search(r"[./-]", tag) else words).append(tag)
    return tuple(dict.fromkeys((*compounds, *words)))[:MOST]
