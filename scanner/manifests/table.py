"""The stack table, ``scanner/markers.toml``, parsed once and indexed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from scanner.manifests.manifest import Manifest
from scanner.manifests.names import NameIndex, Row
from scanner.manifests.text import table

ROLE_WEIGHTS = {"framework": 100, "app": 80, "language": 60, "build": 30, "tool": 10}
ROOT_CLASSES = ("strong", "weak", "label")
# Sections whose rows are facts beside the labels, with the value they stand for.
_FACTS = ("toolchains", "ci", "containers", "agents", "memory", "flags", "workspaces")
_TABLE_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "markers.toml")


class Names:
    """Dependency names of one ecosystem: exact ones, and beginnings that stand for any rest."""

    __slots__ = ("_begins", "_exact")

    def __init__(self, entries: Mapping[str, object]) -> None:
        self._exact = {name: _strings(value) for name, value in entries.items() if not name.endswith("*")}
        begins = {name[:-1]: _strings(value) for name, value in entries.items() if name.endswith("*")}
        self._begins = tuple(begins.items())

    def labels(self, name: str) -> tuple[str, ...]:
        """The labels that a dependency's name stands for."""
        if exact := self._exact.get(name):
            return exact
        for begin, labels in self._begins:
            if name.startswith(begin):
                return labels
        return ()


class Table:
    """What ``markers.toml`` says, ready to be asked."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = data
        self.roles: dict[str, str] = {}
        for role, labels in table(data, "labels").items():
            self.roles.update(dict.fromkeys(_strings(labels), role))
        self.place = {label: place for place, label in enumerate(self.roles)}
        self.weights = {label: ROLE_WEIGHTS[role] for label, role in self.roles.items()}
        self.weights.update({label: w for label, w in table(data, "weights").items() if isinstance(w, int)})
        self.readers = {glob: str(name) for glob, name in table(data, "readers").items()}
        self.deciding = frozenset(_strings(table(data, "deciding").get("readers")))
        self.content: dict[str, dict[str, object]] = {
            glob: entry for glob, entry in table(data, "content").items() if isinstance(entry, dict)
        }
        self._dependencies: dict[str, Names] = {}
        self.loaded: dict[str, Callable[[bytes], Manifest]] = {}
        self.markers = tuple(self._marker_rows())
        self.roots = NameIndex(row for row in self.markers if row.section != "label")

    @cached_property
    def walked(self) -> NameIndex:
        """The markers asked for in folders of a walk: a label below a folder is not worth asking the disk."""
        return NameIndex(row for row in self.markers if row.section != "label" or not _nested(row.glob))

    @cached_property
    def all_markers(self) -> NameIndex:
        """Every marker."""
        return NameIndex(self.markers)

    @cached_property
    def everything(self) -> NameIndex:
        """Every marker and every fact beside."""
        return NameIndex([*self.markers, *self._fact_rows()])

    @cached_property
    def supersedes(self) -> dict[str, tuple[str, ...]]:
        """Label -> weaker synonyms."""
        return {label: _strings(weaker) for label, weaker in table(self._data, "supersedes").items()}

    @cached_property
    def source_folders(self) -> frozenset[str]:
        """Folders of a project's own code, which rarely hold a manifest."""
        return frozenset(_strings(table(self._data, "skip").get("sources")))

    @cached_property
    def companions(self) -> frozenset[str]:
        """Labels that, as development dependencies of a package, do not say what it is."""
        return frozenset(_strings(table(self._data, "companions").get("labels")))

    @cached_property
    def open_labels(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """Label that leaves the language open -> the languages it can be, and what it is otherwise."""
        return {
            label: (_strings(entry.get("of")), str(entry.get("otherwise")))
            for label, entry in table(self._data, "open").items()
            if isinstance(entry, dict)
        }

    @cached_property
    def own_folders(self) -> dict[str, frozenset[str]]:
        """Framework -> folders that it generates, whose manifests say nothing more."""
        return {
            label: frozenset(_strings(names)) for label, names in table(self._data, "own_folders").items()
        }

    @cached_property
    def family_of(self) -> dict[str, str]:
        """Marker -> the family of package managers and languages that it belongs to."""
        return {
            glob: family
            for section in ("managers", "locks")
            for family, entries in table(self._data, section).items()
            for glob in (entries if isinstance(entries, dict) else ())
        }

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """Family -> the languages it is written in."""
        return {family: _strings(names) for family, names in table(self._data, "families").items()}

    @cached_property
    def languages(self) -> dict[str, str]:
        """File name ending, without the dot -> language."""
        return {
            ending: language
            for language, endings in table(self._data, "extensions").items()
            for ending in str(endings).split()
        }

    @cached_property
    def skipped_folders(self) -> frozenset[str]:
        """Folders that say nothing about what a project is."""
        return frozenset(_strings(table(self._data, "skip").get("folders")))

    def dependencies(self, ecosystem: str) -> Names:
        """The dependency names of one ecosystem."""
        if ecosystem not in self._dependencies:
            self._dependencies[ecosystem] = Names(table(self._data, "dependencies", ecosystem))
        return self._dependencies[ecosystem]

    def _marker_rows(self) -> Iterable[Row]:
        order = 0
        for section in ROOT_CLASSES:
            for glob, labels in table(self._data, "markers", section).items():
                order += 1
                yield Row(section, glob, _strings(labels), order)

    def _fact_rows(self) -> Iterable[Row]:
        order = len(self.markers)
        for section in _FACTS:
            for glob, value in table(self._data, section).items():
                order += 1
                yield Row(section, glob, _strings(value), order)
        for section in ("locks", "managers"):
            for family, entries in table(self._data, section).items():
                for glob, value in table(entries).items():
                    order += 1
                    yield Row(section, glob, (family, str(value)), order)


def load_table() -> Table:
    """The table as it was shipped."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only commands that scan need it

    with open(_TABLE_FILE, "rb") as file:
        return Table(tomli.load(file))


def _nested(glob: str) -> bool:
    return any("/" in part.rstrip("/") for part in glob.split(" + "))


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
