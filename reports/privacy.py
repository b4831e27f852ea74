"""What of a path a page shows: relative to home, or nothing of it when the page is meant for other eyes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from reports.view import below_home, safe_display

HIDDEN = "hidden"

# A path inside a sentence: in quotes, from home or from the root. A lone "/" or "and/or" is none.
_QUOTED = r"'(?:~|/)[^']*'|\"(?:~|/)[^\"]*\""
_BARE = r"(?<![\w./~-])(?:~[\w.-]*)?(?:/[^\s/'\"`,;:()<>]+)+/?"


class Places:
    """Shows paths, and text that may hold paths, as one harmless line.

    ``home`` becomes ``~``. With ``redact`` every path that was named (``known``), and all that looks like an
    absolute path or one below home, is left out; names of files relative to a project stay.
    """

    def __init__(self, home: str, known: Iterable[str] = (), *, redact: bool = False) -> None:
        self._home = home.rstrip(os.sep)
        self._redact = redact
        self._inside = re.compile(re.escape(self._home) + r"(?![\w-]|\.\w)") if self._home else None
        self._known = self._any_of(known) if redact else None

    def _any_of(self, known: Iterable[str]) -> re.Pattern[str]:
        paths = {path for path in known if len(path) > 1}
        paths |= {
            "~" + path[len(self._home) :] for path in paths if self._home and path.startswith(self._home)
        }
        ordered = sorted(paths, key=lambda path: (-len(path), path))
        whole = [rf"(?<![\w.-]){re.escape(path)}(?![\w-])(?:/[^\s'\"`,;:()<>]*)?" for path in ordered]
        return re.compile("|".join([*whole, _QUOTED, _BARE]))

    def path(self, path: str) -> str:
        """A path by itself."""
        if self._redact and path:
            return HIDDEN
        return below_home(path, self._home)

    def text(self, text: str) -> str:
        """A sentence or a command."""
        if self._known is not None:
            text = self._known.sub("…", text)
        if self._inside is not None:
            text = self._inside.sub("~", text)
        return safe_display(text)
