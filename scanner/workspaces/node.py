"""npm, yarn, bun, pnpm, Lerna, Nx, Rush, moon and Deno."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scanner.manifests.text import load_object, loose_text, string, strings, table
from scanner.workspaces import yaml_text
from scanner.workspaces.pattern import Selection, inside, patterns, selection
from scanner.workspaces.tree import Found, Tree

PACKAGE = "package.json"
_PNPM = "pnpm-workspace.yaml"
_PNPM_PACKAGES = (PACKAGE, "package.yaml", "package.json5")
_DENO_FILES = ("deno.json", "deno.jsonc", PACKAGE)
_TOOLS = ("**/node_modules/**", "**/bower_components/**")


def packages(tree: Tree, kind: str) -> Iterator[Found]:
    """``workspaces`` of ``package.json`` (docs.npmjs.com, "workspaces"), a list or ``{packages: [...]}``.

    Where pnpm has a list of its own, it reads no other. Members of Yarn's modern releases may have members.
    """
    if _PNPM in tree.listing.files and _pnpm_list(tree):
        return
    nested = ".yarnrc.yml" in tree.listing.files
    waiting, seen = [""], {""}
    while waiting:
        base = waiting.pop()
        texts = _workspaces(tree.read(f"{base}/{PACKAGE}".lstrip("/")))
        for path in _chosen(tree, (_under(base, text) for text in texts), (PACKAGE,)):
            if path not in seen:
                seen.add(path)
                yield Found(path, kind)
                if nested:
                    waiting.append(path)


def pnpm(tree: Tree, kind: str) -> Iterator[Found]:
    """``packages`` of ``pnpm-workspace.yaml`` (pnpm.io, "pnpm-workspace.yaml")."""
    for path in _chosen(tree, _pnpm_list(tree), _PNPM_PACKAGES, renewed=False):
        yield Found(path, kind)


def lerna(tree: Tree, kind: str) -> Iterator[Found]:
    """``packages`` of ``lerna.json``; without them, those of the package manager, else ``packages/*``."""
    value, _ = load_object(tree.read("lerna.json") or b"{}")
    texts = strings(value.get("packages"))
    if "packages" not in value and not value.get("useWorkspaces") and _PNPM not in tree.listing.files:
        texts = [] if _workspaces(tree.read(PACKAGE)) else ["packages/*"]
    for path in _chosen(tree, texts, (PACKAGE,)):
        yield Found(path, kind)


def nx(tree: Tree, kind: str) -> Iterator[Found]:
    """``project.json`` files (nx.dev, "Project Configuration"), and the older ``workspace.json``."""
    value, _ = load_object(tree.read("workspace.json") or b"{}")
    for name, entry in table(value, "projects").items():
        path = inside(entry if isinstance(entry, str) else string(entry, "root"))
        if path and tree.is_folder(path):
            yield Found(path, kind, name)
    everywhere = Selection(patterns(["**"]), patterns(_TOOLS))
    for path in tree.holding(everywhere, ("project.json",)):
        yield Found(path, kind, _name_in(tree.read(f"{path}/project.json")))


def rush(tree: Tree, kind: str) -> Iterator[Found]:
    """``projects`` of ``rush.json`` (rushjs.io, "rush.json"), each with its folder and name."""
    value, _ = load_object(tree.read("rush.json") or b"{}")
    projects = value.get("projects")
    for entry in projects if isinstance(projects, list) else ():
        path = inside(string(entry, "projectFolder"))
        if path and tree.has(path, (PACKAGE,)):
            yield Found(path, kind, string(entry, "packageName"))


def moon(tree: Tree, kind: str) -> Iterator[Found]:
    """``projects`` of ``.moon/workspace.yml`` (moonrepo.dev): patterns, names with folders, or both."""
    text = loose_text(tree.read(".moon/workspace.yml") or b"")
    listed = yaml_text.entries(text).get("projects", ())
    named = yaml_text.entries(text, "projects")
    if "globs" in named or "sources" in named:
        listed = named.get("globs", ())
        named = yaml_text.entries(text, "projects", "sources")
    for name, lines in named.items():
        path = inside(yaml_text.scalar(lines))
        if path and tree.is_folder(path):
            yield Found(path, kind, name)
    for path in _chosen(tree, map(_without_file, yaml_text.items(listed)), ()):
        yield Found(path, kind)


def deno(tree: Tree, kind: str) -> Iterator[Found]:
    """``workspace`` of ``deno.json`` (docs.deno.com, "Workspaces"), a list or ``{members: [...]}``."""
    name = next(name for name in ("deno.json", "deno.jsonc") if name in tree.listing.files)
    value, _ = load_object(tree.read(name) or b"{}")
    listed = table(value, "workspace").get("members") or value.get("workspace")
    for path in _chosen(tree, strings(listed), _DENO_FILES):
        yield Found(path, kind)


def _chosen(
    tree: Tree, texts: Iterable[str], names: tuple[str, ...], *, renewed: bool = True
) -> Iterator[str]:
    chosen = selection(texts, renewed=renewed)
    yield from tree.holding(Selection(chosen.chosen, (*chosen.taken, *patterns(_TOOLS))), names)


def _workspaces(data: bytes | None) -> list[str]:
    if data is None:
        return []
    workspaces = load_object(data)[0].get("workspaces")
    return strings(workspaces.get("packages") if isinstance(workspaces, dict) else workspaces)


def _pnpm_list(tree: Tree) -> list[str]:
    text = loose_text(tree.read(_PNPM) or b"")
    return yaml_text.items(yaml_text.entries(text).get("packages", ()))


def _under(base: str, text: str) -> str:
    bare = text.lstrip("!")
    return f"{text[: len(text) - len(bare)]}{base}/{bare}" if base else text


def _without_file(text: str) -> str:
    return text.removesuffix("/moon.yml").removesuffix("/moon.yaml")


def _name_in(data: bytes | None) -> str:
    try:
        return string(load_object(data or b"{}")[0], "name")
    except (ValueError, RecursionError):
        return ""
