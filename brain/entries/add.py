"""Adds one well-formed entry to a memory file; everything that stands there stays byte for byte."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Mapping

from brain.entries import escape
from brain.entries.document import Document, Entry
from brain.entries.edit import insert
from brain.entries.errors import DuplicateError, EntryError
from brain.entries.fields import (
    LANGUAGES,
    Kind,
    field_name,
    is_placeholder,
    languages_of,
    read_status,
    words,
)
from brain.entries.reader import FILE_CAP, read_entries
from brain.files.atomic import Write, make_folder, replace_all, sweep
from brain.files.errors import ChangedError, MemError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import Seen, UnreadableError, inside, read_seen
from brain.layout import template
from brain.times import utc_date
from brain.value import dataclass

TITLE_CAP = 200
_LABEL_CAP = 40
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Added:
    """Where a new entry stands: the file's absolute path and the line of its heading, from 1."""

    file: str
    line: int


def new_entry(
    kind: str,
    title: str,
    fields: Mapping[str, str],
    date: str,
    *,
    newline: bytes = b"\n",
    labels: Mapping[str, str] | None = None,
) -> bytes:
    """The bytes of an entry, with a final line end.

    ``kind`` is decisions, lessons or patterns; ``date`` is ``YYYY-MM-DD``. ``fields`` are canonical names or
    any spelling of ``fields.toml``; another label stands as it is given, behind the known ones. ``labels``
    are other words for canonical names. Empty values are left out; a status that is not given is the first
    of its kind. A pattern has its name as heading and its date as a field. ``EntryError`` for a missing or
    overlong title, a status that the kind does not have, or a label that cannot be written.
    """
    plan = _kind(kind)
    heading = _title(title)
    values = _values(plan, fields)
    if kind == "patterns":
        values = {"date": date, **values}
    else:
        heading = f"{date} — {heading}"
    spelled = {**words().labels[LANGUAGES[0]], **(labels or {})}
    end = newline.decode()
    lines = [f"### {heading}"]
    lines += [f"- **{spelled.get(name, name)}**: {escape.value(text, end)}" for name, text in values.items()]
    return "".join(line + end for line in lines).encode()


def plan_add(data: bytes | None, kind: str, title: str, fields: Mapping[str, str], date: str) -> bytes:
    """The content of a memory file with the entry added; ``data`` is None for a file that is not there yet.

    The entry goes behind the last one that is not archived where archived ones or another section follow,
    else to the end of the file; where there is none yet, below the marker of the template. Line ends and
    labels are those of the file. ``DuplicateError`` for a title that stands there with the same date (blanks
    and case do not count), ``EntryError`` for a file that cannot be extended.
    """
    return _plan(data or b"", kind, title, fields, date)[0]


def add_entry(
    folder: str,
    kind: str,
    title: str,
    fields: Mapping[str, str],
    *,
    now: float,
    base: str | None = None,
    project: str = "",
    wait: float = 10.0,
) -> Added:
    """Add an entry to the file of ``kind`` in ``folder``, dated with the UTC day of ``now`` (epoch seconds).

    ``base`` is the real path below which no link is followed: the project or the brain that ``folder`` lies
    in, by default ``folder`` itself. A missing file is made from the template for ``project``. An editor that
    saves meanwhile keeps what it saved. Durable when this returns. Raises what ``plan_add`` raises, and
    ``EntryError`` for a link or unreadable file, ``WriteError``, ``LockedError``, ``ChangedError`` (somebody
    keeps saving).
    """
    date = utc_date(now)
    name = _kind(kind).file
    path = _place(folder, base or folder, name)
    new_entry(kind, title, fields, date)  # what cannot be written at all makes no folder
    make_folder(folder)
    with FolderLock(folder, wait=wait):
        sweep(folder, now=now)
        for _ in range(_TRIES):
            seen = _read(path)
            old = seen.data if seen else _template(name, date, project)
            new, line = _plan(old or b"", kind, title, fields, date)
            try:
                replace_all([Write(path, new, seen)], folder)
            except ChangedError:
                continue
            return Added(path, line)
    raise ChangedError(path)


def _kind(name: str) -> Kind:
    kind = words().kinds.get(name)
    if kind is None:
        raise EntryError(f"no entries of the kind {name!r}: it is one of {', '.join(words().kinds)}")
    return kind


def _title(text: str) -> str:
    heading = escape.title(text)
    if is_placeholder(heading):
        raise EntryError("an entry needs a title: say in a few words what it is about")
    if len(heading) > TITLE_CAP:
        raise EntryError(f"the title has {len(heading)} characters: use at most {TITLE_CAP}, and the fields")
    return heading


def _values(kind: Kind, fields: Mapping[str, str]) -> dict[str, str]:
    """Name or label to value, in writing order, without empty ones."""
    given: dict[str, str] = {}
    for label, text in fields.items():
        name = label if label in words().labels[LANGUAGES[0]] else field_name(label) or _label(label)
        if text.strip():
            given[name] = text
    if "status" in kind.fields or "status" in given:
        given["status"] = _status(kind, given.get("status") or kind.statuses[0])
    return {name: given[name] for name in (*kind.fields, *given) if name in given}


