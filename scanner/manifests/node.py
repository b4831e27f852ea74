"""JavaScript manifests: ``package.json``, ``deno.json``, the ``manifest.json`` of extensions and plugins."""

from __future__ import annotations

from collections.abc import Iterator

from scanner.manifests.manifest import Dependencies, Manifest, Sign
from scanner.manifests.text import load_object, string, table

# Runtime maps first: a label's evidence is the first map that gives it its full strength.
_MAPS = (
    ("dependencies", True),
    ("peerDependencies", True),
    ("optionalDependencies", True),
    ("devDependencies", False),
)
_PACKAGE_KEYS = frozenset(
    (
        "name",
        "scripts",
        "workspaces",
        "bin",
        "main",
        "exports",
        "module",
        "browser",
        *(key for key, _ in _MAPS),
    )
)
_PRODUCT_KEYS = frozenset(("bin", "main", "exports", "module", "browser"))
_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun", "deno"))
# What a package.json is worth as evidence of Node.js where nothing in it runs: scripts and linters only.
_TOOLING = 0.7
_DENO_FILE = 0.9


def package(data: bytes) -> Manifest:
    """``package.json`` (the npm documentation, "package.json"; Corepack's ``packageManager``)."""
    value, warning = load_object(data)
    dependencies = tuple(
        Dependencies("npm", key, names, needed) for key, needed in _MAPS if (names := table(value, key))
    )
    product = any(value.get(key) for key in _PRODUCT_KEYS)
    runs = product or "workspaces" in value or any(part.needed for part in dependencies)
    engines = table(value, "engines")
    manager, version = _package_manager(value)
    return Manifest(
        counts=not _PACKAGE_KEYS.isdisjoint(value),
        product=product,
        strength=1.0 if runs else _TOOLING,
        signs=tuple(_package_signs(value, engines)),
        dependencies=dependencies,
        name=string(value, "name"),
        description=string(value, "description"),
        manager=manager,
        toolchains=tuple(_engines(value, engines, manager, version)),
        workspace="npm" if _has_workspaces(value) else "",
        warning=warning,
    )


def deno(data: bytes) -> Manifest:
    """``deno.json`` and ``deno.jsonc`` (docs.deno.com, "deno.json")."""
    value, warning = load_object(data)
    imports = table(value, "imports").values()
    names = [name for target in imports if isinstance(target, str) and (name := _specifier(target))]
    return Manifest(
        strength=_DENO_FILE,
        dependencies=(Dependencies("npm", "imports", names),) if names else (),
        name=string(value, "name"),
        description=string(value, "description"),
        workspace="deno" if value.get("workspace") else "",
        warning=warning,
    )


def extension(data: bytes) -> Manifest:
    """``manifest.json``: a browser extension, an Obsidian plugin, or something else that does not count."""
    value, warning = load_object(data)
    signs: tuple[Sign, ...] = ()
    if "manifest_version" in value:
        signs = (Sign("Browser extension", "manifest_version"),)
    elif "minAppVersion" in value:
        signs = (Sign("Obsidian plugin", "minAppVersion"),)
    return Manifest(
        counts=bool(signs),
        signs=signs,
        name=string(value, "name") if signs and not string(value, "name").startswith("__MSG_") else "",
        description=string(value, "description") if signs else "",
        warning=warning,
    )


def _package_signs(value: dict[str, object], engines: dict[str, object]) -> Iterator[Sign]:
    if "vscode" in engines:
        yield Sign("VS Code extension", "engines.vscode")
    if value.get("bin"):
        yield Sign("CLI", "bin")
    if "turbo" in value:
        yield Sign("Turborepo", "turbo")


def _package_manager(value: dict[str, object]) -> tuple[str, str]:
    """``pnpm@9.1.0+sha512...`` as (``pnpm``, ``9.1.0``); a name that is no known manager is nothing."""
    name, _, version = string(value, "packageManager").partition("@")
    return (name, version.partition("+")[0]) if name in _MANAGERS else ("", "")


def _engines(
    value: dict[str, object], engines: dict[str, object], manager: str, version: str
) -> Iterator[tuple[str, str]]:
    if manager and version:
        yield manager, version
    for source in (table(value, "volta"), engines):
        for tool in ("node", "npm", "pnpm", "yarn", "bun", "deno"):
            if found := string(source, tool):
                yield tool, found


def _has_workspaces(value: dict[str, object]) -> bool:
    workspaces = value.get("workspaces")
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages")
    return isinstance(workspaces, list) and bool(workspaces)


def _specifier(target: str) -> str:
    """``npm:hono@^4/jsx`` or ``jsr:@hono/hono@4`` as the package's name on npm."""
    if target.startswith("jsr:@hono/hono"):
        return "hono"
    if not target.startswith("npm:"):
        return ""
    path = target.removeprefix("npm:").lstrip("/").split("/")
    scoped = path[0].startswith("@") and len(path) > 1
    return f"{path[0]}/{path[1].partition('@')[0]}" if scoped else path[0].partition("@")[0]
