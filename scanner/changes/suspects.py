"""Whether a tracked file that does not look like its record is modified: the questions that open files."""

from __future__ import annotations

import os
import stat

from scanner.changes.stored import Stored
from scanner.git import NotARepositoryError, open_repository
from scanner.git.entry import GITLINK, LINK, Entry
from scanner.git.index import Index
from scanner.git.repository import Repository

_NANO = 1_000_000_000
_SLACK_NS = 20_000_000
_EMPTY = frozenset(
    (
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    )
)
"""The names of the empty blob."""


class Suspects:
    """Judges the files of one work tree by the repository's ``core.*`` settings, within one budget.

    ``is_spent`` tells that more would have had to be read than is.
    """

    def __init__(self, repository: Repository, work_tree: str, index: Index) -> None:
        config = repository.config
        self._work_tree = work_tree
        self._index_ns = index.changed_ns
        self._trusts_mode = _is_on(config.get("core.fileMode"))
        self._has_links = _is_on(config.get("core.symlinks"))
        self._is_minimal = (config.get("core.checkStat") or "").lower() == "minimal"
        self._trusts_change_time = not self._is_minimal and _is_on(config.get("core.trustCtime"))
        self._stored = Stored(repository, work_tree, index)
        self.is_same = self._stored.is_same

    @property
    def is_spent(self) -> bool:
        """Whether files had to be left unread."""
        return self._stored.is_spent

    def verdict(self, entry: Entry, status: os.stat_result) -> str:
        """``modified``, ``deleted``, ``unknown`` or nothing, as ``lstat`` saw the file behind ``entry``."""
        if stat.S_ISDIR(status.st_mode):
            return self._folder_verdict(entry)
        if entry.kind == GITLINK or self._has_other_type_or_mode(entry, status.st_mode):
            return "modified"
        is_resized = entry.size != status.st_size & 0xFFFFFFFF or (not entry.size and entry.oid not in _EMPTY)
        if not is_resized and self._looks_the_same(entry, status):
            return ""
        if is_resized and entry.size:
            return "modified"
        differs = self._stored.differs(entry, status)
        if differs is None:
            # Beyond the budget the date alone must do: whoever copied a project has changed nothing in it.
            has_date = entry.mtime_s * _NANO + entry.mtime_ns == status.st_mtime_ns
            return "" if self.is_spent and has_date else "unknown"
        return "modified" if differs else ""

    def _folder_verdict(self, entry: Entry) -> str:
        """A folder in the place of a file: it is gone, unless that is a repository with a commit."""
        if entry.kind == GITLINK:
            return ""
        path = f"{self._work_tree}/{os.fsdecode(entry.name)}"
        try:
            with open_repository(path, allowed=(self._work_tree,)) as inner:
                return "modified" if inner.work_tree and inner.head().oid else "deleted"
        except NotARepositoryError:
            return "deleted"

    def _has_other_type_or_mode(self, entry: Entry, mode: int) -> bool:
        if entry.kind == LINK:
            return not stat.S_ISLNK(mode) and (self._has_links or not stat.S_ISREG(mode))
        return not stat.S_ISREG(mode) or (self._trusts_mode and bool((entry.mode ^ mode) & 0o100))

    def _looks_the_same(self, entry: Entry, status: os.stat_result) -> bool:
        seconds, rest = divmod(status.st_mtime_ns, _NANO)
        if entry.mtime_s != seconds & 0xFFFFFFFF:
            return False
        keeps_parts = entry.mtime_ns and not self._is_minimal
        if keeps_parts and entry.mtime_ns != rest:
            return False
        if self._trusts_change_time and entry.changed_s != int(status.st_ctime_ns // _NANO) & 0xFFFFFFFF:
            return False
        if not self._is_minimal and entry.inode != status.st_ino & 0xFFFFFFFF:
            return False
        if keeps_parts:
            return status.st_mtime_ns < self._index_ns - _SLACK_NS
        return seconds < self._index_ns // _NANO


def _is_on(value: str | None) -> bool:
    """A setting that is on unless it says otherwise."""
    return (value or "true").lower() not in ("false", "no", "off", "0")
