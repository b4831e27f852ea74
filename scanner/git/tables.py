"""The reftable backend: a stack of tables as references and as reflogs.

Format: the "reftable" technical document of git, "Layout" and "Update transactions". The newest table that
knows a name decides about it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from scanner.git.reflog import LogStore, ReflogEntry
from scanner.git.refs import REFS_LIMIT, RefStore, is_valid_name
from scanner.git.reftable import MALFORMED, Budget, LogRecord, Table
from scanner.reading import UnreadableError, read_optional

_LIST_CAP = 64 * 1024
_TABLES = 512
_TRIES = 3
_LOG_RECORDS = 20_000
_TABLE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.(?:ref|log)")


class TableStack:
    """The tables that ``<git dir>/reftable/tables.list`` names, oldest first."""

    def __init__(self, git_dir: str, problems: ProblemLog, *, is_open: bool = True) -> None:
        self._folder = git_dir + "/reftable"
        self._problems = problems
        self._tables: list[Table] = []
        self._budget = Budget()
        if not is_open:
            return
        # A writer may replace tables between the list and their opening: the list is then read again.
        for _ in range(_TRIES):
            if self._open_all():
                return
        problems.add("git-reftable-missing", self._folder, "a table that tables.list names is missing")

    def _open_all(self) -> bool:
        self.close()
        complete = True
        for name in self._listed():
            path = f"{self._folder}/{name}"
            try:
                self._tables.append(Table(path, self._budget))
            except FileNotFoundError:
                complete = False
            except UnreadableError as error:
                self._problems.unreadable(error)
            except MALFORMED as error:
                self._damaged(error)
        return complete

    def _listed(self) -> list[str]:
        try:
            data = read_optional(self._folder + "/tables.list", _LIST_CAP)
        except UnreadableError as error:
            self._problems.unreadable(error)
            return []
        if data is None:
            self._problems.add("git-reftable-missing", self._folder, "there is no tables.list")
            return []
        names = [os.fsdecode(line) for line in data.split(b"\n") if line]
        if not all(_TABLE_NAME.fullmatch(name) for name in names) or len(names) > _TABLES:
            self._problems.add("git-reftable-damaged", self._folder + "/tables.list", "not a list of tables")
            return []
        return names

    def close(self) -> None:
        """Give every open file back."""
        for table in self._tables:
            table.close()
        self._tables.clear()

    def value(self, name: str) -> str | None:
        """The value of one reference."""
        raw = os.fsencode(name)
        for table in reversed(self._tables):
            try:
                for found, value in table.refs(raw):
                    if found == raw:
                        return value or None
                    break
            except MALFORMED as error:
                self._damaged(error)
        return None

    def below(self, prefix: str) -> dict[str, str]:
        """The values of all references that start with ``prefix``."""
        merged: dict[bytes, str | None] = {}
        raw = os.fsencode(prefix)
        for table in self._tables:
            try:
                for name, value in table.refs(raw):
                    merged[name] = value
                    if len(merged) > 2 * REFS_LIMIT:
                        break
            except MALFORMED as error:
                self._damaged(error)
        values = {os.fsdecode(name): value for name, value in sorted(merged.items()) if value}
        if len(values) > REFS_LIMIT:
            self._problems.add("git-budget", self._folder, f"only {REFS_LIMIT} references were read")
        return {name: value for name, value in list(values.items())[:REFS_LIMIT] if is_valid_name(name)}

    def logs(self) -> dict[str, list[LogRecord]]:
        """The reflog records of each reference, newest first."""
        seen: set[tuple[str, int]] = set()
        logs: dict[str, list[LogRecord]] = {}
        for table in reversed(self._tables):
            try:
                for record in table.logs():
                    key = (record.ref, record.update_index)
                    if len(seen) >= _LOG_RECORDS:
                        self._problems.add("git-budget", self._folder, f"only {_LOG_RECORDS} reflog records")
                        break
                    if key not in seen:
                        seen.add(key)
                        logs.setdefault(record.ref, []).append(record)
            except MALFORMED as error:
                self._damaged(error)
        for records in logs.values():
            records.sort(key=lambda record: -record.update_index)
        return logs

    def _damaged(self, error: Exception) -> None:
        self._problems.add("git-reftable-damaged", self._folder, str(error) or "does not follow the format")


class TableRefs(RefStore):
    """The reftable backend. Each linked worktree has a stack of its own for its ``HEAD``."""

    def __init__(self, common: GitFolder, own: GitFolder, problems: ProblemLog) -> None:
        super().__init__(common, problems)
        self._own = own
        self._stacks: dict[str, TableStack] = {}

    def stack(self, git_dir: str) -> TableStack:
        """The stack of ``git_dir``, opened once."""
        if git_dir not in self._stacks:
            if git_dir == self._own.path:
                is_open = self._own.leads_to("reftable")
            else:
                is_open = self._common.leads_to(f"{git_dir}/reftable"[len(self._common_dir) + 1 :])
            self._stacks[git_dir] = TableStack(git_dir, self._problems, is_open=is_open)
        return self._stacks[git_dir]

    def value(self, name: str) -> str | None:
        """The value in the shared stack."""
        return self.stack(self._common_dir).value(name)

    def own_value(self, git_dir: str, name: str) -> str | None:
        """The value in the stack of ``git_dir``."""
        return self.stack(git_dir).value(name)

    def below(self, prefix: str) -> dict[str, str]:
        """References of the shared stack, resolved."""
        found = {
            name: self.followed(value) for name, value in self.stack(self._common_dir).below(prefix).items()
        }
        return {name: oid for name, oid in found.items() if oid is not None}

    def close(self) -> None:
        """Give every open file back."""
        for stack in self._stacks.values():
            stack.close()
        self._stacks.clear()


class TableLogs(LogStore):
    """Reflogs of the reftable backend, in the shape of ``FileLogs``."""

    def __init__(self, common: GitFolder, refs: TableRefs) -> None:
        self._common = common
        self._common_dir = common.path
        self._refs = refs
        self._logs: dict[str, dict[str, list[LogRecord]]] = {}

    def logs(self) -> Iterator[tuple[str, str, str]]:
        """Each log as reference, worktree id and git directory."""
        for ref in self._of(self._common_dir):
            yield ref, "", self._common_dir
        for worktree in self._common.worktrees():
            git_dir = f"{self._common_dir}/worktrees/{worktree}"
            if "HEAD" in self._of(git_dir):
                yield "HEAD", worktree, git_dir

    def entries(self, ref: str, worktree: str, place: str) -> Iterator[ReflogEntry]:
        """The entries of one log, newest first."""
        for record in self._of(place).get(ref, ()):
            if record.time is not None:
                yield ReflogEntry(ref, worktree, record.time, record.message, record.email)

    def _of(self, git_dir: str) -> dict[str, list[LogRecord]]:
        if git_dir not in self._logs:
            self._logs[git_dir] = self._refs.stack(git_dir).logs()
        return self._logs[git_dir]
