"""Labels of a Markdown page, ``X: y`` in all of its forms, and where their values end."""

from __future__ import annotations

import re

from brain.entries.lines import is_rule
from brain.health.fields import label_field, plain
from brain.health.tables import cells_of, is_delimiter
from brain.value import dataclass

LINES_CAP = 5000
_ROW_CAP = 4096
_LABEL_CAP = 60
MARKS = re.compile(r"(?:[ \t]*>)*[ \t]*(?:(?:[-+*\u2022]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?")
ITEM = re.compile(r"([ \t]*)(?:[-+*]|[0-9]{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?")
# What may stand before a bold label: an emoji, a tick, a number.
_BOLD = re.compile(
    r"[^\w*|`:#\[\](]{0,6}(\*\*|__)(?=\S)"
    rf"([^*\n]{{1,{_LABEL_CAP}}}?)"
    r"\1[ \t]*([:\uff1a\u2013\u2014-]?)(?=\s|$|[^\w*])[ \t]*"
)
_PLAIN = re.compile(
    rf"[*_~]{{0,3}}([^\s:\uff1a|`*#(\[<>][^:\uff1a|`#<>\n]{{0,{_LABEL_CAP}}}?)"
    r"[*_~]{0,3}(?::(?=[\s*_~]|$)|\uff1a)[*_~]{0,3}[ \t]*"
)
# A bullet with one bold word of letters, the colon outside: the same in a third of the time.
_USUAL = re.compile(r"[-*+] \*\*([^\W\d_]{1,60}+)\*\*:[ \t]+(?=\S)")
_NEXT_LABEL = re.compile(r"[ \t]*[|\u00b7\u2022;][ \t]*(?=\*\*|__|[^\s|:]{2,20}(?: [^\s|:]{1,12})?:[ \t])")


@dataclass(slots=True)
class Label:
    """``X: y`` in one of its forms. ``value`` is the text after it with the lines that continue it.

    ``field`` is None for a label that the vocabulary does not know; its value is only the rest of its line.
    ``value_line`` is the first line that says something, ``end`` the last; both are ``line`` where the value
    stands there, or nowhere.
    """

    line: int
    text: str
    norm: str
    field: str | None
    value: str
    value_line: int
    end: int


class Labels:
    """Finds the labels of a page, and where their values end."""

    def __init__(self, lines: list[str], headings: list[int]) -> None:
        self._lines = lines
        self._headings = frozenset(headings)
        self._found: list[Label] = []
        # Lines that begin with a label of a known field end the value of the one above.
        self._opening: set[int] = set()

    def found(self) -> tuple[Label, ...]:
        """All labels, by line."""
        for number, text in enumerate(self._lines):
            if (
                ":" in text or "**" in text or "__" in text or "\uff1a" in text
            ) and number not in self._headings:
                if "|" not in text or text.lstrip()[:1] != "|":
                    self._in_line(number, text)
            elif text[:1] == "|":
                self._in_row(number, text)
        for one in self._found:
            if one.field:
                self._extend(one)
        return tuple(self._found)

    def _in_line(self, number: int, text: str) -> None:
        usual = _USUAL.match(text)
        if usual and (field := label_field(usual[1])) and _next_label(text, usual.end()) is None:
            label = usual[1]
            value = text[usual.end() :].strip()
            self._found.append(Label(number, label, plain(label), field, value, number, number))
            self._opening.add(number)
            return
        marks = MARKS.match(text)
        at = marks.end() if marks else 0
        first = True
        while True:
            found = _label_at(text, at)
            if found is None:
                return
            label, field, start = found
            following = _next_label(text, start)
            value = text[start : following.start()] if following else text[start:]
            self._found.append(Label(number, label, plain(label), field, value.strip(), number, number))
            if field and first:
                self._opening.add(number)
            if following is None:
                return
            first, at = False, following.end()

    def _in_row(self, number: int, text: str) -> None:
        """A row of two cells whose first is a word of a field."""
        if len(text) > _ROW_CAP:
            return
        cells = cells_of(text)
        if len(cells) == 2 and (field := label_field(cells[0])) and not is_delimiter(text):
            self._found.append(Label(number, cells[0], plain(cells[0]), field, cells[1], number, number))
            self._opening.add(number)

    def _extend(self, label: Label) -> None:
        """Add the lines below that continue the value: wrapped ones, or the list that it announces."""
        lines = self._lines
        own = lines[label.line]
        if own[:1] == "|":
            return
        item = ITEM.match(own)
        indent = len(item[1].expandtabs(4)) if item else -1
        parts = [label.value] if label.value else []
        number = label.line + 1
        gap = False
        while number < len(lines) and number - label.line < LINES_CAP:
            text = lines[number]
            if not text.strip():
                if parts or gap:
                    break
                gap = True
            elif self._stops(number, text, indent, announced=bool(label.value)):
                break
            else:
                if not parts:
                    label.value_line = number
                parts.append(text.strip())
                label.end = number
            number += 1
        label.value = "\n".join(parts)

    def _stops(self, number: int, text: str, indent: int, *, announced: bool) -> bool:
        if number in self._headings or number in self._opening:
            return True
        if text[0].isalpha():  # neither a rule, nor an item, nor a row
            return indent >= 0 and not self._lines[number - 1].strip()
        if is_rule(text):
            return True
        item = ITEM.match(text)
        if item is None:
            return text[:1] == "|" or (
                indent >= 0 and not text[:1].isspace() and not self._lines[number - 1].strip()
            )
        own = len(item[1].expandtabs(4))
        return own <= indent or (indent < 0 and announced and _label_at(text, item.end()) is not None)


def _next_label(text: str, start: int) -> re.Match[str] | None:
    """What parts a value from the next label on its line."""
    if not ("|" in text or ";" in text or (not text.isascii() and ("\u00b7" in text or "\u2022" in text))):
        return None
    if len(text) >= _ROW_CAP:
        return None
    return _NEXT_LABEL.search(text, start)


def _label_at(text: str, at: int) -> tuple[str, str | None, int] | None:
    """(label, its field, where its value begins) of the label that begins at ``at``; None without one."""
    found = _BOLD.match(text, at)
    if found:
        label, sign = found[2], found[3]
        ended = label[-1] in ":.\uff1a" or sign in (":", "\uff1a")
        field = label_field(label)
        name, colon, _ = label.partition(": ")
        if colon and field is None and (known := label_field(name)):
            # A sentence that is bold as a whole: **Next step: print the week.**
            return name, known, found.start(2) + len(name) + len(colon)
        if ended or (field and (sign or found.end() == len(text))):
            return label.rstrip(":.\uff1a "), field, found.end()
        return None
    found = _PLAIN.match(text, at)
    if found is None:
        return None
    return found[1].strip(), label_field(found[1]), found.end()
