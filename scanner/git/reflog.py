"""Reflogs of the files backend, newest line first, and which lines mean that somebody worked here.

Format: git-update-ref, "Logging updates". Only the last 64 KiB of each log are read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from scanner.git.problems import ProblemLog
from scanner.git.refs import is_valid_name
from scanner.reading import UnreadableError, read_tail

TAIL = 64 * 1024
LOGS_LIMIT = 2_000
_MESSAGE_CAP = 1024

_LINE = re.compile(
    rb"(?:[0-9a-f]{64}|[0-9a-f]{40}) (?:[0-9a-f]{64}|[0-9a-f]{40}) [^\t\n]*> ([0-9]{1,15}) [+-][0-9]{4}"
    rb"(?:\t(.*))?"
)

# Every command that makes commits writes its name first, then often a step in brackets, then a colon.
_OWN_WORK = re.compile(r"(?:commit|rebase|cherry-pick|merge|revert|am)\b")
_PULLED_WORK = re.compile(r"pull\b[^:]*(?: \((?:pick|continue|squash|fixup|reword|edit)\):|: Merge made by )")
_NO_WORK = re.compile(
    r"[^:]*\((?:start|abort|skip|quit)\):"  # a step that only moves to another commit
    r"|[^:]*--?(?:abort|skip|quit)\b"
    r"|[^:]*: *(?:fast[- ]forward(?:ed)?|checkout|updating HEAD|returning to)\b"
    r"|rebase[^:]*: *aborting",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReflogEntry:
    """One line of a reflog; ``time`` in epoch seconds, ``worktree`` the id of a linked worktree or empty."""

    ref: str
    worktree: str
    time: int
    message: str


def is_own_work(message: str, ref: str) -> bool:
    """Whether a reflog line says that new work was made here, by a commit, a stash or the like.

    ``commit``, ``rebase``, ``cherry-pick``, ``merge``, ``revert``, ``am`` and every line of the stash count.
    What only moves to commits that exist does not: clone, fetch, checkout, reset, branch creation, any
    fast-forward (``pull: Fast-forward``, ``merge x: Fast-forward``), the start of a rebase or its abort.
    ``pull: Merge made by ...`` does count, like ``merge x: Merge made by ...``: it made a commit of one's own
    because one's own commits stood beside the pulled ones. So do the single picks of ``pull --rebase``.
    """
    if ref == "refs/stash":
        return True
    if _OWN_WORK.match(message):
        return not _NO_WORK.match(message)
    return bool(_PULLED_WORK.match(message))


class LogStore:
    """The reflogs of a repository, whatever the backend."""

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and the place to give to ``entries``."""
        raise NotImplementedError

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first."""
        raise NotImplementedError


class FileLogs(LogStore):
    """The reflogs below ``<common>/logs`` and those of each linked worktree's ``HEAD``."""

    def __init__(self, common_dir: str, problems: ProblemLog) -> None:
        self._common_dir = common_dir
        self._problems = problems

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and path: ``HEAD`` first, then all others by name."""
        folder = self._common_dir + "/logs"
        yield "HEAD", "", folder + "/HEAD"
        worktrees = self._common_dir + "/worktrees"
        for worktree in sorted(_names(worktrees))[:LOGS_LIMIT]:
            yield "HEAD", worktree, f"{worktrees}/{worktree}/logs/HEAD"
        for name in self._logged_names(folder):
            yield name, "", f"{folder}/{name}"

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first; broken lines are left out."""
        try:
            tail = read_tail(place, TAIL)
        except UnreadableError as error:
            self._problems.unreadable(error)
            return
        if tail is None:
            return
        data, is_cut = tail
        end = len(data.rstrip(b"\n"))
        while end > 0:
            start = data.rfind(b"\n", 0, end) + 1
            line = _LINE.fullmatch(data, start, end)
            if line is not None and not (is_cut and start == 0):
                message = (line[2] or b"")[:_MESSAGE_CAP].decode("utf-8", "replace")
                yield ReflogEntry(ref, worktree, int(line[1]), message)
            end = start - 1

    def _logged_names(self, folder: str) -> list[str]:
        names: list[str] = []
        folders = ["refs/"]
        entries = 0
        while folders:
            current = folders.pop()
            try:
                with os.scandir(f"{folder}/{current}") as listing:
                    for entry in listing:
                        entries += 1
                        if entries > LOGS_LIMIT:
                            self._problems.add(
                                "git-budget", folder, f"only {LOGS_LIMIT} reflogs were looked at"
                            )
                            return sorted(names)
                        name = current + entry.name
                        if not is_valid_name(name):
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(name + "/")
                        else:
                            names.append(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._problems.add("git-io", f"{folder}/{current}", error.strerror or str(error))
        return sorted(names)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
