"""One Markdown file of a memory as its reader sees it: headings, labels, tables, lists, with their lines.

Lines count from 1. What stands in fences, comments, raw HTML or front matter has no structure. Everything is
found when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from brain.entries.front_matter import FrontMatter

READ_CAP = 1024 * 1024
ROWS_CAP = 5000


@dataclass(slots=True)
class Heading:
    """A live heading. ``norm`` is its text normalised, ``field`` the field of ``fields.toml`` that it opens.

    ``end`` is the last line before the next heading of the same or a higher level; ``title`` is true for the
    first of level 1, which is never a field.
    """

    line: int
    level: int
    text: str
    norm: str
    field: str | None
    end: int
    is_title: bool


@dataclass(slots=True)
class Label:
    """``X: y`` in one of its forms. ``value`` is the text after it with the lines that continue it.

    ``field`` is None for a label that the vocabulary does not know. ``value_line`` is the first line that
    says something, ``end`` the last; both are ``line`` for a value on its own line or none.
    """

    line: int
    text: str
    norm: str
    field: str | None
    value: str
    value_line: int
    end: int


@dataclass(slots=True)
class Table:
    """A pipe table: its header cells, the field that each column means, its rows as (line, cells)."""

    line: int
    header: tuple[str, ...]
    fields: tuple[str | None, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(slots=True)
class Item:
    """A list item: its ``indent`` in columns, its first line without marker and box, ``checked`` of a box."""

    line: int
    indent: int
    text: str
    checked: bool | None


@dataclass(slots=True)
class Section:
    """What stands below one heading and belongs to its field, sub-headings without a field included.

    ``lines`` are (line, text) of all that is no heading, comment or blank; code in fences is among them.
    """

    heading: Heading
    field: str
    lines: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        """Its lines joined by LF."""
        return "\n".join(text for _, text in self.lines)


@dataclass(frozen=True, slots=True)
class PageProblem:
    """Something odd about a page: ``encoding``, ``front-matter``, ``too-large``, ``never-closed``."""

    code: str
    line: int
    message: str


class Page:
    """A file's text, at most 1 MiB of it, taken apart on demand; ``path`` is relative to the project."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data

    lines: Sequence[str]
    """The lines as they are written; ``lines[0]`` is empty, so that ``lines[n]`` is line n."""
    visible: Sequence[str]
    """As ``lines``, but empty where a line is no live one, and without comments within lines."""
    headings: tuple[Heading, ...]
    labels: tuple[Label, ...]
    tables: tuple[Table, ...]
    items: tuple[Item, ...]
    problems: tuple[PageProblem, ...]
    front_matter: FrontMatter | None

    @cached_property
    def title(self) -> Heading | None:
        """The first heading of level 1."""
        raise NotImplementedError

    def is_live(self, line: int) -> bool:
        """Whether the line stands outside fences, comments, raw HTML and front matter."""
        raise NotImplementedError

    def sections(self, field: str) -> tuple[Section, ...]:
        """All sections that mean ``field``, in their order."""
        raise NotImplementedError

    def labelled(self, field: str) -> tuple[Label, ...]:
        """All labels that mean ``field``, in their order."""
        raise NotImplementedError

    def field_at(self, line: int) -> str | None:
        """The field that the headings above give to ``line``; None below none."""
        raise NotImplementedError

    def heading_at(self, line: int) -> Heading | None:
        """The nearest heading at or above ``line``."""
        raise NotImplementedError
