"""The facts beside the labels: package manager, tool versions, workspace kind, flags, name, description."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from scanner.manifests.manifest import Manifest
from scanner.manifests.names import Row
from scanner.manifests.table import ROOT_CLASSES
from scanner.manifests.text import DESCRIPTION_CAP, NAME_CAP, VALUE_CAP, folder_name, one_line
from scanner.project import Label, Listing, Problem
from scanner.reading import UnreadableError, read_head

# Section -> its rows that were met, each with the entry that met it, in the table's order.
Met = Mapping[str, Sequence[tuple[Row, str]]]
Manifests = Sequence[tuple[str, str, Manifest]]

# Which of several kinds names the workspace: the one that lists the members comes first.
_WORKSPACES = ("pnpm", "npm", "lerna", "rush", "moon", "nx")
_NODE_WORKSPACES = ("npm", "yarn", "pnpm", "bun")
_LICENSES = ("licens", "licenc", "copyin", "unlice")
_ENV_MODELS = ("example", "sample", "template", "dist", "defaults")


def by_section(hits: Iterable[tuple[Row, str]]) -> Met:
    """The hits of each section that holds facts beside the labels."""
    met: dict[str, list[tuple[Row, str]]] = {}
    for hit in hits:
        if hit[0].section not in ROOT_CLASSES:
            met.setdefault(hit[0].section, []).append(hit)
    for of_section in met.values():
        of_section.sort(key=lambda hit: (hit[0].order, hit[1]))
    return met


def values(met: Met, section: str) -> tuple[str, ...]:
    """The values of a section's rows that were met, each once, in the table's order."""
    rows = met.get(section)
    return tuple(dict.fromkeys([row.values[0] for row, _ in rows])) if rows else ()


def package_manager(met: Met, manifests: Manifests, family: str) -> tuple[str | None, bool]:
    """The package manager, and whether two of one family left lockfiles.

    ``family`` is that of the primary label, "" for any. A manager that a manifest demands comes first, then
    a lockfile, then what a manifest's tables suggest, then the file that implies one.
    """
    locks: dict[str, dict[str, None]] = {}
    for row, _ in met.get("locks", ()):
        locks.setdefault(row.values[0], {})[row.values[1]] = None
    mixed = any(len(managers) > 1 for managers in locks.values())
    stated = [(of, manifest.manager) for _, of, manifest in manifests if manifest.manager]
    stated += [(of, next(iter(managers))) for of, managers in sorted(locks.items())]
    stated += [(of, manifest.manager_hint) for _, of, manifest in manifests if manifest.manager_hint]
    stated += [(row.values[0], row.values[1]) for row, _ in met.get("managers", ()) if row.values[1]]
    return next((manager for of, manager in stated if family in ("", of)), None), mixed


def workspace(met: Met, manifests: Manifests, manager: str | None) -> str | None:
    """The kind of workspace that this folder is the root of; a Node workspace is called as its manager."""
    kinds = [manifest.workspace for _, _, manifest in manifests if manifest.workspace]
    kinds += values(met, "workspaces")
    if not kinds:
        return None
    ordered = [kind for kind in _WORKSPACES if kind in kinds]
    kind = (ordered or kinds)[0]
    return manager if kind == "npm" and manager in _NODE_WORKSPACES else kind


def tool_versions(
    listing: Listing, met: Met, manifests: Manifests
) -> tuple[tuple[tuple[str, str], ...], list[Problem]]:
    """(tool, version) by tool: pinned in a file of its own, else what a manifest asks for."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    pins = met.get("toolchains", ())
    if pins:
        from scanner.manifests import toolchains  # noqa: PLC0415 - start-up: 1 ms of patterns, rarely needed
    for row, entry in pins:
        path = os.path.join(listing.path, entry)
        try:
            for name, version in toolchains.versions(read_head(path, toolchains.HEAD), row.values[0]):
                found.setdefault(name, version)
        except UnreadableError as error:
            problems.append(Problem(error.code, "warning", path, error.message))
    for _, _, manifest in manifests:
        for name, version in manifest.toolchains:
            if clean := one_line(version, VALUE_CAP):
                found.setdefault(name, clean)
    return tuple(sorted(found.items())), problems


def flags(listing: Listing, met: Met, *, mixed: bool, bare: bool) -> tuple[str, ...]:
    """``mixed-lockfiles``, ``env-file``, ``migrations``, ``no-readme``, ``no-license``, sorted."""
    kept = {row.values[0] for row, entry in met.get("flags", ()) if not _is_env_model(entry)}
    if mixed:
        kept.add("mixed-lockfiles")
    if not bare:
        begins = {name[:6].lower() for name in listing.files}
        if "readme" not in begins:
            kept.add("no-readme")
        if begins.isdisjoint(_LICENSES) and not any(name.lower() == "licenses" for name in listing.folders):
            kept.add("no-license")
    return tuple(sorted(kept))


def project_name(listing: Listing, manifests: Manifests, labels: Sequence[Label], *, bare: bool) -> str:
    """The name that a manifest gives, the primary label's manifest first; else the folder's name."""
    for manifest in _primary_first(manifests, labels):
        name = one_line(manifest.name, NAME_CAP)
        if name and "${" not in name and "{{" not in name:
            return name
    own = os.path.basename(listing.path.rstrip("/")) or listing.path
    return folder_name(own.removesuffix(".git") if bare and own != ".git" else own)


def description(listing: Listing, manifests: Manifests, labels: Sequence[Label]) -> str:
    """The manifest's description, else the README's first paragraph; one line, at most 200 characters."""
    for manifest in _primary_first(manifests, labels):
        if text := one_line(manifest.description, DESCRIPTION_CAP):
            return text
    if not any(name[:6].lower() == "readme" for name in listing.files):
        return ""
    from scanner.manifests import readme  # noqa: PLC0415 - start-up: 2 ms of patterns, rarely needed

    name = readme.choose(listing.files)
    if not name:
        return ""
    try:
        return readme.first_paragraph(read_head(os.path.join(listing.path, name), readme.HEAD))
    except UnreadableError:
        return ""


def _primary_first(manifests: Manifests, labels: Sequence[Label]) -> list[Manifest]:
    ordered = [manifest for _, _, manifest in manifests]
    if len(ordered) > 1 and labels:
        primary = labels[0].evidence.partition(":")[0]
        ordered = [manifest for file, _, manifest in manifests if file == primary]
        ordered += [manifest for file, _, manifest in manifests if file != primary]
    return ordered


def _is_env_model(entry: str) -> bool:
    return entry == ".envrc" or entry.rpartition(".")[2] in _ENV_MODELS
