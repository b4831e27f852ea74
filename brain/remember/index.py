"""What is remembered, at a glance: derived from the files whenever it is asked for, never stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from brain.observations import without_stamps
from brain.remember.category_file import CategoryFile
from brain.remember.places import Place, Unread, read_shelf
from brain.value import Value

_SNIPPET = 160


class Category(Value):
    """One category: its file, its summary, and what that costs where summaries are loaded.

    ``derived`` says that nobody wrote the summary: it is the beginning of the text. ``tokens`` are estimated
    for the summary, ``body_tokens`` for the whole text. ``muted``: not to be loaded nor recalled, but to be
    found; ``pinned``: always to be loaded. ``newest`` is the day of the newest observation, empty where none
    has one.
    """

    __slots__ = (
        "archived",
        "axis",
        "body_tokens",
        "derived",
        "file",
        "modified",
        "muted",
        "newest",
        "observations",
        "pinned",
        "summary",
        "title",
        "tokens",
        "version",
    )

    def __init__(self, axis: str, file: CategoryFile, estimate: Callable[[str], int]) -> None:
        live = [one for one in file.body.observations if not one.archived]
        said = "\n\n".join(one.text for one in live)
        self.axis = axis
        self.file = file.path
        self.title = file.title
        self.derived = not file.summary
        self.summary = file.summary or _snippet(said)
        self.tokens = estimate(self.summary)
        self.body_tokens = estimate(said)
        self.muted = file.muted
        self.pinned = file.pinned
        self.observations = len(live)
        self.archived = len(file.body.observations) - len(live)
        self.newest = max((one.date for one in live), default="")
        self.modified = file.seen.stamp[0] / 1e9
        self.version = file.version


def index(
    places: Sequence[Place], estimate: Callable[[str], int]
) -> tuple[tuple[Category, ...], tuple[Unread, ...]]:
    """All categories of ``places`` in their order, and the files that cannot be read.

    ``estimate`` gives the tokens of a text.
    """
    shelves = [read_shelf(place) for place in places]
    found = [Category(shelf.place.axis, file, estimate) for shelf in shelves for file in shelf.categories]
    return tuple(found), tuple(one for shelf in shelves for one in shelf.unread)


def _snippet(text: str) -> str:
    line = " ".join(without_stamps(text).split())
    if len(line) <= _SNIPPET:
        return line
    cut = line[: _SNIPPET - 1]
    # Between words where there is a blank in the last third.
    at = cut.rfind(" ", _SNIPPET * 2 // 3)
    return (cut[:at] if at > 0 else cut) + "…"
