"""Elixir's umbrellas, Dart's pub and melos, PHP's Composer, Haskell's cabal and Stack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scanner.manifests.text import load_object, loose_text, string
from scanner.workspaces import yaml_text
from scanner.workspaces.pattern import Selection, inside, patterns
from scanner.workspaces.tree import Found, Tree

_APPS_PATH = r'\bapps_path:\s*+"([^"\n]*)"'
_APPS = r"\bapps:\s*+\[([^\[\]]*)\]"
_ATOM = r":(\w+)"
_CABAL_FIELD = r"(?im)^(?:optional-)?packages:(.*(?:\n(?:[ \t].*|[ \t]*--.*|[ \t]*))*)"


def mix(tree: Tree, kind: str) -> Iterator[Found]:
    """The applications of an umbrella: ``apps_path`` of ``mix.exs``, all of them or those in ``apps``."""
    text = re.sub(r"(?m)^[ \t]*#.*", "", loose_text(tree.read("mix.exs") or b""))
    found, listed = re.search(_APPS_PATH, text), re.search(_APPS, text)
    if found is None:
        return
    wanted = set(re.findall(_ATOM, listed[1])) if listed else None
    for path in tree.holding(Selection(patterns([f"{found[1]}/*"])), ("mix.exs",)):
        if wanted is None or path.rpartition("/")[2] in wanted:
            yield Found(path, kind)


def pub(tree: Tree, kind: str) -> Iterator[Found]:
    """``workspace`` of ``pubspec.yaml``, also of its members (dart.dev, "Pub workspaces")."""
    waiting, seen = [""], {""}
    while waiting:
        base = waiting.pop()
        text = loose_text(tree.read(f"{base}/pubspec.yaml".lstrip("/")) or b"")
        listed = yaml_text.items(yaml_text.entries(text).get("workspace", ()))
        chosen = patterns(f"{base}/{one}" for one in listed)
        for path in tree.holding(Selection(chosen), ("pubspec.yaml",)):
            if path not in seen:
                seen.add(path)
                waiting.append(path)
                yield Found(path, kind)


def melos(tree: Tree, kind: str) -> Iterator[Found]:
    """``packages`` of ``melos.yaml`` without ``ignore`` (melos.invertase.dev, "Configuration")."""
    lists = yaml_text.entries(loose_text(tree.read("melos.yaml") or b""))
    chosen = patterns(yaml_text.items(lists.get("packages", ())))
    taken = patterns(yaml_text.items(lists.get("ignore", ())))
    for path in tree.holding(Selection(chosen, taken), ("pubspec.yaml",)):
        yield Found(path, kind)


def composer(tree: Tree, kind: str) -> Iterator[Found]:
    """Repositories of type ``path`` in ``composer.json`` (getcomposer.org, "Repositories")."""
    repositories = load_object(tree.read("composer.json") or b"{}")[0].get("repositories")
    if isinstance(repositories, dict):
        repositories = list(repositories.values())
    listed = repositories if isinstance(repositories, list) else []
    urls = [string(entry, "url") for entry in listed if string(entry, "type") == "path"]
    for path in tree.holding(Selection(patterns(urls)), ("composer.json",)):
        yield Found(path, kind)


def cabal(tree: Tree, kind: str) -> Iterator[Found]:
    """``packages`` and ``optional-packages`` of ``cabal.project`` (cabal.readthedocs.io)."""
    text = loose_text(tree.read("cabal.project") or b"").replace("\r\n", "\n")
    words = (
        word
        for block in re.findall(_CABAL_FIELD, text)
        for line in block.split("\n")
        for word in line.partition("--")[0].replace(",", " ").split()
    )
    for path in tree.holding(Selection(patterns(_cabal_folders(words))), ("*.cabal",)):
        yield Found(path, kind)


def stack(tree: Tree, kind: str) -> Iterator[Found]:
    """``packages`` of ``stack.yaml`` (docs.haskellstack.org), folders one by one."""
    lists = yaml_text.entries(loose_text(tree.read("stack.yaml") or b""))
    for value in yaml_text.items(lists.get("packages", ())):
        path = inside(value)
        if path and tree.has(path, ("*.cabal", "package.yaml")):
            yield Found(path, kind)


def _cabal_folders(words: Iterable[str]) -> Iterator[str]:
    """The folders of package files; an address or an archive is none of ours."""
    for word in words:
        if "://" not in word and not word.endswith((".tar.gz", ".tar")):
            yield word.rpartition("/")[0] if word.endswith(".cabal") else word
