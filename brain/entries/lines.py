"""The lines of a Markdown text and what they are: live, or part of a fence, a comment, a raw HTML block.

Follows CommonMark as far as it decides which headings are real: fenced code (also inside list items) and the
HTML blocks that end at a mark of their own. HTML blocks that end at a blank line hide nothing here, because
people who write ``<details>`` above an entry mean the entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a line can be.
LIVE, BLANK, CODE, COMMENT, RAW = "live", "blank", "code", "comment", "raw"

# List markers on one line that are followed inwards; nobody writes more, and a line may be a megabyte.
_NESTED_CAP = 16
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|$)")
_SIGNS = re.compile(r"#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_RAW_OPENS = re.compile(r"<(?:script|pre|style|textarea)(?=[ \t>]|$)", re.IGNORECASE)
_RAW_CLOSES = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_COMMENT_CLOSES = re.compile("-->")
# Without one of these no line hides itself or another.
_HIDING = re.compile(r"```|~~~|<!--|<(?:script|pre|style|textarea)", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """One line: its bytes run from ``start`` to ``stop``, without its line end to ``end``.

    ``text`` holds bytes that are no UTF-8 as surrogate escapes, so that a place in it can be turned into a
    place in the file; ``kind`` is one of the words above.
    """

    number: int
    start: int
    end: int
    stop: int
    text: str
    kind: str

    def at(self, position: int) -> int:
        """The byte offset in the file of the character at ``position`` in ``text``."""
        before = self.text[:position]
        return self.start + (
            len(before) if before.isascii() else len(before.encode("utf-8", "surrogateescape"))
        )

    @property
    def indent(self) -> int:
        """The columns of white space before the first character; a tab goes to the next multiple of four."""
        return indent_of(self.text) if self.text[:1] in (" ", "\t") else 0


@dataclass(frozen=True, slots=True)
class Open:
    """What begins in line ``number`` and never ends: ``kind`` is ``code``, ``comment`` or ``raw``."""

    kind: str
    number: int


def indent_of(text: str, column: int = 0) -> int:
    """The columns of white space before the first other character of ``text``, which begins at ``column``."""
    at = column
    for character in text:
        if character == " ":
            at += 1
        elif character == "\t":
            at += 4 - at % 4
        else:
            break
    return at - column


def shown(text: str) -> str:
    """``text`` for people, with U+FFFD for bytes that are no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_rule(text: str) -> bool:
    """Whether a line is a thematic break such as ``---``."""
    return _RULE.match(text) is not None


def split(data: bytes, start: int = 0, number: int = 1) -> list[Line]:
    """The lines of ``data`` from byte ``start`` on, which begins line ``number``; LF, CRLF and CR end a line.

    Their kinds are not known yet.
    """
    if b"\r" not in data:
        return _split_at_lf(data, start, number)
    lines = []
    for found in _LINE.finditer(data, start):
        raw = found.group()
        body = raw.rstrip(b"\r\n")
        at = found.start()
        lines.append(
            Line(number, at, at + len(body), at + len(raw), body.decode("utf-8", "surrogateescape"), LIVE)
        )
        number += 1
    return lines


def _split_at_lf(data: bytes, start: int, number: int) -> list[Line]:
    """As ``split``, where each line ends with LF alone, in a third of the time."""
    lines = []
    text = (data[start:] if start else data).decode("utf-8", "surrogateescape")
    at = start
    # No other sign has the byte of an LF: both fall into the same parts.
    sizes = map(len, data[start:].split(b"\n"))
    for part, size in zip(text.split("\n"), sizes, strict=True):
        end = at + size
        lines.append(Line(number, at, end, end + 1, part, LIVE))
        at = end + 1
        number += 1
    # What follows the last LF is a line only if there is something.
    if at - 1 == lines[-1].start:
        lines.pop()
    else:
        lines[-1].stop = at - 1
    return lines


