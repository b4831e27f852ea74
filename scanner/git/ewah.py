"""Compressed bitmaps of the split index.

Format: "EWAH Bitmaps" of gitformat-bitmap(5): a bit count, a word count, 64-bit words, the position of the
last run word; big-endian. A run word holds the repeated bit, how many words it fills, and how many literal
words follow it.
"""

from __future__ import annotations

import struct

_RUN_LENGTH = (1 << 32) - 1


def set_bits(data: bytes, at: int, limit: int) -> tuple[list[int], int]:
    """The positions of the set bits of the bitmap at ``at``, and the offset after it.

    Raises ``ValueError`` (or ``struct.error``) for bytes that are no bitmap, or for a bit beyond ``limit``.
    """
    _, word_count = struct.unpack_from(">II", data, at)
    at += 8
    if word_count > (len(data) - at) // 8:
        raise ValueError("the bitmap is cut off")
    words = struct.unpack_from(f">{word_count}Q", data, at)
    bits: list[int] = []
    position = index = 0
    while index < word_count:
        run = words[index]
        length, literals = (run >> 1) & _RUN_LENGTH, run >> 33
        if run & 1:
            if position + length * 64 > limit + 63:
                raise ValueError("the bitmap is longer than what it speaks about")
            bits.extend(range(position, position + length * 64))
        position += length * 64
        for word in words[index + 1 : index + 1 + literals]:
            bits.extend(position + bit for bit in range(64) if word >> bit & 1)
            position += 64
        index += 1 + literals
    if bits and bits[-1] >= limit:
        raise ValueError("the bitmap is longer than what it speaks about")
    return bits, at + word_count * 8 + 4
