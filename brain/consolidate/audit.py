"""Finds what could be brought into order in notes: pure, from files that were read to proposals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256

from brain.consolidate.books import is_live, parts_of, samples_of
from brain.consolidate.doubt import differ
from brain.consolidate.editing import additions
from brain.consolidate.planning import Shelf, trial
from brain.consolidate.values import ARCHIVE, MERGE, PROMOTE, REVIEW, Book, Notes, Part, Proposal
from brain.entries.document import Entry
from brain.health.decision_review import REVIEW_DAYS
from brain.health.lessons import alike_within, sketch_entry
from brain.health.repeats import Sketch, repeated_lessons
from brain.health.today import Today
from brain.layout import NOTE_FILES

_DIGITS = 10
_KINDS = tuple(name.removesuffix(".md") for name in NOTE_FILES)
# Of a decision that was taken back people want to know; these say no more than what took their place.
_OVER = ("superseded", "deprecated")


class _Case:
    """One entry of a file with all that is known of it."""

    __slots__ = ("book", "entry", "part", "place")

    def __init__(self, book: Book, place: int, part: Part) -> None:
        self.book = book
        self.place = place
        self.part = part
        self.entry: Entry = book.document.entries[place]


def audit(books: Sequence[Book], day: date, *, brain: Notes | None) -> tuple[Proposal, ...]:
    """What is proposed for the files ``books`` on ``day``; the same files give the same proposals and ids.

    Merges, archives and reviews stay inside one memory each. Lessons that two or more projects learned are
    proposed for ``brain``, where one is given; its files are then among ``books``. In the order of memories,
    actions, files and lines, promotions last.
    """
    cases = [_Case(book, place, part) for book in books for place, part in enumerate(parts_of(book))]
    live = [case for case in cases if is_live(case.book, case.entry)]
    found: list[Proposal] = []
    by_memory = _by_memory(cases), _by_memory(live)
    for notes in by_memory[0]:
        everything, mine = (part.get(notes, []) for part in by_memory)
        for kind in _KINDS:
            found += _merges([case for case in mine if case.part.kind == kind])
        found += _archives([case for case in everything if case.part.kind == "decisions"])
        found += _reviews([case for case in mine if case.part.kind == "decisions"], Today(day))
    if brain is not None:
        found += _promotions([case for case in live if case.part.kind == "lessons"], brain)
    shelf = Shelf(books)
    return tuple(trial(shelf, one, day.isoformat()) for one in found)


def _by_memory(cases: Iterable[_Case]) -> dict[Notes, list[_Case]]:
    found: dict[Notes, list[_Case]] = {}
    for case in cases:
        found.setdefault(case.part.notes, []).append(case)
    return found


def identifier(action: str, parts: Iterable[Part]) -> str:
    """A name for a proposal that changes when one of the entries does, and with nothing else."""
    told = [action]
    for part in parts:
        told += (part.path, part.digest, str(part.ordinal))
    digest = sha256("\0".join(told).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{action}-{digest[:_DIGITS]}"


# -- within one memory --------------------------------------------------------------------------------------


def _merges(cases: Sequence[_Case]) -> Iterator[Proposal]:
    """Each poorer entry of a group of duplicates into the richest one."""
    for group in _groups(cases, _sketches(cases)):
        kept = max(group, key=_richness)
        for poorer in group:
            if poorer is kept or differ(kept.entry, poorer.entry, kept.part.kind):
                continue
            adds = additions(kept.entry, poorer.entry, poorer.book.data, kept.book.document.newline)
            yield Proposal(
                identifier(MERGE, (kept.part, poorer.part)),
                MERGE,
                poorer.part,
                kept=kept.part,
                adds=tuple(one.label for one in adds),
            )


def _sketches(cases: Iterable[_Case]) -> dict[Sketch, _Case]:
    found = {}
    for case in cases:
        notes = case.part.notes
        sketch = sketch_entry(
            case.entry,
            case.book.data,
            project=notes.identifier,
            name=notes.name,
            file=case.part.path,
            in_brain=notes.in_brain,
        )
        found[sketch] = case
    return found


def _groups(cases: Sequence[_Case], sketches: Mapping[Sketch, _Case]) -> Iterator[list[_Case]]:
    """The groups that rule ``l-repeats`` names: it sends people here."""
    if len(cases) < 2:
        return
    for group in alike_within([(one, case.entry) for one, case in sketches.items()]):
        yield [sketches[one] for one in group]


def _richness(case: _Case) -> tuple[int, int, bool, int]:
    """Most text, most fields; of equals the one in the project's own memory, and there the first."""
    letters = sum(not sign.isspace() for sign in case.part.text)
    return (letters, len(case.entry.fields), case.part.file.startswith(".agents/"), -case.part.line)


def _archives(cases: Iterable[_Case]) -> Iterator[Proposal]:
    for case in cases:
        entry = case.entry
        if entry.archived or entry.line in samples_of(case.book):
            continue
        if entry.status in _OVER or entry.superseded_by is not None:
            yield Proposal(identifier(ARCHIVE, (case.part,)), ARCHIVE, case.part)


def _reviews(cases: Iterable[_Case], today: Today) -> Iterator[Proposal]:
    for case in cases:
        day = _day(case.part)
        if case.entry.status == "active" and day is not None and today.reached(day, REVIEW_DAYS):
            yield Proposal(identifier(REVIEW, (case.part,)), REVIEW, case.part, since=case.part.date or "")


def _day(part: Part) -> date | None:
    try:
        return date.fromisoformat(part.date or "")
    except ValueError:
        return None


# -- across projects ----------------------------------------------------------------------------------------


def _promotions(cases: Sequence[_Case], brain: Notes) -> Iterator[Proposal]:
    """The richest entry of each lesson that several projects learned and the brain does not know."""
    sketches = _sketches(cases)
    for cluster in repeated_lessons(sketches):
        if cluster.in_brain:
            continue
        group = [sketches[one] for one in cluster.members]
        richest = max(group, key=_richness)
        also = tuple(case.part for case in group if case is not richest)
        yield Proposal(
            identifier(PROMOTE, (richest.part, *also)),
            PROMOTE,
            richest.part,
            also=also,
            projects=cluster.projects,
            target=brain,
        )
