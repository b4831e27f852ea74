"""One Markdown file of a memory as its reader sees it: headings, labels, tables, lists, with their lines.

Lines count from 1 and end with LF or CRLF; a lone CR is content. What stands in fences, comments, raw HTML or
front matter has no structure. Everything is found when it is first asked for, in one pass over the lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from brain.entries.front_matter import FrontMatter, closing_line, read_front_matter
from brain.entries.lines import BLANK, CODE, COMMENT, LIVE, RAW, Line, Open, classify, is_rule
from brain.health.fields import heading_field, plain
from brain.health.labels import ITEM, Label, Labels
from brain.health.tables import ROWS_CAP, Table, find_tables
from brain.health.words import fold
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ROWS_CAP", "Heading", "Item", "Label", "Page", "PageProblem", "Section", "Table"]

READ_CAP = 1024 * 1024
FRONT_MATTER_LINES = 200

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TEXT_CAP = 400  # characters of a heading; more is no heading that somebody reads
_NUMBERED = re.compile(r"\W{0,3}\d{1,3}[.)]\s")
_MAY_HIDE = re.compile(r"```|~~~|<!--|<(?:script|pre|style|textarea)", re.IGNORECASE)
_COMMENTS = re.compile(r"<!--.*?(?:-->|$)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")


@dataclass(slots=True)
class Heading:
    """A live heading. ``norm`` is its text as ``fields.plain`` leaves it, ``field`` the field that it opens.

    ``end`` is the last line before the next heading of the same or a higher level. ``is_title`` is true for
    the first of level 1, which is never a field.
    """

    line: int
    level: int
    text: str
    norm: str
    field: str | None
    end: int
    is_title: bool


@dataclass(slots=True)
class Item:
    """A list item: its ``indent`` in columns, its first line without marker and box, ``checked`` of a box."""

    line: int
    indent: int
    text: str
    checked: bool | None


@dataclass(slots=True)
class Section:
    """What stands below one heading and belongs to its field, sub-headings without a field included.

    ``lines`` are (line, text) of all that is no heading, comment or blank; code in fences is among them.
    """

    heading: Heading
    field: str
    lines: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        """Its lines joined by LF."""
        return "\n".join(text for _, text in self.lines)


@dataclass(frozen=True, slots=True)
class PageProblem:
    """Something odd about a page: ``encoding``, ``front-matter``, ``too-large``, ``never-closed``."""

    code: str
    line: int
    message: str


class Page:
    """A file's text, at most 1 MiB of it, taken apart on demand; ``path`` is relative to the project.

    ``lines`` are the lines as they are written; ``lines[0]`` is empty, so that ``lines[n]`` is line n.
    ``visible`` are the same lines, empty where one is not live, without the comments in them. ``kept`` is for
    those who work out more of it and are asked again: it ends with the page.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self._text = ""
        self._open: Open | None = None
        self._front = 0  # the last line of the front matter
        self._front_span = (0, 0, 0, 0)
        self._kinds: list[str] | None = None  # None: each line is live or blank
        self.bad_encoding = False
        self.kept: dict[str, tuple[Any, ...]] = {}
        self.lines = ["", *self._split()]
        self.visible = self._dissect()

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.lines) - 1

    def _split(self) -> list[str]:
        data = self.data
        if data[:2] in _UTF16:
            self.bad_encoding = True
            return []
        if len(data) > READ_CAP:
            data = data[:READ_CAP]
            data = data[: data.rfind(b"\n") + 1] or data
        if data.startswith(_BOM):
            data = data[3:]
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("utf-8", "replace")
            self.bad_encoding = True
        if "\r\n" in text:
            text = text.replace("\r\n", "\n")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        self._text = text
        return lines

    def _dissect(self) -> list[str]:
        lines = self.lines
        if len(lines) < 2:
            return lines
        has_front = lines[1].startswith("---")
        if not has_front and not _may_hide(self._text):
            return lines
        marked = [Line(number, 0, 0, 0, text, LIVE) for number, text in enumerate(lines)]
        if has_front:
            self._front = (closing_line(marked[1 : FRONT_MATTER_LINES + 2]) or -1) + 1
        first = self._front + 1
        self._open = classify(marked[first:])
        self._kinds = [COMMENT] * first + [line.kind for line in marked[first:]]
        visible = [""] * first
        inside = False
        for line in marked[first:]:
            text = line.text
            if line.kind != LIVE or inside or "<!--" in text:
                inside, text = _seen(line.kind, text, inside=inside)
            visible.append(text)
        return visible

    @cached_property
    def folded(self) -> str:
        """Its visible lines, joined by LF and folded; the first is line 0, which is empty."""
        return fold("\n".join(self.visible))

    def is_live(self, line: int) -> bool:
        """Whether the line stands outside fences, comments, raw HTML and front matter."""
        return self._kinds is None or self._kinds[line] in (LIVE, BLANK)

    def is_code(self, line: int) -> bool:
        """Whether the line stands in a fence, its own lines included."""
        return self._kinds is not None and self._kinds[line] == CODE

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        """What stands between ``---`` at the top; None without. What is no YAML has its complaint."""
        if not self._front:
            return None
        inner = "\n".join(self.lines[2 : self._front]).encode()
        return read_front_matter(inner, (0, len(inner)), (0, len(inner)))

    @cached_property
    def problems(self) -> tuple[PageProblem, ...]:
        """What is odd about it, by line."""
        found = []
        if self.bad_encoding:
            found.append(PageProblem("encoding", self._bad_line(), "bytes that are no UTF-8"))
        if len(self.data) > READ_CAP:
            found.append(PageProblem("too-large", 1, f"only the first {READ_CAP} bytes are read"))
        if self.front_matter and self.front_matter.complaint:
            found.append(PageProblem("front-matter", 1, self.front_matter.complaint))
        if self._open:
            what = {CODE: "code fence", COMMENT: "comment", RAW: "HTML block"}[self._open.kind]
            line = self._open.number
            found.append(PageProblem("never-closed", line, f"the {what} that begins here never ends"))
        return tuple(found)

    def _bad_line(self) -> int:
        return next((number for number, text in enumerate(self.lines) if "\ufffd" in text), 1)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The live headings, ATX and setext, in their order."""
        return _with_ends(_with_title(self._found_headings()), len(self))

    def _found_headings(self) -> list[Heading]:
        found = []
        before = ""
        for number, text in enumerate(self.visible):
            if not text:
                pass
            elif text[0] in "# ":
                if "#" in text[:4] and (match := _HEADING.match(text)):
                    found.append(_heading(number, len(match[1]), _without_closing(text[match.end() :])))
            elif text[0] in "=-" and before and not text.strip(text[0] + " \t") and self._underlines(number):
                found.append(_heading(number - 1, 1 if text[0] == "=" else 2, before.strip()))
            before = text
        return found

    def _underlines(self, number: int) -> bool:
        """Whether a row of ``=`` or ``-`` makes the line above a heading: one line of plain text, no more."""
        lines = self.visible
        text, above = lines[number - 1], lines[number - 2] if number > 2 else ""
        if " " in lines[number].strip() or not text.strip() or _is_structure(text):
            return False
        return not above.strip() or _HEADING.match(above) is not None

    @cached_property
    def title(self) -> Heading | None:
        """The first heading of level 1."""
        return next((one for one in self.headings if one.is_title), None)

    @cached_property
    def _heading_lines(self) -> list[int]:
        return [one.line for one in self.headings]

    @cached_property
    def _owners(self) -> list[Heading | None]:
        """For each heading the one whose field its lines have: its own, or that of the nearest above it.

        A numbered one below a field is an item of it, whatever its word: "2. Tests" of the next steps.
        """
        owners: list[Heading | None] = []
        above: list[tuple[int, Heading | None]] = []
        for one in self.headings:
            while above and above[-1][0] >= one.level:
                above.pop()
            owner = above[-1][1] if above else None
            if one.field and (owner is None or not _NUMBERED.match(one.text)):
                owner = one
            above.append((one.level, owner))
            owners.append(owner)
        return owners

    def heading_at(self, line: int) -> Heading | None:
        """The nearest heading at or above ``line``."""
        at = bisect_right(self._heading_lines, line)
        return self.headings[at - 1] if at else None

    def owner_at(self, line: int) -> Heading | None:
        """The heading whose field ``line`` has; None below none."""
        at = bisect_right(self._heading_lines, line)
        return self._owners[at - 1] if at else None

    def field_at(self, line: int) -> str | None:
        """The field that the headings above give to ``line``; None below none."""
        owner = self.owner_at(line)
        return owner.field if owner else None

    @cached_property
    def _sections(self) -> dict[str, list[Section]]:
        own: dict[int, tuple[Heading, list[tuple[int, str]]]] = {}
        headings = self.headings
        for at, owner in enumerate(self._owners):
            if owner is None:
                continue
            stop = headings[at + 1].line if at + 1 < len(headings) else len(self.lines)
            lines = self._to_rule(headings[at].line + 1, stop)
            own.setdefault(owner.line, (owner, []))[1].extend(lines)
        found: dict[str, list[Section]] = {}
        for owner, lines in own.values():
            field = owner.field or ""
            found.setdefault(field, []).append(Section(owner, field, tuple(lines)))
        return found

    @cached_property
    def _may_have_rules(self) -> bool:
        return any(rule in self._text for rule in ("---", "***", "___", "- - -", "* * *"))

    def _to_rule(self, first: int, stop: int) -> list[tuple[int, str]]:
        """The content between two headings, up to a rule below it: what follows that is a footer."""
        lines = self.content(first, stop)
        if lines and self._may_have_rules:
            for number in range(lines[0][0] + 1, lines[-1][0]):
                if is_rule(self.visible[number]):
                    return [one for one in lines if one[0] < number]
        return lines

    def content(self, first: int, stop: int) -> list[tuple[int, str]]:
        """(line, text) of the lines from ``first`` to before ``stop`` that say something, code included."""
        visible = self.visible
        lines = [(number, visible[number]) for number in range(first, stop) if visible[number].strip()]
        if self._kinds is not None:
            shown = (CODE, RAW)
            code = [
                (n, self.lines[n]) for n in range(first, stop) if self._kinds[n] in shown and self.lines[n]
            ]
            lines = sorted(lines + code) if code else lines
        return [one for one in lines if one[1][0] not in "=-*_" or not _is_line(one[1])]

    def sections(self, field: str) -> tuple[Section, ...]:
        """All sections that mean ``field``, in their order."""
        return tuple(self._sections.get(field, ()))

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels, in their order; also those in rows of tables of two columns."""
        return Labels(self.visible, self._heading_lines).found()

    def labelled(self, field: str) -> tuple[Label, ...]:
        """All labels that mean ``field``, in their order."""
        return tuple(one for one in self.labels if one.field == field)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The pipe tables, at most 5,000 rows of all of them together."""
        return find_tables(self.visible) if "|" in self._text else ()

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of lists."""
        found = []
        for number, text in enumerate(self.visible):
            match = ITEM.match(text) if not text[:1].isalpha() else None
            if match and not is_rule(text):
                indent = len(match[1].expandtabs(4))
                checked = None if match[2] is None else match[2] != " "
                found.append(Item(number, indent, text[match.end() :].strip(), checked))
        return tuple(found)


