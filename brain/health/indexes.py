"""The index of a memory: which topics it lists, and which lie beside it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from brain.health import roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile

_INDEX = "MEMORY.md"
_TARGET = re.compile(r"\]\(\s*<?(?P<target>[^()<>\s]{1,300}?\.md)(?:#[^)\s>]*)?>?\s*\)", re.IGNORECASE)


def indexes(parsed: ParsedMemory) -> Iterator[tuple[MemoryFile, Page, dict[str, int], set[str]]]:
    """Each MEMORY.md that is an index: file, page, targets beside it with their lines, topics beside it."""
    tool = parsed.files(roles.TOOL_MEMORY)
    for file in (*tool, *parsed.files(roles.LONG_TERM)):
        if file.path.rpartition("/")[2] != _INDEX or not file.data:
            continue
        page = parsed.page(file)
        folder = posixpath.dirname(file.path)
        targets: dict[str, int] = {}
        for number, text in enumerate(page.visible):
            if "](" in text:
                for match in _TARGET.finditer(text):
                    if ":" not in match["target"] and not match["target"].startswith(("/", "#", "~")):
                        path = posixpath.normpath(posixpath.join(folder, match["target"]))
                        targets.setdefault(path, number)
        beside = {path: line for path, line in targets.items() if posixpath.dirname(path) == folder}
        topics = {
            path
            for path in parsed.memory.names | {one.path for one in tool}
            if posixpath.dirname(path) == folder and path.endswith(".md") and path != file.path
        }
        if beside and folder:
            yield file, page, beside, topics


def indexed(parsed: ParsedMemory) -> frozenset[tuple[str, str]]:
    """What indexes list, as (index, path of the topic): m-index tells which of it is not there."""
    return frozenset((file.path, path) for file, _, targets, _ in indexes(parsed) for path in targets)
