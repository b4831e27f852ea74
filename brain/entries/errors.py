"""Why an entry could not be added."""

from __future__ import annotations


class EntryError(Exception):
    """An entry that is not added, and a file that stays as it is; the message says what to do."""


class DuplicateError(EntryError):
    """An entry of the same title and date stands there already, in ``line``."""

    def __init__(self, title: str, date: str | None, line: int) -> None:
        super().__init__(
            f"an entry named {title!r} of {date} stands in line {line} already: "
            "extend it, or choose another title"
        )
        self.title = title
        self.date = date
        self.line = line
