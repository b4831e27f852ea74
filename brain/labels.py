"""When two labels are spellings of one, what a label is in plain letters, and which ones nearly agree.

A label is the name that a person gave something: every sign counts but case, blanks, hyphens, underscores and
camel case, so that C, C++ and C# are three.
"""

from __future__ import annotations

import re
from unicodedata import normalize

_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
# What programming languages are called by: the sign is the difference.
_SIGNS = (("++", "plusplus"), ("#", "sharp"))
_CAMEL = re.compile(r"(?<=[^\W\d_])(?=[^\W\d_])")
_FEWEST_LETTERS = 4


def key(name: str) -> str:
    """The label in one spelling: of one case, with hyphens between its words."""
    return _joined(_split(normalize("NFC", name)))


def same(one: str, other: str) -> bool:
    """Whether two labels are spellings of one: ``Ongoing Work``, ``ongoingWork``; ``GitHub``, ``github``."""
    return not {key(one), _joined(one)}.isdisjoint((key(other), _joined(other)))


def _joined(name: str) -> str:
    text = re.sub("[\ufe00-\ufe0f]", "", normalize("NFC", normalize("NFC", name).casefold()))
    return re.sub(r"[\s_\-\u2010\u2011]+", "-", text).strip("-")


def _split(name: str) -> str:
    """``ongoingWork`` as ``ongoing-Work``."""
    return _CAMEL.sub(lambda at: "-" if _is_border(name, at.start()) else "", name)


def _is_border(name: str, at: int) -> bool:
    return name[at - 1].islower() and name[at].isupper()


def slug(name: str) -> str:
    """The label in letters, digits and hyphens, without marks; empty when nothing of it is left."""
    text = key(name)
    for sign, word in _SIGNS:
        text = re.sub(rf"(?<=[a-z]){re.escape(sign)}(?![^\W_])", word, text)
    text = normalize("NFKD", text.translate(_LETTERS))
    text = re.sub("[\u0300-\u036f]", "", text)
    return normalize("NFC", re.sub(r"[^\w]+", "-", text)).strip("-_").casefold()


def similar(name: str, others: list[str]) -> tuple[str, ...]:
    """Which of the ``others`` may mean the same, at most three, the likeliest first."""
    mine = slug(name)
    if len(mine) < _FEWEST_LETTERS:
        return ()
    ranked = sorted(((_likeness(mine, slug(other)), other) for other in others), key=lambda one: -one[0])
    return tuple(other for likeness, other in ranked if likeness)[:3]


def _likeness(one: str, other: str) -> float:
    """How likely two slugs mean the same, 0 for not at all."""
    short, long = sorted((one, other), key=len)
    if len(short) < _FEWEST_LETTERS:
        return 0
    if short == long or sorted(short.split("-")) == sorted(long.split("-")):
        return 1
    if long.startswith(short) or (long[:3] == short[:3] and _is_shortened(short, long)):
        return 0.9
    from difflib import SequenceMatcher  # noqa: PLC0415 - start-up: 6 ms, only for a new category

    ratio = SequenceMatcher(None, short, long).ratio()
    return ratio if ratio >= 0.8 else 0


def _is_shortened(short: str, long: str) -> bool:
    rest = iter(long)
    return all(sign in rest for sign in short)
