"""What tells one wording from another, however it is marked up."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from unicodedata import normalize

_LIST_MARK = re.compile(r"\s*(?:[-*+\u2022\u2013]|\d{1,4}[.)])\s+")
_EMPHASIS = re.compile(r"(?<!\w)(?:\*{1,3}|_{1,3}|~~|`+)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~|`+)(?!\w)")
_BLANKS = re.compile(r"\s+")


def normal(text: str) -> str:
    """``text`` by which it is known: NFKC, no case, no mark of a list, no emphasis, no full stop."""
    text = normalize("NFKC", _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text)
    text = _BLANKS.sub(" ", _EMPHASIS.sub("", text)).strip().casefold()
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


@lru_cache(maxsize=1 << 15)
def claim_id(text: str) -> str:
    """12 hex digits that tell what ``text`` says from what another does."""
    return sha256(normal(text).encode("utf-8", "replace")).hexdigest()[:12]
