"""What ``MEMORY.md`` says already, in the same words or in others, in lines of people and in our items."""

from __future__ import annotations

import re
from functools import lru_cache

from brain.dreaming.claim_id import claim_id
from brain.dreaming.cues import Cues
from brain.dreaming.lines import pieces, sentences
from brain.dreaming.memory_file import items_of
from brain.dreaming.wording import Wording, contrast, is_known, wording
from brain.value import dataclass

MOST = 20_000
"""Lines and sentences that are compared; beyond them a file is no memory that anybody reads."""

_MARKER = re.compile(rb"<!--[^\n]*?(?:zecher:promoted|openclaw-memory-promotion)[^\n]*?-->")
_TAIL = re.compile(r"\s*\[(?:score|confidence)=[^\]]*\]\s*$")
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Known:
    """A line or sentence of the file: ``item`` and ``day`` are those of an item of ours, empty else."""

    id: str
    text: str
    line: int
    said: Wording
    item: str = ""
    day: str = ""


class Memory:
    """The file made ready to be asked."""

    def __init__(self, data: bytes, cues: Cues) -> None:
        items = items_of(data)
        self._all: list[Known] = []
        self._by_id: dict[str, list[Known]] = {}
        self._with_stem: dict[str, list[Known]] = {}
        for item in items:
            self._add(item.text, item.line + 1, cues, item.id, item.day)
        for line, text in _human(data, {item.line for item in items}):
            self._add(text, line, cues)
        self.items = frozenset(item.id for item in items)

    def saying(self, ids: tuple[str, ...], said: Wording) -> Known | None:
        """The first line that says what a claim says."""
        for id_ in ids:
            if id_ in self._by_id:
                return self._by_id[id_][0]
        return next((known for known in self._near(said) if is_known(said, known.said)), None)

    def against(self, said: Wording) -> list[tuple[Known, tuple[str, ...], bool]]:
        """The lines that nearly agree with a claim, in what they differ, and whether that is certain."""
        found = ((known, contrast(known.said, said)) for known in self._near(said))
        return [(known, what[0], what[1]) for known, what in found if what is not None]

    def _near(self, said: Wording) -> list[Known]:
        near: dict[int, Known] = {}
        for stem in said.stems:
            for known in self._with_stem.get(stem, ()):
                near[id(known)] = known
        return sorted(near.values(), key=lambda known: (known.line, known.text))

    def _add(self, text: str, line: int, cues: Cues, item: str = "", day: str = "") -> None:
        if len(self._all) >= MOST:
            return
        known = Known(item or claim_id(text), text, line, wording(text, cues), item, day)
        self._all.append(known)
        self._by_id.setdefault(known.id, []).append(known)
        if item:
            self._by_id.setdefault(claim_id(text), []).append(known)
        for stem in known.said.stems:
            self._with_stem.setdefault(stem, []).append(known)


@lru_cache(maxsize=4)
def memory_of(data: bytes, cues: Cues) -> Memory:
    """The memory in a file of these bytes."""
    return Memory(data, cues)


def _human(data: bytes, markers: set[int]) -> list[tuple[int, str]]:
    """Line and text of all that is no item of ours: whole bullets and paragraphs, and their sentences."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b" ").split(b"\n")
    for number in markers:
        lines[number - 1 : number + 1] = [b"", b""]
    # An item that somebody edited is a person's: it is read like any other line.
    held = b"\n".join(b"" if _MARKER.match(line.strip()) else line for line in lines)
    found: list[tuple[int, str]] = []
    for piece in pieces(held):
        if piece.why in ("heading", "code", "generated", "garbled"):
            continue
        text = _TAIL.sub("", piece.text)[:_LONGEST]
        found.append((piece.line, text))
        parts = sentences(text)
        if len(parts) > 1:
            found.extend((piece.line, part) for _, part in parts)
    return found
