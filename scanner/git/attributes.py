"""Which files git changes on their way between the work tree and its objects.

Format: gitattributes(5). Only ``filter`` and ``working-tree-encoding`` are asked for: the bytes of such a
file cannot be compared with its object without running a program, which is never done.
"""

from __future__ import annotations

import os

from scanner.ignore import IgnoreFile, parse_ignore
from scanner.ignore_text import as_git_sees
from scanner.reading import UnreadableError, read_file

_CAP = 64 * 1024
_LINES = 2_000
_EFFORT = 200_000
"""How many lines all questions in one work tree may touch, a few microseconds each."""

_ASKED = ("filter", "working-tree-encoding")


_Line = tuple[IgnoreFile, dict[str, str | None]]
"""A pattern, and what it says about the attributes that are asked for."""


class Attributes:
    """The attribute files of one work tree, read when a path below them is asked for."""

    def __init__(self, work_tree: str, info: str) -> None:
        """``info``: the path of the file that is stronger than those in the work tree, empty for none."""
        self._work_tree = work_tree
        self._info = info
        self._effort = _EFFORT
        self._macros: dict[str, dict[str, str | None]] = {}
        self._files: dict[str, list[_Line]] = {}

    def conversion(self, path: bytes) -> str | None:
        """The filter of a tracked path, or its encoding; ``None`` where its bytes are kept.

        Once all questions have cost too much, the answer is ``unknown``.
        """
        text = as_git_sees(os.fsdecode(path))
        name = text[text.rfind("/") + 1 :]
        folders = [""]
        folders += [os.fsdecode(path[: at + 1]) for at, byte in enumerate(path) if byte == 0x2F]
        # A macro may stand at the root or in the info file only: both are read first.
        files = [("", self._lines(f"{self._work_tree}/.gitattributes")), ("", self._lines(self._info))]
        files[1:1] = [
            (folder, self._lines(f"{self._work_tree}/{folder}.gitattributes")) for folder in folders[1:]
        ]
        self._effort -= sum(len(lines) for _, lines in files)
        if self._effort < 0:
            return "unknown"
        for wanted in _ASKED:
            value = self._value(wanted, files, text, name)
            if value is not None:
                return value
        return None

    def _value(self, wanted: str, files: list[tuple[str, list[_Line]]], text: str, name: str) -> str | None:
        for folder, lines in reversed(files):
            below = text[len(as_git_sees(folder)) :]
            for pattern, values in reversed(lines):
                if wanted in values and pattern.verdict(below, name, is_folder=False):
                    return values[wanted]
        return None

    def _lines(self, path: str) -> list[_Line]:
        if path not in self._files:
            self._files[path] = self._parse(path)
        return self._files[path]

    def _parse(self, path: str) -> list[_Line]:
        try:
            data = read_file(path, _CAP) if path else b""
        except UnreadableError:
            return []
        lines: list[_Line] = []
        for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_LINES]:
            pattern, _, rest = raw.strip(b" \t\r").partition(b" ")
            pattern, _, more = pattern.partition(b"\t")
            tokens = (more + b" " + rest).decode("utf-8", "surrogateescape").split()
            if not pattern or pattern[:1] in b"#!":
                continue
            if pattern.startswith(b"[attr]"):
                self._macros[os.fsdecode(pattern[6:])] = self._values(tokens)
                continue
            values = self._values(tokens)
            if values:
                lines.append((parse_ignore(pattern.strip(b'"'), path), values))
        return lines

    def _values(self, tokens: list[str]) -> dict[str, str | None]:
        values: dict[str, str | None] = {}
        for token in tokens:
            key, _, value = token.partition("=")
            if key in _ASKED:
                values[key] = value or None
            elif key[:1] in "-!" and key[1:] in _ASKED:
                values[key[1:]] = None
            elif key in self._macros:
                values |= self._macros[key]
        return values
