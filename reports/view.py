"""How single values are shown: foreign text made harmless, ages, times, paths, signs.

Everything that a person or a program reads passes through here once, at the edge.
"""

from __future__ import annotations

import os
import time
from binascii import b2a_base64

DAY = 86_400.0

_SHORTEST_SECRET = 20

NIGHT_SIGNS = {"ok": "✓", "partial": "◐", "failed": "✗", "none": "·"}
"""How a run of a night ended, as a sign."""

SIGNS = {"active": "●", "paused": "◐", "archived": "○", "missing": "✗", "unknown": "?"}

# Characters that move the cursor, hide, reorder or join text, or show nothing at all (first, last).
_HOSTILE = (
    (0x00, 0x1F),  # C0: escape sequences start here
    (0x7F, 0x9F),  # DEL and C1: 0x9B alone starts an escape sequence on some terminals
    (0xAD, 0xAD),  # soft hyphen
    (0x34F, 0x34F),  # combining grapheme joiner
    (0x61C, 0x61C),  # bidirectional mark
    (0x115F, 0x1160),  # Hangul fillers: letters without ink
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),  # zero width, bidirectional marks
    (0x2028, 0x202E),  # line and paragraph separators, bidirectional embeddings
    (0x2060, 0x206F),  # invisible operators, bidirectional isolates
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),  # lone surrogates: bytes of a name that is not UTF-8
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),  # tags: a hidden copy of ASCII
)

_NAMED = {0x09: " ", 0x0A: "\\n", 0x0D: "\\r"}


def is_hostile(code: int) -> bool:
    """Whether the character ``code`` must never reach a reader as it is."""
    return any(first <= code <= last for first, last in _HOSTILE)


class _Shown(dict[int, str | int]):
    """Character to what is shown for it, worked out at first sight: most names need a handful."""

    def __missing__(self, code: int) -> str | int:
        shown: str | int = _escape(code) if is_hostile(code) else code
        self[code] = shown
        return shown


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:
        # A surrogate escape stands for one byte of a file name: show that byte.
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_shown = _Shown(_NAMED)


def safe_display(text: str) -> str:
    r"""``text`` as one line that shows every hostile character as ``\xNN``, ``\uNNNN`` or ``\UNNNNNNNN``.

    A tab becomes a blank, a newline the two characters ``\n``. The result always encodes as UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_shown)


def branch_words(name: str) -> str:
    """The name of a branch, or words that hold one; a secret that somebody made part of it is replaced."""
    if all(len(word) < _SHORTEST_SECRET for word in name.split()):
        return name
    from brain.secrets import redact  # noqa: PLC0415 - start-up: 5 ms, and most names are shorter

    return redact(name).text


def json_for_terminal(text: str) -> str:
    """JSON whose strings show every hostile character as ``\\uNNNN``: a parser gives them back unchanged."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return text.translate(_JsonEscapes({0x0A: 0x0A}))


class _JsonEscapes(dict[int, str | int]):
    """Hostile characters as JSON escapes; the newlines between the parts of a document stay."""

    def __missing__(self, code: int) -> str | int:
        shown: str | int = code
        if is_hostile(code):
            if code <= 0xFFFF:
                shown = f"\\u{code:04x}"
            else:
                offset = code - 0x10000
                shown = f"\\u{0xD800 + (offset >> 10):04x}\\u{0xDC00 + (offset & 0x3FF):04x}"
        self[code] = shown
        return shown


def has_odd_bytes(text: str) -> bool:
    """Whether ``text`` holds lone surrogates, as the name of a file whose bytes are not UTF-8 does."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def path_bytes(path: str) -> str:
    """The exact bytes of ``path`` in base64: what the shown form cannot give back."""
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        # A surrogate that stands for no byte cannot be a file's name; keep it readable all the same.
        raw = path.encode("utf-8", "surrogatepass")
    return b2a_base64(raw, newline=False).decode("ascii")


def iso_time(when: float | None) -> str | None:
    """Epoch seconds as ``2026-11-30T03:17:04Z``; None for none and for times no calendar holds."""
    if when is None:
        return None
    try:
        moment = time.gmtime(when)
    except (OverflowError, ValueError, OSError):
        return None
    if not 1 <= moment.tm_year <= 9999:
        return None
    return f"{moment.tm_year:04d}-{moment.tm_mon:02d}-{moment.tm_mday:02d}T" + time.strftime(
        "%H:%M:%SZ", moment
    )


def parse_iso_time(text: str | None) -> float | None:
    """Epoch seconds of ``2026-11-30T03:17:04Z``, as ``iso_time`` writes it; None for anything else."""
    if not text or len(text) != 20:
        return None
    import calendar  # noqa: PLC0415 - start-up: 2 ms, only where an index is shown

    try:
        return float(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return None


def idle_days(when: float | None, now: float) -> int | None:
    """Whole days between ``when`` and ``now``; 0 for a date that lies ahead."""
    return None if when is None else max(0, int((now - when) // DAY))


def idle(when: float | None, now: float) -> str:
    """How long nobody worked on it, short: ``<1d``, ``12d``, ``5mo``, ``2y``; ``-`` when not known."""
    days = idle_days(when, now)
    if days is None:
        return "-"
    if days < 1:
        return "<1d"
    if days < 60:
        return f"{days}d"
    if days < 730:
        return f"{int(days / 30.44)}mo"
    return f"{int(days / 365.25)}y"


def sign(status: str) -> str:
    """The shape that stands before a status word; the word always follows."""
    return SIGNS.get(status, "?")


def below_home(path: str, home: str) -> str:
    """``path`` with the home folder written as ``~``, made harmless; whole when it lies elsewhere."""
    if home and home != os.sep:
        if path == home:
            return "~"
        if path.startswith(home.rstrip(os.sep) + os.sep):
            return safe_display("~" + path[len(home.rstrip(os.sep)) :])
    return safe_display(path)


def cells(text: str) -> int:
    """How wide a terminal draws ``text``, which was made harmless before: letters of East Asia take two."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - start-up: 1 ms, only for names that are not ASCII

    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)
