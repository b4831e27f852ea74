"""The day on which a memory is judged, and the next day on which the same files would be judged otherwise."""

from __future__ import annotations

from datetime import date, timedelta


class Today:
    """The day of a check.

    Rules ask it and never compare dates themselves: it remembers the nearest day ahead that would change an
    answer it gave (``turns``), so that a result can be kept until then, and no longer.
    """

    __slots__ = ("day", "turns")

    def __init__(self, day: date) -> None:
        self.day = day
        self.turns: date | None = None

    def reached(self, day: date, after: int = 0) -> bool:
        """Whether ``after`` days have passed since ``day``: with 90, from the ninetieth day on."""
        try:
            turn = day + timedelta(days=after)
        except OverflowError:
            return False
        if turn <= self.day:
            return True
        if self.turns is None or turn < self.turns:
            self.turns = turn
        return False

    def age(self, day: date) -> int:
        """Days since ``day``, below zero for one ahead. For words only: no answer may depend on it."""
        return (self.day - day).days
