"""The claims of all notes: wordings that say the same are one, whichever note they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.dreaming.extract import Line
from brain.dreaming.kept import Kept
from brain.dreaming.tags import tags_of
from brain.dreaming.values import EXPLICIT, STAGED, Claim, Evidence, Marks, Note

Place = tuple[str, str, Line]
"""Where a wording stands: the day and the path of the note, and the line."""


class Group:
    """The wordings of one claim: where each stands, the oldest place first; the first is its leader."""

    __slots__ = ("ids", "places")

    def __init__(self, id_: str, places: list[Place]) -> None:
        self.ids = [id_]
        self.places = places

    @property
    def days(self) -> set[str]:
        """The days on which it was noted."""
        return {day for day, _, _ in self.places}

    @property
    def until(self) -> str:
        """The last day on which it holds, as it was written last; empty without one."""
        return self.places[-1][2].until

    @property
    def first(self) -> str:
        """The day on which it was noted first."""
        return self.places[0][0]

    @property
    def last(self) -> str:
        """The day on which it was noted last."""
        return self.places[-1][0]


def group(notes: Sequence[Note], kept: Kept) -> dict[str, Group]:
    """The groups by the id of their leader, in the order in which these were noted first.

    ``notes`` stand in the order of their days and paths. A wording joins the oldest leader that says the
    same, so that no note of another matter changes what belongs together.
    """
    places: dict[str, list[Place]] = {}
    for note in notes:
        for line in kept.of_note(note).lines:
            places.setdefault(line.id, []).append((note.day, note.path, line))
    groups: dict[str, Group] = {}
    # Wordings are met in the order of their first places: an older leader is a group before a younger asks.
    order = {id_: number for number, id_ in enumerate(places)}
    for id_, found in places.items():
        leaders = [other for other in kept.same(id_) if other in groups and order[other] < order[id_]]
        if leaders:
            leader = groups[min(leaders, key=order.__getitem__)]
            leader.ids.append(id_)
            leader.places.extend(found)
        else:
            groups[id_] = Group(id_, found)
    for one in groups.values():
        if len(one.ids) > 1:
            one.places.sort(key=lambda place: (place[0], place[1], place[2].line))
    return groups


def claim_of(found: Group, marks: Marks) -> Claim:
    """The claim of a group, with what is known of it beside the notes."""
    leader = found.ids[0]
    first = next(line for _, _, line in found.places if line.id == leader)
    staged = max((marks.staged.get(one, "") for one in found.ids), default="")
    explicit = max((day for day, _, line in found.places if line.is_explicit), default="")
    recalls = (one for id_ in found.ids for one in marks.recalls.get(id_, ()))
    return Claim(
        leader,
        first.text,
        first.lang,
        tuple(Evidence(path, line.line, day) for day, path, line in found.places),
        tuple(sorted(set(recalls), key=lambda one: (one.day, one.query, one.score))),
        EXPLICIT if explicit else STAGED if staged else "",
        max(explicit, staged),
        max(line.reading for _, _, line in found.places),
        tags_of(first.text),
        tuple(sorted(found.ids[1:])),
        found.until,
        first.heading,
    )


def is_marked(found: Group, marks: Marks) -> bool:
    """Whether anything but notes speaks for it, or its writer marked it."""
    return any(line.is_explicit for _, _, line in found.places) or any(
        one in marks.staged or one in marks.recalls for one in found.ids
    )


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes by their days, then their paths."""
    return sorted(notes, key=lambda note: (note.day, note.path))
