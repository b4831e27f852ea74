"""Reads the notes of a memory: decisions, lessons and patterns, no links, each file up to 1 MiB."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import sha256

from brain.consolidate.values import Book, Notes, Part
from brain.entries.document import Entry
from brain.entries.lines import shown
from brain.entries.reader import FILE_CAP, read_entries
from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER, PROJECT_MEMORY
from brain.layout import NOTE_FILES
from brain.problem import Problem


def files_of(notes: Notes) -> tuple[str, ...]:
    """The files of notes that a memory may have, relative to its base."""
    folders = ("",) if notes.in_brain else (PROJECT_MEMORY + "/", LEDGER_FOLDER + "/")
    return tuple(folder + name for folder in folders for name in NOTE_FILES)


def read_books(memories: Iterable[Notes]) -> tuple[tuple[Book, ...], tuple[Problem, ...]]:
    """All files of notes of the memories, and what is wrong with those that are there and cannot be used."""
    books, problems = [], []
    for notes in memories:
        for file in files_of(notes):
            book = read_book(notes, file)
            if isinstance(book, Problem):
                problems.append(book)
            elif book is not None:
                books.append(book)
    return tuple(books), tuple(problems)


def read_book(notes: Notes, file: str) -> Book | Problem | None:
    """One file of notes; None where there is none."""
    path = os.path.join(notes.base, *file.split("/"))
    try:
        refuse_links(notes.base, file)
        seen = read_seen(path, FILE_CAP)
    except MemError as error:
        return _left_out(path, str(error))
    except UnreadableError as error:
        return None if error.code == "missing" else _left_out(path, error.message)
    kind = file.rpartition("/")[2].removesuffix(".md")
    data = seen.data or b""
    document = read_entries(data, kind)
    if not document.readable:
        return _left_out(path, document.problems[0].message)
    return Book(notes, file, kind, data, seen, document)


def _left_out(path: str, why: str) -> Problem:
    return Problem(
        "notes-unreadable",
        "error",
        path,
        f"these notes are left out: {why}",
        "Mend the file, then look again.",
    )


def parts_of(book: Book) -> tuple[Part, ...]:
    """Every entry of the file, in its order."""
    counts: dict[str, int] = {}
    found = []
    for entry in book.document.entries:
        raw = book.data[entry.span[0] : entry.span[1]]
        digest = sha256(raw).hexdigest()
        ordinal = counts.get(digest, 0)
        counts[digest] = ordinal + 1
        text = shown(raw.decode("utf-8", "surrogateescape"))
        found.append(
            Part(
                book.notes,
                book.file,
                book.kind,
                entry.line,
                entry.title,
                entry.date,
                digest,
                ordinal,
                text,
            )
        )
    return tuple(found)


def place_of(parts: Sequence[Part], wanted: Part) -> int | None:
    """The place of ``wanted`` among the entries that its file holds now, None where it changed or went."""
    return next(
        (
            place
            for place, one in enumerate(parts)
            if (one.digest, one.ordinal) == (wanted.digest, wanted.ordinal)
        ),
        None,
    )


def samples_of(book: Book) -> frozenset[int]:
    """The lines of headings that are a template's, not an entry's."""
    return frozenset(one.line for one in book.document.problems if one.code == "entry-placeholder")


def is_live(book: Book, entry: Entry) -> bool:
    """Whether an entry holds: it is no sample, not archived, not superseded."""
    over = entry.archived or entry.status in ("superseded", "archived") or entry.superseded_by is not None
    return not over and entry.line not in samples_of(book)
