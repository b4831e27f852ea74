"""What comes out of remembering."""

from __future__ import annotations

from brain.value import Value


class Near(Value):
    """An observation that says much the same: where it stands, and how near it is (0 to 1)."""

    __slots__ = ("file", "id", "line", "score", "text")

    def __init__(self, file: str, line: int, id: str, text: str, score: float) -> None:  # noqa: A002 - its name
        self.file = file
        self.line = line
        self.id = id
        self.text = text
        self.score = score


class Remembered(Value):
    """What became of an observation.

    ``outcome`` is created (a new category), appended or skipped (it is known already: ``file``, ``line`` and
    ``id`` say where). ``similar`` are titles of other categories that may be meant. ``version`` is the token
    of the file as it is now, ``summary_updated`` whether it has the summary that was given.
    """

    __slots__ = ("category", "file", "id", "line", "near", "outcome", "similar", "summary_updated", "version")

    def __init__(
        self,
        outcome: str,
        category: str,
        file: str,
        line: int,
        id: str,  # noqa: A002 - as above
        *,
        version: str,
        near: tuple[Near, ...] = (),
        similar: tuple[str, ...] = (),
        summary_updated: bool = False,
    ) -> None:
        self.outcome = outcome
        self.category = category
        self.file = file
        self.line = line
        self.id = id
        self.version = version
        self.near = near
        self.similar = similar
        self.summary_updated = summary_updated


class Forgotten(Value):
    """What became of an observation that is not to count: ``outcome`` is archived, restored or unchanged."""

    __slots__ = ("category", "file", "id", "line", "outcome", "text", "version")

    def __init__(
        self,
        outcome: str,
        category: str,
        file: str,
        line: int,
        id: str,  # noqa: A002 - as above
        *,
        text: str,
        version: str,
    ) -> None:
        self.outcome = outcome
        self.category = category
        self.file = file
        self.line = line
        self.id = id
        self.text = text
        self.version = version


class Edited(Value):
    """What became of an edit: ``outcome`` is changed or unchanged; ``line`` is where the change begins."""

    __slots__ = ("file", "line", "outcome", "version")

    def __init__(self, outcome: str, file: str, line: int, version: str) -> None:
        self.outcome = outcome
        self.file = file
        self.line = line
        self.version = version
