"""Reflogs of the files backend, newest line first, and which lines mean that somebody worked here.

Format: git-update-ref, "Logging updates". Only the last 64 KiB of each log are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from scanner.git.refs import is_valid_name
from scanner.reading import UnreadableError, read_tail

TAIL = 64 * 1024
LOGS_LIMIT = 2_000
LINES_LIMIT = 200_000
_FIRST_TAIL = 4096
_MESSAGE_CAP = 1024
_REMOTES = "refs/remotes"

_HEADER = re.compile(
    rb"[0-9a-f]{40}(?:[0-9a-f]{24})? [0-9a-f]{40}(?:[0-9a-f]{24})? [^\t\n]*> ([0-9]{1,15}) [+-][0-9]{4}"
)

# The command comes first, then often a step in brackets, then a colon and the subject of the commit made.
_COMMITTED = re.compile(rb"commit(?: \([a-z-]+\))?:")
_OTHER_COMMANDS = (b"re", b"am", b"cherry-pick", b"merge ", b"pull")


@cache
def _other_work() -> re.Pattern[bytes]:
    """Compiled when first needed: that takes a millisecond."""
    return re.compile(
        rb"(?:revert|am)(?: \([a-z-]+\))?:"
        rb"|cherry-pick(?: \([a-z-]+\))?: (?!fast-forward$)"
        rb"|merge .*: (?![Ff]ast-forward|updating HEAD)"
        rb"|pull\b.*: Merge made by "
        rb"|(?:rebase|pull)\b[^(]* \((?!start|finish|abort|skip|quit|reset|label|exec|update-refs)[a-z]+\):"
        rb"|rebase(?: -\S+)*: (?!checkout |aborting|fast-forward|updating HEAD|returning to)"
    )


@dataclass(slots=True)
class ReflogEntry:
    """One line of a reflog; ``time`` in epoch seconds, ``worktree`` the id of a linked worktree or empty."""

    ref: str
    worktree: str
    time: int
    message: str


def is_own_work(message: str, ref: str) -> bool:
    """Whether a reflog line says that new work was made here, by a commit, a stash or the like.

    A commit, a revert, a cherry-pick, an applied patch, a picked commit of a rebase, a merge commit and every
    line of the stash count. What only moves to commits that exist does not: clone, fetch, checkout, reset,
    branch creation, the start and the end of a rebase (its picks count), any fast-forward (``pull:
    Fast-forward``, ``merge x: Fast-forward``). ``pull: Merge made by ...`` does count, like ``merge x: Merge
    made by ...``: it made a commit because one's own commits stood beside the pulled ones. So do the picks of
    ``pull --rebase``.
    """
    raw = message.encode("utf-8", "replace")
    return ref == "refs/stash" or _made_a_commit(raw, 0, len(raw))


def _made_a_commit(data: bytes, start: int, end: int) -> bool:
    """Whether the message in ``data[start:end]`` says so."""
    if _COMMITTED.match(data, start, end):
        return True
    if not data.startswith(_OTHER_COMMANDS, start, end):
        return False
    return _other_work().match(data, start, end) is not None


class LogStore:
    """The reflogs of a repository, whatever the backend."""

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and the place to give to ``entries``."""
        raise NotImplementedError

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first."""
        raise NotImplementedError

    def newest_own_work(self, limit: float) -> ReflogEntry | None:
        """The latest entry not after ``limit`` (epoch seconds) that says own work."""
        newest: ReflogEntry | None = None
        for ref, worktree, place in self.logs():
            if ref.startswith(_REMOTES + "/"):
                continue
            for entry in self.entries(ref, worktree, place):
                if entry.time <= limit and is_own_work(entry.message, ref):
                    newest = entry if newest is None or entry.time > newest.time else newest
                    break
        return newest


class FileLogs(LogStore):
    """The reflogs below ``<common>/logs`` and those of each linked worktree's ``HEAD``."""

    def __init__(self, common: GitFolder, problems: ProblemLog) -> None:
        self._common = common
        self._problems = problems
        self._lines_left = LINES_LIMIT

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and path: ``HEAD`` first, then all others by name."""
        return self._logs()

    def _logs(self, without: str = "") -> Iterator[tuple[str, str, str]]:
        common = self._common
        if common.leads_to("logs"):
            yield "HEAD", "", common.path + "/logs/HEAD"
        for worktree in common.worktrees():
            if common.leads_to(f"worktrees/{worktree}/logs"):
                yield "HEAD", worktree, f"{common.path}/worktrees/{worktree}/logs/HEAD"
        for name in common.names_below("logs/", "refs/", is_valid_name, LOGS_LIMIT, without=without):
            yield name, "", f"{common.path}/logs/{name}"

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first; broken lines are left out."""
        data = self._tail(place, TAIL)
        for start, tab, end in self._lines(data, 0):
            header = _HEADER.fullmatch(data, start, tab)
            if header is not None:
                message = data[tab + 1 : min(end, tab + 1 + _MESSAGE_CAP)].decode("utf-8", "replace")
                yield ReflogEntry(ref, worktree, int(header[1]), message)

    def newest_own_work(self, limit: float) -> ReflogEntry | None:
        """As the backend's, but only lines that say own work are parsed, in the last bytes of a log first."""
        newest: tuple[int, str, str, bytes] | None = None
        for ref, worktree, place in self._logs(without=_REMOTES):
            data = self._tail(place, _FIRST_TAIL)
            is_whole = len(data) < _FIRST_TAIL
            found = self._own_work(data, ref, limit, 0 if is_whole else data.find(b"\n") + 1 or len(data))
            if found is None and not is_whole:
                found = self._own_work(self._tail(place, TAIL), ref, limit, 0)
            if found is not None and (newest is None or found[0] > newest[0]):
                newest = (found[0], ref, worktree, found[1])
        if newest is None:
            return None
        return ReflogEntry(newest[1], newest[2], newest[0], newest[3].decode("utf-8", "replace"))

    def _own_work(self, data: bytes, ref: str, limit: float, first: int) -> tuple[int, bytes] | None:
        """Time and message of the last line from ``data[first:]`` on that says own work."""
        is_stash = ref == "refs/stash"
        for start, tab, end in self._lines(data, first):
            end = min(end, tab + 1 + _MESSAGE_CAP)  # noqa: PLW2901 - what lies behind the cap is not looked at
            if is_stash or _made_a_commit(data, tab + 1, end):
                header = _HEADER.fullmatch(data, start, tab)
                if header is not None and int(header[1]) <= limit:
                    return int(header[1]), data[tab + 1 : end]
        return None

    def _lines(self, data: bytes, first: int) -> Iterator[tuple[int, int, int]]:
        """Start, end of the header and end of each line, the last one first, down to ``data[first:]``."""
        end = len(data.rstrip(b"\n"))
        while end > first:
            self._lines_left -= 1
            if self._lines_left < 0:
                path = self._common.path
                self._problems.add("git-budget", path, f"only {LINES_LIMIT} reflog lines were read")
                return
            start = data.rfind(b"\n", first, end) + 1 or first
            tab = data.find(b"\t", start, end)
            yield start, tab if tab >= 0 else end, end
            end = start - 1

    def _tail(self, place: str, length: int) -> bytes:
        try:
            return read_tail(place, length) or b""
        except UnreadableError as error:
            self._problems.unreadable(error)
            return b""
