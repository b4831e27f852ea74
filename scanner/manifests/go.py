"""Go's manifest, ``go.mod`` (go.dev/ref/mod), line by line."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Dependencies, Manifest
from scanner.manifests.text import loose_text

_VERSION_TAIL = r"/v[0-9]+$|\.v[0-9]+$"


def without_version(module: str) -> str:
    """A module path without its major version: ``example.com/echo/v4`` is ``example.com/echo``."""
    return re.sub(_VERSION_TAIL, "", module)


def module(data: bytes) -> Manifest:
    """``go.mod``: module, go directive, and the modules that are required directly."""
    path = version = ""
    required: list[str] = []
    block = ""
    for line in loose_text(data).split("\n"):
        code, _, comment = line.partition("//")
        words = code.split()
        if not words:
            continue
        if words[-1] == "(":
            block = words[0]
        elif words[0] == ")":
            block = ""
        elif len(words) > 1 and (block == "require" or words[0] == "require"):
            if "indirect" not in comment:
                required.append(without_version(words[0 if block else 1].strip('"`')))
        elif words[0] == "module" and len(words) > 1:
            path = words[1].strip('"`')
        elif words[0] == "go" and len(words) > 1:
            version = words[1]
    return Manifest(
        dependencies=(Dependencies("go", "require", required),) if required else (),
        name=without_version(path).rpartition("/")[2],
        toolchains=(("go", version),) if version else (),
    )
