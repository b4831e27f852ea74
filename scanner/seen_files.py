"""What one look over the tracked files of a work tree saw, for whoever looks at the same files after it."""

from __future__ import annotations

import os
from collections.abc import Sequence

MOST = 50_000
"""Of so many files the answers are kept, some 30 MB; of more each look asks for itself."""


class SeenFiles:
    """The answers of ``lstat`` for the files of an index, in its order; None for a file without an answer.

    They are good for the one look at a project in which they were made, and so is what was seen of its
    folders: only where each was one, and no other file system covers any.
    """

    __slots__ = ("_folders", "_kept")

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Sequence[bytes], list[os.stat_result | None]]] = {}
        self._folders: dict[str, tuple[Sequence[bytes], set[bytes], set[bytes]]] = {}

    def begin(self, work_tree: str, names: Sequence[bytes]) -> list[os.stat_result | None] | None:
        """Where the answers for ``names`` are to be put, one for each; None where there are too many."""
        if len(names) > MOST:
            return None
        answers: list[os.stat_result | None] = []
        self._kept[work_tree] = (names, answers)
        return answers

    def take(self, work_tree: str, names: Sequence[bytes]) -> list[os.stat_result | None] | None:
        """The answers for that very list of names, once; None where they were not kept."""
        kept, answers = self._kept.pop(work_tree, (None, []))
        return answers if kept is names and len(answers) == len(names) else None

    def keep_folders(
        self, work_tree: str, names: Sequence[bytes], folders: set[bytes], known: set[bytes]
    ) -> None:
        """Keep the ``folders`` on the way to the files ``names``, each of which was found to be one, or gone.

        ``known`` holds them and the files.
        """
        self._folders[work_tree] = (names, folders, known)

    def take_folders(self, work_tree: str, names: Sequence[bytes]) -> tuple[set[bytes], set[bytes]] | None:
        """The folders and ``known`` for that very list of names, once; None where they were not kept."""
        kept, folders, known = self._folders.pop(work_tree, (None, set(), set()))
        return (folders, known) if kept is names else None
