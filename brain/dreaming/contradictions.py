"""Claims that nearly agree but for a number, a day or a negation: which of the two holds, if any."""

from __future__ import annotations

from collections.abc import Mapping

from brain.dreaming.claims import Group
from brain.dreaming.kept import Kept
from brain.dreaming.known import Known
from brain.dreaming.values import Contradiction, Side

MEMORY = "MEMORY.md"


class Contrasts:
    """What the claims of all notes say against each other.

    ``found`` are all pairs, ``contradicted`` the ids of claims that do not hold, or of which nobody can tell,
    ``supersedes`` by the id of a claim the ids of those that it took the place of.
    """

    def __init__(self, groups: Mapping[str, Group], kept: Kept, min_days: int, today: str) -> None:
        self.found: list[Contradiction] = []
        self.contradicted: set[str] = set()
        self.supersedes: dict[str, set[str]] = {}
        leaders = {id_: leader for leader, one in groups.items() for id_ in one.ids}
        seen: set[tuple[str, str]] = set()
        for left, right, differ, certain in kept.contrasts():
            if left not in leaders or right not in leaders:
                continue
            one, other = groups[leaders[left]], groups[leaders[right]]
            if (one.last, one.ids[0]) > (other.last, other.ids[0]):
                one, other = other, one
            pair = (one.ids[0], other.ids[0])
            # A day that is past says nothing any more, neither for nor against.
            if pair in seen or any(side.until and side.until < today for side in (one, other)):
                continue
            seen.add(pair)
            self._take(one, other, differ, min_days, certain=certain)
        self.found.sort(key=_order)

    def _take(
        self, earlier: Group, later: Group, differ: tuple[str, ...], min_days: int, *, certain: bool
    ) -> None:
        ordered = replaces(later, earlier, min_days)
        self.found.append(Contradiction(side_of(earlier), side_of(later), differ, ordered, certain))
        if not certain:
            return
        self.contradicted.add(earlier.ids[0])
        if ordered:
            self.supersedes.setdefault(later.ids[0], set()).update(earlier.ids)
        else:
            self.contradicted.add(later.ids[0])


def replaces(later: Group, earlier: Group, min_days: int) -> bool:
    """Whether ``later`` stands for ``earlier``: noted only after it, or often enough since.

    What changed and was once written down in its old form again must not hang in the air for ever.
    """
    if later.first > earlier.last:
        return True
    return len({day for day in later.days if day > earlier.last}) >= min_days


def side_of(group: Group) -> Side:
    """A claim as one side of a contradiction."""
    _, path, line = group.places[-1]
    return Side(group.ids[0], line.text, path, line.line, group.first, group.last)


def with_memory(group: Group, known: Known, differ: tuple[str, ...], *, certain: bool) -> Contradiction:
    """A claim against a line of MEMORY.md; it never stands for what a person wrote there."""
    held = Side(known.item, known.text, MEMORY, known.line, known.day, known.day, not known.item)
    ordered = bool(known.item) and group.first > known.day
    return Contradiction(held, side_of(group), differ, ordered, certain)


def _order(one: Contradiction) -> tuple[object, ...]:
    return (not one.is_certain, [-ord(sign) for sign in one.later.last], one.later.id, one.earlier.id)
