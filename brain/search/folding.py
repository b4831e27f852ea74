"""One spelling for what a reader takes for the same letters.

Compatibility forms are resolved, marks above and below letters dropped, invisible characters removed. Case is
kept: the borders inside ``classifyByAge`` are still needed. ``ß`` becomes ``ss`` when the case is folded.
"""

from __future__ import annotations

from unicodedata import category, normalize

# Letters that Unicode does not take apart.
_LETTERS = {
    "Æ": "AE",
    "æ": "ae",
    "Œ": "OE",
    "œ": "oe",
    "Ø": "O",
    "ø": "o",
    "Ł": "L",
    "ł": "l",
    "Đ": "D",
    "đ": "d",
    "\u0131": "i",  # without its dot
}
_GERMAN = str.maketrans(
    {"Ä": "Ae", "ä": "ae", "Ö": "Oe", "ö": "oe", "Ü": "Ue", "ü": "ue", "ø": "oe", "å": "aa"}
)


class _Kept(dict[int, int | str | None]):
    """What becomes of a character; each is looked up in Unicode's tables once."""

    def __missing__(self, code: int) -> int | None:
        kept = None if code > 127 and category(chr(code)) in ("Mn", "Me", "Cf", "Cs") else code
        self[code] = kept
        return kept


_KEPT = _Kept({ord(letter): plain for letter, plain in _LETTERS.items()})
_KEPT.update({0x3099: 0x3099, 0x309A: 0x309A})  # what makes ga of ka is no accent


def fold(text: str) -> str:
    """``text`` without marks, compatibility forms and invisible characters; ASCII stays as it is."""
    if text.isascii():
        return text
    # Hangul is taken apart with the marks and must come together again.
    return normalize("NFC", normalize("NFKD", text).translate(_KEPT))


def spelled_out(text: str) -> str:
    """``text`` with ``ä ö ü`` as ``ae oe ue``, as they are typed where the keyboard has none."""
    return text if text.isascii() else normalize("NFC", text).translate(_GERMAN)
