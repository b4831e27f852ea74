"""Text that is not meant for people: orders to assistants and characters that nobody sees.

Rules ``m-smuggled`` and ``m-hidden``. How sure a finding is decides its level: an order in a comment is an
error, in the open a warning, quoted or in code information. No finding repeats what it found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache

from brain.health.finding import count, finding
from brain.health.folding import small
from brain.health.plain import Regions, line_at, look_for, memory_files, trigger, word_set
from brain.health.values import CRITICAL, ERROR, HIGH, INFO, WARNING, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from brain.health.parsed import ParsedMemory
    from brain.health.plain import AllWords
    from brain.health.today import Today

_SHOWN = 20
# How far before and after one of its first words a phrase may stand.
_BEFORE = 40
_REACH = 240
_FORBIDDEN = re.compile(
    r"(?:\bnot|\bnever|n['\u2019]t|\bnicht|\bnie|\bniemals|\bne|\bjamais|\bto|\bzu|\bwho|\bthat|\bdie)"
    r"[ \"'*_`]*$"
)
_ABOUT = (
    "inject", "jailbreak", "attack", "angriff", "angreifer", "attaque", "phrase", "such as", "e.g.",
    "z. b.", "z.b.", "zum beispiel", "for example", "par exemple", "wie etwa", "smuggl", "untrusted",
)  # fmt: skip
_QUOTES = "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e"

# Invisible characters by their bytes in UTF-8: looked for there, most files hold none.
_INVISIBLE = (
    (b"\xe2\x80", re.compile(rb"\xe2\x80[\x8b-\x8f\xaa-\xae]")),
    (b"\xe2\x81", re.compile(rb"\xe2\x81[\xa0-\xa9]")),
    (b"\xef\xbb\xbf", re.compile(rb"(?<=.)\xef\xbb\xbf", re.DOTALL)),
    (b"\xf3\xa0", re.compile(rb"\xf3\xa0[\x80-\x87]")),
    (b"\xe1\xa0\x8e", re.compile(rb"\xe1\xa0\x8e")),
)
# Of a memory as a whole, where what is ASCII was taken out: then any byte order mark may be one of them.
_MAY_HIDE = re.compile(
    rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf|\xf3\xa0[\x80-\x87]|\xe1\xa0\x8e"
)
_TAGS = re.compile("[\U000e0001-\U000e007f]+")
_SELECTORS = re.compile("[\U000e0100-\U000e01ef]{3,}")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDES = "\u202d\u202e"
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u180e]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_CODE_RUN = 4
_FLAG = "\U0001f3f4"


class _Phrase:
    """A row of ``smuggled.toml``; see there."""

    __slots__ = ("_compiled", "_source", "first", "hidden", "plain", "signs", "what", "words")

    def __init__(self, row: dict[str, Any]) -> None:
        self.what = str(row["what"])
        words = row.get("words", ())
        self.first = tuple(words[0]) if words else ()
        self.words = tuple(frozenset(map(trigger, some)) for some in words)
        self.signs = tuple(sign.encode() for sign in row.get("signs", ()))
        self._source = row["pattern"].replace("[ ]?", r"[\s>*]*").replace("[ ]", r"[\s>*]+")
        self._compiled: re.Pattern[str] | None = None
        self.hidden = bool(row.get("hidden", False))
        self.plain = bool(row.get("plain", False))

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed: all of them cost 6 ms, and most memories need none."""
        if self._compiled is None:
            self._compiled = re.compile(self._source, re.VERBOSE)
        return self._compiled

    def may_occur(self, data: bytes, words: frozenset[bytes]) -> bool:
        """Whether the pattern is worth a try in ``data`` with these ``words``."""
        if any(some.isdisjoint(words) for some in self.words):
            return False
        # One byte is found in a tenth of the time of several.
        return not self.signs or any(data.find(sign[:1]) >= 0 and data.find(sign) >= 0 for sign in self.signs)

    def may_occur_in(self, words: AllWords) -> bool:
        """As ``may_occur`` for all files of a memory at once."""
        return self.may_occur(words.data, words.telling)

    def matches(self, folded: str) -> Iterator[re.Match[str]]:
        """Where the phrase stands in ``folded``; it is only looked for around its first words, if any."""
        if not self.first:
            yield from self.pattern.finditer(folded)
            return
        places = sorted(match for word in self.first for match in _places(word, folded))
        end = 0
        for place in places:
            start = max(end, place - _BEFORE)
            match = self.pattern.search(folded, start, place + _REACH) if place >= end else None
            if match:
                end = match.end()
                yield match


def _places(word: str, folded: str) -> Iterator[int]:
    place = folded.find(word)
    while place >= 0:
        yield place
        place = folded.find(word, place + 1)


@cache
def _phrases() -> tuple[_Phrase, ...]:
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where a memory is examined

    with open(os.path.join(os.path.dirname(__file__), "smuggled.toml"), "rb") as file:
        return tuple(_Phrase(row) for row in tomli.load(file)["phrase"])


def triggers() -> Iterator[bytes]:
    """The words of which a memory needs some before any phrase is tried."""
    return (word for phrase in _phrases() for some in phrase.words for word in some)


look_for(triggers)


