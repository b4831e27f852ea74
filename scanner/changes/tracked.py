"""Tracked files against the index: what is modified, deleted, in conflict, or only announced.

The questions are those of git, in its order: type and mode; then date, size, change time and inode; a
recorded size that differs says it all; what is left is compared by content.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from itertools import repeat

from scanner.git.entry import GITLINK, Entry
from scanner.git.index import Index
from scanner.git.repository import Repository
from scanner.seen_files import SeenFiles

_NANO = 1_000_000_000
_SPECIAL = 0xF000
"""The flags of an entry that is not simply compared: assume-valid, extended, and both bits of the stage."""

_SLACK_NS = 20_000_000
"""How long before the index was written a file's date must lie to be trusted: the clock of a file system
ticks every 10 ms at worst, and two writes within one tick carry the same date."""


class Compared:
    """What was found, as paths; ``closed`` are folders in which nothing may be asked for."""

    __slots__ = ("announced", "closed", "conflicted", "deleted", "modified", "truncated", "unknown")

    def __init__(self) -> None:
        self.modified: list[bytes] = []
        self.deleted: list[bytes] = []
        self.unknown: list[bytes] = []
        self.announced: list[bytes] = []
        self.conflicted: set[bytes] = set()
        self.closed: set[bytes] = set()
        self.truncated = False

    def on_disk(self) -> Iterable[bytes]:
        """The changed paths that may have a date."""
        return (*self.modified, *self.unknown, *self.announced, *self.conflicted)


def compare(
    repository: Repository,
    work_tree: str,
    root: int,
    index: Index,
    *,
    mounted: Collection[bytes],
    replaced: Collection[bytes],
    seen: SeenFiles | None = None,
) -> Compared:
    """Compare the files of ``index`` with those below the open folder ``root``.

    ``replaced`` are tracked folders in whose place something else stands now: what lies behind a link is not
    of this work tree. Nothing at or below a path in ``mounted`` is asked. What ``seen`` has of a file is not
    asked again.
    """
    return _Comparison(repository, work_tree, root, index).run(mounted, replaced, seen)


_Suspect = tuple[int, os.stat_result]
"""The place of a file in the index, and what ``lstat`` said of it."""


class _Comparison:
    def __init__(self, repository: Repository, work_tree: str, root: int, index: Index) -> None:
        self.repository = repository
        self.work_tree = work_tree
        self.root = root
        self.index = index
        self.found = Compared()
        self.suspects: list[_Suspect] = []
        self.redated: list[_Suspect] = []
        self.missing: list[int] = []
        self.special: list[int] = []

    def run(
        self, mounted: Collection[bytes], replaced: Collection[bytes], seen: SeenFiles | None
    ) -> Compared:
        names, behind_links = _asked(self.index.names, mounted, replaced)
        answers = seen.take(self.work_tree, names) if seen is not None else None
        self.look_at(names, repeat(None) if answers is None else answers)
        for position in self.special:
            if names[position] or position in behind_links:
                self.look_at_special(self.index.entry(position), position, is_lost=position in behind_links)
        self.missing += behind_links.difference(self.special)
        for position in self.missing:
            entry = self.index.entry(position)
            if entry.kind != GITLINK:
                self.found.deleted.append(entry.name)
        if self.suspects or self.redated:
            self.judge()
        return self.found

    def look_at(self, names: Sequence[bytes], answers: Iterable[os.stat_result | None]) -> None:
        """Take apart which files differ from their record in any way: the one loop whose speed counts."""
        suspects, redated, special = self.suspects, self.redated, self.special
        lstat, change_time = os.lstat, stat.ST_CTIME
        root = self.root
        trusted_ns = self.index.changed_ns - _SLACK_NS
        # Some file systems, and some writers, keep no part below a second: then the whole second is in doubt.
        trusted_whole_ns = self.index.changed_ns // _NANO * _NANO
        # The answers may go on without an end.
        for position, (name, record, answer) in enumerate(zip(names, self.index.records(), answers)):  # noqa: B905 - see above
            changed_s, _, date_s, date_ns, inode, mode, size, flags = record
            if flags & _SPECIAL:
                special.append(position)
                continue
            try:
                status = answer or lstat(name, dir_fd=root)
            except OSError as error:
                self.note(name, position, error)
                continue
            if size != status.st_size or (mode ^ status.st_mode) & 0o170100 or not size:
                suspects.append((position, status))
                continue
            when = status.st_mtime_ns
            if (
                when != date_s * _NANO + date_ns
                or changed_s != status[change_time]
                or inode != status.st_ino & 0xFFFFFFFF
                or when >= (trusted_ns if date_ns else trusted_whole_ns)
            ):
                (redated if date_ns else suspects).append((position, status))

    def look_at_special(self, entry: Entry, position: int, *, is_lost: bool) -> None:
        if entry.stage:
            self.found.conflicted.add(entry.name)
            return
        if entry.assume_valid or (entry.skip_worktree and not takes_what_is_there(self.repository)):
            return
        try:
            status = os.lstat(entry.name, dir_fd=self.root)
        except OSError as error:
            if not entry.skip_worktree:
                self.note(entry.name, position, error)
            return
        if is_lost:
            self.missing.append(position)
        elif entry.intent_to_add:
            if entry.kind != GITLINK:
                self.found.announced.append(entry.name)
        else:
            # Git takes a file that is there for wanted, whatever the sparse patterns say.
            self.suspects.append((position, status))

    def note(self, name: bytes, position: int, error: OSError) -> None:
        if not name:
            return  # not asked for
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            self.missing.append(position)
        else:
            self.found.closed.add(name.rpartition(b"/")[0])

    def judge(self) -> None:
        from scanner.changes.suspects import Suspects  # noqa: PLC0415 - start-up: 5 ms, where something differs

        judge = Suspects(self.repository, self.work_tree, self.index)
        lists = {
            "modified": self.found.modified,
            "deleted": self.found.deleted,
            "unknown": self.found.unknown,
        }
        index = self.index
        names, oid_of, is_same = index.names, index.raw_oid, judge.is_same
        # Most files that carry another date than their record hold what they held.
        differing = [one for one in self.redated if not is_same(names[one[0]], oid_of(one[0]), one[1])]
        for position, status in (*self.suspects, *differing):
            entry = index.entry(position)
            verdict = judge.verdict(entry, status)
            if verdict:
                lists[verdict].append(entry.name)
        self.found.truncated = judge.is_spent


def takes_what_is_there(repository: Repository) -> bool:
    """Whether a file that is not wanted counts where it stands all the same: in a sparse checkout it does."""
    config = repository.config
    return config.is_true("core.sparseCheckout") and not config.is_true("sparse.expectFilesOutsideOfPatterns")


def _asked(
    names: Sequence[bytes], mounted: Collection[bytes], replaced: Collection[bytes]
) -> tuple[Sequence[bytes], set[int]]:
    """The names, empty for those that are not asked for (no file has an empty name); and the places of those
    among these that lie behind a link."""
    if not mounted and not replaced:
        return names, set()
    elsewhere = tuple(point + b"/" for point in mounted)
    behind = tuple(folder + b"/" for folder in replaced)
    lost = {position for position, name in enumerate(names) if name.startswith(behind)}
    asked = [
        b"" if position in lost or (name + b"/").startswith(elsewhere) else name
        for position, name in enumerate(names)
    ]
    return asked, lost
