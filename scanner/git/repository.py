"""One repository, read and never run: the door of this package.

Nothing here starts a process, takes a lock or writes. Every size is capped, links are not followed at the
last component, and no key of a repository's configuration makes anything outside of it be read: includes,
``core.worktree``, hooks, filters and helpers are not looked at, unknown extensions do not stop a reader.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from scanner import trace
from scanner.git.config import Config, read_config
from scanner.git.folders import GitFolder
from scanner.git.layout import Layout, NotARepositoryError, find_layout
from scanner.git.objects import OBJECT_CAP, Commit, ObjectStore, alternate_folders
from scanner.git.problems import ProblemLog
from scanner.git.reflog import FileLogs, LogStore, ReflogEntry
from scanner.git.refs import FileRefs, Head, RefStore, read_reference
from scanner.project import Problem
from scanner.reading import UnreadableError, read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.commit_graph import CommitGraph
    from scanner.git.worktrees import LinkedWorktree

_REFTABLE_STUB = b"ref: refs/heads/.invalid"
_SHALLOW_CAP = 4 * 1024 * 1024
_MODULES_LIMIT = 1_000
_MARKS = (("merge", "MERGE_HEAD"), ("cherry-pick", "CHERRY_PICK_HEAD"), ("revert", "REVERT_HEAD"))
_SHALLOW_OID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def open_repository(path: str, *, allowed: Sequence[str] = (), record: str | None = None) -> Repository:
    """The repository whose work tree, or whose bare folder, is ``path``.

    ``NotARepositoryError`` if there is none, or none that may be read; nothing else is ever raised here.
    ``allowed`` are folders below which a git directory may lie that ``path`` merely points to, and below
    which links in the place of its folders may lead. ``record`` is given for a linked worktree that was found
    by ``Repository.worktrees``: its ``git_dir``, to which the worktree must point in turn.
    """
    try:
        layout = find_layout(path, allowed, record)
    except OSError as error:
        raise NotARepositoryError("unreadable", path, error.strerror or str(error)) from None
    problems = ProblemLog()
    head = read_reference(layout.git_dir + "/HEAD", problems)
    if head is None:
        raise NotARepositoryError("no-repository", path, f"{layout.git_dir} has no readable HEAD")
    return Repository(path, layout, head, problems, allowed)


class Repository:
    """The facts of one repository, each read when it is asked for and then kept.

    ``owner`` is the user id that owns the git directory: git itself would refuse one that is not ours, here
    it is a fact to show. ``work_tree`` is ``None`` for a repository opened by its bare folder.
    """

    def __init__(
        self, path: str, layout: Layout, head: bytes, problems: ProblemLog, allowed: Sequence[str]
    ) -> None:
        self.path = path
        self.work_tree = layout.work_tree
        self.git_dir = layout.git_dir
        self.common_dir = layout.common_dir
        self.owner = layout.owner
        self.is_linked_worktree = layout.is_linked_worktree
        self.is_submodule = layout.is_submodule
        self.ref_storage = "reftable" if head.startswith(_REFTABLE_STUB) else "files"
        self._problems = problems
        self._own = own = GitFolder(layout.git_dir, allowed, problems)
        self._common = common = (
            GitFolder(layout.common_dir, allowed, problems) if layout.is_linked_worktree else own
        )
        self._objects = ObjectStore(layout.common_dir + "/objects", problems, common)
        self._refs, self._logs = _backend(common, own, head, problems, self.ref_storage)
        self._config: Config | None = None
        self._head: Head | None = None
        self._heads: Mapping[str, str] | None = None
        self._remote_heads: Mapping[str, str] | None = None
        self._worktrees: tuple[LinkedWorktree, ...] | None = None
        self._shallow: frozenset[str] | None = None
        self._changed_parents: Mapping[str, tuple[str, ...]] | None = None

    def __enter__(self) -> Repository:  # noqa: PYI034 - Self stands in typing, whose import a scan does not pay
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give every open file back; facts that were read stay."""
        self._objects.close()
        self._refs.close()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read so far."""
        return self._problems.found

    @property
    def config(self) -> Config:
        """The repository's own configuration, with the worktree's where that extension is on."""
        if self._config is None:
            config = read_config(self.common_dir + "/config", self._problems)
            if config.is_true("extensions.worktreeConfig"):
                config = config.merged(read_config(self.git_dir + "/config.worktree", self._problems))
            self._config = config
        return self._config

    @property
    def is_bare(self) -> bool:
        """Whether the repository has no work tree of its own: opened as such, or by ``core.bare``."""
        return self.work_tree is None or (not self.is_linked_worktree and self.config.is_true("core.bare"))

    @property
    def object_format(self) -> str:
        """``sha1`` or ``sha256``."""
        return "sha256" if self.config.get("extensions.objectFormat") == "sha256" else "sha1"

    @property
    def shallow(self) -> bool:
        """Whether history was cut when the repository was cloned."""
        return bool(self._shallow_commits())

    def info_file(self, name: str) -> str:
        """The path of a file in the ``info`` folder; empty where there is none to enter."""
        return f"{self.common_dir}/info/{name}" if self._common.leads_to("info") else ""

    def head(self) -> Head:
        """Where ``HEAD`` points."""
        if self._head is None:
            self._head = self._refs.head(self.git_dir)
        return self._head

    def local_heads(self) -> Mapping[str, str]:
        """Object names of all local branches by full name (``refs/heads/x``), at most 20,000."""
        if self._heads is None:
            self._heads = self._refs.below("refs/heads/")
        return self._heads

    def remote_heads(self) -> Mapping[str, str]:
        """Object names of all remote-tracking branches by full name, at most 20,000."""
        if self._remote_heads is None:
            self._remote_heads = self._refs.below("refs/remotes/")
        return self._remote_heads

    def references(self, prefix: str = "refs/") -> Mapping[str, str]:
        """Object names of all shared references below ``prefix`` by full name, at most 20,000."""
        return self._refs.below(prefix)

    def resolve(self, name: str) -> str | None:
        """The object name of a shared reference by its full name."""
        return self._refs.resolve(name)

    def detached_heads(self) -> tuple[str, ...]:
        """The objects of all detached heads once each: of this work tree, the main one and linked ones."""
        heads = [self.head(), *(tree.head for tree in self.worktrees())]
        if self.is_linked_worktree:
            heads.append(self._refs.head(self.common_dir))
        return tuple(dict.fromkeys(head.oid for head in heads if head.branch is None and head.oid))

    def stash(self) -> str | None:
        """The object name of the newest stash."""
        return self._refs.resolve("refs/stash")

    def stash_times(self) -> tuple[int, ...]:
        """The date of each stash in epoch seconds, newest first, as ``git stash list`` counts them.

        A stash without a log, which that command does not show, counts as one all the same.
        """
        oid = self.stash()
        if oid is None:
            return ()
        times = self._logs.times("refs/stash")
        if times:
            return times
        commit = self.commit(oid)
        return (commit.committer_time,) if commit is not None else ()

    def commit(self, oid: str) -> Commit | None:
        """A commit's header; ``None`` with a problem when it is missing, damaged or no commit."""
        return self._objects.commit(oid)

    def start_of(self, oid: str, cap: int = OBJECT_CAP) -> tuple[str, bytes] | None:
        """The type and the first bytes (``cap`` at most) of an object; ``None`` when missing or damaged."""
        return self._objects.start_of(oid, cap)

    def names_starting(self, prefix: str, most: int) -> list[str]:
        """The names of at most ``most`` objects that begin with four or more hexadecimal digits."""
        return self._objects.names_starting(prefix, 32 if self.object_format == "sha256" else 20, most)

    def commit_graph(self) -> CommitGraph | None:
        """The commit-graph, where git would use one: not beside grafts, not in a shallow clone."""
        if not self._common.leads_to("objects/info"):
            return None
        if self.config.is_false("core.commitGraph") or self.changed_parents():
            return None
        from scanner.git.commit_graph import open_commit_graph  # noqa: PLC0415 - start-up, few repositories have one

        folder = self.common_dir + "/objects"
        places = [place + "/info" for place in (folder, *alternate_folders(folder, self._problems))]
        return open_commit_graph(places, 32 if self.object_format == "sha256" else 20, self._problems)

    def changed_parents(self) -> Mapping[str, tuple[str, ...]]:
        """The parents of those commits that have others than they record.

        These are the edge of a shallow clone, where history ends, and what ``info/grafts`` names.
        """
        if self._changed_parents is None:
            changed = self._grafts()
            changed.update((oid, ()) for oid in self._shallow_commits())
            self._changed_parents = changed
        return self._changed_parents

    def report(self, code: str, message: str) -> None:
        """Keep a problem with this repository as a whole."""
        self._problems.add(code, self.common_dir, message)

    def first_sane_commit(
        self, oid: str, earliest: float, latest: float, max_steps: int = 1_000
    ) -> Commit | None:
        """The first commit from ``oid`` along first parents whose committer time lies in the given window.

        ``None`` when history ends, is cut or cannot be read before that, or after ``max_steps`` commits.
        """
        for _ in range(max_steps):
            commit = self.commit(oid)
            trace.dated(commit.committer_time if commit is not None else 0)
            if commit is None or earliest <= commit.committer_time <= latest:
                return commit
            if not commit.parents or oid in self._shallow_commits():
                return None
            oid = commit.parents[0]
        return None

    def worktrees(self) -> tuple[LinkedWorktree, ...]:
        """All linked worktrees of the common directory."""
        if self._worktrees is None:
            self._worktrees = self._read_worktrees() if self._common.worktrees() else ()
        return self._worktrees

    def _read_worktrees(self) -> tuple[LinkedWorktree, ...]:
        from scanner.git.worktrees import linked_worktrees  # noqa: PLC0415 - start-up, most repositories have none

        return linked_worktrees(self._common, self._refs, self._problems)

    def reflogs(self) -> Iterator[ReflogEntry]:
        """Entries of all logs of all worktrees, each log newest first; read as they are asked for."""
        logs = self._logs
        for ref, worktree, place in logs.logs():
            yield from logs.entries(ref, worktree, place)

    def newest_own_work(self, limit: float, emails: Collection[str] = ()) -> ReflogEntry | None:
        """The latest entry not after ``limit`` (epoch seconds) that says own work (see ``is_own_work``).

        Each log is read back from its end to its first such line only. With ``emails``, which are in lower
        case, only lines of somebody with one of these addresses count.
        """
        return self._logs.newest_own_work(limit, emails)

    def remote_url(self) -> str | None:
        """The address of the default remote without credentials.

        The default is the upstream remote of ``HEAD``'s branch, else ``origin``, else the only one there is.
        """
        config = self.config
        upstream = config.get(f"branch.{self.head().branch}.remote")
        remotes = config.subsections("remote")
        for name in (upstream, "origin", remotes[0] if len(remotes) == 1 else None):
            urls = config.all(f"remote.{name}.url") if name else ()
            if urls:
                return _public(urls[0])
        # git takes an address in the place of a remote's name, too
        return _public(upstream) if upstream and ("/" in upstream or ":" in upstream) else None

    def has_remote(self) -> bool:
        """Whether the configuration names any place to push to or to fetch from."""
        config = self.config
        if any(
            config.get(f"remote.{name}.url") or config.get(f"remote.{name}.pushurl")
            for name in config.subsections("remote")
        ):
            return True
        # git takes an address in the place of a remote's name, too
        followed = (config.get(f"branch.{name}.remote") or "" for name in config.subsections("branch"))
        return any("/" in remote or ":" in remote for remote in followed)

    def in_progress(self) -> str | None:
        """What was begun: ``rebase``, ``am``, ``merge``, ``cherry-pick``, ``revert`` or ``bisect``."""
        own = self._own
        if own.leads_to("rebase-apply"):
            return "am" if trace.lexists(self.git_dir + "/rebase-apply/applying") else "rebase"
        if own.has("rebase-merge"):
            return "rebase"
        for state, mark in _MARKS:
            if own.has(mark) or (self.ref_storage == "reftable" and self._refs.own_value(self.git_dir, mark)):
                return state
        if own.leads_to("sequencer"):
            return self._sequence()
        return "bisect" if own.has("BISECT_LOG") else None

    def _sequence(self) -> str | None:
        """What a list of commits that is still to be worked through does with them."""
        try:
            todo = read_optional(self.git_dir + "/sequencer/todo", 64, whole=False)
        except UnreadableError as error:
            self._problems.unreadable(error)
            return None
        if not todo:
            return None
        return "revert" if todo.startswith(b"revert") else "cherry-pick"

    def _grafts(self) -> dict[str, tuple[str, ...]]:
        """Format: a commit and its parents a line, as gitrepository-layout says of ``info/grafts``."""
        path = self.info_file("grafts")
        if not path or not trace.lexists(path):
            return {}
        try:
            data = read_optional(path, _SHALLOW_CAP) or b""
        except UnreadableError as error:
            self._problems.unreadable(error)
            return {}
        lines = (line.split() for line in data.decode("ascii", "replace").splitlines() if line[:1] != "#")
        return {line[0]: tuple(line[1:]) for line in lines if line and all(map(_SHALLOW_OID.fullmatch, line))}

    def _shallow_commits(self) -> frozenset[str]:
        if self._shallow is None:
            data = b""
            if self._common.has("shallow"):
                try:
                    data = read_optional(self.common_dir + "/shallow", _SHALLOW_CAP) or b""
                except UnreadableError as error:
                    self._problems.unreadable(error)
            self._shallow = frozenset(_SHALLOW_OID.findall(data.decode("ascii", "replace")))
        return self._shallow


