"""Deltas of pack files, applied to the beginning of their base.

Format: gitformat-pack, "Deltified representation".
"""

from __future__ import annotations

from scanner.git.pack_index import DamagedError

CUT = 64 * 1024


def apply_delta(base: bytes, delta: bytes, cap: int = CUT) -> bytes:
    """The first bytes (``cap`` at most) of what ``delta`` makes of ``base``.

    Both may be cut: the result ends where the first missing byte would be needed.
    """
    _, at = _size(delta, 0)
    size, at = _size(delta, at)
    wanted = min(size, cap)
    made: list[bytes] = []
    length = 0
    while length < wanted and at < len(delta):
        command = delta[at]
        at += 1
        if command & 0x80:
            start, count, at = _copy(command, delta, at)
            piece = base[start : start + count]
        else:
            count = command
            piece = delta[at : at + count]
            at += count
        made.append(piece)
        length += len(piece)
        if len(piece) < count or not count:
            break
    return b"".join(made)[:wanted]


def _copy(command: int, delta: bytes, at: int) -> tuple[int, int, int]:
    """Offset and count of a copy command, and where the next command starts."""
    start = count = 0
    for bit in range(4):
        if command & (1 << bit):
            start |= delta[at] << (8 * bit)
            at += 1
    for bit in range(3):
        if command & (0x10 << bit):
            count |= delta[at] << (8 * bit)
            at += 1
    return start, count or 0x10000, at


def _size(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise DamagedError("a number longer than 64 bits")
