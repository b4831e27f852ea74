"""How two sets of commits differ: what each can reach that the other cannot.

Both sides are painted down from their tips, newest first, until nothing of one side only is left to look at.
With a commit-graph the order is exact. Without, it rests on dates: a few commits more are looked at than
needed, many more once a parent was met that is newer than its child. Parents are the recorded ones, changed
by grafts and by the edge of a shallow clone; replacements (``refs/replace``) are not looked at, as for
``git --no-replace-objects``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from scanner.git.objects import parse_commit
from scanner.git.pack_index import DamagedError
from scanner.git.repository import Repository
from scanner.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.commit_graph import CommitGraph

COUNT_LIMIT = 500
"""More commits than that are not counted on a side."""

_READS = 20_000
_STEPS = 500_000
_TAGS = 5
_FURTHER, _FURTHER_IF_SKEWED = 5, 2_000
_TAGGED = re.compile(rb"object ([0-9a-f]{40}|[0-9a-f]{64})\ntype (?:commit|tag)\n")

_OURS, _THEIRS, _BOTH = 1, 2, 3


class Comparison(Value):
    """How many commits each side has that the other has not, at most 500; None where it cannot be told."""

    __slots__ = ("ahead", "behind", "capped")

    def __init__(self, ahead: int | None, behind: int | None, capped: bool) -> None:
        self.ahead = ahead
        self.behind = behind
        self.capped = capped


class Own(Value):
    """How many commits one side has alone, at most 500 (``capped``), and the oldest date of those counted.

    ``complete`` is false where a commit could not be read: then there may be others, or not all of them
    stand alone.
    """

    __slots__ = ("capped", "complete", "count", "oldest")

    def __init__(self, count: int, capped: bool, oldest: float | None, complete: bool) -> None:
        self.count = count
        self.capped = capped
        self.oldest = oldest
        self.complete = complete


class _Node:
    """A commit in the order of the walk: ``order`` is smaller for what is looked at earlier."""

    __slots__ = ("date", "order", "parents")

    def __init__(self, date: int, order: tuple[int, int], parents: tuple[str, ...]) -> None:
        self.date = date
        self.order = order
        self.parents = parents


class Graph:
    """The commits of one repository, each read once, with one budget for all questions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._changed_parents: Mapping[str, tuple[str, ...]] = {}
        self._file: CommitGraph | None = None
        self._is_open = False
        self._nodes: dict[str, _Node | None] = {}
        self._reads_left = _READS
        self._steps_left = _STEPS
        self._is_skewed = False

    def close(self) -> None:
        """Give the files of the commit-graph back."""
        if self._file is not None:
            self._file.close()

    def compare(self, ours: str, theirs: str) -> Comparison:
        """What ``git rev-list --left-right --count ours...theirs`` counts; ``theirs`` may name a tag."""
        if ours == theirs:
            return Comparison(0, 0, False)
        walk = self._painted([ours], [theirs], COUNT_LIMIT, COUNT_LIMIT)
        ahead, behind = walk.count(_OURS), walk.count(_THEIRS)
        capped = (ahead or 0) > COUNT_LIMIT or (behind or 0) > COUNT_LIMIT
        return Comparison(_limited(ahead), _limited(behind), capped)

    def only_in(self, ours: Iterable[str], theirs: Iterable[str]) -> Own:
        """What ``git rev-list --count ours --not theirs`` counts; among ``theirs`` may be anything."""
        known = set(theirs)
        tips = set(ours) - known
        if not tips:
            return Own(0, False, None, True)
        walk = self._painted(sorted(tips), sorted(known), COUNT_LIMIT, -1)
        count = walk.counted[_OURS]
        newest_first = sorted(walk.dates_of(_OURS), reverse=True)[:COUNT_LIMIT]
        oldest = newest_first[-1] if newest_first else None
        return Own(min(count, COUNT_LIMIT), count > COUNT_LIMIT, oldest, walk.count(_OURS) is not None)

    def dates(self, tips: Iterable[str], since: float, most: int) -> list[int]:
        """The committer's dates, newest first, of what ``tips`` reach, back to ``since``.

        At most ``most``. As git does, it stops behind the first few older ones.
        """
        try:
            return self._dates(tips, since, most)
        except (DamagedError, ValueError) as error:
            self._leave_file_out(error)
            return self._dates(tips, since, most)

    def _dates(self, tips: Iterable[str], since: float, most: int) -> list[int]:
        self._open()
        found: list[int] = []
        heap: list[tuple[int, str]] = []
        seen: set[str] = set()
        older = 0

        def queue(oid: str) -> None:
            node = self.node(oid) if oid not in seen else None
            seen.add(oid)
            if node is not None:
                heappush(heap, (-node.date, oid))

        for tip in tips:
            queue(tip)
        while heap and older <= _FURTHER and len(found) < most and self._spend(1):
            date, oid = heappop(heap)
            if -date >= since:
                found.append(-date)
                older = 0
            else:
                older += 1
            node = self.node(oid)
            for parent in node.parents if node is not None else ():
                queue(parent)
        return found

    def _painted(self, ours: list[str], theirs: list[str], our_limit: int, their_limit: int) -> _Walk:
        try:
            return self._walk(ours, theirs, our_limit, their_limit)
        except (DamagedError, ValueError) as error:
            self._leave_file_out(error)
            return self._walk(ours, theirs, our_limit, their_limit)

    def _leave_file_out(self, error: Exception) -> None:
        self._repository.report("git-commit-graph", f"left out: {error}")
        self.close()
        self._file = None
        self._nodes.clear()

    def _walk(self, ours: list[str], theirs: list[str], our_limit: int, their_limit: int) -> _Walk:
        self._open()
        walk = _Walk(self, our_limit, their_limit)
        for oid in ours:
            walk.paint(oid, _OURS)
        for oid in theirs:
            commit = self._peeled(oid)
            if commit is not None:
                walk.paint(commit, _THEIRS)
        while walk.goes_on(is_skewed=self._is_skewed):
            if not self._spend(1):
                walk.is_cut = True
                break
            walk.step()
        return walk

    def _open(self) -> None:
        """Look for what lies beside the objects when the first question cannot be told without."""
        if not self._is_open:
            self._is_open = True
            self._changed_parents = self._repository.changed_parents()
            self._file = self._repository.commit_graph()

    def _spend(self, steps: int) -> bool:
        self._steps_left -= steps
        if self._steps_left < 0:
            self._repository.report("git-budget", f"only {_STEPS} steps through the history")
        return self._steps_left >= 0

    def node(self, oid: str) -> _Node | None:
        """A commit; ``None``, with a problem, when it cannot be read."""
        if oid not in self._nodes:
            node = self._in_file(oid) or self._in_objects(oid)
            self._nodes[oid] = node if node is not None and self._spend(len(node.parents)) else None
        return self._nodes[oid]

    def note_dates(self, child: _Node, parent: _Node) -> None:
        """Remember that dates cannot be trusted, where a parent is newer than its child."""
        if parent.order < child.order:
            self._is_skewed = True

    def _in_file(self, oid: str) -> _Node | None:
        found = self._file.commit(oid) if self._file is not None else None
        return _Node(found.date, (1, -found.generation), found.parents) if found is not None else None

    def _in_objects(self, oid: str) -> _Node | None:
        self._reads_left -= 1
        if self._reads_left < 0:
            self._repository.report("git-budget", f"only {_READS} commits were read")
            return None
        commit = self._repository.commit(oid)
        return self._node_of(oid, commit.committer_time, commit.parents) if commit is not None else None

    def _node_of(self, oid: str, date: int, parents: tuple[str, ...]) -> _Node:
        return _Node(date, (0, -date), self._changed_parents.get(oid, parents))

    def _peeled(self, oid: str) -> str | None:
        """The commit that a tip names, through tags; ``None`` where it is another object."""
        for _ in range(_TAGS):
            if self._nodes.get(oid) is not None:
                return oid
            node = self._in_file(oid)
            if node is None:
                kind, content = self._repository.start_of(oid) or ("", b"")
                tagged = _TAGGED.match(content) if kind == "tag" else None
                if tagged is not None:
                    oid = tagged[1].decode()
                    continue
                if kind in ("tag", "tree", "blob"):
                    return None
                commit = parse_commit(oid, content)
                node = self._node_of(oid, commit.committer_time, commit.parents) if commit else None
            if node is not None:
                self._nodes[oid] = node
            return oid
        return None


