"""Changes a file's bytes at one place: every byte outside that place stays what it was."""

from __future__ import annotations

from brain.entries.document import Field, Span


def replace_span(data: bytes, span: Span, new: bytes) -> bytes:
    """``data`` with the bytes of ``span`` (start, end) replaced; ``ValueError`` for one not inside."""
    start, end = span
    if not 0 <= start <= end <= len(data):
        raise ValueError(f"no span of {len(data)} bytes: {span}")
    return data[:start] + new + data[end:]


def insert(data: bytes, offset: int, new: bytes) -> bytes:
    """``data`` with ``new`` put in before the byte at ``offset``."""
    return replace_span(data, (offset, offset), new)


def replace_value(data: bytes, field: Field, value: bytes) -> bytes:
    """``data`` with another value for ``field``, a blank between it and its label.

    ``value`` is written as it is: escape it first (``brain.entries.escape``).
    """
    start = field.value_span[0]
    blank = b"" if data[start - 1 : start] in (b" ", b"\t", b"\n", b"\r") else b" "
    return replace_span(data, field.value_span, blank + value)
