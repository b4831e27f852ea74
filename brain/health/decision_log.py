"""The decisions of a memory: logs, tables, folders of ADRs, and the decisions of BMAD+ memories."""

from __future__ import annotations

import re

from brain.health.dates import find_date
from brain.health.decision_entries import find_entries, whole_file
from brain.health.decision_names import Name, read_name
from brain.health.decision_values import ADR, BMAD, FIELDS, LOG, TABLE, Decision, DecisionFile
from brain.health.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from brain.health.values import MemoryFile

__all__ = ["ADR", "BMAD", "FIELDS", "LOG", "TABLE", "Decision", "DecisionFile", "decisions_of", "entries_of"]

_BMAD_FOLDERS = (".agents/memory/", ".bmad/memory/")
_NUMBER = re.compile(r"(?:adr[-_]?)?(\d{1,6})(?=[-_. ])", re.IGNORECASE)
_FEW = 40  # visible characters that a file may have without saying something


def entries_of(data: bytes, path: str, kind: str = "") -> tuple[Decision, ...]:
    """The entries of the content ``data`` of the decision file ``path``: for earlier contents of one, too."""
    return decisions_of(Page(path, data), kind)


def decisions_of(page: Page, kind: str = "") -> tuple[Decision, ...]:
    """The entries of a page; ``kind`` is ``ADR`` for a file of an ADR folder, else told by its path."""
    if kind == ADR:
        return (_record(page),)
    return find_entries(page, kind or (BMAD if page.path.startswith(_BMAD_FOLDERS) else LOG))


def decision_file(file: MemoryFile, page: Page, kind: str = "") -> DecisionFile:
    """A log with its entries."""
    entries = decisions_of(page, kind)
    kinds = {one.kind for one in entries}
    told = kinds.pop() if len(kinds) == 1 else kind or LOG
    return DecisionFile(file.path, told, (file,), entries, bool(entries) or _is_empty(page))


def adr_folders(files: Iterable[MemoryFile], page: Callable[[MemoryFile], Page]) -> tuple[DecisionFile, ...]:
    """One for each folder of the ADR files, each readable file an entry; templates and indexes are none."""
    folders: dict[str, list[MemoryFile]] = {}
    for file in files:
        folder, _, name = file.path.rpartition("/")
        if is_record(name):
            folders.setdefault(folder, []).append(file)
    found = []
    for folder, some in folders.items():
        some.sort(key=lambda file: file.path)
        entries = tuple(_record(page(file)) for file in some if not file.problem)
        found.append(DecisionFile(folder, ADR, tuple(some), entries, recognised=True))
    return tuple(found)


def is_record(name: str) -> bool:
    """Whether a file of that name in an ADR folder is a record."""
    folded = name.lower()
    if not folded.endswith((".md", ".markdown")):
        return False
    stem = folded.rsplit(".", 1)[0]
    return not (
        stem.startswith("template") or stem.endswith(("template", "-template")) or stem in ("index", "readme")
    )


def _record(page: Page) -> Decision:
    """A file of an ADR folder as one entry."""
    name = page.path.rpartition("/")[2]
    stem = name.rsplit(".", 1)[0]
    told = read_name(page.title.text if page.title else "")
    number = _NUMBER.match(name)
    prefixed = find_date(stem[:16])
    if prefixed and prefixed[1] == 0:
        told.date = told.date or prefixed[0]
    elif number:
        told.number = int(number[1])
        told.identifier = number[1]
    elif not told.identifier and told.number is not None:
        told.identifier = str(told.number)
    told.title = told.title or stem
    _from_front_matter(page, told)
    return whole_file(page, told)


def _from_front_matter(page: Page, told: Name) -> None:
    front = page.front_matter
    if front is None or front.complaint:
        return
    found = find_date(front.text("date"), day_first=True)
    if found:
        told.date = told.date or found[0]
    status = front.text("status")
    if status and not told.status:
        inner = read_name(f"x ({status[:60]})")
        told.status, told.superseded_by = inner.status, inner.superseded_by


def _is_empty(page: Page) -> bool:
    """Whether a page says nothing yet: a template, a title, comments."""
    headings = {one.line for one in page.headings}
    told = (text for line, text in enumerate(page.visible) if line not in headings)
    return sum(len(text.strip()) for text in told) < _FEW
