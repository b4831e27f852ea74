"""How loops stand on a day: what a person said of them, and their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from brain.loops.values import DONE, DUE, OPEN, OVERDUE, SNOOZED, STATES, Loop
from brain.value import dataclass, replace

SOON = 7
"""So many days ahead something is due."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person said of a loop: ``done``, of one that was due on ``due``, or ``snoozed`` up to ``until``.

    ``since`` is when it was said (``YYYY-MM-DDThh:mm:ssZ``).
    """

    id: str
    state: str
    until: date | None = None
    due: date | None = None
    since: str = ""


def judged(loops: Iterable[Loop], marks: Mapping[str, Mark], today: date) -> tuple[Loop, ...]:
    """``loops`` with their states on the day ``today``, in order.

    One that is done stays done while its words and its day are the same: whoever writes a new day means it
    again. One that is snoozed returns on its day.
    """
    return in_order(_judged(one, marks.get(one.id), today) for one in loops)


def _judged(loop: Loop, mark: Mark | None, today: date) -> Loop:
    if mark is not None and mark.state == DONE and mark.due == loop.due:
        return replace(loop, state=DONE)
    if mark is not None and mark.state == SNOOZED and mark.until is not None and today < mark.until:
        return replace(loop, state=SNOOZED, until=mark.until)
    return replace(loop, state=state_of(loop.due, today))


def state_of(due: date | None, today: date) -> str:
    """``overdue`` from the day after, ``due`` within a week of it, else ``open``."""
    if due is None or (due > today and (due - today) > timedelta(days=SOON)):
        return OPEN
    return OVERDUE if due < today else DUE


def in_order(loops: Iterable[Loop]) -> tuple[Loop, ...]:
    """What wants a person first: by state, day, project, file and line."""
    return tuple(
        sorted(
            loops,
            key=lambda one: (
                STATES.index(one.state),
                one.due is None,
                one.due or date.max,
                one.name.casefold(),
                one.path,
                one.file,
                one.line,
                one.id,
            ),
        )
    )


def counted(loops: Iterable[Loop]) -> dict[str, int]:
    """How many there are of each state."""
    counts = Counter(one.state for one in loops)
    return {state: counts[state] for state in STATES}
