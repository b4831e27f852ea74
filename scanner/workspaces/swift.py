"""Swift packages by path, and the workspaces of Xcode."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner.manifests.text import loose_text
from scanner.workspaces.pattern import inside
from scanner.workspaces.tree import Found, Tree

_PACKAGE = "Package.swift"
_COMMENT = r"(?m)^[ \t]*//.*"
_PATH_DEPENDENCY = r'\.package\(\s*+(?:name:\s*+"[^"\n]*"\s*+,\s*+)?path:\s*+"([^"\n]*)"'
_ELEMENT = r"<(/?)(Group|FileRef)\b([^<>]*+)>"
_LOCATION = r"""\blocation\s*+=\s*+["'](\w+):([^"'\n]*)["']"""
_GROUPS_CAP = 32


def packages(tree: Tree, kind: str) -> Iterator[Found]:
    """Packages that ``Package.swift`` depends on by a path inside the project, and theirs in turn."""
    waiting, seen = [""], {""}
    while waiting:
        base = waiting.pop()
        text = re.sub(_COMMENT, "", loose_text(tree.read(f"{base}/{_PACKAGE}".lstrip("/")) or b""))
        for value in re.findall(_PATH_DEPENDENCY, text):
            path = inside(value, base)
            if path and path not in seen and tree.has(path, (_PACKAGE,)):
                seen.add(path)
                waiting.append(path)
                yield Found(path, kind)


def xcode(tree: Tree, kind: str) -> Iterator[Found]:
    """The projects and packages in the ``contents.xcworkspacedata`` of each ``*.xcworkspace``."""
    for name in sorted(tree.listing.folders):
        if not name.endswith(".xcworkspace"):
            continue
        for value in _references(loose_text(tree.read(f"{name}/contents.xcworkspacedata") or b"")):
            path = inside(value)
            if path and path.endswith((".xcodeproj", ".xcworkspace")):
                path = path.rpartition("/")[0] if tree.is_folder(path) else None
            elif path and not tree.has(path, (_PACKAGE,)):
                path = None
            if path and path.partition("/")[0] not in ("Pods", "Carthage"):
                yield Found(path, kind)


def _references(text: str) -> Iterator[str]:
    """The locations, each below those of the groups around it; absolute ones are none of ours."""
    groups: list[str | None] = [""]
    for closing, element, attributes in re.findall(_ELEMENT, text):
        if closing:
            if element == "Group" and len(groups) > 1:
                groups.pop()
            continue
        found = re.search(_LOCATION, attributes)
        scheme, location = found.groups() if found else ("group", "")
        base = groups[-1] if scheme == "group" else ""
        path = None if scheme == "absolute" or base is None else f"{base}/{location}".strip("/")
        if element == "FileRef":
            if path:
                yield path
        elif not attributes.endswith("/") and len(groups) < _GROUPS_CAP:
            groups.append(path)
