"""The cues of ``cues.toml`` and of a user's own file: by which words a line is told to last or not."""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from hashlib import sha256

from brain.search.folding import fold
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

LANGUAGES = ("de", "en", "fr")
STATEMENT, SENTENCE = "statement", "sentence"
"""What says something by its verb; what looks as if it did."""

_TABLE = os.path.join(os.path.dirname(__file__), "cues.toml")
_TOKENS = re.compile(r"[^\W_]+").findall
# How much of a line its shape is looked for in; beyond it a line is no longer judged by its shape.
_REACH = 240


class CuesError(ValueError):
    """A table of cues that cannot be read; says where and why."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A row of the table: its name, what it weighs, and the reason for which it excludes a line."""

    name: str
    weight: float
    reason: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A row of shapes; see the table."""

    cue: Cue
    pattern: re.Pattern[str]
    lang: str
    unless: str
    is_cased: bool


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The words behind the first one of a phrase, where the phrase must stand, and what it is a cue of."""

    rest: tuple[str, ...]
    at_start: bool
    at_end: bool
    cue: Cue


@lru_cache(maxsize=1 << 14)
def tokens(text: str) -> tuple[str, ...]:
    """The words of ``text`` without case and accents; an apostrophe parts two."""
    return tuple(_TOKENS(fold(text).casefold()))


