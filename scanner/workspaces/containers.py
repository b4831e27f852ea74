"""Containers of separate projects: folders whose file lists repositories, each a project of its own.

``repo`` (``.repo/``), ``west`` (``.west/``), ``mr`` (``.mrconfig``), ``mani`` (``mani.yaml``) and ``meta``
(``.meta``). The container may be a repository or a project itself; what it lists is looked for all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from scanner.manifests.text import load_object, loose_text, table
from scanner.reading import UnreadableError, read_file
from scanner.workspaces import yaml_text
from scanner.workspaces.pattern import inside

_LISTED_CAP = 5_000
_INCLUDES_CAP = 16
_PROJECT = r"<project\b([^<>]*)>"
_INCLUDE = r"""<include\b[^<>]*?\bname\s*+=\s*+["']([^"'<>\n]*)["']"""
_ATTRIBUTE = r"""\b(name|path)\s*+=\s*+["']([^"'<>\n]*)["']"""
_SECTION = r"(?m)^\[([^\]\n]+)\]"
_WEST_KEY = r"""(?m)^[ \t]+(?:-[ \t]+)?(?:name|path):[ \t]*["']?([^\s"'#]+)"""
_WEST_MANIFEST = r"(?m)^[ \t]*(path|file)[ \t]*=[ \t]*(\S+)"


def listed_repositories(path: str, names: Collection[str]) -> list[str]:
    """The folders, relative to ``path``, that its container files list; whether they are there, is not asked.

    ``names`` are those of its container files. A file that makes no sense lists nothing.
    """
    found: dict[str, None] = {}
    for name in sorted(_READERS.keys() & set(names)):
        try:
            for value in _READERS[name](path, name):
                folder = inside(value)
                if folder and len(found) < _LISTED_CAP:
                    found[folder] = None
        except (UnreadableError, ValueError, RecursionError):
            continue
    return list(found)


def _repo(path: str, _: str) -> Iterator[str]:
    """What ``repo`` checked out (``project.list``), else what its manifest and those it includes name."""
    try:
        yield from _text(f"{path}/.repo/project.list").split("\n")
    except UnreadableError:
        yield from _manifest(path)


def _manifest(path: str) -> Iterator[str]:
    waiting, seen = [".repo/manifest.xml", ".repo/manifests/default.xml"], set[str]()
    while waiting and len(seen) < _INCLUDES_CAP:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.add(file)
        try:
            text = _text(f"{path}/{file}")
        except UnreadableError:
            continue
        if len(seen) == 1:
            waiting.clear()  # the first one says which others count
        for attributes in re.findall(_PROJECT, text):
            named = dict(re.findall(_ATTRIBUTE, attributes))
            yield named.get("path") or named.get("name", "")
        waiting += [f".repo/manifests/{one}" for one in re.findall(_INCLUDE, text) if inside(one)]


def _west(path: str, _: str) -> Iterator[str]:
    """The projects of the manifest that ``.west/config`` points to, and the manifest's own repository."""
    config = dict(re.findall(_WEST_MANIFEST, _text(f"{path}/.west/config")))
    own = inside(config.get("path", ""))
    file = inside(config.get("file", "west.yml"), own or "")
    if own:
        yield own
    if file:
        yield from re.findall(_WEST_KEY, _text(f"{path}/{file}"))


def _mrconfig(path: str, name: str) -> Iterator[str]:
    yield from (one for one in re.findall(_SECTION, _text(f"{path}/{name}")) if one != "DEFAULT")


def _mani(path: str, name: str) -> Iterator[str]:
    text = _text(f"{path}/{name}")
    for project in yaml_text.entries(text, "projects"):
        yield yaml_text.scalar(yaml_text.entries(text, "projects", project).get("path", ())) or project


def _meta(path: str, name: str) -> Iterator[str]:
    yield from table(load_object(read_file(f"{path}/{name}"))[0], "projects")


def _text(path: str) -> str:
    return loose_text(read_file(path)).replace("\r\n", "\n")


_READERS: dict[str, Callable[[str, str], Iterator[str]]] = {
    ".repo": _repo,
    ".west": _west,
    ".mrconfig": _mrconfig,
    "mani.yaml": _mani,
    "mani.yml": _mani,
    ".meta": _meta,
}
