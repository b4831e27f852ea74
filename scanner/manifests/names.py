"""Which rows of the stack table a folder's names meet: set intersections first, then patterns."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable

from scanner import trace
from scanner.project import Listing

_HEAD = 4
_LISTED = 2000
_HARMLESS_KEPT = 50_000
_MET_KEPT = 2_000
_NAMES_KEPT = 64


class Row:
    """One row of the table: ``section`` (a root class, ``ci``, ...), its pattern, its values, its place."""

    __slots__ = ("glob", "order", "section", "values")

    def __init__(self, section: str, glob: str, values: tuple[str, ...], order: int) -> None:
        self.section = section
        self.glob = glob
        self.values = values
        self.order = order


class NameIndex:
    """Rows by the part of their pattern that a name can be looked up by.

    Patterns: ``name``, ``name/`` (a folder), ``*.ending``, ``*.ending/``, ``begin*end``, ``folder/below``,
    ``{folder}.ending`` (the folder's own name), and several of them joined by `` + ``.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._files: dict[str, list[Row]] = {}
        self._folders: dict[str, list[Row]] = {}
        self._nested: dict[str, list[Row]] = {}
        self._tails: dict[str, list[Row]] = {}
        self._folder_tails: dict[str, list[Row]] = {}
        self._heads: dict[str, list[Row]] = {}
        self._own: list[Row] = []
        self._loose: list[Row] = []
        for row in rows:
            self._place(row)
        self._file_names = frozenset(self._files)
        self._folder_names = frozenset(self._folders)
        self._nested_names = frozenset(self._nested)
        self._tail_names = frozenset(self._tails)
        self._folder_tail_names = frozenset(self._folder_tails)
        self._head_names = frozenset(self._heads)
        self._glance = self._file_names | self._folder_names | self._nested_names
        own_tails = {_tail(row.glob) for row in self._own}
        self._own_tails = frozenset(own_tails)
        self._harmless: set[str] = set()
        self._met: dict[tuple[frozenset[str], frozenset[str]], list[tuple[Row, str]]] = {}
        self._glance_tails = self._tail_names | self._folder_tail_names | own_tails

    def match(self, listing: Listing, *, nested: bool = True) -> list[tuple[Row, str]]:
        """Every row met, with the entry that meets it; without ``nested`` nothing is asked of the disk."""
        files, folders = self._notable(listing.files), self._notable(listing.folders)
        known = self._met.get((files, folders))
        if known is not None:
            return known.copy()
        found = [(row, name) for name in files & self._file_names for row in self._files[name]]
        if folders:
            found += [(row, name) for name in folders & self._folder_names for row in self._folders[name]]
            found += self._by_folder_tail(folders)
            if nested:
                found += self._below_folders(listing, folders)
        if files:
            found += self._by_pattern(files)
            found += self._by_own_name(listing, files)
        if any(" + " in row.glob for row, _ in found):
            return [(row, name) for row, name in found if self._holds_rest(listing, row.glob)]
        self._keep(files, folders, found)
        return found

    def _keep(self, files: frozenset[str], folders: frozenset[str], found: list[tuple[Row, str]]) -> None:
        """Keep in mind what names meet, where it rests on them alone: the same few stand in most projects."""
        if (
            len(self._met) < _MET_KEPT
            and len(files) + len(folders) < _NAMES_KEPT
            and self._nested_names.isdisjoint(folders)
            and self._own_tails.isdisjoint(map(_tail, files))
        ):
            self._met[files, folders] = found.copy()

    def may_match(self, names: Collection[str]) -> bool:
        """Whether any row could be met, by the bare names alone; False is certain, True is not."""
        harmless = self._harmless
        if harmless.issuperset(names):
            return False
        for name in names:
            if name not in harmless:
                if self._could_meet(name):
                    return True
                if len(harmless) < _HARMLESS_KEPT:
                    harmless.add(name)
        return False

    def _notable(self, names: frozenset[str]) -> frozenset[str]:
        """The names that could meet a row; the others are kept in mind, because they come again and again."""
        if not names:
            return names
        rest = names - self._harmless
        notable = frozenset(filter(self._could_meet, rest))
        if len(notable) < len(rest) and len(self._harmless) < _HARMLESS_KEPT:
            self._harmless |= rest - notable
        return notable

    def _could_meet(self, name: str) -> bool:
        return (
            name in self._glance
            or _tail(name) in self._glance_tails
            or name[:_HEAD] in self._head_names
            or any(fits(name, row.glob) for row in self._loose)
        )

    def _place(self, row: Row) -> None:
        glob = row.glob.partition(" + ")[0]
        name = glob.rstrip("/")
        star = name.find("*")
        if "/" in name:
            place = self._nested.setdefault(name.partition("/")[0], [])
        elif glob.endswith("/"):
            where, key = (self._folders, name) if star < 0 else (self._folder_tails, _tail(name))
            place = where.setdefault(key, [])
        elif "{folder}" in name:
            place = self._own
        elif star < 0:
            place = self._files.setdefault(name, [])
        elif star == 0 and name.find("*", 1) < 0 and "." in name:
            place = self._tails.setdefault(_tail(name), [])
        elif star >= _HEAD:
            place = self._heads.setdefault(name[:_HEAD], [])
        else:
            place = self._loose
        place.append(row)

    def _below_folders(self, listing: Listing, folders: frozenset[str]) -> list[tuple[Row, str]]:
        return [
            (row, entry)
            for name in folders & self._nested_names
            for row in self._nested[name]
            for entry in _below(listing.path, "", _path_parts(row.glob))[:1]
        ]

    def _by_own_name(self, listing: Listing, files: frozenset[str]) -> list[tuple[Row, str]]:
        stem = os.path.basename(listing.path)
        named = [(row, row.glob.replace("{folder}", stem)) for row in self._own]
        return [(row, name) for row, name in named if name in files]

    def _by_folder_tail(self, folders: frozenset[str]) -> list[tuple[Row, str]]:
        if self._folder_tail_names.isdisjoint([name[name.rfind(".") :] for name in folders]):
            return []
        return [
            (row, name)
            for name in folders
            for row in self._folder_tails.get(_tail(name), ())
            if fits(name, row.glob.rstrip("/"))
        ]

    def _by_pattern(self, files: frozenset[str]) -> list[tuple[Row, str]]:
        found: list[tuple[Row, str]] = []
        if not self._tail_names.isdisjoint([name[name.rfind(".") :] for name in files]):
            tails = self._tails
            found += [
                (row, name)
                for name in files
                for row in tails.get(name[name.rfind(".") :], ())
                if fits(name, row.glob.partition(" + ")[0])
            ]
        if not self._head_names.isdisjoint([name[:_HEAD] for name in files]):
            heads = self._heads
            found += [
                (row, name)
                for name in files
                for row in heads.get(name[:_HEAD], ())
                if fits(name, row.glob.partition(" + ")[0])
            ]
        if self._loose:
            found += [(row, name) for row in self._loose for name in files if fits(name, row.glob)]
        return found

    def _holds_rest(self, listing: Listing, glob: str) -> bool:
        return all(_holds(listing, part) for part in glob.split(" + ")[1:])


def fits(name: str, glob: str) -> bool:
    """Whether a name fits a pattern in which ``*`` stands for any run of characters. Linear in the name."""
    first, *middle = glob.split("*")
    if not middle:
        return name == glob
    last = middle.pop()
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    position, end = len(first), len(name) - len(last)
    for piece in middle:
        position = name.find(piece, position, end)
        if position < 0:
            return False
        position += len(piece)
    return True


def _holds(listing: Listing, part: str) -> bool:
    if "/" in part.rstrip("/"):
        return part.partition("/")[0] in listing.folders and bool(_below(listing.path, "", part.split("/")))
    names = listing.folders if part.endswith("/") else listing.files
    part = part.rstrip("/")
    return part in names if "*" not in part else any(fits(name, part) for name in names)


def _below(folder: str, prefix: str, parts: list[str]) -> list[str]:
    """Relative paths below ``folder`` that fit the parts of a path pattern; a closing "" wants a folder."""
    part, *rest = parts
    if "*" not in part:
        names = [part]
    else:
        try:
            names = sorted(
                name for name in trace.listdir(os.path.join(folder, prefix))[:_LISTED] if fits(name, part)
            )
        except (OSError, ValueError):
            return []
    if rest and rest != [""]:
        # The first folder stands in the listing, so it is none of the links that lead who knows where.
        inner = [name for name in names if not prefix or _is_folder(os.path.join(folder, prefix + name))]
        return [found for name in inner for found in _below(folder, prefix + name + "/", rest)]
    found = []
    for name in names:
        try:
            mode = trace.lstat(os.path.join(folder, prefix + name)).st_mode
        except (OSError, ValueError):
            continue
        if stat.S_ISDIR(mode) == bool(rest):
            found.append(prefix + name + ("/" if rest else ""))
    return found


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(trace.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _path_parts(glob: str) -> list[str]:
    return glob.partition(" + ")[0].split("/")


def _tail(name: str) -> str:
    return name[name.rfind(".") :]
