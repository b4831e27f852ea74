"""What the scanner's acceptance tests share: a folder to search, and the scanner's front asked about it."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scanner.project import Project, Root, Scan, Thresholds
from scanner.scan import Request, scan
from tests.support import DAY, NOW, Git, write

# One word for each source of activity that the reason of a status must hold, so that a person knows what
# was dated.
SOURCE_WORDS = {
    "commit": "commit",
    "reflog": "reflog",
    "stash": "stash",
    "worktree": "worktree",
    "edit": "edit",
    "file": "file",
}


# What programs leave behind: no sign of work.
JUNK = (
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    ".main.py.swp",
    ".main.py.swo",
    "main.py~",
    "#main.py#",
    ".#main.py",
)
SECOND = 1 / DAY


@dataclass(frozen=True)
class Desk:
    """A developer's disk: ``root`` is the folder that is scanned, ``outside`` lies beside it."""

    git: Git
    root: Path
    outside: Path

    @classmethod
    def at(cls, git: Git) -> Desk:
        """A desk below the folder in which ``git`` works."""
        base = Path(os.path.realpath(git.root))
        desk = cls(Git(base), base / "dev", base / "outside")
        desk.root.mkdir()
        desk.outside.mkdir()
        return desk

    def repository(self, name: str, *, days: float = 1.0, files: dict[str, str] | None = None) -> Path:
        """A repository below the root with one commit, ``days`` old; its files and folders as old."""
        path = self.git.repository(f"dev/{name}", days=days, files=files)
        settle(path, days)
        return path

    def elsewhere(self, name: str, *, days: float = 1.0, files: dict[str, str] | None = None) -> Path:
        """The same, beside the root: what the scan never sees."""
        path = self.git.repository(f"outside/{name}", days=days, files=files)
        settle(path, days)
        return path

    def commit(self, path: Path, days: float, name: str = "", text: str = "more\n", message: str = "") -> str:
        """Commit a new text of the file ``name`` (or nothing at all) and return the commit's id."""
        if name:
            write(path / name, text, days=days)
            self.git("add", "-A", cwd=path)
        self.git("commit", "-q", "--allow-empty", "-m", message or "work", cwd=path, days=days)
        return self.git("rev-parse", "HEAD", cwd=path)

    def raw_commit(self, path: Path, stamp: str, *parents: str) -> str:
        """A commit object with ``stamp`` as its dates, which git itself would not write; returns its id."""
        tree = self.git("write-tree", cwd=path)
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"{role} Ana <ana@example.com> {stamp}" for role in ("author", "committer")]
        file = write(self.outside / "commit", "\n".join(lines) + "\n\nodd\n")
        return self.git("hash-object", "-t", "commit", "-w", str(file), cwd=path)

    def manifest(self, relative: str, *, days: float = 5.0) -> Path:
        """A Go manifest, the plainest strong marker there is; returns the folder that holds it."""
        folder = self.root / relative
        write(folder / "go.mod", f"module example.com/{folder.name}\n\ngo 1.22\n", days=days)
        return folder

    def scan(self, depth: int = 4, **changes: Any) -> Scan:
        """The scan of the root at ``NOW``."""
        return scan_of(Root(str(self.root), depth), **changes)

    def found(self, depth: int = 4, **changes: Any) -> list[str]:
        """The projects' paths relative to the root, as a scan lists them; ``.`` is the root itself."""
        return below(self.root, self.scan(depth, **changes).projects)

    def only(self, **changes: Any) -> Project:
        """The one project that a scan of the root finds."""
        return only(self.scan(**changes))


@dataclass(frozen=True)
class Case:
    """A history: how it is made, and what a scan says about it; ``days`` is None where no date can be had."""

    build: Callable[[Desk], object]
    days: float | None
    sources: tuple[str, ...]
    status: str
    flags: tuple[str, ...] = ()
    confidence: tuple[str, ...] = ("high", "medium", "low")


def assert_dated(project: Project, case: Case) -> None:
    """The project's date, source, status and reason are those of the case."""
    activity, status = project.activity, project.status
    if case.days is None:
        assert (activity.when, activity.source) == (None, "none")
    else:
        assert activity.when is not None
        assert age(project) == pytest.approx(case.days, abs=SECOND)
        assert SOURCE_WORDS[activity.source] in status.reason
        assert age_in_words(case.days) in status.reason
    assert activity.source in case.sources
    assert status.value == case.status
    assert status.reason
    assert activity.confidence in case.confidence
    assert set(case.flags) <= set(project.flags)


def age_in_words(days: float) -> str:
    """How a reason tells an age; a date in the future counts as today."""
    if days < 1:
        return "today"
    return "1 day ago" if days < 2 else f"{int(days)} days ago"


def scan_of(*roots: Root, **changes: Any) -> Scan:
    """A scan of ``roots`` with the usual thresholds at ``NOW``; ``changes`` go into the request."""
    request: dict[str, Any] = {"roots": roots, "thresholds": Thresholds(), "now": NOW} | changes
    return scan(Request(**request))


def below(root: Path, projects: Iterable[Project]) -> list[str]:
    """The paths of ``projects`` relative to ``root``, in the order given."""
    return [os.path.relpath(project.path, root) for project in projects]


def only(result: Scan) -> Project:
    """The one project of a scan."""
    assert [project.path for project in result.projects][1:] == []
    assert result.projects, f"nothing found: {result.problems}"
    return result.projects[0]


def one(result: Scan, name: str) -> Project:
    """The one project of a scan whose folder is called ``name``."""
    matching = [project for project in result.projects if os.path.basename(project.path) == name]
    assert len(matching) == 1, [project.path for project in result.projects]
    return matching[0]


def age(project: Project, now: float = NOW) -> float:
    """Days since the project's activity."""
    assert project.activity.when is not None, project.activity
    return (now - project.activity.when) / DAY


def settle(path: Path, days: float) -> None:
    """Date everything below ``path``, folders too, but for git's own files."""
    stamp = NOW - days * DAY
    for folder, folders, files in os.walk(path, topdown=False):
        if ".git" in Path(folder).relative_to(path).parts:
            continue
        for name in [*files, *(name for name in folders if name != ".git")]:
            os.utime(os.path.join(folder, name), (stamp, stamp), follow_symlinks=False)
    os.utime(path, (stamp, stamp))


def date(path: Path, days: float) -> Path:
    """Date one file or folder ``days`` before ``NOW``."""
    os.utime(path, (NOW - days * DAY, NOW - days * DAY))
    return path


def edit(path: Path, text: str, days: float) -> Path:
    """Change a file in place, as an editor without a swap file does: its folder keeps its date."""
    folder = path.parent.stat()
    write(path, text, days=days)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    return path


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Without root's right to read everything, so that a mode of 000 keeps us out as it does others."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root reads everything here")
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # capability version 3, this thread
    held = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, held) == 0
    lowered = (ctypes.c_uint32 * 6)(*held)
    lowered[0] &= ~0b110  # effective: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert libc.capset(header, lowered) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0


@contextmanager
def closed(path: Path) -> Iterator[None]:
    """``path`` is unreadable inside the block."""
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        with ordinary_user():
            yield
    finally:
        path.chmod(mode)
