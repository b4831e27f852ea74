"""What may go from a project to the brain, and how it is written there."""

from __future__ import annotations

from brain import secrets
from brain.consolidate.editing import RefusedError
from brain.consolidate.values import Book
from brain.entries.add import plan_add
from brain.entries.document import Entry
from brain.entries.errors import EntryError
from brain.entries.fields import is_placeholder
from brain.health.smuggled import hidden_characters, orders
from brain.health.values import INFO

_LESSON, _SOURCE = "lesson", "evidence"


def refuse_foreign(raw: bytes, line: int) -> None:
    """``RefusedError`` where an entry holds what the brain must not learn: secrets, orders, hidden text.

    ``raw`` are its bytes, ``line`` is that of its heading. Stricter than the rules of health: there a person
    is told, here every assistant would read it.
    """
    text = raw.decode("utf-8", "replace")
    found = secrets.find(text)
    if found:
        raise RefusedError(f"line {line + found[0][0] - 1} holds what looks like a secret ({found[0][1]})")
    for at, _, what in orders(raw):
        raise RefusedError(f"line {line + at - 1} holds text that {what}")
    for at, level, what in hidden_characters(raw):
        if level != INFO:
            raise RefusedError(f"line {line + at - 1} holds {what}")


def promoted(data: bytes, book: Book, place: int, *, projects: tuple[str, ...], day: str) -> bytes:
    """``data``, the lessons of the brain, with the entry at ``place`` of ``book`` added below the last one.

    It keeps its title, its fields and its date (``day`` where it has none); its source are the ``projects``.
    ``RefusedError`` for what must not or cannot be added.
    """
    entry = book.document.entries[place]
    raw = book.data[entry.span[0] : entry.span[1]]
    refuse_foreign(raw, entry.line)
    fields = _fields(entry, book.data)
    fields[_SOURCE] = "; ".join(one for one in (fields.get(_SOURCE, ""), ", ".join(projects)) if one)
    try:
        return plan_add(data, "lessons", entry.title, fields, entry.date or day)
    except EntryError as error:
        raise RefusedError(str(error)) from None


def _fields(entry: Entry, data: bytes) -> dict[str, str]:
    """Name or label to value; what stands outside of all fields belongs to the lesson."""
    found: dict[str, str] = {}
    for field in entry.fields:
        if field.name != "date" and not is_placeholder(field.value):
            key = field.name or field.label
            found[key] = f"{found[key]}\n{field.value}" if key in found else field.value
    if rest := _rest(entry, data):
        found[_LESSON] = f"{found[_LESSON]}\n{rest}" if _LESSON in found else rest
    return found


def _rest(entry: Entry, data: bytes) -> str:
    """The text of an entry below its heading and outside of its fields."""
    start, stop = entry.span
    lines = data[start:stop].splitlines(keepends=True)
    at = start + len(lines[0])
    pieces = []
    for field in entry.fields:
        pieces.append(data[at : field.span[0]])
        at = max(at, field.span[1])
    pieces.append(data[at:stop])
    text = b"\n".join(piece.strip() for piece in pieces if piece.strip())
    return text.decode("utf-8", "replace")
