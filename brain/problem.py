"""What went wrong with one file or folder of the brain, as a value."""

from __future__ import annotations

from brain.value import Value


class Problem(Value):
    """One thing that could not be read or written: data for the result, never an exception for the caller.

    ``level`` is ``error`` (something is missing from the picture) or ``warning``; ``code`` is stable.
    """

    __slots__ = ("code", "fix", "level", "message", "path")

    def __init__(self, code: str, level: str, path: str, message: str, fix: str = "") -> None:
        self.code = code
        self.level = level
        self.path = path
        self.message = message
        self.fix = fix
