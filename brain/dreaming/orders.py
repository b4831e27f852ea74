"""Lines that are orders to an assistant: no claim, for what is promoted is loaded by every session."""

from __future__ import annotations

import os
import re
from functools import cache

from brain.search.folding import fold

_TABLE = os.path.join(os.path.dirname(__file__), "orders.toml")
_REACH = 640
_MARKS = re.compile(r"[*_`~\"\u201c\u201d\u201e\u00ab\u00bb]+")
_APOSTROPHES = re.compile("['\u2019]")
_BLANKS = re.compile(r"\s+")


def is_order(text: str) -> bool:
    """Whether a line orders an assistant to do what no note may order."""
    plain = _BLANKS.sub(" ", _APOSTROPHES.sub(" ", _MARKS.sub("", fold(text[:_REACH]).casefold())))
    anywhere, orders = _patterns()
    return anywhere.search(plain) is not None or orders.search(plain) is not None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is an order wherever it stands, and what is one behind an opening."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where notes are read

    with open(_TABLE, "rb") as file:
        table = tomli.load(file)
    openings = "|".join(sorted(map(re.escape, table["opening"]), key=len, reverse=True))
    forbids = "".join(rf"(?<!\b{word} )" for word in table["forbids"])
    # A few openings at most: else a line of nothing but openings is gone through again and again.
    start = rf"(?:^|\b(?:and|then|und|dann|et|puis) |[.:;!] )\W{{0,4}}(?:(?:{openings})\b\W{{1,4}}){{0,6}}"
    return (
        re.compile(f"{forbids}(?:{'|'.join(table['anywhere'])})"),
        re.compile(rf"{start}(?:{'|'.join(table['orders'])})"),
    )
