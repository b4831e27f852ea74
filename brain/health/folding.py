"""A table for ``bytes.translate`` that leaves the words of a text."""

from __future__ import annotations

# ASCII letters small, digits as they are, all else a blank: what no pattern needs to be exact about.
FOLDED = bytes(
    byte + 32 if 65 <= byte <= 90 else byte if 97 <= byte <= 122 or 48 <= byte <= 57 else 32
    for byte in range(256)
)
