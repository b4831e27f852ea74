"""Looks at a workspace: reads the notes, MEMORY.md and what is remembered, and lets the rules judge.

Nothing but the cache is written here. What counts is what stands in the notes, the log of what was looked up,
and the record of what was promoted; that somebody looked at a claim makes it no better.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache

from brain.dreaming.cues import Cues, CuesError, cues_with, standard_cues
from brain.dreaming.extract import extract
from brain.dreaming.kept import Kept
from brain.dreaming.memory_file import characters, items_of
from brain.dreaming.notes import read_workspace
from brain.dreaming.sweep import judged, sweep
from brain.dreaming.values import Claim, Gates, Marks, Sweep, Verdict, Workspace
from brain.files.errors import MemError
from brain.files.reading import UnreadableError, read_seen
from brain.wording import plural
from jobs import __version__
from jobs.cache_file import write_cache
from jobs.dreaming_state import History, LastRun, WorkspaceState, fates, read_archive
from jobs.dreaming_workspaces import DreamSettings, is_workspace
from jobs.dreaming_writing import read_memory
from jobs.errors import ExpectedError
from jobs.recall_log import read_recalls
from scanner.project import Problem
from scanner.value import dataclass

_CUES_CAP = 256 * 1024
_CACHE_CAP = 64 * 1024 * 1024
_FEW = 3
_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in a workspace, and out of what.

    ``vanished`` counts the notes that the last run saw and that are gone, where these are so many that
    nothing is to be written before a person has looked. ``expired`` are the items of ours whose last day is
    past.
    """

    state: WorkspaceState
    workspace: Workspace
    marks: Marks
    history: History
    sweep: Sweep
    gates: Gates
    today: date
    kept: Kept
    last: LastRun | None = None
    vanished: int = 0
    expired: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()

    @property
    def root(self) -> str:
        """The real path of the workspace."""
        return self.state.root

    @property
    def size(self) -> int:
        """The characters of MEMORY.md."""
        return characters(self.workspace.memory or b"")

    @property
    def items(self) -> int:
        """The items of ours in MEMORY.md."""
        return len(items_of(self.workspace.memory or b""))

    def judged(self) -> Iterator[tuple[Claim, Verdict]]:
        """Every claim with its verdict, the best first."""
        return judged(self.workspace, today=self.today, gates=self.gates, marks=self.marks, kept=self.kept)

    def ids(self) -> frozenset[str]:
        """The ids of all that the notes say."""
        return frozenset(line.id for note in self.workspace.notes for line in self.kept.of_note(note).lines)


def look(
    settings: DreamSettings, root: str, gates: Gates | None = None, *, forgiven: Sequence[str] = ()
) -> Looked:
    """Look at the workspace at ``root``, a real path.

    ``forgiven`` are claims that may be promoted again although their items went. ``ExpectedError`` where
    there is no workspace, MEMORY.md cannot be used, or the record of promotions cannot be read.
    """
    if not is_workspace(root):
        raise ExpectedError(
            "no-workspace",
            f"{root} is no workspace",
            "it holds neither MEMORY.md nor memory/YYYY-MM-DD.md",
            "Name one with -d, or all with --all.",
            path=root,
        )
    state = WorkspaceState(settings.state, root)
    memory = read_memory(root)
    found = read_workspace(root)
    history = _history(state)
    today = date.fromisoformat(settings.today)
    last = state.last()
    seen = "" if last is None else last.at[:10]
    promoted = fates(history, None if memory is None else memory.data, read_archive(root), seen)
    recalls = read_recalls(settings.state, root)
    marks = Marks(
        recalls=recalls.by_claim,
        staged={one.id: one.day for one in state.staged()},
        promoted={key: day for key, day in promoted.items() if not day or key not in forgiven},
    )
    workspace = Workspace(found.notes, None if memory is None else memory.data, found.unread)
    kept = _kept(settings, state)
    swept = sweep(workspace, today=today, gates=gates or settings.gates, marks=marks, kept=kept)
    _keep(settings, state, workspace, kept)
    gone = 0 if last is None else last.notes - len(found.notes)
    is_many = last is not None and gone > _FEW and gone > _SHARE * last.notes
    return Looked(
        state,
        workspace,
        marks,
        history,
        swept,
        gates or settings.gates,
        today,
        kept,
        last,
        gone if is_many else 0,
        _expired(workspace.memory, swept, kept.cues, settings.today),
        tuple(_problems(root, workspace, history, recalls.damaged, gone if is_many else 0)),
    )


