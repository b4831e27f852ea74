"""Reflogs of the files backend, newest line first, and which lines mean that somebody worked here.

Format: git-update-ref, "Logging updates". Only the last 64 KiB of each log are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from scanner import trace
from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from scanner.git.refs import FileRefs, is_valid_name
from scanner.reading import UnreadableError, read_tail
from scanner.value import Value

TAIL = 64 * 1024
LOGS_LIMIT = 2_000
_WHOLE_LOG = 4 * 1024 * 1024
LINES_LIMIT = 200_000
_FIRST_TAIL = 4096
_MESSAGE_CAP = 1024
_REMOTES = "refs/remotes"
_FEW = 32

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


class ReflogEntry(Value):
    """One line of a reflog.

    ``time`` is in epoch seconds, ``worktree`` the id of a linked worktree or empty, ``email`` the address of
    whoever did it.
    """

    __slots__ = ("email", "message", "ref", "time", "worktree")

    def __init__(self, ref: str, worktree: str, time: int, message: str, email: str = "") -> None:
        self.ref = ref
        self.worktree = worktree
        self.time = time
        self.message = message
        self.email = email


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

    def times(self, ref: str) -> tuple[int, ...]:
        """The dates of all entries of one shared reference, newest first."""
        for name, worktree, place in self.logs():
            if name == ref and not worktree:
                return tuple(entry.time for entry in self.entries(name, worktree, place))
        return ()

    def newest_own_work(self, limit: float, emails: Collection[str] = ()) -> ReflogEntry | None:
        """The latest entry not after ``limit`` (epoch seconds) that says own work.

        With ``emails``, which are in lower case, only what was done under one of these addresses counts.
        """
        newest: ReflogEntry | None = None
        for ref, worktree, place in self.logs():
            if ref.startswith(_REMOTES + "/"):
                continue
            for entry in self.entries(ref, worktree, place):
                trace.dated(entry.time)
                if emails and entry.email.lower() not in emails:
                    continue
                if entry.time <= limit and is_own_work(entry.message, ref):
                    newest = entry if newest is None or entry.time > newest.time else newest
                    break
        return newest


class FileLogs(LogStore):
    """The reflogs below ``<common>/logs`` and those of each linked worktree's ``HEAD``.

    Whose log may tell of own work, the references say.
    """

    def __init__(self, common: GitFolder, refs: FileRefs, problems: ProblemLog) -> None:
        self._common = common
        self._refs = refs
        self._problems = problems
        self._lines_left = LINES_LIMIT

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and path: ``HEAD`` first, then all others by name."""
        yield from self._logs_of_heads()
        for name in self._listed():
            yield name, "", f"{self._common.path}/logs/{name}"

    def _logs_of_heads(self) -> Iterator[tuple[str, str, str]]:
        common = self._common
        if common.leads_to("logs"):
            yield "HEAD", "", common.path + "/logs/HEAD"
        for worktree in common.worktrees():
            if common.leads_to(f"worktrees/{worktree}/logs"):
                yield "HEAD", worktree, f"{common.path}/worktrees/{worktree}/logs/HEAD"

    def _listed(self, without: str = "") -> list[str]:
        return self._common.names_below("logs/", "refs/", is_valid_name, LOGS_LIMIT, without=without)

    def _logs_of_work(self) -> Iterator[tuple[str, str, str]]:
        """The logs in which own work may stand, in the order of ``logs``.

        Where there are few branches their logs are asked for by name: that costs less than listing the
        folders. The log of a branch that is gone is not met then; git takes it away with its branch. No log
        outside of ``refs/heads`` and ``refs/stash`` says own work in git's own words.
        """
        yield from self._logs_of_heads()
        common = self._common
        if not common.leads_to("logs/refs"):
            return
        branches = self._refs.names("refs/heads/")
        if len(branches) > _FEW:
            names = self._listed(without=_REMOTES)
        else:
            names = [name for name in branches if common.leads_to("logs/" + name[: name.rfind("/")])]
            if self._refs.value("refs/stash") is not None:
                names.append("refs/stash")
        for name in names:
            yield name, "", f"{common.path}/logs/{name}"

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first; broken lines are left out."""
        data = self._tail(place, TAIL)
        end = _end_of_text(data)
        while end > 0 and self._may_go_on():
            start = data.rfind(b"\n", 0, end) + 1
            tab = data.find(b"\t", start, end)
            header = _HEADER.fullmatch(data, start, tab if tab >= 0 else end)
            if header is not None:
                message = data[tab + 1 : min(end, tab + 1 + _MESSAGE_CAP)] if tab >= 0 else b""
                email = _email(data, start, header.start(1))
                yield ReflogEntry(ref, worktree, int(header[1]), message.decode("utf-8", "replace"), email)
            end = start - 1

    def times(self, ref: str) -> tuple[int, ...]:
        """As for any backend; of a log of any usual length no line is left out."""
        if not self._common.leads_to("logs/" + ref[: ref.rfind("/")]):
            return ()
        lines = self._tail(f"{self._common.path}/logs/{ref}", _WHOLE_LOG).split(b"\n")
        headers = (_HEADER.fullmatch(line.partition(b"\t")[0]) for line in reversed(lines))
        return tuple(int(header[1]) for header in headers if header is not None)

    def newest_own_work(self, limit: float, emails: Collection[str] = ()) -> ReflogEntry | None:
        """As for any backend; but only lines that say own work are parsed, in the end of a log first."""
        time, where, message, email = -1, ("", ""), b"", ""
        for ref, worktree, place in self._logs_of_work():
            data = self._tail(place, _FIRST_TAIL)
            if not data:
                continue
            is_whole = len(data) < _FIRST_TAIL
            wanted = (ref == "refs/stash", limit, emails)
            found = self._own_work(data, wanted, 0 if is_whole else data.find(b"\n") + 1 or len(data))
            if found is None and not is_whole:
                found = self._own_work(self._tail(place, TAIL), wanted, 0)
            if found is not None and found[0] > time:
                (time, message, email), where = found, (ref, worktree)
        return ReflogEntry(*where, time, message.decode("utf-8", "replace"), email) if time >= 0 else None

    def _own_work(
        self, data: bytes, wanted: tuple[bool, float, Collection[str]], first: int
    ) -> tuple[int, bytes, str] | None:
        """Time, message and address of the last line from ``data[first:]`` on that says own work.

        ``wanted``: whether every line does, the latest time, and the addresses that count, if not all do.
        """
        is_stash, limit, emails = wanted
        end = _end_of_text(data)
        while end > first and self._may_go_on():
            start = data.rfind(b"\n", first, end) + 1 or first
            tab = data.find(b"\t", start, end)
            if tab < 0:
                tab = end
            last = min(end, tab + 1 + _MESSAGE_CAP)
            if is_stash or _made_a_commit(data, tab + 1, last):
                header = _HEADER.fullmatch(data, start, tab)
                if header is not None:
                    trace.dated(int(header[1]))
                    email = _email(data, start, header.start(1))
                    if int(header[1]) <= limit and (not emails or email.lower() in emails):
                        return int(header[1]), data[tab + 1 : last], email
            end = start - 1
        return None

    def _may_go_on(self) -> bool:
        self._lines_left -= 1
        if self._lines_left < 0:
            path = self._common.path
            self._problems.add("git-budget", path, f"only {LINES_LIMIT} reflog lines were read")
        return self._lines_left >= 0

    def _tail(self, place: str, length: int) -> bytes:
        try:
            return read_tail(place, length) or b""
        except UnreadableError as error:
            self._problems.unreadable(error)
            return b""


def _email(data: bytes, start: int, end: int) -> str:
    """The address in angle brackets before the date at ``end``; empty where none is opened."""
    last = data.rfind(b">", start, end)
    first = data.rfind(b"<", start, last)
    return data[first + 1 : last].decode("utf-8", "replace") if first >= 0 else ""


def _end_of_text(data: bytes) -> int:
    """Where the last line ends that is not empty."""
    return len(data.rstrip(b"\n"))
