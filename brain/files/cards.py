"""Project cards: ``projects/<hash8>.yaml``, flat ``key: <compact JSON>`` lines that are also YAML.

Reads what BMAD+, people and Zecher write; changes only the lines of keys that it is asked to change.
The format is BMAD+'s: each string quoted, lines joined by LF, no final newline in a new card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import JSONEncoder

from brain.files.outline import (
    Entry,
    Json,
    Outline,
    effective,
    is_idle,
    json_length,
    outline,
    plain_values,
)

CARD_CAP = 64 * 1024

_BOM = "\ufeff"
_LINE = r"(?P<head>[A-Za-z_0-9]+:[ \t]*)(?P<anchor>&[^\s,\[\]{}]+[ \t]+)?(?P<value>[^\r\n]*)"
_SINGLE_QUOTED = r"'(?:[^']|'')*'"
_TRAILING = r"[ \t]+#.*\Z"
_PREAMBLE = r"---[ \t\r\n]|%"
# Legal in JSON, but invisible, or a line break or not printable for YAML: escaped, so that both read it.
_ESCAPED = "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]"
_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class GarbageError(Exception):
    """Bytes that are no card in any reading. ``code`` is ``card-too-large`` or ``card-corrupt``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Absent:
    """The value of a key that shall not be there."""


ABSENT = Absent()
Update = Json | Absent