class _Walk:
    """One question: who has painted which commit, and which are still to be looked at."""

    __slots__ = (
        "_graph",
        "_heap",
        "_last",
        "_limits",
        "_missing",
        "_open",
        "_paints",
        "_queued",
        "_surplus",
        "counted",
        "is_cut",
    )

    def __init__(self, graph: Graph, our_limit: int, their_limit: int) -> None:
        self._graph = graph
        self._limits = (0, our_limit, their_limit)
        self._heap: list[tuple[tuple[int, int], str]] = []
        self._queued: set[str] = set()
        self._paints: dict[str, int] = {}
        self._missing: set[str] = set()
        self._open = [0, 0, 0, 0]
        self._last = (-1, 0)
        self._surplus = 0
        self.counted = [0, 0, 0, 0]
        self.is_cut = False

    def paint(self, oid: str, paint: int, child: _Node | None = None) -> None:
        """Add a side to those that reach a commit, and come to it (again) if that is news."""
        old = self._paints.get(oid, 0)
        new = old | paint
        if new == old:
            return
        self._paints[oid] = new
        if oid in self._queued:
            self._open[old] -= 1
            self._open[new] += 1
            return
        node = self._graph.node(oid)
        if node is None:
            self._missing.add(oid)
            return
        if child is not None:
            self._graph.note_dates(child, node)
        if old:
            self.counted[old] -= 1
        self._queued.add(oid)
        self._open[new] += 1
        heappush(self._heap, (node.order, oid))

    def goes_on(self, *, is_skewed: bool) -> bool:
        """Whether what is queued may change the answer."""
        if not self._heap:
            return False
        if any(self._open[side] and self.counted[side] <= self._limits[side] for side in (_OURS, _THEIRS)):
            self._surplus = 0
            return True
        order = self._heap[0][0]
        if order[0]:
            # In the order of a commit-graph nothing that follows reaches what came before.
            return False
        self._surplus += 1
        return self._surplus <= (_FURTHER_IF_SKEWED if is_skewed or order <= self._last else _FURTHER)

    def step(self) -> None:
        """Take the newest commit and hand its paint to its parents."""
        order, oid = heappop(self._heap)
        self._queued.discard(oid)
        paint = self._paints[oid]
        self._open[paint] -= 1
        self.counted[paint] += 1
        if paint != _BOTH:
            self._last = max(self._last, order)
        node = self._graph.node(oid)
        if node is not None:
            for parent in node.parents:
                self.paint(parent, paint, node)

    def count(self, side: int) -> int | None:
        """How many commits that side has alone; more than its limit means: at least so many.

        ``None`` where it cannot be told: what a missing commit of one side reaches may be of either.
        """
        count = self.counted[side]
        if any(self._paints[oid] != _BOTH for oid in self._missing):
            return None
        return None if self.is_cut and not count > self._limits[side] >= 0 else count

    def dates_of(self, side: int) -> Iterable[float]:
        """The committer's dates of the commits that this side has alone, as far as they were counted."""
        for oid, paint in self._paints.items():
            is_met = paint == side and oid not in self._queued and oid not in self._missing
            node = self._graph.node(oid) if is_met else None
            if node is not None:
                yield float(node.date)


def _limited(count: int | None) -> int | None:
    return min(count, COUNT_LIMIT) if count is not None else None
