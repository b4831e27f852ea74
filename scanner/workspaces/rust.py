"""Cargo's workspaces (The Cargo Book, "Workspaces")."""

from __future__ import annotations

from collections.abc import Iterator

from scanner.manifests.text import load_toml, string, strings, table
from scanner.workspaces.pattern import Selection, inside, patterns
from scanner.workspaces.tree import Found, Tree

_MANIFEST = "Cargo.toml"
_MAPS = ("dependencies", "dev-dependencies", "build-dependencies")


def cargo(tree: Tree, kind: str) -> Iterator[Found]:
    """``members`` without ``exclude``, and what they, or the root's package, depend on by a path inside."""
    root = load_toml(tree.read(_MANIFEST) or b"")
    workspace = table(root, "workspace")
    if "workspace" not in root:
        return
    named = strings(workspace.get("members"))
    literal = [path for text in named if (path := inside(text))]
    excluded = [path for text in strings(workspace.get("exclude")) if (path := inside(text))]
    shared = table(workspace, "dependencies")
    listed = tree.holding(Selection(patterns(named, hidden=True, groups=False)), (_MANIFEST,))
    waiting = [path for path in listed if _is_wanted(path, excluded, literal)]
    if "package" in root:
        waiting += [one for one in _path_dependencies(root, "", shared) if _is_wanted(one, excluded, literal)]
    waiting.reverse()
    seen = {""}
    while waiting:
        path = waiting.pop()
        if path in seen or not tree.has(path, (_MANIFEST,)):
            continue
        seen.add(path)
        yield Found(path, kind)
        needed = _path_dependencies(_content(tree, path), path, shared)
        waiting += [one for one in needed if one not in seen and _is_wanted(one, excluded, literal)]


def _is_wanted(path: str, excluded: list[str], literal: list[str]) -> bool:
    """Whether a folder lies below none that is excluded, or the list of members names it outright."""
    return not _any_above(excluded, path) or _any_above(literal, path)


def _content(tree: Tree, path: str) -> dict[str, object]:
    try:
        return load_toml(tree.read(f"{path}/{_MANIFEST}") or b"")
    except (ValueError, RecursionError):
        return {}


def _path_dependencies(manifest: dict[str, object], folder: str, shared: dict[str, object]) -> Iterator[str]:
    tables = [manifest, *(one for one in table(manifest, "target").values() if isinstance(one, dict))]
    for one in tables:
        for key in _MAPS:
            for name, entry in table(one, key).items():
                inherited = isinstance(entry, dict) and entry.get("workspace") is True
                path = string(shared.get(name) if inherited else entry, "path")
                if path and (target := inside(path, "" if inherited else folder)):
                    yield target


def _any_above(folders: list[str], path: str) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
