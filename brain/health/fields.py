"""What the words of handover files and decision logs mean: ``fields.toml`` and the fields of entries.

Everything is compared folded (``brain.health.words.fold``), without mark-up, leading emoji and numbers, and
trailing punctuation.
"""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from unicodedata import normalize

from brain.health.words import fold
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TABLE = os.path.join(os.path.dirname(__file__), "fields.toml")
# What nobody sees (variation selectors, joiners) and what only marks up.
_UNSEEN = re.compile('[\ufe00-\ufe0f\u200b-\u200d\u2060\ufeff*`~\\[\\]"\u201c\u201d\u201e\u00ab\u00bb]+')
_UNDERLINES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_LEADING = re.compile(
    r"(?:[^\w(<{\u2026?\u2013\u2014-]|_)*(?:\d{1,3}(?:\.\d{1,3})*[.):]?(?=\s)\s*)?(?:[^\w(<{\u2026?\u2013\u2014-]|_)*"
)
_HYPHEN = re.compile(r"(?<=\w)[-_](?=\w)")
_TRAILING = " \t\r\n.,;:!\uff1a\u3002"
# What may follow a word of a field that a heading begins with; a blank only if more is known.
_GOES_ON = re.compile(r"[ (:,/&\u2013\u2014\uff1a\uff08-]")
_LONGEST = 64  # no word of a field is longer, and a line may be a megabyte
# How the names of brain/entries/fields.toml are called here.
_OF_ENTRIES = {
    "decision": "decision", "rationale": "rationale", "context": "context", "problem": "context",
    "rejected": "rejected", "constraint": "constraint", "consequences": "constraint",
    "trade_off": "constraint", "status": "status", "date": "date", "superseded_by": "superseded_by",
    "supersedes": "supersedes", "revisit": "constraint",
}  # fmt: skip
# No word of the table for a placeholder has more letters than the second.
_LONGEST_PLACEHOLDER, _PLACEHOLDER_LETTERS = 24, 16
_FIRST_WORD = re.compile(r"[^\s(,.;:\u2013\u2014!-]+")
# What may stand behind a word for none without taking it back: a mark, or one of these words.
_STAYS_NONE = re.compile(
    r"\s*(?:$|[.,;:(\u2013\u2014!-]"
    r"|(?:known|current(?:ly)?|right|at|for|so|as|mehr|bekannt\w*|derzeit|zurzeit|aktuell\w*|offene[nr]?|open|block\w*"
    r"|hindern\w*|external|externe[nr]?|pour|connu|point|a signaler)(?!\w))"
)
# A placeholder as templates write it, alone or with others, in a value of any length up to a line.
_PLACEHOLDER = re.compile(
    r"\{\{?[^{}]{0,200}\}?\}|<[^<>]{1,200}>|\[(?!x\])[^\[\]]{1,200}\](?!\()|y{4}-m{2}-d{2}|\d{4}-xx-xx|[a-z]{1,4}-n{2,4}",
    re.IGNORECASE,
)


