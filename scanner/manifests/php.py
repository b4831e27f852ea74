"""PHP's manifest, ``composer.json`` (getcomposer.org, "The composer.json schema")."""

from __future__ import annotations

from scanner.manifests.manifest import Dependencies, Manifest, Sign
from scanner.manifests.text import load_object, string, table


def composer(data: bytes) -> Manifest:
    """``composer.json``: packages required, for running and for development."""
    value, warning = load_object(data)
    maps = (("require", True), ("require-dev", False))
    version = string(table(value, "require"), "php")
    return Manifest(
        signs=(Sign("WordPress", "type"),) if string(value, "type").startswith("wordpress-") else (),
        dependencies=tuple(
            Dependencies("php", key, [name.lower() for name in names], needed)
            for key, needed in maps
            if (names := table(value, key))
        ),
        name=string(value, "name"),
        description=string(value, "description"),
        toolchains=(("php", version),) if version else (),
        workspace="composer" if _has_path_repository(value.get("repositories")) else "",
        warning=warning,
    )


def _has_path_repository(repositories: object) -> bool:
    if isinstance(repositories, dict):
        repositories = list(repositories.values())
    return isinstance(repositories, list) and any(string(entry, "type") == "path" for entry in repositories)
