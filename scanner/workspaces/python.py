"""uv's workspaces (docs.astral.sh/uv, "Using workspaces")."""

from __future__ import annotations

from collections.abc import Iterator

from scanner.manifests.text import load_toml, strings, table
from scanner.workspaces.pattern import Selection, across_folders, patterns
from scanner.workspaces.tree import Found, Tree

_MANIFEST = "pyproject.toml"


def uv(tree: Tree, kind: str) -> Iterator[Found]:
    """``members`` of ``[tool.uv.workspace]`` that hold a ``pyproject.toml``; ``exclude`` wins."""
    workspace = table(load_toml(tree.read(_MANIFEST) or b""), "tool", "uv", "workspace")
    chosen = patterns(strings(workspace.get("members")), hidden=True, groups=False)
    taken = across_folders(strings(workspace.get("exclude")))
    for path in tree.holding(Selection(chosen, taken), (_MANIFEST,)):
        if _is_managed(tree.read(f"{path}/{_MANIFEST}")):
            yield Found(path, kind)


def _is_managed(data: bytes | None) -> bool:
    """Whether uv looks after the package: ``managed = false`` takes it out of the workspace."""
    try:
        return table(load_toml(data or b""), "tool", "uv").get("managed") is not False
    except (ValueError, RecursionError):
        return True