_MAY_HOLD = re.compile(r"[{<\[]|-xx|-nn|-mm", re.IGNORECASE)
_SHORT_CODES = re.compile(r"^\s*(?::[a-z0-9_+-]{2,40}:\s*)+")
_TAKEN_BACK = re.compile(r"\W*\w+\W+(?:nicht|not|pas|by nothing|durch nichts)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The table: folded words to fields of a progress file, of a decision, to statuses; lists of words.

    A text that begins with none of ``openings`` means no field.
    """

    fields: Mapping[str, str]
    entries: Mapping[str, str]
    statuses: Mapping[str, str]
    more: frozenset[str]
    joining: frozenset[str]
    qualifying: frozenset[str]
    openings: frozenset[str]
    none: frozenset[str]
    placeholders: frozenset[str]


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """``text`` for comparing: folded, without mark-up, leading emoji and numbers, trailing punctuation."""
    text = _UNSEEN.sub("", fold(text))
    if "_" in text:
        text = _UNDERLINES.sub("", text)
    if not text[:1].isalpha() and (found := _LEADING.match(text)):
        text = text[found.end() :]
    text = " ".join(text.split()).rstrip(_TRAILING)
    if "-" in text or "_" in text:
        text = _HYPHEN.sub(" ", text)
    return text.replace("\u2019", "'")


@lru_cache(maxsize=1024)
def heading_field(text: str) -> str | None:
    """The field of a progress file, or else of a decision, that a heading ``text`` opens."""
    return _field(plain(text[:_LONGEST]), is_label=False, entry=False)


@lru_cache(maxsize=1024)
def label_field(text: str) -> str | None:
    """As ``heading_field`` for a label, which is the word alone, or with something in brackets or a slash."""
    return _field(plain(text), is_label=True, entry=False) if len(text) <= _LONGEST else None


@lru_cache(maxsize=1024)
def entry_field(text: str) -> str | None:
    """The field of a decision that a heading or label ``text`` means; also status, date and the two links."""
    return _field(plain(text[:_LONGEST]), is_label=True, entry=True)


def _field(norm: str, *, is_label: bool, entry: bool) -> str | None:
    table = vocabulary()
    if _opening(norm) not in table.openings:
        return None
    tables = (table.entries,) if entry else (table.fields, table.entries)
    for words in tables:
        found = _named(norm, words, table, is_label=is_label)
        if found:
            return found
    first, _, rest = norm.partition(" ")
    if rest and first in table.qualifying:
        return next((name for words in tables if (name := words.get(rest))), None)
    return None


def _opening(norm: str) -> str:
    """What a plain text begins with, up to where something may follow the word of a field."""
    end = _GOES_ON.search(norm)
    return norm[: end.start()] if end else norm


def _named(norm: str, words: Mapping[str, str], table: Vocabulary, *, is_label: bool) -> str | None:
    """The longest word of the table that is ``norm``, or that it begins with."""
    if norm in words:
        return words[norm]
    ends = [found.start() for found in _GOES_ON.finditer(norm)]
    for end in reversed(ends):
        name = words.get(norm[:end])
        if name and _may_go_on(norm[:end], norm[end:], table, is_label=is_label):
            return name
    return None


def _may_go_on(word: str, rest: str, table: Vocabulary, *, is_label: bool) -> bool:
    rest = rest if rest[0] != " " else rest.lstrip()
    if rest[0] in "(:,/&\u2013\u2014\uff1a\uff08":
        return not is_label or rest[0] in "(/&\uff08"
    if rest[0] == "-":
        return rest[1:2] == " " and not is_label
    following = rest.split(" ", 1)[0]
    if is_label:
        return False
    return word in table.more or following in table.joining or following[0].isdigit()


def is_none(text: str) -> bool:
    """Whether ``text`` says that there is none: ``None``, ``Keine.``, ``nothing at the moment``."""
    return len(text) <= 200 and _is_none(text.strip())


@lru_cache(maxsize=512)
def _is_none(text: str) -> bool:
    norm = plain(text)
    if not norm or not norm.strip("-\u2013\u2014 "):
        return bool(text) and not text.strip("-\u2013\u2014 ")
    none = vocabulary().none
    if norm in none or norm.strip("()") in none:
        return True
    word = _FIRST_WORD.match(norm)
    return word is not None and word[0] in none and _STAYS_NONE.match(norm, word.end()) is not None


def is_placeholder(text: str) -> bool:
    """Whether ``text`` is what a template left to be filled in, or nothing: ``TBD``, ``{…}``, ``[goal]``."""
    text = text.strip()
    if len(text) > 400:
        return False
    return not begins_with_words(text) and _is_placeholder(text)


def begins_with_words(text: str) -> bool:
    """Whether ``text`` begins with plain words, and more of them than any placeholder has: most texts do."""
    letters = text[:_LONGEST_PLACEHOLDER].replace(" ", "")
    return len(letters) > _PLACEHOLDER_LETTERS and letters.isascii() and letters.isalpha()


@lru_cache(maxsize=512)
def _is_placeholder(text: str) -> bool:
    bare = text.strip("*_`~ \t.:;\u2026-\u2013\u2014")
    if not bare:
        return True
    rest = _PLACEHOLDER.sub("", bare) if _MAY_HOLD.search(bare) else bare
    if rest is not bare and not re.search(r"\w", rest):
        return True
    return bare.casefold() in vocabulary().placeholders or plain(bare) in vocabulary().placeholders


@lru_cache(maxsize=512)
def status_of(value: str) -> tuple[str, str | None]:
    """(canonical status or empty, what is named after "superseded by" or None) of a status' ``value``.

    The names are those of brain/entries/fields.toml: active, proposed, superseded, rolled-back, rejected,
    deprecated, archived, paused.
    """
    from brain.entries.fields import read_status  # noqa: PLC0415 - only who reads decisions needs the table

    value = _SHORT_CODES.sub("", value[:1000])
    if _TAKEN_BACK.match(value):
        return "", None
    status = read_status(value)
    if status.name:
        return status.name, status.superseded_by
    words = plain(value).split(" ")
    for length in (3, 2, 1):
        name = vocabulary().statuses.get(" ".join(words[:length]).rstrip(_TRAILING + ")("))
        if name:
            return name, status.superseded_by
    return "", status.superseded_by


@cache
def vocabulary() -> Vocabulary:
    """The table, read once."""
    from brain.entries.fields import words as of_entries  # noqa: PLC0415 - reads a table of its own

    table = _table()
    entries = {
        spelling: _OF_ENTRIES[name]
        for label, name in of_entries().fields.items()
        if name in _OF_ENTRIES
        for spelling in _spellings(label)
    }
    fields = _by_word(table["fields"])
    entries = _by_word(table["entries"]) | entries
    qualifying = frozenset(_all(table["more"]["qualifying"]))
    return Vocabulary(
        fields=fields,
        entries=entries,
        statuses=_by_word(table["statuses"]),
        more=frozenset(_all(table["more"]["words"])),
        joining=frozenset(_all(table["more"]["joining"])),
        qualifying=qualifying,
        openings=frozenset(map(_opening, (*fields, *entries, *qualifying))),
        none=frozenset((*_all(table["words"]["none"]), *table["words"]["none"])),
        placeholders=frozenset((*_all(table["words"]["placeholders"]), *table["words"]["placeholders"])),
    )


@cache
def listed(section: str, name: str) -> tuple[str, ...]:
    """The folded words of a list of the table, the longest first."""
    return tuple(
        sorted({fold(word) for word in _table()[section][name]}, key=lambda word: (-len(word), word))
    )


@cache
def pattern(section: str, name: str) -> str:
    """A pattern for any of the words of a list, for folded text; whole words, where they are words."""
    whole: list[str] = []
    signs: list[str] = []
    for word in listed(section, name):
        is_word = word[0].isalnum() and word[-1].isalnum() and word.isascii()
        (whole if is_word else signs).append(re.escape(word))
    parts = [rf"(?<!\w)(?:{'|'.join(whole)})(?!\w)"] if whole else []
    return "|".join((*parts, *signs))


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where a memory is examined

    with open(_TABLE, "rb") as file:
        return tomli.load(file)


def _by_word(table: dict[str, list[str]]) -> dict[str, str]:
    return {
        spelling: name for name, words in table.items() for word in words for spelling in _spellings(word)
    }


def _all(words: Iterable[str]) -> list[str]:
    return [spelling for word in words for spelling in _spellings(word)]


def _spellings(word: str) -> set[str]:
    """A word folded, and without its dots: ``nächster`` is written ``naechster`` and ``nachster``, too."""
    bare = "".join(sign for sign in normalize("NFD", word) if not "\u0300" <= sign <= "\u036f")
    return {plain(word) or word, plain(bare) or word}
