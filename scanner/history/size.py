"""How much the newest commit changes."""

from __future__ import annotations

from collections.abc import Mapping

from scanner.history.lines import changed_lines
from scanner.history.source import FOLDER, Entry, Source, UnknownHistoryError
from scanner.history.values import CommitSize

_COUNTED = 64
"""In so many changed files lines are counted: a commit that changes more is large in any case."""

_FILES = 10_000

_Pair = tuple[Entry | None, Entry | None]


def last_commit_size(source: Source) -> CommitSize | None:
    """What ``git diff-tree --numstat --no-renames -r`` says of ``HEAD`` and its first parent.

    At most 10,000 files; None where nothing was committed or it cannot be told.
    """
    head = source.head()
    if head is None:
        return None
    try:
        parents = source.parents(head)
        before = source.tree(source.commit(parents[0]).tree) if parents else {}
        pairs: list[_Pair] = []
        _changed(source, before, source.tree(source.commit(head).tree), pairs)
    except UnknownHistoryError:
        return None
    return CommitSize(len(pairs), _lines(source, pairs) if len(pairs) <= _COUNTED else None)


def _changed(
    source: Source, before: Mapping[bytes, Entry], after: Mapping[bytes, Entry], pairs: list[_Pair]
) -> None:
    for name in sorted({name for name, _ in before.items() ^ after.items()}):
        if len(pairs) >= _FILES:
            return
        old, new = before.get(name), after.get(name)
        old_folder, new_folder = _folder(source, old), _folder(source, new)
        if old_folder is not None or new_folder is not None:
            _changed(source, old_folder or {}, new_folder or {}, pairs)
        files = (None if old_folder is not None else old, None if new_folder is not None else new)
        if files != (None, None):
            pairs.append(files)


def _folder(source: Source, entry: Entry | None) -> Mapping[bytes, Entry] | None:
    return source.tree(entry[1].hex()) if entry is not None and entry[0] == FOLDER else None


def _lines(source: Source, pairs: list[_Pair]) -> int | None:
    total = 0
    for old, new in pairs:
        try:
            before, after = source.content(old), source.content(new)
        except UnknownHistoryError:
            return None
        if before is None or after is None:
            return None
        total += sum(changed_lines(before, after))
    return total
