"""What a piece of work begins with, gathered: each part a list of items with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain.bundle.muted import Marks
from brain.bundle.tokens import tokens
from brain.files.reading import UnreadableError, read_seen
from brain.health.gather import gather_with_evidence
from brain.remember.errors import RememberError
from brain.remember.index import index
from brain.remember.places import Place as Shelf
from brain.resume.sources import CONTEXT, PROGRESS, SESSION, sources
from brain.search.sections import sections
from brain.search.sources import FILE_CAP, Place, list_sources
from brain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.decision_values import Decision
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile
    from brain.search.values import Source

IDENTITY, CONTEXT_PART, DECISIONS, LESSONS = "identity", "context", "decisions in force", "lessons"
HANDOVER, PINNED, USER = "last handover", "pinned", "about the user"
PARTS = (IDENTITY, CONTEXT_PART, DECISIONS, LESSONS, HANDOVER, PINNED, USER)
"""All parts, in the order in which they are read."""

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
        for one in standing:
            yield self._item(_decided(one), one.fields["decision"].file, one.fields["decision"].line)

    def _lessons(self, parsed: ParsedMemory) -> Iterator[Item]:
        found: list[tuple[str, Item]] = []
        for path, document in parsed.notes.items():
            if not path.lower().endswith("/lessons.md"):
                continue
            for one in document.entries:
                if one.archived or one.status not in _IN_FORCE:
                    continue
                rule = one.field("lesson")
                says = rule is not None and rule.value.strip()
                text = f"{one.title}: {rule.value.strip()}" if rule is not None and says else one.title
                line = rule.line if rule is not None and says else one.line
                found.append((one.date or "", self._item(text, path, line)))
        found.reverse()
        found.sort(key=lambda pair: pair[0], reverse=True)
        yield from (item for _, item in found)

    def _handover(self, parsed: ParsedMemory) -> Iterator[Item]:
        """The newest progress or session file; where there is neither, the newest daily note."""
        found = [one for one in sources(parsed) if one.kind != CONTEXT]
        newest = next((one for one in found if one.kind in _HANDS_OVER), next(iter(found), None))
        if newest is not None:
            yield from self._sections(newest.handover.file, "note")

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

    def _item(self, text: str, path: str, line: int) -> Item:
        return Item(text, f"{self._project.rstrip('/')}/{path}", path, line)

    def _absolute(self, file: MemoryFile) -> str:
        return f"{self._project.rstrip('/')}/{file.path}"


def _holds(one: Decision) -> bool:
    return not one.is_superseded and one.status in _IN_FORCE and "decision" in one.fields


def _decided(one: Decision) -> str:
    said = one.fields["decision"].text
    text = said if not one.title or one.title in said else f"{one.title}: {said}"
    when = f"{one.date} " if one.date else ""
    why = one.fields["rationale"].text if "rationale" in one.fields else ""
    return f"{when}{text}" + (f"\nwhy: {' '.join(why.split())}" if why else "")