def to_json(value: Json) -> str:
    """Compact JSON that is YAML as well."""
    text = _encode(value)
    if text.isascii() and "\x7f" not in text:
        return text
    return re.sub(_ESCAPED, lambda match: f"\\u{ord(match.group()):04x}", text)


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same in type and content (``True`` is not ``1``)."""
    kind = one.__class__
    if kind is not other.__class__:
        return False
    return one == other and (kind is str or kind is bool or _encode(one) == _encode(other))


def render(values: Mapping[str, Json]) -> bytes:
    """A new card."""
    lines = (f"{key}: {to_json(value)}" for key, value in values.items())
    return "\n".join(lines).encode("utf-8", "backslashreplace")


def read_values(data: bytes) -> tuple[dict[str, Json], str]:
    """The values of a card's top-level keys, and a complaint ("" when all is well).

    Raises ``GarbageError`` for what cannot be read as a card at all.
    """
    text = _text(data)
    values = plain_values(text)
    if values is not None:
        return values, ""
    result = _outline(text)
    return result.values, result.complaint


def rewrite(data: bytes, updates: Mapping[str, Update]) -> tuple[bytes, bool]:
    """``data`` with the keys of ``updates`` brought to their values, and whether that was done in place.

    In place, every other byte stays as it was: a key that has its value already is left alone, comment,
    quotes and all; a single-line value is replaced; what a person wrote in more lines, or as a mapping, is
    kept beneath as a comment. Missing keys are inserted after the one before them in the order of
    ``updates``. Line ends and the presence of a final newline follow the file.

    A card whose keys do not begin lines of their own (a YAML flow mapping, quoted keys) is written afresh
    with all its values; the caller keeps the old file. Raises ``GarbageError`` as ``read_values`` does.
    """
    text = _text(data)
    taken = _outline(text)
    if taken.in_lines and _begin_with_keys(taken, updates):
        body = _Rewriting(taken, text).apply(updates)
        if taken.is_flat or _says(body, updates):
            prefix = _BOM if data.startswith(_BOM.encode()) else ""
            return (prefix + body).encode("utf-8", "surrogateescape"), True
    return render({**present(updates), **_others(taken, updates)}), False


def _begin_with_keys(taken: Outline, updates: Mapping[str, Update]) -> bool:
    """Whether the lines to change begin with their keys, and not with quotes or tags before them."""
    return all(
        taken.lines[entry.first].startswith(f"{entry.key}:")
        for entry in taken.entries
        if entry.key in updates
    )


def present(updates: Mapping[str, Update]) -> dict[str, Json]:
    """The updates without the keys that shall not be there."""
    return {key: value for key, value in updates.items() if not isinstance(value, Absent)}


def says(old: Json, value: Json) -> bool:
    """Whether ``old`` needs no change to say ``value``: equal, or a mapping whose ``primary`` is it.

    BMAD+ documents ``stack`` as a mapping of ``primary``, ``framework``, ``database``; people write it.
    """
    return same(old, value) or (isinstance(old, dict) and "primary" in old and same(old["primary"], value))


def _says(body: str, updates: Mapping[str, Update]) -> bool:
    values = plain_values(body)
    if values is None:
        values = outline(body).values
    return all(
        key not in values if isinstance(value, Absent) else says(values.get(key), value)
        for key, value in updates.items()
    )


def _others(taken: Outline, updates: Mapping[str, Update]) -> dict[str, Json]:
    return {
        key: value
        for key, value in taken.values.items()
        if key not in updates and re.fullmatch(r"\w+", key, re.ASCII)
    }


def _text(data: bytes) -> str:
    if len(data) > CARD_CAP:
        raise GarbageError("card-too-large", f"{len(data)} bytes, more than the cap of {CARD_CAP}")
    if b"\0" in data:
        raise GarbageError("card-corrupt", "holds NUL bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    return text.removeprefix(_BOM)


def _outline(text: str) -> Outline:
    result = outline(text)
    if not result.values and any(not is_idle(line) for line in result.lines):
        raise GarbageError("card-corrupt", "holds no key")
    return result


class _Rewriting:
    """One card on its way to new values, line by line."""

    def __init__(self, taken: Outline, text: str) -> None:
        self._lines: list[str] = list(taken.lines)
        self._outline = taken
        self._counting = effective(taken.entries)
        self._eol = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        self._ends_open = not text.endswith("\n")
        self._inserted: dict[int, list[str]] = {}

    def apply(self, updates: Mapping[str, Update]) -> str:
        for key, value in updates.items():
            if isinstance(value, Absent):
                self._drop(key)
            elif key in self._counting:
                self._put(self._counting[key], value)
        self._insert_missing(present(updates))
        return self._joined()

    def _put(self, entry: Entry, value: Json) -> None:
        old = self._outline.values.get(entry.key)
        if says(old, value):
            return
        line = self._lines[entry.first]
        if entry.end == entry.first + 1 and not isinstance(old, dict):
            self._lines[entry.first] = _replaced(line, value, self._eol)
            return
        self._comment_out(entry)
        self._lines[entry.first] = f"{entry.key}: {to_json(value)}{self._eol}{self._lines[entry.first]}"

    def _drop(self, key: str) -> None:
        for entry in self._outline.entries:
            if entry.key != key:
                continue
            if entry.end == entry.first + 1:
                self._lines[entry.first] = _only_comment(self._lines[entry.first])
            else:
                self._comment_out(entry)

    def _comment_out(self, entry: Entry) -> None:
        for number in range(entry.first, entry.end):
            if not is_idle(self._lines[number]):
                self._lines[number] = f"# {self._lines[number]}"

    def _insert_missing(self, values: Mapping[str, Json]) -> None:
        place = self._top()
        for key, value in values.items():
            if key in self._counting:
                entry = self._counting[key]
                place = entry.end
            else:
                self._inserted.setdefault(place, []).append(f"{key}: {to_json(value)}{self._eol}")

    def _top(self) -> int:
        number = 0
        while number < len(self._lines) and re.match(_PREAMBLE, self._lines[number] + "\n"):
            number += 1
        return number

    def _joined(self) -> str:
        parts: list[str] = []
        for number in range(len(self._lines) + 1):
            if new := self._inserted.get(number):
                if parts and parts[-1] and not parts[-1].endswith("\n"):
                    parts.append(self._eol)
                parts += new
            if number < len(self._lines):
                parts.append(self._lines[number])
        text = "".join(parts)
        return _without_last_end(text) if self._ends_open else text


def _without_last_end(text: str) -> str:
    if text.endswith("\n"):
        text = text[:-1].removesuffix("\r")
    return text


def _replaced(line: str, value: Json, eol: str) -> str:
    parts = re.match(_LINE, line)
    if parts is None:
        raise AssertionError("an entry's line begins with its key")
    head = parts["head"] if parts["head"][-1] in " \t" else parts["head"] + " "
    end = line[parts.end() :] or ("" if not line.endswith("\n") else eol)
    return f"{head}{parts['anchor'] or ''}{to_json(value)}{_comment_of(parts['value'])}{end}"


def _only_comment(line: str) -> str:
    parts = re.match(_LINE, line)
    if parts is None:
        return ""
    comment = _comment_of(parts["value"]).lstrip()
    return comment + line[parts.end() :] if comment else ""


def _comment_of(value: str) -> str:
    """The comment after a single-line value, with the blanks before it."""
    if value.startswith("#"):
        return f" {value}"
    quoted = re.match(_SINGLE_QUOTED, value)
    found = re.compile(_TRAILING).search(value, quoted.end() if quoted else json_length(value))
    return found.group() if found else ""
