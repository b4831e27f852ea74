"""Which files of a project and of a brain are searched, and which of them anybody may be shown.

The names are those that people and tools give (``brain.health.roles``); ``MEMORY.md`` and what stands below
``memory/`` is OpenClaw's, in its rules: this very case, ``.md`` alone, no links, neither its diary nor what
its dreaming left. Nothing is read here, only listed; what lies behind a link is not looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import islice
from stat import S_ISLNK, S_ISREG

from brain.files.links import refuse_links
from brain.health import roles
from brain.search.values import Source
from brain.value import Value

FILE_CAP = 2 * 1024 * 1024
"""Bytes of a file that is searched."""
FILES_CAP = 20_000
"""Files of one project or brain."""
BYTES_CAP = 100 * 1024 * 1024
"""Bytes of all files of one project or brain."""

PROJECT, BRAIN = "project", "brain"
JOURNAL = ".bmad/memory/journal.ndjson"

_MEMORY, _DECISION, _DOC, _EVENT, _HANDOVER = "memory", "decision", "doc", "event", "handover"
CLASSES = (_MEMORY, _DECISION, _DOC, _EVENT, _HANDOVER)

_NAMES_CAP = 20_000
_DEPTH = 8
_VAULT = ".notarium/memory"
_PACKAGES = 50
# Folders whose files may play a role, besides those of ADRs; each is listed where it stands.
_FOLDERS = (
    "", "docs", ".agent", "memory-bank", ".agents/memory", ".agents/memory/sessions", ".agents/memory/notes",
    ".bmad/memory", ".bmad/memory/sessions", _VAULT,
)  # fmt: skip
_BMAD_FOLDERS = (".agents/memory", ".bmad/memory")
_TREE = "memory"
# Below memory/ and in a brain: a diary and reports of dreaming, and what Zecher writes itself.
_NOT_SEARCHED = frozenset(("dreams.md", "projects-index.md"))
_NOT_ENTERED = frozenset(("dreaming", "reports", "exports", "node_modules", "venv", "__pycache__"))
_EXPORT = re.compile(r"bmad-brain-export-\d{4}-\d\d-\d\d.*\.md")
# What a name below memory/ may begin with so that nothing but its ending counts: neither diary nor export.
_PLAIN_START = frozenset("acefghijklmnopqrstuvwxyzACEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_PLAIN_NOTE = ("note", "memory")
_KLASSES = {
    roles.PROGRESS: _HANDOVER,
    roles.DECISIONS: _DECISION,
    roles.ADR: _DECISION,
    roles.BANK: _DOC,
    roles.REMEMBERED: _MEMORY,
}


class Place(Value):
    """A project or brain: its folder ``root``, a real path, and ``kind``, ``project`` or ``brain``."""

    __slots__ = ("kind", "root")

    def __init__(self, root: str, kind: str = PROJECT) -> None:
        self.root = root
        self.kind = kind

    @property
    def project(self) -> str:
        """What its notes are filed under: the folder of a project, empty for a brain."""
        return self.root if self.kind == PROJECT else ""


Row = tuple[str, int, int, str, str, str, str]
"""A file as it was listed: path, size, time, root, project, kind, class."""


class Listed:
    """The files of some places by path.

    ``left_out`` counts those that are too much, too large or no files, whose names are no text, and folders
    that lie too deep.
    """

    __slots__ = ("left_out", "rows")

    def __init__(self, rows: dict[str, Row], left_out: int) -> None:
        self.rows = rows
        self.left_out = left_out

    @property
    def sources(self) -> tuple[Source, ...]:
        """All of them, in the order of their paths."""
        return tuple(source_of(self.rows[path]) for path in sorted(self.rows))


def source_of(row: Row) -> Source:
    """The source that was listed as ``row``."""
    path, size, mtime_ns, root, project, kind, klass = row
    return Source(path, project=project, root=root, kind=kind, klass=klass, size=size, mtime_ns=mtime_ns)


def list_sources(places: Iterable[Place]) -> Listed:
    """What is searched of ``places``, with size and time; each file once, in the first place that has it."""
    found: dict[str, Row] = {}
    left_out = 0
    for place in places:
        listing = _Listing(place)
        own = listing.rows()
        left_out += listing.left_out
        if len(own) > FILES_CAP or sum([row[1] for row in own.values()]) > BYTES_CAP:
            whole = len(own)
            own = _within_caps(own)
            left_out += whole - len(own)
        found = own | found if found else own
    return Listed(found, left_out)


def _within_caps(rows: dict[str, Row]) -> dict[str, Row]:
    size = 0
    kept = {}
    for path in sorted(rows)[:FILES_CAP]:
        size += rows[path][1]
        if size > BYTES_CAP:
            break
        kept[path] = rows[path]
    return kept


def role_of(relative: str, kind: str) -> tuple[str, str] | None:
    """Kind and class of the file ``relative`` (with ``/``) of a project or brain; None for no memory."""
    folder, _, name = relative.rpartition("/")
    if relative == JOURNAL or (kind == BRAIN and relative == "journal.ndjson"):
        return "journal", _EVENT
    if not name.endswith(".md") or name.startswith(".") or _EXPORT.fullmatch(name):
        return None
    if kind == BRAIN:
        return _role_in_brain(relative, folder, name)
    if not folder and name.lower() == "memory.md":
        return ("note", _MEMORY) if name == "MEMORY.md" else None
    if folder == _TREE or folder.startswith(_TREE + "/"):
        return _role_in_tree(folder, name)
    if folder in _BMAD_FOLDERS or folder.rpartition("/")[0] in _BMAD_FOLDERS:
        return _role_in_bmad(folder, name)
    return _role_in_project(relative, folder)


def _role_in_project(relative: str, folder: str) -> tuple[str, str] | None:
    role = roles.main_role(relative)
    if role in _KLASSES:
        return ("remembered" if role == roles.REMEMBERED else "note"), _KLASSES[role]
    if folder.startswith(_VAULT):
        return ("remembered", _MEMORY) if folder.count("/") < 3 else None
    if folder.startswith("packages/") and folder.endswith("/adr") and folder.count("/") == 2:
        return "note", _DECISION
    return None


def _role_in_tree(folder: str, name: str) -> tuple[str, str] | None:
    parts = folder.split("/")[1:]
    if name.lower() in _NOT_SEARCHED or any(not _is_entered(part) for part in parts):
        return None
    return "note", _MEMORY


def _role_in_bmad(folder: str, name: str) -> tuple[str, str] | None:
    last = folder.rpartition("/")[2]
    if last == "sessions":
        return "session", _HANDOVER
    if last == "notes":
        return "remembered", _MEMORY
    if folder not in _BMAD_FOLDERS:
        return None
    return "note", {"decisions.md": _DECISION, "context.md": _DOC}.get(name.lower(), _MEMORY)


def _role_in_brain(relative: str, folder: str, name: str) -> tuple[str, str] | None:
    parts = folder.split("/") if folder else []
    if relative.startswith(_VAULT + "/"):
        parts = parts[2:]
    if name.lower() in _NOT_SEARCHED or any(not _is_entered(part) for part in parts):
        return None
    if parts[-1:] == ["sessions"]:
        return "session", _HANDOVER
    if name.lower() in ("decisions.md", "decisionlog.md") or "decisions" in parts or "adr" in parts:
        return "note", _DECISION
    if not folder and name.lower() not in ("lessons.md", "patterns.md", "memory.md"):
        return "note", _DOC
    return ("remembered" if folder in (_TREE, _VAULT) else "note"), _MEMORY


def _is_entered(name: str) -> bool:
    return not name.startswith(".") and name.lower() not in _NOT_ENTERED


def find(path: str, places: Iterable[Place], *, diary: bool = False) -> tuple[Place, str] | None:
    """The place whose memory the file ``path`` (absolute, tidy) belongs to, and the path from there.

    None for what is no memory of any of them, or lies behind a link. With ``diary`` OpenClaw's counts, too,
    which may be read but is not searched. Raises ``MemError`` for a link.
    """
    for place in places:
        prefix = place.root.rstrip(os.sep) + os.sep
        if not path.startswith(prefix):
            continue
        relative = path[len(prefix) :].replace(os.sep, "/")
        shown = diary and relative.lower() in ("dreams.md", "memory/dreams.md")
        if ".." not in relative.split("/") and (shown or role_of(relative, place.kind)):
            refuse_links(place.root, relative)
            return place, relative
    return None


class _Listing:
    """The files of one place."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._root = place.root.rstrip("/") + "/"
        self._rows: dict[str, Row] = {}
        self._seen: set[str] = set()
        self.left_out = 0

    def rows(self) -> dict[str, Row]:
        """All of them by path."""
        if self._place.kind == BRAIN:
            self._tree("", 0)
            self._folder(_VAULT)
            return self._rows
        top = set(self._list(""))
        for folder in (*_FOLDERS[1:], *roles.ADR_FOLDERS):
            if folder.partition("/")[0] in top:
                self._folder(folder)
        if _TREE in top:
            self._tree(_TREE, 0)
        if ".notarium" in top and self._is_real(_VAULT):
            for name in self._folders_of(_VAULT):
                if not name.startswith("."):
                    self._folder(f"{_VAULT}/{name}")
        if "packages" in top:
            for name in self._folders_of("packages")[:_PACKAGES]:
                self._folder(f"packages/{name}/adr")
        return self._rows

    def _folders_of(self, folder: str) -> list[str]:
        return sorted(self._list(folder)) if self._is_real(folder) else []

    def _folder(self, folder: str) -> None:
        if self._is_real(folder):
            self._list(folder)

    def _tree(self, folder: str, depth: int) -> None:
        below = self._list(folder)
        if depth < _DEPTH:
            for name in sorted(filter(_is_entered, below)):
                self._tree(f"{folder}/{name}" if folder else name, depth + 1)
        else:
            self.left_out += sum(map(_is_entered, below))

    def _list(self, folder: str) -> list[str]:
        """Take the files of ``folder`` that are searched; the names of the folders in it."""
        below: list[str] = []
        files: list[os.DirEntry[str]] = []
        try:
            with os.scandir(self._root + folder) as entries:
                for entry in islice(entries, _NAMES_CAP):
                    name = entry.name
                    if name.endswith((".md", ".ndjson")) and not entry.is_dir(follow_symlinks=False):
                        files.append(entry)
                    elif entry.is_dir(follow_symlinks=False) and _can_be_stored(name):
                        below.append(name)
        except OSError:
            return below
        if folder not in self._seen:
            self._seen.add(folder)
            self._take(folder, files)
        return below

    def _take(self, folder: str, files: list[os.DirEntry[str]]) -> None:
        place, rows = self._place, self._rows
        relative = f"{folder}/" if folder else ""
        above = self._root + relative
        # Of a tree with ten thousand files the names are not asked one by one what the folder has answered.
        of_tree = place.kind == PROJECT and folder.partition("/")[0] == _TREE
        facts = (place.root, place.project)
        for entry in files:
            name = entry.name
            if of_tree and name[0] in _PLAIN_START and name.isascii() and name[-1] == "d":
                role: tuple[str, str] | None = _PLAIN_NOTE
            else:
                role = role_of(relative + name, place.kind)
                if role is not None and not _can_be_stored(name):
                    self.left_out += 1
                    continue
            if role is not None:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if S_ISREG(status.st_mode) and status.st_size <= FILE_CAP:
                    path = above + name
                    rows[path] = (path, status.st_size, status.st_mtime_ns, *facts, *role)
                elif not S_ISLNK(status.st_mode):
                    self.left_out += 1

    def _is_real(self, folder: str) -> bool:
        """Whether no part of ``folder`` is a link."""
        path = self._place.root
        for part in folder.split("/"):
            path = os.path.join(path, part)
            if os.path.islink(path):
                return False
        return True


def _can_be_stored(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in name)
