"""On which line of a TOML file a key stands: the parser does not say, people want to know."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[\w-]+)\s*[=.]")


class Lines:
    """Headers and keys of one file by line; what stands inside a list counts as the list's own line."""

    def __init__(self, text: str) -> None:
        self._keys: dict[tuple[str, int, str], int] = {}
        self._headers: dict[tuple[str, int], int] = {}
        self._read(text)

    def find(self, table: str, key: str, place: int = 0) -> int | None:
        """The line (from 1) of ``key`` in the ``place``-th ``table``, else of what is around it, if any."""
        found = self._keys.get((table, place, key)) or self._headers.get((table, place))
        if found or not table:
            return found or self._headers.get((key, 0))
        outer, _, last = table.rpartition(".")
        return self.find(outer, last)

    def _read(self, text: str) -> None:
        table, place = "", 0
        for number, line in enumerate(text.splitlines(), start=1):
            header = _HEADER.match(line)
            key = _KEY.match(line)
            if header and not key:
                table = header[2].replace(" ", "").replace('"', "")
                place = sum(1 for name, _ in self._headers if name == table) if header[1] else 0
                self._headers.setdefault((table, place), number)
            elif key:
                self._keys.setdefault((table, place, key[1].strip("\"'")), number)
