"""Whether a file that is new enough is an edit: the questions that open files, asked of few of them."""

from __future__ import annotations

import os
import stat

from scanner.content import Contents
from scanner.git.entry import Entry
from scanner.git.index import Index
from scanner.git.repository import Repository
from scanner.junk import is_junk
from scanner.staged import Staging
from scanner.untracked import WorkTreeRules

Candidate = tuple[float, bytes, int, "os.stat_result | None"]
"""A file that is new enough: its date, its path, its place in the index (or -1) and what ``lstat`` said."""


class Judge:
    """Tells the edits among the candidates of one work tree. Without ``index`` every file is untracked."""

    def __init__(
        self, repository: Repository, work_tree: str, index: Index | None, rules: WorkTreeRules
    ) -> None:
        self._index = index
        self._rules = rules
        self._staging = Staging(repository, index) if index is not None else None
        self._contents = Contents(work_tree, repository.info_file("attributes"), repository.object_format)

    def kind_and_date(self, candidate: Candidate) -> tuple[str, float]:
        """``modified``, ``staged``, ``untracked``, ``unknown`` or nothing, and the date in epoch seconds."""
        when, path, position, status = candidate
        index, staging = self._index, self._staging
        if index is None or staging is None or status is None:
            ignored = self._rules.ignores(os.fsdecode(path), is_folder=False)
            return ("" if ignored else "untracked"), when
        is_unchanged = index.looks_unchanged(position, status)
        if is_unchanged and not staging.possible:
            return "", when
        entry = index.entry(position)
        if not _is_compared(entry):
            return "", when
        if is_unchanged:
            return ("staged" if staging.holds(entry) else ""), when
        if entry.intent_to_add:
            return "modified", when
        differs = self._contents.differs(entry, index.oids_of(position), status)
        if differs is None:
            return "unknown", when
        if differs:
            return "modified", when
        # The file was touched after it was staged: only the index knows when that was.
        return ("staged" if staging.holds(entry) else ""), entry.mtime_s + entry.mtime_ns / 1e9


def _is_compared(entry: Entry) -> bool:
    """Whether a tracked path is a file whose content tells of work."""
    is_file = stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode)
    is_left_alone = entry.assume_valid or entry.skip_worktree
    return is_file and not is_left_alone and not is_junk(entry.name[entry.name.rfind(b"/") + 1 :])
