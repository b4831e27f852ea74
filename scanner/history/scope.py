"""What a question to the history looks at: one path, or all but some; and whether two trees differ there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from scanner.history.source import FOLDER, Entry, Source

_EMPTY_TREES = frozenset(
    bytes.fromhex(name)
    for name in (
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    )
)

_Level = dict[bytes, "_Level | None"]


class OnePath:
    """``git log -- PATH``: one file, or whatever else stands at its path."""

    def __init__(self, source: Source, path: str) -> None:
        self._source = source
        self._parts = os.fsencode(path).split(b"/")
        self._known: dict[str, Entry | None] = {}

    def entry(self, tree: str) -> Entry | None:
        """What a tree holds at the path; None where it holds nothing."""
        if tree not in self._known:
            self._known[tree] = self._find(tree)
        return self._known[tree]

    def differ(self, one: str, other: str) -> bool:
        """Whether two trees hold different things at the path."""
        return one != other and self.entry(one) != self.entry(other)

    def is_empty(self, tree: str) -> bool:
        """Whether a tree holds nothing there."""
        return self.entry(tree) is None

    def _find(self, tree: str) -> Entry | None:
        *folders, name = self._parts
        for folder in folders:
            mode, raw = self._source.tree(tree).get(folder, (b"", b""))
            if mode != FOLDER:
                return None
            tree = raw.hex()
        return self._source.tree(tree).get(name)


class AllBut:
    """``git log -- . ':(exclude)PATH'...``: everything but some paths.

    Two folders with different names count as different: only a folder of empty folders could belie that.
    """

    def __init__(self, source: Source, excluded: Iterable[str]) -> None:
        self._source = source
        self._excluded: _Level = {}
        self._known: dict[tuple[str, str], bool] = {}
        for path in excluded:
            _exclude(self._excluded, os.fsencode(path).split(b"/"))

    def differ(self, one: str, other: str) -> bool:
        """Whether two trees hold anything different that is not excluded."""
        if one == other:
            return False
        pair = (one, other)
        if pair not in self._known:
            self._known[pair] = self._differ(self._source.tree(one), self._source.tree(other), self._excluded)
        return self._known[pair]

    def is_empty(self, tree: str) -> bool:
        """Whether a tree holds nothing but what is excluded."""
        return not any(
            self._holds(entry, name, self._excluded) for name, entry in self._source.tree(tree).items()
        )

    def _differ(self, one: Mapping[bytes, Entry], other: Mapping[bytes, Entry], level: _Level) -> bool:
        deeper = []
        for name in {name for name, _ in one.items() ^ other.items()}:
            before, after = one.get(name), other.get(name)
            if before is not None and after is not None and before[0] == after[0] == FOLDER:
                if name not in level:
                    return True
                deeper.append(name)
            elif any(self._holds(entry, name, level) for entry in (before, after) if entry is not None):
                return True
        return any(
            self._differ(
                self._source.tree(one[name][1].hex()),
                self._source.tree(other[name][1].hex()),
                level[name] or {},
            )
            for name in deeper
            if level[name] is not None
        )

    def _holds(self, entry: Entry, name: bytes, level: _Level) -> bool:
        """Whether an entry is, or has in it, anything that is not excluded."""
        mode, raw = entry
        if name not in level:
            return mode != FOLDER or raw not in _EMPTY_TREES
        inner = level[name]
        if inner is None:
            return False
        if mode != FOLDER:
            return True
        return any(self._holds(below, part, inner) for part, below in self._source.tree(raw.hex()).items())


def _exclude(level: _Level, parts: list[bytes]) -> None:
    first, *rest = parts
    if not rest:
        level[first] = None
        return
    inner = level.setdefault(first, {})
    if inner is not None:
        _exclude(inner, rest)