class PlainLines(Sequence[Line]):
    """The lines of a text of which none is hidden, each made when it is asked for: most never are.

    ``texts`` are theirs, ``starts`` and ``ends`` their places in the file, as ``Line`` has them; ``number``
    is that of the first. The file has ``size`` bytes. A part of them is of the same kind.
    """

    __slots__ = ("_size", "ends", "number", "starts", "texts")

    def __init__(self, texts: list[str], starts: list[int], ends: list[int], number: int, size: int) -> None:
        self.texts = texts
        self.starts = starts
        self.ends = ends
        self.number = number
        self._size = size

    def __len__(self) -> int:
        """How many they are."""
        return len(self.texts)

    def span(self) -> tuple[int, int]:
        """Where the first of them starts, and where the last stops."""
        return self.starts[0], min(self.ends[-1] + 1, self._size)

    def __getitem__(self, at: Any) -> Any:
        """One line, or for a slice a part of them."""
        if isinstance(at, slice):
            first = at.indices(len(self.texts))[0]
            return PlainLines(self.texts[at], self.starts[at], self.ends[at], self.number + first, self._size)
        if at < 0:
            at += len(self.texts)
        text, end = self.texts[at], self.ends[at]
        kind = LIVE if text.strip(" \t") else BLANK
        return Line(self.number + at, self.starts[at], end, min(end + 1, self._size), text, kind)


def texts_of(lines: Sequence[Line]) -> list[str]:
    """The texts of ``lines``."""
    return lines.texts if isinstance(lines, PlainLines) else [line.text for line in lines]


def plain_lines(data: bytes) -> PlainLines | None:
    """The lines of a file that ends them with LF alone, hides none and has nothing at its top; else None."""
    if data.startswith((b"\xef\xbb\xbf", b"---")) or data.find(b"\r") >= 0:
        return None
    text = data.decode("utf-8", "surrogateescape")
    if may_hide(text):
        return None
    starts, ends = [], []
    at = 0
    for size in map(len, data.split(b"\n")):
        starts.append(at)
        at += size
        ends.append(at)
        at += 1
    texts = text.split("\n")
    if not texts[-1]:
        texts.pop()
    return PlainLines(texts, starts, ends, 1, len(data))


def may_hide(text: str) -> bool:
    """Whether any line of ``text`` could be hidden, or hide another."""
    if "```" in text or "~~~" in text:
        return True
    return "<" in text and _HIDING.search(text) is not None


def classify(lines: list[Line]) -> Open | None:
    """Give each line its kind; returns what is still open at the end.

    Blocks are only followed from the last heading above a line that can hide something, for a heading at the
    start of its line leaves nothing open, to where such a block has ended. To follow them through a whole
    file takes four times as long.
    """
    for line in lines:
        line.kind = LIVE if line.text.strip(" \t") else BLANK
    if not may_hide("\n".join([line.text for line in lines])):
        return None
    hiding = [at for at, line in enumerate(lines) if _HIDING.search(line.text)]
    scan = _Scan()
    at = 0
    for mark in hiding:
        if mark < at:
            continue
        start = mark
        while start > at and not _SIGNS.match(lines[start].text):
            start -= 1
        at = start
        while at < len(lines) and (at <= mark or scan.open):
            lines[at].kind = scan.kind_of(lines[at])
            at += 1
    return scan.open


