"""Entries that read nearly alike and say different things: no duplicates, whatever words they share."""

from __future__ import annotations

import re

from brain.entries.document import Entry
from brain.health.words import fold, words

_PART = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?")


def differ(one: Entry, other: Entry, kind: str) -> bool:
    """Whether two entries of ``kind`` have different states, or decide with other numbers or the opposite."""
    if one.status and other.status and one.status != other.status:
        return True
    if kind != "decisions":
        return False
    return _oppose(one.title, other.title) or _oppose(_decided(one), _decided(other))


def _decided(entry: Entry) -> str:
    field = entry.field("decision")
    return field.value if field is not None else ""


def _oppose(one: str, other: str) -> bool:
    if not one or not other:
        return False
    (numbers, negations), (other_numbers, other_negations) = _essence(one), _essence(other)
    related = numbers <= other_numbers or other_numbers <= numbers
    return not related or negations != other_negations


def _essence(text: str) -> tuple[frozenset[str], int]:
    """The numbers in a text and how many negations it has."""
    parts = _PART.findall(fold(text))
    negations = words("decisions", "negation").single
    return frozenset(part for part in parts if part[0].isdigit()), sum(part in negations for part in parts)
