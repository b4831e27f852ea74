"""Carries a consolidation out, or takes one back: under the locks of the notes, each file old or new."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby

from brain.consolidate.values import Change
from brain.files.atomic import Write, replace_all, sweep
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.writer_lock import WriterLock
from brain.folders import LEDGER_FOLDER

Place = tuple[str, str]
"""A file of notes: the real path of its memory, and its name below that, with ``/``."""


@contextmanager
def locked(places: Iterable[Place], *, wait: float) -> Iterator[None]:
    """Keep other writers out of the folders of these files while it lasts.

    Of a project's ledgers, too, where it has any: receipts of outcomes are bound to entries. Raises
    ``LockedError`` and ``OccupiedError`` after ``wait`` seconds for each, ``MemError``, ``WriteError``.
    """
    folders = {(base, os.path.dirname(file)) for base, file in places}
    ledgers = {
        base
        for base, folder in folders
        if folder
        and (folder == LEDGER_FOLDER or os.path.lexists(os.path.join(base, *LEDGER_FOLDER.split("/"))))
    }
    with ExitStack() as stack:
        for base in sorted(ledgers):
            stack.enter_context(WriterLock(base, wait=wait))
        for base, folder in sorted(folders):
            if folder != LEDGER_FOLDER:
                path = refuse_links(base, folder) if folder else base
                stack.enter_context(FolderLock(path, wait=wait))
        yield


def carry_out(changes: Sequence[Change], keep: Callable[[], None], *, now: float) -> None:
    """Write ``changes``; whoever calls holds the locks. ``keep`` is called before the first file is touched.

    Raises ``ChangedError`` when somebody saved one of the files meanwhile, ``WriteError``, ``OutsideError``;
    files before that one then hold their new content.
    """
    for change in changes:
        refuse_links(change.base, change.file)
    for folder in sorted({os.path.dirname(change.path) for change in changes}):
        sweep(folder, now=now)
    keep()
    for base, some in groupby(
        sorted(changes, key=lambda one: (one.base, one.file)), key=lambda one: one.base
    ):
        replace_all([Write(change.path, change.new, change.seen) for change in some], base)