class _Scan:
    """Walks down the lines and knows which block it is in.

    Lists have to be followed, because a fence ends with the item that holds it, and so do paragraphs: a line
    that continues one without the indentation of its item leaves the item open.
    """

    def __init__(self) -> None:
        self.open: Open | None = None
        self._fence = ""
        self._closes = _COMMENT_CLOSES
        self._base = 0  # the column from which the open block counts: that of its list item
        self._items: list[int] = []  # columns at which the contents of the open list items begin
        self._item_is_empty = False  # the line before began an item and said nothing more
        self._paragraph = False  # a paragraph is open, in whatever list item or quote
        self._quoted = False  # that paragraph stands in a quote

    def kind_of(self, line: Line) -> str:
        text = line.text.strip(" \t")
        indent = line.indent if text else 0
        if self.open and text and indent < self._base:
            self.open = None  # the list item around the block has ended, and the block with it
        if self.open:
            return self._inside(self.open.kind, text, indent)
        if not text:
            return self._blank()
        self._item_is_empty = False
        return self._live(line.number, text, indent)

    def _inside(self, kind: str, text: str, indent: int) -> str:
        if kind == CODE:
            if indent - self._base <= 3 and text.startswith(self._fence) and not text.strip(self._fence[0]):
                self.open = None
        elif self._closes.search(text):
            self.open = None
        return kind

    def _blank(self) -> str:
        if self._item_is_empty:
            self._items.pop()
        self._item_is_empty = self._paragraph = False
        return BLANK

    def _live(self, number: int, text: str, indent: int) -> str:
        items = [column for column in self._items if column <= indent]
        # Whether the line stands where it would simply continue the open paragraph.
        continues = self._paragraph and not self._quoted and len(items) == len(self._items)
        if continues and not text.strip(text[0]) and text[0] in "=-":
            self._paragraph = False  # it underlines the paragraph, which was a heading
            return LIVE
        outer = len(items)
        for _ in range(_NESTED_CAP):
            base = items[-1] if items else 0
            if indent - base > 3:
                return self._indented(items, is_item=len(items) > outer)
            if opened := self._block(number, text, base):
                self._items, self._paragraph = items, False
                return opened
            marker = _MARKER.match(text)
            if marker is None or is_rule(text) or (continues and not _may_interrupt(text)):
                break
            continues = False
            after = indent + marker.end()
            rest = text[marker.end() :]
            text = rest.lstrip(" \t")
            blanks = indent_of(rest, after)
            items.append(after + (blanks if 1 <= blanks <= 4 and text else 1))
            indent = after + blanks
            if not text:
                self._items, self._paragraph, self._item_is_empty = items, False, True
                return LIVE
        return self._text(text, items, is_item=len(items) > outer)

    def _indented(self, items: list[int], *, is_item: bool) -> str:
        """A line too deep to open anything: code, unless it continues a paragraph."""
        if is_item or not self._paragraph:
            self._items, self._paragraph = items, False
        return LIVE

    def _text(self, text: str, items: list[int], *, is_item: bool) -> str:
        quoted = text.startswith(">")
        said = text.lstrip("> \t") if quoted else text
        is_paragraph = bool(said) and not is_rule(said) and not _SIGNS.match(said)
        if is_paragraph and self._paragraph and not is_item and not quoted:
            return LIVE  # it continues the paragraph, and so leaves open what that stands in
        self._items, self._paragraph, self._quoted = items, is_paragraph, quoted
        return LIVE

    def _block(self, number: int, text: str, base: int) -> str:
        fence = _FENCE.match(text)
        if fence:
            self._fence = fence.group(1) or fence.group(2)
            return self._begin(CODE, number, base)
        if text.startswith("<!--"):
            self._closes = _COMMENT_CLOSES
            return self._begin(COMMENT, number, base, text)
        if text.startswith("<") and _RAW_OPENS.match(text):
            self._closes = _RAW_CLOSES
            return self._begin(RAW, number, base, text)
        return ""

    def _begin(self, kind: str, number: int, base: int, text: str = "") -> str:
        if kind == CODE or not self._closes.search(text):
            self.open, self._base = Open(kind, number), base
        return kind


def _may_interrupt(item: str) -> bool:
    """Whether a list may begin with ``item`` right below a paragraph: not empty, and counted from one."""
    return re.match(r"(?:[-+*]|0{0,8}1[.)])[ \t]+\S", item) is not None
