"""Go's workspaces, ``go.work`` (go.dev/ref/mod, "Workspaces")."""

from __future__ import annotations

from collections.abc import Iterator

from scanner.manifests.text import loose_text
from scanner.workspaces.pattern import inside
from scanner.workspaces.tree import Found, Tree


def go_work(tree: Tree, kind: str) -> Iterator[Found]:
    """The folders that ``use`` names, if they hold a ``go.mod``; other modules are on their own."""
    in_block = False
    for line in loose_text(tree.read("go.work") or b"").split("\n"):
        words = line.partition("//")[0].split(None, 1)
        if not words:
            continue
        if words[0] == "use" and len(words) > 1:
            in_block = words[1].strip() == "("
            value = words[1]
        elif words[0] == "use(":
            in_block, value = True, "("
        elif words[0] == ")":
            in_block, value = False, "("
        else:
            value = line.partition("//")[0] if in_block else "("
        path = None if value.strip() == "(" else inside(value.strip().strip('"`'))
        if path and tree.has(path, ("go.mod",)):
            yield Found(path, kind)
