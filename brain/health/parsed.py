"""A memory with its files parsed: each once, when a rule first asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain.entries.document import Document
    from brain.health.decision_log import DecisionFile
    from brain.health.handover import Handover
    from brain.health.page import Page
    from brain.health.values import Memory, MemoryFile


@dataclass(frozen=True, slots=True)
class Import:
    """``@target`` in the line ``line`` of ``file``; ``path`` is what it leads to in the project.

    ``problem`` says why it was not followed: ``missing``, ``outside``, ``home``, ``depth``, ``cycle``; empty
    if it was.
    """

    file: str
    line: int
    target: str
    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class EntryFile:
    """An instruction file that assistants load first, with what it imports; one for each file on disk.

    ``names`` are all paths that lead to it, the first is ``file.path``. ``lines`` are (path, line, text) of it
    and its imports in reading order, ``pages`` their pages, its own first.
    """

    file: MemoryFile
    names: tuple[str, ...]
    page: Page
    pages: tuple[Page, ...]
    lines: tuple[tuple[str, int, str], ...]
    imports: tuple[Import, ...]


class ParsedMemory:
    """``memory`` and what its files say."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @cached_property
    def opted_in(self) -> bool:
        """Whether it has a progress or decisions file, or an entry file that names one."""
        raise NotImplementedError

    def files(self, role: str) -> tuple[MemoryFile, ...]:
        """The readable and unreadable files of a role, the best known name first."""
        raise NotImplementedError

    def page(self, file: MemoryFile) -> Page:
        """The file as a page."""
        raise NotImplementedError

    def text(self, file: MemoryFile) -> str:
        """The file as text, without a BOM, U+FFFD for bytes that are no UTF-8."""
        raise NotImplementedError

    def document(self, file: MemoryFile) -> Document:
        """A notes file as the entries that BMAD+ and Zecher write."""
        raise NotImplementedError

    @cached_property
    def notes(self) -> Mapping[str, Document]:
        """The decisions, lessons, patterns and contexts of the memory by path."""
        raise NotImplementedError

    @cached_property
    def progress(self) -> Handover | None:
        """What the first readable progress file hands over."""
        raise NotImplementedError

    @cached_property
    def handovers(self) -> tuple[Handover, ...]:
        """Every progress file, read."""
        raise NotImplementedError

    @cached_property
    def decisions(self) -> tuple[DecisionFile, ...]:
        """One for each decisions file and each folder of ADRs."""
        raise NotImplementedError

    @cached_property
    def entry_files(self) -> tuple[EntryFile, ...]:
        """The entry files with links and imports resolved."""
        raise NotImplementedError

    def exists(self, path: str) -> bool | None:
        """Whether ``path`` (relative to the project, with ``/``) is there; None where nobody asked.

        What Markdown links and code spans of the read files name was asked after when they were read.
        """
        raise NotImplementedError
