"""Mends what is remembered of dreaming: damaged lines of its logs, workspaces that are gone.

Only files of the state folder are written, never a note, MEMORY.md or the diary. Lines that make no sense are
put aside beside the log, so that nothing is lost; they counted for nothing before, so that every score stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack

from brain.files.atomic import OutsideError, Write, make_folder, replace_all
from brain.files.errors import ChangedError, LockedError, MemError, OccupiedError, WriteError
from brain.files.ledger import parse_ledger
from brain.files.lock import BrainLock
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.wording import plural
from jobs import recall_log
from jobs.dreaming_state import FOLDER, WorkspaceState, is_event, remembered
from jobs.errors import ExpectedError
from jobs.errors import LockedError as Locked
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.value import dataclass, replace

ASIDE = ".damaged"
FORGOTTEN = "forgotten"
DAMAGED, TOO_LONG, GONE = "drop-damaged-lines", "shorten", "forget-workspace"

_LOCK_SECONDS = 2.0
_CAP = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Mend:
    """One thing to be mended.

    ``action`` is ``drop-damaged-lines``, ``shorten`` or ``forget-workspace``; ``path`` the file, or the
    workspace that is gone; ``count`` are lines. ``done`` says whether it was carried out.
    """

    action: str
    path: str
    count: int = 0
    done: bool = False

    @property
    def words(self) -> str:
        """What is done, as in ``drop 2 damaged lines``."""
        if self.action == GONE:
            return "forget this workspace, which is gone"
        return (
            f"{'drop' if self.action == DAMAGED else 'put aside'} {plural(self.count, 'line')} of this file"
        )


def mends(state: str, root: str) -> tuple[Mend, ...]:
    """What there is to mend, for all workspaces and for the one at ``root`` (a real path). Reads only."""
    found = [one for log in _logs(state, root) for one in _plan(log)[0]]
    return (*found, *(Mend(GONE, path) for path in _gone(state)))


def mend(state: str, root: str, agree: Callable[[str], bool]) -> tuple[Mend, ...]:
    """Carry it out; ``agree`` is asked for each workspace that is gone.

    ``ExpectedError`` for a file that cannot be written, ``LockedError`` while a run works on one.
    """
    done: list[Mend] = []
    try:
        for log in _logs(state, root):
            done += _mend_log(log)
        for path in _gone(state):
            done.append(replace(Mend(GONE, path), done=agree(path) and _forget(state, path)))
    except (LockedError, OccupiedError) as error:
        raise Locked(
            "dreaming-locked", "another run works on it", str(error), "Wait until it has ended."
        ) from None
    except (WriteError, ChangedError, OutsideError, MemError, UnreadableError, OSError) as error:
        raise ExpectedError(
            "dreaming-write",
            "what is remembered could not be mended",
            str(error),
            "Check the state folder, its permissions and the free space, then run it again.",
            path=getattr(error, "path", "") or state,
        ) from None
    return tuple(done)


# -- logs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Log:
    """A file of lines, its lock, which of its lines make sense, and how many bytes it may have."""

    path: str
    lock: str
    is_sound: Callable[[Mapping[str, object]], bool]
    cap: int


def _logs(state: str, root: str) -> Iterator[_Log]:
    for name in (recall_log.OLD_NAME, recall_log.NAME):
        lock = os.path.join(state, recall_log.LOCK)
        yield _Log(os.path.join(state, name), lock, recall_log.is_sound, recall_log.FILE_CAP)
    for path in dict.fromkeys([root, *(path for path, _ in remembered(state))]):
        workspace = WorkspaceState(state, path)
        yield _Log(workspace.promotions, workspace.lock, is_event, _CAP)


def _plan(log: _Log) -> tuple[list[Mend], bytes, bytes, Seen | None]:
    """What is to be done with a log, what is then in it, what is put aside, and the file as it was read."""
    try:
        seen = read_seen(log.path, _CAP)
    except UnreadableError:
        return [], b"", b"", None
    data = seen.data or b""
    kept: list[bytes] = []
    damaged: list[bytes] = []
    for line in data.split(b"\n"):
        if line.strip():
            (kept if _is_sound(log, line) else damaged).append(line)
    found = [Mend(DAMAGED, log.path, len(damaged))] if damaged else []
    size, first = sum(len(line) + 1 for line in kept), 0
    while size > log.cap:
        size -= len(kept[first]) + 1
        first += 1
    if first:
        found.append(Mend(TOO_LONG, log.path, first))
    return found, _joined(kept[first:]), _joined([*kept[:first], *damaged]), seen


def _is_sound(log: _Log, line: bytes) -> bool:
    lines = parse_ledger(line).lines
    return len(lines) == 1 and log.is_sound(lines[0][1])


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _mend_log(log: _Log) -> list[Mend]:
    if not _plan(log)[0]:
        return []
    make_folder(os.path.dirname(log.lock))
    with BrainLock(log.lock, wait=_LOCK_SECONDS):
        found, data, aside, seen = _plan(log)
        if seen is None or not found:
            return []
        folder, beside = os.path.dirname(log.path), log.path + ASIDE
        old = _read(beside)
        held = b"" if old is None else old.data or b""
        if not held.endswith(aside):
            # A run that was killed in between has put them aside already.
            replace_all([Write(beside, held + aside, old)], folder)
        replace_all([Write(log.path, data, seen)], folder)
    return [replace(one, done=True) for one in found]


def _read(path: str) -> Seen | None:
    try:
        return read_seen(path, _CAP)
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise


# -- workspaces ---------------------------------------------------------------------------------------------


def _gone(state: str) -> list[str]:
    """The workspaces that are remembered and no longer there; none whose disk may only be away."""
    places = Places(read_mounts())
    return [
        path
        for path, _ in remembered(state)
        if not places.may_hang(path)
        and not os.path.lexists(path)
        and os.path.isdir(os.path.dirname(path))
        and os.listdir(os.path.dirname(path))
    ]


def _forget(state: str, path: str) -> bool:
    """Put aside what is remembered of a workspace."""
    workspace = WorkspaceState(state, path)
    target = os.path.join(state, FOLDER, FORGOTTEN)
    with ExitStack() as stack:
        make_folder(os.path.dirname(workspace.lock))
        stack.enter_context(BrainLock(workspace.lock, wait=_LOCK_SECONDS))
        make_folder(target)
        name = os.path.basename(workspace.folder)
        for number in range(1, 1000):
            place = os.path.join(target, f"{name}-{number}")
            if not os.path.lexists(place):
                os.rename(workspace.folder, place)
                return True
    return False
