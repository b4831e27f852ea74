"""What a consolidation works on: files of notes as they were read, and what it proposes to do with them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from brain.entries.document import Document
from brain.files.reading import Seen

MERGE, ARCHIVE, REVIEW, PROMOTE = "merge", "archive", "review", "promote"
ACTIONS = (MERGE, ARCHIVE, REVIEW, PROMOTE)
"""The order in which proposals are shown, asked about and carried out."""

PROMOTED = "lessons.md"
"""The file of the brain that promoted lessons go to."""

ARCHIVED = "[ARCHIVED]"
"""What is put into the heading of an entry that is archived."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Where a memory lies.

    ``base`` is the real path of the project, or of the brain; no link below it is followed. ``name`` is for
    people, ``identifier`` tells projects apart (clones of one repository share it).
    """

    base: str
    name: str
    identifier: str
    in_brain: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """One file of notes: ``file`` is relative to the memory's base, with ``/``; ``data`` is what it holds."""

    notes: Notes
    file: str
    kind: str
    data: bytes
    seen: Seen
    document: Document

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return path_of(self.notes.base, self.file)


@dataclass(frozen=True, slots=True)
class Part:
    """One entry as it was read.

    ``digest`` is the SHA-256 of its bytes; ``ordinal`` counts the entries with the same bytes above it in its
    file. By both it is known again when the rest of the file has changed. ``text`` is for people.
    """

    notes: Notes
    file: str
    kind: str
    line: int
    title: str
    date: str | None
    digest: str
    ordinal: int
    text: str

    @property
    def path(self) -> str:
        """The absolute path of the entry's file."""
        return path_of(self.notes.base, self.file)

    @property
    def named(self) -> str:
        """Date and title, as in a heading."""
        return f"{self.date} — {self.title}" if self.date else self.title


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that could be done; nothing is done before a person has approved it.

    ``part`` is the entry that would be archived (``MERGE``: into ``kept``; ``ARCHIVE``: it was superseded;
    ``REVIEW``: it is active for long) or, with ``PROMOTE``, copied to the lessons of the brain. ``adds`` are
    the labels of the fields that ``kept`` would get from it. ``also`` are the other entries that say the same
    as a promoted one, ``projects`` the names of all that learned it. ``target`` is the brain that a promotion
    goes to. ``since`` is the day from which an active decision counts. ``refused`` says why it cannot be
    done, empty where it can.
    """

    id: str
    action: str
    part: Part
    kept: Part | None = None
    adds: tuple[str, ...] = ()
    also: tuple[Part, ...] = ()
    projects: tuple[str, ...] = ()
    target: Notes | None = None
    since: str = ""
    refused: str = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        """All entries that have to be as they were shown."""
        return (self.part, *((self.kept,) if self.kept is not None else ()), *self.also)

    @property
    def written(self) -> tuple[str, ...]:
        """The paths of the files that it would change."""
        if self.target is not None:
            return (path_of(self.target.base, PROMOTED),)
        return tuple(dict.fromkeys(one.path for one in self.parts))

    def but_refused(self, why: str) -> Proposal:
        """The same, with the reason why it cannot be done."""
        return replace(self, refused=why)


@dataclass(frozen=True, slots=True)
class Change:
    """New content for one file: ``seen`` is what stands there now."""

    base: str
    file: str
    seen: Seen
    new: bytes

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return path_of(self.base, self.file)

    @property
    def old(self) -> bytes:
        """What the file holds now."""
        return self.seen.data or b""


def path_of(base: str, file: str) -> str:
    """The absolute path of a file whose name is relative to ``base``, with ``/``."""
    return os.path.join(base, *file.split("/"))
