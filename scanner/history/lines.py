"""How many lines a change adds and deletes: the counts of a smallest diff.

``git diff --minimal`` gives the same; without that option git may count a few lines more on both sides.
"""

from __future__ import annotations

import re

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")

_WORK = 400_000_000
"""For how many pairs of lines the longest common part is looked for, and not just estimated."""

_BINARY = 8_000
"""In so many first bytes git looks for the zero byte that makes a file binary."""


def changed_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """Added and deleted lines; none for binary content, as ``git diff --numstat`` shows a dash for both."""
    if old == new or b"\0" in old[:_BINARY] or b"\0" in new[:_BINARY]:
        return 0, 0
    before, after = _LINE.findall(old), _LINE.findall(new)
    start, end = _common_ends(before, after)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    common = _common(before, after)
    return len(after) - common, len(before) - common


def _common_ends(before: list[bytes], after: list[bytes]) -> tuple[int, int]:
    most = min(len(before), len(after))
    start = 0
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _common(before: list[bytes], after: list[bytes]) -> int:
    """The length of the longest common subsequence; an upper bound of it where there are too many lines.

    Hyyrö's bit-parallel way (2004): one bit a line of ``before``, a zero where the length grows.
    """
    places: dict[bytes, int] = {}
    for number, line in enumerate(before):
        places[line] = places.get(line, 0) | 1 << number
    after = [line for line in after if line in places]
    if len(before) * len(after) > _WORK:
        from collections import Counter  # noqa: PLC0415 - rare

        return (Counter(before) & Counter(after)).total()
    ones = (1 << len(before)) - 1
    row = ones
    for line in after:
        met = row & places[line]
        row = (row + met | row - met) & ones
    return len(before) - row.bit_count()
