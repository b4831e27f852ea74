"""Which files git changes on their way between the work tree and its objects.

Format: gitattributes(5). ``filter`` and ``working-tree-encoding`` tell that the bytes of a file cannot be
compared with its object without running a program, which is never done; ``text``, ``crlf``, ``eol`` and
``ident``, what git itself does to them.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from scanner.ignore import IgnoreFile, parse_ignore
from scanner.ignore_text import as_git_sees
from scanner.reading import UnreadableError, read_file

_CAP = 64 * 1024
_LINES = 2_000
_EFFORT = 200_000
"""How many lines all questions in one work tree may touch, a few microseconds each."""

_ASKED = ("filter", "working-tree-encoding")
_OWN = ("text", "crlf", "eol", "ident")
_BUILT_IN: dict[str, dict[str, str | None]] = {"binary": {"text": "unset"}}


_Line = tuple[IgnoreFile, dict[str, str | None]]
"""A pattern, and what it says about the attributes that are asked for."""


class Attributes:
    """The attribute files of one work tree, read when a path below them is asked for."""

    def __init__(
        self, work_tree: str, info: str, stored: Callable[[str], bytes | None] = lambda _: None
    ) -> None:
        """``info``: the path of the file that is stronger than those in the work tree, empty for none.

        ``stored`` gives the content of a file that is not there, by its path relative to the work tree.
        """
        self._work_tree = work_tree
        self._stored = stored
        self._info = info
        self._effort = _EFFORT
        self._macros = dict(_BUILT_IN)
        self._files: dict[str, list[_Line]] = {}
        self._silent: dict[bytes, bool] = {}

    def conversion(self, path: bytes) -> str | None:
        """The filter of a tracked path, or its encoding; ``None`` where its bytes are kept.

        Once all questions have cost too much, the answer is ``unknown``.
        """
        found = self._found(path, _ASKED)
        if found is None:
            return "unknown"
        return next((value for value in map(found.get, _ASKED) if value is not None), None)

    def rules(self, path: bytes) -> dict[str, str | None]:
        """All attributes that are asked for; one of git's own without a value is ``set`` or ``unset``.

        Once all questions have cost too much, the filter is ``unknown``.
        """
        found = self._found(path, (*_ASKED, *_OWN))
        return {"filter": "unknown"} if found is None else found

    def are_silent_in(self, folder: bytes) -> bool:
        """Whether no attribute file says anything about paths in ``folder`` (empty for the root)."""
        if folder not in self._silent:
            above = folder.rpartition(b"/")[0]
            is_silent = self.are_silent_in(above) if folder else not self._lines(self._info)
            own = os.fsdecode(folder) + "/" if folder else ""
            self._silent[folder] = is_silent and not self._lines(f"{self._work_tree}/{own}.gitattributes")
        return self._silent[folder]

    def _found(self, path: bytes, wanted: tuple[str, ...]) -> dict[str, str | None] | None:
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
            return None
        if not any(lines for _, lines in files):
            return {}
        return {one: self._value(one, files, text, name) for one in wanted}

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
        except UnreadableError as error:
            is_inside = error.code == "missing" and path.startswith(self._work_tree + "/")
            data = (self._stored(path[len(self._work_tree) + 1 :]) or b"")[:_CAP] if is_inside else b""
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
            elif key in _OWN:
                values[key] = value or "set"
            elif key[:1] in "-!" and key[1:] in (*_ASKED, *_OWN):
                values[key[1:]] = "unset" if key[0] == "-" and key[1:] in _OWN else None
            elif key in self._macros:
                values |= self._macros[key]
        return values
