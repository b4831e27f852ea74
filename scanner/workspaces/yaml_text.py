"""The part of YAML in which workspaces list their members: mappings by indentation, lists of plain values.

A whole YAML reader costs 12 ms to import; lists of folders need neither anchors nor tags. What goes beyond
this reads as nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*+"[ \t]*+|'(?:[^']|'')*+'[ \t]*+|[^\s#"'\[\]{},&*!|>@%`-][^:#]*+|-[^\s:#][^:#]*+)"""
    r""":(?:[ \t](.*))?$"""
)
_TOKEN = re.compile(
    r"""[ \t\n]*+("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^\[\]{},"'\s][^\[\]{},\n]*|[\[\]{},])"""
)
_COMMENT = re.compile(r"""((?:^|(?<=[\s\[,{]))(?:"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'))|(?:^|(?<=[ \t]))#.*""")
_ESCAPE = re.compile(r"\\(.)")
_ENTRIES_CAP = 10_000

Lines = Sequence[str]
"""The lines of one value: the first is what follows its key, on the same line."""


def entries(text: str, *keys: str) -> dict[str, Lines]:
    """The keys of the mapping at a path of keys, each with the lines of its value; the last one wins."""
    lines: Lines = text.replace("\r\n", "\n").split("\n")
    found = dict(_entries(lines))
    for key in keys:
        found = dict(_entries(found.get(key, ())))
    return found


def items(lines: Lines) -> list[str]:
    """The plain values of a list, ``[a, b]`` or a line each; whatever else stands in it is left out."""
    if not lines:
        return []
    head = _uncommented(lines[0]).strip()
    rest = [line for line in map(_uncommented, lines[1:]) if line.strip()]
    if head.startswith("["):
        return _flow("\n".join([head, *rest]))
    if not head and rest and rest[0].lstrip().startswith("["):
        return _flow("\n".join(rest))
    if head or not rest:
        return []
    indent = _indent(rest[0])
    own = [line.strip() for line in rest if _indent(line) == indent]
    values = [line[1:].strip() for line in own if line.startswith("- ")]
    return [value for one in values if (value := scalar([one]))][:_ENTRIES_CAP]


def scalar(lines: Lines) -> str:
    """A single plain or quoted value; "" for anything else."""
    if not lines:
        return ""
    text = _uncommented(lines[0]).strip()
    if text[:1] in ("'", '"'):
        return _unquoted(text) if text[-1:] == text[0] and len(text) > 1 else ""
    if text[:1] in ("", "[", "{", "&", "*", "!", "|", ">") or text[:2] in ("-", "- ") or ": " in text:
        return ""
    return text


def _entries(lines: Lines) -> Iterator[tuple[str, Lines]]:
    indent = -1
    key, value = "", list[str]()
    for line in lines[:_ENTRIES_CAP]:
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or line.startswith(("---", "%", "...")):
            continue
        if indent < 0:
            indent = _indent(line)
        found = _KEY.match(stripped) if _indent(line) <= indent else None
        if found is not None:
            if key:
                yield key, value
            key, value = _unquoted(found[1].strip()), [found[2] or ""]
        elif key:
            value.append(line)
    if key:
        yield key, value


def _flow(text: str) -> list[str]:
    """The plain values of the outermost ``[...]``."""
    values: list[str] = []
    depth = position = 0
    while found := _TOKEN.match(text, position):
        position = found.end()
        mark = found[1]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if not depth:
                break
        elif mark != "," and depth == 1:
            values.append(_unquoted(mark.strip()))
    return [value for value in values if value][:_ENTRIES_CAP]


def _uncommented(line: str) -> str:
    """A line without its comment, which begins with a ``#`` after a blank, outside of quotes."""
    return _COMMENT.sub(r"\1", line) if "#" in line else line


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(r"\1", text[1:-1])
    return text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
