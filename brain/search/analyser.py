"""The words of a text as the index knows them, and the words of a question.

A term is a run of letters and digits with marks dropped and case folded, nothing else, so that it can be
stored between blanks and be quoted in a query. What is told by signs gets a word: ``C++`` is ``cplusplus``,
``C#`` is ``csharp``, ``.NET`` is ``dotnet``, an emoji is its code point. Scripts without blanks are cut into
pairs. An identifier is found whole, in its joined form, and by its parts: ``classify_by_age`` is
``classifybyage`` as ``classifyByAge`` is.
"""

from __future__ import annotations

import os
import re
from functools import cache
from unicodedata import category

from brain.search.folding import fold, spelled_out

VERSION = 1  # an index of another version is built anew

_LONGEST = 64  # of a term; of a longer one, which is no word, the beginning counts
_MOST_JOINED = 12  # parts of an identifier that is still stored whole

_WORD = r"(?![A-Za-z](?:\+\+|\#)(?![^\W\d_]))[^\W_]+"
_pieces = re.compile(
    rf"""
    ( (?<![^\W_]) (?: [A-Za-z](?:\+\+|\#) | \.[Nn][Ee][Tt] ) (?![^\W\d_]) )
  | ( {_WORD} (?: [-_./\\:\u2010]{{1,3}} {_WORD} )* )
  | ( [^\w\s\x00-\xa8] )
    """,
    re.VERBOSE,
).findall
_SIGNS = {"+": "plusplus", "#": "sharp"}
_IN_PATHS = re.compile(r"[/\\]+").split
_IN_NAMES = re.compile(r"[.:]+").split
_ATOMS = re.compile(r"[^\W_]+").findall
_CASES = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+"
).findall
# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul (with blanks, but with endings that no stemmer here knows).
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_FIRST_UNSPACED = _UNSPACED[0]

_QUOTED = re.compile(r'"([^"]+)"|„([^“”"]+)[“”"]|“([^“”]+)”|«([^«»]+)»')
# What an apostrophe cuts off is no word: l'index, qu'il, what's, we'll.
_ELIDED = re.compile(
    r"(?<![^\W_])(?:[cdjlmnst]|qu)['\u2019](?=[^\W_])|(?<=[^\W_])['\u2019](?:s|t|d|m|re|ve|ll)(?![^\W_])",
    re.IGNORECASE,
)

_LONGEST_QUESTION = 10_000
_MOST_WORDS = 64  # of a question; who asks with a whole page is answered by its beginning


def terms(text: str) -> tuple[list[str], list[str]]:
    """The terms of ``text`` in order, and what else it is found by: joined forms, parts, single signs."""
    ordered: list[str] = []
    more: list[str] = []
    for sign, run, symbol in _pieces(fold(text)):
        if run:
            # Most are a plain word: no further call for it.
            if run.isascii() and run.isalpha() and (run[1:].islower() or len(run) == 1):
                ordered.append(run.lower()[:_LONGEST])
            else:
                _run(run, ordered, more)
        else:
            term = _sign(sign or symbol)
            if term:
                ordered.append(term)
    return ordered, more


def _run(piece: str, ordered: list[str], more: list[str]) -> None:
    atoms = _ATOMS(piece)
    for atom in atoms:
        _atom(atom, ordered, more)
    if len(atoms) > 1:
        more.extend(_joined(piece))


def _atom(atom: str, ordered: list[str], more: list[str]) -> None:
    scripts = _scripts(atom)
    if len(scripts) > 1:
        for unspaced, script in enumerate(scripts):
            if unspaced % 2:
                ordered.extend(_pairs(script))
                if len(script) > 1:
                    more.extend(script)
            elif script:
                ordered.append(_cut(script))
        return
    ordered.append(_cut(atom))
    more.extend(_cut(part) for part in _parts(atom))


def _scripts(atom: str) -> list[str]:
    """``atom`` taken apart: every second part, from the second on, is in a script without blanks."""
    return [atom] if max(atom) < _FIRST_UNSPACED else _runs().split(atom)


@cache
def _runs() -> re.Pattern[str]:
    # Takes 5 ms to compile, which only those who use these scripts shall wait for.
    return re.compile(f"([{_UNSPACED}]+)")


def _cut(word: str) -> str:
    return word.casefold()[:_LONGEST]


def _pairs(script: str) -> list[str]:
    return [script[at : at + 2] for at in range(len(script) - 1)] or [script]


def _parts(atom: str) -> list[str]:
    """The words and numbers inside ``getUserOrders`` and ``10mb``; no single characters but a version's."""
    if atom.isalpha() and (atom.islower() or atom.isupper() or atom[1:].islower()):
        return []
    parts = _CASES(atom)
    if len(parts) == 2 and parts[0] in "vV":
        return parts[1:]
    return [part for part in parts if 1 < len(part) < len(atom)]


def _joined(run: str) -> list[str]:
    """The joined forms of an identifier, of the names in it, and of these without what a dot sets off."""
    forms = [run]
    for separators in (_IN_PATHS, _IN_NAMES):
        forms = [form for whole in forms for form in (whole, *separators(whole))]
    joined = []
    for form in dict.fromkeys(forms):
        atoms = _ATOMS(form)
        whole = "".join(atoms).casefold()
        if 1 < len(atoms) <= _MOST_JOINED and len(whole) <= _LONGEST:
            joined.append(whole)
    return list(dict.fromkeys(joined))


