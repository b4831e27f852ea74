"""The candidates of one note: lines that may be worth keeping, and why the others are not.

A pure function of the note's bytes and of the cues, so that its answer can be kept by the hash of the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from brain import secrets
from brain.dreaming.claim_id import claim_id
from brain.dreaming.cues import SENTENCE, STATEMENT, Cue, Cues, tokens
from brain.dreaming.lines import LONGEST, Piece, pieces
from brain.dreaming.orders import is_order
from brain.dreaming.values import CANDIDATE, FRAGMENT, LASTING, PLAIN
from brain.dreaming.wording import DAY_FIRST, without_label
from brain.health.dates import find_date
from brain.health.limit_fields import fields_in, table
from brain.health.smuggled import hidden_characters, orders
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST = 1000
"""Candidates of one note; a file with more is no note that somebody wrote on a day."""

_SHORTEST, _FEWEST = 8, 3
_EXAMPLES = 3
_SHOWN = 120
_REFUSED_BELOW, _HEAVY, _NEVER = -1.0, -2.0, -9.0
_WEAK = (STATEMENT, SENTENCE)
_TRUST = ("trust", "vertrauen", "confiance")
_TITLE = 1.2

_GENERATED = re.compile(
    r"""
      (?:user|assistant|system|human|ai|bot)\s*:
    | \[?(?:candidate|reflection|theme|possible[ ]lasting[ ]update)s?\]?\s*:
      .*(?:confidence|evidence|recalls|score)\b
    | .*\[score=
    | .*\bstatus\s*[:=]\s*staged\b
    | .*\b(?:confidence|score)\s*[:=]\s*\d.*\b(?:evidence|recalls|avg|source)\s*[:=]
    | \W*(?:evidence|recalls|confidence|score|status|claimhash|query)\s*[:=]\s*[\d\[{"'m]
    | conversation[ ]summary\b
    | .*\bsession[ _-]?key\b.*\bsession[ _-]?id\b
    | .*\bopenclaw(?::|-memory-promotion)
    | .*\bzecher:(?:promoted|dream|backfill)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TEMPLATE = re.compile(
    r"<!--|\{\{|\{%|<[^<>\s\d][^<>]{0,40}>\W*$|_{3,}|\.{4,}|\b(?:TBD|FIXME|XXX|lorem ipsum|YYYY)\b"
    r"|\[[^\]\d]{1,40}\]\W*$"
)
_TOOLS = (
    "sudo|git|docker|docker-compose|podman|kubectl|helm|npm|pnpm|yarn|npx|pip|pipx|uv|uvx|python3?|node|cargo|go"
    "|make|cmake|curl|wget|ssh|scp|rsync|cd|ls|cp|mv|rm|cat|grep|sed|awk|tar|chmod|chown|systemctl|journalctl"
    "|apt|apt-get|brew|psql|mysql|redis-cli|terraform|ansible|ansible-playbook|pytest|ruff|mypy|tox|nox|export"
    "|source|echo|tail|head|less|vim|nano|composer|php|java|mvn|gradle"
)
_COMMAND = re.compile(
    r"(?:\$|>>>|%|#!)\s?\S|`[^`]+`\W*$"
    rf"|(?:{_TOOLS})\s(?:.*(?:\s--?\w|&&|\|\||[|>$=]|\.\w)|\S+(?:\s\S+){{0,2}}$)"
    r"|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE)\s"
    r"|(?:def|class|import|from|function|const|let|var|return|if|for|while|public|private|static)\b.*[;{(=:]$"
    r"|Traceback \(|\s*at [\w.$]+\(|File \"|[\[{].*[\]}]$|<\/?\w+[^>]*>"
)
# A number that opens something, beside the word that says so; a pin of a plug has no four digits.
_PIN = re.compile(
    r"\b(?:PIN|PUK|Geheimzahl|code PIN|code secret|passcode)\b[^\d\n]{0,40}\b\d{4,10}\b", re.IGNORECASE
)
_LINK = re.compile(r"(?:https?|ftp|ssh|file)://\S+|www\.\S+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
# "API port: 8080", "VAT id = DE123": a name and its value.
_LABELLED = re.compile(r"[^:=.!?]{3,40}(?::\s|\s?=\s?)\S*[\d/@._-]\S*[^.!?,]*\.?$")
# "3.5.", "3. Mai", "3/5", "3rd", "May 3"; no "18:00" and no "25 MB".
_DAY_WITHOUT_YEAR = re.compile(
    r"\d{1,2}\.\s?(?:\d{1,2}\.(?!\d)|[^\W\d_]{3})|\d{1,2}/\d|\d{1,2}(?:st|nd|rd|th)\b"
    r"|(?P<month>[^\W\d_]{3,9})\.?[ ]\d{1,2}(?![\d:])"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate: where it begins, the id and the text of its wording, and how it reads.

    ``is_explicit``: its writer marked it as to be kept. ``until``: the last day on which it holds.
    """

    line: int
    id: str
    text: str
    lang: str
    reading: float
    is_explicit: bool
    until: str
    heading: str


@dataclass(frozen=True, slots=True)
class Left:
    """How many lines of a note were left out for a reason, and the first few: their numbers and texts."""

    reason: str
    count: int
    examples: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one note gave: its candidates in the order of their lines, and what was left out, by reason."""

    lines: tuple[Line, ...]
    left: tuple[Left, ...]

    def row(self) -> list[object]:
        """The same as JSON can say it."""
        lines = [
            [one.line, one.id, one.text, one.lang, one.reading, one.is_explicit, one.until, one.heading]
            for one in self.lines
        ]
        return [lines, [[one.reason, one.count, list(map(list, one.examples))] for one in self.left]]


def extraction_of(row: object) -> Extraction | None:
    """What ``Extraction.row`` gave, None for anything else: who kept it may have lost a part."""
    if not isinstance(row, list) or len(row) != 2:
        return None
    lines: list[list[Any]] = row[0]
    left: list[list[Any]] = row[1]
    try:
        return Extraction(
            tuple(
                Line(
                    int(line),
                    str(id_),
                    str(text),
                    str(lang),
                    float(reading),
                    bool(explicit),
                    str(until),
                    str(heading),
                )
                for line, id_, text, lang, reading, explicit, until, heading in lines
            ),
            tuple(
                Left(str(reason), int(count), tuple((int(line), str(text)) for line, text in examples))
                for reason, count, examples in left
            ),
        )
    except (TypeError, ValueError):
        return None


def extract(data: bytes, cues: Cues) -> Extraction:
    """The candidates of a note of these bytes; whatever they are, it answers."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = data.decode("utf-8", "replace")
    taken = _Taken()
    held = list(pieces(data))
    fallback = _language_of(held, cues)
    refused = _refused_lines(data, text)
    untrusted = _front_says_untrusted(text)
    for piece in held:
        why = _why_not(piece, refused, cues) or ("untrusted" if untrusted else "")
        if why:
            taken.leave(why, piece.line, piece.text)
            continue
        titled = any(_plain(title) in cues.persistent for title in piece.titles)
        judged = judge_text(piece.text, fallback, titled, cues)
        if isinstance(judged, str):
            taken.leave(judged, piece.line, piece.text)
        elif len(taken.lines) >= MOST:
            taken.leave("too-many", piece.line, piece.text)
        else:
            heading = piece.titles[-1] if piece.titles else ""
            lang, reading, explicit, until = judged
            taken.lines.append(
                Line(piece.line, claim_id(piece.text), piece.text, lang, reading, explicit, until, heading)
            )
    return taken.extraction()


class _Taken:
    """What is found of one note while it is gone through."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[tuple[int, str]]] = {}

    def leave(self, reason: str, line: int, text: str) -> None:
        self._counts[reason] = self._counts.get(reason, 0) + 1
        examples = self._examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append((line, _shown(reason, text)))

    def extraction(self) -> Extraction:
        left = (Left(reason, count, tuple(self._examples[reason])) for reason, count in self._counts.items())
        return Extraction(tuple(self.lines), tuple(sorted(left, key=lambda one: one.reason)))


def _shown(reason: str, text: str) -> str:
    """A line as an example: without secrets, and nothing at all of what is not meant for people."""
    if reason in ("smuggled", "garbled"):
        return ""
    # Cut after it was masked: half a secret is not known as one.
    shown = secrets.redact(text[: 4 * LONGEST]).text
    return "" if reason == "secret" and shown == text else shown[:_SHOWN]


def _language_of(held: Iterable[Piece], cues: Cues) -> str:
    """The language of most of what a note says."""
    words: list[str] = []
    for piece in held:
        if not piece.why:
            words.extend(tokens(piece.text[:LONGEST]))
        if len(words) > 4000:
            break
    return cues.language("", words)


def _front_says_untrusted(text: str) -> bool:
    """Whether the front matter says that nobody vouches for the note."""
    if not text.startswith("---\n"):
        return False
    front = text[4:].partition("\n---")[0]
    return any(_is_untrusted(line) for line in front.split("\n")[:200])


def _refused_lines(data: bytes, text: str) -> dict[int, str]:
    """The lines that hold a secret, or what is not meant for people."""
    found = {line: "smuggled" for line, _, _ in orders(data)}
    found.update((line, "smuggled") for line, _, _ in hidden_characters(data))
    found.update((line, "secret") for line, _ in secrets.find(text))
    return found


def _why_not(piece: Piece, refused: dict[int, str], cues: Cues) -> str:
    """Why a line is no candidate whatever it says, empty where nothing speaks against it."""
    if refused:
        for line in range(piece.line, piece.last + 1):
            if line in refused:
                return refused[line]
    if piece.why:
        return piece.why
    if piece.last > piece.line and secrets.find(piece.text):
        return "secret"
    if _GENERATED.match(piece.text):
        return "generated"
    for title in piece.titles:
        plain = _plain(title)
        if plain in cues.generated:
            return "generated"
        if _is_blocked(plain, cues):
            return "blocked-section"
    return ""


@lru_cache(maxsize=1 << 12)
def _plain(title: str) -> str:
    return " ".join(tokens(title))


@lru_cache(maxsize=1 << 12)
def _is_blocked(plain: str, cues: Cues) -> bool:
    words = plain.split()
    return (
        any(" ".join(words[:count]) in cues.blocked for count in range(2, len(words)))
        or plain in cues.blocked
    )


@lru_cache(maxsize=1 << 15)
def judge_text(text: str, fallback: str, titled: bool, cues: Cues) -> str | tuple[str, float, bool, str]:
    """(language, reading, explicit, last day) of a candidate, or the reason why the text is none.

    ``fallback`` is the language that it is read in where it does not tell its own; ``titled``: it stands in a
    section of what is meant to last.
    """
    said = without_label(text, cues)
    is_marked = said != text
    why = _form_of(text, said, is_marked)
    if why:
        return why
    words = tokens(said)
    lang = cues.language(said, words)
    find = cues.found if lang else cues.found_anywhere
    found = find(said.lstrip(" *_`\"'(\u201e\u201c\u00ab"), words, lang or fallback)
    until = _last_day(said, cues, lang or fallback)
    if until is None or any(cue.reason == "relative" and cue.weight <= _NEVER for cue in found):
        return "relative"
    if said.rstrip(" *_`)\"'").endswith("?"):
        return "question"
    if any(cue.reason == "log" for cue in found):
        found = _of_now(said, found, find, lang or fallback, cues)
    heaviest = min(found, key=lambda cue: (cue.weight, cue.name), default=None)
    if heaviest is not None and heaviest.weight < 0 and not (is_marked and _is_firm(text, cues)):
        # A verb makes up for a time of day or a word of building, not for what was done.
        weak = heaviest.weight > _HEAVY
        against = sum(cue.weight for cue in found if weak or cue.name not in _WEAK)
        if against < _REFUSED_BELOW and (not is_marked or heaviest.reason == "task"):
            return heaviest.reason
    if is_marked:
        return lang, LASTING, True, until
    return lang, _reading(said, found, titled=titled), False, until


def _of_now(
    said: str, found: list[Cue], find: Callable[[str, tuple[str, ...], str], list[Cue]], lang: str, cues: Cues
) -> list[Cue]:
    """The cues without those of what was or is going on that only stand behind "when" or "if".

    "Use the backup gateway when the main line is down" tells of no day on which it was down.
    """
    clause = cues.condition.search(said)
    if clause is None:
        return found
    main = said[: clause.start()] if clause.start() else said[clause.end() :].partition(",")[2].strip()
    words = tokens(main)
    if len(words) < _FEWEST:
        return found
    held = {cue.name for cue in find(main.lstrip(" *_`\"'(\u201e\u201c\u00ab"), words, lang)}
    return [cue for cue in found if cue.reason != "log" or cue.name in held]


def _reading(said: str, found: Iterable[Cue], *, titled: bool) -> float:
    """How lasting a candidate reads. A good title makes no statement of a few words that state nothing."""
    total = sum(cue.weight for cue in found)
    if total <= 0 and not any(cue.name in _WEAK for cue in found) and not _LABELLED.match(said):
        return FRAGMENT
    total += _TITLE if titled else 0.0
    return LASTING if total >= 3.0 else CANDIDATE if total >= 1.8 else PLAIN


def _form_of(text: str, said: str, is_marked: bool) -> str:
    """Why the form of a text excludes it, empty where it does not."""
    if is_order(text):
        return "smuggled"
    if len(text) > LONGEST:
        return "too-long"
    if _PIN.search(text):
        return "secret"
    if _is_untrusted(text):
        return "untrusted"
    if _COMMAND.match(said):
        return "code"
    if _TEMPLATE.search(said):
        return "template"
    bare = _LINK.sub(" ", said)
    count = len(tokens(bare))
    if _UNSPACED.search(bare):
        count = max(count, len(bare) // 3)
    if count < _FEWEST - is_marked or len(bare.strip()) < _SHORTEST:
        return "code" if bare != said else "too-short"
    letters = sum(sign.isalpha() or sign.isspace() for sign in said)
    return "code" if letters * 2 < len(said) else ""


def _is_untrusted(text: str) -> bool:
    """Whether a field of the line says that nobody vouches for it."""
    lowered = text.lower()
    if not any(word in lowered for word in _TRUST):
        return False
    words = set(table()["trust"]["untrusted"])
    return any(one.name == "trust" and one.value.lower().strip(" .*_\"'") in words for one in fields_in(text))


def _is_firm(text: str, cues: Cues) -> bool:
    return " ".join(tokens(text.partition(":")[0])) in cues.firm


def _last_day(text: str, cues: Cues, lang: str) -> str | None:
    """The day on which it ends, empty without one, None for a day that is not named in full."""
    for match in cues.until.finditer(text):
        rest = text[match.end() : match.end() + 40]
        found = find_date(rest, day_first=lang in DAY_FIRST)
        if found and not any(sign.isalnum() for sign in rest[: found[1]]):
            return found[0]
        day = _DAY_WITHOUT_YEAR.match(rest)
        # A word and a number are a day only if the word is a month.
        if day and (day["month"] is None or find_date(f"1 {day['month']} 2000")):
            return None
    return ""
