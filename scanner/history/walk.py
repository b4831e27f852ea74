"""The commits that touch something, as git's history simplification finds them.

git-log(1), "History Simplification", default mode: a merge that is, in what is asked for, the same as one of
its parents is not shown, and only that parent is followed. The order in which commits are looked at decides
which parents already count as foreign; it is git's: newest first by the committer's date, first come first
among equals.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from scanner.history.scope import AllBut, OnePath
from scanner.history.source import Source, UnknownHistoryError

Scope = AllBut | OnePath

_STEPS = 1_000
"""So many commits are looked at for one file."""

_STEPS_SINCE = 5_000
"""And so many for what came after a commit."""

_SLOP = 5
"""So many commits git looks at beyond the point where all seems told, for dates may be wrong."""


def touching(source: Source, tip: str, scope: Scope, steps: int = _STEPS) -> Iterator[str]:
    """The commits that ``git rev-list TIP -- SCOPE`` lists, one by one; ends after ``steps`` commits.

    Raises ``UnknownHistoryError`` where the history cannot be read further.
    """
    walk = _Walk(source, scope)
    walk.queue(tip)
    while walk.heap and steps > 0:
        steps -= 1
        oid = walk.next()
        if walk.simplify(oid):
            yield oid
        for parent in walk.parents[oid]:
            walk.queue(parent)


def touching_since(source: Source, base: str, tip: str, scope: Scope, most: int) -> list[str]:
    """The commits that ``git rev-list BASE..TIP -- SCOPE`` lists, newest first.

    Ends with the first ``most`` where there are more. Raises ``UnknownHistoryError`` where it cannot be told.
    """
    walk = _Walk(source, scope, bottom=base)
    walk.load(base)
    walk.foreign.add(base)
    walk.disown_parents(base)
    walk.queue(base)
    walk.queue(tip)
    found: list[str] = []
    slop, date = _SLOP, None
    for _ in range(_STEPS_SINCE):
        if not walk.heap:
            break
        oid = walk.next()
        if oid in walk.foreign:
            walk.follow_foreign(oid)
            slop = walk.slop(date, slop)
            if not slop:
                break
            continue
        if walk.simplify(oid):
            found.append(oid)
        for parent in walk.parents[oid]:
            walk.queue(parent)
        date = walk.date(oid)
        if len(found) > most + _SLOP:
            break
    else:
        raise UnknownHistoryError("more commits than are looked at")
    return [oid for oid in found if oid not in walk.foreign][:most]


class _Walk:
    """One walk: ``heap`` is still to be looked at, ``foreign`` is reached from the base, too."""

    def __init__(self, source: Source, scope: Scope, bottom: str = "") -> None:
        self.source = source
        self.scope = scope
        self.bottom = bottom
        self.heap: list[tuple[int, int, str]] = []
        self.foreign: set[str] = set()
        self.parents: dict[str, tuple[str, ...]] = {}
        self._queued: set[str] = set()
        self._seen: set[str] = set()
        self._own_queued = 0
        self._count = 0

    def date(self, oid: str) -> int:
        return self.source.commit(oid).committer_time

    def load(self, oid: str) -> None:
        if oid not in self.parents:
            self.parents[oid] = self.source.parents(oid)

    def queue(self, oid: str) -> None:
        """Put a commit into the queue, once."""
        self.load(oid)
        if oid in self._seen:
            return
        self._seen.add(oid)
        self._count += 1
        heappush(self.heap, (-self.date(oid), self._count, oid))
        self._queued.add(oid)
        self._own_queued += oid not in self.foreign

    def next(self) -> str:
        """Take the newest commit out of the queue."""
        oid = heappop(self.heap)[2]
        self._queued.discard(oid)
        self._own_queued -= oid not in self.foreign
        return oid

    def simplify(self, oid: str) -> bool:
        """Whether the commit touches anything; where it is the same as a parent, only that one is kept."""
        tree = self.source.commit(oid).tree
        parents = self.parents[oid]
        if not parents:
            return not self.scope.is_empty(tree)
        own_parents = 0
        own_change = foreign_change = False
        for parent in parents:
            is_own = parent not in self.foreign or parent == self.bottom
            own_parents += is_own
            self.load(parent)
            if not self.scope.differ(tree, self.source.commit(parent).tree):
                if is_own:
                    self.parents[oid] = (parent,)
                    return False
            elif is_own:
                own_change = True
            else:
                foreign_change = True
        return own_change if own_parents else foreign_change

    def follow_foreign(self, oid: str) -> None:
        """All that a foreign commit reaches is foreign."""
        for parent in self.parents[oid]:
            self._disown(parent)
            try:
                self.load(parent)
            except UnknownHistoryError:
                continue  # nobody asks for more of what is not ours
            self.disown_parents(parent)
            self.queue(parent)
        self.disown_parents(oid)

    def disown_parents(self, oid: str) -> None:
        """Mark what is reached from a commit, as far as it was looked at already."""
        pending = list(self.parents.get(oid, ()))
        while pending:
            parent = pending.pop()
            if parent not in self.foreign:
                self._disown(parent)
                pending += self.parents.get(parent, ())

    def slop(self, date: int | None, slop: int) -> int:
        """How many commits more are to be looked at after a foreign one; 0 when all is told."""
        if not self.heap:
            return 0
        if self._own_queued or (date is not None and date <= -self.heap[0][0]):
            return _SLOP
        return slop - 1

    def _disown(self, oid: str) -> None:
        if oid not in self.foreign:
            self.foreign.add(oid)
            self._own_queued -= oid in self._queued
