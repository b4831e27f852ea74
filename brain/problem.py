"""What went wrong with one file or folder of the brain, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be read or written: data for the result, never an exception for the caller.

    ``level`` is ``error`` (something is missing from the picture) or ``warning``; ``code`` is stable.
    """

    code: str
    level: str
    path: str
    message: str
    fix: str = ""
