"""Text from outside made fit for an entry: it says what it said, and forges nothing.

A value may not begin an entry, a heading, a rule, a fence, a comment or another field; what would do so is
written with the escapes of Markdown, so that a reader of the page sees the same text. Line ends of every
kind that some reader breaks a line at are known here; BMAD+ also breaks at U+2028.
"""

from __future__ import annotations

import re

from brain.display import display
from brain.entries.fields import field_name, words
from brain.entries.one_entry import BOLD_LABEL, PLAIN_LABEL

INDENT = "  "

# Joiners inside words and emoji are writing, not trickery: the display of a terminal is stricter.
_NOT_JOINERS = "[^\u200c\u200d]+"
_MARKER = r"(?:[-+*]|[0-9]{1,9}[.)])[ \t]+"
_LINE_OPENS = r"[#>=]|(?:`{3}|~{3}|-{3})|[-+*_][ \t]*(?:[-+*_][ \t]*)*$|\[[^\]]*\]:"
_ORDERED_ALONE = r"[0-9]{1,9}(?=[.)]$)"


def one_line(text: str) -> str:
    """``text`` on one line, in visible characters, without the marks of comments."""
    return " ".join(_lines(text))


def title(text: str) -> str:
    """``text`` as the title of an entry: one line that ends in no heading marks and archives nothing."""
    line = one_line(text)
    line = re.sub(rf"(?i)(?<!\\)\[(?={words().archived})", r"\\[", line)
    return re.sub(r"(^|[ \t])(#+)$", r"\1\\\2", line)


def value(text: str, newline: str = "\n") -> str:
    """``text`` as the value of a bullet field: its further lines are indented and open nothing of their own.

    Blank lines are left out, since they would end the bullet. Lists stay lists below it.
    """
    lines = _lines(text)
    if not lines:
        return ""
    return newline.join([lines[0], *(INDENT + _tamed(line) for line in lines[1:])])


def _lines(text: str) -> list[str]:
    """The lines of ``text`` that say something, with single blanks; blanks that do not break stay."""
    shown = (re.sub("[ \t]+", " ", _visible(line)).strip(" ") for line in text.splitlines())
    return [_without_comments(line) for line in shown if line.strip()]


def _visible(line: str) -> str:
    return re.sub(_NOT_JOINERS, lambda part: display(part.group()), line)


def _without_comments(line: str) -> str:
    return line.replace("<!--", "&lt;!--").replace("-->", "--&gt;")


def _tamed(line: str) -> str:
    """A line behind the first, so that its beginning begins nothing but an item of a list."""
    head = ""
    while marker := re.match(_MARKER, line):
        if re.fullmatch(_LINE_OPENS, line):
            break
        head, line = head + marker.group(), line[marker.end() :]
    if line.startswith("<"):
        return f"{head}&lt;{line[1:]}"
    if re.match(_LINE_OPENS, line) or BOLD_LABEL.match(line):
        return f"{head}\\{line}"
    if alone := re.match(_ORDERED_ALONE, line):
        return f"{head}{alone.group()}\\{line[alone.end() :]}"
    plain = PLAIN_LABEL.match(line)
    if plain and field_name(plain["label"]):
        return f"{head}{plain['label']}\\{line[plain.end('label') :]}"
    return head + line