def _label(text: str) -> str:
    label = escape.one_line(text)
    if not label or len(label) > _LABEL_CAP or not all(one.isalnum() or one in " '/()-" for one in label):
        raise EntryError(f"{text!r} cannot be a field's label: use at most {_LABEL_CAP} letters and digits")
    return label


def _status(kind: Kind, text: str) -> str:
    line = escape.one_line(text)
    if read_status(line).name not in kind.statuses:
        raise EntryError(f"{line!r} is no status of {kind.name}: it is one of {', '.join(kind.statuses)}")
    return line


def _place(folder: str, base: str, name: str) -> str:
    if not inside(folder, base):
        raise EntryError(f"{folder} does not lie in {base}")
    relative = os.path.relpath(os.path.join(folder, name), base).replace(os.sep, "/")
    try:
        refuse_links(base, relative)
    except MemError as error:
        raise EntryError(str(error)) from None
    return os.path.join(folder, name)


def _read(path: str) -> Seen | None:
    try:
        return read_seen(path, FILE_CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise EntryError(f"{path} is left as it is: {error.message}") from None


def _template(name: str, date: str, project: str) -> bytes:
    try:
        return template(name, {"date": date, "project": project})
    except OSError as error:
        raise EntryError(f"the template of {name} cannot be read: {error.strerror}") from None


def _plan(data: bytes, kind: str, title: str, fields: Mapping[str, str], date: str) -> tuple[bytes, int]:
    """The new content and the line of the new heading."""
    before = read_entries(data, kind)
    if not before.readable:
        raise EntryError(f"no entry can be added to this file: {before.problems[0].message}")
    entry = new_entry(kind, title, fields, date, newline=before.newline, labels=labels_of(before))
    wanted = read_entries(entry, kind).entries[0]
    for standing in before.entries:
        if _key(standing) == _key(wanted):
            raise DuplicateError(standing.title, standing.date, standing.line)
    offset = _offset(before)
    new = insert(data, offset, _spaced(data, offset, entry, before.newline))
    after = read_entries(new, kind)
    index = sum(standing.span[0] < offset for standing in before.entries)
    expected = [*map(_said, before.entries[:index]), _said(wanted), *map(_said, before.entries[index:])]
    if not after.readable or [*map(_said, after.entries)] != expected:
        raise EntryError(f"no entry can be added to this file: {_obstacle(after)}")
    return new, after.entries[index].line


def labels_of(document: Document) -> dict[str, str]:
    """The labels of one language, that of the newest entry, in the spellings that the file itself has.

    An archived entry has a say in it only where no other tells a language.
    """
    by_age = sorted(document.entries, key=lambda entry: not entry.archived)
    language = next((found for entry in reversed(by_age) if (found := _language(entry))), LANGUAGES[0])
    own = {
        field.name: field.label
        for entry in by_age
        for field in entry.fields
        if field.name and language in languages_of(field.label)
    }
    return {**words().labels[language], **own}


def _language(entry: Entry) -> str:
    """The language that knows most labels of ``entry``; empty where two know as many."""
    known = Counter(language for field in entry.fields for language in languages_of(field.label))
    ranked = known.most_common(2)
    return "" if not ranked or len({count for _, count in ranked}) < len(ranked) else ranked[0][0]


def _key(entry: Entry) -> tuple[str | None, str]:
    return entry.date, " ".join(unicodedata.normalize("NFC", entry.title).casefold().split())


def _said(entry: Entry) -> tuple[str, tuple[tuple[str, str], ...]]:
    return entry.heading, tuple((field.label, field.value) for field in entry.fields)


def _offset(document: Document) -> int:
    live = [entry for entry in document.entries if not entry.archived]
    if not live:
        if document.marker_end is not None:
            return document.marker_end
        return document.entries[0].span[0] if document.entries else document.size
    last = live[-1]
    is_last = last is document.entries[-1] and all(one.start < last.span[0] for one in document.headings)
    return document.size if is_last else last.span[1]


def _spaced(data: bytes, offset: int, entry: bytes, newline: bytes) -> bytes:
    """The entry with a blank line before and after it, as far as there is something before and after."""
    before = data[:offset].removeprefix(b"\xef\xbb\xbf")
    lines = before.splitlines(keepends=True)[-2:]
    lead = b""
    if before:
        if not lines[-1].endswith((b"\n", b"\r")):
            lead += newline
        if lines[-1].strip():
            lead += newline
    rest = data[offset:]
    follows = rest.splitlines()[0] if rest else b""
    return lead + entry + (newline if follows.strip() else b"")


def _obstacle(document: Document) -> str:
    for problem in document.problems:
        if problem.code.endswith("-open") or not document.readable:
            return f"line {problem.line}: {problem.message}"
    return "its structure would hide the entry or change another one"
