"""Rust's manifest, ``Cargo.toml`` (The Cargo Book, "The Manifest Format")."""

from __future__ import annotations

from collections.abc import Iterator

from scanner.manifests.manifest import Dependencies, Manifest
from scanner.manifests.text import load_toml, string, table

_MAPS = (("dependencies", True), ("dev-dependencies", False), ("build-dependencies", False))


def cargo(data: bytes) -> Manifest:
    """``Cargo.toml``: a package, a workspace, or both; it counts for nothing without either."""
    value = load_toml(data)
    package = table(value, "package")
    version = string(package, "rust-version")
    return Manifest(
        counts="package" in value or "workspace" in value,
        dependencies=tuple(_all_maps(value)),
        name=string(package, "name"),
        description=string(package, "description"),
        toolchains=(("rust", version),) if version else (),
        workspace="cargo" if "workspace" in value else "",
    )


def _all_maps(value: dict[str, object]) -> Iterator[Dependencies]:
    yield from _maps(value, "")
    for target, content in table(value, "target").items():
        yield from _maps(content, f"target.{target}.")
    yield from _maps(value.get("workspace"), "workspace.")


def _maps(value: object, prefix: str) -> Iterator[Dependencies]:
    for key, needed in _MAPS:
        if entries := table(value, key):
            # `web = { package = "axum" }` renames: the crate is axum
            names = [string(entry, "package") or name for name, entry in entries.items()]
            yield Dependencies("rust", prefix + key, names, needed=needed)
