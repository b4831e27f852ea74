"""The names of the memory's files and folders, and the templates that new ones are made from.

Headings, fields and front matter keys are those of BMAD+, so that its agents find what they look for; the
words are ours. The templates are files in ``templates/`` with places such as ``{{project:yaml}}``: the word
after the colon says how a value is written there, so that none can break or forge what surrounds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from brain.display import one_line

NOTE_FILES = ("decisions.md", "lessons.md", "patterns.md")
CONTEXT = "context.md"
MEMORY_FILES = (*NOTE_FILES, CONTEXT)
SESSIONS = "sessions"
SESSION_TEMPLATE = "session-handoff.md"

IDENTITY = "identity.yaml"
PROJECTS = "projects"
GLOBAL_PROJECT = "Global Brain"
ENTRY_POINTS = ("README.md", "AGENTS.md", "HOT.md")

# New entries go below this line while no other entry stands there.
ENTRIES_MARKER = "<!-- Entries start below this line. -->"

VALUE_CAP = 200
_PATH_CAP = 4096
_PLACE = r"\{\{([a-z]+):([a-z]+)\}\}"
_PUNCTUATION = r"[\\`*_{}\[\]<>#!|&$~@^]"


def template(name: str, values: Mapping[str, str]) -> bytes:
    """The content of a new file ``name``: of ``MEMORY_FILES``, ``SESSION_TEMPLATE`` or ``IDENTITY``; UTF-8.

    ``values`` by place: ``date`` (``YYYY-MM-DD``) and ``project`` for all but the identity; ``path`` for the
    context; ``topic`` and ``agent`` for a session; ``user``, ``language`` and ``date`` for the identity.
    ``KeyError`` for a missing value. Each becomes one line, hidden characters are written out.
    """
    with open(os.path.join(os.path.dirname(__file__), "templates", name), encoding="utf-8") as file:
        text = file.read()
    return re.sub(_PLACE, lambda place: _WRITTEN_AS[place[2]](values[place[1]]), text).encode()


def memory_folder(path: str, kind: str) -> str:
    """The folder of a brain of type ``kind`` that holds its decisions, lessons and patterns."""
    return os.path.join(path, "memory") if kind == "portfolio" else path


def entry_point(portfolio: str) -> str | None:
    """The page that a portfolio brain wants read first, as an absolute path; None when it has none.

    A link does not count: it usually leads to another of the three.
    """
    for name in ENTRY_POINTS:
        path = os.path.join(portfolio, name)
        if os.path.isfile(path) and not os.path.islink(path):
            return path
    return None


def _yaml(text: str) -> str:
    """A double-quoted text, the same in JSON and in YAML."""
    from brain.files.cards import to_json  # noqa: PLC0415 - start-up: only a new file needs it

    return to_json(one_line(text, VALUE_CAP))


def _markdown(text: str) -> str:
    """Plain text inside a line of Markdown."""
    return re.sub(_PUNCTUATION, lambda mark: "\\" + mark[0], one_line(text, VALUE_CAP))


def _code(text: str) -> str:
    """A code span whose fence is longer than any run of backticks inside."""
    line = one_line(text, _PATH_CAP)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if not line or "`" in (line[0], line[-1]) else ""
    return f"{fence}{pad}{line or ' '}{pad}{fence}"


_WRITTEN_AS = {"yaml": _yaml, "markdown": _markdown, "code": _code}
