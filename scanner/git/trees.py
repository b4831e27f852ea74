"""What the newest commit holds at a path.

Format: the tree object of gitformat-pack(5)'s "tree": mode, space, name, NUL, object name, without
separators.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import sha1, sha256

_TREES = 2_000


class UnknownTreeError(LookupError):
    """A tree is missing, damaged, larger than what is read of an object, or one too many."""


class CommittedTree:
    """The files of one commit by path.

    ``start_of`` gives an object's type and first bytes by its name. Raises ``UnknownTreeError`` where the
    root cannot be read.
    """

    def __init__(self, root: str, start_of: Callable[[str], tuple[str, bytes] | None]) -> None:
        self._start_of = start_of
        self._read_trees = 0
        self._trees: dict[bytes, dict[bytes, tuple[bytes, str]] | None] = {b"": self._read(root)}

    def oid_of(self, path: bytes) -> str | None:
        """The object name at ``path``; ``None`` where the commit holds nothing there.

        Raises ``UnknownTreeError`` where that cannot be told.
        """
        folder, _, name = path.rpartition(b"/")
        tree = self._tree(folder)
        found = tree.get(name) if tree is not None else None
        return found[1] if found is not None else None

    def _tree(self, folder: bytes) -> dict[bytes, tuple[bytes, str]] | None:
        if folder not in self._trees:
            above, _, name = folder.rpartition(b"/")
            parent = self._tree(above)
            found = parent.get(name) if parent is not None else None
            is_tree = found is not None and found[0] in (b"40000", b"040000")
            self._trees[folder] = self._read(found[1]) if found is not None and is_tree else None
        return self._trees[folder]

    def _read(self, oid: str) -> dict[bytes, tuple[bytes, str]]:
        self._read_trees += 1
        if self._read_trees > _TREES:
            raise UnknownTreeError(oid)
        return {name: (mode, raw.hex()) for mode, name, raw in read_tree(oid, self._start_of)}


def read_tree(
    oid: str, start_of: Callable[[str], tuple[str, bytes] | None]
) -> list[tuple[bytes, bytes, bytes]]:
    """Mode in octal digits, name and raw object name of each entry of a tree, in its order.

    ``start_of`` gives an object's type and first bytes by its name. Raises ``UnknownTreeError`` where the
    tree is missing, or is not what its name says.
    """
    found = start_of(oid)
    # Only the beginning of an object is read elsewhere. Its name tells whether that was the whole.
    if found is None or found[0] != "tree" or _name_of(found[1], len(oid)) != oid:
        raise UnknownTreeError(oid)
    return _entries(len(oid) // 2).findall(found[1])


@cache
def _entries(raw_size: int) -> re.Pattern[bytes]:
    return re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{%d})" % raw_size, re.DOTALL)


def _name_of(tree: bytes, length: int) -> str:
    digest = sha1 if length == 40 else sha256
    return digest(b"tree %d\0" % len(tree) + tree).hexdigest()
