"""What the words of an entry mean: labels and statuses in three languages, from ``fields.toml``."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from brain.value import dataclass

LABEL_ENDS = " \t\u00a0\u202f:\uff1a."

# The first is the one that is written where nothing tells another.
LANGUAGES = ("en", "de", "fr")

_STRUCK = re.compile(r"~~.*?~~")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECORATION = re.compile(r"[*`\[\]()\\\"'“”„«»]+|(?<!\w)_+|_+(?!\w)")
_LEADING = re.compile(r"^[^\w<{]+")
_SIGNS = re.compile(r"[-_'\u2019\u2010\u2011\u2013]")
_CHOICE = r"\s*(?:/|\||,|\bor\b|\boder\b|\bou\b)\s*"
_LETTERS = re.compile(r"[^\W\d_]+")
# A word that is one whatever else the text holds.
_FIRST_WORD = re.compile(r"[A-Za-z]+(?=[ \t\n,.;:]|$)")
_PLACEHOLDERS = frozenset(("tbd", "todo", "xx", "?", "…", "..."))


@dataclass(frozen=True, slots=True)
class Kind:
    """What one memory file holds: its name, its fields in writing order, the statuses an entry may have."""

    name: str
    file: str
    fields: tuple[str, ...]
    statuses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The table of ``fields.toml``: normalised spellings to canonical names, and the labels to write.

    ``labels`` has for each language the label of each field, ``languages`` those that know a spelling.
    """

    labels: Mapping[str, Mapping[str, str]]
    languages: Mapping[str, frozenset[str]]
    fields: Mapping[str, str]
    statuses: Mapping[str, str]
    archived: str
    links: str
    status_words: str
    kinds: Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Status:
    """What the value of a status field says.

    ``name`` is canonical, or None: then ``unclear`` tells "several" (a template's choice was left standing),
    "unknown" (no word of the table) or "empty". ``superseded_by`` is the entry named after "superseded by".
    """

    name: str | None
    superseded_by: str | None
    unclear: str = ""


def normalised(text: str) -> str:
    """``text`` for comparing: composed, case-folded, with hyphens, underscores and apostrophes as blanks."""
    composed = _composed(text).casefold()
    return " ".join(_SIGNS.sub(" ", composed).split())


@lru_cache(maxsize=1)
def words() -> Words:
    """The table, read once when it is first needed."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, and only who reads entries needs the table

    with open(os.path.join(os.path.dirname(__file__), "fields.toml"), "rb") as file:
        table = tomli.load(file)
    statuses = {normalised(word): name for name, some in table["status"].items() for word in some}
    fields: dict[str, str] = {}
    languages: dict[str, set[str]] = {}
    for name, by_language in table["fields"].items():
        for language, spellings in by_language.items():
            for one in map(normalised, spellings):
                fields[one] = name
                languages.setdefault(one, set()).add(language)
    return Words(
        labels={
            language: {name: spellings[language][0] for name, spellings in table["fields"].items()}
            for language in LANGUAGES
        },
        languages={spelling: frozenset(known) for spelling, known in languages.items()},
        fields=fields,
        statuses=statuses,
        archived=_any_of(table["archived"]["words"]),
        links=_any_of(table["links"]["phrases"]),
        status_words=_any_of(statuses),
        kinds={
            name: Kind(name, kind["file"], tuple(kind["fields"]), tuple(kind["statuses"]))
            for name, kind in table["kinds"].items()
        },
    )


@lru_cache(maxsize=1024)
def field_name(label: str) -> str | None:
    """The canonical name of the field that ``label`` means, or None for one that the table does not know."""
    return words().fields.get(normalised(label.rstrip(LABEL_ENDS)))


def languages_of(label: str) -> frozenset[str]:
    """The languages that know ``label`` as that of a field; none for one that the table does not know."""
    return words().languages.get(normalised(label.rstrip(LABEL_ENDS)), frozenset())


def is_placeholder(text: str) -> bool:
    """Whether a value is what a template left to be filled in: nothing, ``<…>``, ``{…}``, ``TBD``."""
    bare = text.strip().strip("*_`").strip()
    if not bare or bare.casefold() in _PLACEHOLDERS:
        return True
    return (bare[0], bare[-1]) in (("<", ">"), ("{", "}")) and not re.search(
        r"[<>{}]", bare[1:-1].strip("{}")
    )


def read_status(value: str) -> Status:
    """What ``value`` says, as ``Status`` describes; only the words at its beginning count."""
    patterns = _patterns()
    first_word = _FIRST_WORD.match(value)
    if first_word and first_word[0].lower() not in patterns.beginnings:
        return Status(None, None, "unknown")
    text = _COMMENTS.sub(" ", value) if "<!--" in value else value
    text = _DECORATION.sub(" ", _STRUCK.sub(" ", text) if "~~" in text else text)
    text = _LEADING.sub("", normalised(text))
    link = patterns.link.match(text)
    successor = _successor(value) if link else None
    first = patterns.status.match(text)
    if first is None:
        return Status(None, successor, "unknown" if text else "empty")
    other = patterns.other.match(text, first.end())
    if other and not link:
        return Status(None, None, "several")
    return Status(words().statuses[first.group()], successor)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Made from the table: a status at the beginning of a text, another behind it, a link.

    ``beginnings`` are the words that any of them begins with.
    """

    status: re.Pattern[str]
    other: re.Pattern[str]
    link: re.Pattern[str]
    beginnings: frozenset[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    table = words()
    return _Patterns(
        status=re.compile(rf"(?:{table.status_words})(?!\w)"),
        other=re.compile(rf"{_CHOICE}(?:{table.status_words})(?!\w)"),
        link=re.compile(rf"(?:{table.links})\b"),
        beginnings=frozenset(
            found[0]
            for words in (table.status_words, table.links)
            for spelling in words.split("|")
            if (found := _LETTERS.match(spelling))
        ),
    )


def _successor(value: str) -> str | None:
    found = re.search(rf"(?i)(?:{words().links})[ \t]*:?[ \t]*(?P<name>[^\r\n]*)", _composed(value))
    name = found["name"].strip(" \t.;*_~") if found else ""
    return name or None


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _any_of(spellings: Mapping[str, str] | list[str]) -> str:
    """A pattern for any of the words, the longest first, so that none hides behind its own beginning."""
    return "|".join(re.escape(word) for word in sorted(map(normalised, spellings), key=len, reverse=True))
