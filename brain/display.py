"""Foreign text made visible: no control, direction-changing or invisible character survives."""

from __future__ import annotations

import re

# Compiled on first use: most portfolios hold nothing but plain names.
# C0, DEL, C1, soft hyphen, bidirectional controls, line and paragraph separators, zero width characters,
# interlinear marks, the tag block with its variation selectors, noncharacters and lone surrogates.
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
# What JSON and YAML cannot both say in a quoted text: lone surrogates, and hidden characters beyond 16 bits.
_UNSAYABLE = "[\ud800-\udfff\U000e0000-\U000e0fff]"


def display(text: str) -> str:
    r"""``text`` with every hidden character written out as ``\xNN`` or ``\uNNNN``; a tab becomes a blank.

    A byte of a path that is not UTF-8 (a surrogate escape) is written as the byte it stands for.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HIDDEN, _visible, text)


def sayable(text: str) -> str:
    r"""``text`` fit for a card, read as JSON and as YAML: what the two cannot both say is written out.

    Lone surrogates become ``\xNN`` or ``\uNNNN``, tag characters ``\UNNNNNNNN``; all else stays untouched.
    """
    return text if text.isascii() else re.sub(_UNSAYABLE, _visible, text)


def one_line(text: str, cap: int) -> str:
    """``text`` in visible characters on one line, cut to ``cap`` characters with an ellipsis as the last."""
    shown = display(text).strip()
    return shown if len(shown) <= cap else shown[: cap - 1] + "…"


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x09:
        return " "
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
