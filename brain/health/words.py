"""Words that rules look for, from ``words.toml``, and the folding that they are compared in."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from unicodedata import combining, is_normalized, normalize

from brain.health.folding import ASCII

_TABLE = os.path.join(os.path.dirname(__file__), "words.toml")
_UMLAUTS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("\u2019", "'"), ("\u00a0", " "))
_ACCENTS = re.compile("[\u0300-\u036f]")


# Letters and signs of which each is folded by itself, whatever stands around it: all of these blocks but
# marks and the I with a dot.
_BY_THEMSELVES = ((0xA0, 0x24F), (0x400, 0x4FF), (0x2010, 0x2027), (0x2030, 0x205E), (0x2190, 0x27BF))
_FEW, _SHORT = 12, 200
_known: dict[str, str] = {}


def fold(text: str) -> str:
    """``text`` in small letters, with ä as ae, ß as ss, and without other accents; its length may change."""
    if text.isascii():
        return text.lower()
    folded = _sign_by_sign(text) if len(text) > _SHORT else None
    return folded if folded is not None else _as_a_whole(text)


def _sign_by_sign(text: str) -> str | None:
    """``text`` folded, where few of its signs are not ASCII and these mean the same everywhere; else None.

    To fold 5 KB with a dash as a whole takes four times as long.
    """
    data = text.encode("utf-8", "surrogatepass")
    signs = set(data.translate(None, ASCII).decode("utf-8", "surrogatepass"))
    if len(signs) > _FEW:
        return None
    folded = data.lower().decode("utf-8", "surrogatepass")
    for sign in signs:
        small = _known.get(sign) or _learn(sign)
        if not small:
            return None
        if small != sign:
            folded = folded.replace(sign, small)
    return folded


def _learn(sign: str) -> str:
    """What ``sign`` is folded to; empty for one that is not to be looked at by itself."""
    code = ord(sign)
    by_itself = any(first <= code <= last for first, last in _BY_THEMSELVES)
    if by_itself and not combining(sign) and sign != "\u0130":
        _known[sign] = _as_a_whole(sign)
    return _known.get(sign, "")


def _as_a_whole(text: str) -> str:
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    text = text.lower()
    # Replacing each is four times as fast as a table of them; most texts need no more than this.
    for letter, letters in _UMLAUTS:
        if letter in text:
            text = text.replace(letter, letters)
    if text.isascii() or is_normalized("NFD", text):
        return text
    return _ACCENTS.sub("", normalize("NFD", text))


class Words:
    """Phrases that are looked for in folded text.

    Each is first looked for as it is, which costs next to nothing; only where it stands is its surrounding
    looked at. Five kilobytes against thirty phrases took 1.1 ms as one pattern and take 0.02 ms so.
    """

    __slots__ = ("_by_key", "_open", "phrases", "single")

    def __init__(self, phrases: tuple[str, ...]) -> None:
        self.phrases = tuple(phrase.rstrip("*") for phrase in phrases)
        self.single = frozenset(phrase for phrase in self.phrases if " " not in phrase)
        self._open = frozenset(phrase[:-1] for phrase in phrases if phrase.endswith("*"))
        self._by_key = _by_key(self.phrases)

    def find(self, folded: str) -> int:
        """Where the first phrase of the table that occurs stands, -1 without any."""
        phrases: Iterable[str] = self.phrases
        if len(folded) > _SHORT:
            phrases = [phrase for key, some in self._by_key.items() if key in folded for phrase in some]
            if len(phrases) > 1:
                phrases = filter(set(phrases).__contains__, self.phrases)
        for phrase in phrases:
            if phrase in folded and (place := self._place(phrase, folded)) >= 0:
                return place
        return -1

    def within(self, folded: str) -> bool:
        """Whether any of the phrases occurs."""
        return self.find(folded) >= 0

    def leads(self, folded: str) -> bool:
        """Whether the text begins with one of the phrases."""
        return folded.startswith(self.phrases) and any(
            folded.startswith(phrase) and self._ends(phrase, folded, len(phrase)) for phrase in self.phrases
        )

    def _place(self, phrase: str, folded: str) -> int:
        place = folded.find(phrase)
        while place >= 0:
            free = place == 0 or not (folded[place - 1].isalnum() and phrase[0].isalnum())
            if free and self._ends(phrase, folded, place + len(phrase)):
                return place
            place = folded.find(phrase, place + 1)
        return -1

    def _ends(self, phrase: str, folded: str, end: int) -> bool:
        return (
            phrase in self._open or end >= len(folded) or not (folded[end].isalnum() and phrase[-1].isalnum())
        )


def _by_key(phrases: tuple[str, ...]) -> dict[str, list[str]]:
    """Phrases by a word that stands in each, as few as cover all: a text without it holds none of them."""
    left = list(phrases)
    found: dict[str, list[str]] = {}
    while left:
        counts = Counter(word for phrase in left for word in dict.fromkeys(phrase.split()))
        key = max(counts, key=lambda word: (counts[word], len(word), word)) if counts else ""
        found[key] = [phrase for phrase in left if key in phrase]
        left = [phrase for phrase in left if key not in phrase]
    return found


@cache
def words(section: str, name: str) -> Words:
    """The phrases under ``name`` in ``[section]`` of the table."""
    return Words(tuple(_table()[section][name]))


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where a memory is examined

    with open(_TABLE, "rb") as file:
        return tomli.load(file)
