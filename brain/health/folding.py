"""Tables for ``bytes.translate``, and what follows from the signs of a text that are not ASCII."""

from __future__ import annotations

# ASCII letters small, digits as they are, all else a blank: what no pattern needs to be exact about.
FOLDED = bytes(
    byte + 32 if 65 <= byte <= 90 else byte if 97 <= byte <= 122 or 48 <= byte <= 57 else 32
    for byte in range(256)
)

ASCII = bytes(range(128))
"""What to take out of a text in UTF-8 so that its other signs are left."""


def small(text: str) -> str:
    """``text.lower()``, with a small i for the capital with a dot: as long as ``text``, place by place.

    Where the signs that are not ASCII have no other form, as in prose with dashes, a fourth of the time.
    """
    data = text.encode("utf-8", "surrogatepass")
    signs = data.translate(None, ASCII).decode("utf-8", "surrogatepass")
    if signs.lower() == signs:
        return data.lower().decode("utf-8", "surrogatepass")
    return text.replace("\u0130", "i").lower()
