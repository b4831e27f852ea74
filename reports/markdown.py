"""Foreign text inside Markdown: always one line, never a mark-up of its own."""

from __future__ import annotations

import re

from reports.view import safe_display

# Marks that act anywhere in a line. "$" starts mathematics and "~" a deletion where reports are often read.
_ANYWHERE = r"[\\`*_{}\[\]<>#!|&$~@^]"
# An address becomes a link of its own accord in some dialects: break its scheme and its "www.".
_ADDRESS = r"(?i):(?=//)|(?<=\bwww)\."
_MAILTO = r"(?i)(?<=\bmailto):|(?<=\bxmpp):"
# What acts at the start of a line only: list marks, numbered lists, underlines of headings.
_AT_START = r"^(\d{1,9})?([-+=.):])"


def escape(text: str) -> str:
    """``text`` as one line of plain Markdown: it renders as the same characters, and as nothing else."""
    line = safe_display(text).strip(" ")
    line = re.sub(_ANYWHERE, lambda match: "\\" + match[0], line)
    line = re.sub(_ADDRESS, lambda match: "\\" + match[0], line)
    line = re.sub(_MAILTO, "\\:", line)
    return re.sub(_AT_START, lambda match: f"{match[1] or ''}\\{match[2]}", line)


def code_span(text: str) -> str:
    """``text`` as a code span whose fence is longer than any run of backticks inside, fit for a cell.

    Readers of tables disagree on a bar after a backslash, so that one is written as the byte it is.
    """
    line = re.sub(r"(?<=\\)\|", r"\\x7c", safe_display(text))
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not line or line[0] in "` " or line[-1] in "` " else ""
    # A cell ends at a bar even inside code; tables take the escape away again.
    return f"{fence}{pad}{line or ' '}{pad}{fence}".replace("|", "\\|")
