"""What a history tells, as values. Times are epoch seconds as recorded."""

from __future__ import annotations

from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One commit that touched a file: its name, when it was made, lines added and deleted, size after.

    A merge is compared with its first parent. ``size`` is in bytes, 0 where the file is gone, and no more
    than 1 MiB and one byte: larger contents are not read, their lines not counted.
    """

    commit: str
    when: int
    added: int
    deleted: int
    size: int


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What the history tells of one file, newest first.

    ``changes`` are the last commits that touched it, as many as were asked for. ``commits_since`` counts the
    commits after the newest of them that touch more than handover files, at most 500; ``last_commit`` is when
    the newest of those was made. ``earlier`` are the different contents that were committed, newest first,
    the present one among them, at most 50, each at most 1 MiB.
    """

    path: str
    changes: tuple[Change, ...] = ()
    commits_since: int = 0
    last_commit: int | None = None
    earlier: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderHistory:
    """What once stood in a folder and stands there no more, by name, at most 50 files.

    ``gone`` are (name, last content that was committed, names of the files that stood beside it). Folders in
    it, links, files of more than 1 MiB, and files whose name or content stands elsewhere in the newest commit
    are not told: those moved. ``known`` is false where the history could not be read as far as was asked.
    """

    path: str
    gone: tuple[tuple[str, bytes, frozenset[str]], ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True)
class Recorded:
    """A commit that a file names, against the history.

    ``known``: there is one commit of that name, or one that begins so; None where it cannot be told.
    ``ancestor``: it is ``HEAD`` or ``HEAD`` comes after it. ``drift`` counts the commits from it to ``HEAD``
    that touch more than handover files, at most 500; None where it cannot be told, and beside the history.
    """

    name: str
    known: bool | None
    ancestor: bool | None = None
    drift: int | None = None


@dataclass(frozen=True, slots=True)
class RecentCommit:
    """A commit as a person sees it in a log; ``has_body``: it says more than its subject and trailers."""

    name: str
    when: int
    subject: str
    has_body: bool
    author: str


@dataclass(frozen=True, slots=True)
class CommitSize:
    """How much one commit changes against its first parent: files, and lines added and deleted.

    ``lines`` is None where more than 64 files are changed or one of them is not read.
    """

    files: int
    lines: int | None
