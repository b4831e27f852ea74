"""The files that may say where a project stands, newest first, and what tells how new they are."""

from __future__ import annotations

from datetime import UTC, datetime

from brain import layout
from brain.health import roles
from brain.health.dates import find_date
from brain.health.handover import Handover
from brain.memory_status.files import emptiness
from brain.resume.questions import contexts
from brain.resume.values import BY_COMMIT, BY_FILE, BY_TEXT
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile

PROGRESS, SESSION, CONTEXT, DAILY = "progress", "session", "context", "daily"

# Of the same day: what is written for whoever goes on comes before what is written for the record.
_RANKS = {PROGRESS: 0, SESSION: 1, CONTEXT: 2, DAILY: 3}
_DATED = ("last_updated", "updated", "date")
_TOP = 12


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was read for the fields of a handover.

    ``when`` is in epoch seconds, ``day`` its UTC day, empty where no calendar has it; ``dated_by`` is what
    told it.
    """

    kind: str
    handover: Handover
    when: float
    day: str
    dated_by: str

    @property
    def path(self) -> str:
        """The file, relative to the project."""
        return self.handover.file.path


def sources(parsed: ParsedMemory) -> tuple[Source, ...]:
    """The progress files, the context, the newest session and the newest daily note, newest first."""
    found = [_source(parsed, PROGRESS, one) for one in _once(parsed.handovers)]
    for kind, file in (
        *((CONTEXT, one) for one in contexts(parsed)),
        *((SESSION, one) for one in _newest(_sessions(parsed))),
        *((DAILY, one) for one in _newest(parsed.files(roles.DAILY))),
    ):
        if not file.problem and not (kind == CONTEXT and is_template(parsed, file)):
            found.append(_source(parsed, kind, Handover(file, parsed.page(file))))
    # Days decide, for the name of a session tells no more; then the kind, then the moment.
    return tuple(sorted(found, key=lambda one: (one.day, -_RANKS[one.kind], one.when), reverse=True))


def is_template(parsed: ParsedMemory, file: MemoryFile) -> bool:
    """Whether a context is as it was made: nobody has said anything in it yet."""
    return bool(emptiness(parsed.document(file), file.data, layout.CONTEXT))


def _once(handovers: Iterable[Handover]) -> list[Handover]:
    """Each file on disk once: a link and what it leads to say the same."""
    found: dict[object, Handover] = {}
    for one in handovers:
        found.setdefault(one.file.stamp[2] or one.file.path, one)
    return list(found.values())


def _sessions(parsed: ParsedMemory) -> list[MemoryFile]:
    return [one for one in parsed.files(roles.NOTES) if "/sessions/" in one.path]


def _newest(files: Iterable[MemoryFile]) -> list[MemoryFile]:
    """The last by the name, which begins with the day; of the same day the one that was written last."""
    dated = [one for one in files if not one.problem]
    return sorted(dated, key=lambda one: (_day_in_name(one), one.stamp[0], one.path))[-1:]


def _day_in_name(file: MemoryFile) -> str:
    found = find_date(file.path.rpartition("/")[2])
    return found[0] if found else ""


def _source(parsed: ParsedMemory, kind: str, handover: Handover) -> Source:
    file = handover.file
    named = _day_in_name(file) if kind in (SESSION, DAILY) else ""
    if named:
        return Source(kind, handover, _noon(named), named, BY_TEXT)
    when, by = _dated(parsed, file, handover.page)
    return Source(kind, handover, when, _day(when), by)


def _dated(parsed: ParsedMemory, file: MemoryFile, page: Page) -> tuple[float, str]:
    """When the file was changed last: by its last commit, by what it says itself, by its date on the disk.

    A clone dates all files anew, so that the disk is believed only where the file is not as it was committed.
    """
    modified = file.stamp[0] / 1e9
    git = parsed.memory.git
    history = (
        next((one for one in git.histories if one.path == (file.target or file.path)), None) if git else None
    )
    if history is not None and history.changes:
        when, _, _, size = history.changes[0]
        return (when, BY_COMMIT) if size == len(file.data) else (max(when, modified), BY_FILE)
    written = _written(page)
    return (_noon(written), BY_TEXT) if written else (modified, BY_FILE)


def _written(page: Page) -> str:
    """The day that the top of the page gives, before its first section."""
    front = page.front_matter
    if front is not None and not front.complaint:
        for key in _DATED:
            if found := find_date(front.text(key)):
                return found[0]
    for line in range(1, min(_TOP, len(page)) + 1):
        heading = page.heading_at(line)
        if heading is not None and heading.line == line and not heading.is_title:
            break
        if found := find_date(page.visible[line]):
            return found[0]
    return ""


def _noon(day: str) -> float:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()


def _day(when: float) -> str:
    try:
        return datetime.fromtimestamp(when, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
