"""Files that pin a tool's version: one version alone, ``.tool-versions``, ``mise.toml`` and their kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner.manifests.text import VALUE_CAP, loose_text, one_line

_ALIASES = {"nodejs": "node", "golang": "go", "rust-toolchain": "rust", "python3": "python"}
_TOOL = r"[a-z][a-z0-9._/:-]{0,40}"
_ASSIGNMENT = r"""["']?([\w.:/-]+)["']?[ \t]*+=[ \t]*+["']?([^"'\n#,}\]]+)"""
_SDK_VERSION = re.compile(r'"version"[ \t]*:[ \t]*"([^"\n]+)"')
_CHANNEL = re.compile(r"""^[ \t]*channel[ \t]*=[ \t]*["']([^"'\n]+)""", re.MULTILINE)
_UNITY = re.compile(r"^m_EditorVersion:[ \t]*(\S+)", re.MULTILINE)
_PATTERNS = {"rust": _CHANNEL, "dotnet": _SDK_VERSION, "unity": _UNITY}
HEAD = 4096


def versions(data: bytes, tool: str) -> Iterator[tuple[str, str]]:
    """(tool, version) pairs of a pin file; ``tool`` is its own, or the name of a format that holds several.

    Versions are one line of at most 256 characters.
    """
    for found, version in _pairs(loose_text(data), tool):
        name = _ALIASES.get(found, found)
        if re.fullmatch(_TOOL, name) and (value := one_line(version, VALUE_CAP)):
            yield name, value


def _pairs(text: str, tool: str) -> Iterator[tuple[str, str]]:
    lines = [line for line in map(_uncommented, text.split("\n")) if line]
    if tool == "tool-versions":
        yield from ((words[0], words[1]) for line in lines if len(words := line.split()) > 1)
    elif tool == "mise":
        yield from _assignments(text, "tools")
    elif tool in ("prototools", "sdkman"):
        yield from _assignments(text, "")
    elif pattern := _PATTERNS.get(tool):
        if found := pattern.search(text):
            yield tool, found[1]
        elif tool == "rust" and lines and "[" not in lines[0]:
            yield tool, lines[0]
    elif lines:
        yield tool, lines[0]


def _uncommented(line: str) -> str:
    return line.partition("#")[0].strip()


def _assignments(text: str, section: str) -> Iterator[tuple[str, str]]:
    """``key = "value"`` lines of one table; "" is the head of the file, before any table."""
    current = ""
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("["):
            current = stripped.strip("[]").strip()
        elif current == section and (found := re.match(_ASSIGNMENT, stripped)):
            yield found[1], found[2].strip()