class Cues:
    """The tables made ready; ``digest`` tells two of them apart, and is part of what is kept of a note."""

    def __init__(self, tables: Iterable[Mapping[str, Any]], digest: str) -> None:
        self.digest = digest
        merged: dict[str, Any] = {}
        for table in tables:
            _merge(merged, table)
        self._words: dict[str, dict[str, list[_Phrase]]] = {lang: {} for lang in (*LANGUAGES, "")}
        self._open: dict[str, dict[str, list[tuple[str, Cue]]]] = {lang: {} for lang in (*LANGUAGES, "")}
        for name, row in merged["cue"].items():
            self._add(Cue(name, float(row["weight"]), str(row.get("reason", ""))), row)
        self.shapes = tuple(
            Shape(
                Cue(
                    str(row.get("adds", row["what"])), float(row.get("weight", 0)), str(row.get("reason", ""))
                ),
                re.compile(row["pattern"]),
                str(row.get("lang", "")),
                str(row.get("not", "")),
                bool(row.get("cased", False)),
            )
            for row in merged["shape"]
        )
        self.grammar = {
            lang: frozenset(word for text in merged["language"][lang] for word in tokens(text))
            for lang in LANGUAGES
        }
        self._french = frozenset(
            word for text in merged["cue"][STATEMENT]["fr"] for word in _TOKENS(text.lower())
        )
        self._signs = {lang: re.compile(merged["language"]["signs"][lang]) for lang in LANGUAGES}
        labels = merged["explicit"]
        self.firm = frozenset(" ".join(tokens(text)) for text in labels["firm"]["labels"])
        self.asked = frozenset(" ".join(tokens(text)) for text in labels["asked"]["labels"])
        self.openings = tuple(
            sorted(
                {tokens(text) for kind in ("firm", "asked") for text in labels[kind]["openings"]},
                key=lambda words: (-len(words), words),
            )
        )
        titles = merged["titles"]
        self.blocked = frozenset(" ".join(tokens(text)) for text in titles["blocked"])
        self.persistent = frozenset(" ".join(tokens(text)) for text in titles["persistent"])
        self.generated = frozenset(" ".join(tokens(text)) for text in titles["generated"])
        self.weekdays = {
            lang: {
                word: f"weekday {number}"
                for number, names in enumerate(merged["weekdays"][lang])
                for word in tokens(names)
            }
            for lang in LANGUAGES
        }
        self.negation = {
            lang: frozenset(word for text in merged["negation"][lang] for word in tokens(text))
            for lang in LANGUAGES
        }
        self.numerals = {
            lang: {
                tokens(text)[0]: str(value)
                for text, value in zip(merged["numerals"][lang], _VALUES, strict=False)
            }
            for lang in LANGUAGES
        }
        self.numerals[""] = {word: value for known in self.numerals.values() for word, value in known.items()}
        words = sorted(merged["condition"]["words"], key=len, reverse=True)
        self.condition = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
        words = sorted(merged["until"]["words"], key=lambda text: (-len(text), text))
        self.until = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})\W{{1,3}}", re.IGNORECASE)

    def language(self, text: str, words: Iterable[str]) -> str:
        """``de``, ``en`` or ``fr``: whose most ``words`` are, else what ``text`` looks like; or empty."""
        held = list(words)
        counts = {lang: 2 * sum(word in known for word in held) for lang, known in self.grammar.items()}
        best = max(counts.values())
        leading = [lang for lang, count in counts.items() if count == best]
        if best and len(leading) == 1:
            return leading[0]
        lowered = text[:_REACH].lower()
        signs = {lang: len(self._signs[lang].findall(lowered)) for lang in leading}
        most = max(signs.values())
        leading = [lang for lang, count in signs.items() if count == most]
        return leading[0] if most and len(leading) == 1 else ""

    def found_anywhere(self, text: str, words: tuple[str, ...], lang: str) -> list[Cue]:
        """The cues in a line of no known language: what speaks for it in ``lang``, against it in any."""
        against = [cue for cue in self.found(text, words, "") if cue.weight < 0]
        return [*(cue for cue in self.found(text, words, lang) if cue.weight > 0), *against]

    def found(self, text: str, words: tuple[str, ...], lang: str) -> list[Cue]:
        """The cues in a line, each once, by the words of ``lang``, or of all languages where it is empty."""
        cased = text[:_REACH]
        lowered = cased.lower()
        found = self._by_words(words, lang)
        if lang == "fr" and STATEMENT in found and not self._speaks_french(lowered):
            del found[STATEMENT]
        for shape in self.shapes:
            if (lang and shape.lang not in ("", lang)) or (shape.unless and shape.unless in found):
                continue
            if shape.pattern.search(cased if shape.is_cased else lowered):
                found[shape.cue.name] = shape.cue
        statement = found.get(STATEMENT)
        if statement is not None and not statement.weight:
            found[STATEMENT] = Cue(STATEMENT, 1.0, "")
        return list(found.values())

    def _by_words(self, words: tuple[str, ...], lang: str) -> dict[str, Cue]:
        found: dict[str, Cue] = {}
        index, prefixes = self._words[lang], self._open[lang]
        last = len(words)
        for at, word in enumerate(words):
            for phrase in index.get(word, ()):
                end = at + 1 + len(phrase.rest)
                if phrase.at_start and at:
                    continue
                if phrase.at_end and end != last:
                    continue
                if words[at + 1 : end] == phrase.rest:
                    found[phrase.cue.name] = phrase.cue
            for prefix, cue in prefixes.get(word[:3], ()):
                if word.startswith(prefix):
                    found[cue.name] = cue
        return found

    def _speaks_french(self, lowered: str) -> bool:
        """Whether a verb of a statement stands behind the first word, with its accents.

        Without them "passé" is "passe"; and what stands first is a noun ("garde calme").
        """
        return any(word in self._french for word in _TOKENS(lowered)[1:])

    def _add(self, cue: Cue, row: Mapping[str, Any]) -> None:
        for lang in LANGUAGES:
            for text in row.get(lang, ()):
                at_start, at_end = text.startswith("^"), text.endswith("$")
                words = tokens(text)
                if not words:
                    continue
                for index in (lang, ""):
                    if text.endswith("*"):
                        self._open[index].setdefault(words[0][:3], []).append((words[0], cue))
                    else:
                        phrase = _Phrase(words[1:], at_start, at_end, cue)
                        self._words[index].setdefault(words[0], []).append(phrase)


_VALUES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "20", "30", "100", "1000")


def _merge(into: dict[str, Any], table: Mapping[str, Any]) -> None:
    """Add a table to another: lists grow, tables are gone into, all else is set."""
    for name, value in table.items():
        if isinstance(value, dict):
            held = into.setdefault(name, {})
            if not isinstance(held, dict):
                raise CuesError(f"{name}: a table stands where none is expected")
            _merge(held, value)
        elif isinstance(value, list):
            into[name] = [*into.get(name, ()), *value]
        else:
            into[name] = value


@cache
def standard_cues() -> Cues:
    """The cues that come with Zecher."""
    return cues_with(b"")


def cues_with(own: bytes) -> Cues:
    """The cues with those of a user's file added; ``CuesError`` says what is wrong with that."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where notes are read

    with open(_TABLE, "rb") as file:
        data = file.read()
    tables = [tomli.loads(data.decode())]
    try:
        if own:
            tables.append(tomli.loads(own.decode("utf-8")))
        return Cues(tables, sha256(data + b"\0" + own).hexdigest()[:16])
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise CuesError(f"{type(error).__name__}: {error}") from None
