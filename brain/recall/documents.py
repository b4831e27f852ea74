"""Where recall looks, in BMAD+'s order: the journal, then the notes of each memory folder.

All files are read by the one rule of the memory: regular files of at most 2 MiB, no link at or below the
folder that the user named. What cannot be read is an error that names the file, never silence.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from brain.files.errors import MemError
from brain.files.javascript_json import to_compact
from brain.files.ledger import Ledger, parse_ledger
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER, PROJECT_MEMORY

SOURCE_CAP = 2 * 1024 * 1024
JOURNAL = f"{LEDGER_FOLDER}/journal.ndjson"
JOURNAL_NAME = "journal.ndjson"
MEMORY_FOLDERS = (LEDGER_FOLDER, PROJECT_MEMORY)
NOTE_FILES = ("decisions.md", "lessons.md", "patterns.md")

_REMEDIES = {
    "link": "put the file itself there",
    "not-regular": "move it away",
    "too-large": "archive a part of it",
    "permission": "mend its permissions",
    "io": "mend it or move it away",
}


class NoteFile:
    """A file of notes: its ``name``, the path ``relative`` to the folder searched, and its ``text``."""

    __slots__ = ("name", "relative", "text")

    def __init__(self, name: str, relative: str, text: str) -> None:
        self.name = name
        self.relative = relative
        self.text = text


def journal_of(project: str, *, strict: bool = False) -> Ledger:
    """The events of the project at ``project`` (a real path) with their lines, and the damaged lines.

    A damaged line is never fatal. ``MemError`` for a link, for what is no regular file and for more than
    2 MiB; with ``strict`` also for bytes that are no UTF-8.
    """
    folder, name = JOURNAL.rsplit("/", 1)
    path = _folder(project, folder)
    data = _data_of(f"{path}/{name}", JOURNAL) if path else None
    if data is None:
        return Ledger([], [])
    if strict:
        _strictly(data, JOURNAL)
    return parse_ledger(data)


def notes_of(base: str, folder: str, *, strict: bool = False) -> list[NoteFile]:
    """The note files that stand in ``folder``, a path relative to ``base`` (a real path); missing ones not.

    Bytes that are no UTF-8 are read as U+FFFD; ``strict`` refuses them. ``MemError`` as in ``journal_of``.
    """
    path = _folder(base, folder)
    if path is None:
        return []
    found: list[NoteFile] = []
    for name in NOTE_FILES:
        relative = f"{folder}/{name}" if folder else name
        data = _data_of(f"{path}/{name}", relative)
        if data is not None:
            text = _strictly(data, relative) if strict else data.decode("utf-8", "replace")
            found.append(NoteFile(name, relative, text))
    return found


class EventTexts:
    """Makes the texts of events; remembers those of signals, which repeat all through a journal."""

    __slots__ = ("_signals",)

    def __init__(self) -> None:
        self._signals: dict[str, str] = {}

    def of(self, event: Mapping[str, object]) -> str:
        """What is scored and shown: agent, cli, model, task, outcome and the signals as compact JSON."""
        get = event.get
        members = (get("agent"), get("cli"), get("model"), get("task"), get("outcome"))
        words = [member for member in members if member is not None and member != ""]
        words.append(self._of_signals(get("signals")))
        try:
            return " ".join(words)  # type: ignore[arg-type] # what is no text raises, faster than asking each
        except TypeError:
            return " ".join(_javascript_text(word) for word in words if not _is_falsy(word))

    def _of_signals(self, signals: object) -> str:
        if _is_falsy(signals):
            return "{}"
        key = repr(signals)  # tells true from 1 from 1.0, where a key of values would not
        if key not in self._signals:
            self._signals[key] = to_compact(signals)
        return self._signals[key]


def event_ref(event: Mapping[str, object], line: int) -> str:
    """How an event is named: its id, else its time, else its line."""
    for key in ("id", "ts"):
        value = event.get(key)
        if not _is_falsy(value):
            return value if isinstance(value, str) else _javascript_text(value)
    return f"line {line}"


def _folder(base: str, relative: str) -> str | None:
    """The path of a memory folder; None where nothing stands, so that its files need not be tried."""
    if not relative:
        return base
    path = refuse_links(base, relative)
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MemError(f"{relative} cannot be read: {error.strerror}; mend it or move it away") from None
    if not stat.S_ISDIR(mode):
        raise MemError(f"{relative} cannot be read: not a folder; move it away")
    return path


def _data_of(path: str, relative: str) -> bytes | None:
    try:
        return read_seen(path, SOURCE_CAP).data
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise MemError(f"{relative} cannot be read: {error.message}; {_REMEDIES[error.code]}") from None


def _strictly(data: bytes, relative: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MemError(f"{relative} is not valid UTF-8 in line {line}; save it as UTF-8") from None


def _is_falsy(value: object) -> bool:
    """Whether JavaScript leaves the value out: null, false, "", 0; but not an empty list or object."""
    return not value and not isinstance(value, list | dict)


def _javascript_text(value: object) -> str:
    """A value that is no text as JavaScript would join it to one."""
    if isinstance(value, list):
        return ",".join("" if one is None else _javascript_text(one) for one in value)
    if isinstance(value, dict):
        return "[object Object]"
    return value if isinstance(value, str) else to_compact(value)
