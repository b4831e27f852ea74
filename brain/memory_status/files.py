"""Looks at one file of a memory: what BMAD+ sees in it, and whether it is worth its name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from brain.entries.document import Document, EntryProblem
from brain.entries.front_matter import read_front_matter
from brain.entries.reader import read_entries
from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.layout import CONTEXT, IDENTITY
from brain.memory_status.values import Check, FileStatus
from brain.wording import plural

# BMAD+ counts headings in a file of any size; ours stops somewhere.
READ_CAP = 16 * 1024 * 1024
IDENTITY_CAP = 64 * 1024
NEEDED_IN_IDENTITY = ("user_name", "communication_language")

# A line begins, for JavaScript, after any of these; "^" alone would miss three of them.
_SAMPLES = rb"(?:\A|[\n\r]|\xe2\x80[\xa8\xa9])### "
_COMMENT = r"(?s)<!--.*?(?:-->|\Z)"
_TEMPLATE_SECTION = "project identity"


def exists(path: str) -> bool:
    """BMAD+'s only question: is there anything of that name, links followed."""
    return os.path.exists(path)


def count_names(folder: str, ending: str) -> int:
    """How many names in ``folder`` end in ``ending``, whatever they are; 0 when it is no folder."""
    try:
        return sum(name.endswith(ending) for name in os.listdir(folder))
    except OSError:
        return 0


def count_headings(data: bytes) -> int:
    """How many lines begin with ``### ``, samples in code fences included, as BMAD+ counts entries."""
    return len(re.findall(_SAMPLES, data))


def look_at(base: str, relative: str) -> FileStatus:
    """The file ``relative`` (with ``/``) below ``base``: decisions, lessons, patterns or context."""
    path, name = os.path.join(base, relative), relative.rpartition("/")[2]
    seen, why = _read(base, relative)
    if seen is None:
        return FileStatus(name, path, exists(path), None, 0, False, why, _modified(path))
    data = seen.data or b""
    document = read_entries(data, name.removesuffix(".md"))
    entries = [] if name == CONTEXT else real_entries(document)
    why = malformed(document.problems) or emptiness(document, data, name)
    return FileStatus(
        name=name,
        path=path,
        exists=True,
        entries=None if name == CONTEXT or not document.readable else len(entries),
        headings=count_headings(data),
        valid=not why,
        why=why,
        modified=seen.stamp[0] / 1e9,
        newest=max(filter(None, entries), default=""),
    )


def look_at_identity(brain: str) -> FileStatus:
    """The identity of a global brain: a mapping that names its user and the language."""
    path = os.path.join(brain, IDENTITY)
    try:
        seen = read_seen(path, IDENTITY_CAP)
    except UnreadableError as error:
        return FileStatus(IDENTITY, path, exists(path), None, 0, False, _reason(error), _modified(path))
    complaint, missing = faults_of_identity(seen.data or b"")
    why = f"not read as YAML: {complaint}" if complaint else ""
    if not why and missing:
        why = f"says nothing for {' and '.join(missing)}: fill it in"
    return FileStatus(IDENTITY, path, True, None, 0, not why, why, seen.stamp[0] / 1e9)


def faults_of_identity(data: bytes) -> tuple[str, list[str]]:
    """Why ``identity.yaml`` is no YAML, empty where it is; and which keys it has no text for."""
    whole = (0, len(data))
    front = read_front_matter(data, whole, whole)
    return front.complaint or "", [key for key in NEEDED_IN_IDENTITY if not front.text(key)]


def check_of(file: FileStatus) -> Check:
    """Whether a file is valid, as a check."""
    found = "as it should be" if file.entries is None else plural(file.entries, "entry", "entries")
    return Check(file.name, file.valid, file.why or found, file.path)


def malformed(problems: Iterable[EntryProblem]) -> str:
    """The first thing that makes a whole file unsound, in words; what concerns one entry is no such thing."""
    for problem in problems:
        if problem.code.startswith(("entries-", "front-matter")) or problem.code.endswith("-open"):
            return f"line {problem.line}: {problem.message}"
    return ""


def context_date(base: str, relative: str) -> str:
    """The date under ``last_updated`` in the context's front matter, "" without a usable one."""
    seen, _ = _read(base, relative)
    if seen is None:
        return ""
    front = read_entries(seen.data or b"", "context").front_matter
    return date_in(front.text("last_updated") if front else "")


def date_in(text: str) -> str:
    """The ``YYYY-MM-DD`` that ``text`` begins with, if the calendar knows that day, else ""."""
    from datetime import date  # noqa: PLC0415 - start-up: only a health report reads dates

    try:
        return date.fromisoformat(text[:10]).isoformat() if re.match(r"\d{4}-\d\d-\d\d", text) else ""
    except ValueError:
        return ""


def _read(base: str, relative: str) -> tuple[Seen | None, str]:
    try:
        return read_seen(refuse_links(base, relative), READ_CAP), ""
    except UnreadableError as error:
        return None, _reason(error)
    except MemError as error:
        return None, str(error)


def _reason(error: UnreadableError) -> str:
    return "missing: `zecher memory init` makes it" if error.code == "missing" else error.message


def _modified(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):
        return None


def real_entries(document: Document) -> list[str]:
    """The dates of the entries that a person wrote, "" for one without: a template's heading is none."""
    samples = {problem.line for problem in document.problems if problem.code == "entry-placeholder"}
    return [entry.date or "" for entry in document.entries if entry.line not in samples]


def emptiness(document: Document, data: bytes, name: str) -> str:
    """Why the file ``name`` of ``data`` says no more than its template, "" where it does."""
    if name == CONTEXT:
        return (
            ""
            if _says_something(document, data)
            else "nothing but its template: say where the project stands"
        )
    return "" if real_entries(document) else "no entry yet, nothing but its template"


def _says_something(document: Document, data: bytes) -> bool:
    """Whether a context holds text of its own, besides headings, comments and the project's identity."""
    start = document.front_matter.span[1] if document.front_matter else 0
    kept = bytearray(data)
    for entry in document.entries:
        if entry.heading.casefold() == _TEMPLATE_SECTION:
            first, last = entry.span
            kept[first:last] = b" " * (last - first)
    text = re.sub(_COMMENT, "", kept[start:].decode(errors="replace"))
    return any(line.strip() and not line.startswith("#") for line in text.splitlines())


def is_closed(path: str) -> bool:
    """Whether permissions keep us from looking into ``path``, or from seeing whether it is there."""
    try:
        os.listdir(path)
    except PermissionError:
        return True
    except OSError:
        return False
    return False
