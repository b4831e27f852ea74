"""Memories in folders, and the loops that they hold."""

from __future__ import annotations

from pathlib import Path

from brain.health.gather import gather_with_evidence
from brain.loops.reading import loops_of
from brain.loops.values import Loop


def loops_in(folder: Path, **files: str | bytes) -> tuple[Loop, ...]:
    """The loops of a project made of ``files``; ``__`` in a name stands for ``/``, and .md is added."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(folder)


def read(folder: Path, kind: str = "project") -> tuple[Loop, ...]:
    found = gather_with_evidence(
        str(folder), name="shop", kind=kind, identifier="shop-id", wants_probes=False
    )
    return loops_of(found.parsed)


def told(loops: tuple[Loop, ...]) -> list[tuple[str, str, str]]:
    """(kind, text, day) of each."""
    return [(one.kind, one.text, str(one.due or "")) for one in loops]