def _public(address: str) -> str:
    from scanner.git.remote import public_address  # noqa: PLC0415 - start-up: 2 ms, not needed without a remote

    return public_address(address)


def _backend(
    common: GitFolder, own: GitFolder, head: bytes, problems: ProblemLog, storage: str
) -> tuple[RefStore, LogStore]:
    if storage == "files":
        refs = FileRefs(common, problems)
        refs.remember(own.path, "HEAD", head)
        return refs, FileLogs(common, refs, problems)
    from scanner.git.tables import TableLogs, TableRefs  # noqa: PLC0415 - start-up: 2 ms that few repositories need

    tables = TableRefs(common, own, problems)
    return tables, TableLogs(common, tables)


def submodule_paths(work_tree: str) -> tuple[str, ...]:
    """The folders that ``.gitmodules`` names as submodules, relative to ``work_tree``; none outside of it."""
    paths: list[str] = []
    config = read_config(work_tree + "/.gitmodules", ProblemLog())
    for name in config.subsections("submodule")[:_MODULES_LIMIT]:
        path = (config.get(f"submodule.{name}.path") or "").rstrip("/")
        if path and "\0" not in path and not {"", ".", ".."} & set(path.split("/")):
            paths.append(path)
    return tuple(dict.fromkeys(paths))
