"""Visual Studio solutions, ``*.sln`` and ``*.slnx``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner.manifests.text import loose_text, without
from scanner.workspaces.pattern import inside
from scanner.workspaces.tree import Found, Tree

_SOLUTION_PROJECT = r'(?m)^[ \t]*+Project\("[^"\n]*"\)\s*+=\s*+"([^"\n]*)"\s*+,\s*+"([^"\n]*)"'
_XML_PROJECT = r"""<Project\s[^<>]*?\bPath\s*+=\s*+["']([^"'\n]*)["']"""
_PROJECT_ENDING = "proj"


def solutions(tree: Tree, kind: str) -> Iterator[Found]:
    """The folders of the project files that the solutions list; solution folders and web addresses aside."""
    for name in sorted(tree.listing.files):
        if name.endswith(".sln"):
            listed = re.findall(_SOLUTION_PROJECT, loose_text(tree.read(name) or b""))
        elif name.endswith(".slnx"):
            text = without(loose_text(tree.read(name) or b""), "<!--", "-->")
            listed = [("", path) for path in re.findall(_XML_PROJECT, text)]
        else:
            continue
        for title, value in listed:
            path = inside(value) if value.endswith(_PROJECT_ENDING) else None
            folder, _, file = path.rpartition("/") if path else ("", "", "")
            if folder and tree.has(folder, (file,)):
                yield Found(folder, kind, title or file.rpartition(".")[0])
