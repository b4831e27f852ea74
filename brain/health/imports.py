"""What entry files import with ``@path``: relative to the file that says it, five levels deep, never twice.

Nothing outside the project is read, nor anything of the home folder.
"""

from __future__ import annotations

import posixpath
import re

from brain.health.page import Page
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from brain.health.values import MemoryFile

DEPTH = 5
MOST = 100

_IMPORT = re.compile(
    r"(?:^|(?<=[\s(]))@((?:~|\.{1,2})?/?[\w.+-][\w./+ -]{0,250}?)(?=[,;:)]?(?:\s|$)|\.\s|\.$)"
)
_SPAN = re.compile(r"(`+)[^`].*?\1|`[^`\n]*`")
_PATH_LIKE = re.compile(r"/|\.[A-Za-z]{1,8}$")


@dataclass(frozen=True, slots=True)
class Import:
    """``@target`` in the line ``line`` of ``file``; ``path`` is what it leads to in the project.

    ``problem`` says why it was not followed: ``missing``, ``outside``, ``home``, ``depth``, ``cycle``; empty
    if it was.
    """

    file: str
    line: int
    target: str
    path: str
    problem: str


def imports_in(page: Page) -> Iterator[tuple[int, str]]:
    """(line, target) of the imports that a page writes outside of code."""
    for line, text in enumerate(page.visible):
        if "@" not in text:
            continue
        bare = _SPAN.sub(" ", text[:4096]) if "`" in text else text[:4096]
        for found in _IMPORT.finditer(bare):
            target = found[1].split(" ")[0].rstrip(".")
            if _PATH_LIKE.search(target):
                yield line, target


def imports_of(
    file: MemoryFile,
    follow: Callable[[str], MemoryFile | None],
    page: Callable[[MemoryFile], Page] | None = None,
) -> tuple[tuple[Import, ...], tuple[MemoryFile, ...]]:
    """The imports of ``file`` and of what it imports, and the files that they lead to, each once.

    ``follow`` gives the file at a path relative to the project, None where it is not read.
    """
    following = _Following(file, follow, page or (lambda one: Page(one.path, one.data)))
    following.descend(file, 0, (file.path,))
    return tuple(following.imports), tuple(following.files)


class _Following:
    """The way from one file through its imports.

    It is no function inside of another: one that calls itself is never let go of by counting references, and
    commands run without the collector of garbage. All memories of a portfolio stayed in memory so.
    """

    def __init__(
        self,
        file: MemoryFile,
        follow: Callable[[str], MemoryFile | None],
        page: Callable[[MemoryFile], Page],
    ) -> None:
        self.imports: list[Import] = []
        self.files: list[MemoryFile] = []
        self._follow = follow
        self._page = page
        self._seen = {file.path, file.target or file.path}

    def descend(self, current: MemoryFile, depth: int, above: tuple[str, ...]) -> None:
        """Take what ``current`` imports, ``depth`` steps below the first and reached through ``above``."""
        for line, target in imports_in(self._page(current)) if b"@" in current.data else ():
            if len(self.imports) >= MOST:
                return
            path, problem = _resolved(current.target or current.path, target)
            if not problem and path in above:
                problem = "cycle"
            elif not problem and depth >= DEPTH:
                problem = "depth"
            found = self._follow(path) if not problem else None
            if not problem and (found is None or found.problem):
                problem = "missing"
            self.imports.append(Import(current.path, line, target, path, problem))
            if problem or found is None or (found.target or found.path) in self._seen:
                continue
            self._seen.add(found.target or found.path)
            self.files.append(found)
            self.descend(found, depth + 1, (*above, path))


def _resolved(file: str, target: str) -> tuple[str, str]:
    """(path relative to the project, why it is not followed)."""
    if target.startswith("~"):
        return "", "home"
    if target.startswith("/"):
        return "", "outside"
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
    if path == ".." or path.startswith("../"):
        return "", "outside"
    return path, ""
