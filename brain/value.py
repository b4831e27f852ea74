"""What the small values of the brain share.

They are plain classes with slots: their number and the start of every command count, and a frozen dataclass
takes half a millisecond to define, its module another seven. Nothing changes one after it is made.
"""

from __future__ import annotations


class Value:
    """Equal to another of its class with equal parts; the parts are what ``__slots__`` names."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)