def own_cues(path: str | None) -> Cues:
    """The cues, with those of the file at ``path``; ``ExpectedError`` where that makes no sense."""
    if path is None:
        return standard_cues()
    try:
        return cues_with(read_seen(os.path.realpath(path), _CUES_CAP).data or b"")
    except (UnreadableError, CuesError) as error:
        raise ExpectedError(
            "cues-unusable",
            f"{path} cannot be used",
            str(error),
            "Mend it, or take [dreaming] cues out of the configuration.",
            path=path,
        ) from None


def _history(state: WorkspaceState) -> History:
    try:
        return state.history()
    except MemError as error:
        raise ExpectedError(
            "promotions-unreadable",
            "nobody can tell what was promoted before",
            str(error),
            "Mend the permissions of that file, or move it away.",
            path=state.promotions,
        ) from None


def _expired(memory: bytes | None, swept: Sweep, cues: Cues, today: str) -> frozenset[str]:
    """The items whose notes say that they ended, or that say so themselves."""
    ended = set(swept.expired)
    for item in items_of(memory or b""):
        if any(day < today for day in _last_days(item.text, cues)):
            ended.add(item.id)
    return frozenset(ended)


@lru_cache(maxsize=1 << 10)
def _last_days(text: str, cues: Cues) -> tuple[str, ...]:
    lines = extract(b"- " + text.encode("utf-8", "replace"), cues).lines
    return tuple(line.until for line in lines if line.until)


def _problems(
    root: str, workspace: Workspace, history: History, damaged: int, gone: int
) -> Iterator[Problem]:
    for unread in workspace.unread:
        path = os.path.join(root, *unread.path.split("/"))
        fix = "Put a regular file there that you can read, at most 1 MiB."
        yield Problem("note-unread", "warning", path, f"this note was left out: {unread.message}", fix)
    if history.damaged:
        words = f"{plural(history.damaged, 'line')} of the record of promotions make no sense"
        yield Problem("promotions-damaged", "warning", root, words, "Nothing to do: they are left out.")
    if damaged:
        words = f"{plural(damaged, 'line')} of the log of what was looked up make no sense"
        yield Problem("recall-log-damaged", "warning", root, words, "Nothing to do: they are left out.")
    if gone:
        yield Problem(
            "notes-vanished",
            "error",
            root,
            f"{plural(gone, 'note')} that the last run saw are gone: nothing is written",
            "See whether that was meant. The next run takes it as it is.",
        )


# -- what was worked out before -----------------------------------------------------------------------------


def _cache(settings: DreamSettings, state: WorkspaceState) -> str:
    return os.path.join(settings.cache, "dreaming", os.path.basename(state.folder) + ".json")


def _kept(settings: DreamSettings, state: WorkspaceState) -> Kept:
    """What earlier looks worked out of the same notes, by the hash of their bytes."""
    import json  # noqa: PLC0415 - start-up: only where notes are looked at

    cues = own_cues(settings.configured.cues)
    rows: Mapping[str, object] = {}
    with suppress(UnreadableError, ValueError, RecursionError):
        found = json.loads(read_seen(_cache(settings, state), _CACHE_CAP).data or b"")
        if isinstance(found, dict) and found.get("by") == _by(cues) and isinstance(found.get("rows"), dict):
            rows = found["rows"]
    return Kept(cues, rows)


def _keep(settings: DreamSettings, state: WorkspaceState, workspace: Workspace, kept: Kept) -> None:
    import json  # noqa: PLC0415 - as above

    path = _cache(settings, state)
    rows = kept.rows({note.digest for note in workspace.notes})
    data = json.dumps({"by": _by(kept.cues), "rows": rows}, ensure_ascii=True).encode()
    with suppress(UnreadableError):
        if read_seen(path, _CACHE_CAP).data == data:
            return
    if len(data) <= _CACHE_CAP:
        write_cache(path, [data])


def _by(cues: Cues) -> str:
    return f"{__version__} {cues.digest}"