def orders(data: bytes) -> Iterator[tuple[int, str, str]]:
    """(line, level, what it does) of each phrase in ``data`` that tries to take over its reader."""
    words = word_set(data)
    tried = [phrase for phrase in _phrases() if phrase.may_occur(data, words)]
    if not tried:
        return
    text = data.decode("utf-8", "replace")
    folded = small(text)
    regions: Regions | None = None
    found: list[tuple[int, str, _Phrase]] = []
    for phrase in tried:
        for match in phrase.matches(folded):
            regions = regions or Regions(text)
            level = _certainty(phrase, folded, match.span(), regions)
            if level:
                found.append((regions.line(match.start()), level, phrase))
    sure = {line for line, level, _ in found if level == ERROR}
    for line, level, phrase in found:
        # A comment that is an error needs no second word about what else it may be.
        if level == ERROR or not phrase.hidden or line not in sure:
            yield line, level, phrase.what


def _certainty(phrase: _Phrase, folded: str, span: tuple[int, int], regions: Regions) -> str:
    start, end = span
    if phrase.hidden:
        if not regions.in_comment(start) or regions.in_code(start):
            return ""
        if phrase.plain:
            return "" if _FORBIDDEN.search(folded[max(0, start - 24) : start]) else ERROR
        return INFO if "generated" in folded[max(0, start - 300) : end] else WARNING
    before = folded[max(0, start - 24) : start]
    if _FORBIDDEN.search(before):
        return ""
    if regions.in_code(start) and not regions.in_comment(start):
        return INFO
    around = folded[folded.rfind("\n", 0, start) + 1 : start]
    quoted = (
        bool(before) and before[-1] in _QUOTES and any(sign in _QUOTES for sign in folded[end : end + 60])
    )
    if quoted or any(word in around for word in _ABOUT):
        return INFO
    return ERROR if regions.in_comment(start) else WARNING


def hidden_characters(data: bytes) -> Iterator[tuple[int, str, str]]:
    """(line, level, what) of characters in ``data`` (UTF-8) that hide or turn around what is written."""
    if data.isascii() or not any(sign in data and pattern.search(data) for sign, pattern in _INVISIBLE):
        return
    text = data.decode("utf-8", "replace")
    for match in _TAGS.finditer(text):
        if text[match.start() - 1 : match.start()] != _FLAG:
            yield line_at(text, match.start()), ERROR, "invisible tag characters, which spell a text"
    for match in _SELECTORS.finditer(text):
        yield line_at(text, match.start()), ERROR, "a run of variation selectors, which can carry a text"
    right_to_left = _RIGHT_TO_LEFT.search(text) is not None
    for match in _BIDI.finditer(text):
        if match.group() in _OVERRIDES:
            yield line_at(text, match.start()), WARNING, "a mark that shows text in reversed order"
        elif not right_to_left:
            yield line_at(text, match.start()), WARNING, "a mark that changes the direction of the text"
    for match in _ZERO_WIDTH.finditer(text):
        what = _zero_width(text, match)
        if what:
            yield line_at(text, match.start()), *what


def _zero_width(text: str, match: re.Match[str]) -> tuple[str, str] | None:
    """What characters without width mean: a BOM at the top, joiners in a script or an emoji nothing."""
    run = match.group().strip("\ufeff") if match.start() == 0 else match.group()
    if not run:
        return None
    if len(run) >= _CODE_RUN:
        return ERROR, "a run of characters without width, which can carry a text"
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    if run in ("\u200c", "\u200d") and not around.isascii():
        return None
    return INFO, "characters without width"


def _smuggled(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = list(memory_files(parsed))
    if not files:
        return None
    if not any(phrase.may_occur_in(parsed.words) for phrase in _phrases()):
        return []
    fix = "Find out who wrote it (git blame), and take it out; if you quote it, put it in code marks."
    return [
        finding(
            parsed,
            level,
            "m-smuggled",
            f"Text that {what}{where}.",
            fix,
            file=file.path,
            line=line,
            anchor=what,
        )
        for file in files
        for level, what, line, where in _grouped(orders(file.data))
    ]


def _hidden(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = list(memory_files(parsed))
    if not files:
        return None
    if not _MAY_HIDE.search(parsed.words.signs):
        return []
    fix = "Remove them; an editor that shows invisible characters finds them."
    return [
        finding(
            parsed, level, "m-hidden", f"There is {what}{where}.", fix, file=file.path, line=line, anchor=what
        )
        for file in files
        for level, what, line, where in _grouped(hidden_characters(file.data))
    ]


def _grouped(found: Iterable[tuple[int, str, str]]) -> Iterator[tuple[str, str, int, str]]:
    """(level, what, first line, where in words) for each thing that was found, however often."""
    groups: dict[tuple[str, str], list[int]] = {}
    for line, level, what in found:
        groups.setdefault((level, what), []).append(line)
    for (level, what), lines in list(groups.items())[:_SHOWN]:
        more = f" and in {count(len(lines) - 1, 'more place')}" if len(lines) > 1 else ""
        yield level, what, min(lines), f", in line {min(lines)}{more}"


RULES = (
    Rule("m-smuggled", CRITICAL, "No memory file gives orders that its owner did not write.", _smuggled),
    Rule("m-hidden", HIGH, "No memory file holds characters that hide or reverse its text.", _hidden),
)
