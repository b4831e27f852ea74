"""What is remembered of dreaming, a folder for each workspace in ``dreaming`` of the state folder.

``promotions.jsonl`` is added to and never rewritten: what was promoted, archived, taken back or found gone,
with the digests of MEMORY.md before and after. ``staged.json`` holds what a person staged out of notes of the
past, ``last.json`` what the last run saw. None of it lies among the notes, and no note is ever written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256

from brain.dreaming.memory_file import RUN_NAME, items_of
from brain.files.append import append_line
from brain.files.atomic import make_folder
from brain.files.ledger import read_ledger
from brain.files.reading import UnreadableError, read_seen
from jobs.publishing import put
from reports.document import located, to_json
from scanner.value import dataclass

FOLDER = "dreaming"
PROMOTIONS, LAST = "promotions.jsonl", "last.json"
PROMOTED, ARCHIVED, UNDONE, REMOVED, RESTORED = "promoted", "archived", "undone", "removed", "restored"

ARCHIVE = "memory/archive"
"""Where archived items go, relative to the workspace: one file a year, a further one where that is full."""

ARCHIVE_NAME = re.compile(r"promoted-(\d{4})(?:-(\d{1,3}))?\.md")
ARCHIVE_CAP = 1024 * 1024

_CAP = 16 * 1024 * 1024
_WORKSPACES = 1_000
_ID = re.compile(r"[0-9a-f]{12}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ARCHIVED = re.compile(rb"<!-- zecher:archived (\d{4}-\d\d-\d\d) run=%s why=[a-z]+ -->" % RUN_NAME.encode())


@dataclass(frozen=True, slots=True)
class Event:
    """What became of a claim in a run: ``before`` and ``after`` are digests of MEMORY.md, empty for none."""

    action: str
    id: str
    run: str
    day: str
    text: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Staged:
    """A claim that a person staged out of notes of the past."""

    id: str
    day: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class LastRun:
    """What the last run saw.

    ``proposed`` are its proposals by id with their texts; ``digest`` stands for all that it found, and
    ``unchanged`` counts the runs in a row that found just that. ``at`` is ISO.
    """

    at: str
    outcome: str
    notes: int
    claims: int
    proposed: Mapping[str, str]
    near_misses: int = 0
    promoted: int = 0
    archived: int = 0
    digest: str = ""
    unchanged: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """The events by the id of the claim, the newest last; ``damaged`` lines were left out."""

    events: Mapping[str, tuple[Event, ...]]
    damaged: int = 0


def remembered(state: str) -> tuple[tuple[str, LastRun], ...]:
    """The workspaces of which a run is known, by the state folder ``state``: real path and last run."""
    try:
        names = sorted(os.listdir(os.path.join(state, FOLDER)))
    except OSError:
        return ()
    found = []
    for name in names[:_WORKSPACES]:
        path = os.path.join(state, FOLDER, name, LAST)
        with suppress(UnreadableError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            document = json_of(path)
            root = _placed(document["workspace"])
            last = _last(document)
            if last is not None and WorkspaceState(state, root).folder == os.path.dirname(path):
                found.append((root, last))
    return tuple(sorted(found))


class WorkspaceState:
    """What is remembered of the workspace at ``root`` (a real path) in the state folder ``state``."""

    def __init__(self, state: str, root: str) -> None:
        self.root = root
        self._state = state
        name = sha256(os.fsencode(root)).hexdigest()[:12]
        self.folder = os.path.join(state, FOLDER, name)
        self.lock = os.path.join(state, "locks", f"dreaming-{name}.lock")

    def make(self) -> None:
        """Make the folders; ``brain.files.errors.WriteError``."""
        make_folder(os.path.dirname(self._state))
        make_folder(self._state)
        make_folder(os.path.dirname(self.lock))
        make_folder(self.folder)

    # -- what became of claims ------------------------------------------------------------------------------

    @property
    def promotions(self) -> str:
        """The file of the events."""
        return os.path.join(self.folder, PROMOTIONS)

    def history(self) -> History:
        """All events that are known; raises ``MemError`` where the file cannot be read."""
        ledger = read_ledger(self.promotions, _CAP)
        found: dict[str, list[Event]] = {}
        damaged = len(ledger.damaged)
        for _, record in ledger.lines:
            event = _event(record)
            if event is None:
                damaged += 1
            else:
                found.setdefault(event.id, []).append(event)
        return History({key: tuple(events) for key, events in found.items()}, damaged)

    def add(self, events: Iterable[Event], at: str) -> None:
        """Add events, each durable; the folder exists. Raises ``MemError``."""
        import json  # noqa: PLC0415 - start-up: only where something was done

        for event in events:
            record = {
                "at": at,
                "action": event.action,
                "id": event.id,
                "run": event.run,
                "day": event.day,
                "text": event.text,
                "before": event.before,
                "after": event.after,
            }
            line = json.dumps({key: value for key, value in record.items() if value}).encode()
            append_line(self.promotions, line, cap=_CAP, repair=True)

    # -- what was staged ------------------------------------------------------------------------------------

    def staged(self) -> tuple[Staged, ...]:
        """What is staged; nothing where the file makes no sense."""
        return tuple(
            Staged(
                str(one["id"]), str(one.get("day", "")), str(one.get("text", "")), str(one.get("source", ""))
            )
            for one in _list(self._document("staged.json"), "staged")
            if _ID.fullmatch(str(one.get("id"))) and _DAY.fullmatch(str(one.get("day")))
        )

    def keep_staged(self, staged: Iterable[Staged]) -> None:
        """Replace what is staged; the folder exists. Raises ``WriteError``."""
        rows = [{"id": one.id, "day": one.day, "text": one.text, "source": one.source} for one in staged]
        document = {"schema": "zecher.dreaming.staged", "schema_version": 1, "staged": rows}
        put(os.path.join(self.folder, "staged.json"), to_json(document).encode())

    # -- what the last run saw ------------------------------------------------------------------------------

    def last(self) -> LastRun | None:
        """The last run, None where there was none or its file makes no sense."""
        return _last(self._document(LAST))

    def keep_last(self, last: LastRun) -> None:
        """Replace what is known of the last run; the folder exists. Raises ``WriteError``."""
        document = {
            "schema": "zecher.dreaming.last",
            "schema_version": 1,
            "workspace": located(self.root),
            "at": last.at,
            "outcome": last.outcome,
            "notes": last.notes,
            "claims": last.claims,
            "proposed": [{"id": key, "text": text} for key, text in last.proposed.items()],
            "near_misses": last.near_misses,
            "promoted": last.promoted,
            "archived": last.archived,
            "digest": last.digest,
            "unchanged": last.unchanged,
            "size": last.size,
        }
        put(os.path.join(self.folder, LAST), to_json(document).encode())

    def _document(self, name: str) -> Mapping[str, object]:
        try:
            return json_of(os.path.join(self.folder, name))
        except (UnreadableError, ValueError, RecursionError):
            return {}


def fates(history: History, memory: bytes | None, archive: Iterable[bytes], seen: str) -> dict[str, str]:
    """For each claim that was ever promoted: empty while its item stands, else the day on which it went.

    An item that a person took out or edited is one that they do not want: it counts as gone on the day
    ``seen`` of the last run, which still saw it, until that is written down. What the archive holds counts
    even if a killed run could not write it down.
    """
    found: dict[str, str] = {}
    for data in archive:
        found |= _archived_days(data)
    for key, events in history.events.items():
        last = events[-1]
        found[key] = max(seen, last.day) if last.action in (PROMOTED, RESTORED) else last.day
    for item in items_of(memory or b""):
        found[item.id] = ""
    return found


def taken_out(history: History, memory: bytes | None) -> tuple[Event, ...]:
    """The items that a person took out or edited since, as events without a day."""
    present = {item.id for item in items_of(memory or b"")}
    return tuple(
        Event(REMOVED, key, events[-1].run, "", events[-1].text)
        for key, events in history.events.items()
        if events[-1].action in (PROMOTED, RESTORED) and key not in present
    )


def archive_files(root: str) -> tuple[str, ...]:
    """The files of the archive, relative to the workspace, the oldest first."""
    try:
        names = os.listdir(os.path.join(root, *ARCHIVE.split("/")))
    except OSError:
        return ()
    found = [match for name in names if (match := ARCHIVE_NAME.fullmatch(name))]
    found.sort(key=lambda match: (match[1], int(match[2] or 1)))
    return tuple(f"{ARCHIVE}/{match[0]}" for match in found)


def read_archive(root: str) -> tuple[bytes, ...]:
    """What the files of the archive hold, as far as they can be read."""
    found = []
    for name in archive_files(root):
        with suppress(UnreadableError):
            found.append(read_seen(os.path.join(root, *name.split("/")), ARCHIVE_CAP).data or b"")
    return tuple(found)


def digest_of(data: bytes | None) -> str:
    """What stands in an event for MEMORY.md; empty where there is none."""
    return "" if data is None else sha256(data).hexdigest()


def _archived_days(data: bytes) -> dict[str, str]:
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    days = {}
    for item in items_of(data):
        above = _ARCHIVED.fullmatch(lines[item.line - 2]) if item.line > 1 else None
        days[item.id] = above[1].decode() if above else item.day
    return {key: day for key, day in days.items() if day}


def is_event(record: Mapping[str, object]) -> bool:
    """Whether a line of the record of promotions makes sense."""
    return _event(record) is not None


def _event(record: Mapping[str, object]) -> Event | None:
    values = {
        name: record.get(name, "") for name in ("action", "id", "run", "day", "text", "before", "after")
    }
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    if len(texts) < len(values) or not _ID.fullmatch(texts["id"]) or not _DAY.fullmatch(texts["day"]):
        return None
    if texts["action"] not in (PROMOTED, ARCHIVED, UNDONE, REMOVED, RESTORED):
        return None
    return Event(**texts)


def json_of(path: str) -> Mapping[str, object]:
    """The object in the file; ``UnreadableError``, or ``ValueError`` where there is none in it."""
    import json  # noqa: PLC0415 - start-up: only where something is remembered

    found = json.loads(read_seen(path, _CAP).data or b"")
    if not isinstance(found, dict):
        raise ValueError(path)  # noqa: TRY004 - what stands in a file is no type of ours
    return found


def _placed(entry: object) -> str:
    """What ``located`` wrote."""
    from binascii import a2b_base64  # noqa: PLC0415 - as above

    if not isinstance(entry, dict):
        raise TypeError(entry)
    coded = entry.get("path_b64")
    return os.fsdecode(a2b_base64(str(coded), strict_mode=True)) if coded else str(entry["path"])


def _last(found: Mapping[str, object]) -> LastRun | None:
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        return LastRun(
            at=str(found["at"]),
            outcome=str(found["outcome"]),
            notes=_count(found["notes"]),
            claims=_count(found["claims"]),
            proposed={str(one["id"]): str(one["text"]) for one in _list(found, "proposed")},
            near_misses=_count(found["near_misses"]),
            promoted=_count(found["promoted"]),
            archived=_count(found["archived"]),
            digest=str(found["digest"]),
            unchanged=_count(found["unchanged"]),
            size=_count(found["size"]),
        )
    return None


def _list(document: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    found = document.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value
