"""Notes in Markdown as BMAD+ sees them: a section begins at ``### `` and goes on to the next one.

Recall scores these sections and receipts are bound to their hashes, so the rules are the original's to the
letter, its weaknesses included: code fences, comments and ``##`` headings neither end nor hide a section.
"""

from __future__ import annotations

# What BMAD+ trims and takes for a blank: JavaScript's white space, which is not Python's.
BLANKS = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_MARK = "###"
_BLANKS_IN_LINE = BLANKS.replace("\n", "")
_LINE_BREAKS = "\r\u2028\u2029"


class Section:
    """One ``###`` section: its trimmed ``heading`` (may be empty), its ``body`` as it stands in the file.

    ``line`` is the 1-based number of the heading's line, lines ending in LF.
    """

    __slots__ = ("body", "heading", "line")

    def __init__(self, heading: str, body: str, line: int) -> None:
        self.heading = heading
        self.body = body
        self.line = line


def sections(text: str) -> list[Section]:
    """The sections of ``text`` in their order; what stands before the first one belongs to none."""
    found: list[Section] = []
    line = 1
    counted = 0
    start = _next_heading(text, 0)
    while start >= 0:
        line += text.count("\n", counted, start)
        counted = start
        following = _next_heading(text, start + len(_MARK))
        heading_end = text.find("\n", start)
        if heading_end < 0:
            heading_end = len(text)
        body = text[heading_end + 1 : following if following >= 0 else len(text)]
        found.append(Section(_heading(text[start:heading_end]), body, line))
        start = following
    return found


def section_text(section: Section) -> str:
    """What is scored, shown and hashed: heading, LF, body, without the blanks around the whole."""
    return f"{section.heading}\n{section.body}".strip(BLANKS)


def section_sha256(section: Section) -> str:
    """The hash that receipts carry as ``textSha256``: of ``section_text`` in UTF-8, in hex."""
    import hashlib  # noqa: PLC0415 - start-up: 9 ms, and plain recall hashes nothing

    return hashlib.sha256(section_text(section).encode("utf-8", "replace")).hexdigest()


def _next_heading(text: str, start: int) -> int:
    """Where the next line with a heading begins at or after ``start``, -1 when there is none."""
    if start == 0 and text.startswith(_MARK) and text[3:4] in _BLANKS_IN_LINE and len(text) > len(_MARK):
        return 0
    place = text.find("\n###", start)
    while place >= 0:
        after = text[place + 4 : place + 5]
        if after and after in _BLANKS_IN_LINE:
            return place + 1
        place = text.find("\n###", place + 4)
    return -1


def _heading(line: str) -> str:
    """The heading of a line that begins with the mark; a break that is no LF cuts it off."""
    heading = line[len(_MARK) :].lstrip(_BLANKS_IN_LINE)
    if not heading.isprintable():
        for mark in _LINE_BREAKS:
            heading = heading.partition(mark)[0]
    return heading.rstrip(BLANKS)
