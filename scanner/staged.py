"""Whether what the index holds of a file differs from the newest commit."""

from __future__ import annotations

from scanner.git.entry import Entry
from scanner.git.index import Index
from scanner.git.objects import ObjectStore
from scanner.git.problems import ProblemLog
from scanner.git.repository import Repository
from scanner.git.trees import CommittedTree, UnknownTreeError


class Staging:
    """Compares entries of one index with the commit at ``HEAD``.

    Nothing differs where the index was last written as the commit's own tree, as after a commit, a checkout,
    a pull or a clone. Otherwise the commit's trees are read, those on the way to the files that are asked
    for.
    """

    def __init__(self, repository: Repository, index: Index) -> None:
        self._repository = repository
        self._root_tree = index.root_tree
        self._possible: bool | None = None
        self._committed: CommittedTree | None = None

    @property
    def possible(self) -> bool:
        """Whether anything can be staged at all."""
        if self._possible is None:
            self._possible = self._differs_at_all()
        return self._possible

    def holds(self, entry: Entry) -> bool:
        """Whether ``entry`` is staged; what cannot be told is not."""
        if not self.possible:
            return False
        if self._committed is None:
            return True
        try:
            return self._committed.oid_of(entry.name) != entry.oid
        except UnknownTreeError:
            return False

    def _differs_at_all(self) -> bool:
        head = self._repository.head().oid
        if head is None:
            return True
        commit = self._repository.commit(head)
        if commit is None or commit.tree == self._root_tree:
            return False
        store = ObjectStore(self._repository.common_dir + "/objects", ProblemLog())
        try:
            self._committed = CommittedTree(commit.tree, store.start_of)
        except UnknownTreeError:
            return False
        return True
