"""Reads a ledger: one JSON object a line. A damaged line is counted and skipped, never fatal."""

from __future__ import annotations

from collections.abc import Callable
from json.decoder import JSONDecoder

from brain.files.errors import MemError
from brain.files.reading import UnreadableError, read_seen

LEDGER_CAP = 2 * 1024 * 1024  # bytes, the published limit of every ledger

# Deeper than any record of the formats; the brackets are counted only where a line has so many of them.
_DEPTH = 64
_BLANKS = " \t\r"


class Ledger:
    """``lines`` of a ledger as (line number from 1, object); ``damaged`` are the numbers of the others."""

    __slots__ = ("damaged", "lines")

    def __init__(self, lines: list[tuple[int, dict[str, object]]], damaged: list[int]) -> None:
        self.lines = lines
        self.damaged = damaged


def read_ledger(path: str, cap: int = LEDGER_CAP) -> Ledger:
    """The ledger at ``path``; one that is missing is empty.

    Damaged is a line that is no JSON object, not UTF-8, nested deeper than 64, or holds ``NaN``; blank lines
    count as nothing. ``MemError`` when the file is larger than ``cap`` bytes, a link, not a regular file, or
    kept from us.
    """
    try:
        data = read_seen(path, cap).data or b""
    except UnreadableError as error:
        if error.code == "missing":
            return Ledger([], [])
        raise MemError(f"cannot read {path}: {error.message}") from None
    return parse_ledger(data)


def parse_ledger(data: bytes) -> Ledger:
    """The ledger with the bytes ``data``; nothing in them raises an error."""
    scan = JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined] # missing in typeshed
    lines: list[tuple[int, dict[str, object]]] = []
    damaged: list[int] = []
    for number, line in enumerate(_lines(data), 1):
        if not line or line.isspace():
            continue
        value = _value(scan, line)
        if value is None:
            damaged.append(number)
        else:
            lines.append((number, value))
    return Ledger(lines, damaged)


def _lines(data: bytes) -> list[str]:
    """The lines as text; one that is not UTF-8 is a noncharacter that no JSON value begins with."""
    try:
        return data.decode().split("\n")
    except UnicodeDecodeError:
        return [_decoded(line) for line in data.split(b"\n")]


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "\ufffe"


def _value(scan: Callable[[str, int], tuple[object, int]], line: str) -> dict[str, object] | None:
    """The object that ``line`` holds, or None."""
    try:
        value, end = scan(line, 0)
    except StopIteration:
        stripped = line.lstrip(_BLANKS)
        return None if stripped == line else _value(scan, stripped)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or (end != len(line) and line[end:].strip(_BLANKS)):
        return None
    if line.count("{") + line.count("[") > _DEPTH and _is_deep(value):
        return None
    return value


def _is_deep(value: object) -> bool:
    """Whether ``value`` is nested deeper than the bound; it may be so deep that recursion would fail."""
    level = [value]
    for _ in range(_DEPTH):
        inner: list[object] = []
        for one in level:
            inner.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        level = inner
    return any(isinstance(one, dict | list) for one in level)


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
