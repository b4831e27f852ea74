"""What a memory file holds, as values that keep their places: lines count from 1, spans are byte offsets."""

from __future__ import annotations

from brain.entries.front_matter import FrontMatter
from brain.value import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """Something about a file or an entry that its owner should know; ``code`` is stable, ``line`` from 1."""

    code: str
    line: int
    message: str


# Not frozen, nor are entries: one is made in half the time so, and a portfolio has them by the ten thousand.
@dataclass(slots=True, unsafe_hash=True)
class Field:
    """One labelled value of an entry.

    ``name`` is canonical (see ``fields.toml``), or None for a label that the table does not know; ``label``
    is as written. ``value`` is plain text, its lines joined by LF without their indentation. ``span`` runs
    from the label's line to the end of the last line of the value, without that line's end; ``value_span`` is
    the part of it that holds the value.
    """

    name: str | None
    label: str
    value: str
    line: int
    span: Span
    value_span: Span


@dataclass(slots=True, unsafe_hash=True)
class Entry:
    """One entry under its heading.

    ``heading`` is the whole text after the ``#`` signs, ``title`` what remains without date and marks.
    ``date`` is ``YYYY-MM-DD``. ``archived`` is true for a mark such as ``[ARCHIVED]`` in the heading and for
    the status archived. ``status`` is canonical, or None where the field is missing or unclear. ``span`` goes
    from the heading to the line end of the entry's last line; blank lines, rules and comments that merely
    separate it from what follows are outside. ``level`` is 3, in context and session files also 2.
    """

    heading: str
    title: str
    date: str | None
    archived: bool
    fields: tuple[Field, ...]
    status: str | None
    superseded_by: str | None
    line: int
    span: Span
    level: int

    def field(self, name: str) -> Field | None:
        """The field of that canonical name; the last one where it stands more than once."""
        return next((field for field in reversed(self.fields) if field.name == name), None)


@dataclass(frozen=True, slots=True)
class Heading:
    """A live heading of level 1 or 2 (``#``, ``##``), which ends the entry above it."""

    text: str
    level: int
    line: int
    start: int


@dataclass(frozen=True, slots=True)
class Document:
    """A memory file taken apart.

    ``newline`` is the line end that most lines have; ``mixed_newlines`` tells that others occur. ``bad_utf8``
    are the runs of bytes that are no UTF-8. ``marker_end`` is the offset after the comment that says where
    entries begin. ``readable`` is false for a file that was refused as a whole (too large, UTF-16): it then
    has no entries, and one problem says why.
    """

    kind: str
    size: int
    bom: bool = False
    newline: bytes = b"\n"
    mixed_newlines: bool = False
    final_newline: bool = True
    bad_utf8: tuple[Span, ...] = ()
    front_matter: FrontMatter | None = None
    entries: tuple[Entry, ...] = ()
    headings: tuple[Heading, ...] = ()
    marker_end: int | None = None
    problems: tuple[EntryProblem, ...] = ()
    readable: bool = True
