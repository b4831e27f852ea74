"""How numbers are said to people."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 project``, ``1,200 projects``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A length of time in the largest unit that fits: ``12 s``, ``3 min``, ``5 h``, ``2 d``; or in words."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s" if seconds >= 1 else "under a second"
