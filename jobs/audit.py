"""What was asked of the memory, and what was found: ``audit.ndjson`` in the state folder, its owner's alone.

One line of compact JSON a call: ``at, by, tool, query, scope, project, count, top, hits``; ``hits`` are the
first five as ``file:line``. Secrets in questions are replaced. A file that is full, or begins too long ago,
is put aside as ``audit.1.ndjson``, in place of the one before. No call is the worse for its line.
"""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress

from brain.times import iso_time
from jobs.config import load_configuration
from jobs.places import state_folder
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from brain.remember.values import Remembered
    from brain.search.values import Found, Query
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

COMMAND, SERVER = "command", "server"
"""Who asked: a person or a program by a command, or an assistant through the server."""

NAME, OLD_NAME = "audit.ndjson", "audit.1.ndjson"
FILE_CAP = 1024 * 1024
DAYS = 90
"""So many days a file reaches back at least, unless it is full before."""

_DAY = 86_400.0
_SILENT_DAYS = 30
_QUERY_CAP = 1000
_HITS = 5
_LINE_CAP = 16 * 1024
# To look for secrets costs 25 ms, twice what all else here does, and most questions are a few words. Shorter
# than what the words that announce a secret have in common, so that none slips through.
_PLAIN = re.compile(r"[^\W\d_]{1,20}(?:[ -]{1,3}[^\W\d_]{1,20}){0,15}[?!.]?")
_ANNOUNCES = re.compile(
    r"pass|pw|kenn|mdp|code|token|secret|key|cred|bearer|hook|geheim|schl|jeton|cl[eé]", re.IGNORECASE
)
# A line of a key that was asked for, without the lines by which it is known as one.
_FEWEST_SIGNS = 8
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=]{40,}")
_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Where the log lies and whether it is kept; ``now`` in epoch seconds."""

    folder: str
    is_on: bool
    now: float

    @property
    def path(self) -> str:
        """The file that lines are added to."""
        return os.path.join(self.folder, NAME)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: ``query`` is what was asked or, where something was remembered, empty.

    ``scope`` is what was searched, ``project`` a path or empty; ``count`` of results, ``top`` the best score
    (None where there is none), ``hits`` as ``file:line``. ``at`` is ISO, ``by`` who asked.
    """

    tool: str
    query: str = ""
    scope: str = ""
    project: str = ""
    count: int = 0
    top: float | None = None
    hits: tuple[str, ...] = ()
    by: str = COMMAND
    at: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of both files, oldest first; ``damaged`` counts those that tell no call."""

    asked: tuple[Asked, ...] = ()
    damaged: int = 0


def audit_settings(typed: Typed, surroundings: Surroundings) -> AuditSettings:
    """By ``[memory] audit`` of the configuration."""
    configuration = load_configuration(surroundings, typed.text("config"))
    return AuditSettings(
        state_folder(surroundings, configuration), configuration.memory.audit, surroundings.now
    )


def record(typed: Typed, surroundings: Surroundings, asked: Asked) -> None:
    """Add a line for ``asked``, unless that is switched off; never raises, whatever the disk says."""
    with suppress(Exception):
        settings = audit_settings(typed, surroundings)
        if settings.is_on:
            _add(settings, asked)


def read_log(folder: str) -> Log:
    """All that is known of earlier calls by the log in ``folder``; what cannot be read is nothing."""
    asked: list[Asked] = []
    damaged = 0
    for name in (OLD_NAME, NAME):
        for line in _lines(os.path.join(folder, name)):
            found = _asked(line)
            if found is None:
                damaged += 1
            else:
                asked.append(found)
    return Log(tuple(asked), damaged)


def recalled(folder: str, now: float) -> frozenset[str] | None:
    """The files that answered anything in the last 90 days, by the log in ``folder``.

    None where it does not reach so far back, or ended a month ago: it may have been switched off.
    """
    limit = iso_time(now - DAYS * _DAY)
    asked = read_log(folder).asked
    if not asked or asked[0].at > limit or asked[-1].at < iso_time(now - _SILENT_DAYS * _DAY):
        return None
    return frozenset(hit.rpartition(":")[0] for one in asked if one.at >= limit for hit in one.hits)


def searched(query: Query, found: Found, *, tool: str = "search", by: str = COMMAND) -> Asked:
    """A search as the log has it."""
    return Asked(
        tool,
        query.text,
        query.scope,
        query.project if query.scope == "project" else "",
        found.total,
        found.results[0].score if found.results else None,
        places([(hit.file, hit.line) for hit in found.results]),
        by,
    )


def remembered(done: Remembered, axis: str, project: str, *, by: str = COMMAND) -> Asked:
    """An observation as the log has it: where it stands, not what it says."""
    found = places([(done.file, done.line)])
    return Asked("remember", "", axis, project, int(done.outcome != "skipped"), None, found, by)


# -- writing ------------------------------------------------------------------------------------------------


def _add(settings: AuditSettings, asked: Asked) -> None:
    data = _line(settings, asked)
    os.makedirs(settings.folder, mode=0o700, exist_ok=True)
    _put_aside(settings, len(data))
    descriptor = os.open(settings.path, _FLAGS, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return
        if stat.S_IMODE(found.st_mode) != 0o600:
            os.fchmod(descriptor, 0o600)
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def _line(settings: AuditSettings, asked: Asked) -> bytes:
    line: dict[str, object] = {
        "at": iso_time(settings.now),
        "by": asked.by,
        "tool": asked.tool,
        "query": _without_secrets(asked.query[:_QUERY_CAP]),
        "scope": asked.scope,
        "project": asked.project,
        "count": asked.count,
        "top": asked.top,
        "hits": list(asked.hits[:_HITS]),
    }
    text = json.dumps({key: value for key, value in line.items() if value not in ("", None, [])})
    return text.encode() + b"\n"


def _without_secrets(text: str) -> str:
    if is_plain(text):
        return text
    from brain.secrets import redact  # noqa: PLC0415 - start-up: 15 ms, after the answer

    return _LONG_RUN.sub(
        lambda run: "[REDACTED:long]" if len(set(run[0])) >= _FEWEST_SIGNS else run[0], redact(text).text
    )


def is_plain(text: str) -> bool:
    """Whether ``text`` is a few short words of letters, none announcing a secret: then it holds none."""
    return _PLAIN.fullmatch(text) is not None and not _ANNOUNCES.search(text)


def _put_aside(settings: AuditSettings, more: int) -> None:
    """Begin another file where this one is full or old; only one of several writers does it."""
    if not _is_over(settings, more):
        return
    from brain.files.kernel_lock import open_folder, try_lock  # noqa: PLC0415 - once in weeks

    folder = open_folder(settings.folder)
    try:
        if try_lock(folder) and _is_over(settings, more):
            os.replace(settings.path, os.path.join(settings.folder, OLD_NAME))
    finally:
        os.close(folder)


def _is_over(settings: AuditSettings, more: int) -> bool:
    try:
        size = os.lstat(settings.path).st_size
    except OSError:
        return False
    if size + more > FILE_CAP:
        return True
    first = next(iter(_lines(settings.path, _LINE_CAP)), b"")
    begun = _asked(first)
    return begun is not None and bool(begun.at) and begun.at < iso_time(settings.now - DAYS * _DAY)


# -- reading ------------------------------------------------------------------------------------------------


def _lines(path: str, most: int = 2 * FILE_CAP) -> list[bytes]:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError):
        return []
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        return [line for line in os.pread(descriptor, most, 0).split(b"\n") if line.strip()]
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _asked(line: bytes) -> Asked | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not _text(record, "at") or not _text(record, "tool"):
        return None
    count, top, hits = record.get("count"), record.get("top"), record.get("hits")
    return Asked(
        tool=_text(record, "tool"),
        query=_text(record, "query"),
        scope=_text(record, "scope"),
        project=_text(record, "project"),
        count=count if isinstance(count, int) else 0,
        top=float(top) if isinstance(top, int | float) else None,
        hits=tuple(hit for hit in hits if isinstance(hit, str)) if isinstance(hits, list) else (),
        by=_text(record, "by") or COMMAND,
        at=_text(record, "at"),
    )


def _text(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def places(found: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """The first five of (file, line), as they stand in the log."""
    return tuple(f"{file}:{line}" for file, line in found[:_HITS])
