"""Pipe tables of a Markdown page: header, rows, cells."""

from __future__ import annotations

import re

from brain.health.fields import heading_field
from brain.value import dataclass

ROWS_CAP = 5000

_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL = re.compile(r"((?:[^|\\]|\\.?)*)(?:\||$)")


@dataclass(slots=True)
class Table:
    """A pipe table: its header cells, the field that each column means, its rows as (line, cells)."""

    line: int
    header: tuple[str, ...]
    fields: tuple[str | None, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def find_tables(lines: list[str]) -> tuple[Table, ...]:
    """The tables in ``lines`` (the first is no line), at most 5,000 rows of all of them together."""
    found: list[Table] = []
    rows, number = 0, 1
    while number + 1 < len(lines) and rows < ROWS_CAP:
        if not _begins_table(lines[number], lines[number + 1]):
            number += 1
            continue
        table = _table(lines, number, ROWS_CAP - rows)
        found.append(table)
        rows += len(table.rows)
        number = table.rows[-1][0] + 1 if table.rows else number + 2
    return tuple(found)


def is_delimiter(text: str) -> bool:
    """Whether a row only parts the header from the rest."""
    return _DELIMITER.match(text[:4096]) is not None


def _begins_table(header: str, delimiter: str) -> bool:
    return "|" in header and "-" in delimiter and "|" in delimiter and is_delimiter(delimiter)


def _table(lines: list[str], number: int, most: int) -> Table:
    header = cells_of(lines[number])
    rows: list[tuple[int, tuple[str, ...]]] = []
    below = number + 2
    while below < len(lines) and len(rows) < most and "|" in lines[below]:
        rows.append((below, cells_of(lines[below])))
        below += 1
    return Table(number, header, tuple(heading_field(cell) for cell in header), tuple(rows))


def cells_of(text: str) -> tuple[str, ...]:
    """The cells of a row; ``\\|`` is a bar inside one."""
    text = text.strip()
    text = text.removeprefix("|")
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    if "\\" in text:
        return tuple(found[1].strip().replace("\\|", "|") for found in _split_cells(text))
    return tuple(cell.strip() for cell in text.split("|"))


def _split_cells(text: str) -> list[re.Match[str]]:
    found = list(_CELL.finditer(text))
    return found[:-1] if len(found) > 1 and not found[-1][0] and not text.endswith("|") else found
