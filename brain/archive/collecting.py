"""Collects what a brain holds, for its export.

The order is that of BMAD+: identity, decisions, lessons, patterns, the cards; then what it
leaves out: the index, what the project's ledgers amount to, and the pages of a linked brain. Only regular
files are read, bounded, through no symbolic link; what cannot be read becomes a problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from brain import layout
from brain.archive.ledger_facts import ledger_facts
from brain.files.kernel_lock import open_folder
from brain.files.reading import UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER
from brain.locate import CLAUDE_MEMORY, PORTFOLIO, Brain
from brain.problem import Problem
from brain.project_cards import INDEX_NAME
from brain.value import Value

CODE = "export-left-out"

FILE_CAP = 1024 * 1024
TOTAL_CAP = 64 * FILE_CAP
_NAMES_CAP = 100_000


class Part(Value):
    """A piece of an export: ``title``, ``text`` and the absolute path ``source`` that it comes from.

    ``level`` is that of its heading, 2 or 3. ``kind`` is section (a heading over the parts behind it, without
    text), identity, memory, card, index, page (a linked brain's own), claims (those of pages, a
    line of JSON each), or ledger (facts in our own words; all other texts are foreign).
    """

    __slots__ = ("kind", "level", "source", "text", "title")

    def __init__(self, title: str, kind: str, text: str, source: str, level: int = 2) -> None:
        self.level = level
        self.title = title
        self.kind = kind
        self.text = text
        self.source = source


class Archive(Value):
    """What will be exported, in its order, and what had to be left out."""

    __slots__ = ("parts", "problems")

    def __init__(self, parts: tuple[Part, ...], problems: tuple[Problem, ...]) -> None:
        self.parts = parts
        self.problems = problems


class NoBrainError(Exception):
    """There is no brain that could be exported."""

    code = "no-brain"

    def __init__(self, brain: Brain) -> None:
        super().__init__(
            f"there is no brain at {brain.path} ({brain.source}): make one with `zecher memory init`"
        )
        self.path = brain.path


def collect(brain: Brain, project: str | None = None) -> Archive:
    """Everything that the export of ``brain`` holds, and the facts of the ledgers of ``project``, if given.

    A part that is larger than 1 MiB, or lies beyond 64 MiB in total, is left out and named. Bytes that are
    not UTF-8 are surrogate escapes in the text. ``NoBrainError`` when no folder stands at the brain's path.
    """
    root = os.path.realpath(brain.path)
    if not os.path.isdir(root):
        raise NoBrainError(brain)
    shelf = _Shelf(root)
    shelf.take_named((layout.IDENTITY,), "identity")
    shelf.take_named(layout.NOTE_FILES, "memory")
    shelf.take_folder(layout.PROJECTS, "Projects", "card", ".yaml")
    shelf.take_named((INDEX_NAME,), "index")
    if project is not None:
        shelf.take_ledgers(os.path.realpath(project))
    if brain.type == PORTFOLIO:
        entry = layout.entry_point(root)
        shelf.take_named((os.path.basename(entry),) if entry else (), "page")
        folder = os.path.relpath(layout.memory_folder(root, brain.type), root)
        shelf.take_folder(folder, "Memory", "page", ".md")
    elif brain.type == CLAUDE_MEMORY:
        shelf.take_folder("", "Memory", "page", ".md")
    return Archive(tuple(shelf.parts), tuple(shelf.problems))


class _Shelf:
    """Parts in the order in which they are taken from the brain at ``root``."""

    def __init__(self, root: str) -> None:
        self.parts: list[Part] = []
        self.problems: list[Problem] = []
        self._root = root
        self._left = TOTAL_CAP
        self._taken: set[str] = set()

    def take_named(self, names: Iterable[str], kind: str) -> None:
        """Those of the files ``names`` in the root that exist."""
        self._take(self._root, names, kind, 2)

    def take_folder(self, name: str, heading: str, kind: str, suffix: str) -> None:
        """The files in the folder ``name`` that end with ``suffix``, in byte order, below a heading."""
        path = os.path.join(self._root, name) if name else self._root
        names = self._listing(path, suffix)
        if names is None:
            return
        names = [one for one in names if os.path.join(path, one) not in self._taken]
        if names or kind == "card":  # BMAD+ shows the heading of its cards even over none
            self.parts.append(Part(heading, "section", "", path))
        self._take(path, names, kind, 3)

    def take_ledgers(self, project: str) -> None:
        """A line of facts for each ledger of ``project`` that exists."""
        facts, problems = ledger_facts(project)
        if facts:
            self.parts.append(Part("Ledgers", "section", "", os.path.join(project, LEDGER_FOLDER)))
        self.parts += [Part(os.path.basename(path), "ledger", text, path) for path, text in facts]
        self.problems += [Problem(CODE, "error", path, why) for path, why in problems]

    def _take(self, folder: str, names: Iterable[str], kind: str, level: int) -> None:
        try:
            opened = open_folder(folder)
        except OSError as error:
            self._leave_out(folder, error.strerror or str(error))
            return
        try:
            for name in names:
                self._take_one(opened, os.path.join(folder, name), kind, level)
        finally:
            os.close(opened)

    def _take_one(self, folder: int, path: str, kind: str, level: int) -> None:
        name = os.path.basename(path)
        try:
            data = read_seen(name, min(FILE_CAP, self._left), folder=folder).data or b""
        except UnreadableError as error:
            if error.code != "missing":
                full = error.code == "too-large" and self._left < FILE_CAP
                self._leave_out(path, "the export is full" if full else error.message)
            return
        self._left -= len(data)
        self._taken.add(path)
        text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").strip()
        self.parts.append(Part(name, kind, text, path, level))

    def _listing(self, path: str, suffix: str) -> list[str] | None:
        """The names in a folder in byte order; None where there is none to list."""
        try:
            opened = open_folder(path)
            try:
                names = os.listdir(opened)
            finally:
                os.close(opened)
        except FileNotFoundError:
            return None
        except OSError as error:
            linked = os.path.islink(path)
            why = "a symbolic link, which is not followed" if linked else error.strerror or str(error)
            self._leave_out(path, why)
            return None
        chosen = sorted((name for name in names if name.endswith(suffix)), key=os.fsencode)
        if len(chosen) > _NAMES_CAP:
            self._leave_out(path, f"{len(chosen) - _NAMES_CAP} files beyond the first {_NAMES_CAP}")
        return chosen[:_NAMES_CAP]

    def _leave_out(self, path: str, why: str) -> None:
        self.problems.append(
            Problem(CODE, "error", path, why, "put a readable file there, then export again")
        )
