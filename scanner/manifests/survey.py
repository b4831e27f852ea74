"""One project's folder against the stack table: every label found, with what it rests on."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from scanner.manifests import lines
from scanner.manifests.manifest import Manifest, Sign
from scanner.manifests.names import Row
from scanner.manifests.table import ROOT_CLASSES, Table
from scanner.manifests.text import one_line
from scanner.project import Listing, Problem
from scanner.reading import MANIFEST_CAP, UnreadableError, read_file, read_head

FILE_STRENGTH = 0.9
_DEVELOPMENT_STRENGTH = 0.7
# A manifest that holds nothing but settings of tools: its language is used, and that is all.
_TOOLING_STRENGTH = 0.5
_COMPANION_STRENGTH = 0.4
_EVIDENCE_CAP = 160
# Of files that share an ending (*.csproj, *.tex) so many are read.
_PER_PATTERN = 4
# Reads in sub-folders and of members, in all, for one project.
_READS = 48
# Ecosystem of a dependency map -> family, where their names differ.
_FAMILIES = {"maven": "jvm", "gradle": "jvm", "image": ""}
_DEVELOPMENT_WORDS = ("dev", "test", "doc", "lint", "ci.")
_SECTION_ORDER = {section: place for place, section in enumerate(ROOT_CLASSES)}
_FIXES = {
    "link": "copy the file, or accept that only its name counts",
    "too-large": "a manifest of this size is not read; its name counts",
    "malformed": "correct the file; until then only its name counts",
}


class Found:
    """A label as it was found best: where, how strong, in which family and folder, as the how-manieth."""

    __slots__ = ("evidence", "family", "folder", "label", "order", "strength")

    def __init__(
        self, label: str, evidence: str, strength: float, *, family: str, folder: str, order: int
    ) -> None:
        self.label = label
        self.evidence = evidence
        self.strength = strength
        self.family = family
        self.folder = folder
        self.order = order


class Survey:
    """Collects labels, manifests and problems for one project."""

    def __init__(self, table: Table, path: str) -> None:
        self.table = table
        self.path = path
        self.found: dict[str, Found] = {}
        self.manifests: list[tuple[str, str, Manifest]] = []
        self.problems: list[Problem] = []
        self._reads = _READS

    def add(self, label: str, evidence: str, strength: float, family: str = "", folder: str = "") -> None:
        """Note a label; of several pieces of evidence the strongest stays, and of equals the first."""
        known = self.found.get(label)
        if known is None or strength > known.strength:
            if not evidence.isprintable():
                evidence = one_line(evidence, _EVIDENCE_CAP)
            order = known.order if known else len(self.found)
            self.found[label] = Found(label, evidence, strength, family=family, folder=folder, order=order)

    def folder(
        self, listing: Listing, hits: list[tuple[Row, str]], prefix: str = "", nearness: float = 1.0
    ) -> None:
        """Note what one folder's marker hits stand for; ``prefix`` is its path below the project."""
        rows: dict[Row, list[str]] = {}
        for row, entry in hits:
            rows.setdefault(row, []).append(entry)
        ordered = sorted(rows, key=lambda row: (_SECTION_ORDER[row.section], row.order))
        late = []
        for row in ordered:
            if self.table.content.get(row.glob, {}).get("alone"):
                late.append(row)
            else:
                self._row(listing, row, rows[row], prefix, nearness)
        if late and not self.decided():
            for row in late:
                self._row(listing, row, rows[row], prefix, nearness)

    def decided(self) -> bool:
        """Whether anything names a language, a framework or a kind of application."""
        roles = self.table.roles
        return any(roles.get(label, "app") in ("framework", "app", "language") for label in self.found)

    def read(self, row: Row, path: str, entry: str, *, quiet: bool = False) -> tuple[bool, Manifest | None]:
        """Whether a marker's word stands, and what its content says where it was read and understood."""
        reader = self.table.readers.get(row.glob)
        content = self.table.content.get(row.glob, {})
        if reader is None and not content:
            return True, None
        vague = bool(content.get("vague"))
        try:
            data = _bytes(path, content)
        except UnreadableError as error:
            if error.code == "missing":
                return False, None
            if not quiet:
                self._problem(error.code, path, error.message)
            return not vague, None
        strength = content.get("evidence", FILE_STRENGTH)
        try:
            manifest: Manifest | None = None
            if content or reader is None:
                manifest = lines.ask(
                    data, content, strength if isinstance(strength, float) else FILE_STRENGTH
                )
                if manifest is None:
                    return False, None
            if reader is not None:
                manifest = self._read_with(reader, entry, data)
        except (ValueError, RecursionError) as error:
            if not quiet:
                self._problem("malformed", path, _reason(error))
            return not vague, None
        if manifest is None:
            return True, None
        if manifest.warning and not quiet:
            self._problem("malformed", path, manifest.warning)
        return manifest.counts, manifest

    def _row(self, listing: Listing, row: Row, entries: list[str], prefix: str, nearness: float) -> None:
        asks = row.glob in self.table.readers or row.glob in self.table.content
        if not asks:
            evidence = prefix + min(entries)
            for label in row.values:
                self.add(label, evidence, FILE_STRENGTH * nearness, self._family(row), prefix)
            return
        stem = os.path.basename(listing.path)
        entries.sort(key=lambda entry: (entry.rpartition(".")[0] != stem, entry))
        for entry in entries[:_PER_PATTERN]:
            if prefix:
                self._reads -= 1
                if self._reads < 0:
                    return
            stands, manifest = self.read(row, f"{listing.path}/{entry}", entry)
            if stands or manifest is not None:
                self._note(row, prefix + entry, manifest, prefix, nearness, stands=stands)
            if manifest is not None and manifest.members:
                self._members(listing, manifest, prefix, nearness)

    def _note(
        self, row: Row, file: str, manifest: Manifest | None, prefix: str, nearness: float, *, stands: bool
    ) -> None:
        family = self._family(row)
        labels, strength = row.values, FILE_STRENGTH
        if manifest is not None:
            strength = manifest.strength
            labels = row.values if manifest.instead is None else manifest.instead
            if not prefix:
                self.manifests.append((file, family, manifest))
        if not stands:
            strength = _TOOLING_STRENGTH
        for label in labels:
            self.add(label, file, strength * nearness, family, prefix)
        if manifest is not None:
            self._content(file, manifest, family, prefix, nearness)

    def _content(self, file: str, manifest: Manifest, family: str, prefix: str, nearness: float) -> None:
        for sign in manifest.signs:
            self._sign(sign, file, family, prefix, nearness)
        for part in manifest.dependencies:
            names = self.table.dependencies(part.ecosystem)
            strength = (1.0 if part.needed else _DEVELOPMENT_STRENGTH) * nearness
            companion = not part.needed and manifest.product
            of = _FAMILIES.get(part.ecosystem, part.ecosystem)
            for name in part.names:
                for label in names.labels(name):
                    key = f"{part.key}.{name}" if part.key else name
                    weak = companion and label in self.table.companions
                    self.add(
                        label,
                        f"{file}:{key}",
                        _COMPANION_STRENGTH * nearness if weak else strength,
                        of,
                        prefix,
                    )

    def _sign(self, sign: Sign, file: str, family: str, prefix: str, nearness: float) -> None:
        self.add(sign.label, f"{file}:{sign.key}", sign.strength * nearness, family, prefix)

    def _members(self, listing: Listing, manifest: Manifest, prefix: str, nearness: float) -> None:
        """Project files that a solution lists are part of the same build, as near as the solution itself."""
        for member in manifest.members[: _PER_PATTERN * 4]:
            self._reads -= 1
            if self._reads < 0:
                return
            ending = "*." + member.rpartition(".")[2]
            row = next((row for row in self.table.markers if row.glob == ending), None)
            if row is None:
                continue
            stands, content = self.read(row, f"{listing.path}/{member}", member, quiet=True)
            if stands:
                family = self._family(row)
                for label in row.values:
                    self.add(label, prefix + member, FILE_STRENGTH * nearness, family, prefix)
                if content is not None:
                    self._content(prefix + member, content, family, prefix, nearness * FILE_STRENGTH)

    def _read_with(self, name: str, entry: str, data: bytes) -> Manifest:
        if name == "python.requirements" and any(word in entry.lower() for word in _DEVELOPMENT_WORDS):
            name = "python.development_requirements"
        reader = self.table.loaded.get(name)
        if reader is None:
            reader = self.table.loaded[name] = _reader(name)
        return reader(data)

    def _family(self, row: Row) -> str:
        return self.table.family_of.get(row.glob, "")

    def _problem(self, code: str, path: str, message: str) -> None:
        self.problems.append(Problem(code, "warning", path, message, _FIXES.get(code, "")))


def _bytes(path: str, content: dict[str, object]) -> bytes:
    head = content.get("head")
    return read_head(path, head) if isinstance(head, int) else read_file(path, MANIFEST_CAP)


def _reader(name: str) -> Callable[[bytes], Manifest]:
    family, _, function = name.partition(".")
    reader: Callable[[bytes], Manifest] = getattr(import_module(f"scanner.manifests.{family}"), function)
    return reader


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return one_line(str(error), 200) or type(error).__name__
