"""A part of a memory file, line by line, in the bounds that OpenClaw has for it."""

from __future__ import annotations

from brain.value import Value

LINES = 120
"""How many lines are given unless more are asked for."""
CHARACTERS = 12_000
"""How many characters are given at most."""


class Excerpt(Value):
    """``lines`` lines of ``total`` from line ``first`` on: ``text``, each with its line end but the last.

    ``truncated`` says that there is more than was given; ``next_line`` where that begins, None when a single
    line was cut, or nothing is left.
    """

    __slots__ = ("first", "lines", "next_line", "text", "total", "truncated")

    def __init__(
        self, text: str, *, first: int, lines: int, total: int, truncated: bool, next_line: int | None
    ) -> None:
        self.text = text
        self.first = first
        self.lines = lines
        self.total = total
        self.truncated = truncated
        self.next_line = next_line


def excerpt(data: bytes, first: int = 1, lines: int | None = None) -> Excerpt:
    """The part of ``data`` from line ``first`` (from 1) on; bytes that are no UTF-8 are U+FFFD."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    every = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if every[-1] == "":
        every.pop()
    end = min(len(every), first - 1 + (LINES if lines is None else lines))
    taken: list[str] = []
    size = -1
    for line in every[first - 1 : end]:
        size += len(line) + 1
        if size > CHARACTERS:
            break
        taken.append(line)
    if not taken and first <= end:
        cut = every[first - 1][:CHARACTERS]
        return Excerpt(cut, first=first, lines=1, total=len(every), truncated=True, next_line=None)
    after = first + len(taken)
    more = after <= len(every) and bool(taken)
    return Excerpt(
        "\n".join(taken),
        first=first,
        lines=len(taken),
        total=len(every),
        truncated=more,
        next_line=after if more else None,
    )
