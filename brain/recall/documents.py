"""Where recall looks, in BMAD+'s order: the journal, then the notes of each memory folder.

All files are read by the one rule of the memory: regular files of at most 2 MiB, no link at or below the
folder that the user named. What cannot be read is an error that names the file, never silence.
"""

from __future__ import annotations

from collections.abc import Mapping

from brain.files.errors import MemError
from brain.files.javascript_json import to_compact
from brain.files.ledger import Ledger, read_ledger
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen

SOURCE_CAP = 2 * 1024 * 1024
JOURNAL = ".bmad/memory/journal.ndjson"
JOURNAL_NAME = "journal.ndjson"
MEMORY_FOLDERS = (".bmad/memory", ".agents/memory")
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
    path = refuse_links(project, JOURNAL)
    if strict:
        _text_of(path, JOURNAL, strict=True)
    return read_ledger(path, SOURCE_CAP)


def notes_of(base: str, folder: str, *, strict: bool = False) -> list[NoteFile]:
    """The note files that stand in ``folder``, a path relative to ``base`` (a real path); missing ones not.

    Bytes that are no UTF-8 are read as U+FFFD; ``strict`` refuses them. ``MemError`` as in ``journal_of``.
    """
    path = refuse_links(base, folder) if folder else base
    found: list[NoteFile] = []
    for name in NOTE_FILES:
        relative = f"{folder}/{name}" if folder else name
        text = _text_of(f"{path}/{name}", relative, strict=strict)
        if text is not None:
            found.append(NoteFile(name, relative, text))
    return found


def event_text(event: Mapping[str, object]) -> str:
    """What is scored and shown of an event: agent, cli, model, task, outcome and the signals as JSON."""
    words: list[str] = []
    for key in ("agent", "cli", "model", "task", "outcome"):
        value = event.get(key)
        if isinstance(value, str):
            if value:
                words.append(value)
        elif not _is_falsy(value):
            words.append(_javascript_text(value))
    signals = event.get("signals")
    words.append("{}" if _is_falsy(signals) or signals == {} else to_compact(signals))
    return " ".join(words)


def event_ref(event: Mapping[str, object], line: int) -> str:
    """How an event is named: its id, else its time, else its line."""
    for key in ("id", "ts"):
        value = event.get(key)
        if not _is_falsy(value):
            return value if isinstance(value, str) else _javascript_text(value)
    return f"line {line}"


def _text_of(path: str, relative: str, *, strict: bool) -> str | None:
    try:
        data = read_seen(path, SOURCE_CAP).data or b""
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise MemError(f"{relative} cannot be read: {error.message}; {_REMEDIES[error.code]}") from None
    if not strict:
        return data.decode("utf-8", "replace")
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
