"""A project with notes, and its index in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain.bundle.recall import Recalled, Wish, recall
from brain.search.sections import sections
from brain.search.sources import BRAIN, PROJECT, Place, list_sources
from brain.search.store import Store, open_store
from tests.support import NOW, write

MEMORY = ".agents/memory/notes"


def index_of(*places: Place, full_text: bool | None = None) -> Store:
    store = open_store(":memory:", full_text=full_text)
    store.write(
        (source, sections(Path(source.path).read_bytes(), source.kind, source.path))
        for source in list_sources(places).sources
    )
    return store


def project(folder: Path, notes: Mapping[str, str]) -> Place:
    """``notes`` by their path, or by their name without ``.md`` for a category of the memory."""
    for name, text in notes.items():
        write(folder / (name if "/" in name else f"{MEMORY}/{name}.md"), text)
    return Place(str(folder), PROJECT)


def brain(folder: Path, notes: Mapping[str, str]) -> Place:
    for name, text in notes.items():
        write(folder / name, text)
    return Place(str(folder), BRAIN)


def recalled(store: Store, place: Place, text: str, **wish: Any) -> Recalled:
    wish = {"scope": "project", "project": place.root, "now": NOW, **wish}
    return recall(store, Wish(text, **wish))


def names(done: Recalled) -> list[str]:
    """The files in the bundle, in its order, by their names without ``.md``."""
    return [Path(one.note.file).stem for one in done.bundle.packed]


def words(count: int, word: str = "filler") -> str:
    """Different words in sentences: about ``count`` tokens."""
    said = [f"{word}{number:04}" for number in range(count * 4 // (len(word) + 5))]
    return " ".join(one + ("." if at % 8 == 7 else "") for at, one in enumerate(said))
