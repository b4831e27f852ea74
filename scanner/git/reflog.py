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
LINES_LIMIT = 200_000
_MESSAGE_CAP = 1024

_LINE = re.compile(
    rb"(?:[0-9a-f]{64}|[0-9a-f]{40}) (?:[0-9a-f]{64}|[0-9a-f]{40}) [^\t\n]*> ([0-9]{1,15}) [+-][0-9]{4}"
    rb"(?:\t(.*))?"
)

# The command comes first, then often a step in brackets, then a colon and the subject of the commit made.
_OWN_WORK = re.compile(
    r"(?:commit|revert|am)(?: \([a-z-]+\))?:"
    r"|cherry-pick(?: \([a-z-]+\))?: (?!fast-forward$)"
    r"|merge .*: (?![Ff]ast-forward|updating HEAD)"
    r"|pull\b.*: Merge made by "
    r"|(?:rebase|pull)\b[^(]* \((?!start|finish|abort|skip|quit|reset|label|exec|update-refs)[a-z]+\):"
    r"|rebase(?: -\S+)*: (?!checkout |aborting|fast-forward|updating HEAD|returning to)"
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

    A commit, a revert, a cherry-pick, an applied patch, a picked commit of a rebase, a merge commit and every
    line of the stash count. What only moves to commits that exist does not: clone, fetch, checkout, reset,
    branch creation, the start and the end of a rebase (its picks count), any fast-forward (``pull:
    Fast-forward``, ``merge x: Fast-forward``). ``pull: Merge made by ...`` does count, like ``merge x: Merge
    made by ...``: it made a commit because one's own commits stood beside the pulled ones. So do the picks of
    ``pull --rebase``.
    """
    return ref == "refs/stash" or _OWN_WORK.match(message) is not None


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
        self._lines_left = LINES_LIMIT

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
        data = tail or b""
        end = len(data.rstrip(b"\n"))
        while end > 0:
            self._lines_left -= 1
            if self._lines_left < 0:
                self._problems.add(
                    "git-budget", self._common_dir, f"only {LINES_LIMIT} reflog lines were read"
                )
                return
            start = data.rfind(b"\n", 0, end) + 1
            line = _LINE.fullmatch(data, start, end)
            if line is not None:
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
