"""Names as ignore patterns compare them."""

from __future__ import annotations

import os

NEWLINE = "\u010a"
"""A newline in a name, moved out of the byte range: no line of an ignore file can hold one."""


def as_git_sees(path: str, *, fold: bool = False) -> str:
    """A path as patterns compare it: one character for each byte, ASCII letters small with ``fold``."""
    if not path.isascii():
        raw = os.fsencode(path)
        path = (raw.lower() if fold else raw).decode("latin-1")
    elif fold:
        path = path.lower()
    return path.replace("\n", NEWLINE) if "\n" in path else path
