"""What a configuration may say, as values."""

from __future__ import annotations

from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.stacks import UserRule


@dataclass(frozen=True, slots=True)
class ConfiguredRoot:
    """A folder to search, as configured; None means: as everywhere."""

    path: str
    depth: int | None = None
    nested: str | None = None
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says; None or empty where it says nothing. ``path`` is empty without a file."""

    path: str = ""
    brain: str | None = None
    roots: tuple[ConfiguredRoot, ...] = ()
    depth: int | None = None
    active_days: float | None = None
    paused_days: float | None = None
    nested: str | None = None
    exclude: tuple[str, ...] = ()
    respect_ignore: bool | None = None
    deadline: float | None = None
    emails: tuple[str, ...] = ()
    stacks: tuple[UserRule, ...] = ()