def _sign(piece: str) -> str:
    if len(piece) > 1:
        return "dotnet" if piece[0] == "." else piece[0].lower() + _SIGNS[piece[-1]]
    return f"u{ord(piece):x}" if category(piece) == "So" or "\U0001f3fb" <= piece <= "\U0001f3ff" else ""


class Group:
    """One word of a question.

    ``word`` as it was asked, ``term`` as the index has it, ``spelled`` with ``ae oe ue``. ``kind`` is
    ``word``; ``whole``, an identifier that may be asked for by its parts; ``part``, with the identifier
    ``inside``; ``joined``, a form that counts only if some note has it, of the terms ``inside``; ``phrase``,
    whose term is several, likewise.
    """

    __slots__ = ("inside", "kind", "spelled", "term", "word")

    def __init__(
        self, word: str, term: str, spelled: str, kind: str = "word", inside: tuple[str, ...] = ()
    ) -> None:
        self.inside = inside
        self.word = word
        self.term = term
        self.spelled = spelled
        self.kind = kind


class Asked:
    """The words of a question; ``vague`` when they are all stop words."""

    __slots__ = ("groups", "vague")

    def __init__(self, groups: tuple[Group, ...], *, vague: bool) -> None:
        self.groups = groups
        self.vague = vague


def asked(text: str) -> Asked:
    """What ``text`` asks for, each term once."""
    phrases = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text[:_LONGEST_QUESTION])]
    words = _words(text[:_LONGEST_QUESTION])[:_MOST_WORDS]
    stop = stop_words()
    kept = [group for group in words if group.term not in stop]
    vague = not kept
    groups = kept or words
    groups = [*groups, *_phrases(phrases), *_neighbours(words, stop)]
    unique: dict[tuple[str, bool], Group] = {}
    for group in groups:
        unique.setdefault((group.term, group.kind == "phrase"), group)
    return Asked(tuple(unique.values()), vague=vague)


def _words(text: str) -> list[Group]:
    plain = _ELIDED.sub(" ", text)
    spelled = spelled_out(plain)
    # Where the two spellings are not cut alike (a mark on its own), there is only one.
    pieces = _pieces(fold(plain))
    others = pieces if spelled == plain else _pieces(fold(spelled))
    if len(others) != len(pieces):
        others = pieces
    groups: list[Group] = []
    for (sign, run, symbol), (_, other, _) in zip(pieces, others, strict=True):
        if run:
            groups.extend(_run_groups(run, other or run))
        else:
            term = _sign(sign or symbol)
            if term:
                groups.append(Group(sign or symbol, term, term))
    return groups


def _run_groups(piece: str, other: str) -> list[Group]:
    ordered: list[str] = []
    spelled: list[str] = []
    more: list[str] = []
    _run(piece, ordered, more)
    _run(other, spelled, [])
    if len(spelled) != len(ordered):
        spelled = ordered
    groups = [Group(term, term, alike) for term, alike in zip(ordered, spelled, strict=True)]
    atoms = _ATOMS(piece)
    if len(atoms) == 1 and more and len(_scripts(piece)) == 1:
        groups[0].kind = "whole"
        groups.extend(Group(part, part, part, "part", (groups[0].term,)) for part in more)
    elif len(atoms) > 1:
        parts = [(_cut(part), _cut(atom)) for atom in atoms for part in _parts(atom)]
        identifiers = {atom for _, atom in parts}
        for group in groups:
            group.kind = "whole" if group.term in identifiers else "word"
        groups.extend(Group(part, part, part, "part", (atom,)) for part, atom in parts)
        inside = tuple(ordered)
        groups.extend(Group(piece, joined, joined, "joined", inside) for joined in _joined(piece)[:1])
    return groups


def _neighbours(words: list[Group], stop: frozenset[str]) -> list[Group]:
    """Two to four neighbours as one word: ``Nacht Lauf`` for Nachtlauf, ``sign up`` for sign-up."""
    plain = [group for group in words if group.kind in ("word", "whole")]
    joined = []
    for size in (2, 3, 4):
        for at in range(len(plain) - size + 1):
            some = plain[at : at + size]
            term = "".join(group.term for group in some)
            if some[0].term not in stop and 5 <= len(term) <= _LONGEST and term.isascii():
                word = " ".join(group.word for group in some)
                joined.append(Group(word, term, term, "joined", tuple(group.term for group in some)))
    return joined


def _phrases(quoted: list[str]) -> list[Group]:
    phrases = []
    for text in quoted:
        ordered, _ = terms(text)
        if 1 < len(ordered) <= _MOST_WORDS:
            phrase = " ".join(ordered)
            phrases.append(Group(text, phrase, phrase, "phrase"))
    return phrases


@cache
def stop_words() -> frozenset[str]:
    """The words that a question is asked with, of all three languages, as terms."""
    path = os.path.join(os.path.dirname(__file__), "stop_words.txt")
    with open(path, encoding="utf-8") as stream:
        lines = [line for line in stream if not line.startswith("#")]
    return frozenset(fold("".join(lines)).casefold().split())
