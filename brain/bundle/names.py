"""Which file a link means: by its path from the file that it stands in, or by its name.

A name is a file's without ``.md``, or its title; letter case, blanks, ``-`` and ``_`` make no difference. Of
several the nearest is meant: of the same folder, then of the same project or brain, then of whatever else may
be seen, if that is one alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from posixpath import dirname, normpath
from unicodedata import normalize

from brain.bundle.links import WIKI, Link

_BETWEEN = re.compile(r"[-_\s]+")


def key(name: str) -> str:
    """What two spellings of a name have in common."""
    if not name.isascii():
        name = normalize("NFC", name).casefold()
    return _BETWEEN.sub("", name.lower())


def stem(path: str) -> str:
    """The name of a file without its folder and ``.md``."""
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


class Names:
    """The files that may be seen, each with the root that it lies in (as ``{path: root}``).

    ``titles`` gives path and title of files; it is asked when a name is no file's.
    """

    def __init__(self, files: dict[str, str], titles: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self._files = files
        self._titles = titles
        self._by_stem: dict[str, list[str]] | None = None
        self._by_title: dict[str, list[str]] | None = None

    def meant(self, link: Link, where: str) -> str | None:
        """The path of the file that ``link`` in the file ``where`` leads to; None where it leads nowhere."""
        if link.kind == WIKI:
            return self._named(link.target, where)
        root = self._files.get(where, "")
        base = root if link.target.startswith("/") else dirname(where)
        path = normpath(f"{base}/{link.target.lstrip('/')}")
        if path in self._files:
            return path
        return f"{path}.md" if f"{path}.md" in self._files else None

    def _named(self, name: str, where: str) -> str | None:
        folders, _, last = name.strip("/").rpartition("/")
        found = self._stems().get(key(last), [])
        if folders:
            end = f"/{key(folders)}/"
            found = [path for path in found if f"{key(dirname(path))}/".endswith(end)]
        elif not found:
            found = self._titled().get(key(name), [])
        return self._nearest(found, where)

    def _nearest(self, found: list[str], where: str) -> str | None:
        folder, root = dirname(where), self._files.get(where, "")
        for near in (
            lambda path: dirname(path) == folder,
            lambda path: self._files[path] == root,
        ):
            some = [path for path in found if near(path)]
            if some:
                return min(some, key=lambda path: (path.count("/"), path))
        return found[0] if len(found) == 1 else None

    def _stems(self) -> dict[str, list[str]]:
        if self._by_stem is None:
            self._by_stem = {}
            for path in self._files:
                self._by_stem.setdefault(key(stem(path)), []).append(path)
        return self._by_stem

    def _titled(self) -> dict[str, list[str]]:
        if self._by_title is None:
            self._by_title = {}
            for path, title in self._titles():
                if path in self._files:
                    self._by_title.setdefault(key(title), []).append(path)
        return self._by_title
