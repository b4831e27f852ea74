"""One git directory by the names of its entries, and which folders in it may be entered.

Whoever can write a repository can put a link in the place of any folder of it (``logs``, ``refs/heads``,
``objects/ab``). Such a link is followed only to a place below one of the roots, or of the git directory
itself: so work trees that share folders by links are read, and nothing from elsewhere is. The directory is
listed once; the listing also answers which of the files exist that most repositories do not have.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from itertools import islice

from scanner import trace
from scanner.git.problems import ProblemLog

_ENTRIES = 20_000
_WORKTREES = 2_000


class GitFolder:
    """A git directory. ``path`` is absolute; folders and names are relative to it, without a last slash."""

    __slots__ = ("_allowed", "_entries", "_known", "_problems", "_worktrees", "path")

    def __init__(
        self, path: str, allowed: Sequence[str], problems: ProblemLog, *, listed: bool = True
    ) -> None:
        self.path = path
        self._allowed = allowed
        self._problems = problems
        self._known: dict[str, bool] = {}
        self._worktrees: list[str] | None = None
        self._entries = self._list() if listed else None

    def _list(self) -> dict[str, os.DirEntry[str]] | None:
        """All entries by name; ``None`` where they cannot be told: then each is looked at on its own."""
        try:
            with trace.scandir(self.path) as listing:
                entries = {entry.name: entry for entry in islice(listing, _ENTRIES)}
        except (OSError, ValueError):
            return None
        return entries if len(entries) < _ENTRIES else None

    def has(self, name: str) -> bool:
        """Whether an entry was there when the directory was opened."""
        if self._entries is None:
            return trace.lexists(f"{self.path}/{name}")
        return name in self._entries

    def leads_to(self, folder: str) -> bool:
        """Whether a folder is there and may be entered; one problem for a link that leads elsewhere."""
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = self._look_at(folder)
        return known

    def _look_at(self, folder: str) -> bool:
        above, slash, _ = folder.rpartition("/")
        if slash:
            if not self.leads_to(above):
                return False
        elif self._entries is not None:
            entry = self._entries.get(folder)
            return entry is not None and (not entry.is_symlink() or self._leads_inside(folder))
        try:
            status = trace.lstat(f"{self.path}/{folder}")
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError:
            return True  # whoever opens something in it learns, and tells, what is wrong
        return not stat.S_ISLNK(status.st_mode) or self._leads_inside(folder)

    def _leads_inside(self, folder: str) -> bool:
        place = f"{self.path}/{folder}"
        real = trace.realpath(place)
        trace.asks_roots()
        inside = is_within(real, self.path) or any(
            is_within(real, trace.realpath(root)) for root in self._allowed
        )
        if inside and not trace.is_away(real, follow=False):
            return True
        self._problems.add("git-link", place, "a symbolic link that leads elsewhere, which is not followed")
        return False

    def worktrees(self) -> list[str]:
        """The names of the records of linked worktrees that may be entered, sorted, at most two thousand."""
        if self._worktrees is None:
            self._worktrees = []
            if self.leads_to("worktrees"):
                try:
                    names = sorted(trace.listdir(self.path + "/worktrees"))[:_WORKTREES]
                except NotADirectoryError:
                    names = []
                except OSError as error:
                    names = []
                    self._problems.add("git-io", self.path + "/worktrees", error.strerror or str(error))
                self._worktrees = [name for name in names if self.leads_to("worktrees/" + name)]
        return self._worktrees

    def names_below(
        self, place: str, prefix: str, is_name: Callable[[str], bool], limit: int, *, without: str = ""
    ) -> list[str]:
        """The names of all files below ``place + prefix``, sorted; each name starts with ``prefix``.

        ``place`` and ``prefix`` end with a slash or are empty. What ``is_name`` refuses is left out, with all
        that lies below it, and so is the folder ``without``. One problem where there are more than ``limit``
        entries.
        """
        names: list[str] = []
        linked: set[str] = set()
        folders = [prefix]
        left = limit
        while folders and left >= 0:
            current = folders.pop()
            folder = place + current[:-1]
            if not self.leads_to(folder):
                continue
            try:
                with trace.scandir(f"{self.path}/{folder}") as listing:
                    for entry in listing:
                        left -= 1
                        if left < 0:
                            break
                        name = current + entry.name
                        if not is_name(name):
                            continue
                        if entry.is_file(follow_symlinks=False) or not self._is_folder(
                            entry, place + name, linked
                        ):
                            names.append(name)
                        elif name != without:
                            folders.append(name + "/")
            except FileNotFoundError:
                continue
            except OSError as error:
                self._problems.add("git-io", f"{self.path}/{folder}", error.strerror or str(error))
        if left < 0:
            self._problems.add(
                "git-budget", f"{self.path}/{place}{prefix}", f"only {limit} entries were read"
            )
        names.sort()
        return names

    def _is_folder(self, entry: os.DirEntry[str], place: str, linked: set[str]) -> bool:
        """Whether an entry is a folder to enter; those in ``linked`` were entered: links may form rings."""
        if entry.is_dir(follow_symlinks=False):
            self._known[place] = True
            return True
        if not entry.is_symlink() or not self.leads_to(place) or not trace.is_folder(f"{self.path}/{place}"):
            return False
        real = trace.realpath(f"{self.path}/{place}")
        is_new = real not in linked
        linked.add(real)
        return is_new


def is_within(path: str, folder: str) -> bool:
    """Whether a path is ``folder`` or lies below it; both are real paths."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