def _may_hide(text: str) -> bool:
    if "```" in text or "~~~" in text:
        return True
    return "<" in text and _MAY_HIDE.search(text) is not None


def _seen(kind: str, text: str, *, inside: bool) -> tuple[bool, str]:
    """(whether a comment in a paragraph goes on below, what the reader sees of the line)."""
    if kind == LIVE:
        if inside:
            _, mark, text = text.partition("-->")
            if not mark:
                return True, ""
        if "<!--" not in text:
            return False, text
        shown = _COMMENTS.sub("", text)
        return "-->" not in text[text.rfind("<!--") :], shown if shown.strip() else ""
    if kind == COMMENT and "-->" in text:
        return False, _COMMENTS.sub("", text[text.index("-->") + 3 :]).lstrip()
    return False, ""


def _heading(line: int, level: int, text: str) -> Heading:
    text = text[:_TEXT_CAP]
    return Heading(line, level, text, plain(text), heading_field(text), line, is_title=False)


def _with_title(headings: list[Heading]) -> list[Heading]:
    """Mark the title, which is no field, unless headings of level 1 divide the whole file into fields."""
    title = next((one for one in headings if one.level == 1), None)
    if title is None:
        return headings
    others = sum(one.level == 1 and one.field is not None for one in headings) - 1
    if title.field is None or others < 2 or heading_field(title.norm) is None or "\u2014" in title.norm:
        title.is_title, title.field = True, None
    return headings


def _with_ends(headings: list[Heading], last: int) -> tuple[Heading, ...]:
    open_: list[Heading] = []
    for one in headings:
        while open_ and open_[-1].level >= one.level:
            open_.pop().end = one.line - 1
        open_.append(one)
    for one in open_:
        one.end = last
    return tuple(headings)


def _without_closing(text: str) -> str:
    """A heading's text without the ``#`` signs that close it."""
    text = text.strip()
    if text.endswith("#"):
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            return bare.rstrip()
    return text


def _is_structure(text: str) -> bool:
    """Whether a line is a heading, an item, a quote or a row of a table, and so no text of a paragraph."""
    stripped = text.lstrip()
    return stripped[:1] in ("#", ">", "|") or ITEM.match(text) is not None or " | " in text


def _is_line(text: str) -> bool:
    """Whether a line only draws one: a rule, or what underlines a heading."""
    return is_rule(text) or not text.strip("= \t")
