"""What two wordings have in common: words and their stems, with numbers, days and negations taken apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from brain.dreaming.cues import Cues, tokens
from brain.health.dates import find_date
from brain.search.analyser import stop_words
from brain.value import dataclass

NUMBER, DATE, NEGATION = "number", "date", "negation"
SAME = 0.9
"""From here on two wordings are one claim."""
KNOWN = 0.8
"""From here on the one tells nothing that the other does not."""
NEAR = 0.6
"""From here on two that differ in a number, a day or a negation may contradict each other."""

DAY_FIRST = ("de", "fr")
"""Languages in which 05/03/2026 is a day of March."""

_NUMBER = re.compile(r"(?<![\w./@-])[+-]?\d+(?:[.,:]\d+)*(?![\w@]|[./-]\w)")
_IDENTIFIER = re.compile(
    r"[\w.+-]+@[\w.-]+\w|(?:[~.]{0,2}/)?[\w.@-]+(?:/[\w.@-]+)+/?|/[\w.@-]+|\w*\d\w*(?:[._:/-]\w+)*|[A-Za-z_]\w*(?:[._]\w+)+"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A text taken apart for comparison.

    ``words`` are all words but numbers, days and negations, ``stems`` those that carry its meaning, without
    endings. ``names`` are what must be the same for the same to be meant: paths, addresses, what mixes
    letters and digits.
    """

    words: frozenset[str]
    stems: frozenset[str]
    numbers: frozenset[str]
    days: frozenset[str]
    names: frozenset[str]
    negated: bool


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Of all words of two the share that both have (Jaccard); 0 for two that have none."""
    both = len(left & right)
    return both / (len(left) + len(right) - both) if both else 0.0


def differences(left: Wording, right: Wording) -> tuple[str, ...]:
    """In what of numbers, days and negation two wordings differ."""
    found = []
    if left.numbers != right.numbers:
        found.append(NUMBER)
    if left.days != right.days:
        found.append(DATE)
    if left.negated != right.negated:
        found.append(NEGATION)
    return tuple(found)


def is_same(left: Wording, right: Wording) -> bool:
    """Whether two wordings are one claim."""
    if left.names != right.names or differences(left, right):
        return False
    return overlap(left.words, right.words) >= SAME or overlap(left.stems, right.stems) >= SAME


def is_known(left: Wording, right: Wording) -> bool:
    """Whether ``right`` says what ``left`` says: in other words, or among more."""
    if (
        differences(left, right) == ()
        and left.names == right.names
        and overlap(left.stems, right.stems) >= KNOWN
    ):
        return True
    return (
        len(left.stems) >= 3
        and left.stems <= right.stems
        and left.numbers <= right.numbers
        and left.days <= right.days
        and left.names <= right.names
        and left.negated == right.negated
    )


def contrast(left: Wording, right: Wording) -> tuple[tuple[str, ...], bool] | None:
    """In what two that nearly agree differ, and whether that is certain; None for two that do not.

    It is not certain where each has words of its own besides ("the test server has 8 GB", "the live server
    has 32 GB"): they may be about two things.
    """
    differ = differences(left, right)
    near = overlap(left.stems, right.stems)
    if not differ or near < NEAR or left.names != right.names:
        return None
    apart = bool(left.stems - right.stems) and bool(right.stems - left.stems)
    certain = not apart and (differ != (NEGATION,) or near >= KNOWN)
    return differ, certain


@lru_cache(maxsize=1 << 15)
def wording(text: str, cues: Cues) -> Wording:
    """``text`` taken apart; a label that it opens with ("Rule:") is no part of what it says."""
    text = without_label(text, cues)
    lang = cues.language(text, tokens(text))
    days: set[str] = set()
    while found := find_date(text, day_first=lang in DAY_FIRST):
        days.add(found[0])
        text = f"{text[: found[1]]} {text[found[2] :]}"
    names = set()
    numbers = set(map(_plain_number, _NUMBER.findall(text)))
    text = _NUMBER.sub(" ", text)
    for name in _IDENTIFIER.findall(text):
        names.add(name.casefold().strip("./"))
    words = tokens(text)
    negations = cues.negation[lang] if lang else _all_negations(cues)
    numerals = cues.numerals[lang]
    numbers.update(numerals[word] for word in words if word in numerals)
    weekdays = cues.weekdays.get(lang, {})
    days.update(weekdays[word] for word in words if word in weekdays)
    kept = frozenset(
        word for word in words if word not in negations and word not in numerals and word not in weekdays
    )
    stop = stop_words()
    bend = _bender(lang)
    stems = frozenset(bend(word) for word in kept if word not in stop and len(word) > 1)
    return Wording(
        kept,
        stems or kept,
        frozenset(numbers),
        frozenset(days),
        frozenset(names),
        any(word in negations for word in words),
    )


def without_label(text: str, cues: Cues) -> str:
    """``text`` without the label or the opening by which it was marked."""
    label, colon, rest = text.partition(":")
    if colon and rest.strip() and len(label) < 40:
        plain = " ".join(tokens(label))
        if plain in cues.firm or plain in cues.asked:
            return without_label(rest.strip(" *_"), cues)
    words = tokens(text[:60])
    for opening in cues.openings:
        if words[: len(opening)] == opening:
            rest = text
            for _ in opening:
                found = re.search(r"[^\W_]+", rest)
                rest = rest[found.end() :] if found else rest
            return rest.strip(" ,:*_'\u2019-")
    return text


def _plain_number(text: str) -> str:
    return text.lstrip("+").replace(",", ".")


@cache
def _all_negations(cues: Cues) -> frozenset[str]:
    return frozenset(word for words in cues.negation.values() for word in words if len(word) > 2)


@cache
def _bender(lang: str) -> Callable[[str], str]:
    if not lang:
        return lambda word: word
    from brain.search.stems import LANGUAGES, stemmer  # noqa: PLC0415 - start-up: 13 ms

    place, stems = LANGUAGES.index(lang), stemmer()

    @lru_cache(maxsize=1 << 14)
    def bend(word: str) -> str:
        found = stems(word)
        return found[place] if found else word

    return bend
