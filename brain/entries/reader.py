"""Reads decisions, lessons, patterns, context and session files into entries with their places.

An entry begins at a live ``###`` heading: at the start of a line, with a blank after it, outside fences,
comments and raw HTML. It ends at the next heading of level 1 to 3. Nothing is ever changed or refused for
its form; what is odd becomes a problem with its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from brain.entries.document import Document, Entry, EntryProblem, Heading, Span
from brain.entries.front_matter import FrontMatter, closing_line, read_front_matter
from brain.entries.lines import (
    BLANK,
    COMMENT,
    LIVE,
    Line,
    Open,
    PlainLines,
    classify,
    is_rule,
    plain_lines,
    shown,
    split,
    texts_of,
)
from brain.entries.one_entry import read_entry

FILE_CAP = 1024 * 1024
KINDS = ("decisions", "lessons", "patterns", "context", "session")

_BOM = b"\xef\xbb\xbf"
_HEADING = re.compile(r"(#{1,3})[ \t]+(.*)$")
# The comment below which templates want entries, Zecher's or another's, in the three languages.
_MARKER = re.compile(r"entr(?:y|ies|ée|ées)|eintr[aä]g", re.IGNORECASE)
_PROBLEMS_CAP = 200


def read_entries(data: bytes, kind: str) -> Document:
    """Take the file's content ``data`` apart; ``kind`` is one of ``KINDS``. Never raises for any content.

    At most 1 MiB is read. In context and session files ``##`` headings open entries too, since that is how
    these are divided.
    """
    refusal = _refusal(data)
    if refusal:
        return Document(kind, len(data), problems=(refusal,), readable=False)
    reading = _Reading(data, kind)
    return reading.document()


def _refusal(data: bytes) -> EntryProblem | None:
    if len(data) > FILE_CAP:
        return EntryProblem(
            "entries-too-large",
            1,
            f"{len(data)} bytes, more than the {FILE_CAP} that are read: move old entries to another file",
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return EntryProblem("entries-encoding", 1, "UTF-16, not UTF-8: save the file as UTF-8")
    return None


class _Reading:
    """One file on its way into a ``Document``."""

    def __init__(self, data: bytes, kind: str) -> None:
        self._data = data
        self._kind = kind
        self._bom = data.startswith(_BOM)
        self._problems: list[EntryProblem] = []
        self._body = 0
        self._front: FrontMatter | None = None
        self._open: Open | None = None
        plain = plain_lines(data)
        self._lines: Sequence[Line] = plain if plain is not None else self._all_lines()

    def _all_lines(self) -> list[Line]:
        lines = split(self._data, len(_BOM) if self._bom else 0)
        self._front = self._front_matter(lines)
        self._open = classify(lines[self._body :])
        return lines

    def document(self) -> Document:
        bad = self._bad_utf8()
        newline, mixed = self._newlines()
        headings = self._headings()
        entries = self._entries(headings)
        self._report_open(self._open)
        return Document(
            self._kind,
            len(self._data),
            bom=self._bom,
            newline=newline,
            mixed_newlines=mixed,
            final_newline=not self._lines or self._lines[-1].end < self._lines[-1].stop,
            bad_utf8=bad,
            front_matter=self._front,
            entries=tuple(entries),
            headings=tuple(
                Heading(text, level, self._lines[at].number, self._lines[at].start)
                for at, level, text in headings
                if level <= 2
            ),
            marker_end=self._marker_end(),
            problems=tuple(sorted(self._problems, key=lambda one: one.line)[:_PROBLEMS_CAP]),
        )

    def _front_matter(self, lines: list[Line]) -> FrontMatter | None:
        last = closing_line(lines)
        if last is None:
            if lines and lines[0].text.rstrip() == "---" and _looks_like_key(lines[1:2]):
                self._report("front-matter-open", 1, "the front matter has no second --- line")
            return None
        self._body = last + 1
        front = read_front_matter(
            self._data, (lines[0].start, lines[last].stop), (lines[0].stop, lines[last].start)
        )
        if front.complaint:
            self._report("front-matter", 1, f"the front matter is not read: {front.complaint}")
        for key in front.duplicates:
            self._report("front-matter-duplicate", 1, f"the front matter has the key {key} more than once")
        return front

    def _headings(self) -> list[tuple[int, int, str]]:
        """(index of the line, level, text) of every live heading of level 1 to 3 that begins its line."""
        begun = [index for index, text in enumerate(texts_of(self._lines)) if text[:1] == "#"]
        found = []
        if isinstance(self._lines, PlainLines):
            matches = ((index, _HEADING.match(self._lines.texts[index])) for index in begun)
            return [(index, len(one[1]), shown(one[2].strip(" \t"))) for index, one in matches if one]
        for index in begun:
            line = self._lines[index]
            if index >= self._body and line.kind == LIVE and (match := _HEADING.match(line.text)):
                found.append((index, len(match[1]), shown(match[2].strip(" \t"))))
        return found

    def _entries(self, headings: list[tuple[int, int, str]]) -> list[Entry]:
        opening = (2, 3) if self._kind in ("context", "session") else (3,)
        ends = [index for index, _, _ in headings[1:]] + [len(self._lines)]
        entries = []
        for (first, level, text), end in zip(headings, ends, strict=False):
            if level in opening:
                block = self._lines[first : self._trimmed(first, end)]
                entries.append(read_entry(block, level, text, self._kind, self._problems))
        return entries

    def _trimmed(self, first: int, end: int) -> int:
        """Where the entry's lines end: without what only separates it from the next one."""
        lines = self._lines
        end = self._without_blanks(first, end)
        if isinstance(lines, PlainLines) and not is_rule(lines.texts[end - 1]):
            return end
        while end > first + 1:
            start = end - 1
            while lines[start].kind == COMMENT and not lines[start].text.lstrip().startswith("<!--"):
                start -= 1
            separator = lines[start].kind == COMMENT or (
                lines[start].kind == LIVE and is_rule(lines[start].text)
            )
            if not separator or start <= first + 1 or lines[start - 1].kind != BLANK:
                break
            end = self._without_blanks(first, start)
        return end

    def _without_blanks(self, first: int, end: int) -> int:
        if isinstance(self._lines, PlainLines):
            texts = self._lines.texts
            while end > first + 1 and not texts[end - 1].strip(" \t"):
                end -= 1
            return end
        while end > first + 1 and self._lines[end - 1].kind == BLANK:
            end -= 1
        return end

    def _marker_end(self) -> int | None:
        """Behind the last comment of one line that speaks of entries."""
        found = None
        for line in self._lines[self._body :] if b"<!--" in self._data else ():
            if line.kind == COMMENT and line.text.startswith("<!--") and _MARKER.search(line.text):
                found = line.stop
        return found

    def _newlines(self) -> tuple[bytes, bool]:
        if b"\r" not in self._data:
            return b"\n", False
        kinds = Counter(self._data[line.end : line.stop] for line in self._lines if line.end < line.stop)
        if not kinds:
            return b"\n", False
        return kinds.most_common(1)[0][0], len(kinds) > 1

    def _bad_utf8(self) -> tuple[Span, ...]:
        bad = bad_spans(self._data)
        if bad:
            lines = sorted({self._line_at(start) for start, _ in bad[:_PROBLEMS_CAP]})
            for number in lines[:20]:
                self._report(
                    "entries-encoding", number, "bytes that are not UTF-8; they are kept as they are"
                )
        return bad

    def _line_at(self, offset: int) -> int:
        from bisect import bisect_right  # noqa: PLC0415 - only damaged files need it

        return bisect_right(self._lines, offset, key=lambda line: line.start)

    def _report_open(self, block: Open | None) -> None:
        if block:
            what = {"code": "code fence", "comment": "comment"}.get(block.kind, "HTML block")
            self._report(
                f"{block.kind}-open",
                block.number,
                f"the {what} that begins here never ends: it hides all below",
            )

    def _report(self, code: str, line: int, message: str) -> None:
        self._problems.append(EntryProblem(code, line, message))


def bad_spans(data: bytes) -> tuple[Span, ...]:
    """The runs of bytes in ``data`` that are no UTF-8, as byte offsets."""
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        return ()
    text = data.decode("utf-8", "surrogateescape")
    spans = []
    offset = before = 0
    for run in re.finditer("[\udc80-\udcff]+", text):
        offset += len(text[before : run.start()].encode())
        length = run.end() - run.start()
        spans.append((offset, offset + length))
        offset, before = offset + length, run.end()
    return tuple(spans)


def _looks_like_key(lines: list[Line]) -> bool:
    return any(re.match(r"[A-Za-z_]\w*:(?:[ \t]|$)", line.text) for line in lines)
