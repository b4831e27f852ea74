"""A memory with its files parsed: each once, when a rule first asks for it."""

from __future__ import annotations

import re
from functools import cached_property

from brain.health import roles
from brain.health.decision_log import DecisionFile, adr_folders, decision_file
from brain.health.handover import Handover
from brain.health.imports import Import, imports_of
from brain.health.page import Page
from brain.knowledge.pages import read_page, says_it_is_a_page
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from brain.entries.document import Document
    from brain.health.plain import AllWords
    from brain.health.repeats import Sketch
    from brain.health.values import Memory, MemoryFile
    from brain.knowledge.values import Page as KnowledgePage

__all__ = ["EntryFile", "Import", "ParsedMemory"]

_BOM = b"\xef\xbb\xbf"
# The names of handover files that mean nothing else in prose.
_NAMED = re.compile(
    r"(?<![\w-])(?:progress|fortschritt|project_status|claude-progress|handoff|handover|uebergabe|\u00fcbergabe"
    r"|activecontext|decisions|decision_log|decisionlog|entscheidungen)\.(?:md|txt)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EntryFile:
    """An instruction file that assistants load first, with what it imports; one for each file on disk.

    ``names`` are all paths that lead to it, the first is ``file.path``. ``lines`` are (path, line, text) of
    it and its imports in reading order, ``pages`` their pages, its own first.
    """

    file: MemoryFile
    names: tuple[str, ...]
    page: Page
    pages: tuple[Page, ...]
    lines: tuple[tuple[str, int, str], ...]
    imports: tuple[Import, ...]


class ParsedMemory:
    """``memory`` and what its files say.

    ``kept`` is for rules that ask each other's questions again: it ends with the memory. A cache of the last
    memory would let two of them stand at a time, and take a tenth longer.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.kept: dict[str, Any] = {}
        self._pages: dict[str, Page] = {}
        self._texts: dict[str, str] = {}
        self._documents: dict[str, Document] = {}
        self._files: dict[str, tuple[MemoryFile, ...]] = {}

    def renewed(self, memory: Memory) -> ParsedMemory:
        """The same files, with whatever else ``memory`` knows by now: what was parsed stays parsed."""
        if memory is self.memory:
            return self
        parsed = ParsedMemory(memory)
        if memory.files is self.memory.files:
            own = ("memory", "opted_in", "kept")
            parsed.__dict__.update({name: part for name, part in self.__dict__.items() if name not in own})
        return parsed

    @cached_property
    def opted_in(self) -> bool:
        """Whether it has a progress or decisions file, or an entry file that names one."""
        if self.files(roles.PROGRESS) or self.files(roles.DECISIONS):
            return True
        return any(_NAMED.search(text) for entry in self.entry_files for _, _, text in entry.lines)

    def files(self, role: str) -> tuple[MemoryFile, ...]:
        """The readable and unreadable files of a role, the best known name first.

        A file may play several: ``memory-bank/progress.md`` is of a bank and tells the progress.
        """
        found = self._files.get(role)
        if found is None:
            ranked = [
                (rank, file.path, file) for file in self.memory.files if (rank := self._rank(file, role)) >= 0
            ]
            found = tuple(file for _, _, file in sorted(ranked, key=lambda one: one[:2]))
            self._files[role] = found
        return found

    def _rank(self, file: MemoryFile, role: str) -> int:
        if self.memory.kind == "brain":
            is_log = role == roles.DECISIONS and file.path.endswith("decisions.md")
            return 0 if file.role == role or is_log else -1
        rank = roles.roles_of(file.path).get(role)
        if rank is None:
            return 999 if file.role == role else -1
        return rank

    def page(self, file: MemoryFile) -> Page:
        """The file as a page."""
        page = self._pages.get(file.path)
        if page is None:
            page = self._pages[file.path] = Page(file.path, file.data)
        return page

    def text(self, file: MemoryFile) -> str:
        """The file as text, without a BOM, U+FFFD for bytes that are no UTF-8."""
        text = self._texts.get(file.path)
        if text is None:
            text = file.data.removeprefix(_BOM).decode("utf-8", "replace")
            self._texts[file.path] = text
        return text

    @cached_property
    def words(self) -> AllWords:
        """The words of all of its files."""
        from brain.health.plain import AllWords  # noqa: PLC0415 - it imports the roles, as rules do

        return AllWords(file.data for file in self.memory.files if file.data)

    def document(self, file: MemoryFile) -> Document:
        """A notes file as the entries that BMAD+ and Zecher write."""
        from brain.entries.reader import KINDS, read_entries  # noqa: PLC0415 - only who keeps notes needs it

        document = self._documents.get(file.path)
        if document is None:
            kind = file.path.rpartition("/")[2].lower().removesuffix(".md")
            document = read_entries(file.data, kind if kind in KINDS else "session")
            self._documents[file.path] = document
        return document

    @cached_property
    def notes(self) -> Mapping[str, Document]:
        """The decisions, lessons, patterns and contexts of the memory by path, without sessions."""
        return {
            file.path: self.document(file)
            for file in self.files(roles.NOTES)
            if not file.problem and "/sessions/" not in file.path
        }

    @cached_property
    def knowledge(self) -> tuple[KnowledgePage, ...]:
        """The pages that make claims: those of a wiki, and each note that says so in its front matter."""
        return tuple(
            read_page(file.path, file.data)
            for file in self.memory.files
            if file.data and (file.role == roles.KNOWLEDGE or says_it_is_a_page(file.data))
        )

    @cached_property
    def lessons(self) -> tuple[Sketch, ...]:
        """Every lesson that holds, sketched, as ``brain.health.lessons`` tells."""
        from brain.health.lessons import sketches  # noqa: PLC0415 - a rule, which imports what it judges

        return sketches(self)

    @cached_property
    def progress(self) -> Handover | None:
        """What the first readable progress file hands over."""
        return next(iter(self.handovers), None)

    @cached_property
    def handovers(self) -> tuple[Handover, ...]:
        """Every progress file that could be read."""
        return tuple(
            Handover(file, self.page(file)) for file in self.files(roles.PROGRESS) if not file.problem
        )

    @cached_property
    def decisions(self) -> tuple[DecisionFile, ...]:
        """One for each decisions file and each folder of ADRs."""
        logs = [
            decision_file(file, self.page(file))
            for file in self._each(self.files(roles.DECISIONS))
            if not file.problem and not file.path.lower().endswith("systempatterns.md")
        ]
        return (*logs, *adr_folders(self.files(roles.ADR), self.page))

    @cached_property
    def entry_files(self) -> tuple[EntryFile, ...]:
        """The entry files with links and imports resolved."""
        by_path = {file.path: file for file in self.memory.files}
        names: dict[object, list[MemoryFile]] = {}
        for file in self.files(roles.ENTRY):
            if not file.problem:
                names.setdefault(_identity(file), []).append(file)
        found = []
        for some in names.values():
            # A link is named after the file that it leads to.
            some.sort(key=lambda file: bool(file.target))
            imports, imported = imports_of(some[0], by_path.get, self.page)
            pages = (self.page(some[0]), *(self.page(one) for one in imported))
            lines = tuple(
                (page.path, number, text)
                for page in pages
                for number, text in enumerate(page.lines)
                if number
            )
            found.append(EntryFile(some[0], tuple(one.path for one in some), pages[0], pages, lines, imports))
        return tuple(found)

    @staticmethod
    def _each(files: tuple[MemoryFile, ...]) -> list[MemoryFile]:
        """Each file on disk once."""
        seen: dict[object, MemoryFile] = {}
        for file in files:
            seen.setdefault(_identity(file), file)
        return list(seen.values())

    def exists(self, path: str) -> bool | None:
        """Whether ``path`` (relative to the project, with ``/``) is there; None where nobody asked.

        What ``references.wanted`` tells of the files read was asked after when they were read.
        """
        answer = self.memory.probes.get(path)
        if answer is None and (
            path in self.memory.names or any(file.path == path for file in self.memory.files)
        ):
            return True
        return answer


def _identity(file: MemoryFile) -> object:
    return file.stamp[2] or file.target or file.path
