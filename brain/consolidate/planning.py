"""From approved proposals to the new content of files: pure, and all or nothing for each proposal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain.consolidate.books import parts_of, place_of
from brain.consolidate.editing import Addition, RefusedError, additions, rewritten
from brain.consolidate.promoting import promoted
from brain.consolidate.values import ACTIONS, PROMOTE, Book, Change, Part, Proposal

CHANGED = "it, or an entry that says the same, was changed since it was shown: look again"
_BUSY = "another proposal that was approved moves the same entry: look again afterwards"


@dataclass(frozen=True, slots=True)
class Planned:
    """``changes`` are the files as they will be, ``done`` what they carry out, ``refused`` the rest."""

    changes: tuple[Change, ...]
    done: tuple[Proposal, ...]
    refused: tuple[Proposal, ...]


class Shelf:
    """The files of notes by path, their entries told once."""

    def __init__(self, books: Iterable[Book]) -> None:
        self._books = {book.path: book for book in books}
        self._parts: dict[str, tuple[Part, ...]] = {}

    def book(self, path: str) -> Book:
        """The file at ``path``; ``RefusedError`` where it is not there, or cannot be used."""
        book = self._books.get(path)
        if book is None:
            raise RefusedError(f"{path} is not there, or cannot be read (zecher memory init makes it)")
        return book

    def place(self, part: Part) -> int:
        """Where ``part`` stands among the entries of its file; ``RefusedError`` where it does not."""
        book = self.book(part.path)
        if part.path not in self._parts:
            self._parts[part.path] = parts_of(book)
        place = place_of(self._parts[part.path], part)
        if place is None:
            raise RefusedError(CHANGED)
        return place


class _Work:
    """What is to be done with the entries of all files, one proposal after the other."""

    def __init__(self, shelf: Shelf, day: str) -> None:
        self._shelf = shelf
        self._day = day
        self._moves: dict[str, dict[int, str]] = {}
        self._adds: dict[str, dict[int, list[Addition]]] = {}
        self._promotions: list[Proposal] = []

    def take(self, proposal: Proposal) -> None:
        """Add one proposal; ``RefusedError`` where it does not fit what is there, or the others."""
        for part in proposal.parts:
            self._shelf.place(part)
        if proposal.action == PROMOTE:
            self._shelf.book(proposal.written[0])
            self._promotions.append(proposal)
            return
        part, kept = proposal.part, proposal.kept
        place = self._shelf.place(part)
        moves, adds = self._moves.setdefault(part.path, {}), self._adds.setdefault(part.path, {})
        if place in moves or place in adds:
            raise RefusedError(_BUSY)
        if kept is None:
            moves[place] = ""
            return
        self._merge(part, place, kept)

    def _merge(self, part: Part, place: int, kept: Part) -> None:
        shelf = self._shelf
        book, home = shelf.book(part.path), shelf.book(kept.path)
        at = shelf.place(kept)
        if at in self._moves.get(kept.path, {}):
            raise RefusedError(_BUSY)
        known = self._adds.setdefault(kept.path, {}).setdefault(at, [])
        more = additions(
            home.document.entries[at], book.document.entries[place], book.data, home.document.newline
        )
        keys = {one.key for one in known}
        known += [one for one in more if one.key not in keys]
        elsewhere = "" if part.path == kept.path else f" ({kept.file})"
        self._moves[part.path][place] = f"{kept.named}{elsewhere}"

    def changes(self) -> tuple[Change, ...]:
        """The files as they will be; ``RefusedError`` where one of them cannot be written so."""
        targets = {one.written[0] for one in self._promotions}
        found = []
        for path in sorted({*self._moves, *self._adds, *targets}):
            book = self._shelf.book(path)
            new = rewritten(book.data, book.document, self._moves.get(path, {}), self._adds.get(path, {}))
            for one in self._promotions:
                if one.written[0] == path:
                    source = self._shelf.book(one.part.path)
                    place = self._shelf.place(one.part)
                    new = promoted(new, source, place, projects=one.projects, day=self._day)
            if new != book.data:
                found.append(Change(book.notes.base, book.file, book.seen, new))
        return tuple(found)


def plan(books: Iterable[Book], approved: Sequence[Proposal], day: str) -> Planned:
    """What the approved proposals make of ``books``, read now; ``day`` is ``YYYY-MM-DD``.

    What does not fit any more, or does not fit the others, is refused with its reason and changes nothing.
    """
    shelf = Shelf(books)
    done: list[Proposal] = []
    refused: list[Proposal] = []
    ordered = sorted(approved, key=lambda one: ACTIONS.index(one.action))
    whole = _together(shelf, ordered, day)
    if whole is not None:
        return Planned(whole, tuple(ordered), ())
    changes: tuple[Change, ...] = ()
    for proposal in ordered:
        try:
            changes = _changes(shelf, [*done, proposal], day)
        except RefusedError as error:
            refused.append(proposal.but_refused(str(error)))
        else:
            done.append(proposal)
    return Planned(changes, tuple(done), tuple(refused))


def trial(shelf: Shelf, proposal: Proposal, day: str) -> Proposal:
    """The proposal, with the reason if it could not be carried out alone."""
    try:
        _changes(shelf, [proposal], day)
    except RefusedError as error:
        return proposal.but_refused(str(error))
    return proposal


def _together(shelf: Shelf, proposals: Sequence[Proposal], day: str) -> tuple[Change, ...] | None:
    try:
        return _changes(shelf, proposals, day)
    except RefusedError:
        return None


def _changes(shelf: Shelf, proposals: Sequence[Proposal], day: str) -> tuple[Change, ...]:
    work = _Work(shelf, day)
    for proposal in proposals:
        work.take(proposal)
    return work.changes()
