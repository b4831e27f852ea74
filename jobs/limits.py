"""What numbers may be, wherever they come from: flag, variable or configuration."""

from __future__ import annotations

MAX_DEPTH = 100
MAX_DAYS = 36_500
MAX_SECONDS = 7 * 86_400
MAX_COUNT = 1_000_000_000

NESTED = ("none", "repos", "all")
FORMATS = ("table", "tsv", "json", "md")
COLOURS = ("auto", "always", "never")

DEFAULT_DEPTH = 4
DEFAULT_ACTIVE_DAYS = 30.0
DEFAULT_PAUSED_DAYS = 180.0
DEFAULT_MAX_FOLDERS = 200_000
DEFAULT_MAX_ENTRIES = 2_000_000


def check_depth(value: object) -> int | str:
    """``value`` as a depth, or why it is none: a whole number from 1 to 100."""
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            return "is not a whole number"
    if not isinstance(value, int) or isinstance(value, bool):
        return "is not a whole number"
    if value < 1:
        return "leaves nothing to search: 1 means the folders right below a root"
    if value > MAX_DEPTH:
        return f"is deeper than any folder tree: at most {MAX_DEPTH}"
    return value


def check_count(value: object) -> int | str:
    """``value`` as the number of things that one root may hold, or why it is none."""
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            return "is not a whole number"
    if not isinstance(value, int) or isinstance(value, bool):
        return "is not a whole number"
    return value if 1 <= value <= MAX_COUNT else f"must be from 1 to {MAX_COUNT:,}"


def check_days(value: object) -> float | str:
    """``value`` as a number of days, or why it is none."""
    return _positive(value, "days", MAX_DAYS)


def check_seconds(value: object) -> float | str:
    """``value`` as a number of seconds, or why it is none."""
    return _positive(value, "seconds", MAX_SECONDS)


def _positive(value: object, unit: str, most: int) -> float | str:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return f"is not a number of {unit}"
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:  # noqa: PLR0124 - NaN
        return f"is not a number of {unit}"
    if value <= 0:
        return f"must be more than 0 {unit}"
    return float(value) if value <= most else f"must be at most {most:,} {unit}"
