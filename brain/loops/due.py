"""When something is due, and by what a text is known: no day is guessed, only marks are read."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from datetime import date
from functools import cache

from brain.health.dates import day_of, find_date
from brain.health.limit_fields import alternatives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REACH = 32  # characters behind a mark in which its day ends
_EMPTY = re.compile(r"[(\[{][ \t,;:.-]*[)\]}]")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|~~")
_END = " \t.,;:!-\u2013\u2014"


@cache
def words() -> dict[str, Any]:
    """``words.toml``."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where loops are looked for

    with open(os.path.join(os.path.dirname(__file__), "words.toml"), "rb") as file:
        return tomli.load(file)


@cache
def _marks() -> re.Pattern[str]:
    due = words()["due"]
    named = alternatives(due["words"])
    signs = "|".join(map(re.escape, due["signs"]))
    return re.compile(
        rf"(?<!\w)[*_]{{0,3}}(?P<colon>{named})[ \t*_]{{0,3}}[:=][ \t*_]{{0,3}}"
        rf"|[(\[][ \t]?(?:{named})[ \t]+(?=\w)"
        rf"|(?<!\w)(?:{signs})[ \t]?(?=\d)",
        re.IGNORECASE,
    )


def due_in(text: str) -> tuple[bool, date | None, str]:
    """(whether a mark says when it is due, the day if it is one in full, ``text`` without both)."""
    has_mark, day, spans = False, None, []
    for match in _marks().finditer(text):
        found = find_date(text[match.end() : match.end() + _REACH])
        # Right behind the mark: a later date in the line is about something else.
        at_once = found is not None and not any(sign.isalnum() for sign in text[match.end() :][: found[1]])
        has_mark = has_mark or at_once or match["colon"] is not None
        if found and at_once:
            day = day or day_of(found[0])
            spans.append((match.start(), match.end() + found[2]))
    return has_mark, day, without(text, spans) if spans else text


def without(text: str, spans: list[tuple[int, int]]) -> str:
    """``text`` without some of its parts, and without the brackets that are empty then."""
    for start, end in reversed(spans):
        opened = text[start : start + 1] in "(["
        text = text[:start] + ("(" if opened else "") + text[end:]
    text = _EMPTY.sub("", text.replace("()", ""))
    return " ".join(_balanced(text).split())


def _balanced(text: str) -> str:
    """``text`` without closing brackets that nothing opens: what stood in them is gone."""
    kept, depth = "", 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            kept, depth = kept.rstrip(), 0
        else:
            kept += sign
    return kept


def loop_id(project: str, text: str) -> str:
    """Eight hex digits for the words of ``text`` in ``project``; case, emphasis, blanks are no matter."""
    plain = unicodedata.normalize("NFKC", _MARKS.sub("", text)).casefold()
    bare = " ".join(plain.split()).strip(_END)
    data = f"{project}\0{bare}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:8]
