"""Fills a budget with notes: the best first, and what does not fit is passed over, not the end.

The best note is there whatever it takes, cut if it must be. One file takes no more than its cap. A fifth of
the budget is kept for neighbours, of which the best is cut to it where none fits whole. All else fits or is
left out. What is left out is named with its size and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from brain.bundle.blocks import HEAD, Place, block, joined
from brain.bundle.passages import passage
from brain.bundle.tokens import tokens
from brain.value import Value

SHARE = 0.2
"""Of the budget, for neighbours."""
ALIKE = 0.8
"""From this share of common terms on, two notes say the same."""

BUDGET, SOURCE, SAME, REST = "budget", "source", "duplicate", "cut"
"""Why something was left out: no room, its file has had its share, said already, the rest of a note."""

_FOR_ROOM = (BUDGET, SOURCE, REST)
_MOST_POINTERS = 10
_LEAST_CAP = 500


def source_cap(budget: int) -> int:
    """The most tokens that one file takes, where nobody says otherwise."""
    return max(_LEAST_CAP, (budget + 1) // 2)


class Note(Value):
    """A note that may be packed.

    ``place`` is shown, ``file`` tells the sources apart; ``line_end`` is its last line. ``hop`` 0 is a hit.
    ``terms`` are all of its terms, ``matched`` those that answer. Its text is free of secrets and visible.
    """

    __slots__ = (
        "file",
        "hop",
        "line_end",
        "matched",
        "place",
        "project",
        "relevance",
        "terms",
        "text",
        "title",
    )

    def __init__(
        self,
        title: str,
        text: str,
        *,
        place: Place,
        project: str,
        file: str,
        line_end: int,
        hop: int = 0,
        relevance: float = 1.0,
        terms: frozenset[str] = frozenset(),
        matched: Collection[str] = (),
    ) -> None:
        self.title = title
        self.text = text
        self.place = place
        self.project = project
        self.file = file
        self.line_end = line_end
        self.hop = hop
        self.relevance = relevance
        self.terms = terms
        self.matched = matched


class Packed(Value):
    """A note in the bundle: from which ``line`` on it stands there, and what it takes with its heading."""

    __slots__ = ("line", "note", "text", "tokens")

    def __init__(self, note: Note, line: int, text: str) -> None:
        self.note = note
        self.line = line
        self.text = text
        self.tokens = tokens(f"\n{text}")


class LeftOut(Value):
    """What is not in the bundle, and ``why``.

    ``like`` is where the same is said (``file:line``); ``shown`` its place as the bundle would show it.
    """

    __slots__ = ("file", "like", "line", "project", "shown", "tokens", "why")

    def __init__(
        self, project: str, file: str, line: int, *, size: int, why: str, like: str = "", shown: str = ""
    ) -> None:
        self.project = project
        self.file = file
        self.line = line
        self.tokens = size
        self.why = why
        self.like = like
        self.shown = shown


class Bundle(Value):
    """The whole: ``used`` tokens of ``context``; ``is_truncated``: for want of room something is missing."""

    __slots__ = ("context", "left_out", "packed", "used")

    def __init__(self, packed: Sequence[Packed], left_out: Sequence[LeftOut], budget: int) -> None:
        self.packed = tuple(packed)
        self.left_out = tuple(left_out)
        bundle = joined([one.text for one in packed])
        self.context = bundle + _pointers(self.left_out, budget - tokens(bundle)) if bundle else ""
        self.used = tokens(self.context)

    @property
    def is_truncated(self) -> bool:
        """Whether something is missing for want of room."""
        return any(one.why in _FOR_ROOM for one in self.left_out)


def _pointers(left_out: Sequence[LeftOut], room: int) -> str:
    """Where to read on, as much of it as there is room for."""
    missing = [one for one in left_out if one.why in _FOR_ROOM]
    text = ""
    for count in range(1, min(len(missing), _MOST_POINTERS) + 1):
        places = ", ".join(f"{one.shown} ({one.tokens:,} tokens)" for one in missing[:count])
        more = f", and {len(missing) - count:,} more" if count < len(missing) else ""
        longer = f"\nLeft out for want of room: {places}{more}.\n"
        if tokens(longer) > room:
            break
        text = longer
    return text


def pack(notes: Sequence[Note], budget: int, cap: int | None = None) -> Bundle:
    """As much of ``notes``, best first, as ``budget`` tokens hold; ``cap`` tokens of one file at most."""
    return _Packing(notes, budget, source_cap(budget) if cap is None else cap).bundle()


class _Packing:
    """One bundle on its way."""

    def __init__(self, notes: Sequence[Note], budget: int, cap: int) -> None:
        self._left_out: list[LeftOut] = []
        self._notes = self._different(notes)
        self._room = budget - tokens(HEAD)
        self._reserve = int(budget * SHARE)
        self._cap = cap
        self._of_file: dict[str, int] = {}
        self._packed: dict[int, Packed] = {}
        self._budget = budget

    def bundle(self) -> Bundle:
        for at in range(len(self._notes)):
            if self._put(at, self._room, cuts=True):
                break
        self._neighbours()
        for at in range(len(self._notes)):
            self._put(at, self._room)
        for at, note in enumerate(self._notes):
            if at not in self._packed:
                size = tokens(_whole(note))
                why = BUDGET if size > self._room else SOURCE
                self._leave(note, size, why)
        return Bundle([self._packed[at] for at in sorted(self._packed)], self._left_out, self._budget)

    def _different(self, notes: Sequence[Note]) -> list[Note]:
        kept: list[Note] = []
        for note in notes:
            like = next((one for one in kept if _alike(one.terms, note.terms)), None)
            if like is None:
                kept.append(note)
            else:
                self._leave(note, tokens(_whole(note)), SAME, f"{like.file}:{like.place.line}")
        return kept

    def _neighbours(self) -> None:
        """Those that fit into their share; where none does, the best, cut to it."""
        room = min(self._reserve, self._room)
        neighbours = [at for at, note in enumerate(self._notes) if note.hop]
        room -= sum(self._packed[at].tokens for at in neighbours if at in self._packed)
        for cuts in (False, True):
            for at in neighbours:
                if at not in self._packed and self._put(at, room, cuts=cuts):
                    room -= self._packed[at].tokens
                    if cuts:
                        return
            if any(at in self._packed for at in neighbours):
                return

    def _put(self, at: int, room: int, *, cuts: bool = False) -> bool:
        """Whether the note got a place: whole, cut to the cap of its file, or, with ``cuts``, to the room."""
        if at in self._packed:
            return False
        note = self._notes[at]
        mine = self._cap - self._of_file.get(note.file, 0)
        whole = _whole(note)
        size = tokens(whole)
        if size <= min(room, mine):
            packed = Packed(note, note.place.line, whole[1:])
        elif cuts or (size > self._cap == mine <= room):
            cut = _cut(note, min(room, mine))
            if cut is None:
                return False
            packed = cut
            self._leave(note, max(1, size - cut.tokens), REST)
        else:
            return False
        self._packed[at] = packed
        self._of_file[note.file] = self._of_file.get(note.file, 0) + packed.tokens
        self._room -= packed.tokens
        return True

    def _leave(self, note: Note, size: int, why: str, like: str = "") -> None:
        self._left_out.append(
            LeftOut(
                note.project,
                note.file,
                note.place.line,
                size=size,
                why=why,
                like=like,
                shown=str(note.place),
            )
        )


def _whole(note: Note) -> str:
    return "\n" + block(note.title, str(note.place), note.text)


def _cut(note: Note, room: int) -> Packed | None:
    ticks = "`" * _longest_ticks(note.text)
    frame = tokens("\n" + block(note.title, str(note.place), ticks))
    found = passage(note.text, room - frame - 1, note.matched)
    if found is None:
        return None
    # Each line of the text is one of the file's, but for long ones, which are several here.
    lines = note.text.count("\n")
    line = max(note.place.line, note.line_end - lines + found.first) if found.first else note.place.line
    place = Place(note.place.project, note.place.file, line, note.place.status)
    return Packed(note, line, block(note.title, str(place), found.text))


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in re.findall("`{3,}", text)), default=1)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one or not other or min(len(one), len(other)) < ALIKE * max(len(one), len(other)):
        return False
    shared = len(one & other)
    return shared >= ALIKE * (len(one) + len(other) - shared)
