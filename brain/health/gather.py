"""Reads the memory of one project, or the brain's own: which files there are, and what they hold.

Only folders that may hold memory are listed, each at most so far; only regular files inside the project are
read, each up to 1 MiB; a link is followed where it stays inside. What was looked at is told as evidence, so
that a cache can ask again cheaply.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice

from brain.files.reading import Stamp, UnreadableError, inside, read_seen, stamp_of
from brain.health import roles
from brain.health.folders import ABSENT, NAMES_CAP, Folders, is_text, stamp_at, there
from brain.health.imports import imports_of
from brain.health.parsed import ParsedMemory
from brain.health.values import Memory, MemoryFile
from brain.knowledge.pages import says_it_is_a_page
from brain.knowledge.places import ELSEWHERE, places_of
from brain.knowledge.values import KINDS
from brain.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.knowledge.values import Page

READ_CAP = 1024 * 1024
FILES_CAP = 600
TOTAL_CAP = 24 * 1024 * 1024
PROBES_CAP = 2000
TEST_FILES = 3

# Folders that are looked into where they stand, and what in them: None for names of a role alone.
_FOLDERS = (
    "docs", ".agent", ".agents/memory", ".agents/memory/sessions", ".agents/memory/notes", ".notarium/memory",
    ".bmad/memory", ".bmad/memory/sessions",
    "memory-bank", "memory", ".claude", ".github", ".cursor/rules", ".windsurf/rules", ".clinerules",
    ".roo/rules", "scripts", "script", "bin", *roles.ADR_FOLDERS, "tests", "test", "spec", "__tests__",
    *roles.SOURCE_FOLDERS,
)  # fmt: skip
VAULT = ".notarium/memory"
_MEMORIES = frozenset((".agents", ".agents/memory", ".bmad", ".bmad/memory", "memory-bank", "memory"))
_ORDER = {role: at for at, role in enumerate(roles.ROLES)}
_SESSIONS = 30
_PACKAGES = 50


@dataclass(frozen=True, slots=True)
class Gathered:
    """A memory without its git facts; ``parsed`` has read it.

    ``evidence`` are all folders that were listed and all files and links that were looked at, as (absolute
    path, stamp); a stamp of three times -1 for what was not there. While they and ``memory.probes`` answer
    the same, the same memory would be gathered.
    """

    memory: Memory
    parsed: ParsedMemory
    evidence: tuple[tuple[str, Stamp], ...]


def gather(
    path: str,
    *,
    name: str = "",
    kind: str = "project",
    status: str = "active",
    identifier: str = "",
    home: str = "",
    user: int = 0,
    previous: Memory | None = None,
) -> Memory:
    """The memory at ``path`` (absolute), without git; see ``gather_with_evidence``."""
    return gather_with_evidence(
        path,
        name=name,
        kind=kind,
        status=status,
        identifier=identifier,
        home=home,
        user=user,
        previous=previous,
    ).memory


def gather_with_evidence(
    path: str,
    *,
    name: str = "",
    kind: str = "project",
    status: str = "active",
    identifier: str = "",
    home: str = "",
    user: int = 0,
    previous: Memory | None = None,
    wants_probes: bool = True,
) -> Gathered:
    """Read the memory at ``path`` (absolute); never raises for what stands there.

    With ``home`` the memory that Claude Code keeps there for the project is read, too. The bytes of files
    whose stamp is that of ``previous`` are taken from there. ``kind`` ``brain`` reads the notes and ledgers
    of a brain. Without ``wants_probes`` nobody asks whether the files are there that they refer to.
    """
    reading = _Reading(path, previous)
    if kind == "brain":
        reading.brain()
    else:
        reading.project(home)
    memory = Memory(
        path=path,
        name=name or os.path.basename(path.rstrip(os.sep)),
        kind=kind,
        status=status,
        identifier=identifier,
        files=reading.ordered(),
        names=frozenset(reading.folders.names),
        home=home,
        user=user,
    )
    parsed = ParsedMemory(memory)
    if parsed.knowledge:
        memory = replace(memory, lines=reading.count_lines(parsed.knowledge))
        parsed = parsed.renewed(memory)
    if not wants_probes:
        return Gathered(memory, parsed, tuple(reading.folders.evidence.items()))
    from brain.health.references import wanted  # noqa: PLC0415 - start-up: 3 ms, only before the rules

    probes = {one: there(path, one) for one in islice(wanted(parsed), PROBES_CAP)}
    memory = replace(memory, probes=probes)
    return Gathered(memory, parsed.renewed(memory), tuple(reading.folders.evidence.items()))


def still_holds(path: str, evidence: Iterable[tuple[str, Stamp]], probes: Iterable[tuple[str, bool]]) -> bool:
    """Whether all that was looked at for the memory at ``path`` answers as it did."""
    return all(stamp_at(one) == stamp for one, stamp in evidence) and all(
        there(path, one) == answer for one, answer in probes
    )


class _Reading:
    """One memory on its way."""

    def __init__(self, path: str, previous: Memory | None) -> None:
        self.folders = Folders(path)
        self._before = {one.path: one for one in previous.files} if previous else {}
        self._files: dict[str, MemoryFile] = {}
        self._left = TOTAL_CAP

    def ordered(self) -> tuple[MemoryFile, ...]:
        """The files by role, the best known name first."""
        return tuple(
            sorted(
                self._files.values(),
                key=lambda file: (
                    _ORDER.get(file.role, 99),
                    roles.roles_of(file.path).get(file.role, 999),
                    file.path,
                ),
            )
        )

    def project(self, home: str) -> None:
        """All roles of a project."""
        self.folders.look("")
        for folder in _FOLDERS:
            if folder.partition("/")[0] in self.folders.listed[""][1]:
                self.folders.look(folder)
        self._vault()
        for folder, (real, names) in list(self.folders.listed.items()):
            self._known(folder, real, names)
        self._records()
        self._knowledge("", *_WIKIS)
        self._imports()
        self._closed_folders()
        if home:
            self._tool_memory(home)

    def brain(self) -> None:
        """The notes, ledgers and identity of a brain; those of a portfolio stand in ``memory/``.

        What the user asked to be kept stands there, too, or in a vault.
        """
        self.folders.look("")
        for folder in ("", "memory", VAULT):
            if folder and folder.partition("/")[0] not in self.folders.listed[""][1]:
                continue
            real, names = self.folders.look(folder) or ("", {})
            for folded, name in names.items():
                role = _brain_role(folded, kept=bool(folder and real))
                if role:
                    self._read(f"{real}/{name}" if real else name, role)
        self._knowledge("", "wiki")

    def _vault(self) -> None:
        """In a vault each project has a folder of its own."""
        if VAULT in self.folders.listed:
            for name in sorted(self.folders.listed[VAULT][1])[:_PACKAGES]:
                if not name.endswith(".md"):
                    self.folders.look(f"{VAULT}/{name}")

    def _known(self, folder: str, real: str, names: dict[str, str]) -> None:
        by_name = roles.names_in(folder)
        patterned = folder in _PATTERNED or folder.startswith(VAULT)
        some = sorted(names) if patterned else [one for one in by_name if one in names]
        if folder in _NEWEST_FIRST:
            some = some[::-1][:_SESSIONS]
        tests = 0
        for folded in some:
            relative = f"{real}/{names[folded]}" if real else names[folded]
            role = roles.main_role(relative)
            if role == roles.START and folder:
                tests += 1
                if tests > TEST_FILES:
                    continue
            if role:
                self._read(relative, role)

    def _read(self, relative: str, role: str) -> MemoryFile | None:
        """Read one file; None for what is not there or is no file."""
        if relative in self._files:
            return self._files[relative]
        if len(self._files) >= FILES_CAP:
            return None
        file = self._file(relative, os.path.join(self.folders.path, *relative.split("/")), role)
        if file is not None and (file := _as_played(file)) is not None:
            self._files[relative] = file
        return file

    def _file(self, relative: str, path: str, role: str) -> MemoryFile | None:
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            self.folders.evidence[path] = ABSENT
            return None
        self.folders.evidence[path] = stamp_of(status)
        target, where = "", path
        if stat.S_ISLNK(status.st_mode):
            where = os.path.realpath(path)
            if not inside(where, self.folders.real):
                return MemoryFile(role, relative, problem="link")
            target = os.path.relpath(where, self.folders.real).replace(os.sep, "/")
            try:
                status = os.lstat(where)
            except OSError:
                self.folders.evidence[where] = ABSENT
                return MemoryFile(role, relative, problem="missing", target=target)
            self.folders.evidence[where] = stamp_of(status)
        if stat.S_ISDIR(status.st_mode):
            # Some roles may be a folder, too; a page never is.
            is_page = relative.lower().endswith((".md", ".txt", ".ndjson"))
            return MemoryFile(role, relative, problem="not-regular") if is_page else None
        return self._content(
            MemoryFile(
                role,
                relative,
                target=target,
                stamp=stamp_of(status),
                mode=stat.S_IMODE(status.st_mode),
                owner=status.st_uid,
            ),
            where,
            status,
        )

    def _content(self, file: MemoryFile, where: str, status: os.stat_result) -> MemoryFile:
        if not stat.S_ISREG(status.st_mode):
            return replace(file, problem="not-regular")
        before = self._before.get(file.path)
        if before is not None and before.stamp == file.stamp and not before.problem:
            return replace(file, data=before.data)
        if status.st_size > min(READ_CAP, self._left):
            return replace(file, problem="too-large")
        try:
            seen = read_seen(where, READ_CAP)
        except UnreadableError as error:
            return replace(file, problem=error.code)
        self._left -= len(seen.data or b"")
        self.folders.evidence[where] = seen.stamp
        return MemoryFile(
            file.role, file.path, seen.data or b"", "", file.target, seen.stamp, file.mode, file.owner
        )

    def _records(self) -> None:
        """The folders of ADRs that a configuration names, and those of packages."""
        for folder in (*self._configured(), *self._of_packages()):
            listed = self.folders.look(folder.lower())
            if listed is None:
                continue
            real, names = listed
            self.folders.names.update(f"{real}/{name}" for name in names.values())
            for folded, name in sorted(names.items()):
                if folded.endswith(".md"):
                    self._read(f"{real}/{name}", roles.ADR)

    def _configured(self) -> Iterator[str]:
        own = self.folders.listed[""][1]
        if ".adr-dir" in own and (
            file := self._file(".adr-dir", os.path.join(self.folders.path, ".adr-dir"), roles.ADR)
        ):
            lines = file.data[:4096].decode("utf-8", "replace").splitlines()
            yield from filter(None, (inside_path(line) for line in lines[:1]))
        for name in (".log4brains.yml", ".log4brains.yaml"):
            if name in own and (file := self._file(name, os.path.join(self.folders.path, name), roles.ADR)):
                yield from filter(None, (inside_path(folder) for folder in log4brains(file.data)))

    def _of_packages(self) -> Iterator[str]:
        if "packages" in self.folders.listed[""][1] and (packages := self.folders.look("packages")):
            for name in sorted(packages[1])[:_PACKAGES]:
                inner = self.folders.look(f"packages/{name}")
                if inner and "adr" in inner[1]:
                    yield f"packages/{name}/adr"

    def _knowledge(self, *bases: str) -> None:
        """The pages of knowledge: all of a wiki, elsewhere those that say that they are such."""
        for base in bases:
            if base.partition("/")[0] not in ("", *self.folders.listed[""][1]):
                continue
            names = (self.folders.look(base) or ("", {}))[1]
            kinds = [kind for kind in KINDS if kind in names]
            for kind in kinds:
                real, inner = self.folders.look(f"{base}/{kind}" if base else kind) or ("", {})
                for folded, name in sorted(inner.items()):
                    if real and folded.endswith(".md") and is_text(name):
                        self._page(f"{real}/{name}", is_vault=not _WIKI_MARKS.isdisjoint(names))

    def _page(self, relative: str, *, is_vault: bool) -> None:
        known = relative in self._files
        file = self._read(relative, roles.KNOWLEDGE)
        if file is not None and not (known or is_vault or says_it_is_a_page(file.data)):
            del self._files[relative]

    def count_lines(self, pages: Iterable[Page]) -> dict[str, int | None]:
        """The lines of each file that ``pages`` rest on, by the places where it may stand."""
        found: dict[str, int | None] = {}
        for one in islice(dict.fromkeys(places_of(pages)), PROBES_CAP):
            path = os.path.join(self.folders.path, *one.split("/"))
            if not inside(os.path.realpath(path), self.folders.real):
                found[one] = ELSEWHERE
                continue
            file = self._file(one, path, roles.KNOWLEDGE)
            found[one] = None if file is None and not os.path.isdir(path) else _lines_of(file)
        return found

    def _imports(self) -> None:
        """Read what the entry files import, as far as it stands in the project."""
        for file in [one for one in self._files.values() if one.role == roles.ENTRY and one.data]:
            imports_of(file, self._imported)

    def _imported(self, path: str) -> MemoryFile | None:
        if not inside(os.path.realpath(os.path.join(self.folders.path, path)), self.folders.real):
            return None
        return self._read(path, roles.main_role(path) or roles.IMPORT)

    def _closed_folders(self) -> None:
        """The folders of the memory that are links into nowhere or out of the project: nothing was read."""
        for real, problem, target in self.folders.closed:
            if real.lower() in _MEMORIES:
                self._files[real] = MemoryFile(roles.NOTES, real, problem=problem, target=target)

    def _tool_memory(self, home: str) -> None:
        """What Claude Code keeps for the project: it names the folder by the path, other signs as hyphens."""
        name = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in self.folders.real)
        folder = os.path.join(home, ".claude", "projects", name, "memory")
        self.folders.evidence[folder] = stamp_at(folder)
        if self.folders.evidence[folder] == ABSENT or os.path.islink(folder):
            return
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in islice(entries, NAMES_CAP))
        except OSError:
            return
        shown = f"~/.claude/projects/{name}/memory"
        for one in [name for name in names if name.endswith(".md") and is_text(name)][:200]:
            path = os.path.join(folder, one)
            if not os.path.islink(path) and (file := self._file(f"{shown}/{one}", path, roles.TOOL_MEMORY)):
                self._files[file.path] = file


__all__ = ["Gathered", "gather", "gather_with_evidence", "still_holds", "there"]

# Where pages of knowledge stand besides the project's own folder, and what says that all there are such.
_WIKIS = ("wiki", "docs/wiki", "knowledge", "memory", "memory/wiki")
_WIKI_MARKS = frozenset((".openclaw-wiki", "wiki.md"))
_PATTERNED = frozenset(
    ("", ".agents/memory/sessions", ".agents/memory/notes", ".bmad/memory", ".bmad/memory/sessions", "memory",
     ".cursor/rules",
     ".windsurf/rules", ".clinerules", ".roo/rules", "tests", "test", "spec", "__tests__", *roles.ADR_FOLDERS)
)  # fmt: skip
_NEWEST_FIRST = frozenset((".agents/memory/sessions", ".bmad/memory/sessions"))


def _lines_of(file: MemoryFile | None) -> int:
    """The lines of a file; of a folder, and of what is not read, more than anybody asks for."""
    if file is None or file.problem:
        return ELSEWHERE
    return file.data.count(b"\n") + (not file.data.endswith(b"\n") and bool(file.data))


def _as_played(file: MemoryFile) -> MemoryFile | None:
    """Settings are an init script only with a hook, a Makefile with a target is one, too."""
    name = file.path.lower()
    if name == ".claude/settings.json":
        return file if b'"SessionStart"' in file.data else None
    if name in ("makefile", "gnumakefile") and (b"\ninit:" in file.data or file.data.startswith(b"init:")):
        return replace(file, role=roles.INIT)
    return file


def _brain_role(name: str, *, kept: bool) -> str:
    """The role of a folded name in a brain; ``kept``: in its folder of what was asked to be kept."""
    if name in ("decisions.md", "lessons.md", "patterns.md", "context.md"):
        return roles.NOTES
    if name == "identity.yaml":
        return roles.IDENTITY
    if name in ("readme.md", "agents.md", "hot.md"):
        return roles.ENTRY
    if kept and name.endswith(".md") and name[0] != ".":
        return roles.REMEMBERED
    return roles.LEDGER if name.endswith(".ndjson") or name == "pattern-scores.json" else ""


def inside_path(folder: str) -> str:
    """A folder that a configuration names, relative to the project; empty for one outside of it."""
    path = os.path.normpath(folder.strip().strip("\"'")).replace(os.sep, "/")
    return "" if path in ("", ".") or path.startswith(("/", "..", "~")) or "\0" in path else path


def log4brains(data: bytes) -> Iterator[str]:
    """The folders of ``.log4brains.yml``: ``adrFolder`` of the project and of its packages."""
    for line in data[:65536].decode("utf-8", "replace").splitlines():
        key, colon, value = line.strip().lstrip("- ").partition(":")
        if colon and key.strip() == "adrFolder":
            yield value.partition(" #")[0]
