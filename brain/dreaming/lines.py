"""What a note consists of: bullets, sentences of paragraphs, and what is neither, each with its line.

Headings, code, tables, quotations, comments, tasks and what programs wrote are told here, by their form; what
a sentence says is not looked at. A reader that never fails: whatever the bytes are, something comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.value import dataclass

LONGEST = 640
"""Characters of a candidate, as OpenClaw cuts what it promotes."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022\u2013]|\d{1,4}[.)])[ \t]+(\S.*)?$")
_CHECKBOX = re.compile(r"\[[ xX/>-]?\](?:[ \t]|$)")
_TABLE = re.compile(r"[ \t]*\|.*\||[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|")
_LABEL_ALONE = re.compile(r"[*_]{0,2}[^.!?:]{1,60}:[*_]{0,2}\s*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
# Ours and OpenClaw's: what opens a block that a program wrote, what closes one, and what marks the next line.
_OPENS = re.compile(r"<!--\s*(?:zecher:(?:dream|backfill)\b|openclaw:[\w:-]*:?(?:start|begin)\b).*-->")
_CLOSES = re.compile(r"<!--\s*(?:/zecher:|/openclaw:|openclaw:[\w:-]*:?end\b).*-->")
_MARKS = re.compile(r"<!--\s*(?:zecher:|openclaw)")

_ABBREVIATIONS = frozenset((
    "bzw", "ca", "nr", "dr", "prof", "usw", "etc", "evtl", "ggf", "inkl", "vgl", "str", "bspw", "sog", "eg",
    "ie", "vs", "no", "approx", "st", "mr", "mrs", "ms", "inc", "ltd", "co", "fig", "ex", "mme", "mlle",
    "env", "min", "max", "tel", "abs", "art",
))  # fmt: skip
_END = re.compile(
    r"([.!?\u2026]+[\"'\u201d\u201c\u00bb)\]]*)\s+(?=[\"'\u201e\u201c\u00ab(\[*_`]*[^\W\d_]|\d)"
)
_WRAPPED = 56


@dataclass(frozen=True, slots=True)
class Piece:
    """A bullet, a sentence or a line: its text without the mark of a list, its first and its last line.

    ``titles`` are those of the sections that it stands in, the innermost last. ``why`` is the reason for
    which its form alone excludes it (see ``REASONS``), empty for a candidate.
    """

    line: int
    last: int
    text: str
    titles: tuple[str, ...]
    why: str = ""


def pieces(data: bytes) -> Iterator[Piece]:
    """All that a note of these bytes (their lines end in ``\\n``) says, in its order; blank lines aside."""
    return _Reader(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")).read()


def sentences(text: str) -> list[tuple[int, str]]:
    """The sentences of a paragraph, each with where it begins; none ends in an abbreviation or a number."""
    found: list[tuple[int, str]] = []
    start = 0
    for match in _END.finditer(text):
        if match[1].startswith(".") and not match[1].startswith(".."):
            before = re.search(r"[^\s(]+$", text[start : match.start()])
            word = before[0] if before else ""
            last = re.split(r"[.\u00a0-]", word)[-1]
            if last.isdigit() or len(last) < 2 or last.lower() in _ABBREVIATIONS:
                continue
        found.append((start, text[start : match.end(1)]))
        start = match.end()
    found.append((start, text[start:]))
    return [(place, sentence.strip()) for place, sentence in found if sentence.strip()]


class _Reader:
    """Goes through the lines of one note once."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in text.split("\n")]
        self._titles: list[tuple[int, str]] = []
        self._shown: tuple[str, ...] = ()
        # What is being put together: the number and the text of each line, and whether it is a bullet.
        self._open: list[tuple[int, str]] = []
        self._is_bullet = False
        self._after_blank = True
        self._last_close = _last_close(self._lines)

    def read(self) -> Iterator[Piece]:
        lines = self._lines
        number = self._after_front_matter()
        while number < len(lines):
            line = lines[number]
            stripped = line.strip()
            if not stripped:
                yield from self._close()
                self._after_blank = True
                number += 1
                continue
            if stripped.startswith("<!--"):
                yield from self._close()
                end = self._end_of_comment(number)
                for at in range(number, end):
                    if lines[at].strip():
                        yield self._piece(at, lines[at].strip(), "generated")
                number = end
            elif _FENCE.match(line):
                yield from self._close()
                end = self._end_of_fence(number)
                yield self._piece(number, stripped, "code")
                number = end
            else:
                yield from self._one(number, line, stripped)
                number += 1
            self._after_blank = False
        yield from self._close()

    def _one(self, number: int, line: str, stripped: str) -> Iterator[Piece]:
        heading = _HEADING.match(line)
        if heading:
            yield from self._close()
            self._enter(len(stripped) - len(stripped.lstrip("#")), heading[1] or "")
            yield self._piece(number, stripped, "heading")
            return
        if self._open and not self._is_bullet and len(self._open) == 1 and _UNDERLINE.match(line):
            self._enter(1 if stripped[0] == "=" else 2, self._open[0][1])
            yield self._piece(self._open[0][0], self._open[0][1], "heading")
            self._open = []
            return
        why = self._form(line, stripped)
        if why:
            yield from self._close()
            yield self._piece(number, stripped, why)
            return
        bullet = _BULLET.match(line)
        if bullet and not _RULE.match(line):
            yield from self._close()
            text = bullet[1] or ""
            if _CHECKBOX.match(text):
                yield self._piece(number, text, "task")
            else:
                self._open, self._is_bullet = [(number, text)], True
        elif self._open and self._goes_on(line, stripped):
            if len(self._open) < 64:
                self._open.append((number, stripped))
        else:
            yield from self._close()
            self._open, self._is_bullet = [(number, stripped)], False

    def _enter(self, level: int, title: str) -> None:
        self._titles = [one for one in self._titles if one[0] < level]
        self._titles.append((level, title.strip(" *_`")[:80]))
        self._shown = tuple(one for _, one in self._titles)

    def _form(self, line: str, stripped: str) -> str:
        """Why the form of a line excludes it, empty where it does not."""
        if len(stripped) > 4 * LONGEST:
            return "too-long"
        if _RULE.match(line):
            return "template"
        if stripped[0] == ">":
            return "quotation"
        if _TABLE.match(line):
            return "table"
        if (line.startswith("    ") or line[0] == "\t") and self._after_blank and not _BULLET.match(line):
            return "code"
        return ""

    def _goes_on(self, line: str, stripped: str) -> bool:
        """Whether a line continues what stands above it."""
        if self._is_bullet and line[0] in " \t":
            return True
        above = self._open[-1][1]
        return above[-1] not in ".!?:;" and (stripped[0].islower() or len(above) >= _WRAPPED)

    def _close(self) -> Iterator[Piece]:
        if not self._open:
            return
        held, self._open = self._open, []
        if self._is_bullet:
            yield self._piece(held[0][0], " ".join(text for _, text in held), last=held[-1][0])
            return
        text = " ".join(part for _, part in held)
        starts: list[tuple[int, int]] = []
        place = 0
        for number, part in held:
            starts.append((place, number))
            place += len(part) + 1
        for start, sentence in sentences(text):
            end = start + len(sentence)
            numbers = [at for where, at in starts if where < end]
            first = max((where, at) for where, at in starts if where <= start)[1]
            yield self._piece(first, sentence, last=numbers[-1])

    def _piece(self, number: int, text: str, why: str = "", *, last: int = -1) -> Piece:
        if not why and _CONTROL.search(text):
            why = "garbled"
        elif not why and _LABEL_ALONE.match(text):
            why = "template"
        return Piece(number + 1, max(last, number) + 1, text, self._shown, why)

    def _after_front_matter(self) -> int:
        lines = self._lines
        if lines[0] != "---":
            return 0
        for number in range(1, min(len(lines), 200)):
            if lines[number] in ("---", "..."):
                return number + 1
        return 0

    def _end_of_fence(self, start: int) -> int:
        """The line behind a block of code; it goes to the end where nothing closes it."""
        fence = _FENCE.match(self._lines[start])
        mark = fence[1] if fence else "```"
        for number in range(start + 1, len(self._lines)):
            line = self._lines[number].strip()
            if line.startswith(mark) and not line.strip(mark[0]):
                return number + 1
        return len(self._lines)

    def _end_of_comment(self, start: int) -> int:
        """The line behind a comment, and behind what it says a program wrote."""
        lines = self._lines
        first = lines[start].strip()
        if _OPENS.match(first):
            for number in range(start + 1, len(lines)):
                if _CLOSES.match(lines[number].strip()):
                    return number + 1
            return len(lines)
        if start > self._last_close:
            return start + 1
        end = start
        while "-->" not in lines[end]:
            end += 1
        marks = _MARKS.match(first) and not _CLOSES.match(first)
        return end + 2 if marks and end + 1 < len(lines) and lines[end + 1].strip() else end + 1


def _last_close(lines: list[str]) -> int:
    """The line of the last end of a comment: one that opens behind it has none, and is not looked for."""
    return next((number for number in range(len(lines) - 1, -1, -1) if "-->" in lines[number]), -1)
