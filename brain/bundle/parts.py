"""What a piece of work begins with, gathered: each part a list of items with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brain.bundle.muted import Marks
from brain.bundle.tokens import tokens
from brain.files.reading import UnreadableError, read_seen
from brain.health.gather import gather_with_evidence
from brain.remember.errors import RememberError
from brain.remember.index import index
from brain.remember.places import Place as Shelf
from brain.resume.sources import CONTEXT, PROGRESS, SESSION, sources
from brain.resume.values import BY_FILE
from brain.search.sections import sections
from brain.search.sources import FILE_CAP, Place, list_sources
from brain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.entries.document import Entry
    from brain.health.decision_values import Decision
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile
    from brain.search.values import Source

IDENTITY, CONTEXT_PART, DECISIONS, LESSONS = "identity", "context", "decisions in force", "lessons"
HANDOVER, PINNED, USER = "last handover", "pinned", "about the user"
PARTS = (IDENTITY, CONTEXT_PART, DECISIONS, LESSONS, HANDOVER, PINNED, USER)
"""All parts, in the order in which they are read."""

LESSONS_FILE = "lessons.md"
_IN_FORCE = (None, "", "active")
_HANDS_OVER = (PROGRESS, SESSION)


class Item(Value):
    """A piece of a part: ``text``, where it stands, and whether its text may be cut.

    ``file`` is absolute, ``shown`` as the bundle shows it. ``muted`` items are named, never shown.
    """

    __slots__ = ("file", "is_long", "line", "muted", "shown", "text")

    def __init__(
        self, text: str, file: str, shown: str, line: int, *, is_long: bool = False, muted: bool = False
    ) -> None:
        self.text = text
        self.file = file
        self.shown = shown
        self.line = line
        self.is_long = is_long
        self.muted = muted


class Unread(Value):
    """A file of the memory that could not be read, and why."""

    __slots__ = ("path", "why")

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why


class Gathered(Value):
    """The items of each part, and the files that could not be read."""

    __slots__ = ("parts", "unread")

    def __init__(self, parts: dict[str, tuple[Item, ...]], unread: tuple[Unread, ...]) -> None:
        self.parts = parts
        self.unread = unread


def gather_parts(
    project: str, *, identities: Sequence[str], brain: str | None, shelves: Sequence[Shelf]
) -> Gathered:
    """All that a piece of work in the folder ``project`` (absolute, real) may begin with.

    The first readable of ``identities`` tells whom the brain belongs to. Pins are looked for in the project
    and in the folder ``brain``; ``shelves`` hold what is remembered of the user. Never raises for what stands
    there.
    """
    return _Gathering(project, brain).gathered(identities, shelves)


class _Gathering:
    def __init__(self, project: str, brain: str | None) -> None:
        self._project = project
        self._brain = brain
        self._marks = Marks()
        self._unread: list[Unread] = []
        self._used: set[str] = set()

    def gathered(self, identities: Sequence[str], shelves: Sequence[Shelf]) -> Gathered:
        parsed = gather_with_evidence(self._project, wants_probes=False).parsed
        for file in parsed.memory.files:
            if file.problem:
                self._unread.append(Unread(self._absolute(file), file.problem))
        parts = {
            IDENTITY: tuple(self._identity(identities)),
            CONTEXT_PART: tuple(self._context(parsed)),
            DECISIONS: tuple(self._decisions(parsed)),
            LESSONS: tuple(self._lessons(parsed)),
            HANDOVER: tuple(self._handover(parsed)),
            PINNED: tuple(self._pins()),
            USER: tuple(self._users(shelves)),
        }
        return Gathered(parts, tuple(self._unread))

    # -- the parts -----------------------------------------------------------------------------------------

    def _identity(self, paths: Sequence[str]) -> Iterator[Item]:
        for path in paths:
            try:
                data = read_seen(path, FILE_CAP).data or b""
            except UnreadableError as error:
                if error.code != "missing":
                    self._unread.append(Unread(path, error.message))
                continue
            lines = data.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
            said = [
                (number, line.rstrip())
                for number, line in enumerate(lines, 1)
                if line.strip() and line.lstrip()[0] != "#" and line.strip() not in ("---", "...")
            ]
            if said:
                text = "\n".join(line for _, line in said)
                yield Item(text, path, path.rpartition("/")[2], said[0][0], is_long=True)
                return

    def _context(self, parsed: ParsedMemory) -> Iterator[Item]:
        for source in sources(parsed):
            if source.kind == CONTEXT:
                yield from self._sections(source.handover.file, "note")

    def _decisions(self, parsed: ParsedMemory) -> Iterator[Item]:
        standing = [one for log in parsed.decisions for one in log.entries if _holds(one)]
        standing.reverse()
        standing.sort(key=lambda one: one.date or "", reverse=True)
        files = {file.path: file for log in parsed.decisions for file in log.files}
        said = _Said(files)
        for one in standing:
            if "decision" in one.fields:
                yield self._item(_decided(one), one.fields["decision"].file, one.fields["decision"].line)
            else:
                # A decision in a few sentences, without the fields of a form.
                text = said.at(one.file, one.line) or one.title
                yield self._item(f"{one.date} {text}" if one.date else text, one.file, one.line, is_long=True)
        told = [(one.file, one.line, one.end) for log in parsed.decisions for one in log.entries]
        for path, document in parsed.notes.items():
            if path.lower().endswith("/decisions.md"):
                for entry in document.entries:
                    is_told = any(file == path and line <= entry.line <= end for file, line, end in told)
                    if not is_told and not entry.archived and entry.status in _IN_FORCE:
                        text = said.at(path, entry.line) or entry.title
                        yield self._item(text, path, entry.line, is_long=True)
                self._used.add(f"{self._project.rstrip('/')}/{path}")
        for log in parsed.decisions:
            if not log.entries:
                for file in log.files:
                    yield from self._sections(file, "note")

    def _lessons(self, parsed: ParsedMemory) -> Iterator[Item]:
        """Those of the project, then those of the brain, each the newest first."""
        notes = {file.path: file for file in parsed.memory.files}
        found: list[tuple[str, Item]] = []
        for path, document in parsed.notes.items():
            if path.lower().endswith("/lessons.md"):
                data = notes[path].data if path in notes else b""
                absolute = f"{self._project.rstrip('/')}/{path}"
                found += _lessons_of(document.entries, _Said({path: data}), absolute, path)
        yield from _newest_first(found)
        if self._brain is not None and self._brain != self._project:
            yield from self._brains_lessons(self._brain)

    def _brains_lessons(self, brain: str) -> Iterator[Item]:
        from brain.entries.reader import read_entries  # noqa: PLC0415 - only where there is a brain

        for path in (f"{brain}/{LESSONS_FILE}", f"{brain}/memory/{LESSONS_FILE}"):
            try:
                data = read_seen(path, FILE_CAP).data or b""
            except UnreadableError as error:
                if error.code != "missing":
                    self._unread.append(Unread(path, error.message))
                continue
            shown = f"brain, {path.removeprefix(brain + '/')}"
            entries = read_entries(data, "lessons").entries
            yield from _newest_first(_lessons_of(entries, _Said({shown: data}), path, shown))

    def _handover(self, parsed: ParsedMemory) -> Iterator[Item]:
        """The newest progress and the newest session, the newer first; without either the newest daily note.

        Only the disk may know how new a progress file is, and a clone dates all files anew: a session that
        names its day goes before it then.
        """
        found = [one for one in sources(parsed) if one.kind != CONTEXT]
        newest = {one.kind: one for one in reversed(found) if one.kind in _HANDS_OVER}
        both = sorted(newest.values(), key=lambda one: (one.dated_by == BY_FILE, found.index(one)))
        for one in both or found[:1]:
            yield from self._sections(one.handover.file, "note")

    def _pins(self) -> Iterator[Item]:
        places = [Place(self._project)]
        if self._brain is not None and self._brain != self._project:
            places.append(Place(self._brain, "brain"))
        for source in (one for place in places for one in list_sources([place]).sources):
            if source.kind == "journal" or not self._marks.is_pinned(source.path):
                continue
            if self._marks.is_muted(source.path):
                yield self._muted(source)
            elif source.path not in self._used:
                yield from self._parts_of(source.path, source.kind, source.root)

    def _users(self, shelves: Sequence[Shelf]) -> Iterator[Item]:
        for shelf in shelves:
            try:
                categories, unread = index([shelf], tokens)
            except RememberError as error:
                self._unread.append(Unread(shelf.folder, error.message))
                continue
            self._unread += [Unread(one.path, one.why) for one in unread]
            for one in categories:
                shown = one.file.removeprefix(f"{shelf.base}/")
                if one.file not in self._used and (one.observations or one.summary):
                    text = f"{one.title}: {one.summary}" if one.summary else one.title
                    yield Item(text, one.file, shown, 1, muted=one.muted)

    # -- files ---------------------------------------------------------------------------------------------

    def _sections(self, file: MemoryFile, kind: str) -> Iterator[Item]:
        path = self._absolute(file)
        if path in self._used:
            return
        if self._marks.is_muted(path):
            self._used.add(path)
            yield Item(file.path, path, file.path, 1, muted=True)
            return
        yield from self._parts_of(path, kind, self._project, file.data)

    def _parts_of(self, path: str, kind: str, root: str, data: bytes | None = None) -> Iterator[Item]:
        self._used.add(path)
        if data is None:
            try:
                data = read_seen(path, FILE_CAP).data or b""
            except UnreadableError as error:
                self._unread.append(Unread(path, error.message))
                return
        shown = path.removeprefix(root.rstrip("/") + "/")
        for one in sections(data, kind, path):
            if one.status != "active":
                continue
            heading = one.heading.rpartition(" > ")[2]
            text = "\n".join(filter(None, (heading, one.body)))
            yield Item(text, path, shown, one.line, is_long=True)

    def _muted(self, source: Source) -> Item:
        shown = source.path.removeprefix(source.root.rstrip("/") + "/")
        return Item(shown, source.path, shown, 1, muted=True)

    def _item(self, text: str, path: str, line: int, *, is_long: bool = False) -> Item:
        return Item(text, f"{self._project.rstrip('/')}/{path}", path, line, is_long=is_long)

    def _absolute(self, file: MemoryFile) -> str:
        return f"{self._project.rstrip('/')}/{file.path}"


class _Said:
    """What stands below the headings of files, by path; without their secrets."""

    def __init__(self, files: Mapping[str, MemoryFile | bytes]) -> None:
        self._files = files
        self._read: dict[str, dict[int, str]] = {}

    def at(self, path: str, line: int) -> str:
        """The section whose heading stands in that line, title and text; empty for none."""
        if path not in self._read:
            file = self._files.get(path, b"")
            data = file if isinstance(file, bytes) else file.data
            found: dict[int, str] = {}
            for one in sections(data, "note", path):
                title = one.heading.rpartition(" > ")[2]
                found.setdefault(one.line, f"{title}: {one.body}" if one.body else title)
            self._read[path] = found
        return self._read[path].get(line, "")


def _lessons_of(entries: Sequence[Entry], said: _Said, path: str, shown: str) -> list[tuple[str, Item]]:
    """The lessons in force, each with its date."""
    found = []
    for one in entries:
        if one.archived or one.status not in _IN_FORCE:
            continue
        rule = one.field("lesson")
        if rule is not None and rule.value.strip():
            item = Item(f"{one.title}: {rule.value.strip()}", path, shown, rule.line)
        else:
            item = Item(said.at(shown, one.line) or one.title, path, shown, one.line, is_long=True)
        found.append((one.date or "", item))
    return found


def _newest_first(dated: list[tuple[str, Item]]) -> Iterator[Item]:
    # Of the same day the one that stands lower is the newer.
    return (item for _, item in sorted(dated, key=lambda pair: pair[0])[::-1])


def _holds(one: Decision) -> bool:
    return not one.is_superseded and one.status in _IN_FORCE


def _decided(one: Decision) -> str:
    said = one.fields["decision"].text
    text = said if not one.title or one.title in said else f"{one.title}: {said}"
    when = f"{one.date} " if one.date else ""
    why = one.fields["rationale"].text if "rationale" in one.fields else ""
    return f"{when}{text}" + (f"\nwhy: {' '.join(why.split())}" if why else "")
