"""Which files of a project and of a brain are searched, and which of them anybody may be shown.

The names are those that people and tools give (``brain.health.roles``); ``MEMORY.md`` and what stands below
``memory/`` is OpenClaw's, in its rules: this very case, ``.md`` alone, no links, neither its diary nor what
its dreaming left. Nothing is read here, only listed; what lies behind a link is not looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from stat import S_ISREG

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


class Listed(Value):
    """The files of some places, in the order of their paths; ``left_out`` counts those beyond the caps."""

    __slots__ = ("left_out", "sources")

    def __init__(self, sources: tuple[Source, ...], left_out: int) -> None:
        self.sources = sources
        self.left_out = left_out


def list_sources(places: Iterable[Place]) -> Listed:
    """What is searched of ``places``, with size and time; each file once, in the first place that has it."""
    found: dict[str, Source] = {}
    left_out = 0
    for place in places:
        own = list(_Listing(place).files())
        if len(own) > FILES_CAP or sum([source.size for source in own]) > BYTES_CAP:
            whole = len(own)
            own = _within_caps(own)
            left_out += whole - len(own)
        for source in own:
            found.setdefault(source.path, source)
    return Listed(tuple(found[path] for path in sorted(found)), left_out)


def _within_caps(sources: list[Source]) -> list[Source]:
    size = 0
    kept = []
    for source in sorted(sources, key=lambda source: source.path)[:FILES_CAP]:
        size += source.size
        if size > BYTES_CAP:
            break
        kept.append(source)
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
        self._seen: set[str] = set()

    def files(self) -> Iterator[Source]:
        if self._place.kind == BRAIN:
            yield from self._tree("", 0)
            yield from self._folder(_VAULT, {})
            return
        top = dict(self._names(""))
        yield from self._of(top, "")
        for folder in (*_FOLDERS[1:], *roles.ADR_FOLDERS):
            yield from self._folder(folder, top)
        if _TREE in top:
            yield from self._tree(_TREE, 0)
        if ".notarium" in top:
            for name, entry in sorted(self._names(_VAULT)):
                if not name.startswith(".") and _is_folder(entry):
                    yield from self._folder(f"{_VAULT}/{name}", top)
        if "packages" in top:
            for name, _ in sorted(self._names("packages"))[:_PACKAGES]:
                yield from self._folder(f"packages/{name}/adr", top)

    def _folder(self, folder: str, top: dict[str, os.DirEntry[str]]) -> Iterator[Source]:
        first = folder.partition("/")[0]
        if top and (first not in top or not _is_folder(top[first])):
            return
        if folder.count("/") and not self._is_real(folder):
            return
        yield from self._of(dict(self._names(folder)), folder)

    def _tree(self, folder: str, depth: int) -> Iterator[Source]:
        names = dict(self._names(folder))
        yield from self._of(names, folder)
        if depth == _DEPTH:
            return
        for name, entry in sorted(names.items()):
            if _is_entered(name) and _is_folder(entry):
                yield from self._tree(f"{folder}/{name}" if folder else name, depth + 1)

    def _of(self, names: dict[str, os.DirEntry[str]], folder: str) -> Iterator[Source]:
        place = self._place
        if folder in self._seen:
            return
        self._seen.add(folder)
        root = f"{place.root.rstrip('/')}/{folder}/" if folder else f"{place.root.rstrip('/')}/"
        # Of a tree with ten thousand files the names are not asked one by one what the folder has answered.
        of_tree = place.kind == PROJECT and folder.partition("/")[0] == _TREE
        for name, entry in names.items():
            if not name.endswith((".md", ".ndjson")):
                continue
            if of_tree and name[:1].isalnum() and name.isascii() and name[0] not in "dDpPbB":
                role: tuple[str, str] | None = ("note", _MEMORY)
                if not name.endswith(".md"):
                    continue
            else:
                role = role_of(f"{folder}/{name}" if folder else name, place.kind)
            if role is None:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if S_ISREG(status.st_mode) and status.st_size <= FILE_CAP:
                yield Source(
                    root + name,
                    project=place.project,
                    root=place.root,
                    kind=role[0],
                    klass=role[1],
                    size=status.st_size,
                    mtime_ns=status.st_mtime_ns,
                )

    def _names(self, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """The names in ``folder`` that can be shown and stored."""
        path = os.path.join(self._place.root, *folder.split("/")) if folder else self._place.root
        try:
            with os.scandir(path) as entries:
                for count, entry in enumerate(entries):
                    if count == _NAMES_CAP:
                        break
                    if entry.name.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in entry.name):
                        yield entry.name, entry
        except OSError:
            return

    def _is_real(self, folder: str) -> bool:
        """Whether no part of ``folder`` is a link."""
        path = self._place.root
        for part in folder.split("/"):
            path = os.path.join(path, part)
            if os.path.islink(path):
                return False
        return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
