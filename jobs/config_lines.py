"""On which line of a TOML file each key stands: the parser does not say, people want to know."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

# A key, or the place of an item in a list, from the top of the file inwards.
Path = tuple[str | int, ...]

_SPACE = " \t\r\n"
_DEEPEST = 50
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class Lines:
    """Where keys and list items stand; lines count from 1."""

    __slots__ = ("_known",)

    def __init__(self, known: Mapping[Path, int]) -> None:
        self._known = known

    def find(self, path: Path) -> int | None:
        """The line of ``path``, else of what is around it; None where neither is known."""
        for length in range(len(path), 0, -1):
            found = self._known.get(path[:length])
            if found is not None:
                return found
        return None

    def exact(self, path: Path) -> int | None:
        """The line of ``path`` itself."""
        return self._known.get(path)


def toml_lines(text: str) -> Lines:
    """The lines of a text that the parser has already accepted.

    What is nested deeper than any configuration is not looked at: its keys count as where it begins.
    """
    reader = _Toml(text)
    with suppress(
        IndexError
    ):  # should parser and reader ever disagree, what was found until then still helps
        reader.read()
    return Lines(reader.known)


class _Toml:
    """Walks valid TOML once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._table: Path = ()
        self._count: dict[Path, int] = {}
        self.known: dict[Path, int] = {}

    def read(self) -> None:
        while self._skip_space():
            if self._text[self._at] == "[":
                self._header()
            else:
                self._pair(self._table, 0)

    def _header(self) -> None:
        line = self._line
        is_list = self._text.startswith("[[", self._at)
        self._step(2 if is_list else 1)
        table: Path = ()
        names = self._key("]")
        for place, name in enumerate(names):
            table = (*table, name)
            last = place == len(names) - 1
            if last and is_list:
                self._count[table] = self._count.get(table, -1) + 1
            self.known.setdefault(table, line)
            if table in self._count:
                table = (*table, self._count[table])
                self.known.setdefault(table, line)
        self._table = table
        self._step(2 if is_list else 1)

    def _pair(self, table: Path, depth: int) -> None:
        line = self._line
        for name in self._key("="):
            table = (*table, name)
            self.known.setdefault(table, line)
        self._step(1)
        self._skip_space()
        self._value(table, depth)

    def _value(self, path: Path, depth: int) -> None:
        first = self._text[self._at]
        if first in "\"'":
            self._string()
        elif first in "[{":
            self._inside(path, depth, "]" if first == "[" else "}")
        else:
            start = self._at
            while self._at < len(self._text) and self._text[self._at] not in ",]}#\n":
                self._step(1)
            if self._at == start:
                raise IndexError  # no TOML: without a step forwards this would never end

    def _inside(self, path: Path, depth: int, end: str) -> None:
        if depth > _DEEPEST:
            raise IndexError
        self._step(1)
        place = 0
        while self._skip_space() and self._text[self._at] != end:
            if self._text[self._at] == ",":
                self._step(1)
            elif end == "}":
                self._pair(path, depth + 1)
            else:
                self.known[(*path, place)] = self._line
                self._value((*path, place), depth + 1)
                place += 1
        self._step(1)

    def _key(self, end: str) -> list[str]:
        """The parts of a dotted key, up to ``end``, which is left standing."""
        parts: list[str] = []
        while self._skip_space() and self._text[self._at] != end:
            start = self._at
            if self._text[start] in "\"'":
                parts.append(self._string())
            elif self._text[start] == ".":
                self._step(1)
            else:
                while self._text[self._at] not in f"{_SPACE}.{end}":
                    self._step(1)
                parts.append(self._text[start : self._at])
        return parts

    def _string(self) -> str:
        """The string that begins here, stepped over; its escapes are only resolved where keys use them."""
        quote = self._text[self._at]
        mark = quote * 3 if self._text.startswith(quote * 3, self._at) else quote
        self._step(len(mark))
        start = self._at
        while not self._text.startswith(mark, self._at):
            self._step(2 if quote == '"' and self._text[self._at] == "\\" else 1)
        if len(mark) == 3:
            while self._text.startswith(mark, self._at + 1):
                self._step(1)  # quotes of the text itself, right before its end
        found = self._text[start : self._at]
        self._step(len(mark))
        return _unescaped(found) if quote == '"' and "\\" in found else found

    def _skip_space(self) -> bool:
        """Step over white space and comments; whether there is more after them."""
        while self._at < len(self._text):
            here = self._text[self._at]
            if here == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif here in _SPACE:
                self._step(1)
            else:
                return True
        return False

    def _step(self, characters: int) -> None:
        if self._at + characters > len(self._text):
            raise IndexError
        self._line += self._text.count("\n", self._at, self._at + characters)
        self._at += characters


def _unescaped(text: str) -> str:
    found, parts = 0, []
    while found < len(text):
        here = text[found]
        if here != "\\":
            parts.append(here)
            found += 1
            continue
        kind = text[found + 1]
        digits = {"u": 4, "U": 8, "x": 2}.get(kind, 0)
        if digits:
            parts.append(chr(int(text[found + 2 : found + 2 + digits], 16)))
        else:
            parts.append(_ESCAPES.get(kind, kind))
        found += 2 + digits
    return "".join(parts)
