"""Mounts that no reader may go to: whoever asks a file system that never answers hangs.

The doors to names and contents ask here first. What leads there by a link, as a repository's pointers may, is
found by resolving it one name at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from errno import EREMOTE

_LINKS = 40  # as many as the system itself follows in one path


class FarAwayError(OSError):
    """A name on a file system that is not entered."""

    def __init__(self, path: str) -> None:
        super().__init__(EREMOTE, MESSAGE, path)


MESSAGE = "it lies on another file system, which may not answer and is not entered"


class Away:
    """Mount points that are never asked anything."""

    __slots__ = ("_starts", "points")

    def __init__(self, points: Iterable[str]) -> None:
        self.points = frozenset(points)
        self._starts = tuple(f"{point}/" for point in self.points)

    def holds(self, path: str) -> bool:
        """Whether the absolute ``path`` lies there by its name."""
        return f"{path}/".startswith(self._starts)

    def is_led_to(self, path: str) -> bool:
        """Whether ``path`` lies there, or is a link that leads there."""
        if self.holds(path):
            return True
        try:
            os.readlink(path)
        except (OSError, ValueError):
            return False
        return self.holds(self.near(path))

    def near(self, path: str) -> str:
        """The absolute ``path`` without links, as far as can be told without going there."""
        return near_path(path, self.points.__contains__)


class keeping_away:  # noqa: N801 - it reads as a verb: ``with keeping_away(points):``
    """While the block runs, no door leads to what is mounted at ``points``."""

    __slots__ = ("_away", "_before")

    def __init__(self, points: Iterable[str]) -> None:
        away = Away(points)
        self._away = away if away.points else None
        self._before: Away | None = None

    def __enter__(self) -> None:
        global current
        self._before, current = current, self._away

    def __exit__(self, *_: object) -> None:
        global current  # noqa: PLW0603 - the doors stand far below whoever knows the mounts
        current = self._before


current: Away | None = None
"""What the doors keep away from now; None where all is near."""


def near_path(path: str, is_far: Callable[[str], bool]) -> str:
    """``path`` without links, as far as it can be told without asking a far file system.

    The first name at which ``is_far`` says so ends the questions: what follows is only put in order. What is
    not there stays as it is spelled, as with ``os.path.realpath``.
    """
    names = names_of(path)[::-1]
    found, links = "", 0
    while names:
        name = names.pop()
        if name == "..":
            found = found.rpartition("/")[0]
            continue
        step = f"{found}/{name}"
        if is_far(step):
            return os.path.normpath("/".join((step, *reversed(names))))
        target = _target(step) if links < _LINKS else None
        if target is None:
            found = step
            continue
        links += 1
        if target.startswith("/"):
            found = ""
        names += names_of(target)[::-1]
    return found or "/"


def names_of(path: str) -> list[str]:
    """The names on the way to ``path``."""
    return [name for name in path.split("/") if name not in ("", ".")]


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None
