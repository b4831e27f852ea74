"""What was typed on the command line, by name, as text: the first of two stages."""

from __future__ import annotations

from collections.abc import Mapping


class Typed:
    """Options and arguments that were really given; names with underscores, as in ``active_days``."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = given

    def text(self, name: str) -> str | None:
        """The value of an option, or None when it was not given."""
        value = self._given.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of an option or argument that may be repeated."""
        value = self._given.get(name)
        return tuple(str(item) for item in value) if isinstance(value, list) else ()

    def on(self, name: str) -> bool:
        """Whether a switch was given."""
        return self._given.get(name) is True
